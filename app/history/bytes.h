// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace plimsoll {

// What lies on disk is little endian, byte by byte, never a struct dump.

template <class T>
[[nodiscard]] T loadLittle(const std::uint8_t *from) noexcept
{
    T value{};
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&value, from, sizeof(T));
    } else {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i)
            bits |= static_cast<std::uint64_t>(from[i]) << (8 * i);
        value = static_cast<T>(bits);
    }
    return value;
}

template <class T>
void storeLittle(std::uint8_t *to, T value) noexcept
{
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(to, &value, sizeof(T));
    } else {
        for (std::size_t i = 0; i < sizeof(T); ++i)
            to[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i));
    }
}

[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t v) noexcept
{
    return (static_cast<std::uint64_t>(v) << 1U) ^ static_cast<std::uint64_t>(v >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t v) noexcept
{
    return static_cast<std::int64_t>((v >> 1U) ^ (~(v & 1U) + 1U));
}

using Blob = std::vector<std::uint8_t>;
using BlobView = std::span<const std::uint8_t>;

template <class T>
void append(Blob &out, T value)
{
    const auto at = out.size();
    out.resize(at + sizeof(T));
    storeLittle(out.data() + at, value);
}

inline void appendBytes(Blob &out, BlobView bytes)
{
    out.insert(out.end(), bytes.begin(), bytes.end());
}

inline void appendVarint(Blob &out, std::uint64_t value)
{
    while (value >= 0x80) {
        out.push_back(static_cast<std::uint8_t>(value | 0x80U));
        value >>= 7U;
    }
    out.push_back(static_cast<std::uint8_t>(value));
}

[[nodiscard]] constexpr std::size_t varintSize(std::uint64_t value) noexcept
{
    return value == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(value)) + 6) / 7;
}

/// Walks over foreign bytes. Every read is checked; after a failed one all others fail too.
class ByteReader
{
public:
    explicit ByteReader(BlobView bytes) noexcept : m_bytes(bytes) {}

    template <class T>
    [[nodiscard]] T take() noexcept
    {
        const auto part = takeBytes(sizeof(T));
        return part.size() == sizeof(T) ? loadLittle<T>(part.data()) : T{};
    }

    [[nodiscard]] BlobView takeBytes(std::size_t count) noexcept
    {
        if (m_isBad || count > m_bytes.size()) {
            m_isBad = true;
            return {};
        }
        const auto part = m_bytes.first(count);
        m_bytes = m_bytes.subspan(count);
        return part;
    }

    [[nodiscard]] std::uint64_t takeVarint() noexcept
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = take<std::uint8_t>();
            if (shift == 63 && byte > 1)
                break;
            value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            if ((byte & 0x80U) == 0)
                return value;
        }
        m_isBad = true;
        return 0;
    }

    void fail() noexcept { m_isBad = true; }
    [[nodiscard]] bool isBad() const noexcept { return m_isBad; }
    [[nodiscard]] bool isAtEnd() const noexcept { return m_bytes.empty(); }
    [[nodiscard]] std::size_t left() const noexcept { return m_bytes.size(); }

private:
    BlobView m_bytes;
    bool m_isBad = false;
};

/// CRC-32 (IEEE), eight bytes a step. `before` is the sum of what came before.
[[nodiscard]] std::uint32_t crc32(BlobView bytes, std::uint32_t before = 0) noexcept;

} // namespace plimsoll
