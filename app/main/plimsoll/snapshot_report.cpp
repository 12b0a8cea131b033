// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot_report.h"

#include "base/text.h"
#include "snapshot/frame_filter.h"
#include "snapshot/grouping.h"
#include "snapshot/notes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace plimsoll {
namespace {

std::string nameOf(const SnapshotDevice &device)
{
    switch (device.kind) {
    case MemoryKind::PinnedHost: return "pinned host memory";
    case MemoryKind::Cpu: return "the CPU";
    case MemoryKind::Accelerator: break;
    }
    return "device " + std::to_string(device.ordinal);
}

Result<EventInstant> instantOf(const SnapshotQuestion &question, const Replay &replay)
{
    switch (question.at) {
    case SnapshotQuestion::At::Peak: return replay.peakInstant();
    case SnapshotQuestion::At::Oom: {
        const auto moments = oomMoments(replay);
        return moments.empty() ? replay.peakInstant() : moments.front().instant;
    }
    case SnapshotQuestion::At::Event: break;
    }
    if (question.event >= replay.end())
        return failure(Error::Code::BadInput, "There is no event " + std::to_string(question.event) + " on " + nameOf(replay.device())
                                                  + ": its trace has " + std::to_string(replay.end()) + " events, counted from 0.");
    return static_cast<EventInstant>(question.event + 1);
}

Result<DeviceReport> reportOf(const SnapshotQuestion &question, const MemorySnapshot &snapshot, const SnapshotDevice &device,
                              const std::stop_token &stop)
{
    DeviceReport out;
    out.device = device;
    out.replay = std::make_unique<Replay>(snapshot, device, stop);
    if (out.replay->isCancelled())
        return failure(Error::Code::Cancelled, "Cancelled.");
    out.census = censusOf(*out.replay, stop);
    const auto at = instantOf(question, *out.replay);
    if (!at)
        return tl::make_unexpected(at.error());
    out.at = *at;
    out.level = out.replay->levelAt(out.at);
    out.holders = aliveByStack(*out.replay, out.at);
    if (out.replay->hasAllocations()) {
        auto steps = findSteps(*out.replay, stop);
        out.categories = Categories(*out.replay, steps, stop).aliveAt(out.at);
        out.sizeClasses = sizeClassesAt(*out.replay, out.at);
        out.leaks = findLeaks(*out.replay, 0, std::move(steps));
    }
    out.notes = notesOn(*out.replay, out.census, stop);
    if (stop.stop_requested())
        return failure(Error::Code::Cancelled, "Cancelled.");
    return out;
}

Result<void> addOoms(const Replay &replay, std::size_t top, const std::stop_token &stop, std::vector<OomReport> &out)
{
    OomQuestion question;
    question.top = top;
    auto ooms = explainOoms(replay, question, stop);
    if (!ooms)
        return tl::make_unexpected(ooms.error());
    if (ooms->empty())
        return {};
    // Each answer replays the trace ten times: a trace with hundreds of failures is not worth hours.
    constexpr std::size_t kMostAnswered = 8;
    const auto ground = whatIfGround(replay, stop);
    std::size_t answered = 0;
    for (auto &oom : *ooms) {
        Result<WhatIfReport> answer = failure(Error::Code::TooLarge, "only the first " + std::to_string(kMostAnswered)
                                                                         + " failures of a device are tried with other settings.");
        if (!ground)
            answer = tl::make_unexpected(ground.error());
        else if (answered++ < kMostAnswered)
            answer = whatIf(replay, *ground, oom, usualVariants(ground->settings.options), stop);
        if (!answer && answer.error().code == Error::Code::Cancelled)
            return tl::make_unexpected(answer.error());
        out.push_back({std::move(oom), std::move(answer)});
    }
    return {};
}

std::size_t deepestOfEvents(const MemorySnapshot &snapshot)
{
    std::vector<bool> isUsed(snapshot.stacks.stackCount());
    for (const auto stack : snapshot.events.stack.span())
        isUsed[stack] = true;
    std::size_t deepest = 0;
    for (StackId id = 0; id < isUsed.size(); ++id) {
        if (isUsed[id])
            deepest = std::max(deepest, snapshot.stacks.depth(id));
    }
    return deepest;
}

// Without the line where nobody knows it: 0, or 2^64−1 of a look-up that failed.
std::string shownFrame(const StackTable &stacks, const TextTable &texts, FrameId id)
{
    const auto &frame = stacks.frame(id);
    if (frame.line != 0 && frame.line != UINT64_MAX)
        return frameText(stacks, texts, id);
    return std::string(texts[frame.file]) + ' ' + std::string(texts[frame.name]);
}

} // namespace

