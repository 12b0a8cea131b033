// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll {

/// Protocol buffers' wire format, one message, field by field, without generated code.
/// Never reads past its bytes and never recurses: an inner message is a reader of its own.
class WireReader
{
public:
    enum class Type : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

    WireReader(std::string_view bytes, std::size_t offset) noexcept : m_bytes(bytes), m_offset(offset) {}

    /// Moves to the next field. False at the end and at damage: ask isDamaged.
    [[nodiscard]] bool next() noexcept
    {
        if (m_isDamaged || m_at == m_bytes.size())
            return false;
        const auto key = varint();
        if (!key || (*key >> 3U) == 0 || (*key >> 3U) > 0x1fffffff)
            return damaged();
        m_field = static_cast<std::uint32_t>(*key >> 3U);
        m_text = {};
        switch (*key & 7U) {
        case 0: return take(Type::Varint, varint());
        case 1: return take(Type::Fixed64, fixed(8));
        case 5: return take(Type::Fixed32, fixed(4));
        case 2: {
            const auto length = varint();
            if (!length || *length > m_bytes.size() - m_at)
                return damaged();
            m_text = m_bytes.substr(m_at, static_cast<std::size_t>(*length));
            m_textOffset = m_offset + m_at;
            m_at += m_text.size();
            m_type = Type::Bytes;
            return true;
        }
        default: return damaged(); // groups are long dead; none of our messages has one
        }
    }

    [[nodiscard]] std::uint32_t field() const noexcept { return m_field; }
    [[nodiscard]] bool is(std::uint32_t field, Type type) const noexcept { return m_field == field && m_type == type; }
    [[nodiscard]] std::uint64_t number() const noexcept { return m_number; }
    [[nodiscard]] double real() const noexcept { return std::bit_cast<double>(m_number); } // of a Fixed64
    [[nodiscard]] std::string_view text() const noexcept { return m_text; }                // of Bytes
    [[nodiscard]] WireReader message() const noexcept { return {m_text, m_textOffset}; }   // of Bytes
    [[nodiscard]] bool isDamaged() const noexcept { return m_isDamaged; }
    [[nodiscard]] std::size_t offset() const noexcept { return m_offset + m_at; } // in the whole body

    /// A bare varint, as it stands before each message of a delimited stream.
    [[nodiscard]] std::optional<std::uint64_t> varint() noexcept
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 70; shift += 7) {
            if (m_at == m_bytes.size())
                return std::nullopt;
            const auto byte = static_cast<unsigned char>(m_bytes[m_at++]);
            if (shift == 63 && byte > 1)
                return std::nullopt;
            value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            if (byte < 0x80)
                return value;
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] std::optional<std::uint64_t> fixed(std::size_t width) noexcept
    {
        if (m_bytes.size() - m_at < width)
            return std::nullopt;
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < width; ++i)
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(m_bytes[m_at + i])) << (8 * i);
        m_at += width;
        return value;
    }

    [[nodiscard]] bool take(Type type, std::optional<std::uint64_t> value) noexcept
    {
        if (!value)
            return damaged();
        m_type = type;
        m_number = *value;
        return true;
    }

    [[nodiscard]] bool damaged() noexcept
    {
        m_isDamaged = true;
        return false;
    }

    std::string_view m_bytes;
    std::size_t m_offset = 0;
    std::size_t m_at = 0;
    std::size_t m_textOffset = 0;
    std::uint64_t m_number = 0;
    std::string_view m_text;
    std::uint32_t m_field = 0;
    Type m_type = Type::Varint;
    bool m_isDamaged = false;
};

} // namespace plimsoll
