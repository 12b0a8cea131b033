// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/cgroup_table.h"

namespace plimsoll {
namespace {

// A group removed and made anew begins at 0: then all of it is new.
std::uint64_t increase(const std::optional<std::uint64_t> &before, const std::optional<std::uint64_t> &now) noexcept
{
    if (!before || !now)
        return 0;
    return *now >= *before ? *now - *before : *now;
}

} // namespace

void CgroupTable::acquire(const std::string &path, std::string &buffer)
{
    if (const auto known = m_entries.find(path); known != m_entries.end()) {
        ++known->second.users;
        return;
    }
    Entry entry{CgroupReader(m_mount, path), 1, {}, 0, 0};
    entry.memory = entry.reader.read(buffer);
    m_entries.emplace(path, std::move(entry));
}

void CgroupTable::release(const std::string &path)
{
    const auto known = m_entries.find(path);
    if (known != m_entries.end() && --known->second.users == 0)
        m_entries.erase(known);
}

void CgroupTable::readAll(std::string &buffer)
{
    for (auto &[path, entry] : m_entries) {
        auto memory = entry.reader.read(buffer);
        entry.newKills = memory && entry.memory ? increase(entry.memory->oomKills, memory->oomKills) : 0;
        entry.newHits = memory && entry.memory ? increase(entry.memory->limitHits, memory->limitHits) : 0;
        entry.memory = memory;
    }
}

const CgroupTable::Entry *CgroupTable::find(const std::string &path) const
{
    const auto known = m_entries.find(path);
    return known == m_entries.end() ? nullptr : &known->second;
}

} // namespace plimsoll
