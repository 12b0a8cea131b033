// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/json_reader.h"

#include "formats/json_text.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace plimsoll {
namespace {

constexpr std::size_t kFront = 64; // room for the '[' in front of a run
constexpr std::size_t kWindow = 256U << 10U;

struct Masks
{
    std::uint64_t backslash = 0;
    std::uint64_t quote = 0;
    std::uint64_t open = 0;
    std::uint64_t close = 0;
    std::uint64_t comma = 0;
};

// '{' and '[', '}' and ']' differ in one bit.
#ifdef __SSE2__
Masks masksOf(const char *bytes) noexcept
{
    Masks masks;
    for (unsigned i = 0; i < 4; ++i) {
        const auto part = _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes + std::size_t{16} * i));
        const auto folded = _mm_or_si128(part, _mm_set1_epi8(0x20));
        const auto equal = [i](__m128i a, char b) {
            const auto bits = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_set1_epi8(b))));
            return static_cast<std::uint64_t>(bits) << (16U * i);
        };
        masks.backslash |= equal(part, '\\');
        masks.quote |= equal(part, '"');
        masks.open |= equal(folded, '{');
        masks.close |= equal(folded, '}');
        masks.comma |= equal(part, ',');
    }
    return masks;
}
#else
Masks masksOf(const char *bytes) noexcept
{
    Masks masks;
    for (unsigned i = 0; i < 64; ++i) {
        const auto bit = std::uint64_t{1} << i;
        const auto folded = static_cast<char>(static_cast<unsigned char>(bytes[i]) | 0x20U);
        masks.backslash |= bytes[i] == '\\' ? bit : 0;
        masks.quote |= bytes[i] == '"' ? bit : 0;
        masks.open |= folded == '{' ? bit : 0;
        masks.close |= folded == '}' ? bit : 0;
        masks.comma |= bytes[i] == ',' ? bit : 0;
    }
    return masks;
}
#endif

// Bit i: an odd number of ones at and below it.
std::uint64_t prefixXor(std::uint64_t bits) noexcept
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

std::uint64_t below(unsigned bit) noexcept
{
    return bit >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit) - 1;
}

bool isBlank(char byte) noexcept
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

bool endsScalar(char byte) noexcept
{
    return isBlank(byte) || byte == ',' || byte == ']' || byte == '}' || byte == ':';
}

std::size_t valueLimit(const SnapshotLimits &limits) noexcept
{
    return std::max<std::size_t>({limits.textBytes, kWindow, 64});
}

} // namespace

JsonReader::JsonReader(ByteSource &source, const SnapshotReading &reading)
    : m_source(source), m_reading(reading), m_buffer(kFront + kWindow + kPadding), m_at(kFront), m_end(kFront)
{
    m_base = -static_cast<std::uint64_t>(kFront); // offset() adds m_at
}

Result<void> JsonReader::pause()
{
    if (m_reading.stop.stop_requested())
        return failure(Error::Code::Cancelled, "Reading was cancelled at byte " + std::to_string(offset()) + '.');
    const auto size = m_source.size();
    if (m_reading.progress && size && *size != 0) {
        const auto perMille = static_cast<int>(std::min<std::uint64_t>(m_source.taken(), *size) * 1000 / *size);
        if (std::exchange(m_perMille, perMille) != perMille)
            m_reading.progress({perMille, std::nullopt});
    }
    return {};
}

void JsonReader::moveToFront() noexcept
{
    if (m_at == kFront)
        return;
    std::memmove(m_buffer.data() + kFront, m_buffer.data() + m_at, m_end - m_at);
    m_base += m_at - kFront;
    m_end -= m_at - kFront;
    m_at = kFront;
}

// Room for more bytes behind those that are there, up to the limit on one value.
Result<void> JsonReader::room()
{
    moveToFront();
    const auto capacity = m_buffer.size() - kFront - kPadding;
    if (m_end - kFront < capacity)
        return {};
    const auto limit = valueLimit(m_reading.limits);
    if (capacity >= limit)
        return failure(Error::Code::TooLarge, "The value at byte " + std::to_string(offset()) + " is longer than "
                                                  + std::to_string(limit) + " bytes.");
    m_buffer.resize(kFront + std::min(capacity * 2, limit) + kPadding);
    return {};
}

Result<bool> JsonReader::fill()
{
    const auto before = m_end;
    const auto limit = m_buffer.size() - kPadding;
    while (!m_isAtEnd && m_end < limit) {
        const auto got = m_source.read(std::span<char>(m_buffer).subspan(m_end, limit - m_end));
        if (!got) {
            if (got.error().code != Error::Code::Corrupt)
                return tl::make_unexpected(got.error());
            m_packingError = got.error().detail; // what was unpacked so far is good
            m_isAtEnd = true;
        } else if (*got == 0) {
            m_isAtEnd = true;
        } else {
            m_end += *got;
        }
    }
    if (const auto state = pause(); !state)
        return tl::make_unexpected(state.error());
    return m_end != before;
}

