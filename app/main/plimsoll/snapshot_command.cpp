// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot_command.h"

#include "snapshot_diff.h"
#include "snapshot_report.h"

#include "formats/torch_json.h"
#include "formats/torch_sqlite.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <charconv>
#include <ostream>

namespace plimsoll {
namespace {

constexpr int kUnanswered = 1;
constexpr int kUsage = 2;

struct ConvertOptions
{
    std::string file;
    std::string to;
};

/// Progress on a terminal only; what is piped into a file stays free of it.
SnapshotReading readingFor(std::ostream &err)
{
    SnapshotReading reading;
    if (::isatty(STDERR_FILENO) != 0) {
        reading.progress = [&err](const Progress &progress) {
            err << "\rreading " << progress.perMille / 10 << " %   " << (progress.perMille >= 1000 ? "\r\033[K" : "") << std::flush;
        };
    }
    return reading;
}

int fail(std::ostream &err, const Error &error)
{
    err << "plimsoll: " << error.detail << '\n';
    return kUnanswered;
}

int show(const SnapshotQuestion &question, std::ostream &out, std::ostream &err)
{
    const auto answer = report(question, readingFor(err));
    if (!answer)
        return fail(err, answer.error());
    if (question.json)
        printJson(*answer, out);
    else
        printText(*answer, out);
    return 0;
}

int convert(const ConvertOptions &options, std::ostream &out, std::ostream &err)
{
    const bool toJson = options.to.ends_with(".json");
    if (!toJson && !options.to.ends_with(".db") && !options.to.ends_with(".sqlite")) {
        err << "plimsoll: " << options.to << " ends neither with .json nor with .db: these can be written.\n";
        return kUsage;
    }
    const auto file = openSnapshotFile(options.file, readingFor(err));
    if (!file)
        return fail(err, file.error());
    const auto *snapshot = file->snapshot();
    if (!snapshot) {
        err << "plimsoll: " << options.file << " is a heap profile: it has stacks only, and no events to convert.\n";
        return kUnanswered;
    }
    const auto written = toJson ? writeTorchJson(*snapshot, options.to) : writeTorchSqlite(*snapshot, options.to);
    if (!written)
        return fail(err, written.error());
    out << options.to << ": written\n";
    return 0;
}

bool readAt(const std::string &text, SnapshotQuestion &question)
{
    if (text == "peak" || text == "oom") {
        question.at = text == "peak" ? SnapshotQuestion::At::Peak : SnapshotQuestion::At::Oom;
        return true;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), question.event);
    question.at = SnapshotQuestion::At::Event;
    return error == std::errc() && end == text.data() + text.size();
}

} // namespace

int runSnapshotCommand(int argc, char **argv, std::ostream &out, std::ostream &err)
{
    CLI::App app("Explains a snapshot of PyTorch's allocator, a profiler trace or a heap profile.", "plimsoll snapshot");
    app.set_help_flag("-h,--help", "print this help");
    app.footer("FILE may be a pickle, JSON, SQLite or a page of memory_viz, packed by gzip or zstd or not.\n"
               "Whole-file figures are sums over the devices.");

    SnapshotQuestion question;
    std::string at = "peak";
    app.add_option("FILE", question.file, "what to explain");
    app.add_option("--device", question.device, "only this device of the file");
    app.add_option("--at", at, "peak, oom, or the number of an event: whose memory it was then")
        ->check([&question](const std::string &text) {
            return readAt(text, question) ? std::string() : "\"" + text + "\" is neither peak nor oom nor the number of an event";
        });
    app.add_option("--top", question.top, "so many stacks, leaks and holders")->check(CLI::Range(1, 100'000));
    app.add_flag("--json", question.json, "as one JSON document");

    DiffQuestion diff;
    auto *diffCommand = app.add_subcommand("diff", "what B holds that A does not, and the reverse");
    diffCommand->add_option("A", diff.a, "a snapshot")->required();
    diffCommand->add_option("B", diff.b, "another one")->required();
    diffCommand->add_option("--device", diff.device, "only this device of both files");
    diffCommand->add_flag("--at-peak", diff.atPeak, "at each one's peak, not at its end");
    diffCommand->add_option("--top", diff.top, "so many rows")->check(CLI::Range(1, 100'000));
    diffCommand->add_flag("--json", diff.json, "as one JSON document");

    ConvertOptions conversion;
    auto *convertCommand = app.add_subcommand("convert", "write it as JSON or as an SQLite database");
    convertCommand->add_option("FILE", conversion.file, "what to convert")->required();
    convertCommand->add_option("-o,--output", conversion.to, "a name that ends with .json or .db")->required();

    try {
        app.parse(argc, argv);
        if (app.get_subcommands().empty() && question.file.empty())
            throw CLI::RequiredError("FILE");
    } catch (const CLI::ParseError &error) {
        const int status = app.exit(error, out, err);
        return status == 0 ? 0 : kUsage;
    }
    if (diffCommand->parsed())
        return showDiff(diff, readingFor(err), out, err);
    if (convertCommand->parsed())
        return convert(conversion, out, err);
    return show(question, out, err);
}

} // namespace plimsoll
