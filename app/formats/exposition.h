// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "model/labels.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

enum class ExpositionFormat : std::uint8_t { PrometheusText, OpenMetrics, Protobuf };

/// By the Content-Type of the response, never by what was asked for. Text when in doubt.
[[nodiscard]] ExpositionFormat expositionFormat(std::string_view contentType) noexcept;

enum class SampleType : std::uint8_t { Unknown, Counter, Gauge, Histogram, GaugeHistogram, Summary, Info, StateSet };
[[nodiscard]] std::string_view toString(SampleType type) noexcept; // "counter", …

/// What a hostile or broken exporter may cost us.
struct ExpositionLimits
{
    std::size_t bodyBytes = 64 << 20;
    std::size_t lineBytes = 1 << 20;
    std::size_t labels = 256;
    std::size_t labelValueBytes = 64 << 10;
    std::size_t samples = 1'000'000;
    std::size_t skippedKept = 1'000; // reasons kept; more are only counted
};

struct Exemplar
{
    Labels labels;
    double value = 0;
    std::optional<Instant> time;

    friend bool operator==(const Exemplar &, const Exemplar &) = default;
};

struct ExpositionSample
{
    std::string name; // as sampled: with _total, _bucket, …
    Labels labels;
    double value = 0;
    std::optional<Instant> time;
    std::optional<Exemplar> exemplar;
    std::uint32_t family = 0; // index into families
    std::uint32_t line = 0;   // from 1; 0 in protobuf, which has none

    friend bool operator==(const ExpositionSample &, const ExpositionSample &) = default;
};

struct ExpositionFamily
{
    std::string name;
    SampleType type = SampleType::Unknown;
    std::string help;
    std::string unit;

    friend bool operator==(const ExpositionFamily &, const ExpositionFamily &) = default;
};

struct SkippedLine
{
    std::size_t line = 0; // from 1
    std::string reason;   // plain words

    friend bool operator==(const SkippedLine &, const SkippedLine &) = default;
};

struct Exposition
{
    std::vector<ExpositionFamily> families;
    std::vector<ExpositionSample> samples; // in file order, duplicates included
    std::vector<SkippedLine> skipped;
    std::size_t skippedCount = 0;
    std::size_t duplicateSeries = 0;   // samples whose name and labels came before
    std::vector<std::string> warnings; // repeated TYPE, over a limit, …; each once
    /// Whether the format's reference parser would have taken the body as it is. We take
    /// more: a missing last line feed, a TYPE that is said again.
    bool conforms = true;
};

/// Reads one body. Text 0.0.4/1.0.0 skips what it cannot read, line by line, and says
/// why; OpenMetrics is refused as a whole, as its specification wants. Pure; any thread.
/// Errors: TooLarge (body), Unsupported (not text, OpenMetrics 2), BadInput (HTML, OpenMetrics violation).
[[nodiscard]] Result<Exposition> parseExposition(std::string_view body, ExpositionFormat format,
                                                 const ExpositionLimits &limits = {});

} // namespace plimsoll
