// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_builder.h"

#include <algorithm>

namespace plimsoll {
namespace {

std::int32_t ordinalOf(const PickleValue &value) noexcept
{
    if (!value.is(PickleTag::Int))
        return 0;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(static_cast<std::int64_t>(value.bits), INT32_MIN, INT32_MAX));
}

std::optional<bool> boolOf(const PickleValue &value) noexcept
{
    if (value.is(PickleTag::Constant) && value.bits != 0)
        return value.bits == 2;
    if (value.isNumber())
        return value.bits != 0;
    return std::nullopt;
}

TorchKey keyOf(const PickleValue &key) noexcept
{
    return key.is(PickleTag::Text) && key.id() < kTorchKeys ? static_cast<TorchKey>(key.id()) : TorchKey::Count;
}

} // namespace

void TorchBuilder::build(const PickleValue &raw)
{
    const auto top = m_draft.resolved(raw);
    auto &snapshot = m_draft.snapshot;
    if (const auto *dict = m_draft.dictOf(top)) {
        readTop(*dict);
    } else if (const auto items = m_draft.itemsOf(top); items && !top.is(PickleTag::Stack)) {
        const bool isSnapshot = items->empty() || std::any_of(items->begin(), items->end(), [&](const PickleValue &item) {
            const auto *one = m_draft.dictOf(item);
            return one != nullptr && (one->keys & (bitOf(TorchKey::TotalSize) | bitOf(TorchKey::Blocks))) != 0;
        });
        if (!isSnapshot)
            throw PickleRefusal{{Error::Code::Unsupported, "This pickle holds a list, but not one of memory segments."}};
        snapshot.origin.isTopLevelList = true;
        m_features.isTopLevelList = true;
        readSegments(top);
    } else if (top.is(PickleTag::Stack) && top.id() == kEmptyStack) {
        snapshot.origin.isTopLevelList = true;
        m_features.isTopLevelList = true;
    } else {
        throw PickleRefusal{{Error::Code::Unsupported,
                             "This pickle holds neither a dictionary nor a list, so it is no memory snapshot."}};
    }
    gatherEvents();
    applyRing();
    tell();
}

void TorchBuilder::readTop(const PickleObject &top)
{
    constexpr auto kOurs = bitOf(TorchKey::Segments) | bitOf(TorchKey::DeviceTraces) | bitOf(TorchKey::HostSegments)
        | bitOf(TorchKey::HostTraces);
    if ((top.keys & kOurs) == 0)
        throw PickleRefusal{{Error::Code::Unsupported, "This pickle holds a dictionary without segments and without "
                                                       "device_traces, so it is no memory snapshot."}};
    auto &origin = m_draft.snapshot.origin;
    for (std::size_t i = 0; i + 1 < top.items.size(); i += 2) {
        const auto key = m_draft.resolved(top.items[i]);
        auto name = m_draft.jsonOf(key, true);
        const auto which = keyOf(key);
        const bool isRepeated = std::find(origin.topLevel.begin(), origin.topLevel.end(), name) != origin.topLevel.end();
        if (!isRepeated)
            origin.topLevel.push_back(name);
        if (isRepeated && which != TorchKey::Count)
            continue; // the last one counts, and find gives that
        const auto value = which == TorchKey::Count ? m_draft.resolved(top.items[i + 1]) : m_draft.find(top, which);
        switch (which) {
        case TorchKey::Segments: readSegments(value); break;
        case TorchKey::DeviceTraces: readTraces(value, MemoryKind::Accelerator); break;
        case TorchKey::HostSegments:
            m_features.hasHostSegments = true;
            readHostSegments(value);
            break;
        case TorchKey::HostTraces: break; // behind those of the devices
        case TorchKey::AllocatorSettings:
            m_features.hasSettings = true;
            if (const auto *settings = m_draft.dictOf(value))
                readSettings(*settings);
            else
                m_draft.countOdd("allocator_settings");
            break;
        case TorchKey::ExternalAnnotations:
            m_features.hasAnnotations = true;
            readAnnotations(value);
            break;
        case TorchKey::MaxEntries:
        case TorchKey::Overflowed: readRing(which, value); break;
        default:
            m_draft.snapshot.unknownKeys["snapshot." + name.substr(0, 128)] += 1;
            m_draft.snapshot.attributes.emplace_back(std::move(name), m_draft.jsonOf(value, false));
        }
    }
    if ((top.keys & bitOf(TorchKey::HostTraces)) != 0)
        readTraces(m_draft.find(top, TorchKey::HostTraces), MemoryKind::PinnedHost);
}

