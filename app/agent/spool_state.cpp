// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/spool_state.h"

#include "agent/file_descriptor.h"
#include "agent/kept_file.h"
#include "agent/text_scan.h"

#include <fcntl.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

namespace plimsoll {
namespace {

constexpr std::string_view kFirstLine = "plimsoll-spool 1";

Error systemError(std::string_view what, const std::filesystem::path &path)
{
    const int number = errno;
    return {number == ENOSPC || number == EDQUOT ? Error::Code::Full : Error::Code::Io,
            std::string(what) + ' ' + path.string() + ": " + std::strerror(number)};
}

} // namespace

Result<SpoolState> readSpoolState(const std::filesystem::path &path)
{
    std::string buffer;
    const auto text = readOnce(path.c_str(), buffer, 4096);
    if (!text)
        return tl::make_unexpected(systemError("cannot read", path));
    SpoolState state;
    bool hasFirstLine = false;
    bool hasClean = false;
    forEachLine(*text, [&](std::string_view line) {
        const auto after = [&](std::string_view key) { return line.substr(key.size()); };
        if (line == kFirstLine)
            hasFirstLine = true;
        else if (line.starts_with("agent "))
            state.agentId = after("agent ");
        else if (line.starts_with("epoch "))
            state.epoch = leadingNumber(after("epoch ")).value_or(0);
        else if (line.starts_with("boot "))
            state.bootId = after("boot ");
        else if (line.starts_with("clean ")) {
            state.isClean = after("clean ") == "1";
            hasClean = true;
        }
    });
    if (!hasFirstLine || !hasClean || state.agentId.empty() || state.epoch == 0)
        return failure(Error::Code::Corrupt, path.string() + ": not the state of a spool");
    return state;
}

Result<void> writeSpoolState(const std::filesystem::path &path, const SpoolState &state)
{
    std::string text(kFirstLine);
    text += "\nagent " + state.agentId + "\nepoch " + std::to_string(state.epoch) + "\nboot " + state.bootId + "\nclean "
        + (state.isClean ? "1" : "0") + '\n';
    auto temporary = path;
    temporary += ".new";
    const FileDescriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!fd)
        return tl::make_unexpected(systemError("cannot create", temporary));
    const ssize_t written = ::write(fd.get(), text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size())) {
        if (written >= 0)
            errno = ENOSPC;
        auto error = systemError("cannot write", temporary);
        ::unlink(temporary.c_str());
        return tl::make_unexpected(std::move(error));
    }
    ::fdatasync(fd.get());
    if (::rename(temporary.c_str(), path.c_str()) != 0)
        return tl::make_unexpected(systemError("cannot replace", path));
    return {};
}

std::uint64_t randomNumber()
{
    std::uint64_t value = 0;
    if (::getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value))
        value = (std::uint64_t{std::random_device{}()} << 32U) | std::random_device{}();
    return value >> 1U;
}

std::string makeAgentId()
{
    std::array<char, 40> text{};
    const int length = std::snprintf(text.data(), text.size(), "%016llx%016llx",
                                     static_cast<unsigned long long>(randomNumber()),
                                     static_cast<unsigned long long>(randomNumber()));
    return {text.data(), static_cast<std::size_t>(length)};
}

std::string readBootId()
{
    std::string buffer;
    auto text = readOnce("/proc/sys/kernel/random/boot_id", buffer, 64).value_or(std::string_view());
    while (!text.empty() && text.back() == '\n')
        text.remove_suffix(1);
    return std::string(text);
}

} // namespace plimsoll
