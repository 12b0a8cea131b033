// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/spool.h"

#include "agent/spool_state.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".segment";
const std::string kMemoryOnly = "Samples are kept in memory only: ";
constexpr std::uint64_t kSkippedNumbers = 1'000'000; // eleven days at one a second: surely past what was sent
constexpr std::uint32_t kSkippedIds = 100'000;

std::string segmentName(std::uint64_t firstSequence)
{
    std::string digits = std::to_string(firstSequence);
    digits.insert(0, 20 - std::min<std::size_t>(20, digits.size()), '0');
    return digits + std::string(kSuffix);
}

std::vector<fs::path> segmentPaths(const fs::path &folder)
{
    std::vector<fs::path> paths;
    std::error_code ignored;
    for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
        if (at->path().extension() == kSuffix)
            paths.push_back(at->path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

} // namespace

Spool::Spool(SpoolOptions options) : m_options(std::move(options)), m_agentId(m_options.fallbackId) {}

Result<Spool> Spool::open(SpoolOptions options)
{
    Spool spool(std::move(options));
    if (spool.m_options.folder.empty()) {
        spool.beginEpoch();
        return spool;
    }
    if (const auto opened = spool.openFolder(); !opened) {
        if (opened.error().code == Error::Code::Busy)
            return tl::make_unexpected(opened.error());
        spool.m_problem = kMemoryOnly + opened.error().detail + '.';
        spool.m_lock = {}; // no lock: the folder is not touched again
        spool.beginEpoch();
    }
    return spool;
}

Result<void> Spool::openFolder()
{
    std::error_code error;
    const auto &folder = m_options.folder;
    const bool isNew = fs::create_directories(folder, error);
    if (error)
        return failure(Error::Code::Io, "cannot create " + folder.string() + ": " + error.message());
    if (isNew)
        fs::permissions(folder, fs::perms::owner_all, error); // labels name people's jobs
    m_lock = FileDescriptor(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!m_lock)
        return failure(Error::Code::Io, "cannot write in " + folder.string() + ": " + std::strerror(errno));
    if (::flock(m_lock.get(), LOCK_EX | LOCK_NB) != 0)
        return failure(Error::Code::Busy, folder.string() + " is in use by another agent");

    auto state = readSpoolState(statePath());
    const bool isBehind = !state;
    if (!state)
        state = readSpoolState(behindPath());
    Result<void> loaded;
    if (state) {
        m_agentId = state->agentId;
        m_epoch = state->epoch;
        loaded = loadSegments(!isBehind && (state->isClean || state->bootId == m_options.bootId));
    } else {
        m_agentId = makeAgentId();
        if (fs::exists(statePath(), error) || !segmentPaths(folder).empty())
            loaded = failure(Error::Code::Corrupt, state.error().detail);
        else
            beginEpoch();
    }
    if (!loaded) {
        if (loaded.error().code != Error::Code::Corrupt)
            return loaded;
        setAside(loaded.error().detail);
        beginEpoch();
    }
    writeState(false);
    return {};
}

Result<void> Spool::loadSegments(bool isOrderly)
{
    std::uint64_t floor = 1; // no number below it is given again
    const auto paths = segmentPaths(m_options.folder);
    for (const auto &path : paths) {
        std::error_code ignored;
        if (path == paths.back() && fs::file_size(path, ignored) < Segment::kFileHeaderBytes) {
            // Killed while it was made: nothing was ever in it, but its name tells the next number.
            floor = std::strtoull(path.stem().c_str(), nullptr, 10);
            fs::remove(path, ignored);
            break;
        }
        auto segment = Segment::open(path, m_epoch);
        if (!segment)
            return tl::make_unexpected(segment.error());
        if (!m_segments.empty()) {
            // Older ones end where the next begins; a hole between them shows in their records.
            if (segment->firstSequence() < m_segments.back().segment.firstSequence())
                return failure(Error::Code::Corrupt, path.string() + ": overlaps the one before it");
            m_segments.back().segment.setLastSequence(segment->firstSequence() - 1);
        }
        m_segments.push_back({m_nextSerial++, std::move(*segment)});
    }
    if (m_segments.empty()) {
        if (floor <= 1)
            beginEpoch(); // who took the files away? No number is given twice
        m_nextSequence = std::max<std::uint64_t>(floor, 1);
        return {};
    }
    Segment &newest = m_segments.back().segment;
    const auto tail = newest.recover();
    if (!tail)
        return tl::make_unexpected(tail.error());
    if (*tail == Segment::Tail::Damaged)
        return failure(Error::Code::Corrupt, newest.path().string() + ": the checksum of a record is wrong");
    m_nextSequence = std::max(newest.firstSequence(), newest.lastSequence() + 1);
    m_nextSeriesId = newest.nextSeriesId();
    if (!isOrderly || *tail == Segment::Tail::Unsure || floor > m_nextSequence) {
        m_nextSequence = std::max(m_nextSequence, floor) + kSkippedNumbers;
        m_nextSeriesId += kSkippedIds;
        addSegment(m_nextSeriesId);
    }
    return {};
}

void Spool::beginEpoch()
{
    do
        m_epoch = randomNumber();
    while (m_epoch == 0);
    m_segments.clear();
    m_nextSequence = 1;
    m_nextSeriesId = 1;
}

void Spool::setAside(const std::string &why)
{
    m_segments.clear();
    std::error_code ignored;
    const auto aside = m_options.folder / "set-aside"; // one is kept: a spool must not fill a disk
    fs::remove_all(aside, ignored);
    fs::create_directory(aside, ignored);
    for (const auto &path : segmentPaths(m_options.folder))
        fs::rename(path, aside / path.filename(), ignored);
    fs::rename(statePath(), aside / "state", ignored);
    fs::remove(behindPath(), ignored);
    m_notice = "What was kept before could not be read (" + why + "); it was set aside in " + aside.string() + '.';
}

std::uint64_t Spool::oldestSequence() const noexcept
{
    return newestSequence() == 0 ? 0 : m_segments.front().segment.firstSequence();
}

std::uint64_t Spool::newestSequence() const noexcept
{
    for (auto held = m_segments.rbegin(); held != m_segments.rend(); ++held) {
        if (held->segment.lastSequence() != 0)
            return held->segment.lastSequence();
    }
    return 0;
}

std::size_t Spool::heldBytes(bool onDisk) const noexcept
{
    std::size_t bytes = 0;
    for (const auto &held : m_segments) {
        if (held.segment.isOnDisk() == onDisk)
            bytes += held.segment.size();
    }
    return bytes;
}

std::size_t Spool::bytes() const noexcept
{
    return heldBytes(true) + heldBytes(false);
}

std::size_t Spool::segmentBytes(bool onDisk) const noexcept
{
    if (!onDisk && m_lock)
        return 64 * kKiB; // in place of the disk, which the next one tries again
    const auto limit = (onDisk ? m_options.limit : m_options.memoryLimit).value;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(limit / 16, 64 * kKiB, 4 * kMiB));
}

