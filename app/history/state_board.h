// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/history.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace plimsoll {

/// HistoryState as it grows; any thread.
class StateBoard
{
public:
    void setHealth(HistoryState::Health health, std::string detail);
    void drop(std::uint64_t samples, const std::string &why);
    void addDuplicates(std::uint64_t samples);
    void committed(std::uint64_t samples, Bytes size, MonotonicInstant now);
    void tick(MonotonicInstant now); // the rate falls when nothing comes
    void setSeries(std::uint64_t series);
    void setSize(Bytes size);
    [[nodiscard]] HistoryState state() const;

private:
    void updateRate(MonotonicInstant now);

    mutable std::mutex m_mutex;
    HistoryState m_state;
    std::string m_detail; // of the health
    std::map<std::string, std::uint64_t> m_drops;
    std::uint64_t m_sinceRate = 0;
    MonotonicInstant m_rateAt{};
};

} // namespace plimsoll
