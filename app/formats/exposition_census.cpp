// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition_census.h"

#include "formats/exposition_line.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::string_view kTotal = "_total";

// `# KEYWORD name rest`, cut at any run of blanks, as that client cuts it.
std::array<std::string_view, 4> splitComment(std::string_view line) noexcept
{
    std::array<std::string_view, 4> parts{};
    constexpr std::string_view kBlanks = " \t\r\f\v";
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto begin = line.find_first_not_of(kBlanks);
        if (begin == std::string_view::npos)
            break;
        line.remove_prefix(begin);
        const auto end = i + 1 < parts.size() ? line.find_first_of(kBlanks) : line.find_last_not_of(kBlanks) + 1;
        parts[i] = line.substr(0, end);
        line.remove_prefix(parts[i].size());
    }
    return parts;
}

// The families of a text body, opened and closed as its lines come.
class TextCensus
{
public:
    TextCensus(const Exposition &exposition, ExpositionCensus &out) : m_samples(exposition.samples), m_out(out)
    {
        m_out.sampleNames.resize(m_samples.size());
    }

    void run(std::string_view body)
    {
        std::uint32_t number = 0;
        while (!body.empty()) {
            bool isWhole = true;
            const auto line = takeLine(body, isWhole);
            ++number;
            const auto begin = line.find_first_not_of(" \t");
            if (begin != std::string_view::npos && line[begin] == '#')
                readComment(line.substr(begin));
            else if (m_next < m_samples.size() && m_samples[m_next].line == number)
                readSample(m_next++);
        }
        close();
    }

private:
    void readComment(std::string_view line)
    {
        const auto parts = splitComment(line);
        const bool isHelp = parts[1] == "HELP";
        if (parts[0] != "#" || (!isHelp && parts[1] != "TYPE") || parts[2].empty())
            return;
        if (parts[2] != m_name) {
            close();
            m_name = parts[2];
            if (isHelp)
                allow("untyped");
        }
        if (!isHelp)
            allow(parts[3]);
    }

    void allow(std::string_view type)
    {
        m_type = type == "untyped" || type.empty() ? "unknown" : type;
        m_suffixes = m_type == "summary" ? std::vector<std::string_view>{"_count", "_sum", ""}
            : m_type == "histogram"      ? std::vector<std::string_view>{"_count", "_sum", "_bucket"}
                                         : std::vector<std::string_view>{""};
    }

    void readSample(std::size_t index)
    {
        const std::string_view name = m_samples[index].name;
        const bool belongs = !m_name.empty() && std::any_of(m_suffixes.begin(), m_suffixes.end(), [&](auto suffix) {
            return name.size() == m_name.size() + suffix.size() && name.starts_with(m_name) && name.ends_with(suffix);
        });
        if (belongs) {
            m_members.push_back(index);
            return;
        }
        close();
        m_out.sampleNames[index] = name;
        ++m_out.families;
        ++m_out.familiesByType["unknown"];
        ++m_out.samplesByType["unknown"];
    }

    void close()
    {
        if (!m_name.empty()) {
            ++m_out.families;
            ++m_out.familiesByType[std::string(m_type)];
            if (!m_members.empty())
                m_out.samplesByType[std::string(m_type)] += m_members.size();
            const bool gainsTotal = m_type == "counter" && !m_name.ends_with(kTotal);
            for (const auto index : m_members) {
                m_out.sampleNames[index] = m_samples[index].name;
                if (gainsTotal)
                    m_out.sampleNames[index] += kTotal;
            }
        }
        m_name = {};
        m_type = "unknown";
        m_members.clear();
    }

    const std::vector<ExpositionSample> &m_samples;
    ExpositionCensus &m_out;
    std::size_t m_next = 0;
    std::string_view m_name; // of the open family; empty = none is open
    std::string_view m_type = "unknown";
    std::vector<std::string_view> m_suffixes;
    std::vector<std::size_t> m_members;
};

void countByFamily(const Exposition &exposition, ExpositionCensus &out)
{
    out.families = exposition.families.size();
    for (const auto &family : exposition.families)
        ++out.familiesByType[std::string(toString(family.type))];
    for (const auto &sample : exposition.samples) {
        ++out.samplesByType[std::string(toString(exposition.families[sample.family].type))];
        out.sampleNames.push_back(sample.name);
    }
}

void countSeries(const Exposition &exposition, ExpositionCensus &out)
{
    std::unordered_set<std::string_view> names;
    std::unordered_set<std::string> series;
    for (std::size_t i = 0; i < exposition.samples.size(); ++i) {
        const auto &sample = exposition.samples[i];
        names.insert(out.sampleNames[i]);
        series.insert(out.sampleNames[i] + '{' + sample.labels.encode());
        out.withTimestamp += sample.time ? 1 : 0;
        out.withExemplar += sample.exemplar ? 1 : 0;
    }
    out.samples = exposition.samples.size();
    out.distinctSampleNames = names.size();
    out.distinctSeries = series.size();
    out.duplicateSeries = out.samples - out.distinctSeries;
}

} // namespace

ExpositionCensus countExposition(std::string_view body, ExpositionFormat format, const Exposition &exposition)
{
    ExpositionCensus out;
    if (format == ExpositionFormat::PrometheusText)
        TextCensus(exposition, out).run(body);
    else
        countByFamily(exposition, out);
    countSeries(exposition, out);
    return out;
}

} // namespace plimsoll
