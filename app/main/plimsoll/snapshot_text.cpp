// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot_report.h"

#include "base/format.h"
#include "base/text.h"
#include "base/time.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <iomanip>
#include <ostream>

namespace plimsoll {
namespace {

std::string bytes(std::uint64_t value) { return formatBytes(static_cast<double>(value)).text(); }
std::string bytes(std::int64_t value) { return formatBytes(static_cast<double>(value)).text(); }
std::string count(std::uint64_t value, const char *one, const char *many)
{
    return formatExact(static_cast<std::int64_t>(value)) + ' ' + (value == 1 ? one : many);
}
std::string percent(double share)
{
    return formatNumber(share * 100) + " %";
}

void row(std::ostream &out, std::string_view name, const std::string &value)
{
    out << "  " << std::left << std::setw(24) << name << value << '\n';
}

std::string utc(std::int64_t timeUs)
{
    const auto seconds = static_cast<std::time_t>(timeUs / 1'000'000);
    std::tm parts{};
    if (!::gmtime_r(&seconds, &parts))
        return {};
    std::array<char, 40> text{};
    const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
    auto millis = std::to_string(1000 + timeUs / 1000 % 1000).substr(1);
    return std::string(text.data(), length) + '.' + millis + " UTC";
}

std::string momentText(const Replay &replay, EventInstant instant)
{
    if (instant == 0)
        return "at the start of the trace";
    auto text = "after event " + formatExact(std::int64_t{instant} - 1);
    const auto time = replay.snapshot().events.timeUs[replay.rowOf(instant)];
    if (time != kUnknownTime && time >= 0)
        text += ", " + utc(time);
    return text;
}

void putFrames(std::ostream &out, const StackTable &stacks, const TextTable &texts, StackId stack)
{
    const auto frames = framesOf(stacks, texts, stack, 4);
    if (frames.empty())
        out << "      no stack was recorded\n";
    for (const auto &frame : frames)
        out << "      " << frame << '\n';
}

void putFrames(std::ostream &out, const MemorySnapshot &snapshot, StackId stack)
{
    putFrames(out, snapshot.stacks, snapshot.texts, stack);
}

void putHolders(std::ostream &out, const SnapshotReport &report, const MemorySnapshot &snapshot, const DeviceReport &device)
{
    if (device.holders.empty())
        return;
    out << "\n  Who held it " << momentText(*device.replay, device.at) << " (" << bytes(device.level) << " asked for)\n";
    for (std::size_t i = 0; i < device.holders.size() && i < report.question.top; ++i) {
        const auto &holder = device.holders[i];
        out << "    " << bytes(holder.bytes) << " in " << count(static_cast<std::uint64_t>(holder.count), "allocation", "allocations")
            << (holder.isStackOfFree ? ", made before the trace; freed at" : "") << '\n';
        putFrames(out, snapshot, holder.stack);
    }
    if (device.holders.size() > report.question.top)
        out << "    … and " << count(device.holders.size() - report.question.top, "more stack", "more stacks") << '\n';

    bool isFirst = true;
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        if (device.categories[i] == 0)
            continue;
        out << (isFirst ? "\n  Probably (inferred from stacks and life times): " : ", ")
            << toString(static_cast<MemoryCategory>(i)) << ' ' << bytes(device.categories[i]);
        isFirst = false;
    }
    if (!isFirst)
        out << '\n';
}

void putLeaks(std::ostream &out, const SnapshotReport &report, const MemorySnapshot &snapshot, const LeakReport &leaks)
{
    const auto isGrowing = [](const Leak &leak) { return leak.isSteady; };
    const auto growing = std::count_if(leaks.leaks.begin(), leaks.leaks.end(), isGrowing);
    if (growing == 0)
        return;
    out << "\n  Grows from step to step and is never freed (" << leaks.steps.count() << " steps, found by "
        << (leaks.steps.source == Steps::Source::Annotations ? "annotations" : "their rhythm: inferred") << ")\n";
    std::size_t shown = 0;
    for (const auto &leak : leaks.leaks) {
        if (!leak.isSteady)
            continue;
        if (++shown > report.question.top)
            break;
        out << "    " << formatBytes(leak.bytesPerStep).text() << " a step, " << bytes(leak.bytes) << " in all\n";
        putFrames(out, snapshot, leak.stack);
    }
}

std::string nameOf(const SnapshotDevice &device)
{
    switch (device.kind) {
    case MemoryKind::PinnedHost: return "Pinned host memory " + std::to_string(device.ordinal);
    case MemoryKind::Cpu: return "CPU";
    case MemoryKind::Accelerator: break;
    }
    return "Device " + std::to_string(device.ordinal);
}

void putDevice(std::ostream &out, const SnapshotReport &report, const MemorySnapshot &snapshot, const DeviceReport &device)
{
    const auto &census = device.census;
    const auto &replay = *device.replay;
    out << '\n' << nameOf(device.device) << '\n';
    if (census.segments > 0) {
        row(out, "reserved", bytes(census.reserved) + " in " + count(census.segments, "segment", "segments"));
        row(out, "allocated", bytes(census.allocated()) + " in " + count(census.of(BlockState::ActiveAllocated).blocks, "block", "blocks"));
        if (census.of(BlockState::ActivePendingFree).blocks > 0)
            row(out, "waiting for a stream", bytes(census.of(BlockState::ActivePendingFree).bytes));
        row(out, "asked for", bytes(census.requested()) + " (rounding takes " + bytes(census.roundingWaste) + ')');
        row(out, "cached, free", bytes(census.inactive()) + ", the largest piece " + bytes(census.largestFree) + ", fragmentation "
                                     + percent(census.fragmentation()));
    }
    if (census.events > 1) { // of fewer the notes say why
        std::string actions;
        for (const auto &[name, number] : census.eventsByAction)
            actions += (actions.empty() ? "" : ", ") + safeText(name, 40) + ' ' + formatExact(static_cast<std::int64_t>(number));
        row(out, "events", formatExact(static_cast<std::int64_t>(census.events)) + " (" + actions + ')');
        row(out, "peak asked for", bytes(replay.peakLevel()) + ' ' + momentText(replay, replay.peakInstant()));
    }
    for (const auto &note : device.notes)
        row(out, "note", note);
    putHolders(out, report, snapshot, device);
    putLeaks(out, report, snapshot, device.leaks);
}

void putOom(std::ostream &out, const MemorySnapshot &snapshot, const OomReport &report)
{
    const auto &oom = report.oom;
    out << "\nOut of memory: device " << oom.ordinal << ", event " << formatExact(static_cast<std::int64_t>(oom.event)) << '\n'
        << "  " << describe(oom) << '\n';
    for (const auto &verdict : oom.verdicts)
        out << "  - " << describe(verdict, oom) << '\n';
    putFrames(out, snapshot, oom.stack);
    if (!report.whatIf) {
        out << "  What other settings would have done cannot be said: " << report.whatIf.error().detail << '\n';
        return;
    }
    out << "\n  What other settings would have done. " << describeBelief(*report.whatIf) << '\n';
    for (const auto &answer : report.whatIf->answers)
        out << "  - " << describe(answer, *report.whatIf) << '\n';
}

void putHeap(std::ostream &out, const HeapProfile &heap, std::size_t top)
{
    if (!heap.firstLine.empty())
        row(out, "first line", safeText(heap.firstLine, 120));
    row(out, "samples", formatExact(static_cast<std::int64_t>(heap.samples.size())));
    for (std::size_t i = 0; i < heap.sampleTypes.size() && i < heap.valueSums.size(); ++i) {
        const auto &type = heap.sampleTypes[i];
        row(out, safeText(type.type, 24),
            type.unit == "bytes" ? bytes(heap.valueSums[i]) : formatExact(heap.valueSums[i]) + (type.unit == "count" ? std::string() : ' ' + safeText(type.unit, 24)));
    }
    constexpr std::size_t kListed = 12;
    for (const auto &[key, sums] : heap.labelSums) {
        if (sums.size() > kListed) {
            row(out, safeText(key, 24), count(sums.size(), "value", "different values"));
            continue;
        }
        for (const auto &[value, sum] : sums)
            row(out, safeText(key, 24), safeText(value, 60) + "   " + bytes(sum));
    }
    const auto holders = heapHolders(heap);
    if (holders.empty())
        return;
    const auto &type = heap.sampleTypes[heap.mainSampleType()];
    out << "\n  Who holds it (" << safeText(type.type, 24) << ")\n";
    for (std::size_t i = 0; i < holders.size() && i < top; ++i) {
        const auto value = holders[i].value;
        out << "    " << (type.unit == "bytes" ? bytes(value) : formatExact(value) + ' ' + safeText(type.unit, 24)) << '\n';
        putFrames(out, heap.stacks, heap.texts, holders[i].stack);
    }
    if (holders.size() > top)
        out << "    … and " << count(holders.size() - top, "more stack", "more stacks") << '\n';
}

void putTimeline(std::ostream &out, const MemoryTimeline &timeline)
{
    row(out, "moments", formatExact(static_cast<std::int64_t>(timeline.moments.size())));
    if (!timeline.peakMoment)
        return;
    const auto &moment = timeline.moments[*timeline.peakMoment];
    row(out, "peak", bytes(timeline.peakBytes) + " at moment " + formatExact(static_cast<std::int64_t>(*timeline.peakMoment)));
    for (std::size_t i = 0; i < kTimelineCategories; ++i) {
        if (moment.bytes[i] != 0)
            row(out, "", std::string(toString(static_cast<TimelineCategory>(i))) + ' ' + bytes(moment.bytes[i]));
    }
}

} // namespace

