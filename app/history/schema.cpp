// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/schema.h"

#include <vector>

namespace plimsoll {

std::span<const Migration> migrations()
{
    static const std::vector<Migration> steps{
        {1, R"sql(
CREATE TABLE meta  (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE agent (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL, next_seq INTEGER NOT NULL);
CREATE TABLE grp   (id INTEGER PRIMARY KEY, agent INTEGER NOT NULL REFERENCES agent, columns INTEGER NOT NULL,
                    name TEXT NOT NULL, newest INTEGER NOT NULL);   -- begin of its newest chunk, s; -1 = none
CREATE TABLE series(id INTEGER PRIMARY KEY, grp INTEGER NOT NULL REFERENCES grp, ord INTEGER NOT NULL, type INTEGER NOT NULL,
                    labels TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL, interval INTEGER NOT NULL,
                    grp_name TEXT NOT NULL, source TEXT NOT NULL, source_unit TEXT NOT NULL, source_factor REAL NOT NULL,
                    first_time INTEGER NOT NULL, last_time INTEGER NOT NULL, last_value REAL, UNIQUE (grp, ord));
CREATE TABLE era   (since INTEGER PRIMARY KEY, seconds INTEGER NOT NULL); -- chunk length from this second on
CREATE TABLE chunk (id INTEGER PRIMARY KEY, data BLOB NOT NULL);  -- id = begin of the period, s << 24 | grp
CREATE TABLE strip (id INTEGER PRIMARY KEY, data BLOB NOT NULL);  -- same id; its 1 min buckets, until settled
CREATE TABLE rollup(id INTEGER PRIMARY KEY, data BLOB NOT NULL);  -- id = level << 56 | grp << 32 | ord << 24 | span
CREATE TABLE tail  (id INTEGER PRIMARY KEY, data BLOB NOT NULL);  -- id = grp << 36 | running number
CREATE TABLE damaged(id INTEGER PRIMARY KEY, chunk INTEGER NOT NULL, data BLOB NOT NULL); -- chunks found unreadable, kept as found
CREATE TABLE event (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, agent INTEGER NOT NULL, kind INTEGER NOT NULL,
                    labels TEXT NOT NULL, text TEXT NOT NULL, value REAL);
CREATE INDEX event_time ON event(time);
CREATE TABLE step  (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, agent INTEGER NOT NULL, job TEXT NOT NULL,
                    labels TEXT NOT NULL, number INTEGER NOT NULL, peak INTEGER, allocated INTEGER, reserved INTEGER,
                    batch_size INTEGER, input_size INTEGER, duration INTEGER, checkpointing INTEGER);
CREATE INDEX step_job_time ON step(job, time);
)sql"},
    };
    return steps;
}

void prepareConnection(Database &database, bool isNew)
{
    if (isNew) {
        database.exec("PRAGMA page_size=8192");
        database.exec("PRAGMA auto_vacuum=INCREMENTAL");
    }
    // Page faults read around: mapped, a cold month took 517 ms instead of 18.
    database.exec("PRAGMA mmap_size=0");
    database.exec("PRAGMA foreign_keys=ON");
    database.exec("PRAGMA secure_delete=OFF"); // some builds overwrite what is deleted: twice the writes
    database.exec("PRAGMA trusted_schema=OFF"); // a recording may come from anybody
    if (database.isReadOnly())
        return;
    database.exec("PRAGMA journal_mode=WAL");
    database.exec("PRAGMA synchronous=NORMAL");
    database.exec("PRAGMA journal_size_limit=67108864");
}

Result<void> migrate(Database &database, std::span<const Migration> steps)
{
    const auto version = database.integer("PRAGMA user_version");
    const auto application = database.integer("PRAGMA application_id");
    const bool isEmpty = database.integer("SELECT count(*) FROM sqlite_schema") == 0;
    if (application != kApplicationId && !isEmpty)
        return failure(Error::Code::Unsupported, "the file is another program's database");
    const int newest = steps.empty() ? 0 : steps.back().to;
    if (version > newest) {
        return failure(Error::Code::Unsupported, "the file has version " + std::to_string(version)
                           + ", this program knows up to " + std::to_string(newest));
    }
    for (const auto &step : steps) {
        if (step.to <= version)
            continue;
        SQLite::Transaction transaction(database.raw(), SQLite::TransactionBehavior::IMMEDIATE);
        if (!step.sql.empty())
            database.exec(step.sql);
        database.exec("PRAGMA application_id=" + std::to_string(kApplicationId));
        database.exec("PRAGMA user_version=" + std::to_string(step.to));
        transaction.commit();
    }
    return {};
}

} // namespace plimsoll
