// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/writer.h"

#include "history/doctor.h"
#include "history/loader.h"
#include "history/record_writer.h"
#include "history/retention.h"
#include "history/tail_row.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace plimsoll {
namespace {

constexpr std::uint64_t kMaxUncommitted = 8U << 20U; // samples: 64 MB commit at once
constexpr auto kHousekeeping = std::chrono::seconds(10);
constexpr auto kTick = std::chrono::seconds(1);
constexpr auto kReopen = std::chrono::seconds(1);
constexpr auto kRetry = std::chrono::seconds(2);

bool hasNoRoom(const std::filesystem::path &file)
{
    std::error_code error;
    const auto space = std::filesystem::space(file.has_parent_path() ? file.parent_path() : ".", error);
    return !error && space.available < 256U * 1024U;
}

} // namespace

HistoryWriter::HistoryWriter(HistoryStore &store, std::unique_ptr<Database> database, History::Committed committed)
    : m_store(store), m_database(std::move(database)), m_committed(std::move(committed)), m_intake(store),
      m_storedBegin(store.begin)
{
    for (const auto &[key, head] : store.heads.heads()) {
        for (const auto id : head.tailIds)
            m_nextTail = std::max(m_nextTail, (id & ((std::int64_t{1} << 36) - 1)) + 1);
    }
    if (m_store.state.state().health != HistoryState::Health::Fine && (!m_database || m_database->isReadOnly()))
        m_intake.setHeadLimit(m_store.heads.bytes() + m_store.options.inboxBytes);
    m_thread = std::jthread([this](const std::stop_token &stop) { run(stop); });
}

HistoryWriter::~HistoryWriter()
{
    m_store.inbox.close();
    m_thread.request_stop();
}

void HistoryWriter::flush()
{
    std::uint64_t wanted = 0;
    {
        const std::lock_guard lock(m_flushMutex);
        wanted = ++m_flushWanted;
    }
    Delivery wake; // empty: only to end the wait
    (void)m_store.inbox.tryPost(wake, 0);
    std::unique_lock lock(m_flushMutex);
    m_flushed.wait(lock, [&] { return m_flushDone >= wanted; });
}

void HistoryWriter::run(const std::stop_token &stop)
{
    using Steady = std::chrono::steady_clock;
    auto lastCommit = Steady::now() - m_store.options.commitInterval;
    bool isTaken = true;
    while (!stop.stop_requested()) {
        std::uint64_t wanted = 0;
        bool isFlushing = false;
        {
            const std::lock_guard lock(m_flushMutex);
            wanted = m_flushWanted; // before the take: what was posted before it is then in the box
            isFlushing = m_flushDone != wanted;
        }
        const auto due = lastCommit + (isTaken ? m_store.options.commitInterval
                                               : std::max<Duration>(m_store.options.commitInterval, kRetry));
        auto deadline = Steady::now() + kTick;
        if (isFlushing)
            deadline = Steady::now();
        else if (isDirty())
            deadline = std::min(deadline, due);
        takeAll(m_store.inbox.takeUntil(deadline, stop));
        const bool isHeavy = isTaken && m_intake.pending().samples >= kMaxUncommitted;
        if (isFlushing || isHeavy || Steady::now() >= due) {
            isTaken = commit();
            if (isTaken)
                keepHouse();
            lastCommit = Steady::now();
        }
        m_store.state.tick(m_store.clock.monotonicNow());
        if (isFlushing) {
            const std::lock_guard lock(m_flushMutex);
            m_flushDone = wanted;
            m_flushed.notify_all();
        }
    }
    takeAll(m_store.inbox.takeUntil(Steady::now(), stop));
    commit();
    const std::lock_guard lock(m_flushMutex);
    m_flushDone = m_flushWanted;
    m_flushed.notify_all();
}

void HistoryWriter::takeAll(std::vector<Delivery> deliveries)
{
    for (auto &delivery : deliveries)
        m_intake.take(std::move(delivery));
    if (!deliveries.empty())
        m_store.state.setSeries(m_store.table.size());
}

bool HistoryWriter::isDirty()
{
    const auto &pending = m_intake.pending();
    return pending.samples > 0 || !pending.events.empty() || !pending.steps.empty()
        || !m_store.table.dirtySeries().empty()
        || std::any_of(m_store.table.agents().begin(), m_store.table.agents().end(),
                       [](const auto &agent) { return agent.second.isDirty; });
}

