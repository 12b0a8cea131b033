// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef> // before <compare>: moc of Qt 6.4 cannot read <concepts> when it comes first

#include <compare>
#include <cstdint>

namespace plimsoll {

/// An integer with a meaning: bytes never add to dollars.
template <class Tag>
struct Quantity
{
    std::int64_t value = 0;

    friend constexpr auto operator<=>(Quantity, Quantity) = default;
    friend constexpr Quantity operator+(Quantity a, Quantity b) noexcept { return {a.value + b.value}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) noexcept { return {a.value - b.value}; }
    constexpr Quantity &operator+=(Quantity other) noexcept
    {
        value += other.value;
        return *this;
    }
};

using Bytes = Quantity<struct BytesTag>;
using NanoUsd = Quantity<struct NanoUsdTag>; // exact to 9.2 billion dollars; a sum is never a double

inline constexpr std::int64_t kKiB = 1024;
inline constexpr std::int64_t kMiB = 1024 * kKiB;
inline constexpr std::int64_t kGiB = 1024 * kMiB;

namespace literals {
constexpr Bytes operator""_B(unsigned long long v) noexcept { return {static_cast<std::int64_t>(v)}; }
constexpr Bytes operator""_MiB(unsigned long long v) noexcept { return {static_cast<std::int64_t>(v) * kMiB}; }
constexpr Bytes operator""_GiB(unsigned long long v) noexcept { return {static_cast<std::int64_t>(v) * kGiB}; }
} // namespace literals

} // namespace plimsoll
