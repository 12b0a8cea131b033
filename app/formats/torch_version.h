// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace plimsoll {

/// What tells the version of PyTorch that wrote a snapshot: nothing in the file says it.
struct TorchFeatures
{
    bool isTopLevelList = false;
    bool hasSegments = false;
    bool hasEvents = false;
    bool hasHistory = false;        // "history" on blocks
    bool hasRequestedSize = false;  // on blocks
    bool hasBlockAddress = false;   // or segment_pool_id, is_expandable, frames
    bool hasTime = false;           // "time_us" on events
    bool hasSettings = false;       // "allocator_settings"
    bool hasAnnotations = false;    // "external_annotations", empty or not
    bool hasCompileContext = false;
    bool hasStreamReuse = false;    // "graph_capture_record_stream_reuse" in the settings
    bool hasUserMetadata = false;
    bool hasEventPool = false;      // "pool_id" on events, or the flags of an overflowing ring
    bool hasHostSegments = false;   // the key
    bool hasAnnotateEvents = false;
};

/// "2.5 to 2.7", "2.5 or newer" where a newer one could have written the same; empty when nothing says it.
[[nodiscard]] std::string torchVersions(const TorchFeatures &features);

} // namespace plimsoll
