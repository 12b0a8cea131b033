// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/size_rounding.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>

namespace plimsoll {
namespace {

constexpr unsigned kMiBBits = 20;

std::size_t intervalOf(std::uint64_t size) noexcept
{
    const auto mebibytes = size >> kMiBBits;
    if (mebibytes == 0)
        return 0;
    return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(mebibytes)) - 1, 15);
}

std::optional<std::uint64_t> numberAt(std::string_view text, std::size_t &at)
{
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc())
        return std::nullopt;
    at = static_cast<std::size_t>(end - text.data());
    return value;
}

} // namespace

SizeRounding::SizeRounding(const MemorySnapshot &snapshot)
{
    // A flat object, {"1": 8, "2": 8, …}: the lower bound of the interval in MiB and its divisions.
    const auto text = snapshot.setting("roundup_power2_divisions");
    if (!text)
        return;
    std::size_t at = 0;
    while ((at = text->find('"', at)) != std::string::npos) {
        ++at;
        const auto from = numberAt(*text, at);
        if (!from || *from == 0)
            continue;
        at = text->find(':', at);
        if (at == std::string::npos)
            return;
        at = text->find_first_not_of(": \t\n\"", at);
        if (at == std::string::npos)
            return;
        const auto divisions = numberAt(*text, at);
        if (divisions && *divisions <= UINT32_MAX)
            setDivisions(intervalOf(*from << kMiBBits), static_cast<std::uint32_t>(*divisions));
        at = text->find_first_of(",}", at);
    }
}

void SizeRounding::setDivisions(std::size_t interval, std::uint32_t divisions) noexcept
{
    if (interval >= m_divisions.size())
        return;
    m_divisions[interval] = divisions;
    m_hasDivisions = m_hasDivisions || divisions > 1;
}

std::uint64_t SizeRounding::operator()(std::uint64_t requested) const noexcept
{
    if (requested > UINT64_MAX / 2)
        return requested; // no allocation: a foreign number
    if (requested < kAllocatorUnit)
        return requested == 0 ? 0 : kAllocatorUnit;
    if (m_hasDivisions) {
        const std::uint64_t divisions = m_divisions[intervalOf(requested)];
        if (divisions > 1 && requested > kAllocatorUnit * divisions && !std::has_single_bit(requested)) {
            const auto step = std::max<std::uint64_t>(std::bit_floor(requested) / divisions, 1);
            return (requested + step - 1) / step * step;
        }
    }
    return (requested + kAllocatorUnit - 1) & ~(kAllocatorUnit - 1);
}

} // namespace plimsoll
