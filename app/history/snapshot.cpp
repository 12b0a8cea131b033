// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/snapshot.h"

#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace plimsoll {

HistorySnapshot::HistorySnapshot(HistoryStore &store, const std::vector<HeadWish> &wishes, const std::stop_token &stop)
    : m_lease(store.pool.lease())
{
    std::shared_lock lock(store.heads.mutex(), std::defer_lock);
    // The writer holds it for as long as the disk takes to commit a fold: a question may be
    // withdrawn meanwhile.
    while (!lock.try_lock()) {
        if (stop.stop_requested()) {
            m_isCancelled = true;
            return;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    m_heads.resize(wishes.size());
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        const auto &wish = wishes[i];
        store.heads.copy(wish.group, wish.ordinal, wish.begin, wish.end, m_heads[i].times, m_heads[i].values);
        if (const auto at = store.strips.find(wish.group.value); at != store.strips.end())
            m_strips.try_emplace(wish.group.value, at->second);
    }
    if (auto *database = m_lease.get()) {
        database->exec("BEGIN");
        (void)database->integer("SELECT count(*) FROM era"); // the moment a transaction sees is that of its first read
    }
}

HistorySnapshot::~HistorySnapshot()
{
    if (auto *database = m_lease.get())
        database->rollback();
}

const std::set<std::int64_t> &HistorySnapshot::strips(GroupId group) const
{
    static const std::set<std::int64_t> none;
    const auto at = m_strips.find(group.value);
    return at == m_strips.end() ? none : at->second;
}

} // namespace plimsoll
