// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition_proto.h"

#include "base/text.h"
#include "formats/metric_family.h"
#include "formats/wire_reader.h"

#include <array>
#include <utility>

namespace plimsoll {
namespace {

using Type = WireReader::Type;

constexpr std::array<std::string_view, 6> kTypeNames{"counter", "gauge", "summary", "untyped", "histogram", "gauge_histogram"};

} // namespace

ProtoCensus countDelimitedProto(std::string_view body)
{
    ProtoCensus census;
    std::size_t at = 0;
    while (at < body.size()) {
        WireReader head(body.substr(at), at);
        const auto length = head.varint();
        const auto begin = head.offset();
        if (!length || *length > body.size() - begin)
            break;
        WireReader family(body.substr(begin, static_cast<std::size_t>(*length)), begin);
        std::uint64_t type = 0;
        std::string name;
        while (family.next()) {
            if (family.is(kFamilyName, Type::Bytes))
                name = family.text();
            else if (family.is(kFamilyType, Type::Varint))
                type = family.number();
            else if (family.is(kFamilyMetric, Type::Bytes))
                ++census.metrics;
        }
        ++census.familiesByType[std::string(type < kTypeNames.size() ? kTypeNames[static_cast<std::size_t>(type)]
                                                                      : std::string_view("unknown"))];
        if (census.families++ == 0)
            census.firstFamily = name;
        census.lastFamily = std::move(name);
        at = begin + static_cast<std::size_t>(*length);
    }
    return census;
}

bool looksLikeDelimitedProto(std::string_view body) noexcept
{
    WireReader head(body, 0);
    const auto length = head.varint();
    const auto begin = head.offset();
    if (!length || *length < 3 || *length > body.size() - begin)
        return false;
    WireReader family(body.substr(begin, static_cast<std::size_t>(*length)), begin);
    return family.next() && family.is(kFamilyName, Type::Bytes) && !family.text().empty() && isValidUtf8(family.text())
        && family.text().find('\n') == std::string_view::npos && family.next();
}

} // namespace plimsoll
