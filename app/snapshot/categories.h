// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/replay.h"
#include "snapshot/steps.h"

#include <array>
#include <cstdint>
#include <optional>
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
/// and to be shown as one, except where the file itself names a category. Nothing is kept for each
/// allocation: asking takes some ten ns. Any thread.
class Categories
{
public:
    /// When stopped, everything is unknown.
    explicit Categories(const Replay &replay, std::stop_token stop = {});
    Categories(const Replay &replay, const Steps &steps, std::stop_token stop = {}); // that were found anyway

    [[nodiscard]] MemoryCategory operator[](AllocationId id) const noexcept;
    [[nodiscard]] bool isInferred(AllocationId id) const noexcept { return !said(id); }
    [[nodiscard]] std::array<std::int64_t, kMemoryCategories> aliveAt(EventInstant instant) const; // requested bytes

private:
    using Traits = std::uint16_t;

    [[nodiscard]] std::optional<MemoryCategory> said(AllocationId id) const noexcept;
    [[nodiscard]] unsigned traitsAt(EventInstant instant) const noexcept;

    const Replay *m_replay;
    std::vector<Traits> m_ofStack;
    std::vector<Traits> m_ofInstant; // of the ranges open then; empty without any
    std::vector<std::optional<MemoryCategory>> m_said; // by context; empty where the file names none
    std::vector<EventInstant> m_backward; // where the backward pass allocates, ascending
    EventInstant m_longLife = 0; // instants: longer than a step, or than half of a trace whose steps are not known
};

} // namespace plimsoll
