// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/sqlite_tables.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::size_t kMaxTables = 256;
constexpr std::size_t kMaxColumns = 200;

// We read tables by name; whatever a file wants to run beside that is refused.
int authorize(void *, int action, const char *first, const char *, const char *, const char *) noexcept
{
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ: return SQLITE_OK;
    case SQLITE_PRAGMA: return std::string_view(first ? first : "") == "table_info" ? SQLITE_OK : SQLITE_DENY;
    default: return SQLITE_DENY;
    }
}

} // namespace

int SqliteTable::at(std::initializer_list<std::string_view> names) const
{
    for (const auto wanted : names)
        if (const auto found = indices.find(std::string(wanted)); found != indices.end())
            return found->second;
    return -1;
}

std::string SqliteTables::lower(std::string_view text)
{
    std::string low(text);
    std::transform(low.begin(), low.end(), low.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return low;
}

std::string SqliteTables::quoted(std::string_view name)
{
    std::string text = "\"";
    for (const char c : name)
        text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
}

Result<void> SqliteTables::open()
{
    // As it lies there, without locks and without files beside it, unless rows still stand in a log.
    std::error_code ignored;
    const auto log = std::filesystem::path(m_path.string() + "-wal");
    const bool hasLog = std::filesystem::file_size(log, ignored) > 0 && !ignored;
    const auto folder = m_path.parent_path().empty() ? std::filesystem::path(".") : m_path.parent_path();
    const bool isImmutable = !hasLog || ::access(folder.c_str(), W_OK) != 0;
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(m_path, ignored).string())
        uri += c == '?' ? "%3f" : c == '#' ? "%23" : c == '%' ? "%25" : std::string(1, c);
    uri += isImmutable ? "?mode=ro&immutable=1" : "?mode=ro";
    sqlite3 *database = nullptr;
    const int code = ::sqlite3_open_v2(uri.c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
    m_database.reset(database);
    if (code != SQLITE_OK)
        return failed(code);
    for (const auto &[option, value] : {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
                                        std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0),
                                        std::pair(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)})
        (void)::sqlite3_db_config(database, option, value, nullptr);
    const auto length = static_cast<int>(std::min<std::size_t>(m_reading.limits.textBytes, 1U << 30U));
    for (const auto &[limit, value] : {std::pair(SQLITE_LIMIT_LENGTH, length), std::pair(SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
                                       std::pair(SQLITE_LIMIT_COLUMN, 256), std::pair(SQLITE_LIMIT_EXPR_DEPTH, 32),
                                       std::pair(SQLITE_LIMIT_COMPOUND_SELECT, 2), std::pair(SQLITE_LIMIT_VDBE_OP, 50'000),
                                       std::pair(SQLITE_LIMIT_ATTACHED, 0), std::pair(SQLITE_LIMIT_TRIGGER_DEPTH, 1),
                                       std::pair(SQLITE_LIMIT_WORKER_THREADS, 0)})
        ::sqlite3_limit(database, limit, value);
    ::sqlite3_progress_handler(database, 1000, &SqliteTables::isStopped, this);
    for (const char *pragma : {"PRAGMA cell_size_check=ON", "PRAGMA mmap_size=0", "PRAGMA query_only=ON", "PRAGMA temp_store=MEMORY"})
        if (SqliteStatement statement(database, pragma); statement.run() != SQLITE_OK)
            return failed(statement.code());
    ::sqlite3_set_authorizer(database, &authorize, nullptr);
    return list();
}

int SqliteTables::isStopped(void *self) noexcept
{
    return static_cast<SqliteTables *>(self)->m_reading.stop.stop_requested() ? 1 : 0;
}

tl::unexpected<Error> SqliteTables::failed(int code) const
{
    const char *message = m_database ? ::sqlite3_errmsg(m_database.get()) : ::sqlite3_errstr(code);
    switch (code & 0xFF) {
    case SQLITE_INTERRUPT: return failure(Error::Code::Cancelled, "Reading " + m_path.string() + " was cancelled.");
    case SQLITE_TOOBIG:
    case SQLITE_NOMEM: return failure(Error::Code::TooLarge, "A value in " + m_path.string() + " is too long.");
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
    case SQLITE_PERM:
    case SQLITE_BUSY: return failure(Error::Code::Io, m_path.string() + " cannot be read: " + message + '.');
    default: return failure(Error::Code::Corrupt, "The database " + m_path.string() + " is damaged: " + message + '.');
    }
}

Result<void> SqliteTables::list()
{
    // A table without a page of its own is a virtual one: code, not data.
    auto names = prepare("SELECT name FROM sqlite_master WHERE type='table' AND rootpage>0");
    std::vector<std::string> found;
    while (names.step() && found.size() < kMaxTables)
        found.emplace_back(names.text(0));
    if (names.code() != SQLITE_DONE && names.code() != SQLITE_ROW)
        return failed(names.code());
    for (const auto &name : found) {
        if (name.starts_with("sqlite_"))
            continue;
        SqliteTable table;
        table.name = name;
        auto columns = prepare("PRAGMA table_info(" + quoted(name) + ')');
        while (columns.step() && table.columns.size() < kMaxColumns) {
            table.indices.emplace(lower(columns.text(1)), static_cast<int>(table.columns.size()));
            table.columns.emplace_back(columns.text(1));
        }
        if (!table.columns.empty())
            m_tables.emplace(lower(name), std::move(table));
    }
    return {};
}

const SqliteTable *SqliteTables::find(const std::string &name) const
{
    const auto found = m_tables.find(name);
    return found == m_tables.end() ? nullptr : &found->second;
}

SqliteStatement SqliteTables::select(const SqliteTable &from) const
{
    std::string sql = "SELECT ";
    for (std::size_t i = 0; i < from.columns.size(); ++i)
        sql += (i == 0 ? "" : ",") + quoted(from.columns[i]);
    sql += " FROM " + quoted(from.name);
    if (const int id = from.at({"id"}); id >= 0)
        sql += " ORDER BY " + quoted(from.columns[static_cast<std::size_t>(id)]);
    return prepare(sql);
}

} // namespace plimsoll
