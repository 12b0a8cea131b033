// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

/// A string's inside without its escapes. Lone surrogates stay what they are (three bytes, as in
/// Python's "surrogatepass"), and so do unknown escapes.
[[nodiscard]] std::string unescapedJson(std::string_view inside);

/// Appends the text as a JSON string with its quotes; lone surrogates as escapes, other invalid
/// UTF-8 as U+FFFD.
void appendJsonString(std::string &to, std::string_view text);

/// The same bytes fit for a strict parser: invalid UTF-8 becomes U+FFFD, control characters blanks.
[[nodiscard]] std::string repairedJson(std::string_view text);

/// The value without blanks, strings spelled in one way: the same value is the same text wherever it
/// comes from. A text that is cut off stays cut off.
[[nodiscard]] std::string compactJson(std::string_view text);

/// Whether this is one JSON value and nothing else, no deeper than `depth`.
[[nodiscard]] bool isJson(std::string_view text, std::size_t depth);

/// "'{'", "byte 0x07".
[[nodiscard]] std::string shownByte(char byte);

/// An integer of 64 bits, also where it is written as 1.4e14 or 2.0; a negative one as its pattern of
/// bits. nullopt for a fraction, for what is wider, and for no number.
[[nodiscard]] std::optional<std::int64_t> jsonInteger(std::string_view token) noexcept;
[[nodiscard]] std::optional<std::uint64_t> jsonUnsigned(std::string_view token) noexcept;
[[nodiscard]] std::optional<double> jsonReal(std::string_view token) noexcept;

} // namespace plimsoll