tl::unexpected<Error> JsonReader::truncated()
{
    m_isTruncated = true;
    std::string detail = "The text ends at byte " + std::to_string(m_base + m_end) + ", inside a value.";
    if (!m_packingError.empty())
        detail += ' ' + m_packingError;
    return failure(Error::Code::Corrupt, std::move(detail));
}

tl::unexpected<Error> JsonReader::tooDeep(std::size_t at) const
{
    return failure(Error::Code::TooLarge, "At byte " + std::to_string(m_base + at) + " more than "
                                              + std::to_string(m_reading.limits.depth) + " containers lie inside each other.");
}

Result<char> JsonReader::look()
{
    while (true) {
        while (m_at < m_end && isBlank(m_buffer[m_at]))
            ++m_at;
        if (m_at + 3 <= m_end && offset() == 0 && std::memcmp(m_buffer.data() + m_at, "\xEF\xBB\xBF", 3) == 0) {
            m_at += 3; // a byte order mark
            continue;
        }
        if (m_at < m_end)
            return m_buffer[m_at];
        if (m_isAtEnd)
            return '\0';
        moveToFront();
        if (const auto more = fill(); !more)
            return tl::make_unexpected(more.error());
    }
}

Result<void> JsonReader::expect(char byte)
{
    const auto next = look();
    if (!next)
        return tl::make_unexpected(next.error());
    if (m_at == m_end)
        return truncated();
    if (*next != byte)
        return failure(Error::Code::Corrupt, "At byte " + std::to_string(offset()) + " there is " + shownByte(*next)
                                                 + " where " + shownByte(byte) + " was expected.");
    take();
    return {};
}

void JsonReader::scanBlock(Scan &scan, std::size_t length) const noexcept
{
    auto masks = masksOf(m_buffer.data() + scan.at);
    const auto valid = below(static_cast<unsigned>(length));

    // What stands behind a backslash is text, whatever it is.
    auto backslashes = masks.backslash & valid;
    std::uint64_t escaped = 0;
    if (scan.isEscaped) {
        escaped = 1;
        backslashes &= ~std::uint64_t{1};
        scan.isEscaped = false;
    }
    while (backslashes != 0) {
        const auto bit = static_cast<unsigned>(std::countr_zero(backslashes));
        if (bit + 1 >= length) {
            scan.isEscaped = true;
            break;
        }
        escaped |= std::uint64_t{2} << bit;
        backslashes &= ~(std::uint64_t{3} << bit);
    }
    const auto inString = prefixXor(masks.quote & ~escaped & valid) ^ (scan.isInString ? ~std::uint64_t{0} : 0);
    scan.isInString = ((inString >> (length - 1)) & 1U) != 0;

    const auto outside = ~inString & valid;
    const auto open = masks.open & outside;
    const auto commas = masks.comma & outside;
    auto braces = open | (masks.close & outside);
    unsigned from = 0; // commas from here on are between elements, while the depth is 0
    const auto between = [&](unsigned to) {
        if (const auto found = commas & below(to) & ~below(from); found != 0)
            scan.comma = scan.at + 63U - static_cast<unsigned>(std::countl_zero(found));
    };
    while (braces != 0) {
        const auto bit = static_cast<unsigned>(std::countr_zero(braces));
        braces &= braces - 1;
        if (scan.depth == 0)
            between(bit);
        if (((open >> bit) & 1U) != 0) {
            if (++scan.depth > m_reading.limits.depth) {
                scan.at += bit;
                return;
            }
        } else if (scan.depth == 0) {
            scan.end = scan.at + bit;
            return;
        } else if (--scan.depth == 0) {
            scan.whole = scan.at + bit + 1;
            from = bit + 1;
            if (scan.isForOne)
                return;
        }
    }
    if (scan.depth == 0)
        between(static_cast<unsigned>(length));
    scan.at += length;
}

void JsonReader::scan(Scan &scan) const noexcept
{
    while (scan.at < m_end) {
        scanBlock(scan, std::min<std::size_t>(64, m_end - scan.at));
        if (scan.end != 0 || (scan.isForOne && scan.whole != 0) || scan.depth > m_reading.limits.depth)
            return;
    }
}

JsonReader::Run JsonReader::run(std::size_t close, bool isLast)
{
    // The byte before was a '[' or a comma, the one behind is a comma, the ']' or beyond the end: all are done with.
    m_buffer[m_at - 1] = '[';
    m_buffer[close] = ']';
    const Run found{std::string_view(m_buffer.data(), m_buffer.size()).substr(m_at - 1, close + 2 - m_at), offset() - 1, isLast};
    m_at = std::min(close + 1, m_end);
    return found;
}

