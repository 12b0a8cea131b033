// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/json_text.h"
#include "formats/replaced_file.h"
#include "formats/sqlite_handle.h"
#include "formats/torch_extras.h"
#include "formats/torch_frames_text.h"
#include "formats/torch_sqlite.h"

#include <cerrno>
#include <utility>

namespace plimsoll {
namespace {

using Pool = std::optional<std::pair<std::int64_t, std::int64_t>>;

constexpr const char *kSchema = R"(
CREATE TABLE segments(id INTEGER PRIMARY KEY, device INTEGER, address INTEGER, total_size INTEGER, allocated_size INTEGER,
    active_size INTEGER, requested_size INTEGER, stream INTEGER, segment_type TEXT, segment_pool_id TEXT, is_expandable INTEGER,
    stack_id INTEGER);
CREATE TABLE blocks(id INTEGER PRIMARY KEY, segment_id INTEGER, address INTEGER, size INTEGER, requested_size INTEGER, state TEXT,
    stack_id INTEGER, history_length INTEGER);
CREATE TABLE device_traces(id INTEGER PRIMARY KEY, device INTEGER, action TEXT, addr INTEGER, device_free INTEGER, size INTEGER,
    stream INTEGER, time_us INTEGER, pool_id TEXT, stack_id INTEGER, attributes TEXT);
CREATE TABLE stacks(id INTEGER PRIMARY KEY, frames TEXT);
CREATE TABLE allocator_settings(key TEXT, value TEXT);
CREATE TABLE external_annotations(id INTEGER PRIMARY KEY, device INTEGER, time_us INTEGER, stage TEXT, name TEXT);
CREATE TABLE host_segments(id INTEGER PRIMARY KEY, device INTEGER, address INTEGER, size INTEGER, allocated INTEGER, active INTEGER,
    stream INTEGER, segment_pool_id TEXT, requested_size INTEGER, stack_id INTEGER);
CREATE TABLE host_traces(id INTEGER PRIMARY KEY, device INTEGER, action TEXT, addr INTEGER, device_free INTEGER, size INTEGER,
    stream INTEGER, time_us INTEGER, pool_id TEXT, stack_id INTEGER, attributes TEXT);
CREATE TABLE attributes(key TEXT, value TEXT);
CREATE TABLE plimsoll(key TEXT, value TEXT);
)";

class TorchSqliteWriter
{
public:
    TorchSqliteWriter(const MemorySnapshot &snapshot, ReplacedFile &file, const SnapshotWriting &writing)
        : m_snapshot(snapshot), m_file(file), m_writing(writing)
    {}

