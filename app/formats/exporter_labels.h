// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/exporter_table.h"
#include "model/labels.h"

#include <string_view>

namespace plimsoll {

/// The exporter's labels under our names. Where Prometheus renamed clashing labels the
/// workload is in `exported_*` and the plain ones are the exporter's own. Prometheus' `job`
/// is never ours; `instance` without its port is the host where nothing better says it, and
/// `fallbackHost` (empty = unknown) where that is missing too. Empty values are no labels.
[[nodiscard]] Labels canonicalLabels(const Labels &source, const Exporter &exporter, std::string_view fallbackHost);

/// Labels that say which device a GPU series is about, against those of who uses it.
[[nodiscard]] bool isDeviceLabel(std::string_view canonicalName) noexcept;

/// "bytes" and "_bytes" at the end of a name to UCUM's "By"; empty when neither unit nor name says.
[[nodiscard]] std::string_view unitOf(std::string_view metricName, std::string_view declaredUnit) noexcept;

} // namespace plimsoll
