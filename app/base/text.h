// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll {

/// True when every byte belongs to a shortest-form UTF-8 sequence without surrogates.
[[nodiscard]] bool isValidUtf8(std::string_view text) noexcept;

/// Text from outside made fit for a screen and a log: invalid bytes become
/// U+FFFD, control and bidirectional override characters become visible
/// escapes (`\\u202e`), and what is longer than `maxBytes` loses its middle.
[[nodiscard]] std::string safeText(std::string_view text, std::size_t maxBytes = 256);

/// Shortens to at most `maxBytes` bytes of UTF-8 by an ellipsis in the middle.
[[nodiscard]] std::string elideMiddle(std::string_view text, std::size_t maxBytes);

} // namespace plimsoll
