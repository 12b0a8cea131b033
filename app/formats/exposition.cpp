// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition.h"

#include "formats/exposition_openmetrics.h"
#include "formats/exposition_proto.h"
#include "formats/exposition_text.h"

#include <algorithm>
#include <string>

namespace plimsoll {
namespace {

std::string lowered(std::string_view text)
{
    std::string out(text);
    for (char &c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    return out;
}

std::string_view withoutBlanks(std::string_view text) noexcept
{
    const auto begin = text.find_first_not_of(" \t\r\n");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// A login page or a proxy's error page arrives with status 200 often enough.
bool isMarkup(std::string_view body) noexcept
{
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    if (body.starts_with(kMark))
        body.remove_prefix(kMark.size());
    return withoutBlanks(body.substr(0, 4096)).starts_with('<');
}

} // namespace

ExpositionFormat expositionFormat(std::string_view contentType) noexcept
{
    // A header of megabytes is nobody's Content-Type.
    const auto type = lowered(contentType.substr(0, 1024));
    const auto mediaType = withoutBlanks(std::string_view(type).substr(0, type.find(';')));
    if (mediaType.starts_with("application/openmetrics-text"))
        return ExpositionFormat::OpenMetrics;
    if (mediaType.starts_with("application/vnd.google.protobuf") && type.find("encoding=text") == std::string::npos
        && type.find("encoding=compact-text") == std::string::npos)
        return ExpositionFormat::Protobuf;
    return ExpositionFormat::PrometheusText;
}

std::string_view toString(SampleType type) noexcept
{
    switch (type) {
    case SampleType::Counter: return "counter";
    case SampleType::Gauge: return "gauge";
    case SampleType::Histogram: return "histogram";
    case SampleType::GaugeHistogram: return "gaugehistogram";
    case SampleType::Summary: return "summary";
    case SampleType::Info: return "info";
    case SampleType::StateSet: return "stateset";
    case SampleType::Unknown: break;
    }
    return "unknown";
}

Result<Exposition> parseExposition(std::string_view body, ExpositionFormat format, const ExpositionLimits &limits)
{
    if (body.size() > limits.bodyBytes) {
        return failure(Error::Code::TooLarge,
                       "the body has " + std::to_string(body.size()) + " bytes, " + std::to_string(limits.bodyBytes)
                           + " are allowed");
    }
    if (format == ExpositionFormat::Protobuf)
        return parseDelimitedProto(body, limits);
    if (body.starts_with("\x1f\x8b"))
        return failure(Error::Code::Unsupported, "the body is compressed (gzip), not text");
    if (isMarkup(body))
        return failure(Error::Code::BadInput, "the body is an HTML page, not metrics");
    return format == ExpositionFormat::OpenMetrics ? parseOpenMetrics(body, limits) : parsePrometheusText(body, limits);
}

} // namespace plimsoll
