// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot_report.h"

#include "base/text.h"
#include "snapshot/grouping.h"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <ostream>

namespace plimsoll {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json orNull(const std::optional<T> &value)
{
    return value ? Json(*value) : Json(nullptr);
}

Json counts(const std::vector<std::pair<std::string, std::uint64_t>> &pairs)
{
    Json out = Json::object();
    for (const auto &[name, count] : pairs)
        out[name] = count;
    return out;
}

std::optional<std::int64_t> eventOf(EventInstant instant)
{
    return instant == 0 ? std::optional<std::int64_t>() : std::int64_t{instant} - 1;
}

std::optional<std::int64_t> timeOf(const Replay &replay, EventInstant instant)
{
    if (instant == 0)
        return std::nullopt;
    const auto time = replay.snapshot().events.timeUs[replay.rowOf(instant)];
    return time == kUnknownTime ? std::optional<std::int64_t>() : time;
}

Json blocksByState(const DeviceCensus &census)
{
    Json out = Json::object();
    for (const auto state : {BlockState::ActiveAllocated, BlockState::ActivePendingFree, BlockState::Inactive, BlockState::Unknown}) {
        const auto &sum = census.of(state);
        if (sum.blocks > 0)
            out[std::string(toString(state))] = {{"blocks", sum.blocks}, {"bytes", sum.bytes}, {"requested_bytes", sum.requested}};
    }
    return out;
}

Json traceJson(const TraceCensus &trace)
{
    Json ooms = Json::array();
    for (const auto &oom : trace.ooms)
        ooms.push_back({{"index", oom.index}, {"size", oom.size}, {"device_free", orNull(oom.deviceFree)}});
    return {{"alloc_bytes", trace.allocBytes},
            {"free_completed_bytes", trace.freeCompletedBytes},
            {"free_without_alloc", {{"events", trace.freesWithoutAlloc}, {"bytes", trace.freesWithoutAllocBytes}}},
            {"alloc_of_live_address", trace.allocsOfLiveAddress},
            {"free_completed_not_right_after_request", trace.freesNotRightAfterRequest},
            {"time_goes_back", trace.timeGoesBack},
            {"events_without_frames_key", trace.eventsWithoutFrames},
            {"events_without_address", trace.eventsWithoutAddress},
            {"end_live", {{"allocations", trace.endLive}, {"bytes", trace.endLiveBytes}}},
            {"end_requested_relative_to_start", trace.endRelative},
            {"peak_requested_relative_to_start", trace.peakRelative},
            {"peak_event_index", trace.peakIndex ? Json(*trace.peakIndex) : Json(-1)},
            {"live_blocks_never_in_trace", {{"blocks", trace.blocksNeverInTrace}, {"requested_bytes", trace.blocksNeverInTraceBytes}}},
            {"peak_requested_absolute", trace.peakAbsolute},
            {"pending_before_trace", {{"blocks", trace.pendingBeforeTrace}, {"requested_bytes", trace.pendingBeforeTraceBytes}}},
            {"live_in_trace_but_not_in_blocks", trace.liveNotInBlocks},
            {"reserved_at_start_bytes", trace.reservedAtStart},
            {"oom", ooms},
            {"first_time_us", orNull(trace.firstTimeUs)},
            {"last_time_us", orNull(trace.lastTimeUs)}};
}

Json stackJson(const StackTable &stacks, const TextTable &texts, StackId stack)
{
    Json frames = Json::array();
    const auto view = stacks.stack(stack);
    for (std::size_t i = 0; i < view.size(); ++i) {
        const auto &frame = stacks.frame(view[i]);
        frames.push_back({{"filename", texts[frame.file]}, {"line", frame.line}, {"name", texts[frame.name]}});
    }
    return frames;
}

Json stackJson(const MemorySnapshot &snapshot, StackId stack)
{
    return stackJson(snapshot.stacks, snapshot.texts, stack);
}

Json groupsJson(const SnapshotReport &report, const DeviceReport &device)
{
    Json out = Json::object();
    if (!device.replay->hasAllocations())
        return out;
    for (const auto &[name, by] : {std::pair{"own_line", GroupBy::OwnLine}, std::pair{"pool", GroupBy::Pool}, std::pair{"stream", GroupBy::Stream},
                                   std::pair{"annotation", GroupBy::Annotation}, std::pair{"compile_context", GroupBy::CompileContext},
                                   std::pair{"user_metadata", GroupBy::UserMetadata}}) {
        const auto grouping = groupAllocations(*device.replay, by);
        const auto totals = aliveByGroup(*device.replay, grouping, device.at);
        auto &list = out[name] = Json::array();
        for (std::size_t i = 0; i < totals.size() && i < report.question.top; ++i)
            list.push_back({{"name", grouping.names[totals[i].group]}, {"bytes", totals[i].bytes}, {"allocations", totals[i].count}});
    }
    return out;
}

Json momentJson(const SnapshotReport &report, const MemorySnapshot &snapshot, const DeviceReport &device)
{
    Json holders = Json::array();
    for (std::size_t i = 0; i < device.holders.size() && i < report.question.top; ++i) {
        const auto &holder = device.holders[i];
        holders.push_back({{"bytes", holder.bytes}, {"allocations", holder.count}, {"is_stack_of_free", holder.isStackOfFree},
                           {"frames", stackJson(snapshot, holder.stack)}});
    }
    Json categories = Json::object();
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        if (device.categories[i] != 0)
            categories[std::string(toString(static_cast<MemoryCategory>(i)))] = device.categories[i];
    }
    Json sizes = Json::array();
    for (const auto &one : device.sizeClasses) {
        sizes.push_back({{"from_bytes", one.from}, {"to_bytes", one.to == 0 ? Json(nullptr) : Json(one.to)},
                         {"allocations", one.count}, {"bytes", one.bytes}});
    }
    return {{"event", orNull(eventOf(device.at))},
            {"time_us", orNull(timeOf(*device.replay, device.at))},
            {"requested_bytes", device.level},
            {"stacks", device.holders.size()},
            {"top_stacks", holders},
            {"categories_inferred", categories},
            {"size_classes", sizes},
            {"groups", groupsJson(report, device)}};
}

