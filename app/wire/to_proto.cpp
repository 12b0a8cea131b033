// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/to_proto.h"

#include "base/text.h"
#include "wire/limits.h"

#include <plimsoll/v1/agent.pb.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace plimsoll::wire {
namespace {

// A protobuf string must be UTF-8, or the other side drops the whole message.
// Control characters stay: they belong to the label; the screen is guarded by safeText.
std::string repaired(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t length = 1;
        while (length <= 4 && !isValidUtf8(text.substr(at, length)))
            ++length;
        if (length > 4 || at + length > text.size()) {
            out += "\xef\xbf\xbd";
            ++at;
            continue;
        }
        out += text.substr(at, length);
        at += length;
    }
    return out;
}

std::string fit(std::string_view text, std::size_t maxBytes)
{
    return isValidUtf8(text) ? elideMiddle(text, maxBytes) : elideMiddle(repaired(text), maxBytes);
}

std::int64_t nanos(Duration sinceEpoch)
{
    return std::clamp<std::int64_t>(sinceEpoch.count(), 0, kLatestUnixNano);
}

std::uint64_t number(std::uint64_t value) { return std::min(value, kMaxNumber); }

std::uint64_t count(std::int64_t value) { return number(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0))); }

std::uint32_t millis(Duration interval)
{
    const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(interval).count();
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(whole, 1, std::numeric_limits<std::uint32_t>::max()));
}

template <class Message>
void putLabels(const Labels &labels, Message &message)
{
    std::size_t room = kMaxLabels;
    for (const auto &[name, value] : labels) {
        if (room == 0)
            return;
        if (name.empty())
            continue;
        auto &label = *message.add_labels();
        label.set_name(fit(name, kMaxNameBytes));
        label.set_value(fit(value, kMaxLabelValueBytes));
        --room;
    }
}

template <class Message>
void putSources(const std::vector<SourceState> &sources, Message &message)
{
    for (std::size_t i = 0; i < std::min(sources.size(), kMaxSources); ++i) {
        auto &source = *message.add_sources();
        source.set_name(fit(sources[i].name, kMaxLabelValueBytes));
        source.set_healthy(sources[i].isHealthy);
        source.set_problem(fit(sources[i].problem, kMaxTextBytes));
        source.set_series(number(sources[i].series));
        source.set_skipped(number(sources[i].skipped));
    }
}

v1::MetricKind metricKind(MetricKind kind)
{
    switch (kind) {
    case MetricKind::Gauge: return v1::METRIC_KIND_GAUGE;
    case MetricKind::Counter: return v1::METRIC_KIND_COUNTER;
    case MetricKind::Histogram: return v1::METRIC_KIND_HISTOGRAM;
    case MetricKind::State: return v1::METRIC_KIND_STATE;
    case MetricKind::Unknown: break;
    }
    return v1::METRIC_KIND_UNSPECIFIED;
}

v1::EventKind eventKind(EventKind kind)
{
    const int value = static_cast<int>(kind);
    return value <= v1::EVENT_KIND_CLOCK_JUMP ? static_cast<v1::EventKind>(value) : v1::EVENT_KIND_UNSPECIFIED;
}

void put(const SeriesDefinition &definition, v1::SeriesDefinition &series)
{
    const SeriesInfo &info = definition.info;
    series.set_id(definition.id);
    series.set_metric(fit(info.key.metric, kMaxNameBytes));
    putLabels(info.key.labels, series);
    series.set_unit(fit(info.unit, kMaxNameBytes));
    series.set_kind(metricKind(info.kind));
    series.set_group(fit(info.group, kMaxNameBytes));
    series.set_interval_millis(millis(info.interval));
    series.set_source_name(fit(info.source.name, kMaxNameBytes));
    series.set_source_unit(fit(info.source.unit, kMaxNameBytes));
    series.set_source_factor(std::isfinite(info.source.factor) ? info.source.factor : 0);
}

void put(const SampleBlock &block, v1::Batch &batch)
{
    if (block.times.empty())
        return;
    const std::int64_t base = nanos(block.times.front().time_since_epoch());
    batch.set_base_unix_nano(base);
    batch.mutable_time_deltas_nano()->Reserve(static_cast<int>(block.rows()));
    for (const Instant time : block.times)
        batch.add_time_deltas_nano(nanos(time.time_since_epoch()) - base);
    batch.mutable_series_ids()->Add(block.columns.begin(), block.columns.end());
    batch.mutable_values()->Add(block.values.begin(), block.values.end());
}

