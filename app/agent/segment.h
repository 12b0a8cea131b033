// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/file_descriptor.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

enum class RecordKind : std::uint32_t { Definitions = 1, Frame = 2 };

struct RecordHeader
{
    std::uint32_t length = 0; // of the payload
    std::uint32_t crc = 0;    // of everything after this field, payload included
    RecordKind kind = RecordKind::Frame;
    std::uint64_t sequence = 0; // of definitions: that of the frame they go before
};

/// A run of records with rising sequence numbers, in one file or in memory.
/// It defines every series that its frames use, so that the segments before it
/// can be dropped. Not synchronised.
class Segment
{
public:
    static constexpr std::size_t kFileHeaderBytes = 32;
    static constexpr std::size_t kRecordHeaderBytes = 20;

    /// What a look at a file's end has found. Torn: a record half-written, so never sent.
    /// Unsure: a last record that may once have been whole, after a crash of the machine.
    enum class Tail { Whole, Torn, Unsure, Damaged };

    [[nodiscard]] static Result<Segment> create(const std::filesystem::path &path, std::uint64_t epoch,
                                                std::uint64_t firstSequence, std::uint32_t nextSeriesId);
    [[nodiscard]] static Segment inMemory(std::uint64_t firstSequence);
    /// Reads the header only. Errors: Io, Corrupt.
    [[nodiscard]] static Result<Segment> open(const std::filesystem::path &path, std::uint64_t epoch);

    /// All or nothing: after an error the segment is as before.
    [[nodiscard]] Result<void> append(RecordKind kind, std::uint64_t sequence, std::string_view payload);
    /// nullopt at the end. Does not look at the payload.
    [[nodiscard]] std::optional<RecordHeader> headerAt(std::size_t offset) const;
    /// False when the record's checksum is wrong or it cannot be read.
    [[nodiscard]] bool payloadAt(std::size_t offset, const RecordHeader &header, std::string &payload) const;
    /// Reads every record, finds the last sequence, and cuts off a torn or unsure end.
    [[nodiscard]] Result<Tail> recover();
    void flush() const; // to the device

    [[nodiscard]] std::uint64_t firstSequence() const noexcept { return m_first; }
    [[nodiscard]] std::uint64_t lastSequence() const noexcept { return m_last; } // 0 = holds no frame
    [[nodiscard]] std::uint32_t nextSeriesId() const noexcept { return m_nextSeriesId; }
    [[nodiscard]] std::size_t size() const noexcept { return m_size; }
    [[nodiscard]] std::size_t begin() const noexcept { return m_fd ? kFileHeaderBytes : 0; }
    [[nodiscard]] bool isOnDisk() const noexcept { return static_cast<bool>(m_fd); }
    [[nodiscard]] const std::filesystem::path &path() const noexcept { return m_path; }
    void setLastSequence(std::uint64_t last) noexcept { m_last = last; }

private:
    [[nodiscard]] bool readAt(std::size_t offset, char *into, std::size_t size) const;

    FileDescriptor m_fd;
    std::filesystem::path m_path;
    std::string m_memory;
    std::string m_scratch;
    std::uint64_t m_first = 1;
    std::uint64_t m_last = 0;
    std::uint32_t m_nextSeriesId = 1;
    std::size_t m_size = 0;
};

} // namespace plimsoll
