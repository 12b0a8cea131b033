// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_sqlite.h"

#include "formats/byte_source.h"
#include "formats/json_reader.h"
#include "formats/json_text.h"
#include "formats/sqlite_tables.h"
#include "formats/torch_attributes.h"
#include "formats/torch_collector.h"
#include "formats/torch_extras.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <unordered_map>
#include <new>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::size_t kMaxLists = 1024;

class TorchSqliteReader
{
public:
    TorchSqliteReader(const std::filesystem::path &path, const SnapshotReading &reading, std::uint64_t bytes)
        : m_path(path), m_reading(reading), m_tables(path, reading), m_to(reading, bytes), m_bytes(bytes)
    {}

    [[nodiscard]] Result<MemorySnapshot> read()
    {
        if (const auto state = m_tables.open(); !state)
            return tl::make_unexpected(state.error());
        nameTables();
        const auto *segments = table("segments");
        const auto *traces = table("device_traces");
        if (!segments && !traces)
            return failure(Error::Code::BadInput, m_path.string() + " is a database, but no allocator snapshot: it has neither a table "
                                                                    "\"segments\" nor \"device_traces\".");
        auto &snapshot = m_to.snapshot;
        for (const auto step : {&TorchSqliteReader::readStacks, &TorchSqliteReader::readSegments, &TorchSqliteReader::readBlocks,
                                &TorchSqliteReader::readTraces, &TorchSqliteReader::readHost, &TorchSqliteReader::readAnnotations,
                                &TorchSqliteReader::readPairs})
            if (const auto state = (this->*step)(); !state)
                return tl::make_unexpected(state.error());
        auto &origin = snapshot.origin;
        origin.format = SnapshotOrigin::Format::Sqlite;
        origin.fileBytes = m_bytes;
        m_to.finish();
        if (!m_extras.empty())
            if (const auto state = applySnapshotExtras(m_extras, snapshot); !state)
                return tl::make_unexpected(state.error());
        return std::move(snapshot);
    }

private:
    void nameTables()
    {
        constexpr std::array<std::string_view, 10> kKnown{"segments",      "blocks",     "device_traces", "host_segments", "host_traces",
                                                          "external_annotations", "allocator_settings", "stacks", "attributes", "plimsoll"};
        for (const auto &[key, table] : m_tables.all()) {
            if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end())
                m_to.unknownKey("table", table.name);
            m_to.snapshot.origin.topLevel.push_back(table.name);
        }
    }

    [[nodiscard]] const SqliteTable *table(const std::string &name) const { return m_tables.find(name); }
    [[nodiscard]] tl::unexpected<Error> failed(int code) const { return m_tables.failed(code); }
    [[nodiscard]] SqliteStatement select(const SqliteTable &from) const { return m_tables.select(from); }

    // Calls for each row; a Result<void> from it ends the reading.
    template <class Each>
    [[nodiscard]] Result<void> eachRow(SqliteStatement rows, Each &&each)
    {
        std::size_t count = 0;
        while (rows.step()) {
            if (const Result<void> state = each(rows); !state)
                return state;
            if (++count % 4096 == 0) {
                if (m_reading.stop.stop_requested())
                    return failed(SQLITE_INTERRUPT);
                if (const auto fits = m_to.checkMemory(); !fits)
                    return fits;
            }
        }
        return rows.code() == SQLITE_DONE ? Result<void>() : failed(rows.code());
    }

    [[nodiscard]] static bool has(const SqliteStatement &row, int column) noexcept { return column >= 0 && !row.isNull(column); }
    [[nodiscard]] static std::uint64_t bytes(const SqliteStatement &row, int column, std::uint64_t unknown = kUnknownBytes) noexcept
    {
        return has(row, column) ? static_cast<std::uint64_t>(row.integer(column)) : unknown;
    }
    [[nodiscard]] static std::int32_t ordinal(const SqliteStatement &row, int column) noexcept
    {
        const auto value = has(row, column) ? row.integer(column) : 0;
        return value < INT32_MIN || value > INT32_MAX ? 0 : static_cast<std::int32_t>(value);
    }
    [[nodiscard]] static std::optional<bool> flag(const SqliteStatement &row, int column) noexcept
    {
        if (!has(row, column))
            return std::nullopt;
        if (row.isText(column))
            return row.text(column) == "true" || row.text(column) == "True" || row.text(column) == "1";
        return row.integer(column) != 0;
    }

    // A stack as JSON, or as the number of one.
    [[nodiscard]] Result<StackId> stack(const SqliteStatement &row, int frames, int stackId)
    {
        if (has(row, stackId)) {
            const auto found = m_stacks.find(row.integer(stackId));
            return found == m_stacks.end() ? kNoStack : found->second;
        }
        if (!has(row, frames))
            return kNoStack;
        return stackOf(row.text(frames));
    }
    [[nodiscard]] Result<StackId> stackOf(std::string_view json)
    {
        while (!json.empty() && static_cast<unsigned char>(json.front()) <= 0x20)
            json.remove_prefix(1);
        if (!json.starts_with('['))
            return kNoStack;
        m_padded.assign(json);
        m_padded.resize(json.size() + JsonReader::kPadding, ' ');
        return m_to.stack(std::string_view(m_padded).substr(0, json.size()));
    }

    [[nodiscard]] Result<void> readStacks()
    {
        const auto *from = table("stacks");
        if (!from)
            return {};
        const int id = from->at({"id", "stack_id"});
        const int frames = from->at({"frames"});
        if (id < 0 || frames < 0)
            return {};
        return eachRow(select(*from), [&](const SqliteStatement &row) -> Result<void> {
            const auto found = stackOf(row.text(frames));
            if (!found)
                return tl::make_unexpected(found.error());
            if (m_stacks.size() >= m_reading.limits.events)
                return failure(Error::Code::TooLarge, "The database has more than " + std::to_string(m_stacks.size()) + " stacks.");
            m_stacks[row.integer(id)] = *found;
            return {};
        });
    }

    void countUnknown(const SqliteTable &from, std::string_view where, std::initializer_list<std::string_view> known)
    {
        for (const auto &[column, index] : from.indices)
            if (std::find(known.begin(), known.end(), column) == known.end())
                m_to.unknownKey(where, from.columns[static_cast<std::size_t>(index)]);
    }

    [[nodiscard]] Result<void> readSegments()
    {
        const auto *from = table("segments");
        if (!from)
            return {};
        countUnknown(*from, "segment", {"id", "device", "device_id", "address", "total_size", "allocated_size", "active_size", "requested_size", "stream",
                                        "segment_type", "segment_pool_id", "pool_id", "is_expandable", "frames", "stack_id"});
        const int id = from->at({"id", "segment_id"});
        const int device = from->at({"device", "device_id"});
        const int address = from->at({"address", "addr"});
        const int total = from->at({"total_size", "size"});
        const int allocated = from->at({"allocated_size"});
        const int active = from->at({"active_size"});
        const int requested = from->at({"requested_size"});
        const int stream = from->at({"stream"});
        const int type = from->at({"segment_type"});
        const int pool = from->at({"segment_pool_id", "pool_id"});
        const int expandable = from->at({"is_expandable"});
        const int frames = from->at({"frames"});
        const int stackId = from->at({"stack_id"});
        return eachRow(select(*from), [&](const SqliteStatement &row) -> Result<void> {
            MemorySegment segment;
            segment.device = ordinal(row, device);
            segment.address = bytes(row, address);
            segment.totalSize = bytes(row, total, 0);
            segment.allocatedSize = bytes(row, allocated);
            segment.activeSize = bytes(row, active);
            segment.requestedSize = bytes(row, requested);
            segment.stream = m_to.stream(bytes(row, stream, 0));
            if (has(row, type) && (row.text(type) == "large" || row.text(type) == "small"))
                segment.isLarge = row.text(type) == "large";
            if (has(row, pool))
                segment.pool = TorchCollector::pool(row.text(pool));
            segment.isExpandable = flag(row, expandable);
            const auto found = stack(row, frames, stackId);
            if (!found)
                return tl::make_unexpected(found.error());
            segment.stack = *found;
            if (has(row, id))
                m_segmentIds[row.integer(id)] = m_to.snapshot.segments.size();
            m_to.snapshot.segments.push_back(segment);
            return {};
        });
    }

    [[nodiscard]] Result<void> readBlocks()
    {
        const auto *from = table("blocks");
        if (!from)
            return {};
        countUnknown(*from, "block", {"id", "segment_id", "segment_address", "device", "address", "size", "requested_size", "state", "frames", "stack_id",
                                      "history_length"});
        const int segmentId = from->at({"segment_id"});
        const int segmentAddress = from->at({"segment_address"});
        const int address = from->at({"address", "addr"});
        const int size = from->at({"size"});
        const int requested = from->at({"requested_size"});
        const int state = from->at({"state"});
        const int frames = from->at({"frames"});
        const int stackId = from->at({"stack_id"});
        const int history = from->at({"history_length"});
        auto &snapshot = m_to.snapshot;
        std::map<std::uint64_t, std::size_t> byAddress;
        for (std::size_t i = 0; i < snapshot.segments.size(); ++i)
            byAddress.emplace(snapshot.segments[i].address, i);
        std::vector<std::size_t> owners; // of snapshot.blocks, before they are put in order
        std::uint64_t homeless = 0;
        const auto result = eachRow(select(*from), [&](const SqliteStatement &row) -> Result<void> {
            MemoryBlock block;
            block.address = bytes(row, address);
            block.size = bytes(row, size, 0);
            block.requested = bytes(row, requested);
            block.state = has(row, state) ? TorchCollector::state(row.text(state)) : BlockState::Unknown;
            block.historyLength = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes(row, history, 0), UINT32_MAX));
            const auto found = stack(row, frames, stackId);
            if (!found)
                return tl::make_unexpected(found.error());
            block.stack = *found;
            auto owner = snapshot.segments.size();
            if (has(row, segmentId)) {
                if (const auto at = m_segmentIds.find(row.integer(segmentId)); at != m_segmentIds.end())
                    owner = at->second;
            } else {
                const auto wanted = has(row, segmentAddress) ? bytes(row, segmentAddress) : block.address;
                auto at = byAddress.upper_bound(wanted);
                if (at != byAddress.begin() && wanted - std::prev(at)->first < std::max<std::uint64_t>(snapshot.segments[std::prev(at)->second].totalSize, 1))
                    owner = std::prev(at)->second;
            }
            if (owner == snapshot.segments.size()) {
                ++homeless;
                return {};
            }
            owners.push_back(owner);
            snapshot.blocks.push_back(block);
            return {};
        });
        if (!result)
            return result;
        if (homeless != 0)
            snapshot.warnings.push_back(std::to_string(homeless) + " blocks belong to no segment of the database and are left out.");
        std::vector<std::size_t> order(owners.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&owners](std::size_t a, std::size_t b) { return owners[a] < owners[b]; });
        const auto unordered = std::exchange(snapshot.blocks, {});
        std::size_t next = 0;
        for (std::size_t i = 0; i < snapshot.segments.size(); ++i) {
            auto &segment = snapshot.segments[i];
            segment.firstBlock = snapshot.blocks.size();
            for (; next < order.size() && owners[order[next]] == i; ++next)
                snapshot.blocks.push_back(unordered[order[next]]);
            TorchCollector::placeBlocks(segment, snapshot.blocks);
        }
        return {};
    }

    // The lists are the numbers in the column "device", with the empty ones between them.
    [[nodiscard]] Result<void> readTraces()
    {
        if (const auto *from = table("device_traces"))
            return readLists(*from, MemoryKind::Accelerator);
        return {};
    }

    [[nodiscard]] Result<void> readLists(const SqliteTable &from, MemoryKind kind)
    {
        auto &snapshot = m_to.snapshot;
        const auto first = snapshot.events.size();
        std::vector<std::uint16_t> lists; // of each row
        if (const auto state = readEvents(from, lists); !state)
            return state;
        if (!std::is_sorted(lists.begin(), lists.end()))
            sortEvents(first, lists);
        auto count = lists.empty() ? std::size_t{0} : std::size_t{lists.back()} + 1;
        if (const auto said = listCount(kind); said && *said > 0 && *said <= static_cast<std::int64_t>(kMaxLists))
            count = std::max(count, static_cast<std::size_t>(*said)); // empty ones at the end
        auto at = lists.begin();
        for (std::size_t list = 0; list < count; ++list) {
            const auto end = std::upper_bound(at, lists.end(), list);
            TraceDevice device;
            device.kind = kind;
            device.ordinal = static_cast<std::int32_t>(list);
            device.firstEvent = first + static_cast<std::size_t>(at - lists.begin());
            device.eventCount = static_cast<std::size_t>(end - at);
            snapshot.devices.push_back(std::move(device));
            at = end;
        }
        if (kind == MemoryKind::Accelerator)
            snapshot.origin.traceLists = count;
        return {};
    }

    // Lists whose rows are mixed, one after the other.
    void sortEvents(std::size_t first, std::vector<std::uint16_t> &lists)
    {
        auto &events = m_to.snapshot.events;
        std::vector<std::uint32_t> order(lists.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = static_cast<std::uint32_t>(i);
        std::stable_sort(order.begin(), order.end(), [&lists](std::uint32_t a, std::uint32_t b) { return lists[a] < lists[b]; });
        EventColumns sorted(events.capacity());
        for (std::size_t i = 0; i < first; ++i)
            sorted.append(events[i]);
        for (const auto i : order)
            sorted.append(events[first + i]);
        events = std::move(sorted);
        std::sort(lists.begin(), lists.end());
    }

    [[nodiscard]] Result<void> readEvents(const SqliteTable &from, std::vector<std::uint16_t> &lists)
    {
        const int device = from.at({"device", "device_id", "device_index"});
        const int action = from.at({"action"});
        const int address = from.at({"addr", "address"});
        const int deviceFree = from.at({"device_free"});
        const int size = from.at({"size"});
        const int stream = from.at({"stream"});
        const int time = from.at({"time_us"});
        const int frames = from.at({"frames"});
        const int stackId = from.at({"stack_id"});
        const int pool = from.at({"pool_id"});
        const int attributes = from.at({"attributes"});
        std::vector<std::pair<int, std::string>> others;
        for (std::size_t i = 0; i < from.columns.size(); ++i) {
            constexpr std::array<std::string_view, 15> kKnown{"id",     "device",   "device_id", "device_index", "action",     "addr",    "address",
                                                              "device_free", "size", "stream", "time_us", "frames", "stack_id", "pool_id", "attributes"};
            if (std::find(kKnown.begin(), kKnown.end(), SqliteTables::lower(from.columns[i])) == kKnown.end())
                others.emplace_back(static_cast<int>(i), from.columns[i]);
        }
        EventContext context;
        return eachRow(select(from), [&](const SqliteStatement &row) -> Result<void> {
            const auto list = has(row, device) ? row.integer(device) : 0;
            if (list < 0 || list >= static_cast<std::int64_t>(kMaxLists))
                return failure(Error::Code::TooLarge, "The database names device " + std::to_string(list) + "; at most " + std::to_string(kMaxLists)
                                                          + " are expected.");
            lists.push_back(static_cast<std::uint16_t>(list));
            TraceEvent event;
            event.action = m_to.action(has(row, action) ? row.text(action) : std::string_view());
            event.address = bytes(row, address);
            if (event.address == kUnknownBytes)
                event.address = bytes(row, deviceFree);
            event.size = bytes(row, size);
            event.stream = m_to.stream(bytes(row, stream, 0));
            event.timeUs = has(row, time) ? row.integer(time) : kUnknownTime;
            const auto found = stack(row, frames, stackId);
            if (!found)
                return tl::make_unexpected(found.error());
            event.stack = *found;
            context.pool.reset();
            context.attributes.clear();
            if (has(row, pool))
                context.pool = TorchCollector::pool(row.text(pool));
            if (has(row, attributes))
                if (const auto state = takeAttributes(row.text(attributes), context); !state)
                    return state;
            for (const auto &[column, name] : others) {
                if (row.isNull(column))
                    continue;
                if (!isTorchEventKey(name))
                    m_to.unknownKey("event", name);
                m_to.attribute(context, name, row.text(column));
            }
            event.context = m_to.context(context);
            return m_to.append(event);
        });
    }

    [[nodiscard]] Result<void> takeAttributes(std::string_view json, EventContext &context)
    {
        return eachTextAttribute(json, [&](const std::string &name, std::string_view text) {
            if (!isTorchEventKey(name))
                m_to.unknownKey("event", name);
            m_to.attribute(context, name, text);
        });
    }

    [[nodiscard]] Result<void> readHost()
    {
        if (const auto *from = table("host_segments")) {
            const int address = from->at({"address", "addr"});
            const int device = from->at({"device"});
            const int size = from->at({"size", "total_size"});
            const int allocated = from->at({"allocated"});
            const int active = from->at({"active"});
            const int stream = from->at({"stream"});
            const int pool = from->at({"segment_pool_id", "pool_id"});
            const int requested = from->at({"requested_size"});
            const int frames = from->at({"frames"});
            const int stackId = from->at({"stack_id"});
            const auto state = eachRow(select(*from), [&](const SqliteStatement &row) -> Result<void> {
                MemorySegment segment;
                MemoryBlock block;
                segment.device = ordinal(row, device);
                segment.address = bytes(row, address);
                segment.totalSize = bytes(row, size, 0);
                segment.stream = m_to.stream(bytes(row, stream, 0));
                if (has(row, pool))
                    segment.pool = TorchCollector::pool(row.text(pool));
                const auto found = stack(row, frames, stackId);
                if (!found)
                    return tl::make_unexpected(found.error());
                block.stack = *found;
                block.requested = bytes(row, requested);
                m_to.appendHostSegment(segment, block, flag(row, allocated), flag(row, active));
                return {};
            });
            if (!state)
                return state;
            m_to.features.hasHostSegments = true;
        }
        if (const auto *from = table("host_traces"))
            return readLists(*from, MemoryKind::PinnedHost);
        return {};
    }

    [[nodiscard]] Result<void> readAnnotations()
    {
        const auto *from = table("external_annotations");
        if (!from)
            return {};
        m_to.features.hasAnnotations = true;
        const int device = from->at({"device"});
        const int time = from->at({"time_us"});
        const int stage = from->at({"stage"});
        const int name = from->at({"name"});
        return eachRow(select(*from), [&](const SqliteStatement &row) -> Result<void> {
            TraceAnnotation annotation;
            annotation.device = ordinal(row, device);
            if (has(row, time))
                annotation.timeUs = row.integer(time);
            if (has(row, stage))
                annotation.stage = row.text(stage) == "START" ? TraceAnnotation::Stage::Start
                    : row.text(stage) == "END"                ? TraceAnnotation::Stage::End
                                                              : TraceAnnotation::Stage::Other;
            if (has(row, name))
                annotation.name = m_to.snapshot.texts.intern(row.text(name));
            m_to.snapshot.annotations.push_back(annotation);
            return {};
        });
    }

    [[nodiscard]] Result<void> readPairs()
    {
        const auto read = [this](const char *name, auto &&take) -> Result<void> {
            const auto *from = table(name);
            if (!from || from->at({"key", "name"}) < 0 || from->at({"value"}) < 0)
                return {};
            const int key = from->at({"key", "name"});
            const int value = from->at({"value"});
            std::size_t left = 4096;
            return eachRow(select(*from), [&](const SqliteStatement &row) -> Result<void> {
                if (left != 0) {
                    --left;
                    take(std::string(row.text(key)), std::string(row.text(value)));
                }
                return {};
            });
        };
        auto &snapshot = m_to.snapshot;
        m_to.features.hasSettings = table("allocator_settings") != nullptr;
        auto state = read("allocator_settings", [&](std::string key, const std::string &value) {
            if (key == "trace_alloc_overflowed")
                m_to.overflowed(value);
            if (key == "trace_alloc_max_entries")
                m_to.maxEntries(value);
            snapshot.settings.emplace_back(std::move(key), compactJson(value));
        });
        if (state)
            state = read("attributes", [&](std::string key, std::string value) { snapshot.attributes.emplace_back(std::move(key), std::move(value)); });
        if (state)
            state = read("plimsoll", [&](const std::string &key, std::string value) {
                if (key == "extras")
                    m_extras = std::move(value);
            });
        return state;
    }

    // How many lists there are with the empty ones at the end, where the file says it.
    [[nodiscard]] std::optional<std::int64_t> listCount(MemoryKind kind)
    {
        if (!table("plimsoll"))
            return std::nullopt;
        auto row = m_tables.prepare(std::string("SELECT value FROM plimsoll WHERE key='")
                                                  + (kind == MemoryKind::PinnedHost ? "host_lists'" : "device_lists'"));
        if (!row.step() || row.isNull(0))
            return std::nullopt;
        return row.integer(0);
    }

    std::filesystem::path m_path;
    const SnapshotReading &m_reading;
    SqliteTables m_tables;
    TorchCollector m_to;
    std::uint64_t m_bytes;
    std::unordered_map<std::int64_t, StackId> m_stacks;
    std::unordered_map<std::int64_t, std::size_t> m_segmentIds;
    std::string m_padded;
    std::string m_extras;
};

} // namespace

Result<MemorySnapshot> readTorchSqlite(const std::filesystem::path &path, const SnapshotReading &reading)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (error || !std::filesystem::exists(status))
        return failure(Error::Code::Io, path.string() + " cannot be opened: " + (error ? error.message() : "it is not there") + '.');
    if (!std::filesystem::is_regular_file(status))
        return failure(Error::Code::Unsupported, path.string() + " is not a regular file.");
    std::array<char, 16> head{};
    std::ifstream(path, std::ios::binary).read(head.data(), head.size());
    if (std::string_view(head.data(), head.size()) != std::string_view("SQLite format 3\0", 16))
        return failure(Error::Code::BadInput, path.string() + " is no SQLite database.");
    const auto bytes = std::filesystem::file_size(path, error);
    try {
        return TorchSqliteReader(path, reading, error ? 0 : bytes).read();
    } catch (const std::bad_alloc &) {
        return failure(Error::Code::TooLarge, "There is not enough memory to read this file.");
    }
}

} // namespace plimsoll
