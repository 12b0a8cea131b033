// SPDX-License-Identifier: GPL-3.0-or-later
#include "parse_report.h"

#include "base/format.h"
#include "base/text.h"
#include "formats/exposition_number.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>

namespace plimsoll {
namespace {

using Json = nlohmann::ordered_json;
using Counts = std::map<std::string, std::size_t, std::less<>>;

std::string_view nameOf(ExpositionFormat format) noexcept
{
    switch (format) {
    case ExpositionFormat::OpenMetrics: return "openmetrics";
    case ExpositionFormat::Protobuf: return "protobuf";
    case ExpositionFormat::PrometheusText: break;
    }
    return "text";
}

Json toJson(double value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "+Inf" : "-Inf";
    return value;
}

Json toJson(const std::optional<Instant> &time)
{
    return time ? Json(toSeconds(*time)) : Json(nullptr);
}

Json toJson(const Labels &labels)
{
    Json out = Json::object();
    for (const auto &[name, value] : labels)
        out[name] = value;
    return out;
}

Json toJson(const Counts &counts)
{
    Json out = Json::object();
    for (const auto &[name, count] : counts)
        out[name] = count;
    return out;
}

// By "stage": the parser could not read the line, or the mapping had no use for its value.
void addSkipped(Json &out, const std::vector<SkippedLine> &skipped, std::string_view stage)
{
    for (const auto &line : skipped)
        out.push_back({{"line", line.line}, {"reason", line.reason}, {"stage", stage}});
}

Json spotCheck(const ParseReport &report, std::size_t index)
{
    const auto &sample = report.exposition.samples[index];
    return {{"index", index},
            {"name", report.census.sampleNames[index]},
            {"labels", toJson(sample.labels)},
            {"value", toJson(sample.value)},
            {"timestamp", toJson(sample.time)}};
}

// First, last and two between, as the figures beside reference captures have them.
Json spotChecks(const ParseReport &report)
{
    Json out = Json::array();
    const auto count = report.exposition.samples.size();
    std::optional<std::size_t> last;
    for (const auto index : {std::size_t{0}, count / 3, count * 2 / 3, count - 1}) {
        if (count > 0 && (!last || index > *last))
            out.push_back(spotCheck(report, index));
        last = index;
    }
    return out;
}

Json sampleToJson(const ParseReport &report, std::size_t index)
{
    const auto &sample = report.exposition.samples[index];
    Json out = spotCheck(report, index);
    if (report.census.sampleNames[index] != sample.name)
        out["exposed_name"] = sample.name; // as the body has it, without the counter's _total
    out["type"] = toString(report.exposition.families[sample.family].type);
    if (sample.line > 0)
        out["line"] = sample.line;
    if (sample.exemplar) {
        out["exemplar"] = {{"labels", toJson(sample.exemplar->labels)},
                           {"value", toJson(sample.exemplar->value)},
                           {"timestamp", toJson(sample.exemplar->time)}};
    }
    return out;
}

bool isMapped(const MappedSample &sample) noexcept { return findMetric(sample.info.key.metric) != nullptr; }

Json canonicalToJson(const MappedSample &sample)
{
    const auto &info = sample.info;
    return {{"metric", info.key.metric},
            {"labels", toJson(info.key.labels)},
            {"value", toJson(sample.value)},
            {"unit", info.unit},
            {"kind", toString(info.kind)},
            {"timestamp", toJson(sample.time)},
            {"mapped", isMapped(sample)},
            {"source", {{"name", info.source.name}, {"unit", info.source.unit}, {"factor", info.source.factor}}}};
}

void putRow(std::ostream &out, std::string_view name, std::size_t count, const Counts *parts = nullptr)
{
    out << "  " << name << std::string(name.size() < 24 ? 24 - name.size() : 1, ' ') << count;
    const char *separator = "   ";
    if (parts) {
        for (const auto &[type, number] : *parts) {
            out << separator << type << ' ' << number;
            separator = ", ";
        }
    }
    out << '\n';
}

std::string labelText(const Labels &labels)
{
    std::string out;
    for (const auto &[name, value] : labels)
        out += (out.empty() ? "" : ", ") + safeText(name, 64) + '=' + safeText(value, 64);
    return out.empty() ? out : '{' + out + '}';
}

std::string sourceText(const MappedSample &sample)
{
    const auto &source = sample.info.source;
    std::string out = safeText(source.name, 120);
    if (!source.unit.empty())
        out += ", " + source.unit;
    if (source.factor != 1)
        out += " × " + (source.factor == std::round(source.factor) ? std::to_string(std::llround(source.factor))
                                                                    : Json(source.factor).dump());
    return out;
}

void putSkipped(std::ostream &out, std::string_view title, const std::vector<SkippedLine> &skipped, std::size_t count)
{
    if (count == 0)
        return;
    out << '\n' << title << ": " << count << '\n';
    for (const auto &line : skipped) {
        out << "  ";
        if (line.line > 0)
            out << "line " << line.line << ": ";
        out << line.reason << '\n';
    }
    if (count > skipped.size())
        out << "  … and " << count - skipped.size() << " more\n";
}

} // namespace

void printJson(const ParseReport &report, std::ostream &out)
{
    const auto &census = report.census;
    Json document{{"file", safeText(report.file, 4096)}, {"format", nameOf(report.format)}};
    // Of a protobuf stream families are counted as they stand on the wire.
    if (report.proto) {
        document["families"] = report.proto->families;
        document["families_by_type"] = toJson(report.proto->familiesByType);
        document["metrics"] = report.proto->metrics;
        document["first_family"] = safeText(report.proto->firstFamily, 4096);
        document["last_family"] = safeText(report.proto->lastFamily, 4096);
    } else {
        document["families"] = census.families;
        document["families_by_type"] = toJson(census.familiesByType);
    }
    document["samples"] = census.samples;
    document["samples_by_type"] = toJson(census.samplesByType);
    document["distinct_sample_names"] = census.distinctSampleNames;
    document["distinct_series"] = census.distinctSeries;
    document["duplicate_series"] = census.duplicateSeries;
    document["with_timestamp"] = census.withTimestamp;
    document["with_exemplar"] = census.withExemplar;
    document["spot_checks"] = spotChecks(report);
    document["accepted"] = report.exposition.conforms;
    document["warnings"] = report.exposition.warnings;
    document["skipped_count"] = report.exposition.skippedCount + report.mapped.skipped.size();
    auto &skipped = document["skipped"] = Json::array();
    addSkipped(skipped, report.exposition.skipped, "parse");
    addSkipped(skipped, report.mapped.skipped, "map");
    auto &canonical = document["canonical"] = Json::array();
    for (const auto &sample : report.mapped.samples)
        canonical.push_back(canonicalToJson(sample));
    auto &samples = document["sample_list"] = Json::array();
    for (std::size_t i = 0; i < report.exposition.samples.size(); ++i)
        samples.push_back(sampleToJson(report, i));
    out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void printTable(const ParseReport &report, std::ostream &out)
{
    const auto &census = report.census;
    out << safeText(report.file, 512) << ": " << nameOf(report.format)
        << (report.exposition.conforms ? "" : ", not as its format wants it") << "\n\n";
    putRow(out, "families", report.proto ? report.proto->families : census.families,
           report.proto ? &report.proto->familiesByType : &census.familiesByType);
    if (report.proto)
        putRow(out, "metrics", report.proto->metrics);
    putRow(out, "samples", census.samples, &census.samplesByType);
    putRow(out, "distinct sample names", census.distinctSampleNames);
    putRow(out, "distinct series", census.distinctSeries);
    putRow(out, "duplicate series", census.duplicateSeries);
    putRow(out, "with a timestamp", census.withTimestamp);
    putRow(out, "with an exemplar", census.withExemplar);

    const auto &samples = report.mapped.samples;
    const auto mapped = std::count_if(samples.begin(), samples.end(), isMapped);
    out << "\nSeries of the catalogue: " << mapped << '\n';
    for (const auto &sample : samples) {
        if (!isMapped(sample))
            continue;
        out << "  " << sample.info.key.metric << ' ' << labelText(sample.info.key.labels) << "\n      "
            << formatValue(sample.value, sample.info.unit).text() << "   from " << sourceText(sample) << '\n';
    }
    out << "\nUnder their own names: " << samples.size() - static_cast<std::size_t>(mapped) << '\n';
    for (const auto &sample : samples) {
        if (!isMapped(sample)) {
            out << "  " << safeText(sample.info.key.metric, 120) << ' ' << labelText(sample.info.key.labels) << "   "
                << formatValue(sample.value, sample.info.unit).text() << '\n';
        }
    }
    putSkipped(out, "Skipped lines", report.exposition.skipped, report.exposition.skippedCount);
    putSkipped(out, "Left out of the series", report.mapped.skipped, report.mapped.skipped.size());
    for (const auto &warning : report.exposition.warnings)
        out << "\nWarning: " << warning << '\n';
}

} // namespace plimsoll
