// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to the reader of databases.

#include "base/result.h"
#include "formats/snapshot_reading.h"
#include "formats/sqlite_handle.h"

#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// A table with its columns by name.
struct SqliteTable
{
    std::string name;
    std::vector<std::string> columns;   // as they are spelled
    std::map<std::string, int> indices; // by lower-case name

    /// The first of these columns that is there; -1 when none is.
    [[nodiscard]] int at(std::initializer_list<std::string_view> names) const;
};

/// The tables of a database that may be hostile, only read: no views, triggers, virtual tables,
/// functions, extensions, attached files; limits on all that it names.
class SqliteTables
{
public:
    SqliteTables(std::filesystem::path path, const SnapshotReading &reading) : m_path(std::move(path)), m_reading(reading) {}
    SqliteTables(const SqliteTables &) = delete;
    SqliteTables &operator=(const SqliteTables &) = delete;

    /// Errors: Io, Corrupt, Cancelled.
    [[nodiscard]] Result<void> open();
    [[nodiscard]] const std::map<std::string, SqliteTable> &all() const noexcept { return m_tables; } // by lower-case name
    [[nodiscard]] const SqliteTable *find(const std::string &name) const;
    [[nodiscard]] SqliteStatement prepare(const std::string &sql) const { return {m_database.get(), sql}; }
    /// All columns in their order, so that a column's index is the table's; by "id" where there is one.
    [[nodiscard]] SqliteStatement select(const SqliteTable &from) const;
    /// The sentence for what went wrong.
    [[nodiscard]] tl::unexpected<Error> failed(int code) const;

    [[nodiscard]] static std::string lower(std::string_view text);
    [[nodiscard]] static std::string quoted(std::string_view name);

private:
    static int isStopped(void *self) noexcept;
    [[nodiscard]] Result<void> list();

    std::filesystem::path m_path;
    const SnapshotReading &m_reading;
    SqliteDatabase m_database;
    std::map<std::string, SqliteTable> m_tables;
};

} // namespace plimsoll
