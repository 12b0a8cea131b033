// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/retention.h"

#include "history/rollup.h"
#include "history/settle.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::int64_t kSettleDelay = 30 * 60;     // s after the two hours a row of minutes holds
constexpr std::size_t kSettledColumns = 2000;      // a step; about a tenth of a second
constexpr std::int64_t kErasedChunks = 256;        // a step
constexpr std::int64_t kVacuumedPages = 128;       // a step: a megabyte
constexpr std::int64_t kLongestPeriod = 3600;      // s

} // namespace

std::optional<std::int64_t> dataNow(const HistoryStore &store)
{
    const auto newest = store.table.newest();
    if (!newest)
        return std::nullopt;
    return std::min(*newest, toUnixNanos(store.clock.now()));
}

Retention::Done Retention::step()
{
    Done done;
    const auto now = dataNow(m_store);
    if (!now || *now < 0)
        return done;
    settle(*now, done);
    dropOldRaw(*now, done);
    dropBySize(*now, done);
    if (done.rawSince)
        storeMeta("raw_since", *done.rawSince);
    if (done.begin)
        storeMeta("begin", *done.begin);
    return done;
}

void Retention::storeMeta(const char *key, std::int64_t value)
{
    auto &insert = m_database.statement("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)");
    insert.bind(1, key);
    insert.bind(2, value);
    insert.exec();
}

void Retention::settle(std::int64_t now, Done &done)
{
    StripSettler settle(m_database);
    std::size_t columns = 0;
    const auto span = kLevels[0].span;
    for (const auto &[number, begins] : m_store.strips) {
        const GroupId group{number};
        for (const auto begin : begins) {
            const auto spanEnd = (begin / span + 1) * span;
            if ((spanEnd + kSettleDelay) * kSecond > now)
                break; // they rise
            settle.settle(group, m_store.periods.at(group, begin * kSecond));
            done.settled.emplace_back(group, begin);
            columns += m_store.table.columnsOf(group).size();
        }
        if (columns >= kSettledColumns)
            return;
    }
}

// Chunks from the oldest on whose period ended before; a strip still needs its chunk.
bool Retention::eraseChunks(std::int64_t before, std::int64_t most, Done &done)
{
    auto &query = m_database.statement(
        "SELECT id FROM chunk WHERE id < ? AND id NOT IN (SELECT id FROM strip) ORDER BY id LIMIT ?");
    query.bind(1, chunkKey(before, {0}));
    query.bind(2, most);
    std::vector<std::int64_t> keys;
    while (query.executeStep())
        keys.push_back(query.getColumn(0).getInt64());
    query.reset();
    auto &erase = m_database.statement("DELETE FROM chunk WHERE id=?");
    for (const auto key : keys) {
        erase.bind(1, key);
        erase.exec();
        erase.reset();
    }
    if (keys.empty())
        return false;
    // Up to the end of the last one erased other groups may still have raw samples: that is not promised.
    const auto since = (periodOf(keys.back()) + kLongestPeriod) * kSecond;
    if (since > std::max(m_store.rawSince.load(), done.rawSince.value_or(0)))
        done.rawSince = since;
    return true;
}

void Retention::dropOldRaw(std::int64_t now, Done &done)
{
    const auto cut = (now - m_store.options.keepRaw.count()) / kSecond - kLongestPeriod;
    if (cut > 0)
        (void)eraseChunks(cut, kErasedChunks, done);
}

std::int64_t Retention::usedBytes()
{
    return (m_database.integer("PRAGMA page_count") - m_database.integer("PRAGMA freelist_count"))
        * m_database.integer("PRAGMA page_size");
}

void Retention::dropBySize(std::int64_t now, Done &done)
{
    if (usedBytes() <= m_store.options.sizeLimit.value)
        return;
    // The oldest raw samples first, whatever their age; then the oldest tenth of everything else.
    if (eraseChunks(now / kSecond - kLongestPeriod, kErasedChunks, done))
        return;
    const std::int64_t begin = m_store.begin;
    if (begin < 0 || begin >= now)
        return;
    const auto cut = begin + std::max<std::int64_t>((now - begin) / 10, kSecond);
    if (now - cut < kLongestPeriod * kSecond)
        return; // a limit that not even an hour fits in
    eraseRollups(cut);
    done.begin = cut;
}

void Retention::eraseRollups(std::int64_t before)
{
    auto &erase = m_database.statement("DELETE FROM rollup WHERE id >= ? AND id < ?");
    for (const auto &[number, group] : m_store.table.groups()) {
        for (std::uint32_t ordinal = 0; ordinal < group.columns; ++ordinal) {
            for (std::size_t level = 1; level <= kLevels.size(); ++level) {
                erase.bind(1, rollupKey(level, {number}, ordinal, 0));
                erase.bind(2, rollupKey(level, {number}, ordinal, before / kSecond / kLevels[level - 1].span));
                erase.exec();
                erase.reset();
            }
        }
    }
    for (const char *table : {"event", "step"}) {
        auto &old = m_database.statement(std::string("DELETE FROM ") + table + " WHERE time < ?");
        old.bind(1, before);
        old.exec();
    }
}

void Retention::vacuum()
{
    const auto pages = m_database.integer("PRAGMA page_count");
    const auto free = m_database.integer("PRAGMA freelist_count");
    // A few free pages are used again at once; giving them back each time would only cost.
    if (free > kVacuumedPages && free > pages / 4)
        m_database.exec("PRAGMA incremental_vacuum(" + std::to_string(kVacuumedPages) + ")");
}

} // namespace plimsoll