void printText(const SnapshotReport &report, std::ostream &out)
{
    out << safeText(report.question.file, 512) << ": " << toString(report.file->format) << '\n';
    const auto putWarnings = [&out](const std::vector<std::string> &warnings) {
        for (const auto &warning : warnings)
            out << "\nNote: " << warning << '\n';
    };
    if (const auto *heap = std::get_if<HeapProfile>(&report.file->content)) {
        putHeap(out, *heap, report.question.top);
        putWarnings(heap->warnings);
        return;
    }
    const auto &snapshot = *report.file->snapshot();
    row(out, "file", bytes(snapshot.origin.fileBytes)
                         + (snapshot.origin.pickleProtocol >= 0 ? ", pickle protocol " + std::to_string(snapshot.origin.pickleProtocol) : ""));
    if (!snapshot.origin.torchVersions.empty())
        row(out, "fields of PyTorch", snapshot.origin.torchVersions);
    if (const auto conf = snapshot.setting("PYTORCH_CUDA_ALLOC_CONF"); conf && !conf->empty())
        row(out, "allocator settings", safeText(*conf, 200));
    if (const auto *timeline = std::get_if<MemoryTimeline>(&report.file->content); timeline && !timeline->isRaw)
        putTimeline(out, *timeline);
    for (const auto &device : report.devices)
        putDevice(out, report, snapshot, device);
    for (const auto &oom : report.ooms)
        putOom(out, snapshot, oom);
    putWarnings(report.notes);
}

} // namespace plimsoll
