// SPDX-License-Identifier: GPL-3.0-or-later
#include "parse.h"

#include "parse_report.h"

#include "base/text.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <ostream>

namespace plimsoll {
namespace {

constexpr std::size_t kReadLimit = std::size_t{65} << 20; // one MiB above what the parser takes

struct CloseFile
{
    void operator()(std::FILE *file) const noexcept
    {
        if (file && file != stdin)
            std::fclose(file);
    }
};

// Stops a little above the parser's limit, so that an endless pipe is refused and not read.
std::string readBody(const std::string &name, std::string &body)
{
    const std::unique_ptr<std::FILE, CloseFile> file(name == "-" ? stdin : std::fopen(name.c_str(), "rb"));
    if (!file)
        return std::strerror(errno);
    std::array<char, 65536> buffer{};
    while (body.size() < kReadLimit) {
        const auto got = std::fread(buffer.data(), 1, buffer.size(), file.get());
        body.append(buffer.data(), got);
        if (got < buffer.size())
            break;
    }
    return std::ferror(file.get()) ? std::strerror(errno) : std::string();
}

std::optional<ExpositionFormat> formatNamed(const std::string &name)
{
    if (name == "text" || name == "prometheus")
        return ExpositionFormat::PrometheusText;
    if (name == "openmetrics" || name == "om")
        return ExpositionFormat::OpenMetrics;
    if (name == "protobuf" || name == "pb")
        return ExpositionFormat::Protobuf;
    return std::nullopt;
}

// By the name's end, else by what the body looks like.
ExpositionFormat formatOf(const std::string &name, std::string_view body)
{
    if (name.ends_with(".om") || name.ends_with(".openmetrics"))
        return ExpositionFormat::OpenMetrics;
    if (name.ends_with(".pb"))
        return ExpositionFormat::Protobuf;
    if (name.ends_with(".prom"))
        return ExpositionFormat::PrometheusText;
    if (body.ends_with("# EOF\n") || body.ends_with("# EOF"))
        return ExpositionFormat::OpenMetrics;
    return looksLikeDelimitedProto(body) ? ExpositionFormat::Protobuf : ExpositionFormat::PrometheusText;
}

} // namespace

int runParse(const ParseOptions &options, std::ostream &out, std::ostream &err)
{
    constexpr int kBadInput = 2;
    const auto shownName = options.file == "-" ? std::string("standard input") : safeText(options.file, 512);
    const auto named = formatNamed(options.format);
    if (!options.format.empty() && !named) {
        err << "unknown format \"" << safeText(options.format, 40) << "\": text, openmetrics and protobuf are known\n";
        return kBadInput;
    }
    std::string body;
    if (const auto problem = readBody(options.file, body); !problem.empty()) {
        err << shownName << " cannot be read: " << problem << '\n';
        return kBadInput;
    }
    ParseReport report;
    report.file = options.file;
    report.format = named.value_or(formatOf(options.file, body));
    auto exposition = parseExposition(body, report.format);
    if (!exposition) {
        err << shownName << ": " << exposition.error().detail << '\n';
        return kBadInput;
    }
    report.exposition = std::move(*exposition);
    report.census = countExposition(body, report.format, report.exposition);
    if (report.format == ExpositionFormat::Protobuf)
        report.proto = countDelimitedProto(body);
    // No scrape took place: no URL to keep series apart by, no host to give those that name none.
    report.mapped = mapExposition(report.exposition, {});
    if (options.json)
        printJson(report, out);
    else
        printTable(report, out);
    out.flush();
    return out ? 0 : kBadInput;
}

} // namespace plimsoll
