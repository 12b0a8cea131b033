// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace plimsoll::test {

/// True under AddressSanitizer and ThreadSanitizer: all takes several times longer, and what was
/// freed stays resident, so the size of a process says nothing. LeakSanitizer judges there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif
#else
inline constexpr bool kIsSanitized = false;
#endif

} // namespace plimsoll::test
