// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_version.h"

namespace plimsoll {

std::string torchVersions(const TorchFeatures &f)
{
    // By the newest feature that is there. Some are written only when they are used or when there
    // are events: without them a newer version may have written the same.
    if (f.hasAnnotateEvents)
        return "2.14 or newer";
    if (f.hasHostSegments)
        return "2.13 or newer";
    if (f.hasEventPool)
        return f.hasEvents ? "2.12" : "2.12 or newer";
    if (f.hasUserMetadata)
        return "2.10 or 2.11";
    if (f.hasStreamReuse)
        return f.hasEvents ? "2.9" : "2.9 or newer";
    if (f.hasCompileContext)
        return "2.8";
    if (f.hasAnnotations)
        return f.hasEvents ? "2.5 to 2.7" : "2.5 or newer";
    if (f.hasSettings)
        return "2.3 or 2.4";
    if (f.hasTime)
        return f.isTopLevelList ? "2.2 or newer" : "2.2";
    if (f.hasBlockAddress) {
        if (f.isTopLevelList)
            return "2.1 or newer"; // the list form never says more
        return f.hasEvents ? "2.1" : "2.1 or 2.2";
    }
    if (f.isTopLevelList) {
        if (f.hasRequestedSize)
            return "2.0";
        if (f.hasHistory)
            return "1.13";
        return f.hasSegments ? "1.13 or older" : "";
    }
    if (f.hasSegments || f.hasEvents)
        return f.hasHistory || f.hasRequestedSize || f.hasEvents ? "2.0" : "";
    return "";
}

} // namespace plimsoll
