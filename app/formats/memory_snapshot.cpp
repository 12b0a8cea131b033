// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/memory_snapshot.h"

namespace plimsoll {
namespace {

constexpr std::array<std::string_view, kKnownActions> kActionNames{
    "alloc",         "free_requested", "free_completed", "free",     "segment_alloc", "segment_free",      "segment_map",
    "segment_unmap", "oom",            "snapshot",       "annotate", "user_defined",  "workspace_snapshot"};

} // namespace

std::string_view toString(TraceAction action) noexcept
{
    const auto at = static_cast<std::size_t>(action);
    return at < kActionNames.size() ? kActionNames[at] : "unknown";
}

std::string_view toString(BlockState state) noexcept
{
    switch (state) {
    case BlockState::Inactive: return "inactive";
    case BlockState::ActiveAllocated: return "active_allocated";
    case BlockState::ActivePendingFree: return "active_pending_free";
    case BlockState::Unknown: break;
    }
    return "unknown";
}

EventColumns::EventColumns(std::size_t capacity)
    : action(capacity), address(capacity), sizes(capacity), timeUs(capacity), stack(capacity), stream(capacity), context(capacity)
{}

TraceEvent EventColumns::operator[](std::size_t row) const noexcept
{
    return {action[row], address[row], sizes[row], timeUs[row], stack[row], stream[row], context[row]};
}

MemorySnapshot::MemorySnapshot() : streams{0}, contexts(1), actionNames(kActionNames.begin(), kActionNames.end()) {}

std::optional<std::string> MemorySnapshot::setting(std::string_view key) const
{
    for (const auto &[name, value] : settings) {
        if (name != key)
            continue;
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
            return value.substr(1, value.size() - 2);
        return value;
    }
    return std::nullopt;
}

} // namespace plimsoll