Result<JsonReader::Run> JsonReader::elements()
{
    const auto next = look();
    if (!next)
        return tl::make_unexpected(next.error());
    if (m_at == m_end)
        return truncated();
    if (*next == ']') {
        take();
        return Run{{}, offset(), true};
    }
    moveToFront();
    Scan scan;
    scan.at = m_at;
    while (true) {
        if (const auto more = fill(); !more)
            return tl::make_unexpected(more.error());
        this->scan(scan);
        if (scan.depth > m_reading.limits.depth)
            return tooDeep(scan.at);
        if (scan.end != 0) {
            if (m_buffer[scan.end] != ']')
                return failure(Error::Code::Corrupt, "At byte " + std::to_string(m_base + scan.end)
                                                         + " there is '}' where the list's ']' was expected.");
            return run(scan.end, true);
        }
        if (m_isAtEnd && scan.whole > scan.comma)
            return run(scan.whole, false); // the last element came whole, what should follow it did not
        if (scan.comma != 0)
            return run(scan.comma, false);
        if (m_isAtEnd)
            return truncated();
        if (const auto more = room(); !more)
            return tl::make_unexpected(more.error());
    }
}

Result<std::size_t> JsonReader::endOfValue()
{
    const auto next = look();
    if (!next)
        return tl::make_unexpected(next.error());
    if (m_at == m_end)
        return truncated();
    moveToFront();
    const bool isContainer = *next == '{' || *next == '[';
    const bool isString = *next == '"';
    Scan scan;
    scan.at = m_at;
    scan.isForOne = true;
    auto at = m_at + (isString ? 1 : 0);
    while (true) {
        if (isContainer) {
            this->scan(scan);
            if (scan.depth > m_reading.limits.depth)
                return tooDeep(scan.at);
            if (scan.whole != 0)
                return scan.whole;
        } else if (isString) {
            while (at < m_end && m_buffer[at] != '"')
                at += m_buffer[at] == '\\' ? 2 : 1;
            if (at < m_end)
                return at + 1;
        } else {
            while (at < m_end && !endsScalar(m_buffer[at]))
                ++at;
            if (at < m_end || m_isAtEnd) {
                if (at == m_at)
                    return failure(Error::Code::Corrupt, "At byte " + std::to_string(offset()) + " there is "
                                                             + shownByte(*next) + " where a value was expected.");
                return at;
            }
        }
        if (m_isAtEnd)
            return truncated();
        if (const auto more = room(); !more)
            return tl::make_unexpected(more.error());
        if (const auto more = fill(); !more)
            return tl::make_unexpected(more.error());
    }
}

Result<std::string> JsonReader::key()
{
    const auto next = look();
    if (!next)
        return tl::make_unexpected(next.error());
    if (m_at != m_end && *next != '"')
        return failure(Error::Code::Corrupt, "At byte " + std::to_string(offset()) + " there is " + shownByte(*next)
                                                 + " where a key was expected.");
    const auto end = endOfValue();
    if (!end)
        return tl::make_unexpected(end.error());
    auto text = unescapedJson(std::string_view(m_buffer.data(), m_buffer.size()).substr(m_at + 1, *end - m_at - 2));
    m_at = *end;
    if (const auto colon = expect(':'); !colon)
        return tl::make_unexpected(colon.error());
    return text;
}

Result<std::string_view> JsonReader::value()
{
    const auto end = endOfValue();
    if (!end)
        return tl::make_unexpected(end.error());
    const auto text = std::string_view(m_buffer.data(), m_buffer.size()).substr(m_at, *end - m_at);
    m_at = *end;
    return text;
}

Result<std::string> JsonReader::skip(std::size_t keep)
{
    std::string kept;
    const auto pass = [&](std::size_t to) {
        kept.append(m_buffer.data() + m_at, std::min(to - m_at, keep - kept.size()));
        m_at = to;
    };
    const auto next = look();
    if (!next)
        return tl::make_unexpected(next.error());
    const bool isString = m_at != m_end && *next == '"';
    if (m_at == m_end || (*next != '{' && *next != '[' && !isString)) {
        const auto end = endOfValue();
        if (!end)
            return tl::make_unexpected(end.error());
        pass(*end);
        return kept;
    }
    Scan scan;
    scan.isForOne = true;
    bool isFirst = true;
    while (true) {
        scan.at = m_at;
        if (isString) {
            auto at = m_at + (isFirst ? 1 : 0);
            for (; at < m_end; ++at) {
                if (scan.isEscaped)
                    scan.isEscaped = false;
                else if (m_buffer[at] == '\\')
                    scan.isEscaped = true;
                else if (m_buffer[at] == '"')
                    break;
            }
            if (at < m_end) {
                pass(at + 1);
                return kept;
            }
        } else {
            this->scan(scan);
            if (scan.depth > m_reading.limits.depth)
                return tooDeep(scan.at);
            if (scan.whole != 0) {
                pass(scan.whole);
                return kept;
            }
        }
        isFirst = false;
        pass(m_end);
        if (m_isAtEnd)
            return truncated();
        moveToFront();
        if (const auto more = fill(); !more)
            return tl::make_unexpected(more.error());
    }
}

} // namespace plimsoll