Json leaksJson(const SnapshotReport &report, const MemorySnapshot &snapshot, const LeakReport &leaks)
{
    Json list = Json::array();
    for (std::size_t i = 0; i < leaks.leaks.size() && i < report.question.top; ++i) {
        const auto &leak = leaks.leaks[i];
        list.push_back({{"bytes", leak.bytes}, {"allocations", leak.count}, {"bytes_per_step", leak.bytesPerStep},
                        {"steps_grown", leak.steps}, {"is_steady", leak.isSteady}, {"frames", stackJson(snapshot, leak.stack)}});
    }
    constexpr std::array kSources{"none", "annotations", "periodicity"};
    return {{"steps_found_by", kSources.at(static_cast<std::size_t>(leaks.steps.source))},
            {"steps", leaks.steps.count()},
            {"never_freed_stacks", leaks.leaks.size()},
            {"never_freed", list}};
}

// Traces of a profiler and memory timelines have events only.
bool knowsSegments(const SnapshotReport &report)
{
    return std::holds_alternative<MemorySnapshot>(report.file->content);
}

void setUnknown(Json &object, std::initializer_list<const char *> keys)
{
    for (const auto *key : keys)
        object[key] = nullptr;
}

Json deviceJson(const SnapshotReport &report, const MemorySnapshot &snapshot, const DeviceReport &device)
{
    const auto &census = device.census;
    const auto &replay = *device.replay;
    Json out{{"segments", census.segments},
            {"segments_not_tiled_by_blocks", census.segmentsNotTiled},
            {"expandable_segments", census.expandableSegments},
            {"reserved_bytes", census.reserved},
            {"segment_allocated_size_sum", census.segmentAllocatedSum},
            {"segment_active_size_sum", census.segmentActiveSum},
            {"allocated_bytes", census.allocated()},
            {"active_bytes", census.active()},
            {"requested_bytes", census.requested()},
            {"inactive_bytes", census.inactive()},
            {"blocks_by_state", blocksByState(census)},
            {"rounding_waste_bytes", census.roundingWaste},
            {"free_in_wholly_free_segments_bytes", census.freeInFreeSegments},
            {"free_in_partly_used_segments", {{"blocks", census.freePieces}, {"bytes", census.freePiecesBytes}}},
            {"largest_free_block_bytes", census.largestFree},
            {"fragmentation", census.fragmentation()},
            {"reserved_by_pool", counts(census.reservedByPool)},
            {"streams", census.streams},
            {"events", census.events},
            {"events_by_action", counts(census.eventsByAction)},
            {"trace", traceJson(census.trace)},
            {"peak",
             {{"event", orNull(eventOf(replay.peakInstant()))},
              {"time_us", orNull(timeOf(replay, replay.peakInstant()))},
              {"requested_bytes", replay.peakLevel()}}},
            {"at", momentJson(report, snapshot, device)},
            {"leaks", leaksJson(report, snapshot, device.leaks)},
            {"notes", device.notes}};
    if (!knowsSegments(report)) {
        setUnknown(out, {"segments", "segments_not_tiled_by_blocks", "expandable_segments", "reserved_bytes", "segment_allocated_size_sum",
                         "segment_active_size_sum", "allocated_bytes", "active_bytes", "requested_bytes", "inactive_bytes", "blocks_by_state",
                         "rounding_waste_bytes", "free_in_wholly_free_segments_bytes", "free_in_partly_used_segments",
                         "largest_free_block_bytes", "fragmentation", "reserved_by_pool"});
        setUnknown(out["trace"], {"reserved_at_start_bytes", "live_blocks_never_in_trace", "live_in_trace_but_not_in_blocks", "pending_before_trace"});
    }
    if (!replay.hasAllocations()) // nothing can be matched: the peak above is of the level
        setUnknown(out["trace"], {"free_without_alloc", "alloc_of_live_address", "end_live", "end_requested_relative_to_start",
                                  "peak_requested_relative_to_start", "peak_event_index", "peak_requested_absolute"});
    return out;
}

