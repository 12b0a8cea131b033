// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/diff.h"

#include "base/format.h"
#include "snapshot/grouping.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

namespace plimsoll {
namespace {

constexpr std::size_t kStopEvery = 4096;

std::uint8_t classOf(std::uint64_t size) noexcept { return static_cast<std::uint8_t>(std::bit_width(size)); }

std::string classText(std::uint8_t sizeClass)
{
    const auto bytes = [](unsigned bits) {
        return formatBytes(bits >= 64 ? 1.8446744073709552e19 : static_cast<double>(std::uint64_t {1} << bits)).text();
    };
    return sizeClass == 0 ? "0 B" : bytes(sizeClass - 1U) + " to " + bytes(sizeClass);
}

/// Gathers equal items.
class Items
{
public:
    void add(StackId stack, std::uint64_t size, MemoryCategory category)
    {
        auto &item = m_items[{stack, classOf(size), category}];
        item.bytes += size;
        ++item.count;
    }
    [[nodiscard]] std::vector<DiffItem> take() const
    {
        std::vector<DiffItem> items;
        for (const auto &[key, amount] : m_items)
            items.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), amount.bytes, amount.count});
        return items;
    }

private:
    std::map<std::tuple<StackId, std::uint8_t, MemoryCategory>, DiffAmount> m_items;
};

using Key = std::vector<std::uint32_t>; // of a stack: its frames' keys

struct KeyHash
{
    std::size_t operator()(const Key &key) const noexcept
    {
        std::size_t hash = key.size();
        for (const auto part : key) {
            hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
            hash ^= hash >> 29U;
        }
        return hash;
    }
};

/// What two snapshots' frames have in common: the same number for the same text.
class Names
{
public:
    std::uint32_t operator()(const std::string &text)
    {
        return m_numbers.try_emplace(text, static_cast<std::uint32_t>(m_numbers.size())).first->second;
    }

private:
    std::unordered_map<std::string, std::uint32_t> m_numbers;
};

/// One snapshot's stacks in these numbers.
class Reader
{
public:
    Reader(const MemorySnapshot &snapshot, Names &names) : m_snapshot(snapshot), m_names(names) { }

    [[nodiscard]] Key strict(StackId stack)
    {
        return keyOf(stack, [](const Frame &f) { return f.strict; });
    }
    [[nodiscard]] Key loose(StackId stack)
    {
        return keyOf(stack, [](const Frame &f) { return f.loose; });
    }

    void nameRow(StackId stack, DiffRow &row) const
    {
        const auto view = m_snapshot.stacks.stack(stack);
        const auto own = ownFrame(m_snapshot, stack);
        row.name = stack == kNoStack ? "no stack recorded" : "empty stack";
        for (std::size_t i = 0; i < view.size(); ++i) {
            row.frames.push_back(textOf(m_snapshot.stacks.frame(view[i])));
            if (i == 0 || view[i] == own)
                row.name = row.frames.back();
        }
    }

private:
    struct Frame
    {
        std::uint32_t strict = 0;
        std::uint32_t loose = 0;
    };

    [[nodiscard]] std::string textOf(const StackFrame &frame) const
    {
        return normalisedPath(m_snapshot.texts[frame.file]) + ':' + std::to_string(frame.line) + ' '
            + std::string(m_snapshot.texts[frame.name]);
    }

    template <class Part>
    Key keyOf(StackId stack, Part part)
    {
        Key key;
        const auto view = m_snapshot.stacks.stack(stack);
        key.reserve(view.size() + 1);
        for (std::size_t i = 0; i < view.size(); ++i)
            key.push_back(part(frameOf(view[i])));
        if (view.size() == 0)
            key.push_back(stack == kNoStack ? UINT32_MAX : UINT32_MAX - 1);
        return key;
    }

    const Frame &frameOf(FrameId id)
    {
        const auto [at, isNew] = m_frames.try_emplace(id);
        if (isNew) {
            const auto &frame = m_snapshot.stacks.frame(id);
            const auto path = normalisedPath(m_snapshot.texts[frame.file]);
            const std::string name(m_snapshot.texts[frame.name]);
            at->second.strict = m_names(path + '\n' + name + '\n' + std::to_string(frame.line));
            at->second.loose = m_names(looseFile(path) + '\n' + name);
        }
        return at->second;
    }

    // Generated files are named after their content, so that another line is another name.
    static std::string looseFile(const std::string &path)
    {
        for (const std::string_view generated : {"ipykernel/", "torchinductor/"})
            if (path.starts_with(generated))
                return std::string(generated);
        return path;
    }

    const MemorySnapshot &m_snapshot;
    Names &m_names;
    std::unordered_map<FrameId, Frame> m_frames;
};

void add(DiffAmount &amount, const DiffItem &item)
{
    amount.bytes += item.bytes;
    amount.count += item.count;
}

void sortRows(std::vector<DiffRow> &rows)
{
    const auto weight = [](const DiffRow &row) {
        return row.b.bytes > row.a.bytes ? row.b.bytes - row.a.bytes : row.a.bytes - row.b.bytes;
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const auto &a, const auto &b) {
        return weight(a) != weight(b) ? weight(a) > weight(b) : a.name < b.name;
    });
}

void setChange(DiffRow &row)
{
    row.change = row.a.count == 0 ? DiffChange::Added : row.b.count == 0 ? DiffChange::Removed : DiffChange::Changed;
}

class Diff
{
public:
    Diff(const DiffSide &a, const DiffSide &b)
        : m_a(a), m_b(b), m_readerA(*a.snapshot, m_names), m_readerB(*b.snapshot, m_names)
    { }

