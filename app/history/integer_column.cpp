// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/integer_column.h"

#include <algorithm>
#include <array>
#include <limits>

namespace plimsoll {
namespace {

constexpr std::size_t kBlock = 64;
constexpr unsigned kMaxShift = 31;
enum Mode : std::uint8_t { Constant = 0, Reference = 1, Delta = 2, DeltaOfDelta = 3 };

using Block = std::array<std::uint64_t, kBlock>;

std::uint64_t bits(std::int64_t v) noexcept { return static_cast<std::uint64_t>(v); }
std::int64_t minus(std::int64_t a, std::int64_t b) noexcept { return static_cast<std::int64_t>(bits(a) - bits(b)); }
std::int64_t plus(std::int64_t a, std::int64_t b) noexcept { return static_cast<std::int64_t>(bits(a) + bits(b)); }

std::size_t packedSize(std::size_t count, unsigned width) noexcept { return (count * width + 7) / 8; }

void pack(const std::uint64_t *values, std::size_t count, unsigned width, Blob &out)
{
    if (width == 0)
        return;
    // 16 spare bytes: each value is written as one or two whole words.
    std::array<std::uint8_t, kBlock * 8 + 16> buffer{};
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t bit = i * width;
        const unsigned shift = bit & 7U;
        std::uint8_t *at = buffer.data() + (bit >> 3U);
        storeLittle(at, loadLittle<std::uint64_t>(at) | (values[i] << shift));
        if (shift + width > 64)
            at[8] = static_cast<std::uint8_t>(at[8] | (values[i] >> (64 - shift)));
    }
    appendBytes(out, BlobView(buffer).first(packedSize(count, width)));
}

// The caller has checked that `packed` holds count values of this width.
void unpack(BlobView packed, std::size_t count, unsigned width, std::uint64_t *into) noexcept
{
    if (width == 0) {
        std::fill_n(into, count, 0);
        return;
    }
    std::array<std::uint8_t, kBlock * 8 + 16> buffer;
    std::memcpy(buffer.data(), packed.data(), packed.size());
    std::memset(buffer.data() + packed.size(), 0, 16);
    const std::uint64_t mask = width == 64 ? ~0ULL : (1ULL << width) - 1;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t bit = i * width;
        const unsigned shift = bit & 7U;
        const std::uint8_t *at = buffer.data() + (bit >> 3U);
        std::uint64_t value = loadLittle<std::uint64_t>(at) >> shift;
        if (shift + width > 64)
            value |= static_cast<std::uint64_t>(at[8]) << (64 - shift);
        into[i] = value & mask;
    }
}

unsigned widthOf(std::uint64_t orOfAll) noexcept { return static_cast<unsigned>(std::bit_width(orOfAll)); }

struct Shared
{
    unsigned shift = 0;
    bool isConstant = true;
};

Shared inspect(std::span<const std::int64_t> values) noexcept
{
    std::uint64_t any = 0;
    Shared shared;
    for (const auto v : values) {
        any |= bits(v);
        shared.isConstant = shared.isConstant && v == values[0];
    }
    shared.shift = any == 0 ? 0 : std::min<unsigned>(static_cast<unsigned>(std::countr_zero(any)), kMaxShift);
    return shared;
}

// Bytes each mode would need, exactly, in one pass.
std::array<std::size_t, 4> costs(std::span<const std::int64_t> values, unsigned shift) noexcept
{
    std::array<std::size_t, 4> cost{std::numeric_limits<std::size_t>::max(), 1, 1, 1};
    const auto at = [&](std::size_t i) { return values[i] >> shift; };
    cost[Delta] += varintSize(zigzag(at(0)));
    const std::int64_t firstSlope = minus(at(1), at(0)); // not constant: there are at least two
    cost[DeltaOfDelta] = cost[Delta] + varintSize(zigzag(firstSlope));
    for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
        const std::size_t count = std::min(kBlock, values.size() - begin);
        std::int64_t low = at(begin);
        std::int64_t high = low;
        std::uint64_t deltas = 0;
        std::uint64_t seconds = 0;
        for (std::size_t i = begin; i < begin + count; ++i) {
            const auto v = at(i);
            low = std::min(low, v);
            high = std::max(high, v);
            if (i > 0) {
                const auto d = minus(v, at(i - 1));
                deltas |= zigzag(d);
                seconds |= zigzag(minus(d, i > 1 ? minus(at(i - 1), at(i - 2)) : firstSlope));
            }
        }
        const std::size_t differences = begin == 0 ? count - 1 : count;
        cost[Reference] += 1 + varintSize(zigzag(low)) + packedSize(count, widthOf(bits(high) - bits(low)));
        cost[Delta] += differences == 0 ? 0 : 1 + packedSize(differences, widthOf(deltas));
        cost[DeltaOfDelta] += differences == 0 ? 0 : 1 + packedSize(differences, widthOf(seconds));
    }
    return cost;
}