void TorchBuilder::readSegments(const PickleValue &value)
{
    const auto items = m_draft.itemsOf(value);
    if (!items) {
        m_draft.countOdd("segments");
        return;
    }
    for (const auto &item : *items) {
        count(1);
        if (const auto *dict = m_draft.dictOf(item))
            readSegment(*dict);
        else
            m_draft.countOdd("segments");
    }
    m_features.hasSegments = !items->empty();
}

void TorchBuilder::readSegment(const PickleObject &dict)
{
    auto &snapshot = m_draft.snapshot;
    MemorySegment segment;
    PickleValue blocks;
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
        const auto key = dict.items[i];
        const auto value = m_draft.resolved(dict.items[i + 1]);
        switch (keyOf(key)) {
        case TorchKey::Device: segment.device = ordinalOf(value); break;
        case TorchKey::Address: segment.address = m_draft.addressOf(value, "segment.address"); break;
        case TorchKey::TotalSize: {
            const auto size = m_draft.sizeOf(value, "segment.total_size");
            segment.totalSize = size == kUnknownBytes ? 0 : size;
            break;
        }
        case TorchKey::AllocatedSize: segment.allocatedSize = m_draft.sizeOf(value, "segment.allocated_size"); break;
        case TorchKey::ActiveSize: segment.activeSize = m_draft.sizeOf(value, "segment.active_size"); break;
        case TorchKey::RequestedSize: segment.requestedSize = m_draft.sizeOf(value, "segment.requested_size"); break;
        case TorchKey::Stream: segment.stream = value.isNumber() ? m_draft.rows.streamOf(value.bits) : 0; break;
        case TorchKey::SegmentType:
            if (value.is(PickleTag::Text) && snapshot.texts[value.id()] == "large")
                segment.isLarge = true;
            else if (value.is(PickleTag::Text) && snapshot.texts[value.id()] == "small")
                segment.isLarge = false;
            else
                m_draft.countOdd("segment.segment_type");
            break;
        case TorchKey::SegmentPoolId:
            segment.pool = m_draft.poolOf(value);
            m_features.hasBlockAddress = true;
            break;
        case TorchKey::IsExpandable:
            segment.isExpandable = boolOf(value);
            m_features.hasBlockAddress = true;
            break;
        case TorchKey::Frames: segment.stack = m_draft.stackOf(value); break;
        case TorchKey::Blocks: blocks = value; break;
        default: m_draft.countUnknown("segment.", m_draft.intern(m_draft.jsonOf(key, true)));
        }
    }
    segment.firstBlock = snapshot.blocks.size();
    if (!blocks.is(PickleTag::Unset))
        readBlocks(blocks, segment);
    segment.blockCount = snapshot.blocks.size() - segment.firstBlock;
    snapshot.segments.push_back(segment);
}

void TorchBuilder::readBlocks(const PickleValue &value, MemorySegment &segment)
{
    const auto items = m_draft.itemsOf(value);
    if (!items) {
        m_draft.countOdd("segment.blocks");
        return;
    }
    auto address = segment.address;
    for (const auto &item : *items) {
        count(1);
        const auto block = m_draft.resolved(item);
        if (!block.is(PickleTag::Block)) {
            m_draft.countOdd("segment.blocks");
            continue;
        }
        auto &row = m_draft.snapshot.blocks.emplace_back(m_draft.blocks[block.id()]);
        if (row.address == kUnknownBytes && segment.address != kUnknownBytes)
            row.address = address;
        address = (segment.address == kUnknownBytes ? kUnknownBytes : row.address + row.size);
    }
}