    Result<SnapshotDiff> run(const std::stop_token &stop)
    {
        if (!gather(m_a, m_readerA, true, stop) || !gather(m_b, m_readerB, false, stop))
            return failure(Error::Code::Cancelled, "cancelled while comparing snapshots");
        rowsByStack();
        byName(m_out.bySizeClass, [](const DiffItem &item) { return classText(item.sizeClass); });
        if (m_a.hasCategories && m_b.hasCategories)
            byName(m_out.byCategory, [](const DiffItem &item) { return std::string(toString(item.category)); });
        return std::move(m_out);
    }

private:
    struct Pair
    {
        DiffAmount a;
        DiffAmount b;
        StackId stackA = kNoStack;
        StackId stackB = kNoStack;
        std::size_t order = 0; // as met, so that the result is the same every time
        bool hasLineDrift = false;
    };
    using Pairs = std::unordered_map<Key, Pair, KeyHash>;

    bool gather(const DiffSide &side, Reader &reader, bool isA, const std::stop_token &stop)
    {
        std::size_t seen = 0;
        for (const auto &item : side.items) {
            if (seen++ % kStopEvery == 0 && stop.stop_requested())
                return false;
            const auto [at, isNew] = m_pairs.try_emplace(reader.strict(item.stack));
            auto &pair = at->second;
            if (isNew)
                pair.order = m_pairs.size();
            add(isA ? pair.a : pair.b, item);
            (isA ? pair.stackA : pair.stackB) = item.stack;
            add(isA ? m_out.totalA : m_out.totalB, item);
        }
        return true;
    }

    void rowsByStack()
    {
        std::vector<Pair> pairs;
        Pairs leftOver; // on one side only: by files and functions
        for (const auto &[key, pair] : m_pairs) {
            if (pair.a.count > 0 && pair.b.count > 0) {
                pairs.push_back(pair);
                continue;
            }
            const bool isA = pair.a.count > 0;
            auto &drifted = leftOver[isA ? m_readerA.loose(pair.stackA) : m_readerB.loose(pair.stackB)];
            drifted.hasLineDrift |= isA ? drifted.b.count > 0 : drifted.a.count > 0;
            auto &amount = isA ? drifted.a : drifted.b;
            const auto &more = isA ? pair.a : pair.b;
            if (amount.count == 0 || pair.order < drifted.order)
                (isA ? drifted.stackA : drifted.stackB) = isA ? pair.stackA : pair.stackB;
            amount.bytes += more.bytes;
            amount.count += more.count;
            drifted.order = drifted.order == 0 ? pair.order : std::min(drifted.order, pair.order);
        }
        for (const auto &[key, pair] : leftOver)
            pairs.push_back(pair);
        std::sort(pairs.begin(), pairs.end(), [](const auto &a, const auto &b) { return a.order < b.order; });
        for (const auto &pair : pairs) {
            if (pair.a == pair.b) {
                ++(pair.hasLineDrift ? m_out.driftedStacks : m_out.unchangedStacks);
                continue;
            }
            DiffRow row;
            row.a = pair.a;
            row.b = pair.b;
            row.stackA = pair.stackA;
            row.stackB = pair.stackB;
            row.hasLineDrift = pair.hasLineDrift;
            setChange(row);
            if (pair.b.count > 0)
                m_readerB.nameRow(pair.stackB, row);
            else
                m_readerA.nameRow(pair.stackA, row);
            m_out.byStack.push_back(std::move(row));
        }
        sortRows(m_out.byStack);
    }

    template <class Name>
    void byName(std::vector<DiffRow> &rows, Name name)
    {
        std::map<std::string, DiffRow> all;
        for (const auto &item : m_a.items)
            add(all[name(item)].a, item);
        for (const auto &item : m_b.items)
            add(all[name(item)].b, item);
        for (auto &[text, row] : all) {
            if (row.a == row.b)
                continue;
            row.name = text;
            setChange(row);
            rows.push_back(std::move(row));
        }
        sortRows(rows);
    }

    const DiffSide &m_a;
    const DiffSide &m_b;
    Names m_names;
    Reader m_readerA;
    Reader m_readerB;
    Pairs m_pairs;
    SnapshotDiff m_out;
};

} // namespace

DiffSide finalSide(const MemorySnapshot &snapshot, std::optional<std::int32_t> ordinal)
{
    Items items;
    for (const auto &segment : snapshot.segments) {
        if (ordinal && segment.device != *ordinal)
            continue;
        for (auto b = segment.firstBlock; b < segment.firstBlock + segment.blockCount; ++b) {
            const auto &block = snapshot.blocks[b];
            if (block.state == BlockState::ActiveAllocated || block.state == BlockState::ActivePendingFree)
                items.add(block.stack, block.requested == kUnknownBytes ? block.size : block.requested,
                          MemoryCategory::Unknown);
        }
    }
    return {&snapshot, false, items.take()};
}

DiffSide sideAt(const Replay &replay, EventInstant instant, const Categories *categories)
{
    Items items;
    replay.forEachAlive(instant, [&](AllocationId id) {
        items.add(replay.stacks()[id], replay.sizes()[id], categories ? (*categories)[id] : MemoryCategory::Unknown);
    });
    return {&replay.snapshot(), categories != nullptr, items.take()};
}

std::string_view toString(DiffChange change) noexcept
{
    switch (change) {
    case DiffChange::Added: return "added";
    case DiffChange::Removed: return "removed";
    case DiffChange::Changed: break;
    }
    return "changed";
}

Result<SnapshotDiff> diffSnapshots(const DiffSide &a, const DiffSide &b, std::stop_token stop)
{
    return Diff(a, b).run(stop);
}

} // namespace plimsoll
