// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/database.h"
#include "history/fold.h"
#include "history/intake.h"
#include "history/store.h"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace plimsoll {

/// The one thread that writes: drains the inbox, keeps the heads, commits once an interval.
/// When the disk does not take it, everything stays where it is and the next commit tries again.
class HistoryWriter
{
public:
    HistoryWriter(HistoryStore &store, std::unique_ptr<Database> database, History::Committed committed);
    HistoryWriter(const HistoryWriter &) = delete;
    HistoryWriter &operator=(const HistoryWriter &) = delete;
    ~HistoryWriter(); // takes and commits what has arrived

    void flush();

private:
    struct Written // by the transaction in progress; true once it is committed
    {
        std::vector<std::pair<HeadMap::Key, std::int64_t>> tails;
        std::vector<HeadMap::Key> folded;
        std::map<std::uint32_t, std::int64_t> newest; // by group
        HeadFold::Done fold;
        bool hasRecords = false;
    };

    void run(const std::stop_token &stop);
    void takeAll(std::vector<Delivery> deliveries);
    [[nodiscard]] bool isDirty();
    bool commit(); // false: the disk did not take it
    [[nodiscard]] bool hasWritable();
    void write(Written &written);
    void writeHeads(Written &written);
    void finish(const Written &written);
    void keepHouse();
    void handle(const SQLite::Exception &exception);
    void beginNewFile(const std::string &why);

    HistoryStore &m_store;
    std::unique_ptr<Database> m_database;
    History::Committed m_committed;
    HistoryIntake m_intake;
    std::int64_t m_nextTail = 1;
    std::int64_t m_storedBegin = -1;
    MonotonicInstant m_keptHouseAt{};
    MonotonicInstant m_openTriedAt{};

    std::mutex m_flushMutex;
    std::condition_variable m_flushed;
    std::uint64_t m_flushWanted = 0;
    std::uint64_t m_flushDone = 0;
    std::jthread m_thread; // last: it uses all of the above
};

} // namespace plimsoll
