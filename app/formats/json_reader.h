// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/byte_source.h"
#include "formats/snapshot_reading.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// The outline of a JSON text of any size, front to back, through a window of bounded memory. The
/// caller walks the outer containers by look() and take(); what lies in them comes as text of whole
/// values, to be parsed by who wants it. Structure is found sixteen bytes at a time.
///
/// Texts that are handed out are followed by kPadding readable bytes and live until the next call.
/// Errors carry the byte's offset: Corrupt, TooLarge (a value, its depth), Cancelled, and the source's.
class JsonReader
{
public:
    static constexpr std::size_t kPadding = 128;

    JsonReader(ByteSource &source, const SnapshotReading &reading);

    /// The next byte that is not blank; '\0' at the end of the text.
    [[nodiscard]] Result<char> look();
    void take() noexcept { ++m_at; } // the byte that look saw
    /// Takes this byte, or says that it was expected.
    [[nodiscard]] Result<void> expect(char byte);

    /// Inside an object: the next key without its escapes, and its colon.
    [[nodiscard]] Result<std::string> key();
    /// The next value, whole.
    [[nodiscard]] Result<std::string_view> value();
    /// Passes over the next value and gives its first `keep` bytes.
    [[nodiscard]] Result<std::string> skip(std::size_t keep);

    /// Some elements of an array, made an array of their own.
    struct Run
    {
        std::string_view text;    // "[…]"; empty when there was nothing left
        std::uint64_t offset = 0; // of text in the whole
        bool isLast = false;      // the array's end was taken
    };
    /// The array's '[' is taken, and so is everything up to the next element.
    [[nodiscard]] Result<Run> elements();

    [[nodiscard]] std::uint64_t offset() const noexcept { return m_base + m_at; }
    [[nodiscard]] std::uint64_t end() const noexcept { return m_base + m_end; } // of what was read so far
    /// Whether the bytes ended (or their packing broke) before the text did. The error that says so
    /// has come, or comes at the next call; whole values in front of it were handed out.
    [[nodiscard]] bool isTruncated() const noexcept { return m_isTruncated; }

    /// What was wrong with the packing, although the text may be whole; empty when nothing was.
    [[nodiscard]] const std::string &packingError() const noexcept { return m_packingError; }

private:
    struct Scan
    {
        std::size_t at = 0; // in the buffer; everything before it is done
        std::uint64_t depth = 0;
        bool isInString = false;
        bool isEscaped = false;     // the next byte
        std::size_t comma = 0;      // the last one between elements; 0: none
        std::size_t whole = 0;      // behind the last container that closed between elements; 0: none
        std::size_t end = 0;        // of the array; 0: not yet
        bool isForOne = false;      // stop behind the first container
    };

    [[nodiscard]] Result<bool> fill(); // false: nothing more came
    [[nodiscard]] Result<void> room();
    void moveToFront() noexcept;
    void scan(Scan &scan) const noexcept;
    void scanBlock(Scan &scan, std::size_t length) const noexcept;
    [[nodiscard]] Run run(std::size_t close, bool isLast);
    [[nodiscard]] Result<std::size_t> endOfValue();
    [[nodiscard]] tl::unexpected<Error> truncated();
    [[nodiscard]] tl::unexpected<Error> tooDeep(std::size_t at) const;
    [[nodiscard]] Result<void> pause();

    ByteSource &m_source;
    const SnapshotReading &m_reading;
    std::vector<char> m_buffer;
    std::size_t m_at = 0;
    std::size_t m_end = 0;
    std::uint64_t m_base = 0; // offset of the buffer's first byte
    bool m_isAtEnd = false;
    bool m_isTruncated = false;
    std::string m_packingError;
    int m_perMille = -1;
};

} // namespace plimsoll
