// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/find.h"

#include "snapshot/frame_text.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace plimsoll {

FrameIndex::FrameIndex(const MemorySnapshot &snapshot) : m_snapshot(&snapshot)
{
    const auto count = snapshot.stacks.frameCount();
    m_starts.reserve(count + 1);
    for (FrameId id = 0; id < count; ++id) {
        m_starts.push_back(m_text.size());
        const auto &frame = snapshot.stacks.frame(id);
        appendLowerCase(m_text, snapshot.texts[frame.file]);
        m_text += ':';
        m_text += std::to_string(frame.line);
        m_text += ' ';
        appendLowerCase(m_text, snapshot.texts[frame.name]);
        m_text += '\n';
    }
    m_starts.push_back(m_text.size());
    for (const auto byte : m_text)
        ++m_frequency[static_cast<unsigned char>(byte)];
    m_events.resize(snapshot.stacks.stackCount());
    m_allocations.resize(snapshot.stacks.stackCount());
}

void FrameIndex::count(const Replay &replay)
{
    const auto &events = m_snapshot->events;
    const auto &device = replay.device();
    for (auto row = device.firstEvent; row < device.firstEvent + device.eventCount; ++row)
        ++m_events[events.stack[row]];
    const auto stacks = replay.stacks();
    for (AllocationId id = 0; id < replay.size(); ++id)
        if (replay.origin(id) != AllocationOrigin::BeforeFreed) // its stack is that of the free
            ++m_allocations[stacks[id]];
}

FindResult FrameIndex::find(std::string_view text) const
{
    FindResult result;
    const auto needle = lowerCase(text);
    if (needle.empty() || needle.find('\n') != std::string::npos)
        return result;
    std::vector<std::uint8_t> isHit(m_snapshot->stacks.frameCount());
    // By its rarest byte: memchr is many times faster than memmem, whose first bytes are in every path.
    std::size_t rare = 0;
    for (std::size_t i = 1; i < needle.size(); ++i)
        if (m_frequency[static_cast<unsigned char>(needle[i])] < m_frequency[static_cast<unsigned char>(needle[rare])])
            rare = i;
    const auto *begin = m_text.data();
    const auto *end = begin + m_text.size();
    std::size_t frame = 0;
    for (const auto *at = begin; at < end;) {
        const auto *hit = static_cast<const char *>(std::memchr(at, needle[rare], static_cast<std::size_t>(end - at)));
        if (!hit)
            break;
        at = hit + 1;
        if (hit - begin < static_cast<std::ptrdiff_t>(rare) || static_cast<std::size_t>(end - hit) < needle.size() - rare
            || std::memcmp(hit - rare, needle.data(), needle.size()) != 0)
            continue;
        const auto offset = static_cast<std::size_t>(hit - begin) - rare;
        frame = static_cast<std::size_t>(std::upper_bound(m_starts.begin() + static_cast<std::ptrdiff_t>(frame), m_starts.end(), offset)
                                         - m_starts.begin()) - 1;
        isHit[frame] = 1;
        result.frames.push_back(static_cast<FrameId>(frame));
        at = begin + m_starts[frame + 1]; // one hit a frame is enough
    }
    if (result.frames.empty())
        return result;
    const auto &stacks = m_snapshot->stacks;
    for (StackId id = 0; id < stacks.stackCount(); ++id) {
        const auto stack = stacks.stack(id);
        bool has = false;
        for (std::size_t i = 0; i < stack.size() && !has; ++i)
            has = isHit[stack[i]] != 0;
        if (!has)
            continue;
        result.stacks.push_back(id);
        result.events += m_events[id];
        result.allocations += m_allocations[id];
    }
    return result;
}

std::optional<std::uint64_t> parseAddress(std::string_view text)
{
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
        base = 16;
    } else if (text.starts_with('b') && text.size() > 1) { // memory_viz: b7f0123456789_2, with or without quotes
        text.remove_prefix(1);
        if (text.starts_with('\''))
            text.remove_prefix(1);
        base = 16;
        text = text.substr(0, text.find('_'));
        if (text.ends_with('\''))
            text.remove_suffix(1);
    }
    std::uint64_t address = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), address, base);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return address;
}

std::vector<AllocationId> allocationsAt(const Replay &replay, std::uint64_t address, bool isWithin)
{
    std::vector<AllocationId> found;
    const auto addresses = replay.addresses();
    const auto sizes = replay.sizes();
    for (std::size_t id = 0; id < addresses.size(); ++id)
        if (addresses[id] == address || (isWithin && address - addresses[id] < sizes[id]))
            found.push_back(static_cast<AllocationId>(id));
    return found;
}

} // namespace plimsoll