    [[nodiscard]] Result<void> write()
    {
        sqlite3 *database = nullptr;
        m_code = ::sqlite3_open_v2(m_file.temporaryPath().c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
        m_database.reset(database);
        // The file counts only when it is whole, so it needs no journal.
        run("PRAGMA journal_mode=OFF");
        run("PRAGMA synchronous=OFF");
        run("PRAGMA locking_mode=EXCLUSIVE");
        run("PRAGMA temp_store=MEMORY");
        run(kSchema);
        run("BEGIN");
        writeSegments();
        writeBlocks();
        writeStacks();
        writeEvents(false);
        writeEvents(true);
        writeHostSegments();
        writeAnnotations();
        writePairs();
        run("COMMIT");
        m_done = 0;
        (void)isGoingOn();
        if (m_isCancelled)
            return failure(Error::Code::Cancelled, "Writing was cancelled; no file was left.");
        if (m_code == SQLITE_FULL)
            return m_file.failed(ENOSPC);
        if (m_code != SQLITE_OK)
            return failure(Error::Code::Io, "The database cannot be written: " + std::string(::sqlite3_errstr(m_code)) + '.');
        return {};
    }

private:
    void run(const char *sql)
    {
        if (m_code == SQLITE_OK)
            m_code = ::sqlite3_exec(m_database.get(), sql, nullptr, nullptr, nullptr);
    }
    void run(SqliteStatement &statement)
    {
        if (m_code == SQLITE_OK)
            m_code = statement.run();
    }
    [[nodiscard]] SqliteStatement prepare(const std::string &sql)
    {
        SqliteStatement statement(m_database.get(), sql);
        if (m_code == SQLITE_OK)
            m_code = statement.code();
        return statement;
    }
    [[nodiscard]] bool isGoingOn()
    {
        if (m_done++ % 4096 == 0 && m_writing.stop.stop_requested())
            m_isCancelled = true;
        return m_code == SQLITE_OK && !m_isCancelled;
    }

    static void bind(SqliteStatement &to, int at, std::uint64_t value)
    {
        if (value == kUnknownBytes)
            to.bindNull(at);
        else
            to.bind(at, static_cast<std::int64_t>(value)); // its bits: SQLite knows no unsigned ones
    }
    static void bind(SqliteStatement &to, int at, const Pool &pool)
    {
        if (pool)
            to.bind(at, '[' + std::to_string(pool->first) + ',' + std::to_string(pool->second) + ']');
        else
            to.bindNull(at);
    }
    static void bindStack(SqliteStatement &to, int at, StackId stack)
    {
        if (stack == kNoStack)
            to.bindNull(at);
        else
            to.bind(at, std::int64_t{stack});
    }
    void bindStream(SqliteStatement &to, int at, StreamId stream) const { to.bind(at, static_cast<std::int64_t>(m_snapshot.streams[stream])); }

    void writeSegments()
    {
        auto row = prepare("INSERT INTO segments VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
        std::int64_t id = 0;
        for (const auto &segment : m_snapshot.segments) {
            if (!isGoingOn())
                return;
            row.bind(1, ++id);
            row.bind(2, std::int64_t{segment.device});
            bind(row, 3, segment.address);
            bind(row, 4, segment.totalSize);
            bind(row, 5, segment.allocatedSize);
            bind(row, 6, segment.activeSize);
            bind(row, 7, segment.requestedSize);
            bindStream(row, 8, segment.stream);
            if (segment.isLarge)
                row.bind(9, std::string_view(*segment.isLarge ? "large" : "small"));
            else
                row.bindNull(9);
            bind(row, 10, segment.pool);
            if (segment.isExpandable)
                row.bind(11, std::int64_t{*segment.isExpandable});
            else
                row.bindNull(11);
            bindStack(row, 12, segment.stack);
            run(row);
        }
    }

    void writeBlocks()
    {
        auto row = prepare("INSERT INTO blocks VALUES(?,?,?,?,?,?,?,?)");
        std::int64_t id = 0;
        std::int64_t segmentId = 0;
        for (const auto &segment : m_snapshot.segments) {
            ++segmentId;
            for (std::size_t i = segment.firstBlock; i < segment.firstBlock + segment.blockCount; ++i) {
                if (!isGoingOn())
                    return;
                const auto &block = m_snapshot.blocks[i];
                row.bind(1, ++id);
                row.bind(2, segmentId);
                bind(row, 3, block.address);
                bind(row, 4, block.size);
                bind(row, 5, block.requested);
                row.bind(6, toString(block.state));
                bindStack(row, 7, block.stack);
                row.bind(8, std::int64_t{block.historyLength});
                run(row);
            }
        }
    }

    void writeStacks()
    {
        TorchFramesText frames(m_snapshot);
        auto row = prepare("INSERT INTO stacks VALUES(?,?)");
        std::string text;
        for (StackId id = kEmptyStack; id < m_snapshot.stacks.stackCount(); ++id) {
            if (!isGoingOn())
                return;
            text.clear();
            frames.append(text, id);
            row.bind(1, std::int64_t{id});
            row.bind(2, std::string_view(text));
            run(row);
        }
    }

    void writeEvents(bool isOfHost)
    {
        auto row = prepare(std::string("INSERT INTO ") + (isOfHost ? "host_traces" : "device_traces") + " VALUES(?,?,?,?,?,?,?,?,?,?,?)");
        std::int64_t id = 0;
        std::int64_t list = 0;
        int perMille = -1;
        std::string attributes;
        for (const auto &device : m_snapshot.devices) {
            if ((device.kind == MemoryKind::PinnedHost) != isOfHost)
                continue;
            for (std::size_t i = device.firstEvent; i < device.firstEvent + device.eventCount; ++i) {
                if (!isGoingOn())
                    return;
                const auto event = m_snapshot.events[i];
                const auto &context = m_snapshot.contexts[event.context];
                const bool isOom = event.action == TraceAction::Oom;
                row.bind(1, ++id);
                row.bind(2, list);
                row.bind(3, std::string_view(m_snapshot.actionNames[static_cast<std::size_t>(event.action)]));
                bind(row, 4, isOom ? kUnknownBytes : event.address);
                bind(row, 5, isOom ? event.address : kUnknownBytes);
                bind(row, 6, event.size);
                bindStream(row, 7, event.stream);
                if (event.timeUs == kUnknownTime)
                    row.bindNull(8);
                else
                    row.bind(8, event.timeUs);
                bind(row, 9, context.pool);
                bindStack(row, 10, event.stack);
                if (context.attributes.empty()) {
                    row.bindNull(11);
                } else {
                    attributes = "{";
                    for (const auto &[key, value] : context.attributes) {
                        appendJsonString(attributes, m_snapshot.texts[key]);
                        attributes += ':';
                        appendJsonString(attributes, m_snapshot.texts[value]);
                        attributes += ',';
                    }
                    attributes.back() = '}';
                    row.bind(11, std::string_view(attributes));
                }
                run(row);
                const auto now = static_cast<int>((i + 1) * 1000 / m_snapshot.events.size());
                if (m_writing.progress && std::exchange(perMille, now) != now)
                    m_writing.progress({now, std::nullopt});
            }
            ++list;
        }
        auto count = prepare("INSERT INTO plimsoll VALUES(?,?)");
        count.bind(1, std::string_view(isOfHost ? "host_lists" : "device_lists"));
        count.bind(2, list);
        run(count);
    }

    void writeHostSegments()
    {
        auto row = prepare("INSERT INTO host_segments VALUES(?,?,?,?,?,?,?,?,?,?)");
        std::int64_t id = 0;
        for (const auto &segment : m_snapshot.hostSegments) {
            if (!isGoingOn())
                return;
            const auto block = segment.blockCount != 0 ? m_snapshot.hostBlocks[segment.firstBlock] : MemoryBlock();
            row.bind(1, ++id);
            row.bind(2, std::int64_t{segment.device});
            bind(row, 3, segment.address);
            bind(row, 4, segment.totalSize);
            row.bindNull(5);
            row.bindNull(6);
            if (block.state != BlockState::Unknown) {
                row.bind(5, std::int64_t{block.state == BlockState::ActiveAllocated});
                row.bind(6, std::int64_t{block.state != BlockState::Inactive});
            }
            bindStream(row, 7, segment.stream);
            bind(row, 8, segment.pool);
            bind(row, 9, block.requested);
            bindStack(row, 10, block.stack);
            run(row);
        }
    }

    void writeAnnotations()
    {
        auto row = prepare("INSERT INTO external_annotations VALUES(?,?,?,?,?)");
        std::int64_t id = 0;
        for (const auto &annotation : m_snapshot.annotations) {
            if (!isGoingOn())
                return;
            using Stage = TraceAnnotation::Stage;
            row.bind(1, ++id);
            row.bind(2, std::int64_t{annotation.device});
            if (annotation.timeUs == kUnknownTime)
                row.bindNull(3);
            else
                row.bind(3, annotation.timeUs);
            row.bind(4, std::string_view(annotation.stage == Stage::Start ? "START" : annotation.stage == Stage::End ? "END" : "OTHER"));
            row.bind(5, m_snapshot.texts[annotation.name]);
            run(row);
        }
    }

    void writePairs()
    {
        const auto write = [this](const char *table, const auto &pairs) {
            auto row = prepare(std::string("INSERT INTO ") + table + " VALUES(?,?)");
            for (const auto &[key, value] : pairs) {
                row.bind(1, std::string_view(key));
                row.bind(2, std::string_view(value));
                run(row);
            }
        };
        write("allocator_settings", m_snapshot.settings);
        write("attributes", m_snapshot.attributes);
        using Pairs = std::vector<std::pair<std::string, std::string>>;
        write("plimsoll", Pairs{{"extras", snapshotExtras(m_snapshot, SnapshotExtras::AllButPairs)}});
    }

    const MemorySnapshot &m_snapshot;
    ReplacedFile &m_file;
    const SnapshotWriting &m_writing;
    SqliteDatabase m_database;
    int m_code = SQLITE_OK;
    std::uint64_t m_done = 0;
    bool m_isCancelled = false;
};

} // namespace

Result<void> writeTorchSqlite(const MemorySnapshot &snapshot, const std::filesystem::path &path, const SnapshotWriting &writing)
{
    auto file = ReplacedFile::create(path);
    if (!file)
        return tl::make_unexpected(file.error());
    if (auto state = TorchSqliteWriter(snapshot, *file, writing).write(); !state)
        return state;
    return file->commit();
}

} // namespace plimsoll
