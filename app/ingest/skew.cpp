// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/skew.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::size_t kWindow = 16;
// What two honest clocks may drift apart within the window, and the grain of their readings.
constexpr Duration kTolerance = std::chrono::milliseconds(20);

} // namespace

void SkewEstimate::addAnswer(Instant agentWall, Instant receivedAt, Duration roundTrip)
{
    const Duration trip = std::max(roundTrip, Duration::zero());
    const Sample sample{agentWall - (receivedAt - trip / 2), trip};
    // Bounds that do not meet cannot both be true: one of the clocks was set.
    if (m_skew && m_roundTrip) {
        const Duration apart = sample.skew > *m_skew ? sample.skew - *m_skew : *m_skew - sample.skew;
        if (apart > trip / 2 + *m_roundTrip / 2 + kTolerance)
            m_samples.clear();
    }
    if (m_samples.size() == kWindow)
        m_samples.erase(m_samples.begin());
    m_samples.push_back(sample);
    estimate();
}

void SkewEstimate::addMessage(Instant agentWall, Instant receivedAt)
{
    const Duration atLeast = agentWall - receivedAt;
    if (!m_skew || !m_roundTrip || atLeast <= *m_skew + *m_roundTrip / 2 + kTolerance)
        return;
    // It came before it was sent, as far as we believed: the agent's clock was set forward.
    m_samples.assign(1, {atLeast, *m_roundTrip});
    estimate();
}

void SkewEstimate::estimate()
{
    auto quickest = m_samples;
    std::stable_sort(quickest.begin(), quickest.end(),
                     [](const Sample &a, const Sample &b) { return a.roundTrip < b.roundTrip; });
    m_roundTrip = quickest.front().roundTrip;
    quickest.resize((quickest.size() + 3) / 4);
    const auto middle = quickest.begin() + static_cast<std::ptrdiff_t>((quickest.size() - 1) / 2);
    std::nth_element(quickest.begin(), middle, quickest.end(),
                     [](const Sample &a, const Sample &b) { return a.skew < b.skew; });
    m_skew = middle->skew;
}

} // namespace plimsoll
