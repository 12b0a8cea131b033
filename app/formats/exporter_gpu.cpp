// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_table.h"
#include "model/labels.h"

namespace plimsoll {
namespace {

constexpr LabelRule kGeneral{label::kGpuTask, "general"};
constexpr LabelRule kNvlink{label::kGpuLink, "nvlink"};
constexpr LabelRule kXid{label::kErrorType, "xid"};
constexpr LabelRule kCore{"hw.sensor_location", "gpu"};
constexpr LabelRule kMemory{"hw.sensor_location", "memory"};

// nvidia_gpu_exporter: what nvidia-smi prints, in base units already. Of a MIG slice the
// uuid is its parent's.
constexpr std::array kSmiLabels{
    LabelRule{"uuid", label::kGpu},
    LabelRule{"gpu_instance_id", label::kMigInstance},
    LabelRule{"profile", label::kMigProfile},
    LabelRule{"mig_profile", label::kMigProfile},
    LabelRule{"name", label::kHardwareModel},
    LabelRule{"index", label::kGpuIndex},
    LabelRule{"pci_bus_id", label::kPciAddress},
    LabelRule{"pid", label::kPid},
    LabelRule{"process_name", label::kProcessName},
    LabelRule{"xid", label::kErrorCode},
    LabelRule{"hostname", label::kHost},
};
constexpr Exporter kSmi{
    .name = "nvidia_gpu_exporter", .scope = MapScope::Gpu, .labels = kSmiLabels, .idPrefix = "GPU-"};

constexpr std::array kSmiRows{
    MapRow{.source = "nvidia_smi_memory_used_bytes", .metric = metric::kGpuUsage},
    MapRow{.source = "nvidia_smi_memory_total_bytes", .metric = metric::kGpuLimit},
    MapRow{.source = "nvidia_smi_memory_free_bytes", .metric = metric::kGpuFree},
    MapRow{.source = "nvidia_smi_memory_reserved_bytes", .metric = metric::kGpuReserved},
    MapRow{.source = "nvidia_smi_mig_memory_used_bytes", .metric = metric::kGpuUsage},
    MapRow{.source = "nvidia_smi_mig_memory_total_bytes", .metric = metric::kGpuLimit},
    MapRow{.source = "nvidia_smi_mig_memory_free_bytes", .metric = metric::kGpuFree},
    MapRow{.source = "nvidia_smi_mig_memory_reserved_bytes", .metric = metric::kGpuReserved},
    MapRow{.source = "nvidia_smi_mig_graphics_activity_ratio", .metric = "hw.gpu.profiling.graphics_active"},
    MapRow{.source = "nvidia_smi_mig_sm_activity_ratio", .metric = "hw.gpu.profiling.sm_active"},
    MapRow{.source = "nvidia_smi_mig_sm_occupancy_ratio", .metric = "hw.gpu.profiling.sm_occupancy"},
    MapRow{.source = "nvidia_smi_mig_tensor_activity_ratio", .metric = "hw.gpu.profiling.tensor_active"},
    MapRow{.source = "nvidia_smi_utilization_gpu_ratio", .metric = metric::kGpuUtilization, .added = {kGeneral}},
    MapRow{.source = "nvidia_smi_utilization_memory_ratio", .metric = "hw.gpu.memory.bandwidth.utilization"},
    MapRow{.source = "nvidia_smi_power_draw_watts", .metric = "hw.power"},
    MapRow{.source = "nvidia_smi_energy_joules_total", .metric = "hw.energy"},
    MapRow{.source = "nvidia_smi_temperature_gpu", .metric = "hw.temperature", .added = {kCore}},
    MapRow{.source = "nvidia_smi_temperature_memory", .metric = "hw.temperature", .added = {kMemory}},
    MapRow{.source = "nvidia_smi_compute_app_used_memory_bytes", .metric = metric::kProcessGpu},
    MapRow{.source = "nvidia_smi_xid_errors_total", .metric = "hw.errors", .added = {kXid}},
};

// The small exporter of the Slurm clusters (mindprince, plazonic) and the names people give
// to their own: bytes, percent, milliwatts.
constexpr std::array kPlazonicLabels{
    LabelRule{"uuid", label::kGpu},
    LabelRule{"UUID", label::kGpu},
    LabelRule{"gpu_uuid", label::kGpu},
    LabelRule{"minor_number", label::kGpuIndex},
    LabelRule{"gpu", label::kGpuIndex},
    LabelRule{"ordinal", ""},
    LabelRule{"name", label::kHardwareModel},
    LabelRule{"GPU_I_ID", label::kMigInstance},
    LabelRule{"jobid", label::kJob},
    LabelRule{"job_id", label::kJob},
    LabelRule{"hostname", label::kHost},
    LabelRule{"node", label::kHost},
};
constexpr Exporter kPlazonic{
    .name = "nvidia_gpu_prometheus_exporter", .scope = MapScope::Gpu, .labels = kPlazonicLabels, .idPrefix = "GPU-"};

constexpr std::array kPlazonicRows{
    MapRow{.source = "nvidia_gpu_memory_used_bytes", .metric = metric::kGpuUsage},
    MapRow{.source = "nvidia_gpu_memory_total_bytes", .metric = metric::kGpuLimit},
    MapRow{.source = "nvidia_gpu_duty_cycle", .metric = metric::kGpuUtilization, .factor = 0.01, .unit = "%", .added = {kGeneral}},
    MapRow{.source = "nvidia_gpu_utilization_percent",
           .metric = metric::kGpuUtilization,
           .factor = 0.01,
           .unit = "%",
           .added = {kGeneral}},
    MapRow{.source = "nvidia_gpu_power_usage_milliwatts", .metric = "hw.power", .factor = 0.001, .unit = "mW"},
    MapRow{.source = "nvidia_gpu_temperature_celsius", .metric = "hw.temperature", .added = {kCore}},
    MapRow{.source = "nvlink_peer_memory_transfer_bytes", .metric = "hw.gpu.io", .added = {kNvlink}},
};

// Triton multiplies DCGM's MiB itself; its energy counts from the server's start.
constexpr std::array kTritonLabels{LabelRule{"gpu_uuid", label::kGpu}};
constexpr Exporter kTriton{.name = "Triton", .scope = MapScope::Gpu, .labels = kTritonLabels, .idPrefix = "GPU-"};

constexpr std::array kTritonRows{
    MapRow{.source = "nv_gpu_memory_used_bytes", .metric = metric::kGpuUsage},
    MapRow{.source = "nv_gpu_memory_total_bytes", .metric = metric::kGpuLimit},
    MapRow{.source = "nv_gpu_utilization", .metric = metric::kGpuUtilization, .added = {kGeneral}},
    MapRow{.source = "nv_gpu_power_usage", .metric = "hw.power"},
    MapRow{.source = "nv_energy_consumption", .metric = "hw.energy"},
};

// AMD. Its memory is left unmapped: "MB" there is documented and not verified to be 10^6 or
// 2^20, and a guess would be wrong by five percent.
constexpr std::array kAmdLabels{
    LabelRule{"gpu_uuid", label::kGpu},
    LabelRule{"GPU_UUID", label::kGpu},
    LabelRule{"gpu_id", label::kGpuIndex},
    LabelRule{"GPU_ID", label::kGpuIndex},
    LabelRule{"serial_number", ""},
    LabelRule{"SERIAL_NUMBER", ""},
    LabelRule{"card_model", label::kHardwareModel},
    LabelRule{"card_series", ""},
    LabelRule{"card_vendor", ""},
    LabelRule{"driver_version", ""},
    LabelRule{"vbios_version", ""},
    LabelRule{"hostname", label::kHost},
    LabelRule{"job_id", label::kJob},
    LabelRule{"pod", label::kPod},
    LabelRule{"namespace", label::kNamespace},
    LabelRule{"container", label::kContainer},
};
constexpr Exporter kAmd{.name = "device-metrics-exporter", .scope = MapScope::Gpu, .labels = kAmdLabels};

constexpr std::array kAmdRows{
    MapRow{.source = "gpu_gfx_activity", .metric = metric::kGpuUtilization, .factor = 0.01, .unit = "%", .added = {kGeneral}},
    MapRow{.source = "gpu_umc_activity", .metric = "hw.gpu.memory.bandwidth.utilization", .factor = 0.01, .unit = "%"},
    MapRow{.source = "gpu_package_power", .metric = "hw.power"},
    MapRow{.source = "gpu_average_package_power", .metric = "hw.power"},
    MapRow{.source = "gpu_energy_consumed", .metric = "hw.energy", .factor = 1e-6, .unit = "uJ"},
};

constexpr std::array kIntelLabels{
    LabelRule{"uuid", label::kGpu},
    LabelRule{"dev_name", label::kHardwareModel},
    LabelRule{"pci_bdf", label::kPciAddress},
    LabelRule{"dev_file", ""},
    LabelRule{"vendor", ""},
    LabelRule{"pci_dev", ""},
    LabelRule{"src", ""},
};
constexpr Exporter kIntel{.name = "xpum", .scope = MapScope::Gpu, .labels = kIntelLabels};

constexpr std::array kIntelRows{
    MapRow{.source = "xpum_memory_used_bytes", .metric = metric::kGpuUsage},
    MapRow{.source = "xpum_power_watts", .metric = "hw.power"},
    MapRow{.source = "xpum_energy_joules", .metric = "hw.energy"},
};

constexpr std::array kTables{
    ExporterTable{&kSmi, kSmiRows},     ExporterTable{&kPlazonic, kPlazonicRows},
    ExporterTable{&kTriton, kTritonRows}, ExporterTable{&kAmd, kAmdRows},
    ExporterTable{&kIntel, kIntelRows},
};

} // namespace

std::span<const ExporterTable> gpuTables() noexcept
{
    return kTables;
}

} // namespace plimsoll