bool HistoryWriter::hasWritable()
{
    // Each try puts everything held together again: not while it is plain that it must fail.
    if (m_store.state.state().health == HistoryState::Health::DiskFull && hasNoRoom(m_store.options.file))
        return false;
    if (m_database && !m_database->isReadOnly())
        return true;
    const auto health = m_store.state.state().health;
    const auto now = m_store.clock.monotonicNow();
    if (health != HistoryState::Health::DiskFull || now - m_openTriedAt < kReopen)
        return false;
    m_openTriedAt = now;
    auto database = openForWriting(m_store.options.file);
    if (!database)
        return false;
    m_database = std::move(*database);
    saveEras(*m_database, m_store.periods.eras());
    m_store.pool.setFile(m_store.options.file, Database::Access::Read);
    return true;
}

bool HistoryWriter::commit()
{
    if (!hasWritable())
        return false;
    Written written;
    try {
        m_database->exec("BEGIN IMMEDIATE");
        write(written);
        if (!written.hasRecords) {
            m_database->rollback();
            return true;
        }
        if (written.folded.empty()) {
            m_database->exec("COMMIT");
            finish(written);
        } else {
            // From here until the folded rows are gone from the heads no reader may look at both.
            const std::unique_lock lock(m_store.heads.mutex());
            m_database->exec("COMMIT");
            finish(written);
        }
    } catch (const SQLite::Exception &e) {
        handle(e);
        return false;
    }
    auto &pending = m_intake.pending();
    const auto touched = pending.touched;
    m_store.state.committed(pending.samples, sizeOnDisk(m_store.options.file), m_store.clock.monotonicNow());
    const auto health = m_store.state.state().health;
    if (health == HistoryState::Health::DiskFull || health == HistoryState::Health::Failed) {
        m_store.state.setHealth(HistoryState::Health::Fine, {});
        pending = {};
        m_intake.liftHeadLimit();
    } else {
        pending = {};
    }
    m_store.table.publishResumePoints();
    if (m_committed && touched)
        m_committed(*touched);
    return true;
}

void HistoryWriter::write(Written &written)
{
    written.hasRecords = isDirty();
    writeNames(m_store, *m_database, m_store.begin != m_storedBegin);
    writeHeads(written);
    writeRecords(m_intake.pending(), *m_database);
}

void HistoryWriter::writeHeads(Written &written)
{
    HeadFold fold(m_store, *m_database);
    auto &groups = m_store.table.groups();
    const auto now = m_store.clock.monotonicNow().time_since_epoch().count();
    const auto &heads = m_store.heads.heads(); // only this thread changes them: no lock to read
    std::vector<std::uint32_t> which;
    for (auto at = heads.begin(); at != heads.end(); ++at) {
        const auto &[key, head] = *at;
        auto &group = groups[key.first];
        // Heads of a group follow each other: its newest row is in the last of them.
        auto last = at;
        for (auto next = std::next(at); next != heads.end() && next->first.first == key.first; ++next)
            last = next;
        if (fold.isDue(head, last->second.rows.times.back(), group, now)) {
            fold.fold({key.first}, head, written.fold);
            auto &newest = written.newest.try_emplace(key.first, group.newest).first->second;
            newest = std::max(newest, key.second);
            written.folded.push_back(key);
            written.hasRecords = true;
            continue;
        }
        if (head.fresh.empty())
            continue;
        auto times = head.fresh;
        std::sort(times.begin(), times.end());
        times.erase(std::unique(times.begin(), times.end()), times.end());
        which.clear();
        for (const auto time : times) {
            const auto row = std::lower_bound(head.rows.times.begin(), head.rows.times.end(), time);
            which.push_back(static_cast<std::uint32_t>(row - head.rows.times.begin()));
        }
        const auto blob = encodeTail(key.second, head.rows, which);
        const auto id = (static_cast<std::int64_t>(key.first) << 36) + m_nextTail++;
        auto &insert = m_database->statement("INSERT OR REPLACE INTO tail(id, data) VALUES (?, ?)");
        insert.bind(1, id);
        bindBlob(insert, 2, blob);
        insert.exec();
        written.tails.emplace_back(key, id);
    }
    for (const auto &[group, newest] : written.newest) {
        auto &update = m_database->statement("UPDATE grp SET newest=? WHERE id=?");
        update.bind(1, newest);
        update.bind(2, static_cast<std::int64_t>(group));
        update.exec();
    }
}

