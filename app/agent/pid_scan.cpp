// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/pid_scan.h"

#include "agent/text_scan.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>

namespace plimsoll {
namespace {

constexpr unsigned kMostSkipped = 9;

// In a container that looks at the host's /proc, loadavg would count the container's processes.
bool isOwnNamespace(const std::filesystem::path &procRoot)
{
    std::array<char, 32> target{};
    const ssize_t length = ::readlink((procRoot / "self").c_str(), target.data(), target.size() - 1);
    return length > 0 && leadingNumber(target.data()) == static_cast<std::uint64_t>(::getpid());
}

} // namespace

PidScan::PidScan(const std::filesystem::path &procRoot) : m_folder(::opendir(procRoot.c_str()))
{
    if (isOwnNamespace(procRoot))
        m_loadavg = KeptFile(procRoot / "loadavg");
}

std::optional<std::uint64_t> PidScan::lastStarted() const
{
    std::array<char, 128> buffer{};
    const auto text = m_loadavg.readShort(buffer.data(), buffer.size());
    if (!text)
        return std::nullopt;
    const auto space = text->rfind(' ');
    return space == std::string_view::npos ? std::nullopt : leadingNumber(text->substr(space));
}

bool PidScan::update()
{
    m_appeared.clear();
    m_vanished.clear();
    if (!m_folder)
        return false;
    const auto newest = lastStarted();
    if (newest && newest == m_newest && m_skipped < kMostSkipped) {
        ++m_skipped;
        return true;
    }
    m_newest = newest;
    m_skipped = 0;
    m_before.swap(m_pids);
    m_pids.clear();
    ::rewinddir(m_folder.get());
    while (const dirent *entry = ::readdir(m_folder.get())) {
        const char *name = entry->d_name;
        if (*name < '1' || *name > '9')
            continue;
        int pid = 0;
        const char *end = name + std::strlen(name);
        if (const auto [stop, error] = std::from_chars(name, end, pid); error == std::errc{} && stop == end)
            m_pids.push_back(pid);
    }
    if (!std::is_sorted(m_pids.begin(), m_pids.end()))
        std::sort(m_pids.begin(), m_pids.end());
    std::set_difference(m_pids.begin(), m_pids.end(), m_before.begin(), m_before.end(), std::back_inserter(m_appeared));
    std::set_difference(m_before.begin(), m_before.end(), m_pids.begin(), m_pids.end(), std::back_inserter(m_vanished));
    return true;
}

} // namespace plimsoll
