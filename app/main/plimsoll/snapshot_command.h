// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <iosfwd>

namespace plimsoll {

/// `plimsoll snapshot …`: arguments begin behind the word "snapshot". Needs no window. Exit status 0
/// when it was answered, 1 when the file cannot be read or does not hold the answer, 2 when the arguments are wrong; `err` says why.
[[nodiscard]] int runSnapshotCommand(int argc, char **argv, std::ostream &out, std::ostream &err);

} // namespace plimsoll
