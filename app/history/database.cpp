// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/database.h"

#include <sqlite3.h>

namespace plimsoll {
namespace {

constexpr int kBusyTimeoutMs = 2000;
constexpr int kStepsBetweenChecks = 2000; // of SQLite's machine: well under a millisecond

// A path is bytes, an URI is not: escape what would end or change it.
std::string immutableUri(const std::filesystem::path &file)
{
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(file).string()) {
        if (c == '%' || c == '?' || c == '#') {
            constexpr std::string_view kHex = "0123456789abcdef";
            const auto byte = static_cast<unsigned char>(c);
            uri += '%';
            uri += kHex[byte >> 4U];
            uri += kHex[byte & 15U];
        } else {
            uri += c;
        }
    }
    return uri + "?immutable=1";
}

SQLite::Database openFile(const std::filesystem::path &file, Database::Access access)
{
    switch (access) {
    case Database::Access::Write:
        return SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs);
    case Database::Access::Read: return SQLite::Database(file.string(), SQLite::OPEN_READONLY, kBusyTimeoutMs);
    case Database::Access::Immutable: break;
    }
    return SQLite::Database(immutableUri(file), SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyTimeoutMs);
}

} // namespace

Database::Database(const std::filesystem::path &file, Access access) : m_database(openFile(file, access)) {}

SQLite::Statement &Database::statement(const std::string &sql)
{
    const auto known = m_statements.find(sql);
    if (known == m_statements.end())
        return m_statements.emplace(sql, SQLite::Statement(m_database, sql)).first->second;
    known->second.tryReset();
    known->second.clearBindings();
    return known->second;
}

std::int64_t Database::integer(const std::string &sql)
{
    SQLite::Statement query(m_database, sql);
    return query.executeStep() ? query.getColumn(0).getInt64() : 0;
}

std::string Database::text(const std::string &sql)
{
    SQLite::Statement query(m_database, sql);
    return query.executeStep() ? query.getColumn(0).getString() : std::string();
}

bool Database::isReadOnly() const
{
    return sqlite3_db_readonly(m_database.getHandle(), "main") == 1;
}

bool Database::isInTransaction() const
{
    return sqlite3_get_autocommit(m_database.getHandle()) == 0;
}

void Database::rollback() noexcept
{
    for (auto &[sql, statement] : m_statements)
        statement.tryReset();
    if (isInTransaction())
        m_database.tryExec("ROLLBACK");
}

Database::Interruptible::Interruptible(Database &database, const std::stop_token &stop) : m_of(database)
{
    sqlite3_progress_handler(
        m_of.m_database.getHandle(), kStepsBetweenChecks,
        [](void *token) { return static_cast<const std::stop_token *>(token)->stop_requested() ? 1 : 0; },
        const_cast<std::stop_token *>(&stop));
}

Database::Interruptible::~Interruptible()
{
    sqlite3_progress_handler(m_of.m_database.getHandle(), 0, nullptr, nullptr);
}

BlobView blobOf(const SQLite::Statement &row, int column)
{
    const auto value = row.getColumn(column);
    return {static_cast<const std::uint8_t *>(value.getBlob()), static_cast<std::size_t>(value.getBytes())};
}

void bindBlob(SQLite::Statement &statement, int index, BlobView blob)
{
    statement.bindNoCopy(index, blob.data(), static_cast<int>(blob.size()));
}

void bindText(SQLite::Statement &statement, int index, const std::string &text)
{
    statement.bind(index, text);
}

Error toError(const SQLite::Exception &exception, const std::filesystem::path &file)
{
    const std::string detail = file.string() + ": " + exception.what();
    switch (exception.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return {Error::Code::Busy, detail};
    case SQLITE_FULL: return {Error::Code::Full, detail};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return {Error::Code::Corrupt, detail};
    case SQLITE_INTERRUPT: return {Error::Code::Cancelled, detail};
    case SQLITE_TOOBIG:
    case SQLITE_NOMEM: return {Error::Code::TooLarge, detail};
    default: break;
    }
    // A full disk shows as a failed write, too (the log's index cannot grow).
    std::error_code ignored;
    const auto space = std::filesystem::space(file.parent_path().empty() ? "." : file.parent_path(), ignored);
    if (!ignored && space.available < 256U * 1024U
        && (exception.getErrorCode() == SQLITE_IOERR || exception.getErrorCode() == SQLITE_CANTOPEN))
        return {Error::Code::Full, detail};
    return {Error::Code::Io, detail};
}

} // namespace plimsoll
