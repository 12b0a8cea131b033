// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/file_descriptor.h"
#include "agent/segment.h"
#include "base/quantity.h"
#include "base/result.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

struct SpoolOptions
{
    std::filesystem::path folder; // empty = memory only
    Bytes limit{64 * kMiB};
    Bytes memoryLimit{8 * kMiB};  // of what is held when there is no folder or it refuses
    std::string fallbackId;       // the agent's id when there is no folder to keep one
    std::string bootId;           // another one than last time: the machine was restarted
};

/// Where a reader stands. Survives the dropping of segments.
struct SpoolCursor
{
    std::uint64_t nextSequence = 1;
    std::uint64_t segment = 0; // serial; 0 = to be found
    std::size_t offset = 0;
};

struct SpoolItem
{
    enum class Kind { End, Definitions, Frame, Lost };
    Kind kind = Kind::End;
    std::uint64_t first = 0; // Frame: its sequence; Lost: the range
    std::uint64_t last = 0;
};

/// A bounded ring of records on disk, so that neither a cut network nor kill -9
/// of either side loses what still fits. A record is in the kernel's hands before
/// anyone is told of it. Not synchronised: the journal holds the lock.
///
/// After kill -9 the same epoch goes on with the next number. After a crash of the
/// machine, when numbers may have been sent that the disk never saw, it goes on a
/// million further: the hole shows as lost, and no number ever means two things.
/// What is damaged is set aside, and a new epoch begins.
class Spool
{
public:
    /// Errors: Busy when another agent has the folder. Any other trouble: memory, and problem() says so.
    [[nodiscard]] static Result<Spool> open(SpoolOptions options);
    Spool(Spool &&) = default;
    Spool &operator=(Spool &&) = default;

    [[nodiscard]] std::uint64_t epoch() const noexcept { return m_epoch; }
    [[nodiscard]] const std::string &agentId() const noexcept { return m_agentId; }
    [[nodiscard]] const std::string &problem() const noexcept { return m_problem; } // empty = on disk, or not wanted there
    [[nodiscard]] const std::string &notice() const noexcept { return m_notice; }   // what was found at the start
    [[nodiscard]] std::uint64_t oldestSequence() const noexcept; // 0 and 0 when empty
    [[nodiscard]] std::uint64_t newestSequence() const noexcept;
    [[nodiscard]] std::uint64_t nextSequence() const noexcept { return m_nextSequence; }
    [[nodiscard]] std::uint32_t nextSeriesId() const noexcept { return m_nextSeriesId; }
    [[nodiscard]] std::size_t bytes() const noexcept;

    /// Makes sure that there is room; returns the serial of the segment that the
    /// next append goes to. `nextSeriesId` is kept in the head of a new one.
    std::uint64_t prepare(std::uint32_t nextSeriesId);
    /// False when the record could not be kept where prepare() said: prepare again.
    [[nodiscard]] bool append(RecordKind kind, std::string_view payload);

    /// The next thing for this reader; `payload` is filled for Definitions and Frame.
    [[nodiscard]] SpoolItem read(SpoolCursor &cursor, std::string &payload) const;
    /// Every definitions record of the newest two segments.
    void forEachRecentDefinitions(const std::function<void(std::string_view)> &use) const;

    void close(); // flushed, and marked as orderly

private:
    struct Held
    {
        std::uint64_t serial;
        Segment segment;
    };

    explicit Spool(SpoolOptions options);
    Result<void> openFolder();
    Result<void> loadSegments(bool isOrderly);
    void beginEpoch();
    void setAside(const std::string &why);
    void addSegment(std::uint32_t nextSeriesId);
    void addMemorySegment(const Error &why);
    [[nodiscard]] bool isDiskFullOfUs() const noexcept;
    [[nodiscard]] bool dropOldestFile();
    void trim();
    void writeState(bool isClean);
    [[nodiscard]] std::size_t segmentBytes(bool onDisk) const noexcept;
    [[nodiscard]] std::size_t heldBytes(bool onDisk) const noexcept;
    [[nodiscard]] std::filesystem::path statePath() const { return m_options.folder / "state"; }
    [[nodiscard]] std::filesystem::path behindPath() const { return m_options.folder / "state.behind"; }

    SpoolOptions m_options;
    FileDescriptor m_lock;
    std::deque<Held> m_segments; // never a gap in the serials
    std::string m_agentId;
    std::string m_problem;
    std::string m_notice;
    std::uint64_t m_epoch = 0;
    std::uint64_t m_nextSequence = 1;
    std::uint64_t m_nextSerial = 1;
    std::uint32_t m_nextSeriesId = 1;
    bool m_hasState = false; // the folder's state file speaks for all that was sent
};

} // namespace plimsoll
