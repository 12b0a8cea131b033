// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/store.h"
#include "model/event.h"
#include "model/frame.h"
#include "model/step.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace plimsoll {

struct PendingEvent
{
    AgentId agent;
    Event event;
};

struct PendingStep
{
    AgentId agent;
    StepRecord step;
};

/// What has arrived and is not committed, apart from rows (those are `fresh` in the heads).
struct PendingRecords
{
    std::vector<PendingEvent> events;
    std::vector<PendingStep> steps;
    std::uint64_t samples = 0;
    std::optional<TimeRange> touched;

    void touch(Instant from, Instant to);
};

/// Takes deliveries apart: who, which sequence numbers are new, what goes where.
/// The writer's thread.
class HistoryIntake
{
public:
    explicit HistoryIntake(HistoryStore &store) : m_store(store) {}

    void take(Delivery &&delivery);

    [[nodiscard]] PendingRecords &pending() noexcept { return m_pending; }
    /// More than this much in the heads is dropped and counted; SIZE_MAX while the disk takes it.
    void setHeadLimit(std::size_t bytes) noexcept { m_headLimit = bytes; }
    void liftHeadLimit(); // and leave an event where samples were refused
    [[nodiscard]] bool hasHeadLimit() const noexcept { return m_headLimit != SIZE_MAX; }

private:
    void takeFrame(AgentRow &agent, Frame &&frame);
    void takeBlock(const AgentRow &agent, const SampleBlock &block);
    void noteLoss(const AgentRow &agent, std::uint64_t first, std::uint64_t last, Instant when);
    void addEvent(AgentId agent, Event event);

    HistoryStore &m_store;
    PendingRecords m_pending;
    std::size_t m_headLimit = SIZE_MAX;
    struct Refused
    {
        std::int64_t first = 0; // ns
        std::uint64_t samples = 0;
    };
    std::map<std::uint32_t, Refused> m_refused; // by agent, while memory was full
    std::unordered_map<std::uint32_t, std::unordered_map<std::uint32_t, SeriesId>> m_numbers; // agent → its ids → ours
};

} // namespace plimsoll
