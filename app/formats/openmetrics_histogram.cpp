// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/openmetrics_histogram.h"

#include "formats/exposition_number.h"

#include <limits>
#include <optional>

namespace plimsoll {
namespace {

// One metric at one time, as its samples pass by.
struct Distribution
{
    std::optional<double> bound; // of the last bucket
    double counted = 0;          // by the last bucket
    std::optional<double> count;
    std::optional<double> sum;
    std::optional<double> gaugeSum;
    bool hasNegativeBound = false;
    bool hasNegativeQuantile = false;

    [[nodiscard]] bool isSigned() const { return count && sum && *sum < 0 && (hasNegativeBound || hasNegativeQuantile); }

    [[nodiscard]] std::string addBucket(const ExpositionSample &sample)
    {
        const double le = parseMetricNumber(sample.labels.value("le")).value_or(0);
        if (bound && le <= *bound)
            return "buckets out of order";
        if (bound && sample.value < counted)
            return "bucket values fall";
        hasNegativeBound |= le < 0;
        bound = le;
        counted = sample.value;
        return {};
    }

    [[nodiscard]] std::string finishHistogram() const
    {
        if (!bound || *bound != std::numeric_limits<double>::infinity())
            return "the +Inf bucket is missing";
        if (count && *count != counted)
            return "the count is not that of the +Inf bucket";
        if ((sum || gaugeSum) && !count)
            return "a sum without a count";
        if (count && !sum && !gaugeSum)
            return "a count without a sum";
        if (sum && hasNegativeBound && !isSigned())
            return "a sum together with negative bounds";
        if (sum && *sum < 0 && !isSigned())
            return "a negative sum";
        if (gaugeSum && *gaugeSum < 0 && !hasNegativeBound)
            return "a negative sum without negative bounds";
        return {};
    }

    [[nodiscard]] std::string finishSummary() const
    {
        if (sum && *sum < 0 && !isSigned())
            return "a negative sum";
        // Of a signed summary single quantiles may be negative while the sum is not.
        if (hasNegativeQuantile && !(count && sum))
            return "a negative quantile";
        return {};
    }
};

} // namespace

Labels metricLabels(const ExpositionSample &sample, const ExpositionFamily &family)
{
    if (family.type == SampleType::Info)
        return {};
    Labels labels = sample.labels;
    if (family.type == SampleType::Summary && sample.name == family.name)
        labels.remove("quantile");
    else if (family.type == SampleType::StateSet)
        labels.remove(family.name);
    else if (family.type == SampleType::Histogram || family.type == SampleType::GaugeHistogram)
        if (sample.name.ends_with("_bucket"))
            labels.remove("le");
    return labels;
}

std::string checkDistribution(const ExpositionFamily &family, std::span<const ExpositionSample> samples)
{
    const bool isSummary = family.type == SampleType::Summary;
    Distribution current;
    std::optional<std::pair<Labels, std::optional<Instant>>> group;
    const auto finish = [&] { return isSummary ? current.finishSummary() : current.finishHistogram(); };
    for (const auto &sample : samples) {
        auto key = std::make_pair(metricLabels(sample, family), sample.time);
        if (group != key) {
            if (group) {
                if (auto reason = finish(); !reason.empty())
                    return reason;
            }
            current = {};
            group = std::move(key);
        }
        const auto suffix = std::string_view(sample.name).substr(family.name.size());
        if (suffix == "_bucket") {
            if (auto reason = current.addBucket(sample); !reason.empty())
                return reason;
        } else if (suffix == "_count" || suffix == "_gcount") {
            current.count = sample.value;
        } else if (suffix == "_sum") {
            current.sum = sample.value;
        } else if (suffix == "_gsum") {
            current.gaugeSum = sample.value;
        } else if (suffix.empty() && sample.value < 0) {
            current.hasNegativeQuantile = true;
        }
    }
    return group ? finish() : std::string();
}

} // namespace plimsoll
