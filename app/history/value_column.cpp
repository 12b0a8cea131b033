// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/value_column.h"

#include "history/integer_column.h"
#include "model/series.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace plimsoll {
namespace {

constexpr std::uint8_t kGaps = 14;
constexpr std::uint8_t kXor = 15;
constexpr std::uint8_t kExceptions = 0x80;
constexpr std::array<double, kMaxDecimals + 1> kPower{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
constexpr double kMaxExact = 9007199254740992.0; // 2^53: a double holds every integer up to here

std::uint64_t bitsOf(double v) noexcept { return std::bit_cast<std::uint64_t>(v); }

struct Scaled
{
    std::vector<std::int64_t> integers;
    std::vector<std::size_t> exceptions; // rising
};

// False as soon as more than `allowed` values resist.
bool scale(std::span<const double> values, int decimals, std::size_t allowed, Scaled &into)
{
    into.integers.resize(values.size());
    into.exceptions.clear();
    std::int64_t last = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (const auto m = scaledExactly(values[i], decimals)) {
            last = *m;
        } else {
            if (into.exceptions.size() == allowed)
                return false;
            into.exceptions.push_back(i); // its place in the column repeats the last one: no bits
        }
        into.integers[i] = last;
    }
    return true;
}

void appendScaled(std::span<const double> values, const Scaled &scaled, int decimals, Blob &out)
{
    const bool hasOdd = !scaled.exceptions.empty();
    out.push_back(static_cast<std::uint8_t>(decimals | (hasOdd ? kExceptions : 0)));
    if (hasOdd) {
        appendVarint(out, scaled.exceptions.size());
        std::size_t previous = 0;
        for (const auto i : scaled.exceptions) {
            appendVarint(out, i - previous);
            append(out, bitsOf(values[i]));
            previous = i;
        }
    }
    encodeIntegers(scaled.integers, out);
}

void appendXor(std::span<const double> values, Blob &out)
{
    std::uint64_t previous = 0;
    std::uint64_t any = 0;
    for (const double v : values) {
        any |= bitsOf(v) ^ previous;
        previous = bitsOf(v);
    }
    std::uint8_t planes = 0;
    for (unsigned plane = 0; plane < 8; ++plane) {
        if (((any >> (8 * plane)) & 0xffU) != 0)
            planes = static_cast<std::uint8_t>(planes | (1U << plane));
    }
    out.push_back(kXor);
    out.push_back(planes);
    for (unsigned plane = 0; plane < 8; ++plane) {
        if ((planes & (1U << plane)) == 0)
            continue;
        previous = 0;
        for (const double v : values) {
            out.push_back(static_cast<std::uint8_t>((bitsOf(v) ^ previous) >> (8 * plane)));
            previous = bitsOf(v);
        }
    }
}

void encodeDense(std::span<const double> values, Blob &out)
{
    Scaled scaled;
    const std::size_t allowed = values.size() / 16;
    for (int decimals = 0; decimals <= kMaxDecimals; ++decimals) {
        if (scale(values, decimals, allowed, scaled))
            return appendScaled(values, scaled, decimals, out);
    }
    appendXor(values, out);
}

bool decodeXor(ByteReader &from, std::span<double> into) noexcept
{
    const auto planes = from.take<std::uint8_t>();
    const auto count = static_cast<std::size_t>(std::popcount(planes));
    if (from.left() != count * into.size())
        return false;
    std::array<const std::uint8_t *, 8> plane{};
    for (unsigned p = 0; p < 8; ++p) {
        if ((planes & (1U << p)) != 0)
            plane[p] = from.takeBytes(into.size()).data();
    }
    std::uint64_t previous = 0;
    for (std::size_t i = 0; i < into.size(); ++i) {
        std::uint64_t bits = 0;
        for (unsigned p = 0; p < 8; ++p) {
            if (plane[p] != nullptr)
                bits |= static_cast<std::uint64_t>(plane[p][i]) << (8 * p);
        }
        previous ^= bits;
        into[i] = std::bit_cast<double>(previous);
    }
    return true;
}

bool decodeScaled(ByteReader &from, std::uint8_t head, std::span<double> into)
{
    const int decimals = head & 0x0fU;
    struct Odd { std::size_t index; double value; };
    std::vector<Odd> odd;
    if ((head & kExceptions) != 0) {
        const auto count = from.takeVarint();
        if (count > into.size() / 16)
            return false;
        odd.reserve(count);
        std::uint64_t index = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto step = from.takeVarint();
            if (step >= into.size() || index + step >= into.size())
                return false;
            index += step;
            odd.push_back({static_cast<std::size_t>(index), std::bit_cast<double>(from.take<std::uint64_t>())});
        }
    }
    std::vector<std::int64_t> integers(into.size());
    if (from.isBad() || !decodeIntegers(from, integers) || !from.isAtEnd())
        return false;
    const double power = kPower[static_cast<std::size_t>(decimals)];
    if (decimals == 0) {
        for (std::size_t i = 0; i < into.size(); ++i)
            into[i] = static_cast<double>(integers[i]);
    } else {
        for (std::size_t i = 0; i < into.size(); ++i)
            into[i] = static_cast<double>(integers[i]) / power;
    }
    for (const auto &o : odd)
        into[o.index] = o.value;
    return true;
}

