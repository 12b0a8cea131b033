// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition_line.h"

#include "base/text.h"
#include "formats/exposition_names.h"
#include "formats/exposition_number.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::size_t kExemplarCharacters = 128; // names and values together, by the specification

std::size_t countCharacters(std::string_view text) noexcept
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string quote(std::string_view text) { return '"' + safeText(text, 80) + '"'; }

// Walks one line, left to right, once.
class LineReader
{
public:
    LineReader(std::string_view line, LineDialect dialect, const ExpositionLimits &limits)
        : m_line(line), m_isText(dialect == LineDialect::Text), m_limits(limits)
    {
    }

    [[nodiscard]] std::string read(SampleLine &out)
    {
        out.labels.clear();
        out.time.reset();
        out.exemplar.reset();
        skipBlanks();
        out.name.assign(takeName(true));
        if (out.name.empty() && peek() != '{')
            return "expected a metric name, found " + found();
        skipBlanks();
        if (peek() == '{') {
            ++m_at;
            if (auto reason = readLabels(out.labels, out.name.empty() ? &out.name : nullptr); !reason.empty())
                return reason;
            if (out.name.empty())
                return "no metric name";
        }
        return readValues(out);
    }

private:
    [[nodiscard]] std::string readValues(SampleLine &out)
    {
        if (!takeGap())
            return "expected a blank and a value, found " + found();
        const auto value = takeToken();
        if (value.empty())
            return "no value";
        const auto number = parseMetricNumber(value);
        if (!number)
            return "the value " + quote(value) + " is no number";
        out.value = *number;
        if (isDone())
            return {};
        return m_isText ? readTextTail(out) : readOpenMetricsTail(out);
    }

    [[nodiscard]] std::string readTextTail(SampleLine &out)
    {
        skipBlanks();
        if (isDone())
            return {};
        const auto token = takeToken();
        const auto time = parseMillis(token);
        if (!time)
            return "the time " + quote(token) + " is no whole number of milliseconds";
        out.time = *time;
        skipBlanks();
        return isDone() ? std::string() : "unexpected " + found() + " after the time";
    }

    [[nodiscard]] std::string readOpenMetricsTail(SampleLine &out)
    {
        if (!takeGap())
            return "expected one blank, found " + found();
        if (peek() != '#') {
            const auto token = takeToken();
            out.time = parseSeconds(token);
            if (!out.time)
                return "the time " + quote(token) + " is no number of seconds";
            if (isDone())
                return {};
            if (!takeGap())
                return "expected one blank, found " + found();
        }
        return readExemplar(out.exemplar.emplace());
    }

    [[nodiscard]] std::string readExemplar(Exemplar &exemplar)
    {
        if (!m_line.substr(m_at).starts_with("# {"))
            return "expected an exemplar, found " + found();
        m_at += 3;
        std::vector<Labels::Pair> labels;
        if (auto reason = readLabels(labels, nullptr); !reason.empty())
            return "exemplar: " + reason;
        std::size_t characters = 0;
        for (const auto &[name, value] : labels)
            characters += countCharacters(name) + countCharacters(value);
        if (characters > kExemplarCharacters)
            return "exemplar: its labels have " + std::to_string(characters) + " characters, 128 are allowed";
        exemplar.labels = Labels(std::move(labels));
        if (!takeGap())
            return "exemplar: expected a blank and a value, found " + found();
        const auto token = takeToken();
        const auto value = parseMetricNumber(token);
        if (!value)
            return "exemplar: the value " + quote(token) + " is no number";
        exemplar.value = *value;
        if (isDone())
            return {};
        if (!takeGap())
            return "exemplar: expected one blank, found " + found();
        const auto timeToken = takeToken();
        exemplar.time = parseSeconds(timeToken);
        if (!exemplar.time)
            return "exemplar: the time " + quote(timeToken) + " is no number of seconds";
        return isDone() ? std::string() : "exemplar: unexpected " + found() + " at the end";
    }

    // Behind '{'. `metricName` takes the one quoted item without '=' of a UTF-8 name.
    [[nodiscard]] std::string readLabels(std::vector<Labels::Pair> &labels, std::string *metricName)
    {
        skipBlanks();
        bool mayEnd = true; // an empty list, and text's trailing comma
        while (true) {
            if (mayEnd && peek() == '}') {
                ++m_at;
                return {};
            }
            if (labels.size() == m_limits.labels)
                return "more than " + std::to_string(m_limits.labels) + " labels";
            if (auto reason = readLabel(labels, metricName); !reason.empty())
                return reason;
            skipBlanks();
            if (peek() == ',') {
                ++m_at;
                skipBlanks();
                mayEnd = m_isText;
                continue;
            }
            if (peek() != '}')
                return "expected ',' or '}' in the labels, found " + found();
            mayEnd = true;
        }
    }

