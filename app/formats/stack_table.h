// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/growing_array.h"
#include "formats/text_table.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace plimsoll {

using FrameId = std::uint32_t;
using StackId = std::uint32_t;

inline constexpr StackId kNoStack = 0;    // nothing was recorded ("frames" is absent)
inline constexpr StackId kEmptyStack = 1; // recorded, and empty

/// One line of a call stack, the same by value wherever it stood.
struct StackFrame
{
    TextId file = 0;
    TextId name = 0;
    std::uint64_t line = 0; // 0: unknown; 2^64-1 is real (a failed look-up seen as unsigned)

    friend bool operator==(const StackFrame &, const StackFrame &) = default;
};

/// The frames of a stack, innermost call first.
class StackView
{
public:
    StackView() = default;
    StackView(const void *data, std::size_t size, bool isNarrow) noexcept
        : m_data(data), m_size(size), m_isNarrow(isNarrow)
    {}
    [[nodiscard]] std::size_t size() const noexcept { return m_size; }
    [[nodiscard]] FrameId operator[](std::size_t i) const noexcept
    {
        return m_isNarrow ? static_cast<const std::uint16_t *>(m_data)[i] : static_cast<const std::uint32_t *>(m_data)[i];
    }

private:
    const void *m_data = nullptr;
    std::size_t m_size = 0;
    bool m_isNarrow = false;
};

/// Frames and stacks, each once by value. Frame ids take two bytes while there are few of them.
class StackTable
{
public:
    StackTable();

    [[nodiscard]] FrameId internFrame(const StackFrame &frame);
    /// Innermost first. The empty one is kEmptyStack.
    [[nodiscard]] StackId internStack(std::span<const FrameId> frames);

    [[nodiscard]] std::size_t frameCount() const noexcept { return m_frames.size(); }
    [[nodiscard]] const StackFrame &frame(FrameId id) const noexcept { return m_frames[id]; }
    [[nodiscard]] std::size_t stackCount() const noexcept { return m_starts.size() - 1; } // with the two without frames
    [[nodiscard]] std::size_t depth(StackId id) const noexcept { return m_starts[id + 1] - m_starts[id]; }
    [[nodiscard]] StackView stack(StackId id) const noexcept;
    [[nodiscard]] std::size_t bytes() const noexcept;

    /// What else a frame said (fx_node_op, fx_original_trace, …), of the first frame of that value.
    void addAttribute(FrameId frame, TextId key, TextId value) { m_attributes[frame].emplace_back(key, value); }
    [[nodiscard]] std::span<const std::pair<TextId, TextId>> attributes(FrameId frame) const;

private:
    void widen();
    [[nodiscard]] bool isSame(StackId id, std::span<const FrameId> frames) const noexcept;
    void growStacks();
    void growFrames();

    std::vector<StackFrame> m_frames;
    std::vector<std::uint32_t> m_frameSlots; // open addressing, id + 1
    bool m_isNarrow = true;
    GrowingArray<std::uint16_t> m_narrow; // the frames of all stacks, one after the other …
    GrowingArray<std::uint32_t> m_wide;   // … or here, from 65,536 frames on
    GrowingArray<std::size_t> m_starts;   // one more than stacks
    GrowingArray<std::uint32_t> m_hashes; // of each stack: growing must not read all frames again
    std::vector<std::uint32_t> m_stackSlots; // open addressing, id + 1
    std::map<FrameId, std::vector<std::pair<TextId, TextId>>> m_attributes;
};

} // namespace plimsoll
