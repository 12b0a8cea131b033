// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/process_reader.h"

#include "agent/identity.h"
#include "agent/text_scan.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

namespace plimsoll {
namespace {

const auto kPageBytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));

// Reading PSS walks every page of the process and holds its address space lock
// meanwhile: a page fault in it waits. Beyond this size that is no longer cheap.
constexpr std::uint64_t kLargestForPss = std::uint64_t{8} << 30U;
constexpr Duration kPssPause = std::chrono::seconds(10);
constexpr int kPssPauseFactor = 5000; // of the last cost: at most 0.02 % of a core a process

std::uint64_t kilobytes(std::string_view rest) noexcept
{
    return leadingNumber(rest).value_or(0) * 1024;
}

} // namespace

ProcessReader::ProcessReader(std::string procRoot, int pid)
    : m_procRoot(std::move(procRoot)), m_pid(pid), m_statm(path("statm"))
{}

std::string ProcessReader::path(const char *file) const
{
    return m_procRoot + '/' + std::to_string(m_pid) + '/' + file;
}

std::optional<std::uint64_t> ProcessReader::readRss()
{
    std::array<char, 128> buffer{};
    const auto text = m_statm.readShort(buffer.data(), buffer.size());
    if (!text)
        return std::nullopt;
    const auto size = leadingNumber(*text);
    const auto space = text->find(' ');
    if (!size || *size == 0 || space == std::string_view::npos)
        return std::nullopt; // no address space: a zombie, or a kernel thread
    const auto resident = leadingNumber(text->substr(space));
    if (!resident)
        return std::nullopt;
    m_rss = *resident * kPageBytes;
    return m_rss;
}

ProcessReader::Slow ProcessReader::readSlow(MonotonicInstant now, bool mayReadPss, bool hasSwap, std::string &buffer)
{
    Slow slow;
    if (mayReadPss && m_isPssAllowed && now >= m_nextPss && m_rss <= kLargestForPss) {
        const auto begin = std::chrono::steady_clock::now();
        const bool hasRead = readPss(slow, buffer);
        slow.pssCost = std::max(Duration(std::chrono::steady_clock::now() - begin), Duration(1));
        m_nextPss = now + std::max(kPssPause - std::chrono::seconds(1), slow.pssCost * kPssPauseFactor);
        if (hasRead)
            return slow; // its swap too
    }
    if (!hasSwap) {
        slow.swap = 0;
        return slow;
    }
    const auto status = readOnce(path("status").c_str(), buffer);
    forEachKey(status.value_or(std::string_view()), [&](std::string_view key, std::string_view rest) {
        if (key == "VmSwap")
            slow.swap = kilobytes(rest);
    });
    return slow;
}

bool ProcessReader::readPss(Slow &into, std::string &buffer)
{
    const auto file = path("smaps_rollup");
    const auto text = readOnce(file.c_str(), buffer);
    if (!text) {
        if (errno == EACCES || errno == EPERM || errno == ENOENT)
            m_isPssAllowed = false; // another user's process, or a kernel before 4.14
        return false;
    }
    forEachKey(*text, [&](std::string_view key, std::string_view rest) {
        if (key == "Pss")
            into.pss = kilobytes(rest);
        else if (key == "Swap")
            into.swap = kilobytes(rest);
    });
    return into.pss && into.swap;
}

std::string ProcessReader::readName(std::string &buffer) const
{
    auto name = readOnce(path("comm").c_str(), buffer, 64).value_or(std::string_view());
    while (!name.empty() && name.back() == '\n')
        name.remove_suffix(1);
    return fitForLabel(name);
}

std::optional<int> parentOf(const std::string &procRoot, int pid, std::string &buffer)
{
    const auto path = procRoot + '/' + std::to_string(pid) + "/stat";
    const auto text = readOnce(path.c_str(), buffer, 1024);
    if (!text)
        return std::nullopt;
    // The name stands in parentheses and may contain some: the last one counts. Then: state, parent.
    const auto end = text->rfind(')');
    if (end == std::string_view::npos || end + 4 > text->size())
        return std::nullopt;
    const auto parent = leadingNumber(text->substr(end + 4));
    if (!parent || *parent > std::uint64_t{1} << 30U)
        return std::nullopt;
    return static_cast<int>(*parent);
}

} // namespace plimsoll