std::string keyOf(const SnapshotDevice &device)
{
    switch (device.kind) {
    case MemoryKind::PinnedHost: return "pinned_host:" + std::to_string(device.ordinal);
    case MemoryKind::Cpu: return "cpu:" + std::to_string(device.ordinal);
    case MemoryKind::Accelerator: break;
    }
    return std::to_string(device.ordinal);
}

Json answerJson(const WhatIfAnswer &answer, const WhatIfReport &report)
{
    return {{"change", answer.variant.name},
            {"fits", answer.fits},
            {"failed_earlier_at_event", orNull(answer.failedEarlierAt)},
            {"fits_if_laid_out_anew", orNull(answer.fitsIfLaidOutAnew)},
            {"peak_reserved_bytes", answer.peakReserved},
            {"sentence", describe(answer, report)}};
}

Json whatIfJson(const Result<WhatIfReport> &result)
{
    if (!result)
        return {{"answered", false}, {"reason", result.error().detail}};
    const auto &report = *result;
    Json answers = Json::array();
    for (const auto &answer : report.answers)
        answers.push_back(answerJson(answer, report));
    const auto &agreement = report.agreement;
    return {{"answered", true},
            {"is_believable", report.isBelievable},
            {"belief", describeBelief(report)},
            {"capacity_bytes", report.capacity},
            {"recorded_peak_reserved_bytes", report.recordedPeak},
            {"model",
             {{"sentence", agreement.describe()},
              {"compared_events", agreement.comparedEvents},
              {"worst_share_of_reserved", agreement.worstShare},
              {"share_at_98_of_100_events", agreement.shareAt98},
              {"exact_share_of_events", agreement.exactShare},
              {"final_difference_bytes", agreement.finalDifference}}},
            {"answers", answers}};
}

