// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <functional>
#include <optional>
#include <stop_token>

namespace plimsoll {

/// How far a long piece of work is. Reported at most once a per mille.
struct Progress
{
    int perMille = 0;
    std::optional<Duration> left; // nullopt while nobody can say

    friend bool operator==(const Progress &, const Progress &) = default;
};

using ProgressSink = std::function<void(const Progress &)>; // called on the worker's thread

} // namespace plimsoll
