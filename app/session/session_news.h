// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/history.h"
#include "ingest/connection_state.h"
#include "model/fleet.h"
#include "session/session.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

/// Something did not work and the rest goes on. The session makes the sentence.
struct SessionFailure
{
    enum class Kind : std::uint8_t {
        HistoryLocked,   // another program has it; a temporary one is used
        HistoryUnusable, // cannot be opened or made; a temporary one is used
        HistoryNewer,    // written by a newer version; a temporary one is used
        HistorySetAside, // damaged; a new one was begun
        HistoryNone,     // not even a temporary one
        HistoryReadOnly,
        DiskFull,
        HistoryFailed,
        AgentAddressInUse,
        AgentFailed,
        TravelFailed,
    };
    Kind kind = Kind::HistoryFailed;
    std::string detail;

    friend bool operator==(const SessionFailure &, const SessionFailure &) = default;
};

/// What the engine hands over in one piece; what is empty has not changed.
struct SessionNews
{
    std::shared_ptr<History> history; // once, when it is open
    std::shared_ptr<const Fleet> fleet;
    std::shared_ptr<const std::vector<SeriesEntry>> series;
    bool isSeriesSetNew = false;
    std::shared_ptr<const std::vector<ConnectionState>> connections;
    std::optional<SessionStatus> status;
    std::shared_ptr<const std::vector<Event>> events; // all recent ones
    std::optional<TimeRange> extent;
    std::optional<TimeRange> committed;
    std::vector<SessionFailure> failures;

    /// Takes over what is newer.
    void add(SessionNews later);
    [[nodiscard]] bool isEmpty() const;
};

} // namespace plimsoll
