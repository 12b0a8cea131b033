// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/notes.h"

#include "snapshot/levels.h"
#include "snapshot/segment_map.h"
#include "snapshot/wrapping.h"

#include "base/format.h"

#include <algorithm>

namespace plimsoll {
namespace {

std::string bytes(std::int64_t value)
{
    return formatBytes(static_cast<double>(value)).text() + " (" + formatExact(value) + " bytes)";
}
std::string bytes(std::uint64_t value)
{
    return bytes(static_cast<std::int64_t>(value));
}

std::string counted(std::uint64_t count, const char *one, const char *many)
{
    return formatExact(static_cast<std::int64_t>(count)) + ' ' + (count == 1 ? one : many);
}

bool isOfPyTorch(const MemorySnapshot &snapshot) noexcept
{
    const auto format = snapshot.origin.format;
    return format == SnapshotOrigin::Format::Pickle || format == SnapshotOrigin::Format::Json || format == SnapshotOrigin::Format::Sqlite;
}

bool hasBlockStacks(const MemorySnapshot &snapshot)
{
    return std::any_of(snapshot.blocks.begin(), snapshot.blocks.end(), [](const MemoryBlock &block) { return block.stack > kEmptyStack; });
}

void addBefore(std::vector<std::string> &notes, const Replay &replay, const DeviceCensus &census)
{
    const auto &trace = census.trace;
    const auto before = trace.freesWithoutAlloc + trace.blocksNeverInTrace + trace.pendingBeforeTrace;
    const auto size = trace.freesWithoutAllocBytes + trace.blocksNeverInTraceBytes + trace.pendingBeforeTraceBytes;
    const auto &list = replay.device().list;
    const auto overflowed = list ? replay.snapshot().devices[*list].hasOverflowed : std::nullopt;
    if (census.events <= 1) // there is no history that could begin late
        return;
    std::string text;
    if (overflowed.value_or(false))
        text = "The ring of events was full and lost its oldest ones";
    if (before > 0) {
        text += text.empty() ? "The history begins late" : "";
        text += ": " + counted(before, "allocation", "allocations") + " of " + bytes(size) + (before == 1 ? " was" : " were")
            + " there before it. The level counts them exactly";
        if (trace.freesWithoutAlloc > 0)
            text += trace.freesWithoutAlloc == 1 ? std::string("; of the one that was freed later only the stack of the free is known")
                                                 : "; of the " + formatExact(static_cast<std::int64_t>(trace.freesWithoutAlloc))
                    + " that were freed later only the stack of the free is known";
    }
    if (!text.empty())
        notes.push_back(text + '.');
    if (replay.hasAllocations() && replay.unseenAtStart() > 0)
        notes.push_back(bytes(replay.unseenAtStart())
                        + " were allocated before the first event, by the running totals of the file; nothing says what they were.");
    if (trace.pendingBeforeTrace > 0)
        notes.push_back(counted(trace.pendingBeforeTrace, "block", "blocks") + " of " + bytes(trace.pendingBeforeTraceBytes)
                        + " waited for another stream all the time; the peak with them is "
                        + bytes(wrappingAdd(trace.peakAbsolute, static_cast<std::int64_t>(trace.pendingBeforeTraceBytes))) + '.');
}

void addContradictions(std::vector<std::string> &notes, const Replay &replay, const DeviceCensus &census)
{
    const auto &trace = census.trace;
    if (trace.reservedAtStart < 0) {
        notes.push_back("Reserved memory would have been " + bytes(trace.reservedAtStart)
                        + " at the start: events of segments are missing, or segments of the end are. The curve of reserved memory is too low.");
    } else if (census.events > 0 && census.reserved > 0) {
        const auto then = reservedAt(replay, replay.peakInstant());
        if (replay.peakLevel() > then)
            notes.push_back("At the peak " + bytes(replay.peakLevel()) + " were requested, but only " + bytes(then)
                            + " reserved: events and segments of this file don't fit together.");
    }
    if (census.segmentsNotTiled > 0)
        notes.push_back(counted(census.segmentsNotTiled, "segment is", "segments are") + " not filled by the blocks listed for "
                        + (census.segmentsNotTiled == 1 ? "it" : "them") + '.');
    if (trace.allocsOfLiveAddress > 0)
        notes.push_back(counted(trace.allocsOfLiveAddress, "allocation", "allocations")
                        + " came at an address that was still in use: frees are missing before; the old ones end there.");
    if (trace.liveNotInBlocks > 0 && census.segments > 0)
        notes.push_back(counted(trace.liveNotInBlocks, "allocation", "allocations")
                        + " of the trace " + (trace.liveNotInBlocks == 1 ? "is" : "are")
                        + " alive at its end, but no block says so: freed between the copy of the trace and that of the blocks, "
                          "or waiting for a stream.");
    if (trace.timeGoesBack > 0)
        notes.push_back("The clock goes back " + counted(trace.timeGoesBack, "time", "times")
                        + "; on an axis of time these events stand where the latest before them does.");
    if (!replay.hasAllocations())
        notes.push_back("The events of this device name no addresses, so only the level is known: not what was alive, nor who made it.");
    else if (trace.eventsWithoutAddress > 0)
        notes.push_back(counted(trace.eventsWithoutAddress, "event has", "events have") + " no address and can't be matched.");
    if (replay.oddities().endsAtRequest)
        notes.push_back("No free was completed in this trace, so allocations end where their free was requested.");
}

void addSegmentOddities(std::vector<std::string> &notes, const Replay &replay)
{
    const SegmentMap map(replay);
    if (map.oddEvents() > 0)
        notes.push_back(counted(map.oddEvents(), "segment or event of one", "segments or events of them")
                        + " did not fit the others (overlapping, or nowhere to be found); the map of addresses is a guess there.");
}

void addMissing(std::vector<std::string> &notes, const Replay &replay, const DeviceCensus &census)
{
    std::uint64_t without = 0;
    for (auto id = replay.beforeCount(); id < replay.size(); ++id)
        without += replay.stacks()[id] <= kEmptyStack ? 1 : 0;
    const auto traced = replay.size() - replay.beforeCount();
    if (without > 0)
        notes.push_back((without == traced ? std::string("No allocation") : formatExact(static_cast<std::int64_t>(without)) + " of "
                             + counted(traced, "allocation", "allocations"))
                        + (without == traced ? " of the trace has a stack." : " of the trace have no stack."));
    std::string unknown;
    for (const auto &[name, count] : census.eventsByAction) {
        bool isKnown = false;
        for (std::size_t a = 0; a < kKnownActions; ++a)
            isKnown = isKnown || name == toString(static_cast<TraceAction>(a));
        if (!isKnown)
            unknown += (unknown.empty() ? "" : ", ") + name + " (" + formatExact(static_cast<std::int64_t>(count)) + ')';
    }
    if (!unknown.empty())
        notes.push_back("Events that this version does not know, and that change nothing here: " + unknown + '.');
}

} // namespace

std::vector<std::string> notesOn(const MemorySnapshot &snapshot, const FileCensus &census)
{
    std::vector<std::string> notes;
    std::size_t events = 0;
    bool isOneEach = !census.devices.empty();
    for (const auto &device : census.devices) {
        events += device.events;
        isOneEach = isOneEach && device.events <= 1;
    }
    if (!isOfPyTorch(snapshot))
        return notes;
    constexpr const char *kHow = " Call torch.cuda.memory._record_memory_history() before the work begins, and dump before it is "
                                 "switched off.";
    if (census.devices.empty()) {
        notes.push_back("This snapshot is empty: no segments and no events on " + counted(snapshot.origin.traceLists, "device", "devices")
                        + ". Was CUDA used in this process, and was recording on?" + kHow);
    } else if (events == 0) {
        notes.push_back((hasBlockStacks(snapshot) ? std::string("There is no history, only what was allocated in the end and by whom: "
                                                                "events were not recorded, or recording was switched off before the dump.")
                                                  : std::string("There is no history and there are no stacks, only what was allocated in "
                                                                "the end: recording was not on."))
                        + kHow);
    } else if (isOneEach) {
        notes.push_back(std::string("One event a device means that no history was recorded (the mode \"state\", or max_entries=1); "
                                    "what the file shows is its end.")
                        + kHow);
    }
    return notes;
}

std::vector<std::string> notesOn(const Replay &replay, const DeviceCensus &census)
{
    std::vector<std::string> notes;
    addBefore(notes, replay, census);
    addContradictions(notes, replay, census);
    addSegmentOddities(notes, replay);
    addMissing(notes, replay, census);
    return notes;
}

} // namespace plimsoll
