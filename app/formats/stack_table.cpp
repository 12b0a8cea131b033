// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/stack_table.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::size_t kNarrowFrames = 1U << 16U;

std::size_t mix(std::size_t hash, std::uint64_t value) noexcept
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
    return hash ^ (hash >> 29U);
}

std::size_t hashOf(const StackFrame &frame) noexcept
{
    return mix(mix(0, (static_cast<std::uint64_t>(frame.file) << 32U) | frame.name), frame.line);
}

// The whole product, folded: its upper half knows every bit of both.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept
{
    __extension__ using Wide = unsigned __int128;
    const auto product = static_cast<Wide>(a ^ 0x9E3779B97F4A7C15U) * (b ^ 0xD6E8FEB86659FD93U);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint32_t hashOf(std::span<const FrameId> frames) noexcept
{
    std::uint64_t a = frames.size();
    std::uint64_t b = 1;
    std::size_t i = 0;
    const auto two = [&](std::size_t at) { return (static_cast<std::uint64_t>(frames[at]) << 32U) | frames[at + 1]; };
    for (; i + 8 <= frames.size(); i += 8) { // two lanes: one would wait for its own multiplications
        a = fold(two(i), two(i + 2) ^ a);
        b = fold(two(i + 4), two(i + 6) ^ b);
    }
    for (; i < frames.size(); ++i)
        a = fold(frames[i], a);
    const auto hash = fold(a, b);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

} // namespace

StackTable::StackTable() : m_frameSlots(256), m_stackSlots(256)
{
    // Two stacks without frames: absent is never found by content, empty is.
    for (int i = 0; i < 3; ++i)
        m_starts.append(0);
    const auto hash = hashOf(std::span<const FrameId>());
    m_hashes.append(hash);
    m_hashes.append(hash);
    m_stackSlots[hash & (m_stackSlots.size() - 1)] = kEmptyStack + 1;
}

FrameId StackTable::internFrame(const StackFrame &frame)
{
    const auto mask = m_frameSlots.size() - 1;
    auto at = hashOf(frame) & mask;
    for (; m_frameSlots[at] != 0; at = (at + 1) & mask)
        if (m_frames[m_frameSlots[at] - 1] == frame)
            return m_frameSlots[at] - 1;
    const auto id = static_cast<FrameId>(m_frames.size());
    m_frames.push_back(frame);
    m_frameSlots[at] = id + 1;
    if (m_frames.size() * 2 > m_frameSlots.size())
        growFrames();
    if (m_isNarrow && m_frames.size() > kNarrowFrames)
        widen();
    return id;
}

StackId StackTable::internStack(std::span<const FrameId> frames)
{
    const auto hash = hashOf(frames);
    const auto mask = m_stackSlots.size() - 1;
    auto at = hash & mask;
    for (; m_stackSlots[at] != 0; at = (at + 1) & mask)
        if (m_hashes[m_stackSlots[at] - 1] == hash && isSame(m_stackSlots[at] - 1, frames))
            return m_stackSlots[at] - 1;
    const auto id = static_cast<StackId>(stackCount());
    if (m_isNarrow) {
        const auto room = m_narrow.extend(frames.size());
        for (std::size_t i = 0; i < frames.size(); ++i)
            room[i] = static_cast<std::uint16_t>(frames[i]);
        m_starts.append(m_narrow.size());
    } else {
        const auto room = m_wide.extend(frames.size());
        std::copy(frames.begin(), frames.end(), room.begin());
        m_starts.append(m_wide.size());
    }
    m_hashes.append(hash);
    m_stackSlots[at] = id + 1;
    if (stackCount() * 2 > m_stackSlots.size())
        growStacks();
    return id;
}

StackView StackTable::stack(StackId id) const noexcept
{
    if (m_isNarrow)
        return {m_narrow.data() + m_starts[id], depth(id), true};
    return {m_wide.data() + m_starts[id], depth(id), false};
}

std::size_t StackTable::bytes() const noexcept
{
    return m_frames.capacity() * sizeof(StackFrame) + m_narrow.bytes() + m_wide.bytes() + m_starts.bytes() + m_hashes.bytes()
        + (m_frameSlots.size() + m_stackSlots.size()) * 4;
}

std::span<const std::pair<TextId, TextId>> StackTable::attributes(FrameId frame) const
{
    const auto found = m_attributes.find(frame);
    if (found == m_attributes.end())
        return {};
    return found->second;
}

void StackTable::widen()
{
    std::copy(m_narrow.begin(), m_narrow.end(), m_wide.extend(m_narrow.size()).begin());
    m_narrow.release();
    m_isNarrow = false;
}

bool StackTable::isSame(StackId id, std::span<const FrameId> frames) const noexcept
{
    const auto mine = stack(id);
    if (mine.size() != frames.size() || id == kNoStack)
        return false;
    for (std::size_t i = 0; i < frames.size(); ++i)
        if (mine[i] != frames[i])
            return false;
    return true;
}

void StackTable::growStacks()
{
    const auto size = m_stackSlots.size() * 2;
    std::vector<std::uint32_t>().swap(m_stackSlots); // not both at once
    m_stackSlots.resize(size);
    const auto mask = m_stackSlots.size() - 1;
    for (StackId id = kEmptyStack; id < stackCount(); ++id) {
        auto at = m_hashes[id] & mask;
        while (m_stackSlots[at] != 0)
            at = (at + 1) & mask;
        m_stackSlots[at] = id + 1;
    }
}

void StackTable::growFrames()
{
    m_frameSlots.assign(m_frameSlots.size() * 2, 0);
    const auto mask = m_frameSlots.size() - 1;
    for (FrameId id = 0; id < m_frames.size(); ++id) {
        auto at = hashOf(m_frames[id]) & mask;
        while (m_frameSlots[at] != 0)
            at = (at + 1) & mask;
        m_frameSlots[at] = id + 1;
    }
}

} // namespace plimsoll
