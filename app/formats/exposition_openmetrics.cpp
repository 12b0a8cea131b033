// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition_openmetrics.h"

#include "base/text.h"
#include "formats/exposition_line.h"
#include "formats/exposition_names.h"
#include "formats/exposition_notes.h"
#include "formats/exposition_number.h"
#include "formats/family_index.h"
#include "formats/openmetrics_histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

namespace plimsoll {
namespace {

// A sample's name is its family's and one of these.
std::span<const std::string_view> suffixesOf(SampleType type) noexcept
{
    static constexpr std::array<std::string_view, 1> kBare{""};
    static constexpr std::array<std::string_view, 2> kCounter{"_total", "_created"};
    static constexpr std::array<std::string_view, 4> kSummary{"", "_count", "_sum", "_created"};
    static constexpr std::array<std::string_view, 4> kHistogram{"_count", "_sum", "_bucket", "_created"};
    static constexpr std::array<std::string_view, 3> kGaugeHistogram{"_gcount", "_gsum", "_bucket"};
    static constexpr std::array<std::string_view, 1> kInfo{"_info"};
    switch (type) {
    case SampleType::Counter: return kCounter;
    case SampleType::Summary: return kSummary;
    case SampleType::Histogram: return kHistogram;
    case SampleType::GaugeHistogram: return kGaugeHistogram;
    case SampleType::Info: return kInfo;
    default: return kBare;
    }
}

bool isWholeNumber(double value) noexcept { return std::isfinite(value) && std::floor(value) == value; }

class OpenMetricsParser
{
public:
    explicit OpenMetricsParser(const ExpositionLimits &limits) : m_limits(limits) {}

    [[nodiscard]] Result<Exposition> parse(std::string_view body)
    {
        auto rest = body;
        bool hasEnded = false;
        while (!rest.empty()) {
            bool isWhole = true;
            const auto line = takeLine(rest, isWhole);
            ++m_line;
            if (hasEnded)
                return refuse("text after # EOF");
            if (line == "# EOF") {
                hasEnded = true;
                continue;
            }
            if (auto reason = readLine(line); !reason.empty())
                return refuse(reason, line);
        }
        if (auto reason = finishFamily(); !reason.empty())
            return refuse(reason);
        if (!hasEnded) {
            ++m_line;
            return refuse("the body does not end in # EOF: it is no OpenMetrics, or it is cut");
        }
        m_out.duplicateSeries = countDuplicates(m_out.samples);
        return std::move(m_out);
    }

private:
    [[nodiscard]] std::string readLine(std::string_view line)
    {
        if (line.size() > m_limits.lineBytes)
            return "the line is longer than " + std::to_string(m_limits.lineBytes) + " bytes";
        if (line.empty())
            return "a blank line";
        if (line.ends_with('\r'))
            return "a carriage return at the end of the line";
        if (!isValidUtf8(line))
            return "the line is no valid UTF-8";
        return line.front() == '#' ? readMetadata(line) : readSample(line);
    }

    [[nodiscard]] std::string readMetadata(std::string_view line)
    {
        const auto comment = readCommentLine(line, LineDialect::OpenMetrics);
        using Keyword = CommentLine::Keyword;
        if (comment.keyword == Keyword::Other)
            return "a comment that is no HELP, TYPE, UNIT or EOF";
        if (!comment.isQuoted && !isMetricName(comment.name))
            return "no metric name in HELP, TYPE or UNIT";
        if (!comment.hasRest)
            return "nothing behind the name in HELP, TYPE or UNIT";
        if (m_family && comment.name == m_family->name) {
            if (m_out.samples.size() > m_firstSample)
                return "HELP, TYPE or UNIT after the samples of " + safeText(comment.name, 80);
        } else {
            if (auto reason = beginFamily(comment.name); !reason.empty())
                return reason;
        }
        if (comment.keyword == Keyword::Help) {
            if (std::exchange(m_hasHelp, true))
                return "a second HELP";
            m_family->help = unescapeHelp(comment.rest, LineDialect::OpenMetrics);
            return {};
        }
        if (comment.keyword == Keyword::Unit) {
            if (std::exchange(m_hasUnit, true))
                return "a second UNIT";
            m_family->unit = comment.rest;
            return {};
        }
        if (std::exchange(m_hasType, true))
            return "a second TYPE";
        const auto type = sampleTypeFromText(comment.rest);
        // The other format's spellings are none of ours.
        if (!type || comment.rest == "untyped" || comment.rest == "gauge_histogram")
            return "unknown type " + safeText(comment.rest, 40);
        m_family->type = *type;
        return {};
    }

