// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/journal.h"

#include "wire/limits.h"
#include "wire/to_proto.h"

#include <plimsoll/v1/agent.pb.h>

#include <algorithm>
#include <string_view>

namespace plimsoll {
namespace {

// FNV-1a over the serialised definition with its id as 0. Two of a million differ
// in it with all but 3 in 10⁸.
std::uint64_t hashOf(std::string_view definition) noexcept
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char byte : definition)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    return hash;
}

constexpr std::size_t kDefinitionBytes = 256 << 10; // of one message: a client's limit may be low

} // namespace

struct Journal::Buffers
{
    v1::WatchMessage message;
    v1::WatchMessage definitions;
    std::string payload;
    std::size_t definitionBytes = 0;
    Frame frame;
};

Journal::Journal(Spool spool) : m_spool(std::move(spool)), m_slots(1), m_buffers(std::make_unique<Buffers>())
{
    m_nextId = m_spool.nextSeriesId();
    learnIds();
}

Journal::~Journal() = default;

void Journal::learnIds()
{
    m_spool.forEachRecentDefinitions([this](std::string_view payload) {
        v1::WatchMessage message;
        if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
            return;
        for (auto &series : *message.mutable_definitions()->mutable_series()) {
            const auto id = series.id();
            m_nextId = std::max(m_nextId, id + 1);
            series.set_id(0);
            m_knownIds[hashOf(series.SerializeAsString())] = id;
        }
    });
}

SeriesSlot Journal::define(const SeriesInfo &info)
{
    v1::WatchMessage message;
    const SeriesDefinition definition{0, info};
    wire::toProto(0, std::span(&definition, 1), message);
    auto &series = *message.mutable_definitions()->mutable_series(0);
    std::string bytes = series.SerializeAsString();

    const std::lock_guard lock(m_mutex);
    std::uint32_t id = 0;
    if (const auto known = m_knownIds.find(hashOf(bytes)); known != m_knownIds.end()) {
        id = known->second;
        m_knownIds.erase(known); // a second series of one definition gets a number of its own
    } else {
        id = m_nextId++;
    }
    series.set_id(id);
    SeriesSlot slot;
    if (m_free.empty()) {
        slot.index = static_cast<std::uint32_t>(m_slots.size());
        m_slots.emplace_back();
    } else {
        slot.index = m_free.back();
        m_free.pop_back();
    }
    m_slots[slot.index] = {series.SerializeAsString(), id, 0};
    ++m_series;
    return slot;
}

void Journal::retire(SeriesSlot slot)
{
    const std::lock_guard lock(m_mutex);
    if (!slot || slot.index >= m_slots.size() || m_slots[slot.index].id == 0)
        return;
    m_slots[slot.index] = {};
    m_free.push_back(slot.index);
    --m_series;
}

void Journal::publish(Instant time, const Readings &readings)
{
    {
        const std::lock_guard lock(m_mutex);
        for (const auto &event : readings.events)
            write({0, event}, {});
        Frame &frame = m_buffers->frame;
        // A block has a limit, and a message one of bytes: a row that is wider becomes several frames of one time.
        constexpr std::size_t kWidest = std::min<std::size_t>(wire::kMaxBatchSamples, 50'000);
        for (std::size_t at = 0; at < readings.series.size(); at += kWidest) {
            const auto count = std::min(kWidest, readings.series.size() - at);
            if (!std::holds_alternative<SampleBlock>(frame.body))
                frame.body = SampleBlock{};
            auto &block = std::get<SampleBlock>(frame.body);
            block.times.assign(1, time);
            block.columns.clear();
            const auto series = std::span(readings.series).subspan(at, count);
            for (const auto slot : series)
                block.columns.push_back(m_slots[slot.index].id);
            const auto values = std::span(readings.values).subspan(at, count);
            block.values.assign(values.begin(), values.end());
            write(frame, series);
        }
    }
    if (m_wake)
        m_wake();
}

void Journal::publish(const Event &event)
{
    {
        const std::lock_guard lock(m_mutex);
        write({0, event}, {});
    }
    if (m_wake)
        m_wake();
}

void Journal::write(const Frame &frame, std::span<const SeriesSlot> series)
{
    auto &buffers = *m_buffers;
    wire::toProto(m_spool.epoch(), frame, buffers.message);
    buffers.message.mutable_frame()->set_sequence(m_spool.nextSequence());
    // Trouble with the disk moves the spool on to another segment, which must be
    // told the definitions anew. In memory it cannot fail: this ends.
    for (;;) {
        const auto segment = m_spool.prepare(m_nextId);
        if (!writeDefinitions(segment, series))
            continue;
        buffers.message.SerializeToString(&buffers.payload);
        if (m_spool.append(RecordKind::Frame, buffers.payload))
            return;
    }
}

bool Journal::writeDefinitions(std::uint64_t segment, std::span<const SeriesSlot> series)
{
    auto &message = m_buffers->definitions;
    message.Clear();
    m_buffers->definitionBytes = 0;
    for (const auto slot : series) {
        auto &held = m_slots[slot.index];
        if (held.segment == segment)
            continue;
        held.segment = segment;
        message.mutable_definitions()->add_series()->ParseFromString(held.definition);
        m_buffers->definitionBytes += held.definition.size();
        if (m_buffers->definitionBytes >= kDefinitionBytes && !flushDefinitions())
            return false;
    }
    return flushDefinitions();
}

bool Journal::flushDefinitions()
{
    auto &message = m_buffers->definitions;
    if (message.definitions().series_size() == 0)
        return true;
    message.set_epoch(m_spool.epoch());
    message.SerializeToString(&m_buffers->payload);
    message.Clear();
    m_buffers->definitionBytes = 0;
    return m_spool.append(RecordKind::Definitions, m_buffers->payload);
}

SpoolItem Journal::read(SpoolCursor &cursor, std::string &payload) const
{
    const std::lock_guard lock(m_mutex);
    return m_spool.read(cursor, payload);
}

Journal::Bounds Journal::bounds() const
{
    const std::lock_guard lock(m_mutex);
    return {m_spool.epoch(), m_spool.oldestSequence(), m_spool.newestSequence()};
}

std::string Journal::agentId() const
{
    const std::lock_guard lock(m_mutex);
    return m_spool.agentId();
}

SourceState Journal::spoolState() const
{
    const std::lock_guard lock(m_mutex);
    return {"spool", m_spool.problem().empty(), m_spool.problem(), m_series, 0};
}

void Journal::close()
{
    const std::lock_guard lock(m_mutex);
    m_spool.close();
}

} // namespace plimsoll