bool decodeDense(ByteReader &from, std::span<double> into)
{
    const auto head = from.take<std::uint8_t>();
    if (from.isBad())
        return false;
    if (head == kXor)
        return decodeXor(from, into);
    if ((head & 0x70U) != 0 || (head & 0x0fU) > kMaxDecimals)
        return false;
    return decodeScaled(from, head, into);
}

} // namespace

std::optional<std::int64_t> scaledExactly(double value, int decimals) noexcept
{
    const double power = kPower[static_cast<std::size_t>(decimals)];
    const double raised = value * power;
    if (!(raised >= -kMaxExact && raised <= kMaxExact)) // NaN fails too
        return std::nullopt;
    const auto whole = static_cast<std::int64_t>(std::nearbyint(raised));
    if (bitsOf(static_cast<double>(whole) / power) != bitsOf(value))
        return std::nullopt;
    return whole;
}

double unscaled(std::int64_t scaled, int decimals) noexcept
{
    return static_cast<double>(scaled) / kPower[static_cast<std::size_t>(decimals)];
}

void encodeValues(std::span<const double> values, Blob &out)
{
    const auto absent = static_cast<std::size_t>(std::count_if(values.begin(), values.end(), isAbsent));
    if (absent == values.size())
        return;
    if (absent == 0)
        return encodeDense(values, out);
    out.push_back(kGaps);
    const auto bitmap = out.size();
    out.resize(bitmap + (values.size() + 7) / 8);
    std::vector<double> dense;
    dense.reserve(values.size() - absent);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (isAbsent(values[i]))
            out[bitmap + i / 8] = static_cast<std::uint8_t>(out[bitmap + i / 8] | (1U << (i % 8)));
        else
            dense.push_back(values[i]);
    }
    encodeDense(dense, out);
}

bool decodeValues(BlobView bytes, std::span<double> into)
{
    if (bytes.empty()) {
        std::fill(into.begin(), into.end(), absentValue());
        return true;
    }
    ByteReader from(bytes);
    if (bytes[0] != kGaps)
        return decodeDense(from, into);
    (void)from.take<std::uint8_t>();
    const auto bitmap = from.takeBytes((into.size() + 7) / 8);
    if (from.isBad())
        return false;
    const auto isGap = [&](std::size_t i) { return (bitmap[i / 8] & (1U << (i % 8))) != 0; };
    std::size_t present = 0;
    for (std::size_t i = 0; i < into.size(); ++i)
        present += isGap(i) ? 0 : 1;
    // Decoded into the front, then spread from the back: no second buffer.
    if (present == 0 || !decodeDense(from, into.first(present)))
        return false;
    for (std::size_t i = into.size(); i-- > 0;)
        into[i] = isGap(i) ? absentValue() : into[--present];
    return true;
}

} // namespace plimsoll