    [[nodiscard]] std::string readSample(std::string_view line)
    {
        if (m_out.samples.size() >= m_limits.samples)
            return "more than " + std::to_string(m_limits.samples) + " samples";
        if (auto reason = readSampleLine(line, LineDialect::OpenMetrics, m_limits, m_read); !reason.empty())
            return reason;
        if (!m_family || !belongs(m_read.name)) {
            if (auto reason = beginFamily(m_read.name); !reason.empty())
                return reason;
        }
        ExpositionSample sample;
        sample.name = m_read.name;
        sample.labels = Labels(std::move(m_read.labels));
        sample.value = m_read.value;
        sample.time = m_read.time;
        sample.exemplar = std::move(m_read.exemplar);
        sample.family = static_cast<std::uint32_t>(m_out.families.size());
        sample.line = static_cast<std::uint32_t>(m_line);
        if (auto reason = checkSample(sample); !reason.empty())
            return reason;
        if (auto reason = checkGroup(sample); !reason.empty())
            return reason;
        m_out.samples.push_back(std::move(sample));
        return {};
    }

    [[nodiscard]] bool belongs(std::string_view sampleName) const
    {
        if (!sampleName.starts_with(m_family->name))
            return false;
        sampleName.remove_prefix(m_family->name.size());
        const auto suffixes = suffixesOf(m_family->type);
        return std::find(suffixes.begin(), suffixes.end(), sampleName) != suffixes.end();
    }

    [[nodiscard]] std::string checkSample(const ExpositionSample &sample) const
    {
        const auto suffix = std::string_view(sample.name).substr(m_family->name.size());
        const auto type = m_family->type;
        if (type == SampleType::StateSet && !sample.labels.find(m_family->name))
            return "a stateset sample without the label " + safeText(m_family->name, 80);
        if (type == SampleType::StateSet && sample.value != 0 && sample.value != 1)
            return "a stateset value that is neither 0 nor 1";
        if (type == SampleType::Info && sample.value != 1)
            return "an info value that is not 1";
        if (suffix == "_bucket") {
            const auto le = sample.labels.find("le");
            const auto bound = le ? parseMetricNumber(*le) : std::nullopt;
            if (!bound || std::isnan(*bound) || (std::isinf(*bound) && *bound > 0 && *le != "+Inf"))
                return "a bucket without a proper le label";
        }
        if ((suffix == "_bucket" || suffix == "_count" || suffix == "_gcount") && !isWholeNumber(sample.value))
            return "a count that is no whole number";
        if (type == SampleType::Summary && suffix.empty()) {
            const auto text = sample.labels.find("quantile");
            const auto quantile = text ? parseMetricNumber(*text) : std::nullopt;
            if (!quantile || !(*quantile >= 0 && *quantile <= 1))
                return "a quantile outside 0 to 1";
        }
        const bool isCount = suffix == "_total" || suffix == "_count" || suffix == "_bucket" || suffix == "_gcount";
        const bool isSum = suffix == "_sum" || suffix == "_gsum";
        if ((isCount || isSum) && std::isnan(sample.value))
            return "a counter that is NaN";
        if (isCount && sample.value < 0)
            return "a negative counter";
        const bool isBucket = type == SampleType::Histogram || type == SampleType::GaugeHistogram;
        if (sample.exemplar && !(isBucket && suffix == "_bucket") && !(type == SampleType::Counter && suffix == "_total"))
            return "an exemplar on a sample that is neither a bucket nor a counter";
        return {};
    }

