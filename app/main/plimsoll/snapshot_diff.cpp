// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot_diff.h"

#include "base/format.h"
#include "base/text.h"
#include "formats/snapshot_file.h"
#include "snapshot/categories.h"
#include "snapshot/diff.h"
#include "snapshot/replay.h"

#include <nlohmann/json.hpp>

#include <ostream>

namespace plimsoll {
namespace {

using Json = nlohmann::ordered_json;

/// One side, with what it looks into: a heap profile becomes a snapshot of stacks.
struct Side
{
    SnapshotFile file;
    std::optional<MemorySnapshot> heap;

    [[nodiscard]] const MemorySnapshot &snapshot() const { return heap ? *heap : *file.snapshot(); }
};

Result<Side> open(const std::string &path, const SnapshotReading &reading)
{
    auto file = openSnapshotFile(path, reading);
    if (!file)
        return tl::make_unexpected(file.error());
    Side side{std::move(*file), {}};
    if (const auto *heap = std::get_if<HeapProfile>(&side.file.content)) {
        auto snapshot = toMemorySnapshot(*heap, heap->mainSampleType());
        if (!snapshot)
            return tl::make_unexpected(snapshot.error());
        side.heap = std::move(*snapshot);
    }
    return side;
}

/// All accelerators together, or the one that was asked for. Blocks without events (a heap profile,
/// a state without history) are compared as they are.
DiffSide stateOf(const MemorySnapshot &snapshot, const DiffQuestion &question, const std::stop_token &stop)
{
    DiffSide side;
    for (const auto &device : devicesOf(snapshot)) {
        if (device.kind != MemoryKind::Accelerator || (question.device && device.ordinal != *question.device))
            continue;
        const Replay replay(snapshot, device, stop);
        if (!replay.hasAllocations())
            return finalSide(snapshot, question.device);
        const Categories categories(replay);
        auto one = sideAt(replay, question.atPeak ? replay.peakInstant() : replay.end(), &categories);
        side.hasCategories = one.hasCategories;
        side.items.insert(side.items.end(), one.items.begin(), one.items.end());
    }
    side.snapshot = &snapshot;
    return side;
}

Json amount(const DiffAmount &amount)
{
    return {{"bytes", amount.bytes}, {"allocations", amount.count}};
}

Json rows(const std::vector<DiffRow> &rows, std::size_t top, bool withFrames)
{
    Json out = Json::array();
    for (std::size_t i = 0; i < rows.size() && i < top; ++i) {
        const auto &row = rows[i];
        Json one{{"name", row.name}, {"change", toString(row.change)}, {"a", amount(row.a)}, {"b", amount(row.b)},
                 {"delta_bytes", row.delta()}};
        if (withFrames) {
            one["line_drift"] = row.hasLineDrift;
            one["frames"] = row.frames;
        }
        out.push_back(std::move(one));
    }
    return out;
}

void printJson(const DiffQuestion &question, const SnapshotDiff &diff, std::ostream &out)
{
    const Json document{{"a", question.a},
                        {"b", question.b},
                        {"total", {{"a", amount(diff.totalA)}, {"b", amount(diff.totalB)},
                                   {"delta_bytes", static_cast<std::int64_t>(diff.totalB.bytes - diff.totalA.bytes)}}},
                        {"is_empty", diff.isEmpty()},
                        {"stacks_unchanged", diff.unchangedStacks},
                        {"stacks_changed", diff.byStack.size()},
                        {"stacks_with_other_lines_only", diff.driftedStacks},
                        {"by_stack", rows(diff.byStack, question.top, true)},
                        {"by_category", rows(diff.byCategory, question.top, false)},
                        {"by_size_class", rows(diff.bySizeClass, question.top, false)}};
    out << document.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

std::string signedBytes(std::int64_t delta)
{
    return (delta > 0 ? "+" : "") + formatBytes(static_cast<double>(delta)).text();
}

void printRows(std::ostream &out, std::string_view title, const std::vector<DiffRow> &rows, std::size_t top)
{
    if (rows.empty())
        return;
    out << '\n' << title << '\n';
    for (std::size_t i = 0; i < rows.size() && i < top; ++i) {
        const auto &row = rows[i];
        out << "  " << signedBytes(row.delta()) << "   " << formatBytes(static_cast<double>(row.a.bytes)).text() << " → "
            << formatBytes(static_cast<double>(row.b.bytes)).text() << "   " << safeText(row.name, 200)
            << (row.hasLineDrift ? " (its lines moved)" : "") << '\n';
        for (std::size_t frame = 0; frame < row.frames.size() && frame < 4; ++frame)
            out << "      " << safeText(row.frames[frame], 240) << '\n';
    }
    if (rows.size() > top)
        out << "  … and " << rows.size() - top << " more\n";
}

void printText(const DiffQuestion &question, const SnapshotDiff &diff, std::ostream &out)
{
    out << "A  " << safeText(question.a, 400) << ": " << formatBytes(static_cast<double>(diff.totalA.bytes)).text() << " in "
        << diff.totalA.count << " allocations\n"
        << "B  " << safeText(question.b, 400) << ": " << formatBytes(static_cast<double>(diff.totalB.bytes)).text() << " in "
        << diff.totalB.count << " allocations\n";
    if (diff.isEmpty()) {
        out << "\nThey hold the same, stack by stack.\n";
        return;
    }
    printRows(out, "By stack", diff.byStack, question.top);
    printRows(out, "By category (inferred)", diff.byCategory, question.top);
    printRows(out, "By size", diff.bySizeClass, question.top);
}

} // namespace

int showDiff(const DiffQuestion &question, const SnapshotReading &reading, std::ostream &out, std::ostream &err)
{
    const auto refuse = [&err](const Error &error) {
        err << "plimsoll: " << error.detail << '\n';
        return 1;
    };
    const auto a = open(question.a, reading);
    if (!a)
        return refuse(a.error());
    const auto b = open(question.b, reading);
    if (!b)
        return refuse(b.error());
    const auto diff = diffSnapshots(stateOf(a->snapshot(), question, reading.stop), stateOf(b->snapshot(), question, reading.stop), reading.stop);
    if (!diff)
        return refuse(diff.error());
    if (question.json)
        printJson(question, *diff, out);
    else
        printText(question, *diff, out);
    return 0;
}

} // namespace plimsoll
