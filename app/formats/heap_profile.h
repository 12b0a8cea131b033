// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/memory_snapshot.h"
#include "formats/stack_table.h"
#include "formats/text_table.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll {

/// What a value of a sample counts: "inuse_space" in "bytes".
struct HeapValueType
{
    std::string type;
    std::string unit;

    friend bool operator==(const HeapValueType &, const HeapValueType &) = default;
};

struct HeapLabel
{
    TextId key = 0;
    TextId text = 0;         // 0: it is a number
    std::int64_t number = 0;
    TextId unit = 0;         // of the number
};

struct HeapMapping
{
    std::uint64_t start = 0;
    std::uint64_t limit = 0;
    std::uint64_t offset = 0;
    TextId file = 0;
    TextId buildId = 0;
};

/// One stack and what it holds; its values are HeapProfile::values[index × sample types …].
struct HeapSample
{
    StackId stack = kNoStack; // inlined calls as frames of their own, innermost first
    std::size_t firstLabel = 0;
    std::size_t labelCount = 0;
};

/// A heap by call stack at one moment: pprof's protobuf, or the texts of gperftools, Go, jemalloc and
/// Java. No addresses, no events.
struct HeapProfile
{
    enum class Form { Protobuf, Gperftools, Go, Jemalloc, Java } form = Form::Protobuf;

    TextTable texts;
    StackTable stacks;
    std::vector<HeapValueType> sampleTypes;
    std::vector<HeapSample> samples;
    std::vector<std::int64_t> values; // sample after sample, one per sample type
    std::vector<HeapLabel> labels;
    std::vector<HeapMapping> mappings;

    // What the profile says about itself; absent fields are not there.
    std::optional<std::int64_t> timeNanos;
    std::optional<std::int64_t> durationNanos;
    std::optional<std::int64_t> period; // of sampling, in periodType's unit
    std::optional<HeapValueType> periodType;
    std::optional<std::string> defaultSampleType;
    std::vector<std::string> comments;

    // Census.
    std::uint64_t fileBytes = 0;
    bool isCompressed = false;
    std::uint64_t plainBytes = 0;        // unpacked
    std::vector<std::int64_t> valueSums; // one per sample type, of what the file says
    std::size_t deepestStack = 0;        // in locations
    std::size_t strings = 0;
    std::size_t locations = 0;
    std::size_t functions = 0;
    /// label key → its text or number → the last value's sum
    std::map<std::string, std::map<std::string, std::int64_t>> labelSums;

    // Of the text forms.
    std::string firstLine;
    std::size_t lines = 0;
    /// Totals of the first line (or jemalloc's "t*"): objects and bytes in use, then ever allocated.
    std::optional<std::vector<std::int64_t>> statedTotals;
    /// valueSums as they were before sampling: an estimate, for forms that do not scale themselves.
    std::optional<std::vector<double>> estimatedSums;

    std::vector<std::string> warnings;

    /// Which sample type to look at first: bytes in use where there are such.
    [[nodiscard]] std::size_t mainSampleType() const noexcept;
};

/// The profile as a picture of memory, for trees and search: blocks of unknown address with stacks
/// (sizes: this sample type), one segment and device per "device" label. Errors: BadInput (no such
/// sample type).
[[nodiscard]] Result<MemorySnapshot> toMemorySnapshot(const HeapProfile &profile, std::size_t sampleType);

} // namespace plimsoll
