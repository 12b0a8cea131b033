// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/exposition.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plimsoll {

/// Families by name, made as they are met. Remembers the last sample's: bodies are grouped.
class FamilyIndex
{
public:
    explicit FamilyIndex(std::vector<ExpositionFamily> &families) : m_families(families) {}

    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
    /// Makes the family when it is new.
    std::uint32_t require(std::string_view name);
    /// The family a sample of this name belongs to; a new one of unknown type where nothing fits.
    /// `hasBound` = it carries `le`: a `_bucket` without TYPE is still part of a histogram.
    std::uint32_t ofSample(std::string_view sampleName, bool hasBound);

private:
    struct Hash
    {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
    };
    [[nodiscard]] std::optional<std::uint32_t> findBySuffix(std::string_view sampleName) const;

    std::vector<ExpositionFamily> &m_families;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> m_byName;
    std::string m_lastSample;
    std::uint32_t m_lastFamily = 0;
};

/// "counter" → Counter; of both formats, "untyped" and "unknown" alike. nullopt when it is none.
[[nodiscard]] std::optional<SampleType> sampleTypeFromText(std::string_view text) noexcept;

/// Samples whose name and labels came before in the vector.
[[nodiscard]] std::size_t countDuplicates(const std::vector<ExpositionSample> &samples);

} // namespace plimsoll