    [[nodiscard]] std::string readLabel(std::vector<Labels::Pair> &labels, std::string *metricName)
    {
        Labels::Pair pair;
        const bool isQuoted = peek() == '"';
        if (isQuoted) {
            if (auto reason = readQuoted(pair.first); !reason.empty())
                return reason;
        } else {
            pair.first.assign(takeName(false));
        }
        if (pair.first.empty())
            return "expected a label name, found " + found();
        skipBlanks();
        if (isQuoted && peek() != '=') {
            if (!metricName || !metricName->empty() || !labels.empty())
                return "expected '=' after the label name " + quote(pair.first);
            *metricName = std::move(pair.first);
            return {};
        }
        if (peek() != '=')
            return "expected '=' after the label name " + quote(pair.first) + ", found " + found();
        ++m_at;
        skipBlanks();
        if (peek() != '"')
            return "the value of label " + quote(pair.first) + " does not start with a quote";
        if (auto reason = readQuoted(pair.second); !reason.empty())
            return reason;
        if (pair.first == "__name__")
            return "the label name __name__ is reserved";
        if (isRepeated(labels, pair.first))
            return "the label " + quote(pair.first) + " comes twice";
        labels.push_back(std::move(pair));
        return {};
    }

    // Every pair is compared; the limit of labels keeps that small against reading them.
    [[nodiscard]] static bool isRepeated(const std::vector<Labels::Pair> &labels, std::string_view name)
    {
        return std::any_of(labels.begin(), labels.end(), [name](const Labels::Pair &pair) { return pair.first == name; });
    }

    // At the opening quote; copies runs between backslashes.
    [[nodiscard]] std::string readQuoted(std::string &out)
    {
        ++m_at;
        out.clear();
        while (true) {
            const auto stop = m_line.find_first_of("\"\\", m_at);
            if (stop == std::string_view::npos)
                return "a quote is not closed";
            out.append(m_line, m_at, stop - m_at);
            m_at = stop + 1;
            if (out.size() > m_limits.labelValueBytes)
                return "a label value longer than " + std::to_string(m_limits.labelValueBytes) + " bytes";
            if (m_line[stop] == '"')
                return {};
            if (m_at == m_line.size())
                return "a quote is not closed";
            const char escaped = m_line[m_at++];
            if (escaped == '\\' || escaped == '"') {
                out += escaped;
            } else if (escaped == 'n') {
                out += '\n';
            } else if (m_isText) {
                return "a backslash before " + quote({&escaped, 1}) + " is no escape in a label value";
            } else {
                out += '\\'; // OpenMetrics: stands for both characters
                out += escaped;
            }
        }
    }

    [[nodiscard]] char peek() const noexcept { return m_at < m_line.size() ? m_line[m_at] : '\0'; }
    [[nodiscard]] bool isDone() const noexcept { return m_at == m_line.size(); }
    [[nodiscard]] bool isBlank(char c) const noexcept { return c == ' ' || c == '\t'; }

    void skipBlanks() noexcept
    {
        while (m_isText && m_at < m_line.size() && isBlank(m_line[m_at]))
            ++m_at;
    }

    // Between tokens: text needs none behind '}', OpenMetrics exactly one.
    [[nodiscard]] bool takeGap() noexcept
    {
        if (m_isText) {
            skipBlanks();
            return true;
        }
        if (peek() != ' ')
            return false;
        ++m_at;
        return true;
    }

    [[nodiscard]] std::string_view takeToken() noexcept
    {
        const auto begin = m_at;
        while (m_at < m_line.size() && !isBlank(m_line[m_at]))
            ++m_at;
        return m_line.substr(begin, m_at - begin);
    }

    [[nodiscard]] std::string_view takeName(bool allowColon) noexcept
    {
        const auto begin = m_at;
        const auto isColon = [&](char c) { return allowColon && c == ':'; };
        if (m_at < m_line.size() && (isNameStart(m_line[m_at]) || isColon(m_line[m_at]))) {
            ++m_at;
            while (m_at < m_line.size() && (isNameRest(m_line[m_at]) || isColon(m_line[m_at])))
                ++m_at;
        }
        return m_line.substr(begin, m_at - begin);
    }

    [[nodiscard]] std::string found() const
    {
        if (isDone())
            return "the end of the line";
        return quote(m_line.substr(m_at, 20));
    }

    std::string_view m_line;
    std::size_t m_at = 0;
    bool m_isText;
    const ExpositionLimits &m_limits;
};

} // namespace

std::string readSampleLine(std::string_view line, LineDialect dialect, const ExpositionLimits &limits, SampleLine &out)
{
    return LineReader(line, dialect, limits).read(out);
}

} // namespace plimsoll
