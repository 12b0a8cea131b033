// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"
#include "formats/torch_keys.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plimsoll {

/// One event while its dictionary is read.
struct EventDraft
{
    std::uint64_t keys = 0; // bits of TorchKey that were seen
    TextId action = 0;
    std::uint64_t address = kUnknownBytes;
    std::uint64_t deviceFree = kUnknownBytes;
    std::uint64_t size = kUnknownBytes;
    std::uint64_t stream = 0; // the handle
    std::int64_t timeUs = kUnknownTime;
    StackId stack = kNoStack;
    std::pair<std::int64_t, std::int64_t> pool{};
    bool hasPool = false;
    std::vector<std::pair<TextId, TextId>> attributes;

    void clear() noexcept
    {
        keys = 0;
        action = 0;
        address = deviceFree = size = kUnknownBytes;
        stream = 0;
        timeUs = kUnknownTime;
        stack = kNoStack;
        hasPool = false;
        attributes.clear();
    }
};

/// Writes events into the columns of a snapshot and interns what they say beside them.
class EventRows
{
public:
    /// `most`: more rows than that are refused.
    EventRows(MemorySnapshot &snapshot, std::optional<std::uint64_t> fileBytes, std::size_t most);

    [[nodiscard]] std::size_t size() const noexcept { return m_snapshot.events.size(); }
    /// False when there is no room for another one.
    [[nodiscard]] bool append(EventDraft &draft);

    [[nodiscard]] StreamId streamOf(std::uint64_t handle);
    [[nodiscard]] TraceAction actionOf(TextId name);
    [[nodiscard]] std::uint64_t keysSeen() const noexcept { return m_keys; }
    [[nodiscard]] bool hasAnnotate() const noexcept { return m_hasAnnotate; }
    [[nodiscard]] std::uint64_t bytes() const noexcept;

private:
    [[nodiscard]] ContextId contextOf(EventDraft &draft);
    [[nodiscard]] bool makeRoom();

    MemorySnapshot &m_snapshot;
    std::size_t m_most;
    std::uint64_t m_keys = 0;
    bool m_hasAnnotate = false;
    std::uint64_t m_lastHandle = 0;
    StreamId m_lastStream = 0;
    std::unordered_map<std::uint64_t, StreamId> m_streams;
    std::unordered_map<TextId, TraceAction> m_actions; // by names that we do not know
    EventContext m_lastContext;
    ContextId m_lastContextId = 0;
    std::map<EventContext, ContextId> m_contexts;
};

} // namespace plimsoll
