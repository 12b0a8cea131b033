// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition_text.h"

#include "base/text.h"
#include "formats/exposition_line.h"
#include "formats/exposition_names.h"
#include "formats/exposition_notes.h"
#include "formats/exposition_number.h"
#include "formats/family_index.h"


namespace plimsoll {
namespace {

std::string lowered(std::string_view text)
{
    std::string out(text.substr(0, 32));
    for (char &c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    return out;
}

std::string_view trimmed(std::string_view text) noexcept
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

class TextParser
{
public:
    explicit TextParser(const ExpositionLimits &limits) : m_limits(limits), m_index(m_out.families) {}

    [[nodiscard]] Exposition parse(std::string_view body)
    {
        auto rest = body;
        while (!rest.empty()) {
            bool isWhole = true;
            auto line = takeLine(rest, isWhole);
            ++m_line;
            if (line.ends_with('\r'))
                line.remove_suffix(1);
            if (line.size() > m_limits.lineBytes) {
                skip("the line is longer than " + std::to_string(m_limits.lineBytes) + " bytes");
                continue;
            }
            line = trimmed(line);
            if (line.empty())
                continue;
            const bool isComment = line.front() == '#';
            if (!isComment && m_out.samples.size() >= m_limits.samples) {
                skip("more than " + std::to_string(m_limits.samples) + " samples: the rest is not read");
                break;
            }
            if (!isValidUtf8(line))
                skip("the line is no valid UTF-8");
            else if (isComment)
                readComment(line);
            else if (readSample(line) && !isWhole)
                noteCutEnd();
        }
        m_out.duplicateSeries = countDuplicates(m_out.samples);
        if (m_out.duplicateSeries > 0) {
            noteWarning(m_out, std::to_string(m_out.duplicateSeries) + " samples repeat the name and labels of another");
            m_out.conforms = false;
        }
        return std::move(m_out);
    }

private:
    [[nodiscard]] bool readSample(std::string_view line)
    {
        if (auto reason = readSampleLine(line, LineDialect::Text, m_limits, m_sample); !reason.empty()) {
            skip(std::move(reason));
            return false;
        }
        const auto label = [&](std::string_view name) -> const std::string * {
            for (const auto &pair : m_sample.labels) {
                if (pair.first == name)
                    return &pair.second;
            }
            return nullptr;
        };
        const std::string *bound = label("le");
        const auto family = m_index.ofSample(m_sample.name, bound != nullptr);
        const auto type = m_out.families[family].type;
        if (bound && type == SampleType::Histogram && m_sample.name.ends_with("_bucket") && !parseMetricNumber(*bound)) {
            skip("the bound le=\"" + safeText(*bound, 80) + "\" is no number");
            return false;
        }
        const std::string *quantile = type == SampleType::Summary ? label("quantile") : nullptr;
        if (quantile && !parseMetricNumber(*quantile)) {
            skip("quantile=\"" + safeText(*quantile, 80) + "\" is no number");
            return false;
        }
        auto &sample = m_out.samples.emplace_back();
        sample.name = m_sample.name;
        sample.labels = Labels(std::move(m_sample.labels));
        sample.value = m_sample.value;
        sample.time = m_sample.time;
        sample.family = family;
        sample.line = static_cast<std::uint32_t>(m_line);
        if (m_hasSamples.size() < m_out.families.size())
            m_hasSamples.resize(m_out.families.size());
        m_hasSamples[family] = true;
        return true;
    }

    void readComment(std::string_view line)
    {
        const auto comment = readCommentLine(line, LineDialect::Text);
        using Keyword = CommentLine::Keyword;
        if (comment.keyword != Keyword::Help && comment.keyword != Keyword::Type && comment.keyword != Keyword::Unit)
            return;
        // `# HELP` and `# TYPE foo` without more say nothing: plain comments, as the Go parser sees them.
        if (comment.name.empty())
            return;
        if (!comment.isQuoted && !isMetricName(comment.name)) {
            if (comment.keyword != Keyword::Unit)
                skip(safeText(comment.name, 80) + " in HELP or TYPE is no metric name");
            return;
        }
        if (comment.rest.empty())
            return;
        if (comment.keyword == Keyword::Type)
            readType(comment);
        else if (m_out.families.size() < m_limits.samples)
            readDescription(comment);
    }

    void readType(const CommentLine &comment)
    {
        const auto word = comment.rest;
        const auto type = sampleTypeFromText(lowered(word));
        if (!type) {
            skip("unknown type " + safeText(word, 40) + " of " + safeText(comment.name, 80));
            return;
        }
        if (m_out.families.size() >= m_limits.samples)
            return;
        const auto family = m_index.require(comment.name);
        if (m_typed.size() <= family)
            m_typed.resize(family + 1);
        auto &known = m_out.families[family].type;
        const bool hasSamples = family < m_hasSamples.size() && m_hasSamples[family];
        if (m_typed[family] && known == *type) {
            m_out.conforms = false; // some exporters repeat it before each sample
            noteWarning(m_out, "TYPE is repeated");
        } else if (hasSamples) {
            skip("TYPE " + safeText(word, 40) + " of " + safeText(comment.name, 80) + " after its first sample");
        } else if (m_typed[family]) {
            skip("a second TYPE of " + safeText(comment.name, 80) + ", and a different one: " + safeText(word, 40)
                 + " after " + std::string(toString(known)));
            known = *type;
        } else {
            known = *type;
            m_typed[family] = true;
        }
    }

    void readDescription(const CommentLine &comment)
    {
        if (comment.keyword == CommentLine::Keyword::Unit) {
            if (const auto family = m_index.find(comment.name))
                m_out.families[*family].unit = comment.rest;
            return;
        }
        auto &help = m_out.families[m_index.require(comment.name)].help;
        auto text = unescapeHelp(comment.rest, LineDialect::Text);
        if (help.empty()) {
            help = std::move(text);
            return;
        }
        m_out.conforms = false;
        if (help == text)
            noteWarning(m_out, "HELP is repeated");
        else
            skip("a second HELP of " + safeText(comment.name, 80) + " with another text");
    }

    // A cut body loses digits without a trace: 12 of 1250 reads well.
    void noteCutEnd()
    {
        m_out.conforms = false;
        noteWarning(m_out, "the last line has no line feed at its end: the body may be cut");
    }

    void skip(std::string reason) { noteSkipped(m_out, m_limits, m_line, std::move(reason)); }

    const ExpositionLimits &m_limits;
    Exposition m_out;
    FamilyIndex m_index;
    SampleLine m_sample;
    std::vector<bool> m_hasSamples; // by family
    std::vector<bool> m_typed;      // by family: a TYPE line was seen
    std::size_t m_line = 0;
};

} // namespace

Result<Exposition> parsePrometheusText(std::string_view body, const ExpositionLimits &limits)
{
    auto out = TextParser(limits).parse(body);
    if (out.samples.empty() && out.families.empty() && out.skippedCount > 0) {
        const auto &first = out.skipped;
        return failure(Error::Code::BadInput,
                       "no line of the body is a metric"
                           + (first.empty() ? std::string()
                                            : "; line " + std::to_string(first.front().line) + ": " + first.front().reason));
    }
    return out;
}

} // namespace plimsoll