Json oomJson(const MemorySnapshot &snapshot, const OomReport &report)
{
    const auto &oom = report.oom;
    Json verdicts = Json::array();
    for (const auto &verdict : oom.verdicts) {
        Json figures = Json::object();
        for (const auto &[name, value] : verdict.figures)
            figures[name] = value;
        verdicts.push_back({{"kind", toString(verdict.kind)}, {"bytes_explained", verdict.bytesExplained},
                            {"sentence", describe(verdict, oom)}, {"figures", figures}});
    }
    Json holders = Json::array();
    for (const auto &holder : oom.holders)
        holders.push_back({{"bytes", holder.bytes}, {"allocations", holder.count}, {"frames", stackJson(snapshot, holder.stack)}});
    return {{"device", oom.ordinal},
            {"event", oom.event},
            {"time_us", oom.timeUs == kUnknownTime ? Json(nullptr) : Json(oom.timeUs)},
            {"sentence", describe(oom)},
            {"asked_bytes", oom.asked},
            {"segment_bytes", oom.segmentSize},
            {"device_free_bytes", orNull(oom.deviceFree)},
            {"card_at_least_bytes", orNull(oom.cardLowerBound)},
            {"live_requested_bytes", oom.live},
            {"live_allocations", oom.liveCount},
            {"live_rounded_bytes", oom.liveRounded},
            {"pending_free_bytes", oom.pending},
            {"reserved_bytes", orNull(oom.reserved)},
            {"cached_bytes", oom.unrequested},
            {"cached_free_bytes", oom.cachedFree},
            {"largest_free_own_bytes", oom.largestFreeOwn},
            {"largest_free_elsewhere_bytes", oom.largestFreeElsewhere},
            {"shortfall_bytes", oom.shortfall},
            {"is_peak", oom.isPeak},
            {"is_estimate", oom.isEstimate},
            {"dumped_after_unwinding", oom.isAfterUnwinding},
            {"verdicts", verdicts},
            {"top_holders", holders},
            {"frames", stackJson(snapshot, oom.stack)},
            {"what_if", whatIfJson(report.whatIf)}};
}

void addTorch(Json &document, const SnapshotReport &report, const MemorySnapshot &snapshot)
{
    const auto &origin = snapshot.origin;
    document["file_bytes"] = origin.fileBytes;
    if (origin.pickleProtocol >= 0) {
        document["protocol"] = origin.pickleProtocol;
        document["widest_long_bytes"] = origin.widestLongBytes;
    }
    if (report.opcodes) {
        auto &opcodes = document["opcodes"] = Json::object();
        for (const auto &[name, count] : report.opcodes->opcodes)
            opcodes[std::string(name)] = count;
    }
    document["top_level"] = origin.isTopLevelList ? Json("list of segments") : Json(origin.topLevel);
    document["torch"] = origin.torchVersions;
    document["allocator_settings_conf"] = orNull(snapshot.setting("PYTORCH_CUDA_ALLOC_CONF"));
    auto &settings = document["allocator_settings"] = Json::object();
    for (const auto &[key, value] : snapshot.settings) {
        auto parsed = Json::parse(value, nullptr, false);
        settings[key] = parsed.is_discarded() ? Json(value) : parsed;
    }
    document["external_annotations"] = snapshot.annotations.size();
    document["device_traces_length"] = origin.traceLists;
    document["distinct_frame_objects"] = origin.frameObjects;
    document["distinct_frames_by_value"] = snapshot.stacks.frameCount();
    document["deepest_stack"] = report.deepestStack;
    document["segments"] = snapshot.segments.size();
    document["truncated_at"] = orNull(origin.truncatedAt);
    auto &unknown = document["unknown_keys"] = Json::object();
    for (const auto &[key, count] : snapshot.unknownKeys)
        unknown[key] = count;
}

