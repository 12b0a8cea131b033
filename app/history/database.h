// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "history/bytes.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <unordered_map>

namespace plimsoll {

/// One SQLite connection of one thread at a time, with its statements prepared once.
/// Members throw SQLite::Exception; it is turned into an Error where a public function ends.
class Database
{
public:
    enum class Access : std::uint8_t { Write, Read, Immutable };

    Database(const std::filesystem::path &file, Access access);

    /// Reset and without bindings; belongs to this connection.
    [[nodiscard]] SQLite::Statement &statement(const std::string &sql);
    void exec(const std::string &sql) { m_database.exec(sql); }
    [[nodiscard]] std::int64_t integer(const std::string &sql); // first column of the first row
    [[nodiscard]] std::string text(const std::string &sql);
    [[nodiscard]] bool isReadOnly() const;
    [[nodiscard]] bool isInTransaction() const;
    void rollback() noexcept; // if there is something to roll back
    [[nodiscard]] SQLite::Database &raw() noexcept { return m_database; }

    /// While it lives, a stop interrupts whatever this connection does, within milliseconds.
    class Interruptible
    {
    public:
        Interruptible(Database &database, const std::stop_token &stop);
        Interruptible(const Interruptible &) = delete;
        Interruptible &operator=(const Interruptible &) = delete;
        ~Interruptible();

    private:
        Database &m_of;
    };

private:
    SQLite::Database m_database;
    std::unordered_map<std::string, SQLite::Statement> m_statements;
};

[[nodiscard]] BlobView blobOf(const SQLite::Statement &row, int column); // valid until the next step
void bindBlob(SQLite::Statement &statement, int index, BlobView blob);   // not copied: outlive the step
void bindText(SQLite::Statement &statement, int index, const std::string &text);

/// What a failure means for us; `file` tells a full disk from other trouble.
[[nodiscard]] Error toError(const SQLite::Exception &exception, const std::filesystem::path &file);

} // namespace plimsoll