void put(const Event &event, v1::Event &sent)
{
    sent.set_time_unix_nano(nanos(event.time.time_since_epoch()));
    sent.set_kind(eventKind(event.kind));
    putLabels(event.labels, sent);
    sent.set_text(fit(event.text, kMaxTextBytes));
    if (event.value && std::isfinite(*event.value)) {
        sent.set_value(*event.value);
        sent.set_has_value(true);
    }
}

void put(const StepRecord &step, v1::StepRecord &sent)
{
    sent.set_time_unix_nano(nanos(step.time.time_since_epoch()));
    putLabels(step.labels, sent);
    sent.set_step(number(step.step));
    if (step.peak)
        sent.set_peak_bytes(count(step.peak->value));
    if (step.allocated)
        sent.set_allocated_bytes(count(step.allocated->value));
    if (step.reserved)
        sent.set_reserved_bytes(count(step.reserved->value));
    if (step.batchSize)
        sent.set_batch_size(number(*step.batchSize));
    if (step.inputSize)
        sent.set_input_size(number(*step.inputSize));
    if (step.duration)
        sent.set_duration_nano(count(step.duration->count()));
    if (step.activationCheckpointing)
        sent.set_activation_checkpointing(*step.activationCheckpointing);
}

} // namespace

void toProto(const Hello &hello, v1::HelloReply &reply)
{
    reply.Clear();
    reply.mutable_version()->set_major(hello.version.major);
    reply.mutable_version()->set_minor(hello.version.minor);
    reply.set_agent(fit(hello.agent, kMaxNameBytes));
    reply.set_agent_id(fit(hello.agentId, kMaxNameBytes));
    reply.set_host_name(fit(hello.hostName, kMaxNameBytes));
    reply.set_epoch(hello.epoch);
    for (std::size_t i = 0; i < std::min(hello.capabilities.size(), kMaxCapabilities); ++i)
        reply.add_capabilities(fit(hello.capabilities[i], kMaxNameBytes));
    reply.set_wall_unix_nano(nanos(hello.wall.time_since_epoch()));
    reply.set_monotonic_nano(nanos(hello.monotonic.time_since_epoch()));
    reply.set_oldest_sequence(number(hello.oldestSequence));
    reply.set_newest_sequence(number(hello.newestSequence));
    reply.set_interval_millis(millis(hello.interval));
    putSources(hello.sources, reply);
}

void toProto(std::uint64_t epoch, std::span<const SeriesDefinition> definitions, v1::WatchMessage &message)
{
    message.Clear();
    message.set_epoch(epoch);
    auto &sent = *message.mutable_definitions();
    sent.mutable_series()->Reserve(static_cast<int>(definitions.size()));
    for (const auto &definition : definitions)
        put(definition, *sent.add_series());
}

void toProto(std::uint64_t epoch, const plimsoll::Frame &frame, v1::WatchMessage &message)
{
    message.Clear();
    message.set_epoch(epoch);
    auto &sent = *message.mutable_frame();
    sent.set_sequence(frame.sequence);
    if (const auto *block = std::get_if<SampleBlock>(&frame.body))
        put(*block, *sent.mutable_batch());
    else if (const auto *event = std::get_if<Event>(&frame.body))
        put(*event, *sent.mutable_event());
    else
        put(std::get<StepRecord>(frame.body), *sent.mutable_step());
}

void toProto(std::uint64_t epoch, const LostFrames &lost, v1::WatchMessage &message)
{
    message.Clear();
    message.set_epoch(epoch);
    message.mutable_lost()->set_first_sequence(number(lost.first));
    message.mutable_lost()->set_last_sequence(number(lost.last));
}

void toProto(std::uint64_t epoch, const Heartbeat &heartbeat, v1::WatchMessage &message)
{
    message.Clear();
    message.set_epoch(epoch);
    auto &sent = *message.mutable_heartbeat();
    sent.set_wall_unix_nano(nanos(heartbeat.wall.time_since_epoch()));
    sent.set_monotonic_nano(nanos(heartbeat.monotonic.time_since_epoch()));
    sent.set_newest_sequence(number(heartbeat.newestSequence));
    putSources(heartbeat.sources, sent);
}

} // namespace plimsoll::wire
