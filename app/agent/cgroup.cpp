// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/cgroup.h"

#include "agent/text_scan.h"

#include <algorithm>
#include <system_error>
#include <vector>

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

// Version 1 says "no limit" by the largest multiple of a page below 2^63.
constexpr std::uint64_t kNoLimit = std::uint64_t{0x7fff'ffff'ffff'0000};

bool hasMemoryController(const fs::path &folder)
{
    std::string buffer;
    const auto text = readOnce((folder / "cgroup.controllers").c_str(), buffer);
    return text && (" " + std::string(*text)).find(" memory") != std::string::npos;
}

std::vector<std::string_view> words(std::string_view line)
{
    std::vector<std::string_view> out;
    while (!line.empty()) {
        const auto end = line.find(' ');
        if (end != 0)
            out.push_back(line.substr(0, end));
        line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    }
    return out;
}

// The fourth field of mountinfo: which folder of the file system is mounted there.
std::string mountedPart(const fs::path &mountPoint, const fs::path &procRoot)
{
    std::string buffer;
    std::string part;
    const auto text = readOnce((procRoot / "self" / "mountinfo").c_str(), buffer);
    forEachLine(text.value_or(std::string_view()), [&](std::string_view line) {
        const auto fields = words(line);
        if (fields.size() > 5 && fields[4] == mountPoint.native() && line.find(" - cgroup") != std::string_view::npos)
            part = fields[3];
    });
    return part == "/" ? std::string() : part;
}

std::optional<std::uint64_t> readNumber(const KeptFile &file)
{
    char buffer[64];
    const auto text = file.readShort(buffer, sizeof buffer);
    return text ? leadingNumber(*text) : std::nullopt; // "max" is none
}

bool isController(std::string_view list, std::string_view wanted)
{
    while (!list.empty()) {
        const auto end = list.find(',');
        if (list.substr(0, end) == wanted)
            return true;
        list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    }
    return false;
}

} // namespace

CgroupMount findMemoryCgroups(const fs::path &cgroupRoot, const fs::path &procRoot)
{
    std::error_code ignored;
    CgroupMount mount;
    if (const auto v1 = cgroupRoot / "memory"; fs::exists(v1 / "memory.usage_in_bytes", ignored)) {
        mount = {CgroupMount::Version::V1, v1, {}};
    } else {
        for (const auto &folder : {cgroupRoot, cgroupRoot / "unified"}) {
            if (hasMemoryController(folder)) {
                mount = {CgroupMount::Version::V2, folder, {}};
                break;
            }
        }
    }
    if (mount.version != CgroupMount::Version::None)
        mount.prefix = mountedPart(mount.root, procRoot);
    return mount;
}

std::optional<std::string> memoryCgroupOf(std::string_view procCgroup, const CgroupMount &mount)
{
    std::optional<std::string> found;
    forEachLine(procCgroup, [&](std::string_view line) {
        // "4:memory:/path", "0::/path"
        const auto first = line.find(':');
        const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos || found)
            return;
        const auto controllers = line.substr(first + 1, second - first - 1);
        const bool isOurs = mount.version == CgroupMount::Version::V1 ? isController(controllers, "memory")
                                                                     : line.starts_with("0::");
        if (isOurs)
            found = line.substr(second + 1);
    });
    if (!found || mount.version == CgroupMount::Version::None)
        return std::nullopt;
    constexpr std::string_view kDeleted = " (deleted)";
    if (found->ends_with(kDeleted))
        found->resize(found->size() - kDeleted.size());
    if (!mount.prefix.empty() && found->starts_with(mount.prefix)
        && (found->size() == mount.prefix.size() || (*found)[mount.prefix.size()] == '/'))
        found->erase(0, mount.prefix.size());
    if (found->empty())
        *found = "/";
    // "/../…": the process lies outside of our cgroup namespace.
    if (found->front() != '/' || *found == "/.." || found->starts_with("/../"))
        return std::nullopt;
    return found;
}

std::optional<std::string> parentCgroup(std::string_view path)
{
    if (path.size() < 2)
        return std::nullopt;
    const auto slash = path.rfind('/');
    if (slash == std::string_view::npos)
        return std::nullopt;
    return slash == 0 ? std::string("/") : std::string(path.substr(0, slash));
}

CgroupReader::CgroupReader(const CgroupMount &mount, const std::string &path) : m_version(mount.version)
{
    const auto folder = mount.root.native() + (path == "/" ? std::string() : path) + '/';
    const auto open = [&](const char *name) { return KeptFile(folder + name); };
    m_stat = open("memory.stat");
    if (m_version == CgroupMount::Version::V1) {
        m_usage = open("memory.usage_in_bytes");
        m_peak = open("memory.max_usage_in_bytes");
        m_limit = open("memory.limit_in_bytes");
        m_hits = open("memory.failcnt");
        m_events = open("memory.oom_control");
    } else {
        m_usage = open("memory.current");
        m_peak = open("memory.peak"); // from 5.19
        m_limit = open("memory.max");
        m_swap = open("memory.swap.current");
        m_events = open("memory.events");
    }
}

std::optional<CgroupMemory> CgroupReader::read(std::string &buffer) const
{
    CgroupMemory memory;
    memory.usage = readNumber(m_usage);
    if (!memory.usage)
        return std::nullopt;
    memory.peak = readNumber(m_peak);
    memory.limit = readNumber(m_limit);
    if (memory.limit && *memory.limit >= kNoLimit)
        memory.limit.reset();
    if (m_version == CgroupMount::Version::V1)
        readV1(memory, buffer);
    else
        readV2(memory, buffer);
    return memory;
}

void CgroupReader::readV1(CgroupMemory &into, std::string &buffer) const
{
    into.limitHits = readNumber(m_hits);
    // The lines without "total_" leave the groups below out.
    forEachKey(m_stat.read(buffer).value_or(std::string_view()), [&](std::string_view key, std::string_view rest) {
        if (!key.starts_with("total_"))
            return;
        if (key == "total_inactive_file") {
            if (const auto inactive = leadingNumber(rest))
                into.workingSet = *into.usage - std::min(*into.usage, *inactive);
        } else if (key == "total_rss") {
            into.anonymous = leadingNumber(rest);
        } else if (key == "total_swap") {
            into.swap = leadingNumber(rest);
        }
    });
    forEachKey(m_events.read(buffer).value_or(std::string_view()), [&](std::string_view key, std::string_view rest) {
        if (key == "oom_kill")
            into.oomKills = leadingNumber(rest);
    });
}

void CgroupReader::readV2(CgroupMemory &into, std::string &buffer) const
{
    into.swap = readNumber(m_swap);
    forEachKey(m_stat.read(buffer).value_or(std::string_view()), [&](std::string_view key, std::string_view rest) {
        if (key == "inactive_file") {
            if (const auto inactive = leadingNumber(rest))
                into.workingSet = *into.usage - std::min(*into.usage, *inactive);
        } else if (key == "anon") {
            into.anonymous = leadingNumber(rest);
        }
    });
    forEachKey(m_events.read(buffer).value_or(std::string_view()), [&](std::string_view key, std::string_view rest) {
        if (key == "max")
            into.limitHits = leadingNumber(rest);
        else if (key == "oom_kill")
            into.oomKills = leadingNumber(rest);
    });
}

} // namespace plimsoll
