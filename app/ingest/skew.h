// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace plimsoll {

/// The agent's clock minus ours, out of question and answer. Each answer bounds
/// the truth to half its round trip on either side, so the quickest answers know
/// best: the estimate is the median of the quickest quarter of the last sixteen.
class SkewEstimate
{
public:
    /// One Hello: the agent's clock when it answered, ours when the answer came, and how long it took.
    void addAnswer(Instant agentWall, Instant receivedAt, Duration roundTrip);

    /// A message without a question says one thing only: it was not received before it was sent.
    void addMessage(Instant agentWall, Instant receivedAt);

    [[nodiscard]] std::optional<Duration> skew() const noexcept { return m_skew; }
    [[nodiscard]] std::optional<Duration> roundTrip() const noexcept { return m_roundTrip; } // of the best answer

private:
    struct Sample
    {
        Duration skew;
        Duration roundTrip;
    };
    void estimate();

    std::vector<Sample> m_samples; // oldest first
    std::optional<Duration> m_skew;
    std::optional<Duration> m_roundTrip;
};

} // namespace plimsoll