void writeReference(std::span<const std::int64_t> values, unsigned shift, Blob &out)
{
    Block block;
    for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
        const std::size_t count = std::min(kBlock, values.size() - begin);
        const auto part = values.subspan(begin, count);
        const auto [low, high] = std::minmax_element(part.begin(), part.end());
        const std::int64_t base = *low >> shift;
        const unsigned width = widthOf(bits(*high >> shift) - bits(base));
        for (std::size_t i = 0; i < count; ++i)
            block[i] = bits(part[i] >> shift) - bits(base);
        out.push_back(static_cast<std::uint8_t>(width));
        appendVarint(out, zigzag(base));
        pack(block.data(), count, width, out);
    }
}

// Blocks of differences lie where the blocks of values do: the first holds one less.
void writeDeltas(std::span<const std::int64_t> values, unsigned shift, bool ofDeltas, Blob &out)
{
    std::int64_t previous = values[0] >> shift;
    std::int64_t slope = 0;
    appendVarint(out, zigzag(previous));
    if (ofDeltas) {
        slope = minus(values[1] >> shift, previous);
        appendVarint(out, zigzag(slope));
    }
    Block block;
    for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
        const std::size_t end = std::min(begin + kBlock, values.size());
        std::size_t count = 0;
        std::uint64_t all = 0;
        for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i) {
            const std::int64_t v = values[i] >> shift;
            const std::int64_t d = minus(v, previous);
            block[count] = zigzag(ofDeltas ? minus(d, slope) : d);
            all |= block[count++];
            previous = v;
            slope = d;
        }
        if (count == 0)
            continue;
        out.push_back(static_cast<std::uint8_t>(widthOf(all)));
        pack(block.data(), count, widthOf(all), out);
    }
}

bool readReference(ByteReader &from, std::span<std::int64_t> into) noexcept
{
    Block block;
    for (std::size_t begin = 0; begin < into.size(); begin += kBlock) {
        const std::size_t count = std::min(kBlock, into.size() - begin);
        const unsigned width = from.take<std::uint8_t>();
        const std::int64_t base = unzigzag(from.takeVarint());
        if (width > 64)
            return false;
        const auto packed = from.takeBytes(packedSize(count, width));
        if (from.isBad())
            return false;
        unpack(packed, count, width, block.data());
        for (std::size_t i = 0; i < count; ++i)
            into[begin + i] = static_cast<std::int64_t>(block[i] + bits(base));
    }
    return true;
}

bool readDeltas(ByteReader &from, bool ofDeltas, std::span<std::int64_t> into) noexcept
{
    std::int64_t previous = unzigzag(from.takeVarint());
    std::int64_t slope = ofDeltas ? unzigzag(from.takeVarint()) : 0;
    into[0] = previous;
    Block block;
    for (std::size_t begin = 0; begin < into.size(); begin += kBlock) {
        const std::size_t first = std::max<std::size_t>(begin, 1);
        const std::size_t end = std::min(begin + kBlock, into.size());
        if (first >= end)
            continue;
        const unsigned width = from.take<std::uint8_t>();
        if (width > 64)
            return false;
        const auto packed = from.takeBytes(packedSize(end - first, width));
        if (from.isBad())
            return false;
        unpack(packed, end - first, width, block.data());
        for (std::size_t i = first; i < end; ++i) {
            const std::int64_t d = unzigzag(block[i - first]);
            slope = ofDeltas ? plus(slope, d) : d;
            previous = plus(previous, slope);
            into[i] = previous;
        }
    }
    return !from.isBad();
}

} // namespace

void encodeIntegers(std::span<const std::int64_t> values, Blob &out)
{
    if (values.empty())
        return;
    const auto shared = inspect(values);
    const auto head = [&](Mode mode) { return static_cast<std::uint8_t>(mode | (shared.shift << 3U)); };
    if (shared.isConstant) {
        out.push_back(head(Constant));
        appendVarint(out, zigzag(values[0] >> shared.shift));
        return;
    }
    const auto cost = costs(values, shared.shift);
    const auto mode = static_cast<Mode>(std::min_element(cost.begin(), cost.end()) - cost.begin());
    out.push_back(head(mode));
    if (mode == Reference)
        writeReference(values, shared.shift, out);
    else
        writeDeltas(values, shared.shift, mode == DeltaOfDelta, out);
}

bool decodeIntegers(ByteReader &from, std::span<std::int64_t> into) noexcept
{
    if (into.empty())
        return true;
    const auto head = from.take<std::uint8_t>();
    const unsigned shift = head >> 3U;
    bool isRead = false;
    switch (head & 7U) {
    case Constant:
        std::fill(into.begin(), into.end(), unzigzag(from.takeVarint()));
        isRead = !from.isBad();
        break;
    case Reference: isRead = readReference(from, into); break;
    case Delta: isRead = readDeltas(from, false, into); break;
    case DeltaOfDelta: isRead = readDeltas(from, true, into); break;
    default: break;
    }
    if (!isRead)
        return false;
    if (shift > 0) {
        for (auto &v : into)
            v = static_cast<std::int64_t>(bits(v) << shift);
    }
    return true;
}

} // namespace plimsoll
