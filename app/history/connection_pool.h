// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/database.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace plimsoll {

/// Read-only connections, kept open between questions: opening one costs more than most answers.
class ConnectionPool
{
public:
    /// Gives the connection back when it ends.
    class Lease
    {
    public:
        Lease() = default;
        Lease(ConnectionPool *pool, std::unique_ptr<Database> database, std::uint64_t generation)
            : m_pool(pool), m_database(std::move(database)), m_generation(generation)
        {
        }
        Lease(Lease &&) noexcept = default;
        Lease &operator=(Lease &&) = delete;
        ~Lease();

        /// nullptr while there is no file: then only the head can be asked.
        [[nodiscard]] Database *get() const noexcept { return m_database.get(); }

    private:
        ConnectionPool *m_pool = nullptr;
        std::unique_ptr<Database> m_database;
        std::uint64_t m_generation = 0;
    };

    /// From now on leases are of this file; older connections close when they come back.
    void setFile(std::filesystem::path file, Database::Access access);
    void close(); // leases are empty until the next setFile
    [[nodiscard]] Lease lease(); // throws SQLite::Exception

private:
    void giveBack(std::unique_ptr<Database> database, std::uint64_t generation);

    static constexpr std::size_t kKept = 4;
    std::mutex m_mutex;
    std::filesystem::path m_file; // empty = none
    Database::Access m_access = Database::Access::Read;
    std::uint64_t m_generation = 0;
    std::vector<std::unique_ptr<Database>> m_idle;
};

} // namespace plimsoll
