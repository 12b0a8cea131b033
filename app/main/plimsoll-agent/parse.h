// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <iosfwd>
#include <string>

namespace plimsoll {

struct ParseOptions
{
    std::string file;   // "-" reads the standard input
    bool json = false;
    std::string format; // text, openmetrics, protobuf; empty = by name and content
};

/// `plimsoll-agent parse`: what one exposition body became. Exit status 0 when it was read, 2
/// when it is none or the arguments are wrong; `err` then says where and why.
[[nodiscard]] int runParse(const ParseOptions &options, std::ostream &out, std::ostream &err);

} // namespace plimsoll
