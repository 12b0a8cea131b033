// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/metric.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace plimsoll {

/// What a mapped series is about: it decides the group and which labels identify it.
enum class MapScope : std::uint8_t { Host, Gpu, Container, Job };

/// A label of the exporter and its canonical name; an empty `to` drops it.
struct LabelRule
{
    std::string_view from;
    std::string_view to;
};

/// What holds for all names of one exporter.
struct Exporter
{
    std::string_view name;
    MapScope scope = MapScope::Job;
    std::span<const LabelRule> labels = {};
    std::span<const std::string_view> droppedPrefixes = {}; // label names
    std::string_view idPrefix = {}; // put before a bare UUID: "GPU-"
    bool hasSentinels = false;   // DCGM's "blank" numbers
    bool foldsByMaximum = false; // series that differ in a dropped label: highest instead of last
    bool speaksOfOthers = false; // of other hosts than its own: no host unless it says one
};

/// One name of an exporter and what it is to us. value × factor = value in the catalogue's unit.
struct MapRow
{
    std::string_view source; // as sampled
    std::string_view metric; // canonical
    double factor = 1;
    std::string_view unit = {};            // the source's, where it is not ours
    std::array<LabelRule, 2> added = {};   // canonical name and value
    LabelRule wanted = {};                 // only samples with this label and value
    MetricKind kind = MetricKind::Unknown; // where it is not what the catalogue says
    bool isZeroAbsent = false;             // 0 means "unlimited" or "not available"
};

struct ExporterTable
{
    const Exporter *exporter = nullptr;
    std::span<const MapRow> rows;
};

struct RowMatch
{
    const Exporter *exporter = nullptr;
    const MapRow *row = nullptr;
};

/// The rows of a sample's name (several when they want different labels); its `_total` may be
/// missing or too many. Empty when we do not know it. Any thread.
[[nodiscard]] std::span<const RowMatch> findRows(std::string_view sampleName);

/// One a file, next to the facts about the exporter.
[[nodiscard]] std::span<const ExporterTable> nodeTables() noexcept;
[[nodiscard]] std::span<const ExporterTable> dcgmTables() noexcept;
[[nodiscard]] std::span<const ExporterTable> gpuTables() noexcept;
[[nodiscard]] std::span<const ExporterTable> containerTables() noexcept;
[[nodiscard]] std::span<const ExporterTable> inferenceTables() noexcept;
[[nodiscard]] std::span<const ExporterTable> jobTables() noexcept;

/// Label names of ours that several tables use.
namespace label {
inline constexpr std::string_view kPagingDirection = "system.paging.direction";
inline constexpr std::string_view kGpuTask = "hw.gpu.task";
inline constexpr std::string_view kGpuLink = "hw.gpu.io.link";
inline constexpr std::string_view kDirection = "network.io.direction";
inline constexpr std::string_view kErrorType = "error.type";
inline constexpr std::string_view kErrorCode = "error.code";
inline constexpr std::string_view kNvlink = "nvlink"; // number of the link
inline constexpr std::string_view kEngine = "engine";
inline constexpr std::string_view kCache = "ml.cache";
inline constexpr std::string_view kRequestState = "ml.inference.request.state";
inline constexpr std::string_view kShardKind = "ml.shard.kind";
inline constexpr std::string_view kContainerName = "container.name";
} // namespace label

} // namespace plimsoll
