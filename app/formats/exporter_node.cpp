// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_table.h"
#include "model/labels.h"

namespace plimsoll {
namespace {

constexpr std::array kLabels{
    LabelRule{"hostname", label::kHost},
    LabelRule{"nodename", label::kHost},
    LabelRule{"node", label::kHost},
};

constexpr Exporter kNode{.name = "node_exporter", .scope = MapScope::Host, .labels = kLabels};
constexpr Exporter kCeemsHost{.name = "CEEMS exporter", .scope = MapScope::Host, .labels = kLabels};

constexpr LabelRule memoryState(std::string_view state) { return {label::kMemoryState, state}; }

// /proc/meminfo and /proc/vmstat under the exporter's names; its bytes are kB × 1024 already.
constexpr std::array kNodeRows{
    MapRow{.source = "node_memory_MemTotal_bytes", .metric = metric::kHostLimit},
    MapRow{.source = "node_memory_MemAvailable_bytes", .metric = metric::kHostAvailable},
    MapRow{.source = "node_memory_MemFree_bytes", .metric = metric::kHostUsage, .added = {memoryState("free")}},
    MapRow{.source = "node_memory_Buffers_bytes", .metric = metric::kHostUsage, .added = {memoryState("buffers")}},
    MapRow{.source = "node_memory_Cached_bytes", .metric = metric::kHostUsage, .added = {memoryState("cached")}},
    MapRow{.source = "node_memory_Slab_bytes", .metric = metric::kHostUsage, .added = {memoryState("slab")}},
    MapRow{.source = "node_memory_SwapTotal_bytes", .metric = metric::kHostPagingLimit},
    MapRow{.source = "node_memory_SwapFree_bytes",
           .metric = metric::kHostPagingUsage,
           .added = {LabelRule{label::kPagingState, "free"}}},
    MapRow{.source = "node_vmstat_oom_kill", .metric = metric::kHostOomKills},
    MapRow{.source = "node_vmstat_pswpin",
           .metric = metric::kHostPagingOperations,
           .unit = "{page}",
           .added = {LabelRule{label::kPagingDirection, "in"}}},
    MapRow{.source = "node_vmstat_pswpout",
           .metric = metric::kHostPagingOperations,
           .unit = "{page}",
           .added = {LabelRule{label::kPagingDirection, "out"}}},
    MapRow{.source = "node_vmstat_pgmajfault", .metric = metric::kHostPagingFaults},
    MapRow{.source = "node_pressure_memory_waiting_seconds_total", .metric = metric::kPressureSome},
    MapRow{.source = "node_pressure_memory_stalled_seconds_total", .metric = metric::kPressureFull},
};

constexpr std::array kCeemsRows{
    MapRow{.source = "ceems_meminfo_MemTotal_bytes", .metric = metric::kHostLimit},
    MapRow{.source = "ceems_meminfo_MemAvailable_bytes", .metric = metric::kHostAvailable, .isZeroAbsent = true},
    MapRow{.source = "ceems_meminfo_MemFree_bytes", .metric = metric::kHostUsage, .added = {memoryState("free")}},
};

constexpr std::array kRayLabels{
    LabelRule{"ip", label::kHost},
    LabelRule{"NodeAddress", label::kHost},
    LabelRule{"SessionName", ""},
    LabelRule{"Version", ""},
    LabelRule{"GpuIndex", label::kGpuIndex},
    LabelRule{"GpuDeviceName", label::kHardwareModel},
};

constexpr Exporter kRayHost{.name = "Ray", .scope = MapScope::Host, .labels = kRayLabels};
constexpr Exporter kRayGpu{.name = "Ray", .scope = MapScope::Gpu, .labels = kRayLabels};

constexpr std::array kRayHostRows{
    MapRow{.source = "ray_node_mem_total", .metric = metric::kHostLimit},
    MapRow{.source = "ray_node_mem_available", .metric = metric::kHostAvailable},
    MapRow{.source = "ray_node_mem_used", .metric = metric::kHostUsage, .added = {memoryState("used")}},
};

// Ray declares bytes for these; its own dashboards multiply by 1024², and rightly so.
constexpr std::array kRayGpuRows{
    MapRow{.source = "ray_node_gram_used", .metric = metric::kGpuUsage, .factor = 1048576, .unit = "MiB"},
    MapRow{.source = "ray_node_gram_available", .metric = metric::kGpuFree, .factor = 1048576, .unit = "MiB"},
    MapRow{.source = "ray_node_gpus_utilization",
           .metric = metric::kGpuUtilization,
           .factor = 0.01,
           .unit = "%",
           .added = {LabelRule{label::kGpuTask, "general"}}},
};

constexpr std::array kTables{
    ExporterTable{&kNode, kNodeRows},
    ExporterTable{&kCeemsHost, kCeemsRows},
    ExporterTable{&kRayHost, kRayHostRows},
    ExporterTable{&kRayGpu, kRayGpuRows},
};

} // namespace

std::span<const ExporterTable> nodeTables() noexcept
{
    return kTables;
}

} // namespace plimsoll
