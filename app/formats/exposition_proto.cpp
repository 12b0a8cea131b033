// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition_proto.h"

#include "base/text.h"
#include "formats/exposition_notes.h"
#include "formats/exposition_number.h"
#include "formats/family_index.h"
#include "formats/metric_family.h"
#include "formats/wire_reader.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace plimsoll {
namespace {

using Type = WireReader::Type;

enum MetricField : std::uint32_t {
    kMetricLabel = 1,
    kMetricGauge = 2,
    kMetricCounter = 3,
    kMetricSummary = 4,
    kMetricUntyped = 5,
    kMetricTime = 6,
    kMetricHistogram = 7,
};

constexpr std::array<SampleType, 6> kTypes{SampleType::Counter, SampleType::Gauge,     SampleType::Summary,
                                           SampleType::Unknown, SampleType::Histogram, SampleType::GaugeHistogram};

// As Go prints a bound or quantile: shortest digits, +Inf.
std::string boundText(double value)
{
    if (std::isinf(value))
        return value > 0 ? "+Inf" : "-Inf";
    if (std::isnan(value))
        return "NaN";
    std::array<char, 40> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), result.ptr};
}

// The stale marker may come in by these bytes; in a body it is no value.
double cleaned(double value) noexcept
{
    return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

struct Bucket
{
    double bound = 0;
    double count = 0;
    std::optional<Exemplar> exemplar;
};

class ProtoParser
{
public:
    explicit ProtoParser(const ExpositionLimits &limits) : m_limits(limits), m_index(m_out.families) {}

    [[nodiscard]] Result<Exposition> parse(std::string_view body)
    {
        std::size_t at = 0;
        while (at < body.size() && m_problem.empty()) {
            WireReader head(body.substr(at), at);
            const auto length = head.varint();
            const auto begin = head.offset();
            if (!length || *length > body.size() - begin) {
                m_problem = "offset " + std::to_string(at) + ": the stream ends inside a family";
                break;
            }
            readFamily(WireReader(body.substr(begin, static_cast<std::size_t>(*length)), begin));
            at = begin + static_cast<std::size_t>(*length);
            if (m_isFull)
                break;
        }
        if (!m_problem.empty())
            return failure(Error::Code::BadInput, "protobuf, " + m_problem);
        m_out.duplicateSeries = countDuplicates(m_out.samples);
        return std::move(m_out);
    }

private:
    void readFamily(WireReader family)
    {
        ExpositionFamily read;
        bool hasType = false;
        std::vector<WireReader> metrics;
        while (family.next()) {
            if (family.is(kFamilyName, Type::Bytes))
                read.name = family.text();
            else if (family.is(kFamilyHelp, Type::Bytes))
                read.help = family.text();
            else if (family.is(kFamilyUnit, Type::Bytes))
                read.unit = family.text();
            else if (family.is(kFamilyType, Type::Varint))
                hasType = setType(read, family.number());
            else if (family.is(kFamilyMetric, Type::Bytes))
                metrics.push_back(family.message());
        }
        if (family.isDamaged())
            return damaged(family);
        if (!hasType && metrics.empty() && read.name.empty())
            return skip("an empty family");
        if (read.name.empty() || !isValidUtf8(read.name))
            return skip("a family without a proper name");
        if (!isValidUtf8(read.help) || !isValidUtf8(read.unit))
            return skip("the help or unit of " + safeText(read.name, 80) + " is no valid UTF-8");
        // The enumeration's zero is the counter: a family without the field is one.
        if (!hasType)
            read.type = SampleType::Counter;
        m_family = m_index.require(read.name);
        m_out.families[m_family] = std::move(read);
        for (auto &metric : metrics) {
            readMetric(metric);
            if (!m_problem.empty() || m_isFull)
                return;
        }
    }

    static bool setType(ExpositionFamily &family, std::uint64_t number)
    {
        family.type = number < kTypes.size() ? kTypes[static_cast<std::size_t>(number)] : SampleType::Unknown;
        return true;
    }

    void readMetric(WireReader metric)
    {
        m_labels.clear();
        m_time.reset();
        std::optional<std::pair<std::uint32_t, WireReader>> value;
        while (metric.next()) {
            if (metric.is(kMetricLabel, Type::Bytes)) {
                if (!readLabel(metric.message()))
                    return;
            } else if (metric.is(kMetricTime, Type::Varint)) {
                m_time = parseMillis(std::to_string(static_cast<std::int64_t>(metric.number())));
            } else if (metric.field() <= kMetricHistogram && metric.is(metric.field(), Type::Bytes)) {
                value.emplace(metric.field(), metric.message());
            }
        }
        if (metric.isDamaged())
            return damaged(metric);
        const auto &name = m_out.families[m_family].name;
        if (!value)
            return skip("a metric of " + safeText(name, 80) + " without a value");
        switch (value->first) {
        case kMetricSummary: return readSummary(value->second);
        case kMetricHistogram: return readHistogram(value->second);
        default: return readSimple(value->second);
        }
    }

    [[nodiscard]] bool readLabel(WireReader pair)
    {
        Labels::Pair read;
        while (pair.next()) {
            if (pair.is(1, Type::Bytes))
                read.first = pair.text();
            else if (pair.is(2, Type::Bytes))
                read.second = pair.text();
        }
        const auto fail = [this](std::string reason) {
            skip(std::move(reason));
            return false;
        };
        const auto &family = m_out.families[m_family].name;
        if (pair.isDamaged()) {
            damaged(pair);
            return false;
        }
        if (read.first.empty() || !isValidUtf8(read.first) || !isValidUtf8(read.second))
            return fail("a label of " + safeText(family, 80) + " is no valid UTF-8");
        if (read.second.size() > m_limits.labelValueBytes)
            return fail("a label value longer than " + std::to_string(m_limits.labelValueBytes) + " bytes");
        if (m_labels.size() == m_limits.labels)
            return fail("more than " + std::to_string(m_limits.labels) + " labels");
        m_labels.push_back(std::move(read));
        return true;
    }

    // Gauge, counter, untyped: field 1 is the value, a counter's field 2 an exemplar.
    void readSimple(WireReader message)
    {
        double value = 0;
        std::optional<Exemplar> exemplar;
        while (message.next()) {
            if (message.is(1, Type::Fixed64))
                value = cleaned(message.real());
            else if (message.is(2, Type::Bytes))
                exemplar = readExemplar(message.message());
        }
        if (message.isDamaged())
            return damaged(message);
        add("", value);
        if (exemplar && !m_isFull)
            m_out.samples.back().exemplar = std::move(exemplar);
    }

    void readSummary(WireReader message)
    {
        double count = 0;
        double sum = 0;
        std::vector<std::pair<double, double>> quantiles;
        while (message.next()) {
            if (message.is(1, Type::Varint)) {
                count = static_cast<double>(message.number());
            } else if (message.is(2, Type::Fixed64)) {
                sum = cleaned(message.real());
            } else if (message.is(3, Type::Bytes)) {
                std::pair<double, double> quantile;
                auto inner = message.message();
                while (inner.next()) {
                    if (inner.is(1, Type::Fixed64))
                        quantile.first = inner.real();
                    else if (inner.is(2, Type::Fixed64))
                        quantile.second = cleaned(inner.real());
                }
                if (inner.isDamaged())
                    return damaged(inner);
                quantiles.push_back(quantile);
            }
        }
        if (message.isDamaged())
            return damaged(message);
        for (const auto &[quantile, value] : quantiles)
            add("", value, "quantile", quantile);
        add("_sum", sum);
        add("_count", count);
    }

    void readHistogram(WireReader message)
    {
        double count = 0;
        double sum = 0;
        bool isNative = false;
        std::vector<Bucket> buckets;
        while (message.next()) {
            if (message.is(1, Type::Varint))
                count = static_cast<double>(message.number());
            else if (message.is(4, Type::Fixed64) && message.real() > 0)
                count = message.real();
            else if (message.is(2, Type::Fixed64))
                sum = cleaned(message.real());
            else if (message.is(3, Type::Bytes))
                buckets.push_back(readBucket(message.message()));
            else if (message.is(5, Type::Varint))
                isNative = true;
            if (!m_problem.empty())
                return;
        }
        if (message.isDamaged())
            return damaged(message);
        const bool isGauge = m_out.families[m_family].type == SampleType::GaugeHistogram;
        if (isNative)
            noteWarning(m_out, "native histograms are read as count and sum only");
        for (auto &bucket : buckets) {
            add("_bucket", bucket.count, "le", bucket.bound);
            if (bucket.exemplar && !m_isFull)
                m_out.samples.back().exemplar = std::move(bucket.exemplar);
        }
        // The wire leaves the last bucket out: it is the count.
        if (!isNative && (buckets.empty() || !std::isinf(buckets.back().bound)))
            add("_bucket", count, "le", std::numeric_limits<double>::infinity());
        add(isGauge ? "_gsum" : "_sum", sum);
        add(isGauge ? "_gcount" : "_count", count);
    }

    [[nodiscard]] Bucket readBucket(WireReader message)
    {
        Bucket bucket;
        while (message.next()) {
            if (message.is(1, Type::Varint))
                bucket.count = static_cast<double>(message.number());
            else if (message.is(4, Type::Fixed64) && message.real() > 0)
                bucket.count = message.real();
            else if (message.is(2, Type::Fixed64))
                bucket.bound = message.real();
            else if (message.is(3, Type::Bytes))
                bucket.exemplar = readExemplar(message.message());
        }
        if (message.isDamaged())
            damaged(message);
        return bucket;
    }

    [[nodiscard]] std::optional<Exemplar> readExemplar(WireReader message)
    {
        Exemplar exemplar;
        std::vector<Labels::Pair> labels;
        while (message.next()) {
            if (message.is(1, Type::Bytes)) {
                Labels::Pair pair;
                auto inner = message.message();
                while (inner.next()) {
                    if (inner.is(1, Type::Bytes))
                        pair.first = inner.text();
                    else if (inner.is(2, Type::Bytes))
                        pair.second = inner.text();
                }
                if (labels.size() < m_limits.labels && isValidUtf8(pair.first) && isValidUtf8(pair.second))
                    labels.push_back(std::move(pair));
            } else if (message.is(2, Type::Fixed64)) {
                exemplar.value = cleaned(message.real());
            } else if (message.is(3, Type::Bytes)) {
                exemplar.time = readTimestamp(message.message());
            }
        }
        if (message.isDamaged()) {
            damaged(message);
            return std::nullopt;
        }
        exemplar.labels = Labels(std::move(labels));
        return exemplar;
    }

    [[nodiscard]] static std::optional<Instant> readTimestamp(WireReader message)
    {
        std::int64_t seconds = 0;
        std::int64_t nanos = 0;
        while (message.next()) {
            if (message.is(1, Type::Varint))
                seconds = static_cast<std::int64_t>(message.number());
            else if (message.is(2, Type::Varint))
                nanos = static_cast<std::int64_t>(message.number());
        }
        constexpr std::int64_t kMaxSeconds = 9'000'000'000;
        if (message.isDamaged() || seconds > kMaxSeconds || seconds < -kMaxSeconds || nanos < 0 || nanos >= 1'000'000'000)
            return std::nullopt;
        return fromUnixNanos(seconds * 1'000'000'000 + nanos);
    }

    void add(std::string_view suffix, double value, std::string_view extraName = {}, double extra = 0)
    {
        if (m_isFull)
            return;
        if (m_out.samples.size() >= m_limits.samples) {
            skip("more than " + std::to_string(m_limits.samples) + " samples: the rest is not read");
            m_isFull = true;
            return;
        }
        auto &sample = m_out.samples.emplace_back();
        sample.name = m_out.families[m_family].name;
        sample.name += suffix;
        auto labels = m_labels;
        if (!extraName.empty())
            labels.emplace_back(extraName, boundText(extra));
        sample.labels = Labels(std::move(labels));
        sample.value = value;
        sample.time = m_time;
        sample.family = m_family;
    }

    void damaged(const WireReader &where)
    {
        if (m_problem.empty())
            m_problem = "offset " + std::to_string(where.offset()) + ": the message is damaged";
    }

    void skip(std::string reason) { noteSkipped(m_out, m_limits, 0, std::move(reason)); }

    const ExpositionLimits &m_limits;
    Exposition m_out;
    FamilyIndex m_index;
    std::string m_problem; // the first damage: where and what
    std::uint32_t m_family = 0;
    std::vector<Labels::Pair> m_labels; // of the metric being read
    std::optional<Instant> m_time;
    bool m_isFull = false;
};

} // namespace

Result<Exposition> parseDelimitedProto(std::string_view body, const ExpositionLimits &limits)
{
    return ProtoParser(limits).parse(body);
}

} // namespace plimsoll
