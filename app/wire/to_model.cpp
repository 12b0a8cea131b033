// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/to_model.h"

#include "base/text.h"
#include "wire/limits.h"

#include <plimsoll/v1/agent.pb.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::wire {
namespace {

// Thrown and caught in this file only: a check deep in a message ends all of it.
struct Refused
{
    Error error;
};

[[noreturn]] void refuse(Error::Code code, std::string_view field, std::string_view why)
{
    std::string detail(field);
    detail += ": ";
    detail += why;
    throw Refused{{code, std::move(detail)}};
}

void checkCount(std::string_view field, std::size_t count, std::size_t limit)
{
    if (count > limit)
        refuse(Error::Code::TooLarge, field, std::to_string(count) + " of them, the limit is " + std::to_string(limit));
}

const std::string &text(std::string_view field, const std::string &value, std::size_t maxBytes)
{
    if (value.size() > maxBytes)
        refuse(Error::Code::TooLarge, field,
               std::to_string(value.size()) + " bytes, the limit is " + std::to_string(maxBytes));
    if (!isValidUtf8(value))
        refuse(Error::Code::BadInput, field, "not UTF-8");
    return value;
}

const std::string &name(std::string_view field, const std::string &value)
{
    if (value.empty())
        refuse(Error::Code::BadInput, field, "empty");
    return text(field, value, kMaxNameBytes);
}

std::int64_t nanos(std::string_view field, std::int64_t value)
{
    if (value < 0 || value > kLatestUnixNano)
        refuse(Error::Code::BadInput, field, std::to_string(value) + " ns is no time between 1970 and 2200");
    return value;
}

Instant instant(std::string_view field, std::int64_t value) { return fromUnixNanos(nanos(field, value)); }

MonotonicInstant monotonic(std::string_view field, std::int64_t value)
{
    return MonotonicInstant{Duration{nanos(field, value)}};
}

std::uint64_t number(std::string_view field, std::uint64_t value, std::uint64_t least = 0)
{
    if (value < least || value > kMaxNumber)
        refuse(Error::Code::BadInput, field, std::to_string(value) + " is out of range");
    return value;
}

std::uint64_t epochOf(std::uint64_t epoch)
{
    if (epoch == 0)
        refuse(Error::Code::BadInput, "epoch", "0 names no epoch");
    return epoch;
}

template <class Repeated>
Labels labels(std::string_view field, const Repeated &sent)
{
    checkCount(field, static_cast<std::size_t>(sent.size()), kMaxLabels);
    std::vector<Labels::Pair> pairs;
    pairs.reserve(static_cast<std::size_t>(sent.size()));
    for (const v1::Label &label : sent)
        pairs.emplace_back(name("label.name", label.name()), text("label.value", label.value(), kMaxLabelValueBytes));
    return Labels(std::move(pairs));
}

template <class Repeated>
std::vector<SourceState> sources(const Repeated &sent)
{
    checkCount("sources", static_cast<std::size_t>(sent.size()), kMaxSources);
    std::vector<SourceState> states;
    states.reserve(static_cast<std::size_t>(sent.size()));
    for (const v1::SourceState &source : sent)
        states.push_back({text("source.name", source.name(), kMaxLabelValueBytes), source.healthy(),
                          text("source.problem", source.problem(), kMaxTextBytes),
                          number("source.series", source.series()), number("source.skipped", source.skipped())});
    return states;
}

MetricKind metricKind(int kind)
{
    switch (kind) {
    case v1::METRIC_KIND_GAUGE: return MetricKind::Gauge;
    case v1::METRIC_KIND_COUNTER: return MetricKind::Counter;
    case v1::METRIC_KIND_HISTOGRAM: return MetricKind::Histogram;
    case v1::METRIC_KIND_STATE: return MetricKind::State;
    default: return MetricKind::Unknown;
    }
}

// The desktop's own kinds (away, back) are not an agent's to claim, and newer ones are unknown here.
EventKind eventKind(int kind)
{
    return kind > v1::EVENT_KIND_UNSPECIFIED && kind <= v1::EVENT_KIND_CLOCK_JUMP ? static_cast<EventKind>(kind)
                                                                                   : EventKind::Unknown;
}

SeriesDefinition definition(const v1::SeriesDefinition &sent)
{
    SeriesDefinition made;
    made.id = sent.id();
    if (made.id == 0)
        refuse(Error::Code::BadInput, "series.id", "ids begin at 1");
    SeriesInfo &info = made.info;
    info.key.metric = name("series.metric", sent.metric());
    info.key.labels = labels("series.labels", sent.labels());
    info.unit = text("series.unit", sent.unit(), kMaxNameBytes);
    info.kind = metricKind(sent.kind());
    info.group = text("series.group", sent.group(), kMaxNameBytes);
    if (sent.interval_millis() != 0)
        info.interval = std::chrono::milliseconds(sent.interval_millis());
    info.source.name = text("series.source_name", sent.source_name(), kMaxNameBytes);
    info.source.unit = text("series.source_unit", sent.source_unit(), kMaxNameBytes);
    if (!std::isfinite(sent.source_factor()))
        refuse(Error::Code::BadInput, "series.source_factor", "not finite");
    if (sent.source_factor() != 0) // absent
        info.source.factor = sent.source_factor();
    return made;
}

std::vector<SeriesDefinition> definitions(const v1::SeriesDefinitions &sent)
{
    checkCount("definitions", static_cast<std::size_t>(sent.series_size()), kMaxSeries);
    std::vector<SeriesDefinition> made;
    made.reserve(static_cast<std::size_t>(sent.series_size()));
    for (const auto &series : sent.series())
        made.push_back(definition(series));
    return made;
}

void checkColumns(const std::vector<std::uint32_t> &columns)
{
    const auto notRising = std::adjacent_find(columns.begin(), columns.end(), std::greater_equal<>());
    if (notRising == columns.end() && (columns.empty() || columns.front() != 0))
        return; // the usual case costs no copy
    auto sorted = columns;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.front() == 0)
        refuse(Error::Code::BadInput, "batch.series_ids", "ids begin at 1");
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
        refuse(Error::Code::BadInput, "batch.series_ids", std::to_string(*twice) + " stands there twice");
}

