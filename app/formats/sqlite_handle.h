// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to the readers and writers of databases: SQLite's handles, owned.

#include "base/result.h"

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

struct SqliteClose
{
    void operator()(sqlite3 *database) const noexcept { ::sqlite3_close_v2(database); }
    void operator()(sqlite3_stmt *statement) const noexcept { ::sqlite3_finalize(statement); }
};
using SqliteDatabase = std::unique_ptr<sqlite3, SqliteClose>;

/// A prepared statement, bound and stepped.
class SqliteStatement
{
public:
    SqliteStatement() = default;
    SqliteStatement(sqlite3 *database, const std::string &sql)
    {
        sqlite3_stmt *statement = nullptr;
        m_code = ::sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
        m_statement.reset(statement);
    }
    /// True while there are rows; ask code() afterwards.
    [[nodiscard]] bool step() noexcept
    {
        if (!m_statement || (m_code != SQLITE_OK && m_code != SQLITE_ROW))
            return false;
        m_code = ::sqlite3_step(m_statement.get());
        return m_code == SQLITE_ROW;
    }
    /// Runs it once for its effect, ready for the next values.
    [[nodiscard]] int run() noexcept
    {
        if (!m_statement)
            return m_code == SQLITE_OK ? SQLITE_ERROR : m_code;
        const int code = ::sqlite3_step(m_statement.get());
        ::sqlite3_reset(m_statement.get());
        return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
    }
    [[nodiscard]] int code() const noexcept { return m_code; } // SQLITE_DONE behind the last row

    [[nodiscard]] bool isNull(int column) const noexcept { return ::sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL; }
    [[nodiscard]] std::int64_t integer(int column) const noexcept { return ::sqlite3_column_int64(m_statement.get(), column); }
    [[nodiscard]] std::string_view text(int column) const noexcept
    {
        const auto *text = reinterpret_cast<const char *>(::sqlite3_column_text(m_statement.get(), column));
        return text ? std::string_view(text, static_cast<std::size_t>(::sqlite3_column_bytes(m_statement.get(), column))) : std::string_view();
    }
    [[nodiscard]] bool isText(int column) const noexcept { return ::sqlite3_column_type(m_statement.get(), column) == SQLITE_TEXT; }

    void bind(int parameter, std::int64_t value) noexcept { ::sqlite3_bind_int64(m_statement.get(), parameter, value); }
    void bind(int parameter, std::string_view value) noexcept // copied
    {
        ::sqlite3_bind_text64(m_statement.get(), parameter, value.data() ? value.data() : "", value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    void bindNull(int parameter) noexcept { ::sqlite3_bind_null(m_statement.get(), parameter); }

private:
    std::unique_ptr<sqlite3_stmt, SqliteClose> m_statement;
    int m_code = SQLITE_OK;
};

} // namespace plimsoll
