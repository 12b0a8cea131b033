// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/event_rows.h"

#include <algorithm>
#include <new>
#include <string>

namespace plimsoll {
namespace {

constexpr std::size_t kLeastEventBytes = 16; // of a file; smaller ones make the columns grow
constexpr std::size_t kMostActions = 240;    // names; TraceAction is a byte

EventColumns columnsFor(std::size_t capacity)
{
    while (true) {
        try {
            return EventColumns(capacity);
        } catch (const std::bad_alloc &) {
            if (capacity <= 1024)
                throw;
            capacity /= 2;
        }
    }
}

void copyRows(const EventColumns &from, EventColumns &to)
{
    for (std::size_t row = 0; row < from.size(); ++row)
        to.append(from[row]);
}

} // namespace

EventRows::EventRows(MemorySnapshot &snapshot, std::optional<std::uint64_t> fileBytes, std::size_t most)
    : m_snapshot(snapshot), m_most(most)
{
    std::uint64_t capacity = most;
    if (fileBytes)
        capacity = std::min<std::uint64_t>(most, *fileBytes / kLeastEventBytes + 16);
    m_snapshot.events = columnsFor(static_cast<std::size_t>(capacity));
    m_streams.emplace(0, 0);
}

bool EventRows::append(EventDraft &draft)
{
    if (m_snapshot.events.isFull() && !makeRoom())
        return false;
    m_keys |= draft.keys;
    TraceEvent event;
    event.action = actionOf(draft.action);
    event.address = event.action == TraceAction::Oom ? draft.deviceFree : draft.address;
    event.size = draft.size;
    event.timeUs = draft.timeUs;
    event.stack = draft.stack;
    event.stream = draft.stream == m_lastHandle ? m_lastStream : streamOf(draft.stream);
    if (draft.hasPool || !draft.attributes.empty())
        event.context = contextOf(draft);
    m_hasAnnotate = m_hasAnnotate || event.action == TraceAction::Annotate;
    m_snapshot.events.append(event);
    return true;
}

StreamId EventRows::streamOf(std::uint64_t handle)
{
    if (handle == m_lastHandle)
        return m_lastStream;
    const auto [found, isNew] = m_streams.emplace(handle, static_cast<StreamId>(m_snapshot.streams.size()));
    if (isNew)
        m_snapshot.streams.push_back(handle);
    m_lastHandle = handle;
    m_lastStream = found->second;
    return m_lastStream;
}

TraceAction EventRows::actionOf(TextId name)
{
    if (name >= kFirstAction && name < kEndActions)
        return static_cast<TraceAction>(name - kFirstAction);
    if (const auto found = m_actions.find(name); found != m_actions.end())
        return found->second;
    auto &names = m_snapshot.actionNames;
    if (names.size() < kMostActions)
        names.emplace_back(m_snapshot.texts[name].substr(0, 256));
    else if (names.size() == kMostActions)
        names.emplace_back("(other names)");
    const auto action = static_cast<TraceAction>(names.size() - 1);
    m_actions.emplace(name, action);
    return action;
}

ContextId EventRows::contextOf(EventDraft &draft)
{
    if (draft.attributes.size() > 1)
        std::sort(draft.attributes.begin(), draft.attributes.end());
    if (m_lastContextId != 0 && m_lastContext.pool.has_value() == draft.hasPool
        && (!draft.hasPool || *m_lastContext.pool == draft.pool) && m_lastContext.attributes == draft.attributes)
        return m_lastContextId;
    m_lastContext.pool.reset();
    if (draft.hasPool)
        m_lastContext.pool = draft.pool;
    m_lastContext.attributes = draft.attributes;
    const auto [found, isNew] = m_contexts.emplace(m_lastContext, static_cast<ContextId>(m_snapshot.contexts.size()));
    if (isNew)
        m_snapshot.contexts.push_back(m_lastContext);
    m_lastContextId = found->second;
    return m_lastContextId;
}

bool EventRows::makeRoom()
{
    const auto capacity = std::min(m_most, m_snapshot.events.capacity() * 2);
    if (m_snapshot.events.size() >= capacity)
        return false;
    EventColumns wider(capacity);
    copyRows(m_snapshot.events, wider);
    m_snapshot.events = std::move(wider);
    return true;
}

std::uint64_t EventRows::bytes() const noexcept
{
    std::uint64_t each = 29;
    if (m_snapshot.streams.size() > 1)
        each += 4;
    if (m_snapshot.contexts.size() > 1)
        each += 4;
    return size() * each + m_snapshot.contexts.size() * 128 + m_snapshot.streams.size() * 48;
}

} // namespace plimsoll
