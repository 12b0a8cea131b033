// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <system_error>

namespace plimsoll {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kMaxSeconds = std::numeric_limits<std::int64_t>::max() / kNanosPerSecond - 1;

constexpr bool isDigit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool equalsIgnoringCase(std::string_view text, std::string_view lowerCase) noexcept
{
    if (text.size() != lowerCase.size())
        return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (lower(text[i]) != lowerCase[i])
            return false;
    }
    return true;
}

// Only what from_chars and the formats agree upon may reach from_chars.
bool looksDecimal(std::string_view text) noexcept
{
    bool hasDigit = false;
    for (const char c : text) {
        if (isDigit(c))
            hasDigit = true;
        else if (c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-')
            return false;
    }
    return hasDigit;
}

// from_chars reports underflow as it reports overflow; a tiny number is zero, not an error.
bool isUnderflow(std::string_view text) noexcept
{
    const auto exponent = text.find_first_of("eE");
    if (exponent != std::string_view::npos && exponent + 1 < text.size())
        return text[exponent + 1] == '-';
    return text.starts_with("0.") || text.starts_with('.');
}

std::optional<std::int64_t> parseInteger(std::string_view text) noexcept
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return value;
}

} // namespace

std::optional<double> parseMetricNumber(std::string_view text) noexcept
{
    const bool isNegative = text.starts_with('-');
    std::string_view digits = text;
    if (isNegative || text.starts_with('+'))
        digits.remove_prefix(1);
    if (digits.empty() || digits.front() == '+' || digits.front() == '-')
        return std::nullopt;
    if (looksDecimal(digits)) {
        double value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (end != digits.data() + digits.size())
            return std::nullopt;
        if (error == std::errc::result_out_of_range) {
            if (!isUnderflow(digits))
                return std::nullopt;
            value = 0;
        } else if (error != std::errc()) {
            return std::nullopt;
        }
        return isNegative ? -value : value;
    }
    if (equalsIgnoringCase(digits, "inf") || equalsIgnoringCase(digits, "infinity"))
        return isNegative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    // The one NaN we know, whatever its sign: our "absent" bits must never come in by text.
    if (equalsIgnoringCase(digits, "nan"))
        return std::numeric_limits<double>::quiet_NaN();
    return std::nullopt;
}

std::optional<Instant> parseMillis(std::string_view text) noexcept
{
    const auto millis = parseInteger(text);
    if (!millis)
        return std::nullopt;
    return fromUnixNanos(std::clamp(*millis, -kMaxSeconds * 1000, kMaxSeconds * 1000) * 1'000'000);
}

bool isOutOfRange(Instant time) noexcept
{
    return std::abs(toUnixNanos(time)) >= kMaxSeconds * kNanosPerSecond;
}

std::optional<Instant> parseSeconds(std::string_view text) noexcept
{
    const bool isNegative = text.starts_with('-');
    std::string_view rest = text;
    if (isNegative || text.starts_with('+'))
        rest.remove_prefix(1);
    const auto point = rest.find('.');
    const auto whole = rest.substr(0, point);
    const auto fraction = point == std::string_view::npos ? std::string_view() : rest.substr(point + 1);
    const auto allDigits = [](std::string_view part) {
        for (const char c : part) {
            if (!isDigit(c))
                return false;
        }
        return true;
    };
    if (rest.empty() || (whole.empty() && fraction.empty()))
        return std::nullopt;
    if (allDigits(whole) && allDigits(fraction)) {
        const auto seconds = whole.empty() ? std::optional<std::int64_t>(0) : parseInteger(whole);
        if (!seconds || *seconds >= kMaxSeconds) // more digits than 64 bits hold, too
            return fromUnixNanos((isNegative ? -kMaxSeconds : kMaxSeconds) * kNanosPerSecond);
        std::int64_t nanos = 0;
        for (std::size_t i = 0; i < 9; ++i)
            nanos = nanos * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
        const std::int64_t total = *seconds * kNanosPerSecond + nanos;
        return fromUnixNanos(isNegative ? -total : total);
    }
    const auto seconds = parseMetricNumber(text); // 1.726839813e+09
    if (!seconds || !std::isfinite(*seconds))
        return std::nullopt;
    if (std::abs(*seconds) >= static_cast<double>(kMaxSeconds))
        return fromUnixNanos((*seconds < 0 ? -kMaxSeconds : kMaxSeconds) * kNanosPerSecond);
    const double floor = std::floor(*seconds);
    return fromUnixNanos(static_cast<std::int64_t>(floor) * kNanosPerSecond
                         + static_cast<std::int64_t>(std::llround((*seconds - floor) * 1e9)));
}

double toSeconds(Instant time) noexcept
{
    // Not nanos / 1e9: 64 bits of nanoseconds do not fit a double, seconds and the rest apart do.
    const auto nanos = toUnixNanos(time);
    return static_cast<double>(nanos / kNanosPerSecond) + static_cast<double>(nanos % kNanosPerSecond) / 1e9;
}

} // namespace plimsoll
