// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/intake.h"

#include <algorithm>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::size_t kNearIds = std::size_t{1} << 22U; // half a MiB of bits at most

std::size_t weightOf(const Frame &frame)
{
    std::size_t bytes = sizeof(Frame);
    if (const auto *block = std::get_if<SampleBlock>(&frame.body))
        bytes += block->values.size() * sizeof(double) + block->columns.size() * sizeof(std::uint32_t)
            + block->times.size() * sizeof(Instant);
    else if (const auto *event = std::get_if<Event>(&frame.body))
        bytes += event->text.size() + event->labels.size() * 64;
    return bytes;
}

} // namespace

Intake::Intake(std::string agent, ResumePoint resume, std::size_t maxSeries)
    : m_agent(std::move(agent))
    , m_maxSeries(maxSeries)
    , m_next(resume)
    , m_hasBase(resume.epoch != 0)
{
}

Result<void> Intake::add(wire::Watched message)
{
    if (message.epoch != m_next.epoch)
        beginEpoch(message.epoch);
    if (auto *definitions = std::get_if<std::vector<SeriesDefinition>>(&message.body))
        return addDefinitions(std::move(*definitions));
    if (auto *frame = std::get_if<Frame>(&message.body))
        return addFrame(std::move(*frame));
    if (const auto *lost = std::get_if<LostFrames>(&message.body))
        addLost(*lost);
    return {};
}

void Intake::popFront()
{
    m_weight -= m_ready.front().weight;
    m_ready.pop_front();
}

// Ids and numbers hold for one epoch. Of an agent we knew, numbers of the new
// epoch that the stream does not begin with are lost; of a new agent they are its past.
void Intake::beginEpoch(std::uint64_t epoch)
{
    const bool isFirstContact = m_next.epoch == 0;
    m_next = {epoch, 1};
    m_hasBase = !isFirstContact;
    m_defined.clear();
    m_definedFar.clear();
    m_definitions = 0;
}

Result<void> Intake::addDefinitions(std::vector<SeriesDefinition> definitions)
{
    for (auto &definition : definitions) {
        const std::uint32_t id = definition.id;
        if (!isDefined(id) && ++m_definitions > m_maxSeries)
            return failure(Error::Code::TooLarge,
                           "it defines more than " + std::to_string(m_maxSeries) + " series");
        if (id >= kNearIds) {
            m_definedFar.insert(id);
        } else {
            if (m_defined.size() <= id)
                m_defined.resize(std::min(kNearIds, std::max<std::size_t>(id + 1U, m_defined.size() * 2)));
            m_defined[id] = true;
        }
        std::size_t weight = sizeof(SeriesDefinition) + definition.info.key.metric.size();
        for (const auto &[name, value] : definition.info.key.labels)
            weight += sizeof(Labels::Pair) + name.size() + value.size();
        open().definitions.push_back(std::move(definition));
        note(weight);
    }
    return {};
}

Result<void> Intake::addFrame(Frame frame)
{
    if (!m_hasBase) {
        m_next.nextSequence = frame.sequence;
        m_hasBase = true;
    }
    if (frame.sequence < m_next.nextSequence) {
        ++m_counts.duplicates;
        return {};
    }
    const auto *block = std::get_if<SampleBlock>(&frame.body);
    if (block) {
        if (const auto unknown = undefinedColumn(block->columns))
            return failure(Error::Code::BadInput,
                           "frame " + std::to_string(frame.sequence) + " has values of series "
                               + std::to_string(*unknown) + ", which it never defined");
    }
    if (frame.sequence > m_next.nextSequence)
        addLost({m_next.nextSequence, frame.sequence - 1});
    m_next.nextSequence = frame.sequence + 1;
    ++m_counts.frames;
    if (block) {
        m_counts.samples += block->samples();
        if (!block->times.empty())
            m_newest = std::max(m_newest.value_or(block->times.back()), block->times.back());
    }
    const std::size_t weight = weightOf(frame);
    open().frames.push_back(std::move(frame));
    note(weight);
    return {};
}

void Intake::addLost(LostFrames lost)
{
    if (!m_hasBase) {
        m_next.nextSequence = lost.last + 1;
        m_hasBase = true;
        return;
    }
    if (lost.last < m_next.nextSequence)
        return;
    // One that begins later than we expect is no smaller: what lies between did not come either.
    lost.first = m_next.nextSequence;
    m_next.nextSequence = lost.last + 1;
    m_counts.lost += lost.last - lost.first + 1;
    open().lost.push_back(lost);
    note(sizeof(LostFrames));
}

std::optional<std::uint32_t> Intake::undefinedColumn(const std::vector<std::uint32_t> &columns) const
{
    const auto at = std::find_if(columns.begin(), columns.end(), [this](std::uint32_t id) { return !isDefined(id); });
    return at == columns.end() ? std::nullopt : std::optional(*at);
}

bool Intake::isDefined(std::uint32_t id) const
{
    return id < kNearIds ? id < m_defined.size() && m_defined[id] : m_definedFar.contains(id);
}

Delivery &Intake::open()
{
    // A Delivery belongs to one epoch.
    if (m_ready.empty() || m_ready.back().weight >= kFullDelivery || m_ready.back().delivery.epoch != m_next.epoch) {
        Delivery &fresh = m_ready.emplace_back().delivery;
        fresh.agent = m_agent;
        fresh.epoch = m_next.epoch;
        note(sizeof(Delivery));
    }
    return m_ready.back().delivery;
}

void Intake::note(std::size_t weight)
{
    m_weight += weight;
    m_ready.back().weight += weight;
}

} // namespace plimsoll