void addMemory(Json &document, const SnapshotReport &report, const MemorySnapshot &snapshot, const char *devicesKey)
{
    std::map<std::string, std::uint64_t> actions;
    std::uint64_t reserved = 0;
    std::uint64_t allocated = 0;
    std::uint64_t active = 0;
    std::uint64_t requested = 0;
    std::uint64_t inactive = 0;
    std::int64_t peak = 0;
    Json devices = Json::object();
    for (const auto &device : report.devices) {
        for (const auto &[action, count] : device.census.eventsByAction)
            actions[action] += count;
        devices[keyOf(device.device)] = deviceJson(report, snapshot, device);
        if (device.device.kind != MemoryKind::Accelerator)
            continue; // the memory of the machine is not the device's
        reserved += device.census.reserved;
        allocated += device.census.allocated();
        active += device.census.active();
        requested += device.census.requested();
        inactive += device.census.inactive();
        // Running totals of a profiler say more than its events do.
        peak += knowsSegments(report) ? device.census.trace.peakAbsolute : device.replay->peakLevel();
    }
    auto &byAction = document["events_by_action"] = Json::object();
    for (const auto &[action, count] : actions)
        byAction[action] = count;
    document["reserved_bytes"] = reserved;
    document["allocated_bytes"] = allocated;
    document["active_bytes"] = active;
    document["requested_bytes"] = requested;
    document["inactive_bytes"] = inactive;
    document["peak_requested_absolute"] = peak; // of the devices, added up
    if (!knowsSegments(report))
        setUnknown(document, {"reserved_bytes", "allocated_bytes", "active_bytes", "requested_bytes", "inactive_bytes"});
    if (!knowsSegments(report) && report.devices.empty())
        document["peak_requested_absolute"] = nullptr;
    auto &ooms = document["ooms"] = Json::array();
    for (const auto &oom : report.ooms)
        ooms.push_back(oomJson(snapshot, oom));
    document[devicesKey] = std::move(devices);
    document["warnings"] = snapshot.warnings;
    document["notes"] = report.notes;
}

Json chromeTime(const std::optional<ChromeTime> &time)
{
    if (!time)
        return nullptr;
    return time->fraction == 0 ? Json(time->us) : Json(static_cast<double>(time->us) + time->fraction);
}

void addKineto(Json &document, const KinetoTrace &trace)
{
    const auto &census = trace.census;
    document["file_bytes"] = trace.snapshot.origin.fileBytes;
    document["gzip"] = trace.snapshot.origin.isCompressed;
    document["top_level"] = census.isTopLevelList ? Json("list") : Json(census.topLevel);
    document["events"] = census.events;
    auto &phases = document["events_by_phase"] = Json::object();
    for (const auto &[phase, count] : census.eventsByPhase)
        phases[phase] = count;
    document["memory_events_out_of_time_order"] = census.memoryEventsOutOfTimeOrder;
    auto &devices = document["devices"] = Json::object();
    for (const auto &device : census.devices) {
        devices[device.key] = {{"memory_events", device.memoryEvents},
                               {"oom_events", device.oomEvents},
                               {"allocs", device.allocs},
                               {"frees", device.frees},
                               {"alloc_bytes", device.allocBytes},
                               {"free_bytes", device.freeBytes},
                               {"net_bytes", device.netBytes},
                               {"peak_net_bytes", device.peakNetBytes},
                               {"free_of_unknown_address", device.freeOfUnknownAddress},
                               {"max_total_allocated", orNull(device.maxTotalAllocated)},
                               {"max_total_reserved", orNull(device.maxTotalReserved)},
                               {"first_ts", chromeTime(device.firstTime)},
                               {"last_ts", chromeTime(device.lastTime)},
                               {"live_at_end", {{"allocations", device.liveAtEnd}, {"bytes", device.liveAtEndBytes}}}};
    }
    auto &cards = document["device_properties"] = Json::array();
    for (const auto &card : trace.deviceProperties)
        cards.push_back({{"id", card.id}, {"name", card.name}, {"total_bytes", orNull(card.totalBytes)}});
}

