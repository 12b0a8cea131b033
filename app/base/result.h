// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <tl/expected.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace plimsoll {

/// What went wrong, between layers. The view owns the sentence that a person
/// reads; `detail` says what, where and what was expected.
struct Error
{
    enum class Code { Io, Corrupt, Unsupported, TooLarge, Cancelled, Unreachable, BadInput, Busy, Full };
    Code code = Code::Io;
    std::string detail;

    friend bool operator==(const Error &, const Error &) = default;
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> failure(Error::Code code, std::string detail)
{
    return tl::make_unexpected(Error{code, std::move(detail)});
}

[[nodiscard]] constexpr std::string_view toString(Error::Code code) noexcept
{
    switch (code) {
    case Error::Code::Io: return "input or output failed";
    case Error::Code::Corrupt: return "damaged data";
    case Error::Code::Unsupported: return "not supported";
    case Error::Code::TooLarge: return "over a limit";
    case Error::Code::Cancelled: return "cancelled";
    case Error::Code::Unreachable: return "unreachable";
    case Error::Code::BadInput: return "bad input";
    case Error::Code::Busy: return "busy";
    case Error::Code::Full: return "no space left";
    }
    return "unknown";
}

} // namespace plimsoll
