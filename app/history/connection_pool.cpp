// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/connection_pool.h"

#include "history/schema.h"

namespace plimsoll {

ConnectionPool::Lease::~Lease()
{
    if (m_database)
        m_pool->giveBack(std::move(m_database), m_generation);
}

void ConnectionPool::setFile(std::filesystem::path file, Database::Access access)
{
    std::vector<std::unique_ptr<Database>> closing; // outside the lock
    const std::lock_guard lock(m_mutex);
    m_file = std::move(file);
    m_access = access;
    ++m_generation;
    closing.swap(m_idle);
}

void ConnectionPool::close()
{
    setFile({}, Database::Access::Read);
}

ConnectionPool::Lease ConnectionPool::lease()
{
    std::filesystem::path file;
    auto access = Database::Access::Read;
    std::uint64_t generation = 0;
    {
        const std::lock_guard lock(m_mutex);
        if (m_file.empty())
            return {};
        generation = m_generation;
        if (!m_idle.empty()) {
            auto database = std::move(m_idle.back());
            m_idle.pop_back();
            return {this, std::move(database), generation};
        }
        file = m_file;
        access = m_access;
    }
    auto database = std::make_unique<Database>(file, access);
    prepareConnection(*database, false);
    return {this, std::move(database), generation};
}

void ConnectionPool::giveBack(std::unique_ptr<Database> database, std::uint64_t generation)
{
    database->rollback(); // whatever a question left open: a reader that never ends grows the log
    const std::lock_guard lock(m_mutex);
    if (generation == m_generation && m_idle.size() < kKept)
        m_idle.push_back(std::move(database));
}

} // namespace plimsoll