void addTimeline(Json &document, const MemoryTimeline &timeline)
{
    document["file_bytes"] = timeline.snapshot.origin.fileBytes;
    document["is_raw"] = timeline.isRaw;
    document["moments"] = timeline.moments.size();
    document["peak_bytes"] = timeline.peakBytes;
    if (timeline.peakMoment) {
        const auto &moment = timeline.moments[*timeline.peakMoment];
        Json categories = Json::object();
        for (std::size_t i = 0; i < kTimelineCategories; ++i)
            categories[std::string(toString(static_cast<TimelineCategory>(i)))] = moment.bytes[i];
        document["peak"] = {{"moment", *timeline.peakMoment},
                            {"time_us", moment.timeUs == kUnknownTime ? Json(nullptr) : Json(moment.timeUs)},
                            {"bytes_by_category", categories}};
    }
    document["existing_bytes"] = timeline.existingBytes;
    document["new_versions"] = timeline.newVersions;
}

void addHeap(Json &document, const HeapProfile &heap, std::size_t top)
{
    document["file_bytes"] = heap.fileBytes;
    if (heap.form != HeapProfile::Form::Protobuf) {
        document["text_first_line"] = heap.firstLine;
        document["lines"] = heap.lines;
        document["stated_totals"] = orNull(heap.statedTotals);
        document["estimated_sums"] = orNull(heap.estimatedSums);
    } else {
        document["gzip"] = heap.isCompressed;
        document["proto_bytes"] = heap.plainBytes;
    }
    auto &types = document["sample_types"] = Json::array();
    for (const auto &type : heap.sampleTypes)
        types.push_back(Json::array({type.type, type.unit}));
    document["samples"] = heap.samples.size();
    document["value_sums"] = heap.valueSums;
    document["deepest_stack"] = heap.deepestStack;
    document["strings"] = heap.strings;
    document["locations"] = heap.locations;
    document["functions"] = heap.functions;
    document["mappings"] = heap.mappings.size();
    if (heap.timeNanos)
        document["time_nanos"] = *heap.timeNanos;
    if (heap.durationNanos)
        document["duration_nanos"] = *heap.durationNanos;
    if (heap.periodType)
        document["period_type"] = Json::array({heap.periodType->type, heap.periodType->unit});
    if (heap.period)
        document["period"] = *heap.period;
    if (heap.defaultSampleType)
        document["default_sample_type"] = *heap.defaultSampleType;
    constexpr std::size_t kListed = 12; // more values of a label are counted only
    auto &labels = document["labels"] = Json::object();
    for (const auto &[key, sums] : heap.labelSums) {
        if (sums.size() > kListed) {
            labels[key] = {{"distinct", sums.size()}};
            continue;
        }
        auto &values = labels[key] = Json::object();
        for (const auto &[value, sum] : sums)
            values[value] = sum;
    }
    const auto holders = heapHolders(heap);
    auto &list = document["top_stacks"] = Json::array();
    for (std::size_t i = 0; i < holders.size() && i < top; ++i)
        list.push_back({{"value", holders[i].value}, {"frames", stackJson(heap.stacks, heap.texts, holders[i].stack)}});
    document["warnings"] = heap.warnings;
}

} // namespace

void printJson(const SnapshotReport &report, std::ostream &out)
{
    Json document{{"file", report.question.file}, {"format", toString(report.file->format)}};
    if (const auto *heap = std::get_if<HeapProfile>(&report.file->content)) {
        addHeap(document, *heap, report.question.top);
    } else if (const auto *trace = std::get_if<KinetoTrace>(&report.file->content)) {
        addKineto(document, *trace);
        addMemory(document, report, trace->snapshot, "memory");
    } else if (const auto *timeline = std::get_if<MemoryTimeline>(&report.file->content)) {
        addTimeline(document, *timeline);
        addMemory(document, report, timeline->snapshot, "devices");
    } else {
        const auto &snapshot = std::get<MemorySnapshot>(report.file->content);
        addTorch(document, report, snapshot);
        addMemory(document, report, snapshot, "devices");
    }
    // Texts of a file may be anything; JSON's must be UTF-8.
    out << document.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace plimsoll