std::uint64_t Spool::prepare(std::uint32_t nextSeriesId)
{
    m_nextSeriesId = nextSeriesId;
    if (m_segments.empty())
        addSegment(nextSeriesId);
    const Segment &newest = m_segments.back().segment;
    if (newest.size() >= segmentBytes(newest.isOnDisk()))
        addSegment(nextSeriesId);
    return m_segments.back().serial;
}

void Spool::addSegment(std::uint32_t nextSeriesId)
{
    if (!m_lock) {
        m_segments.push_back({m_nextSerial++, Segment::inMemory(m_nextSequence)});
        trim();
        return;
    }
    // After trouble with the disk each new segment tries it again.
    const auto path = m_options.folder / segmentName(m_nextSequence);
    auto made = Segment::create(path, m_epoch, m_nextSequence, nextSeriesId);
    while (!made && made.error().code == Error::Code::Full && isDiskFullOfUs() && dropOldestFile())
        made = Segment::create(path, m_epoch, m_nextSequence, nextSeriesId);
    if (!made) {
        addMemorySegment(made.error());
        return;
    }
    if (!m_segments.empty())
        m_segments.back().segment.flush();
    m_segments.push_back({m_nextSerial++, std::move(*made)});
    if (!m_hasState)
        writeState(false);
    trim();
}

void Spool::addMemorySegment(const Error &why)
{
    m_problem = kMemoryOnly + why.detail + '.';
    // From here on numbers go out that the folder does not know. A rename works on a full disk.
    std::error_code ignored;
    fs::rename(statePath(), behindPath(), ignored);
    m_hasState = false;
    m_segments.push_back({m_nextSerial++, Segment::inMemory(m_nextSequence)});
    trim();
}

// A disk smaller than the spool may grow: then the ring is just shorter. When others
// have filled it, what was kept stays, and memory takes what comes.
bool Spool::isDiskFullOfUs() const noexcept
{
    return heldBytes(true) > static_cast<std::size_t>(m_options.limit.value) / 2;
}

bool Spool::dropOldestFile()
{
    if (m_segments.size() < 2 || !m_segments.front().segment.isOnDisk())
        return false;
    std::error_code ignored;
    fs::remove(m_segments.front().segment.path(), ignored);
    m_segments.pop_front();
    return true;
}