void TorchBuilder::readHostSegments(const PickleValue &value)
{
    const auto items = m_draft.itemsOf(value);
    if (!items) {
        m_draft.countOdd("host_segments");
        return;
    }
    for (const auto &item : *items) {
        count(1);
        const auto *dict = m_draft.dictOf(item);
        if (dict == nullptr) {
            m_draft.countOdd("host_segments");
            continue;
        }
        MemorySegment segment;
        MemoryBlock block;
        std::optional<bool> isAllocated;
        std::optional<bool> isActive;
        for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2) {
            const auto key = dict->items[i];
            const auto part = m_draft.resolved(dict->items[i + 1]);
            switch (keyOf(key)) {
            case TorchKey::Device: segment.device = ordinalOf(part); break;
            case TorchKey::Addr:
            case TorchKey::Address: segment.address = m_draft.addressOf(part, "host_segment.address"); break;
            case TorchKey::TotalSize:
            case TorchKey::Size: {
                const auto size = m_draft.sizeOf(part, "host_segment.size");
                segment.totalSize = size == kUnknownBytes ? 0 : size;
                break;
            }
            case TorchKey::RequestedSize: block.requested = m_draft.sizeOf(part, "host_segment.requested_size"); break;
            case TorchKey::Allocated: isAllocated = boolOf(part); break;
            case TorchKey::Active: isActive = boolOf(part); break;
            case TorchKey::Stream: segment.stream = part.isNumber() ? m_draft.rows.streamOf(part.bits) : 0; break;
            case TorchKey::PoolId:
            case TorchKey::SegmentPoolId: segment.pool = m_draft.poolOf(part); break;
            case TorchKey::Frames: segment.stack = m_draft.stackOf(part); break;
            default: m_draft.countUnknown("host_segment.", m_draft.intern(m_draft.jsonOf(key, true)));
            }
        }
        block.address = segment.address;
        block.size = segment.totalSize;
        block.stack = segment.stack;
        if (isAllocated.value_or(false))
            block.state = BlockState::ActiveAllocated;
        else if (isActive.value_or(false))
            block.state = BlockState::ActivePendingFree;
        else if (isAllocated || isActive)
            block.state = BlockState::Inactive;
        if (isAllocated)
            segment.allocatedSize = *isAllocated ? segment.totalSize : 0;
        if (isActive || isAllocated)
            segment.activeSize = isActive.value_or(false) || isAllocated.value_or(false) ? segment.totalSize : 0;
        segment.firstBlock = m_draft.snapshot.hostBlocks.size();
        segment.blockCount = 1;
        m_draft.snapshot.hostBlocks.push_back(block);
        m_draft.snapshot.hostSegments.push_back(segment);
    }
}

TorchBuilder::Runs TorchBuilder::runsOf(std::span<const PickleValue> items)
{
    Runs runs;
    for (const auto &raw : items) {
        const auto item = m_draft.resolved(raw);
        if (!item.is(PickleTag::Run)) {
            m_draft.countOdd("a trace holds something that is no event");
            continue;
        }
        count(item.count());
        if (!runs.empty() && runs.back().first + runs.back().second == item.id())
            runs.back().second += item.count();
        else
            runs.emplace_back(item.id(), item.count());
    }
    return runs;
}

void TorchBuilder::readTraces(const PickleValue &value, MemoryKind kind)
{
    const auto items = m_draft.itemsOf(value);
    if (!items) {
        m_draft.countOdd(kind == MemoryKind::Accelerator ? "device_traces" : "host_traces");
        return;
    }
    // A list of lists, one a device; or one list of events.
    Runs loose;
    std::size_t lists = 0;
    for (const auto &item : *items) {
        count(1);
        if (const auto inner = m_draft.itemsOf(item)) {
            addDevice(kind, runsOf(*inner));
            ++lists;
            continue;
        }
        const auto single = runsOf({&item, 1});
        auto &into = lists == 0 ? loose : m_runs.back(); // behind a list: what a cut off file had not appended yet
        into.insert(into.end(), single.begin(), single.end());
        if (lists != 0)
            for (const auto &run : single)
                m_draft.snapshot.devices.back().eventCount += run.second;
    }
    if (!loose.empty())
        addDevice(kind, std::move(loose));
    if (kind == MemoryKind::Accelerator)
        m_draft.snapshot.origin.traceLists = lists;
}

void TorchBuilder::addDevice(MemoryKind kind, Runs runs)
{
    auto &devices = m_draft.snapshot.devices;
    TraceDevice device;
    device.kind = kind;
    device.ordinal = static_cast<std::int32_t>(
        std::count_if(devices.begin(), devices.end(), [kind](const TraceDevice &other) { return other.kind == kind; }));
    for (const auto &run : runs)
        device.eventCount += run.second;
    devices.push_back(device);
    m_runs.push_back(std::move(runs));
}

void TorchBuilder::gatherEvents()
{
    auto &snapshot = m_draft.snapshot;
    std::size_t row = 0;
    bool isInOrder = true;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        snapshot.devices[i].firstEvent = row;
        for (const auto &[first, count] : m_runs[i]) {
            isInOrder = isInOrder && first == row;
            row += count;
        }
    }
    m_features.hasEvents = row != 0;
    if (isInOrder && row == snapshot.events.size())
        return;
    // Devices whose events were mixed, or dictionaries with an "action" that stood elsewhere.
    if (row > snapshot.events.size())
        m_draft.warn("Some events are named more than once in the file; they are shown as often.");
    EventColumns ordered(row);
    for (const auto &runs : m_runs)
        for (const auto &[first, count] : runs)
            for (std::size_t i = 0; i < count; ++i) {
                checkStop();
                ordered.append(snapshot.events[first + i]);
            }
    snapshot.events = std::move(ordered);
}

