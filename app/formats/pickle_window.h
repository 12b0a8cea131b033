// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/byte_source.h"
#include "formats/snapshot_reading.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace plimsoll {

/// The piece of a pickle that lies in memory. The reader moves `at`; between `at` and `end` there
/// are kLookAhead bytes or all that is left of the file, and behind `end` kPadding zeros, which are
/// no opcode: a scan that runs out of the file stops there.
class PickleWindow
{
public:
    static constexpr std::size_t kLookAhead = 64U << 10U;
    static constexpr std::size_t kPadding = 16;

    /// `diskBytes`: how long the file is on the disk, for progress; unknown is fine.
    PickleWindow(ByteSource &source, const SnapshotReading &reading, std::optional<std::uint64_t> diskBytes);

    const std::uint8_t *at = nullptr;
    const std::uint8_t *end = nullptr;

    [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end - at); }
    [[nodiscard]] bool isShort() const noexcept { return left() < kLookAhead && !m_isAtEnd; }
    [[nodiscard]] bool isAtEnd() const noexcept { return m_isAtEnd; } // there is nothing behind `end`
    [[nodiscard]] std::uint64_t offsetOf(const std::uint8_t *place) const noexcept
    {
        return m_base + static_cast<std::uint64_t>(place - m_bytes.get());
    }
    [[nodiscard]] std::uint64_t offset() const noexcept { return offsetOf(at); }

    /// Moves what is left to the front and fills up. An error, also Cancelled, is the end as well.
    void refill();
    [[nodiscard]] const std::optional<Error> &error() const noexcept { return m_error; }

    /// Moves the next `count` bytes behind `into`; false at the end of the file.
    [[nodiscard]] bool take(std::string &into, std::uint64_t count);
    /// The bytes up to the next newline, without it; false at the end or when there are more than `limit`.
    [[nodiscard]] bool takeLine(std::string &into, std::size_t limit);

private:
    void report();

    ByteSource &m_source;
    const SnapshotReading &m_reading;
    std::optional<std::uint64_t> m_diskBytes;
    std::unique_ptr<std::uint8_t[]> m_bytes;
    std::size_t m_capacity = 0;
    std::uint64_t m_base = 0; // of the file; where m_bytes begins
    bool m_isAtEnd = false;
    std::optional<Error> m_error;
    int m_perMille = -1;
    std::chrono::steady_clock::time_point m_begin;
};

} // namespace plimsoll