    // Metrics of a family do not interleave and their times do not run backwards.
    [[nodiscard]] std::string checkGroup(const ExpositionSample &sample)
    {
        auto group = metricLabels(sample, *m_family);
        if (m_group && *m_group == group) {
            if (sample.time.has_value() != m_groupTime.has_value())
                return "samples with and without a time in one metric";
            if (m_groupTime && *sample.time < *m_groupTime && m_family->type != SampleType::Info)
                return "the times of a metric run backwards";
        } else {
            if (!m_seenGroups.insert(group.encode()).second)
                return "the samples of one metric are interleaved with another's";
            m_group = std::move(group);
        }
        m_groupTime = sample.time;
        return {};
    }

    [[nodiscard]] std::string beginFamily(std::string_view name)
    {
        if (auto reason = finishFamily(); !reason.empty())
            return reason;
        if (m_out.families.size() >= m_limits.samples)
            return "more than " + std::to_string(m_limits.samples) + " families";
        m_family.emplace().name = name;
        m_firstSample = m_out.samples.size();
        m_hasHelp = m_hasType = m_hasUnit = false;
        m_group.reset();
        m_groupTime.reset();
        m_seenGroups.clear();
        return {};
    }

    [[nodiscard]] std::string finishFamily()
    {
        if (!m_family)
            return {};
        const auto clash = [this](std::string_view suffix) { return !m_names.insert(m_family->name + std::string(suffix)).second; };
        const auto suffixes = suffixesOf(m_family->type);
        bool isClash = clash("");
        for (const auto suffix : suffixes)
            isClash |= !suffix.empty() && clash(suffix);
        if (isClash)
            return "the name " + safeText(m_family->name, 80) + " comes twice or clashes with another family's samples";
        if (!m_family->unit.empty() && !m_family->name.ends_with("_" + m_family->unit))
            return "the name " + safeText(m_family->name, 80) + " does not end in its unit";
        if (!m_family->unit.empty() && (m_family->type == SampleType::Info || m_family->type == SampleType::StateSet))
            return "a unit on an info or stateset family";
        const auto samples = std::span(m_out.samples).subspan(m_firstSample);
        if (m_family->type == SampleType::Histogram || m_family->type == SampleType::GaugeHistogram
            || m_family->type == SampleType::Summary) {
            if (auto reason = checkDistribution(*m_family, samples); !reason.empty())
                return safeText(m_family->name, 80) + ": " + reason;
        }
        m_out.families.push_back(std::move(*m_family));
        m_family.reset();
        return {};
    }

    [[nodiscard]] tl::unexpected<Error> refuse(const std::string &reason, std::string_view line = {}) const
    {
        // Composite values and start times are version 2.
        const bool isNewer = line.find(" {count:") != std::string_view::npos || line.find("} {") != std::string_view::npos
            || line.find(" st@") != std::string_view::npos;
        if (isNewer && !line.starts_with('#')) {
            return failure(Error::Code::Unsupported,
                           "line " + std::to_string(m_line) + ": OpenMetrics 2 is not supported, version 1 is");
        }
        return failure(Error::Code::BadInput, "line " + std::to_string(m_line) + ": " + reason);
    }

    const ExpositionLimits &m_limits;
    Exposition m_out;
    SampleLine m_read;
    std::size_t m_line = 0;
    std::optional<ExpositionFamily> m_family; // the one being read; its samples lie in m_out already
    std::size_t m_firstSample = 0;
    bool m_hasHelp = false;
    bool m_hasType = false;
    bool m_hasUnit = false;
    std::optional<Labels> m_group;
    std::optional<Instant> m_groupTime;
    std::unordered_set<std::string> m_seenGroups;
    std::unordered_set<std::string> m_names;
};

} // namespace

Result<Exposition> parseOpenMetrics(std::string_view body, const ExpositionLimits &limits)
{
    return OpenMetricsParser(limits).parse(body);
}

} // namespace plimsoll
