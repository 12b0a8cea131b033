// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pickle_window.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::size_t kWindow = 1U << 20U;

} // namespace

PickleWindow::PickleWindow(ByteSource &source, const SnapshotReading &reading, std::optional<std::uint64_t> diskBytes)
    : m_source(source), m_reading(reading), m_diskBytes(diskBytes), m_begin(std::chrono::steady_clock::now())
{
    // No more than the file has: what reads behind its end is then seen by a checker of memory.
    m_capacity = kWindow;
    if (const auto size = source.size())
        m_capacity = static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, *size + 1));
    m_bytes = std::make_unique_for_overwrite<std::uint8_t[]>(m_capacity + kPadding);
    at = end = m_bytes.get();
    std::memset(m_bytes.get(), 0, kPadding);
}

void PickleWindow::refill()
{
    if (m_isAtEnd)
        return;
    const auto rest = left();
    if (rest == m_capacity) { // the source said that it is smaller
        auto wider = std::make_unique_for_overwrite<std::uint8_t[]>(kWindow + kPadding);
        const auto offsetAt = static_cast<std::size_t>(at - m_bytes.get());
        std::memcpy(wider.get(), at, rest);
        m_base += offsetAt;
        m_bytes = std::move(wider);
        m_capacity = kWindow;
    } else {
        m_base += static_cast<std::uint64_t>(at - m_bytes.get());
        std::memmove(m_bytes.get(), at, rest);
    }
    auto have = rest;
    while (have < m_capacity && (have < kLookAhead || have == rest)) {
        if (m_reading.stop.stop_requested()) {
            m_error = Error{Error::Code::Cancelled, "Reading was cancelled."};
            m_isAtEnd = true;
            break;
        }
        const auto got = m_source.read({reinterpret_cast<char *>(m_bytes.get()) + have, m_capacity - have});
        if (!got)
            m_error = got.error();
        if (!got || *got == 0) {
            m_isAtEnd = true;
            break;
        }
        have += *got;
    }
    at = m_bytes.get();
    end = at + have;
    std::memset(m_bytes.get() + have, 0, kPadding);
    report();
}

bool PickleWindow::take(std::string &into, std::uint64_t count)
{
    while (true) {
        const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(count, left()));
        into.append(reinterpret_cast<const char *>(at), part);
        at += part;
        count -= part;
        if (count == 0)
            return true;
        if (m_isAtEnd)
            return false;
        refill();
    }
}

bool PickleWindow::takeLine(std::string &into, std::size_t limit)
{
    while (true) {
        const auto *newline = static_cast<const std::uint8_t *>(std::memchr(at, '\n', left()));
        const auto *stop = newline ? newline : end;
        into.append(reinterpret_cast<const char *>(at), static_cast<std::size_t>(stop - at));
        at = newline ? newline + 1 : end;
        if (into.size() > limit)
            return false;
        if (newline)
            return true;
        if (m_isAtEnd)
            return false;
        refill();
    }
}

void PickleWindow::report()
{
    if (!m_reading.progress || !m_diskBytes || *m_diskBytes == 0)
        return;
    const auto taken = std::min(m_source.taken(), *m_diskBytes);
    const int perMille = static_cast<int>(static_cast<double>(taken) / static_cast<double>(*m_diskBytes) * 1000);
    if (perMille == m_perMille)
        return;
    m_perMille = perMille;
    Progress progress{perMille, std::nullopt};
    const auto passed = std::chrono::steady_clock::now() - m_begin;
    if (perMille > 0 && passed > std::chrono::milliseconds(200))
        progress.left = std::chrono::duration_cast<Duration>(passed * (1000 - perMille) / perMille);
    m_reading.progress(progress);
}

} // namespace plimsoll
