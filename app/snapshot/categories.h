// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/replay.h"

#include <array>
#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

namespace plimsoll {

enum class MemoryCategory : std::uint8_t {
    Unknown,
    Weights,
    Gradients,
    OptimizerState,
    Activations,
    Temporaries,
    Collectives,
    Workspaces, // of cuBLAS, cuDNN and their like
    Inputs,
};
inline constexpr std::size_t kMemoryCategories = 9;
[[nodiscard]] std::string_view toString(MemoryCategory category) noexcept; // "weights", "optimizer state", …

/// What each allocation probably is, by its stack, its life and the ranges it was born in. A guess,
/// and to be shown as one, except where the file itself names a category.
class Categories
{
public:
    /// When stopped, the rest stays unknown.
    explicit Categories(const Replay &replay, std::stop_token stop = {});
    [[nodiscard]] MemoryCategory operator[](AllocationId id) const noexcept { return m_of[id]; }
    [[nodiscard]] bool isInferred(AllocationId id) const noexcept { return !m_isSaid.empty() ? !m_isSaid[id] : true; }
    [[nodiscard]] std::array<std::int64_t, kMemoryCategories> aliveAt(EventInstant instant) const; // requested bytes

private:
    const Replay *m_replay;
    std::vector<MemoryCategory> m_of;
    std::vector<bool> m_isSaid;
};

} // namespace plimsoll