bool Spool::append(RecordKind kind, std::string_view payload)
{
    Segment &segment = m_segments.back().segment;
    auto appended = segment.append(kind, m_nextSequence, payload);
    while (!appended && appended.error().code == Error::Code::Full && isDiskFullOfUs() && dropOldestFile())
        appended = m_segments.back().segment.append(kind, m_nextSequence, payload);
    if (!appended) {
        addMemorySegment(appended.error());
        return false;
    }
    if (kind == RecordKind::Frame) {
        ++m_nextSequence;
        if (m_hasState && m_segments.back().segment.isOnDisk())
            m_problem.clear();
    }
    return true;
}

void Spool::trim()
{
    const auto isOver = [this](bool onDisk) {
        const auto limit = static_cast<std::size_t>((onDisk ? m_options.limit : m_options.memoryLimit).value);
        return heldBytes(onDisk) + segmentBytes(onDisk) > limit;
    };
    while (m_segments.size() > 1 && (isOver(true) || isOver(false))) {
        const bool wasOver = isOver(m_segments.front().segment.isOnDisk());
        if (!dropOldestFile())
            m_segments.pop_front();
        // Memory is over its limit because the disk refuses: one file less may be what the disk needs.
        if (!wasOver)
            return;
    }
}

SpoolItem Spool::read(SpoolCursor &cursor, std::string &payload) const
{
    if (m_segments.empty())
        return {};
    if (cursor.segment < m_segments.front().serial || cursor.segment > m_segments.back().serial) {
        // Start: in the last segment that may hold the wanted number, so that its definitions come first.
        auto held = m_segments.begin();
        while (std::next(held) != m_segments.end()
               && std::next(held)->segment.firstSequence() <= cursor.nextSequence)
            ++held;
        cursor.segment = held->serial;
        cursor.offset = held->segment.begin();
    }
    for (;;) {
        const auto &held = m_segments[cursor.segment - m_segments.front().serial];
        const auto header = held.segment.headerAt(cursor.offset);
        const std::size_t end = header ? cursor.offset + Segment::kRecordHeaderBytes + header->length : 0;
        if (!header || end > held.segment.size()) {
            if (cursor.segment == m_segments.back().serial)
                return {};
            const auto &next = m_segments[cursor.segment + 1 - m_segments.front().serial];
            ++cursor.segment;
            cursor.offset = next.segment.begin();
            continue;
        }
        if (header->kind == RecordKind::Frame && header->sequence < cursor.nextSequence) {
            cursor.offset = end;
            continue;
        }
        if (!held.segment.payloadAt(cursor.offset, *header, payload)) {
            // Rotten: what follows in this segment cannot be trusted. The next frame tells how much is lost.
            if (cursor.segment == m_segments.back().serial)
                return {};
            cursor.offset = held.segment.size();
            continue;
        }
        if (header->kind == RecordKind::Frame && header->sequence > cursor.nextSequence) {
            const SpoolItem lost{SpoolItem::Kind::Lost, cursor.nextSequence, header->sequence - 1};
            cursor.nextSequence = header->sequence;
            return lost;
        }
        cursor.offset = end;
        if (header->kind == RecordKind::Definitions)
            return {SpoolItem::Kind::Definitions, header->sequence, header->sequence};
        if (header->kind != RecordKind::Frame)
            continue;
        cursor.nextSequence = header->sequence + 1;
        return {SpoolItem::Kind::Frame, header->sequence, header->sequence};
    }
}

void Spool::forEachRecentDefinitions(const std::function<void(std::string_view)> &use) const
{
    std::string payload;
    const std::size_t from = m_segments.size() > 2 ? m_segments.size() - 2 : 0;
    for (std::size_t i = from; i < m_segments.size(); ++i) {
        const Segment &segment = m_segments[i].segment;
        std::size_t at = segment.begin();
        while (const auto header = segment.headerAt(at)) {
            if (header->kind == RecordKind::Definitions && segment.payloadAt(at, *header, payload))
                use(payload);
            at += Segment::kRecordHeaderBytes + header->length;
        }
    }
}

void Spool::writeState(bool isClean)
{
    const auto written = writeSpoolState(statePath(), {m_agentId, m_epoch, m_options.bootId, isClean});
    m_hasState = written.has_value();
    if (!written) {
        m_problem = kMemoryOnly + written.error().detail + '.';
        return;
    }
    std::error_code ignored;
    fs::remove(behindPath(), ignored);
}

void Spool::close()
{
    if (!m_lock)
        return;
    for (const auto &held : m_segments)
        held.segment.flush();
    // Numbers that only memory knew must not be given twice: then the folder stays "behind".
    if (m_hasState && (m_segments.empty() || m_segments.back().segment.isOnDisk()))
        writeState(true);
    m_lock = {};
}

} // namespace plimsoll
