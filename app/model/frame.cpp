// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/frame.h"

namespace plimsoll {
namespace {

std::size_t weightOf(const Labels &labels) noexcept
{
    std::size_t bytes = 0;
    for (const auto &[name, value] : labels)
        bytes += sizeof(Labels::Pair) + name.size() + value.size();
    return bytes;
}

std::size_t weightOf(const Event &event) noexcept
{
    return sizeof(Event) + weightOf(event.labels) + event.text.size();
}

} // namespace

std::size_t Delivery::weight() const noexcept
{
    std::size_t bytes = sizeof(Delivery) + agent.size() + lost.size() * sizeof(LostFrames);
    for (const auto &definition : definitions)
        bytes += sizeof(SeriesDefinition) + weightOf(definition.info.key.labels) + definition.info.key.metric.size();
    for (const auto &frame : frames) {
        bytes += sizeof(Frame);
        if (const auto *block = std::get_if<SampleBlock>(&frame.body))
            bytes += block->values.size() * sizeof(double) + block->columns.size() * sizeof(std::uint32_t)
                + block->times.size() * sizeof(Instant);
        else if (const auto *event = std::get_if<Event>(&frame.body))
            bytes += weightOf(*event);
    }
    for (const auto &note : notes)
        bytes += weightOf(note);
    return bytes;
}

} // namespace plimsoll
