// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/segment.h"

#include "agent/crc32.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace plimsoll {
namespace {

constexpr std::string_view kMagic = "PLSEG01\n";
constexpr std::uint32_t kLargestRecord = 8 << 20; // twice what a message may have

// Little-endian, whatever the machine.
template <class T>
void put(char *at, T value) noexcept
{
    for (std::size_t i = 0; i < sizeof(T); ++i)
        at[i] = static_cast<char>(value >> (8 * i));
}

template <class T>
T get(const char *at) noexcept
{
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(at[i])) << (8 * i));
    return value;
}

Error systemError(std::string_view what, const std::filesystem::path &path)
{
    const int number = errno;
    const bool isFull = number == ENOSPC || number == EDQUOT;
    return {isFull ? Error::Code::Full : Error::Code::Io,
            std::string(what) + ' ' + path.string() + ": " + std::strerror(number)};
}

bool writeAt(int fd, std::string_view bytes, std::size_t offset) noexcept
{
    while (!bytes.empty()) {
        const ssize_t put = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            if (put == 0)
                errno = ENOSPC;
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(put));
        offset += static_cast<std::size_t>(put);
    }
    return true;
}

} // namespace

Result<Segment> Segment::create(const std::filesystem::path &path, std::uint64_t epoch, std::uint64_t firstSequence,
                                std::uint32_t nextSeriesId)
{
    Segment made;
    made.m_path = path;
    made.m_first = firstSequence;
    made.m_nextSeriesId = nextSeriesId;
    made.m_fd = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!made.m_fd)
        return tl::make_unexpected(systemError("cannot create", path));
    std::array<char, kFileHeaderBytes> header{};
    std::copy(kMagic.begin(), kMagic.end(), header.begin());
    put(&header[8], epoch);
    put(&header[16], firstSequence);
    put(&header[24], nextSeriesId);
    put(&header[28], crc32({header.data(), 28}));
    if (!writeAt(made.m_fd.get(), {header.data(), header.size()}, 0)) {
        const auto error = systemError("cannot write", path);
        ::unlink(path.c_str());
        return tl::make_unexpected(error);
    }
    made.m_size = kFileHeaderBytes;
    return made;
}

Segment Segment::inMemory(std::uint64_t firstSequence)
{
    Segment made;
    made.m_first = firstSequence;
    return made;
}

Result<Segment> Segment::open(const std::filesystem::path &path, std::uint64_t epoch)
{
    Segment made;
    made.m_path = path;
    made.m_fd = FileDescriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!made.m_fd)
        return tl::make_unexpected(systemError("cannot open", path));
    struct stat status{};
    if (::fstat(made.m_fd.get(), &status) != 0)
        return tl::make_unexpected(systemError("cannot look at", path));
    made.m_size = static_cast<std::size_t>(status.st_size);
    std::array<char, kFileHeaderBytes> header{};
    if (!made.readAt(0, header.data(), header.size()) || std::string_view(header.data(), 8) != kMagic
        || get<std::uint32_t>(&header[28]) != crc32({header.data(), 28}))
        return failure(Error::Code::Corrupt, path.string() + ": not the head of a segment");
    if (get<std::uint64_t>(&header[8]) != epoch)
        return failure(Error::Code::Corrupt, path.string() + ": belongs to another epoch");
    made.m_first = get<std::uint64_t>(&header[16]);
    made.m_nextSeriesId = get<std::uint32_t>(&header[24]);
    return made;
}

Result<void> Segment::append(RecordKind kind, std::uint64_t sequence, std::string_view payload)
{
    m_scratch.resize(kRecordHeaderBytes);
    put(m_scratch.data(), static_cast<std::uint32_t>(payload.size()));
    put(m_scratch.data() + 8, static_cast<std::uint32_t>(kind));
    put(m_scratch.data() + 12, sequence);
    m_scratch.append(payload);
    put(m_scratch.data() + 4, crc32(std::string_view(m_scratch).substr(8)));
    if (m_fd) {
        if (!writeAt(m_fd.get(), m_scratch, m_size)) {
            const auto error = systemError("cannot write", m_path);
            // Half a record would be taken for the end of the file for ever.
            if (::ftruncate(m_fd.get(), static_cast<off_t>(m_size)) != 0)
                return tl::make_unexpected(systemError("cannot shorten", m_path));
            return tl::make_unexpected(error);
        }
    } else {
        m_memory.append(m_scratch);
    }
    m_size += m_scratch.size();
    if (kind == RecordKind::Frame)
        m_last = sequence;
    return {};
}

std::optional<RecordHeader> Segment::headerAt(std::size_t offset) const
{
    std::array<char, kRecordHeaderBytes> bytes{};
    if (!readAt(offset, bytes.data(), bytes.size()))
        return std::nullopt;
    return RecordHeader{get<std::uint32_t>(bytes.data()), get<std::uint32_t>(&bytes[4]),
                        static_cast<RecordKind>(get<std::uint32_t>(&bytes[8])), get<std::uint64_t>(&bytes[12])};
}

bool Segment::payloadAt(std::size_t offset, const RecordHeader &header, std::string &payload) const
{
    if (header.length > kLargestRecord)
        return false;
    std::array<char, kRecordHeaderBytes - 8> covered{};
    put(covered.data(), static_cast<std::uint32_t>(header.kind));
    put(&covered[4], header.sequence);
    payload.resize(header.length);
    return readAt(offset + kRecordHeaderBytes, payload.data(), payload.size())
        && crc32(payload, crc32({covered.data(), covered.size()})) == header.crc;
}

Result<Segment::Tail> Segment::recover()
{
    std::size_t at = begin();
    std::string payload;
    const auto cut = [&](Tail why) -> Result<Tail> {
        if (::ftruncate(m_fd.get(), static_cast<off_t>(at)) != 0)
            return tl::make_unexpected(systemError("cannot shorten", m_path));
        m_size = at;
        return why;
    };
    while (at < m_size) {
        const auto header = headerAt(at);
        if (!header)
            return cut(Tail::Torn); // not even a head
        const std::size_t end = at + kRecordHeaderBytes + header->length;
        if (end > m_size && header->length <= kLargestRecord)
            return cut(Tail::Torn); // the rest never came
        if (!payloadAt(at, *header, payload)) {
            // A crashed machine leaves zeros where the length was known and the bytes were not.
            std::string rest(m_size - at, '\1');
            const bool isZeros = readAt(at, rest.data(), rest.size()) && rest.find_first_not_of('\0') == std::string::npos;
            if (isZeros || end == m_size)
                return cut(Tail::Unsure);
            return Tail::Damaged;
        }
        if (header->kind == RecordKind::Frame)
            m_last = header->sequence;
        at = end;
    }
    return Tail::Whole;
}

void Segment::flush() const
{
    if (m_fd)
        ::fdatasync(m_fd.get());
}

bool Segment::readAt(std::size_t offset, char *into, std::size_t size) const
{
    if (offset > m_size || size > m_size - offset)
        return false;
    if (!m_fd) {
        std::copy_n(m_memory.data() + offset, size, into);
        return true;
    }
    while (size > 0) {
        const ssize_t got = ::pread(m_fd.get(), into, size, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        into += got;
        size -= static_cast<std::size_t>(got);
        offset += static_cast<std::size_t>(got);
    }
    return true;
}

} // namespace plimsoll
