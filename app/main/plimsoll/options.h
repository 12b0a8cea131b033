// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/settings.h"

#include <QString>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

struct CommandLine
{
    std::vector<std::string> connect; // addresses of agents
    std::vector<std::string> scrape;  // exporters for the embedded agent
    bool hostsAgent = true;
    std::filesystem::path historyFile; // empty = the user's
    std::optional<ThemeChoice> theme;
    QString screenshots; // folder; empty = a window
};

struct ParsedCommandLine
{
    CommandLine line;
    std::optional<int> exitCode; // set: help or version was printed (0), or the usage is wrong (2)
};

/// Prints help, version or what is wrong by itself. Needs no QApplication.
[[nodiscard]] ParsedCommandLine parseCommandLine(int argc, char **argv);

} // namespace plimsoll