SampleBlock block(const v1::Batch &sent)
{
    const auto rows = static_cast<std::size_t>(sent.time_deltas_nano_size());
    const auto columns = static_cast<std::size_t>(sent.series_ids_size());
    const auto values = static_cast<std::size_t>(sent.values_size());
    checkCount("batch.time_deltas_nano", rows, kMaxBatchRows);
    checkCount("batch.series_ids", columns, kMaxBatchSamples);
    checkCount("batch.values", values, kMaxBatchSamples);
    if (values != rows * columns || (rows == 0) != (columns == 0)) // both are bounded: no overflow
        refuse(Error::Code::BadInput, "batch.values",
               std::to_string(values) + " values for " + std::to_string(rows) + " rows of " + std::to_string(columns)
                   + " columns");
    const std::int64_t base = nanos("batch.base_unix_nano", sent.base_unix_nano());
    SampleBlock made;
    made.times.reserve(rows);
    std::int64_t last = -1;
    for (const std::int64_t delta : sent.time_deltas_nano()) {
        if (delta <= last)
            refuse(Error::Code::BadInput, "batch.time_deltas_nano", "do not rise from 0");
        if (made.times.empty() && delta != 0)
            refuse(Error::Code::BadInput, "batch.time_deltas_nano", "the first is not 0");
        if (delta > kLatestUnixNano - base)
            refuse(Error::Code::BadInput, "batch.time_deltas_nano", "beyond the year 2200");
        made.times.push_back(fromUnixNanos(base + delta));
        last = delta;
    }
    made.columns.assign(sent.series_ids().begin(), sent.series_ids().end());
    checkColumns(made.columns);
    made.values.assign(sent.values().begin(), sent.values().end());
    return made;
}

Event event(const v1::Event &sent)
{
    Event made;
    made.time = instant("event.time_unix_nano", sent.time_unix_nano());
    made.kind = eventKind(sent.kind());
    made.labels = labels("event.labels", sent.labels());
    made.text = text("event.text", sent.text(), kMaxTextBytes);
    if (sent.has_value() && std::isfinite(sent.value()))
        made.value = sent.value();
    return made;
}

std::optional<Bytes> bytes(std::string_view field, bool isThere, std::uint64_t value)
{
    if (!isThere)
        return std::nullopt;
    return Bytes{static_cast<std::int64_t>(number(field, value))};
}

