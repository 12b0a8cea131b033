// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll {
namespace {

constexpr std::size_t kPackedBuffer = 256U << 10U;

std::string reason(int error)
{
    return std::generic_category().message(error);
}

class FileSource final : public ByteSource
{
public:
    FileSource(int fd, std::uint64_t size) : m_fd(fd), m_size(size) {}
    ~FileSource() override { ::close(m_fd); }

    [[nodiscard]] Result<std::size_t> read(std::span<char> into) override
    {
        while (true) {
            const auto got = ::read(m_fd, into.data(), into.size());
            if (got >= 0) {
                m_taken += static_cast<std::uint64_t>(got);
                return static_cast<std::size_t>(got);
            }
            if (errno != EINTR)
                return failure(Error::Code::Io, "Reading stopped at byte " + std::to_string(m_taken) + ": " + reason(errno) + '.');
        }
    }
    [[nodiscard]] std::uint64_t taken() const noexcept override { return m_taken; }
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return m_size; }

private:
    int m_fd;
    std::uint64_t m_size;
    std::uint64_t m_taken = 0;
};

class MemorySource final : public ByteSource
{
public:
    explicit MemorySource(std::span<const char> bytes) : m_bytes(bytes) {}

    [[nodiscard]] Result<std::size_t> read(std::span<char> into) override
    {
        const auto count = std::min(into.size(), m_bytes.size() - m_taken);
        if (count != 0)
            std::memcpy(into.data(), m_bytes.data() + m_taken, count);
        m_taken += count;
        return count;
    }
    [[nodiscard]] std::uint64_t taken() const noexcept override { return m_taken; }
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return m_bytes.size(); }

private:
    std::span<const char> m_bytes;
    std::size_t m_taken = 0;
};

/// What both unpackers share: packed bytes in a buffer, and the limits on what comes out.
class UnpackingSource : public ByteSource
{
public:
    UnpackingSource(std::unique_ptr<ByteSource> packed, ByteSourceLimits limits)
        : m_packed(std::move(packed)), m_limits(limits), m_buffer(kPackedBuffer)
    {}
    [[nodiscard]] std::uint64_t taken() const noexcept override { return m_packed->taken() - (m_end - m_begin); }
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return std::nullopt; }

protected:
    /// False at the end of the packed bytes.
    [[nodiscard]] Result<bool> refill()
    {
        if (m_begin != m_end)
            return true;
        auto got = m_packed->read(m_buffer);
        if (!got)
            return tl::make_unexpected(got.error());
        m_begin = 0;
        m_end = *got;
        return m_end != 0;
    }
    [[nodiscard]] Result<std::size_t> counted(std::size_t bytes)
    {
        m_unpacked += bytes;
        if (m_unpacked > m_limits.unpackedBytes)
            return failure(Error::Code::TooLarge,
                           "The file unpacks to more than " + std::to_string(m_limits.unpackedBytes) + " bytes.");
        if (m_unpacked > (std::uint64_t{16} << 20U) && m_unpacked / m_limits.ratio > m_packed->taken())
            return failure(Error::Code::TooLarge, "The file unpacks to more than " + std::to_string(m_limits.ratio)
                                                      + " times its size: no snapshot does.");
        return bytes;
    }
    [[nodiscard]] tl::unexpected<Error> damaged(const char *packing) const
    {
        return failure(Error::Code::Corrupt, std::string("The ") + packing + " packing is damaged near byte "
                                                 + std::to_string(taken()) + " of the file.");
    }
    [[nodiscard]] tl::unexpected<Error> endsEarly(const char *packing) const
    {
        return failure(Error::Code::Corrupt, std::string("The file ends at byte ") + std::to_string(taken())
                                                 + ", before its " + packing + " packing does.");
    }

    std::unique_ptr<ByteSource> m_packed;
    ByteSourceLimits m_limits;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
    std::uint64_t m_unpacked = 0;
};

class GzipSource final : public UnpackingSource
{
public:
    GzipSource(std::unique_ptr<ByteSource> packed, ByteSourceLimits limits) : UnpackingSource(std::move(packed), limits)
    {
        m_isReady = ::inflateInit2(&m_stream, 15 + 16) == Z_OK;
    }
    ~GzipSource() override { ::inflateEnd(&m_stream); }

    [[nodiscard]] Result<std::size_t> read(std::span<char> into) override
    {
        if (!m_isReady)
            return failure(Error::Code::Io, "There is no memory to unpack the file.");
        m_stream.next_out = reinterpret_cast<Bytef *>(into.data());
        const auto room = static_cast<uInt>(std::min<std::size_t>(into.size(), 1U << 30U));
        m_stream.avail_out = room;
        while (m_stream.avail_out == room) {
            const auto more = refill();
            if (!more)
                return tl::make_unexpected(more.error());
            if (!*more) {
                if (m_isInside)
                    return endsEarly("gzip");
                return std::size_t{0};
            }
            if (!m_isInside) { // another member may follow; padding may too
                if (m_members > 0 && m_buffer[m_begin] != '\x1f')
                    return std::size_t{0};
                ::inflateReset(&m_stream);
                m_isInside = true;
                ++m_members;
            }
            m_stream.next_in = reinterpret_cast<Bytef *>(m_buffer.data() + m_begin);
            m_stream.avail_in = static_cast<uInt>(m_end - m_begin);
            const int state = ::inflate(&m_stream, Z_NO_FLUSH);
            m_begin = m_end - m_stream.avail_in;
            if (state == Z_STREAM_END)
                m_isInside = false;
            else if (state != Z_OK && state != Z_BUF_ERROR)
                return damaged("gzip");
        }
        return counted(room - m_stream.avail_out);
    }

private:
    z_stream m_stream{};
    bool m_isReady = false;
    bool m_isInside = false;
    std::size_t m_members = 0;
};

