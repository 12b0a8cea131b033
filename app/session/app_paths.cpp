// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/app_paths.h"

#include <QStandardPaths>
#include <QString>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace plimsoll::paths {
namespace {

// sun_path holds 108 bytes with its terminator; "/plimsoll-XXXXXX/agent.sock" takes 28.
constexpr std::size_t kLongestParent = 107 - 28;

std::filesystem::path folder(QStandardPaths::StandardLocation location)
{
    return std::filesystem::path(QStandardPaths::writableLocation(location).toStdString()) / "plimsoll";
}

bool isUsable(const std::filesystem::path &parent)
{
    std::error_code error;
    return parent.is_absolute() && parent.native().size() <= kLongestParent
        && std::filesystem::is_directory(parent, error);
}

} // namespace

std::filesystem::path settingsFile() { return folder(QStandardPaths::GenericConfigLocation) / "plimsoll.ini"; }
std::filesystem::path cacheFolder() { return folder(QStandardPaths::GenericCacheLocation); }
std::filesystem::path historyFile() { return cacheFolder() / "history.sqlite"; }

Result<std::filesystem::path> makePrivateFolder()
{
    // Not QStandardPaths::RuntimeLocation: it makes up and complains about what is missing.
    const char *const runtime = std::getenv("XDG_RUNTIME_DIR");
    std::error_code error;
    std::string tried;
    for (const std::filesystem::path &parent :
         {std::filesystem::path(runtime ? runtime : ""), std::filesystem::temp_directory_path(error),
          std::filesystem::path("/tmp")}) {
        if (!isUsable(parent))
            continue;
        std::string name = (parent / "plimsoll-XXXXXX").native();
        if (::mkdtemp(name.data()) != nullptr) // mode 0700
            return std::filesystem::path(name);
        tried += parent.native() + ": " + std::generic_category().message(errno) + "; ";
    }
    return failure(Error::Code::Io, "no folder for a private socket: " + tried);
}

} // namespace plimsoll::paths
