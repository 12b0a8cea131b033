// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_keys.h"

#include <array>
#include <cassert>

namespace plimsoll {
namespace {

constexpr std::array<std::string_view, kTorchKeys> kKeys{
    "", "action", "addr", "device_free", "size", "stream", "time_us", "pool_id", "compile_context", "user_metadata",
    "internal_metadata", "category", "frames", "forward_frames",
    "name", "filename", "line",
    "state", "requested_size", "address", "history", "real_size", "cpp_frames",
    "device", "total_size", "allocated_size", "active_size", "segment_type", "segment_pool_id", "is_expandable", "blocks",
    "allocated", "active",
    "stage",
    "segments", "device_traces", "allocator_settings", "external_annotations", "host_segments", "host_traces",
    "trace_alloc_max_entries", "trace_alloc_overflowed",
    "graph_capture_record_stream_reuse"};
static_assert(!kKeys.back().empty());

} // namespace

void internTorchKeys(TextTable &texts)
{
    for (TextId id = 0; id < kTorchKeys; ++id) {
        [[maybe_unused]] const auto got = texts.intern(kKeys[id]);
        assert(got == id);
    }
    for (std::size_t action = 0; action < kKnownActions; ++action) {
        [[maybe_unused]] const auto got = texts.intern(toString(static_cast<TraceAction>(action)));
        assert(got == kFirstAction + action);
    }
}

} // namespace plimsoll