std::vector<std::string> framesOf(const StackTable &stacks, const TextTable &texts, StackId stack, std::size_t limit)
{
    // What tells most: the innermost Python line, then those of the program itself; of a stack
    // without Python what is no plumbing; of one that is plumbing all through, that.
    enum Kind { Own, Python, Native, Plumbing };
    const auto kindOf = [&](FrameId id) {
        const auto &frame = stacks.frame(id);
        const auto file = texts[frame.file];
        const auto name = texts[frame.name];
        if (frameGroups(file, name) != 0 || name == "_call_impl" || name == "_wrapped_call_impl")
            return Plumbing;
        if (!file.ends_with(".py") && !file.starts_with('<'))
            return Native;
        return isLibraryFile(file) ? Python : Own;
    };
    const auto frames = stacks.stack(stack);
    std::vector<std::string> out;
    const auto take = [&](auto isWanted) {
        for (std::size_t i = 0; i < frames.size() && out.size() < limit; ++i) {
            if (isWanted(kindOf(frames[i])))
                out.push_back(safeText(shownFrame(stacks, texts, frames[i]), 240));
        }
    };
    bool isFirst = true; // of the Python frames
    take([&isFirst](Kind kind) { return kind == Own || (kind == Python && std::exchange(isFirst, false)); });
    if (out.empty())
        take([](Kind kind) { return kind == Native; });
    if (out.empty())
        take([](Kind) { return true; });
    return out;
}

std::vector<HeapHolder> heapHolders(const HeapProfile &heap)
{
    const auto types = heap.sampleTypes.size();
    const auto main = heap.mainSampleType();
    std::map<StackId, std::int64_t> byStack; // samples may share a stack and differ in their labels
    for (std::size_t i = 0; i < heap.samples.size() && main < types; ++i)
        byStack[heap.samples[i].stack] += heap.values[i * types + main];
    std::vector<HeapHolder> out;
    for (const auto &[stack, value] : byStack) {
        if (value != 0)
            out.push_back({stack, value});
    }
    std::stable_sort(out.begin(), out.end(), [](const auto &a, const auto &b) { return a.value > b.value; });
    return out;
}

Result<SnapshotReport> report(const SnapshotQuestion &question, const SnapshotReading &reading)
{
    auto file = openSnapshotFile(question.file, reading);
    if (!file)
        return tl::make_unexpected(file.error());
    SnapshotReport out;
    out.question = question;
    out.file = std::make_unique<SnapshotFile>(std::move(*file));
    const auto *snapshot = out.file->snapshot();
    if (!snapshot)
        return out;
    if (question.json && out.file->format == SnapshotFormat::TorchPickle) {
        auto bytes = openBytes(question.file);
        if (!bytes)
            return tl::make_unexpected(bytes.error());
        if (auto opcodes = countOpcodes(**bytes, reading))
            out.opcodes = std::move(*opcodes);
    }
    out.deepestStack = deepestOfEvents(*snapshot);

    constexpr std::size_t kMostDevices = 1'024; // a file may claim any number
    const auto devices = devicesOf(*snapshot);
    if (devices.size() > kMostDevices && !question.device)
        return failure(Error::Code::TooLarge, question.file + ": it names " + std::to_string(devices.size())
                                                  + " devices; --device N explains one of them.");
    for (const auto &device : devices) {
        if (question.device && (device.kind != MemoryKind::Accelerator || device.ordinal != *question.device))
            continue;
        auto one = reportOf(question, *snapshot, device, reading.stop);
        if (!one) {
            // One device may well have fewer events than another that was meant.
            if (one.error().code == Error::Code::BadInput && !question.device && devices.size() > 1)
                continue;
            return tl::make_unexpected(one.error());
        }
        out.devices.push_back(std::move(*one));
    }
    if (out.devices.empty() && question.device)
        return failure(Error::Code::BadInput, question.file + ": nothing is known of device " + std::to_string(*question.device) + " here.");
    if (out.devices.empty() && !devices.empty())
        return failure(Error::Code::BadInput, question.file + ": no device has an event " + std::to_string(question.event) + '.');

    for (const auto &device : out.devices)
        out.census.devices.push_back(device.census);
    out.notes = notesOn(*snapshot, out.census);
    for (const auto &device : out.devices) {
        if (auto done = addOoms(*device.replay, question.top, reading.stop, out.ooms); !done)
            return tl::make_unexpected(done.error());
    }
    if (question.at == SnapshotQuestion::At::Oom && out.ooms.empty())
        return failure(Error::Code::BadInput, question.file + ": no out-of-memory event is recorded here. --at peak shows the highest moment.");
    return out;
}

} // namespace plimsoll