class ZstdSource final : public UnpackingSource
{
public:
    ZstdSource(std::unique_ptr<ByteSource> packed, ByteSourceLimits limits)
        : UnpackingSource(std::move(packed), limits), m_stream(::ZSTD_createDStream())
    {
        if (m_stream)
            ::ZSTD_DCtx_setParameter(m_stream, ZSTD_d_windowLogMax, 27); // 128 MiB at most, whatever the file wants
    }
    ~ZstdSource() override { ::ZSTD_freeDStream(m_stream); }

    [[nodiscard]] Result<std::size_t> read(std::span<char> into) override
    {
        if (!m_stream)
            return failure(Error::Code::Io, "There is no memory to unpack the file.");
        ZSTD_outBuffer out{into.data(), into.size(), 0};
        while (out.pos == 0) {
            const auto more = refill();
            if (!more)
                return tl::make_unexpected(more.error());
            ZSTD_inBuffer in{m_buffer.data() + m_begin, m_end - m_begin, 0};
            if (!*more && !m_mayHoldMore) {
                if (m_isInside)
                    return endsEarly("zstd");
                return std::size_t{0};
            }
            const auto state = ::ZSTD_decompressStream(m_stream, &out, &in);
            m_begin += in.pos;
            if (::ZSTD_isError(state) != 0U)
                return damaged("zstd");
            m_isInside = state != 0;
            m_mayHoldMore = out.pos == out.size && out.size != 0;
        }
        return counted(out.pos);
    }

private:
    ZSTD_DStream *m_stream;
    bool m_isInside = false;
    bool m_mayHoldMore = false; // inside zstd's own buffers
};

/// Bytes that were looked at already, then the rest.
class PeekedSource final : public ByteSource
{
public:
    PeekedSource(std::string first, std::unique_ptr<ByteSource> rest) : m_first(std::move(first)), m_rest(std::move(rest)) {}

    [[nodiscard]] Result<std::size_t> read(std::span<char> into) override
    {
        if (m_at == m_first.size())
            return m_rest->read(into);
        const auto count = std::min(into.size(), m_first.size() - m_at);
        std::memcpy(into.data(), m_first.data() + m_at, count);
        m_at += count;
        return count;
    }
    [[nodiscard]] std::uint64_t taken() const noexcept override { return m_rest->taken() - (m_first.size() - m_at); }
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return m_rest->size(); }

private:
    std::string m_first;
    std::size_t m_at = 0;
    std::unique_ptr<ByteSource> m_rest;
};

Result<std::unique_ptr<ByteSource>> unpacked(std::unique_ptr<ByteSource> source, const ByteSourceLimits &limits)
{
    std::string first(4, '\0');
    std::size_t have = 0;
    while (have < first.size()) {
        const auto got = source->read(std::span<char>(first).subspan(have));
        if (!got)
            return tl::make_unexpected(got.error());
        if (*got == 0)
            break;
        have += *got;
    }
    first.resize(have);
    const auto packing = packingOf(first);
    std::unique_ptr<ByteSource> whole = std::make_unique<PeekedSource>(std::move(first), std::move(source));
    switch (packing) {
    case Packing::Gzip: return std::make_unique<GzipSource>(std::move(whole), limits);
    case Packing::Zstd: return std::make_unique<ZstdSource>(std::move(whole), limits);
    case Packing::None: break;
    }
    return whole;
}

} // namespace

Packing packingOf(std::span<const char> firstBytes) noexcept
{
    const std::string_view bytes(firstBytes.data(), firstBytes.size());
    if (bytes.starts_with("\x1f\x8b"))
        return Packing::Gzip;
    if (bytes.starts_with("\x28\xb5\x2f\xfd"))
        return Packing::Zstd;
    return Packing::None;
}

Result<std::unique_ptr<ByteSource>> openBytes(const std::filesystem::path &path, const ByteSourceLimits &limits)
{
    // Not blocking: a pipe without a writer would hold us for ever.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return failure(Error::Code::Io, path.string() + " cannot be opened: " + reason(errno) + '.');
    struct stat status{};
    if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(fd);
        return failure(Error::Code::Unsupported, path.string() + " is not a regular file.");
    }
    (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return unpacked(std::make_unique<FileSource>(fd, static_cast<std::uint64_t>(status.st_size)), limits);
}

std::unique_ptr<ByteSource> bytesOf(std::span<const char> bytes, const ByteSourceLimits &limits)
{
    return std::move(*unpacked(std::make_unique<MemorySource>(bytes), limits)); // memory does not fail
}

Result<std::string> readAll(ByteSource &source, std::uint64_t limit)
{
    std::string all;
    std::size_t have = 0;
    while (true) {
        if (all.size() - have < (64U << 10U))
            all.resize(std::max<std::size_t>(all.size() * 2, 256U << 10U));
        const auto got = source.read(std::span<char>(all).subspan(have));
        if (!got)
            return tl::make_unexpected(got.error());
        have += *got;
        if (have > limit)
            return failure(Error::Code::TooLarge, "The file has more than " + std::to_string(limit) + " bytes.");
        if (*got == 0)
            break;
    }
    all.resize(have);
    return all;
}

} // namespace plimsoll
