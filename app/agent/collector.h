// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/journal.h"
#include "base/time.h"
#include "model/frame.h"

#include <string_view>

namespace plimsoll {

struct Tick
{
    Instant wall; // of every sample taken at this tick
    MonotonicInstant monotonic;
};

/// Something that reads numbers at its own pace. All calls come from the
/// sampler's thread; a collect() takes a few milliseconds at most and never waits
/// for the network.
class Collector
{
public:
    Collector() = default;
    Collector(const Collector &) = delete;
    Collector &operator=(const Collector &) = delete;
    virtual ~Collector() = default;

    [[nodiscard]] virtual std::string_view name() const = 0; // "procfs", as SourceState says it
    [[nodiscard]] virtual Duration interval() const = 0;
    virtual void collect(const Tick &tick, Readings &into) = 0;
    [[nodiscard]] virtual SourceState state() const = 0;
};

} // namespace plimsoll