void TorchBuilder::readSettings(const PickleObject &dict)
{
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
        count(1);
        const auto key = dict.items[i];
        const auto which = keyOf(key);
        if (which == TorchKey::StreamReuse)
            m_features.hasStreamReuse = true;
        else if (which == TorchKey::MaxEntries || which == TorchKey::Overflowed)
            readRing(which, m_draft.resolved(dict.items[i + 1]));
        m_draft.snapshot.settings.emplace_back(m_draft.jsonOf(key, true), m_draft.jsonOf(dict.items[i + 1], false));
    }
}

void TorchBuilder::readAnnotations(const PickleValue &value)
{
    const auto items = m_draft.itemsOf(value);
    if (!items) {
        m_draft.countOdd("external_annotations");
        return;
    }
    for (const auto &item : *items) {
        count(1);
        const auto *dict = m_draft.dictOf(item);
        if (dict == nullptr) {
            m_draft.countOdd("external_annotations");
            continue;
        }
        TraceAnnotation annotation;
        for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2) {
            const auto key = dict->items[i];
            const auto part = m_draft.resolved(dict->items[i + 1]);
            switch (keyOf(key)) {
            case TorchKey::Device: annotation.device = ordinalOf(part); break;
            case TorchKey::TimeUs:
                if (part.is(PickleTag::Int))
                    annotation.timeUs = static_cast<std::int64_t>(part.bits);
                break;
            case TorchKey::Stage: {
                const auto stage = part.is(PickleTag::Text) ? m_draft.snapshot.texts[part.id()] : std::string_view{};
                if (stage == "START")
                    annotation.stage = TraceAnnotation::Stage::Start;
                else if (stage == "END")
                    annotation.stage = TraceAnnotation::Stage::End;
                break;
            }
            case TorchKey::Name: annotation.name = part.is(PickleTag::Text) ? part.id() : m_draft.intern(m_draft.jsonOf(part, true)); break;
            default: m_draft.countUnknown("annotation.", m_draft.intern(m_draft.jsonOf(key, true)));
            }
        }
        m_draft.snapshot.annotations.push_back(annotation);
    }
}

void TorchBuilder::readRing(TorchKey key, const PickleValue &value)
{
    m_features.hasEventPool = true;
    (key == TorchKey::MaxEntries ? m_maxEntries : m_overflowed) = value;
}

void TorchBuilder::applyRing()
{
    const auto of = [&](const PickleValue &value, std::size_t device) -> PickleValue {
        if (value.is(PickleTag::Pair)) // a tuple of two numbers
            return device < 2 ? PickleValue{PickleTag::Int, static_cast<std::uint64_t>(device == 0 ? m_draft.pairs[value.id()].first
                                                                                                  : m_draft.pairs[value.id()].second)}
                              : PickleValue{};
        if (const auto list = m_draft.itemsOf(value))
            return device < list->size() ? m_draft.resolved((*list)[device]) : PickleValue{};
        return value;
    };
    std::size_t index = 0;
    for (auto &device : m_draft.snapshot.devices) {
        if (device.kind != MemoryKind::Accelerator)
            continue;
        device.hasOverflowed = boolOf(of(m_overflowed, index));
        if (const auto most = of(m_maxEntries, index); most.isNumber() && static_cast<std::int64_t>(most.bits) >= 0)
            device.maxEntries = most.bits;
        ++index;
    }
}

void TorchBuilder::tell()
{
    const auto events = m_draft.rows.keysSeen();
    const auto blocks = m_draft.blockKeys;
    m_features.hasTime = (events & bitOf(TorchKey::TimeUs)) != 0;
    m_features.hasCompileContext = (events & bitOf(TorchKey::CompileContext)) != 0;
    m_features.hasUserMetadata = (events & bitOf(TorchKey::UserMetadata)) != 0;
    m_features.hasEventPool = m_features.hasEventPool || (events & bitOf(TorchKey::PoolId)) != 0;
    m_features.hasAnnotateEvents = m_draft.rows.hasAnnotate();
    m_features.hasHistory = (blocks & bitOf(TorchKey::History)) != 0;
    m_features.hasRequestedSize = (blocks & bitOf(TorchKey::RequestedSize)) != 0;
    m_features.hasBlockAddress = m_features.hasBlockAddress || (blocks & bitOf(TorchKey::Address)) != 0;
    m_draft.snapshot.origin.torchVersions = torchVersions(m_features);
}

void TorchBuilder::count(std::uint64_t rows)
{
    if (rows > m_rowsLeft)
        throw PickleRefusal{{Error::Code::TooLarge, "The file names the same segments, blocks or events again and again: "
                                                    "it would hold more of them than it has bytes."}};
    m_rowsLeft -= rows;
    checkStop();
}

void TorchBuilder::checkStop()
{
    if ((++m_visited & 0xfffU) == 0 && m_reading.stop.stop_requested())
        throw PickleRefusal{{Error::Code::Cancelled, "Reading was cancelled."}};
}

} // namespace plimsoll
