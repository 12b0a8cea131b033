// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace plimsoll {
namespace {

constexpr std::string_view kMinus = "\xe2\x88\x92"; // U+2212

// snprintf says how long the text would have been, not how long it is: longer than the buffer, 309 digits and more.
template <class... Arguments>
std::string printed(const char *format, Arguments... arguments)
{
    std::array<char, 64> buffer{};
    const int written = std::snprintf(buffer.data(), buffer.size(), format, arguments...);
    return {buffer.data(), static_cast<std::size_t>(std::clamp(written, 0, static_cast<int>(buffer.size()) - 1))};
}

std::string fixed(double value, int decimals) { return printed("%.*f", decimals, value); }
std::string scientific(double value) { return printed("%.2e", value); }

std::string withCommas(std::string digits)
{
    const auto point = digits.find('.');
    auto at = static_cast<std::ptrdiff_t>(point == std::string::npos ? digits.size() : point) - 3;
    for (; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

// Decimals that leave three significant digits of a value that rounds to at least 1.
int decimalsFor(double magnitude)
{
    if (magnitude >= 99.95)
        return 0;
    return magnitude >= 9.995 ? 1 : 2;
}

constexpr double kLongest = 1e15; // beyond, nobody counts the digits

std::string threeDigits(double magnitude)
{
    return magnitude >= kLongest ? scientific(magnitude) : withCommas(fixed(magnitude, decimalsFor(magnitude)));
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

struct Measured
{
    double number = 0;
    std::string_view unit;
};

// "1,021" as we print it. A comma elsewhere is left to stop the number: "1,5" must not become 15.
std::size_t lengthOfGroups(std::string_view text)
{
    const auto isDigit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
    std::size_t at = 0;
    while (isDigit(at))
        ++at;
    if (at == 0 || at > 3)
        return 0;
    std::size_t grouped = 0;
    while (at < text.size() && text[at] == ',' && isDigit(at + 1) && isDigit(at + 2) && isDigit(at + 3) && !isDigit(at + 4))
        grouped = at += 4;
    return grouped;
}

std::optional<Measured> split(std::string_view text)
{
    text = trimmed(text);
    const std::size_t groups = lengthOfGroups(text);
    std::string digits(text.substr(0, groups));
    std::erase(digits, ',');
    const std::size_t removed = groups - digits.size();
    digits += text.substr(groups);
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || !std::isfinite(number))
        return std::nullopt;
    return Measured{number, trimmed(text.substr(static_cast<std::size_t>(end - digits.data()) + removed))};
}

} // namespace

Figure formatBytes(double bytes)
{
    if (std::isnan(bytes))
        return {"NaN", {}};
    if (std::isinf(bytes))
        return {bytes < 0 ? std::string(kMinus) + "\xe2\x88\x9e" : "\xe2\x88\x9e", "B"};
    constexpr std::array<std::string_view, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double magnitude = std::fabs(bytes);
    std::size_t unit = 0;
    while (magnitude >= 1023.5 && unit + 1 < kUnits.size()) {
        magnitude /= 1024;
        ++unit;
    }
    const std::string sign = bytes < 0 && magnitude > 0 ? std::string(kMinus) : std::string();
    return {sign + (unit == 0 ? fixed(magnitude, 0) : threeDigits(magnitude)), std::string(kUnits[unit])};
}

std::string formatNumber(double value)
{
    if (std::isnan(value))
        return "NaN";
    const std::string sign = value < 0 ? std::string(kMinus) : std::string();
    const double magnitude = std::fabs(value);
    if (std::isinf(magnitude))
        return sign + "\xe2\x88\x9e";
    if (magnitude == 0)
        return "0";
    if (magnitude < 1e-4)
        return sign + scientific(magnitude);
    if (magnitude >= 0.9995)
        return sign + threeDigits(magnitude);
    const int decimals = 2 - static_cast<int>(std::floor(std::log10(magnitude)));
    return sign + fixed(magnitude, decimals);
}

Figure formatCount(double count)
{
    constexpr std::array<std::string_view, 5> kUnits{"", "k", "M", "G", "T"};
    double magnitude = std::fabs(count);
    if (std::isinf(count))
        return {count < 0 ? std::string(kMinus) + "\xe2\x88\x9e" : "\xe2\x88\x9e", {}};
    if (!(magnitude >= 999.5))
        return {std::isnan(count) ? "NaN" : (count < 0 ? std::string(kMinus) : std::string()) + fixed(magnitude, 0), {}};
    std::size_t unit = 0;
    while (magnitude >= 999.5 && unit + 1 < kUnits.size()) {
        magnitude /= 1000;
        ++unit;
    }
    return {(count < 0 ? std::string(kMinus) : std::string()) + threeDigits(magnitude), std::string(kUnits[unit])};
}

std::string formatDuration(Duration duration)
{
    using namespace std::chrono;
    if (duration < Duration::zero())
        return std::string(kMinus) + formatDuration(duration == Duration::min() ? Duration::max() : -duration);
    const double seconds = std::chrono::duration<double>(duration).count();
    if (duration == Duration::zero())
        return "0 s";
    if (seconds < 1e-3)
        return formatNumber(seconds * 1e6) + " \xc2\xb5s";
    if (seconds < 0.0995)
        return formatNumber(seconds * 1e3) + " ms";
    if (seconds < 9.95)
        return fixed(seconds, 1) + " s";
    const Duration half = std::min<Duration>(milliseconds(500), Duration::max() - duration); // the longest has no room
    const auto whole = duration_cast<std::chrono::seconds>(duration + half).count();
    const auto parts = [](std::int64_t a, std::string_view unitA, std::int64_t b, std::string_view unitB) {
        std::string text = std::to_string(a) + ' ' + std::string(unitA);
        if (b != 0)
            text += ' ' + std::to_string(b) + ' ' + std::string(unitB);
        return text;
    };
    if (whole < 60)
        return std::to_string(whole) + " s";
    if (whole < 3600)
        return parts(whole / 60, "min", whole % 60, "s");
    if (whole < 86400)
        return parts(whole / 3600, "h", whole % 3600 / 60, "min");
    return parts(whole / 86400, "d", whole % 86400 / 3600, "h");
}

Figure formatValue(double value, std::string_view unit)
{
    if (unit == "By")
        return formatBytes(value);
    if (unit == "By/s") {
        auto figure = formatBytes(value);
        figure.unit += "/s";
        return figure;
    }
    if (unit == "1")
        return {formatNumber(value * 100), "%"};
    if (unit == "s" && std::fabs(value) < 9e9)
        return {formatDuration(Duration(static_cast<std::int64_t>(value * 1e9))), {}};
    if (unit == "Cel")
        return {formatNumber(value), "\xc2\xb0" "C"};
    std::string_view shown = unit;
    if (shown.size() > 2 && shown.front() == '{' && shown.back() == '}')
        shown = shown.substr(1, shown.size() - 2);
    return {formatNumber(value), std::string(shown)};
}

std::string formatExact(std::int64_t value)
{
    const std::string digits = std::to_string(value);
    return value < 0 ? std::string(kMinus) + withCommas(digits.substr(1)) : withCommas(digits);
}

std::optional<Bytes> parseBytes(std::string_view text)
{
    const auto measured = split(text);
    if (!measured || measured->number < 0)
        return std::nullopt;
    struct Unit { std::string_view name; double factor; };
    constexpr std::array<Unit, 16> kUnits{{{"", 1}, {"B", 1}, {"KiB", 1024.}, {"MiB", 1048576.}, {"GiB", 1073741824.},
        {"TiB", 1099511627776.}, {"K", 1024.}, {"M", 1048576.}, {"G", 1073741824.}, {"T", 1099511627776.},
        {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"PiB", 1125899906842624.}}};
    for (const auto &unit : kUnits) {
        if (unit.name != measured->unit)
            continue;
        const double bytes = std::round(measured->number * unit.factor);
        if (bytes > 9.2e18)
            return std::nullopt;
        return Bytes{static_cast<std::int64_t>(bytes)};
    }
    return std::nullopt;
}

std::optional<Duration> parseDuration(std::string_view text)
{
    const auto measured = split(text);
    if (!measured || measured->number < 0)
        return std::nullopt;
    struct Unit { std::string_view name; double seconds; };
    constexpr std::array<Unit, 9> kUnits{{{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400},
        {"us", 1e-6}, {"w", 604800}, {"ns", 1e-9}}};
    for (const auto &unit : kUnits) {
        if (unit.name != measured->unit)
            continue;
        const double nanos = std::round(measured->number * unit.seconds * 1e9);
        if (nanos > 9.2e18)
            return std::nullopt;
        return Duration(static_cast<std::int64_t>(nanos));
    }
    return std::nullopt;
}

} // namespace plimsoll