// Committed: what was marked as changed is not any more.
void HistoryWriter::finish(const Written &written)
{
    auto &heads = m_store.heads.heads();
    for (const auto &[key, id] : written.tails) {
        auto &head = heads[key];
        head.fresh.clear();
        head.tailIds.push_back(id);
    }
    for (const auto &key : written.folded)
        m_store.heads.erase(key);
    for (const auto &[group, newest] : written.newest)
        m_store.table.groups()[group].newest = newest;
    m_storedBegin = m_store.begin;
    for (const auto id : written.fold.stored)
        m_store.table.noteStored(id);
    for (const auto &[group, begin] : written.fold.strips)
        m_store.strips[group.value].insert(begin);
    for (auto &[identity, agent] : m_store.table.agents())
        agent.isDirty = false;
    for (auto &[id, group] : m_store.table.groups())
        group.isDirty = false;
    m_store.table.dirtySeries().clear();
}

// Settles and drops what is old, in a transaction of its own, so that fresh samples never wait for it.
void HistoryWriter::keepHouse()
{
    const auto now = m_store.clock.monotonicNow();
    if (!m_database || m_database->isReadOnly() || now - m_keptHouseAt < kHousekeeping)
        return;
    try {
        Retention retention(m_store, *m_database);
        m_database->exec("BEGIN IMMEDIATE");
        const auto done = retention.step();
        if (done.isNothing()) {
            m_keptHouseAt = now; // else there may be more: again after the next commit
            m_database->rollback();
        } else {
            const std::unique_lock lock(m_store.heads.mutex());
            m_database->exec("COMMIT");
            for (const auto &[group, begin] : done.settled)
                m_store.strips[group.value].erase(begin);
            m_store.rawSince = done.rawSince.value_or(m_store.rawSince);
            m_store.begin = done.begin.value_or(m_store.begin);
            m_storedBegin = m_store.begin;
        }
        retention.vacuum();
    } catch (const SQLite::Exception &e) {
        handle(e);
    }
}

void HistoryWriter::handle(const SQLite::Exception &exception)
{
    m_database->rollback();
    const auto error = toError(exception, m_store.options.file);
    using Health = HistoryState::Health;
    switch (error.code) {
    case Error::Code::Corrupt: return beginNewFile(error.detail);
    case Error::Code::Busy: return; // the next commit tries again
    case Error::Code::Full: m_store.state.setHealth(Health::DiskFull, error.detail); break;
    default:
        m_store.state.setHealth(m_database->isReadOnly() ? Health::ReadOnly : Health::Failed, error.detail);
        break;
    }
    // While the disk takes nothing, memory holds as much again as the inbox may; more is dropped and counted.
    if (!m_intake.hasHeadLimit())
        m_intake.setHeadLimit(m_store.heads.bytes() + m_store.options.inboxBytes);
}

void HistoryWriter::beginNewFile(const std::string &why)
{
    m_database.reset();
    m_store.pool.close();
    const auto aside = setAside(m_store.options.file, m_store.clock.now());
    auto fresh = aside ? openForWriting(m_store.options.file) : tl::make_unexpected(aside.error());
    if (!fresh)
        return m_store.state.setHealth(HistoryState::Health::Failed, why + "; " + fresh.error().detail);
    m_database = std::move(*fresh);
    saveEras(*m_database, m_store.periods.eras());
    m_storedBegin = -1;
    // All that is in memory goes into the new file with the next commit.
    m_store.table.markAllDirty();
    {
        const std::unique_lock lock(m_store.heads.mutex());
        for (auto &[key, head] : m_store.heads.heads()) {
            head.tailIds.clear();
            head.fresh = head.rows.times;
        }
        m_store.strips.clear();
    }
    m_store.pool.setFile(m_store.options.file, Database::Access::Read);
    m_store.state.setHealth(HistoryState::Health::SetAside, aside->string() + " is the damaged one (" + why + ")");
}

} // namespace plimsoll
