// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/connection_pool.h"
#include "history/head.h"
#include "history/history.h"
#include "history/periods.h"
#include "history/series_table.h"
#include "history/state_board.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <set>

namespace plimsoll {

/// What writer and readers share. Each part says who guards it.
struct HistoryStore
{
    HistoryStore(HistoryOptions given, const Clock &itsClock)
        : options(std::move(given)), clock(itsClock), inbox(options.inboxBytes)
    {
    }

    const HistoryOptions options;
    const Clock &clock;
    Mailbox<Delivery> inbox;
    SeriesTable table;
    HeadMap heads;                      // under heads.mutex()
    std::map<std::uint32_t, std::set<std::int64_t>> strips; // by group, begins of periods not settled; under heads.mutex()
    Periods periods;                    // fixed once opened
    ConnectionPool pool;
    StateBoard state;
    std::atomic<std::int64_t> rawSince = 0;  // ns: before it there are rollups only
    std::atomic<std::int64_t> begin = -1;    // ns of the oldest sample kept; -1 = none
};

} // namespace plimsoll
