// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "model/frame.h"
#include "wire/limits.h"
#include "wire/to_model.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace plimsoll {

/// What comes out of one stream, put in order: duplicates are dropped, jumps
/// recorded as losses, ids checked against the definitions, all gathered into
/// Deliveries. Pure; one caller at a time.
class Intake
{
public:
    struct Counts
    {
        std::uint64_t frames = 0;
        std::uint64_t samples = 0;
        std::uint64_t lost = 0;
        std::uint64_t duplicates = 0;
    };

    /// `resume` is what the agent was asked to go on with. Epoch 0: what was before the first frame is no loss.
    Intake(std::string agent, ResumePoint resume, std::size_t maxSeries = wire::kMaxSeries);

    /// Takes definitions, frames and losses; heartbeats are the caller's. An error is a whole sentence.
    [[nodiscard]] Result<void> add(wire::Watched message);

    [[nodiscard]] bool isEmpty() const noexcept { return m_ready.empty(); }
    /// The oldest Delivery; one for each epoch, each about kFullDelivery at most.
    [[nodiscard]] Delivery &front() noexcept { return m_ready.front().delivery; }
    [[nodiscard]] std::size_t frontWeight() const noexcept { return m_ready.front().weight; }
    void popFront();
    [[nodiscard]] std::size_t pendingWeight() const noexcept { return m_weight; }

    [[nodiscard]] const Counts &counts() const noexcept { return m_counts; }
    [[nodiscard]] std::optional<Instant> newest() const noexcept { return m_newest; } // sample, by the agent's clock
    [[nodiscard]] ResumePoint next() const noexcept { return m_next; }

private:
    struct Ready
    {
        Delivery delivery;
        std::size_t weight = 0;
    };
    Result<void> addDefinitions(std::vector<SeriesDefinition> definitions);
    Result<void> addFrame(Frame frame);
    void addLost(LostFrames lost);
    [[nodiscard]] std::optional<std::uint32_t> undefinedColumn(const std::vector<std::uint32_t> &columns) const;
    [[nodiscard]] bool isDefined(std::uint32_t id) const;
    void beginEpoch(std::uint64_t epoch);
    Delivery &open();
    void note(std::size_t weight);

    const std::string m_agent;
    const std::size_t m_maxSeries;
    ResumePoint m_next;     // epoch 0 until the first message
    bool m_hasBase = false; // false: the first frame says where counting begins
    std::vector<bool> m_defined;                    // of small ids, by id
    std::unordered_set<std::uint32_t> m_definedFar; // of the others
    std::size_t m_definitions = 0;
    std::deque<Ready> m_ready;
    std::size_t m_weight = 0; // of all
    Counts m_counts;
    std::optional<Instant> m_newest;
};

inline constexpr std::size_t kFullDelivery = 1U << 20U; // bytes; where a Delivery is closed and the next begun

} // namespace plimsoll
