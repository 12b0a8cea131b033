// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/exposition.h"

#include <span>
#include <string>

namespace plimsoll {

/// The labels that make one metric of a family out of its samples: without le, quantile or
/// the state's own name. Info metrics are all one.
[[nodiscard]] Labels metricLabels(const ExpositionSample &sample, const ExpositionFamily &family);

/// The rules OpenMetrics has for a whole histogram, gauge histogram or summary: buckets rise,
/// end in +Inf and agree with the count, sum and count come together, nothing counted is
/// negative. `samples` are one family's, in order. Empty when they hold, else the rule.
///
/// One thing is let through that the letter forbids: a metric whose bounds (or quantiles), sum
/// and count together show that it measures signed values. Go programs expose those.
[[nodiscard]] std::string checkDistribution(const ExpositionFamily &family, std::span<const ExpositionSample> samples);

} // namespace plimsoll
