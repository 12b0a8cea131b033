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

template <class Frames>
std::size_t hashOf(const Frames &frames) noexcept
{
    std::size_t hash = frames.size();
    for (std::size_t i = 0; i < frames.size(); ++i)
        hash = mix(hash, frames[i]);
    return hash;
}

} // namespace

StackTable::StackTable() : m_frameSlots(256), m_starts{0, 0}, m_stackSlots(256)
{
    // Two stacks without frames: absent is never found by content, empty is.
    m_starts.push_back(0);
    m_stackSlots[hashOf(std::span<const FrameId>()) & (m_stackSlots.size() - 1)] = kEmptyStack + 1;
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
    const auto mask = m_stackSlots.size() - 1;
    auto at = hashOf(frames) & mask;
    for (; m_stackSlots[at] != 0; at = (at + 1) & mask)
        if (isSame(m_stackSlots[at] - 1, frames))
            return m_stackSlots[at] - 1;
    const auto id = static_cast<StackId>(stackCount());
    if (m_isNarrow) {
        for (const auto frame : frames)
            m_narrow.push_back(static_cast<std::uint16_t>(frame));
        m_starts.push_back(m_narrow.size());
    } else {
        m_wide.insert(m_wide.end(), frames.begin(), frames.end());
        m_starts.push_back(m_wide.size());
    }
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
    return m_frames.capacity() * sizeof(StackFrame) + m_narrow.capacity() * 2 + m_wide.capacity() * 4
        + m_starts.capacity() * sizeof(std::size_t) + (m_frameSlots.size() + m_stackSlots.size()) * 4;
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
    m_wide.assign(m_narrow.begin(), m_narrow.end());
    std::vector<std::uint16_t>().swap(m_narrow);
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
    m_stackSlots.assign(m_stackSlots.size() * 2, 0);
    const auto mask = m_stackSlots.size() - 1;
    for (StackId id = kEmptyStack; id < stackCount(); ++id) {
        auto at = hashOf(stack(id)) & mask;
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
