// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// Frames that tell nothing about a model. A frame can be in several groups.
enum class FrameGroup : std::uint8_t {
    MemoryViz = 1,   // what PyTorch's own page hides
    Allocator = 2,   // the allocator, storage and tensor making
    Autograd = 4,    // the engine of the backward pass
    Dispatcher = 8,  // at::_ops, redispatch, boxing, registrations
    Interpreter = 16, // CPython's own C frames, and its start
};
[[nodiscard]] std::uint8_t frameGroups(std::string_view file, std::string_view name) noexcept; // bits of FrameGroup

enum class FrameUnit : std::uint8_t { Line, Function, File, Module };

/// How a tree shows frames.
struct FrameFilter
{
    std::uint8_t hidden = 0; // bits of FrameGroup
    std::vector<std::string> hiddenTexts; // further: frames whose "file:line name" has one of these (any case)
    FrameUnit unit = FrameUnit::Line; // frames alike in it, one after the other, become one
};

/// The filter, applied to each frame of a snapshot.
struct FilteredFrames
{
    static constexpr std::uint32_t kHidden = UINT32_MAX;

    std::vector<std::uint32_t> unitOf; // by FrameId; kHidden: left out
    std::vector<FrameId> example;      // by unit: the first frame of it
    std::vector<std::string> names;    // by unit; empty with FrameUnit::Line: then ask the frame
};
[[nodiscard]] FilteredFrames applyFilter(const MemorySnapshot &snapshot, const FrameFilter &filter);

/// "file:line name", as it is searched and shown in one line.
[[nodiscard]] std::string frameText(const StackTable &stacks, const TextTable &texts, FrameId frame);
[[nodiscard]] inline std::string frameText(const MemorySnapshot &snapshot, FrameId frame)
{
    return frameText(snapshot.stacks, snapshot.texts, frame);
}
/// "torch.nn.modules.linear" for a Python file, the file's name for others, "??" for none.
[[nodiscard]] std::string moduleOf(std::string_view file);

} // namespace plimsoll