StepRecord step(const v1::StepRecord &sent)
{
    StepRecord made;
    made.time = instant("step.time_unix_nano", sent.time_unix_nano());
    made.labels = labels("step.labels", sent.labels());
    made.step = number("step.step", sent.step());
    made.peak = bytes("step.peak_bytes", sent.has_peak_bytes(), sent.peak_bytes());
    made.allocated = bytes("step.allocated_bytes", sent.has_allocated_bytes(), sent.allocated_bytes());
    made.reserved = bytes("step.reserved_bytes", sent.has_reserved_bytes(), sent.reserved_bytes());
    if (sent.has_batch_size())
        made.batchSize = number("step.batch_size", sent.batch_size());
    if (sent.has_input_size())
        made.inputSize = number("step.input_size", sent.input_size());
    if (sent.has_duration_nano())
        made.duration = Duration(static_cast<std::int64_t>(number("step.duration_nano", sent.duration_nano())));
    if (sent.has_activation_checkpointing())
        made.activationCheckpointing = sent.activation_checkpointing();
    return made;
}

plimsoll::Frame frame(const v1::Frame &sent)
{
    plimsoll::Frame made;
    made.sequence = number("frame.sequence", sent.sequence(), 1);
    switch (sent.body_case()) {
    case v1::Frame::kBatch: made.body = block(sent.batch()); break;
    case v1::Frame::kEvent: made.body = event(sent.event()); break;
    case v1::Frame::kStep: made.body = step(sent.step()); break;
    case v1::Frame::BODY_NOT_SET: break;
    }
    return made;
}

LostFrames lost(const v1::Lost &sent)
{
    const LostFrames made{number("lost.first_sequence", sent.first_sequence(), 1),
                          number("lost.last_sequence", sent.last_sequence(), 1)};
    if (made.last < made.first)
        refuse(Error::Code::BadInput, "lost", "the last number is smaller than the first");
    return made;
}

Heartbeat heartbeat(const v1::Heartbeat &sent)
{
    return {instant("heartbeat.wall_unix_nano", sent.wall_unix_nano()),
            monotonic("heartbeat.monotonic_nano", sent.monotonic_nano()),
            number("heartbeat.newest_sequence", sent.newest_sequence()), sources(sent.sources())};
}

Hello hello(const v1::HelloReply &sent)
{
    Hello made;
    made.version = {sent.version().major(), sent.version().minor()};
    if (made.version.major != kProtocolVersion.major) {
        made.agent = safeText(sent.agent());
        return made;
    }
    made.agent = text("hello.agent", sent.agent(), kMaxNameBytes);
    made.agentId = name("hello.agent_id", sent.agent_id());
    made.hostName = text("hello.host_name", sent.host_name(), kMaxNameBytes);
    made.epoch = epochOf(sent.epoch());
    checkCount("hello.capabilities", static_cast<std::size_t>(sent.capabilities_size()), kMaxCapabilities);
    for (const auto &capability : sent.capabilities())
        made.capabilities.push_back(text("hello.capabilities", capability, kMaxNameBytes));
    made.wall = instant("hello.wall_unix_nano", sent.wall_unix_nano());
    made.monotonic = monotonic("hello.monotonic_nano", sent.monotonic_nano());
    made.oldestSequence = number("hello.oldest_sequence", sent.oldest_sequence());
    made.newestSequence = number("hello.newest_sequence", sent.newest_sequence());
    if (made.newestSequence < made.oldestSequence)
        refuse(Error::Code::BadInput, "hello.newest_sequence", "smaller than the oldest");
    made.interval = std::chrono::milliseconds(sent.interval_millis());
    made.sources = sources(sent.sources());
    return made;
}

Watched watched(const v1::WatchMessage &sent)
{
    Watched made;
    made.epoch = epochOf(sent.epoch());
    switch (sent.body_case()) {
    case v1::WatchMessage::kDefinitions: made.body = definitions(sent.definitions()); break;
    case v1::WatchMessage::kFrame: made.body = frame(sent.frame()); break;
    case v1::WatchMessage::kLost: made.body = lost(sent.lost()); break;
    case v1::WatchMessage::kHeartbeat: made.body = heartbeat(sent.heartbeat()); break;
    case v1::WatchMessage::BODY_NOT_SET: break;
    }
    return made;
}

} // namespace

Result<Hello> toModel(const v1::HelloReply &reply)
{
    try {
        return hello(reply);
    } catch (Refused &refused) {
        return tl::make_unexpected(std::move(refused.error));
    }
}

Result<Watched> toModel(const v1::WatchMessage &message)
{
    try {
        return watched(message);
    } catch (Refused &refused) {
        return tl::make_unexpected(std::move(refused.error));
    }
}

} // namespace plimsoll::wire
