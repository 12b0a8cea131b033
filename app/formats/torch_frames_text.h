// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"

#include <string>
#include <vector>

namespace plimsoll {

/// The stacks of a snapshot as PyTorch's lists of frames, in JSON. Each frame is spelled once.
class TorchFramesText
{
public:
    explicit TorchFramesText(const MemorySnapshot &snapshot) : m_snapshot(snapshot), m_frames(snapshot.stacks.frameCount()) {}
    void append(std::string &to, StackId stack);

private:
    const MemorySnapshot &m_snapshot;
    std::vector<std::string> m_frames; // empty: not spelled yet
};

} // namespace plimsoll
