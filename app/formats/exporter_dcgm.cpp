// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_table.h"
#include "model/labels.h"

namespace plimsoll {
namespace {

constexpr std::array kLabels{
    LabelRule{"UUID", label::kGpu},
    LabelRule{"uuid", label::kGpu},
    LabelRule{"gpu_uuid", label::kGpu}, // NVLink series
    LabelRule{"gpu", label::kGpuIndex},
    LabelRule{"GPU_I_ID", label::kMigInstance},
    LabelRule{"GPU_I_PROFILE", label::kMigProfile},
    LabelRule{"modelName", label::kHardwareModel},
    LabelRule{"model_name", label::kHardwareModel},
    LabelRule{"pci_bus_id", label::kPciAddress},
    LabelRule{"Hostname", label::kHost},
    LabelRule{"hostname", label::kHost},
    LabelRule{"hpc_job", label::kJob},
    LabelRule{"pod", label::kPod},
    LabelRule{"pod_name", label::kPod},
    LabelRule{"namespace", label::kNamespace},
    LabelRule{"pod_namespace", label::kNamespace},
    LabelRule{"container", label::kContainer},
    LabelRule{"container_name", label::kContainer},
    LabelRule{"pod_uid", label::kPodUid},
    LabelRule{"err_code", label::kErrorCode},
    LabelRule{"xid", label::kErrorCode},
    LabelRule{"err_msg", ""},
    LabelRule{"device", ""}, // nvidia0: an index once more
};
// Fields of type `label` in the CSV: driver version, serial, …
constexpr std::array<std::string_view, 1> kPrefixes{"DCGM_FI_"};

constexpr Exporter kDcgm{.name = "dcgm-exporter",
                         .scope = MapScope::Gpu,
                         .labels = kLabels,
                         .droppedPrefixes = kPrefixes,
                         .hasSentinels = true};

constexpr double kMiB = 1048576;
constexpr double kLinkRate = 1024000; // KiB a second through a thousand
constexpr LabelRule kGeneral{label::kGpuTask, "general"};
constexpr LabelRule kNvlink{label::kGpuLink, "nvlink"};
constexpr LabelRule kPcie{label::kGpuLink, "pcie"};
constexpr LabelRule kTransmit{label::kDirection, "transmit"};
constexpr LabelRule kReceive{label::kDirection, "receive"};
constexpr LabelRule kXid{label::kErrorType, "xid"};

constexpr MapRow mebibytes(std::string_view source, std::string_view canonical)
{
    return {.source = source, .metric = canonical, .factor = kMiB, .unit = "MiB"};
}
constexpr MapRow percent(std::string_view source, std::string_view canonical, LabelRule added = {})
{
    return {.source = source, .metric = canonical, .factor = 0.01, .unit = "%", .added = {added}};
}
constexpr MapRow ratio(std::string_view source, std::string_view canonical)
{
    return {.source = source, .metric = canonical};
}
constexpr MapRow plain(std::string_view source, std::string_view canonical)
{
    return {.source = source, .metric = canonical};
}
constexpr MapRow sensor(std::string_view source, std::string_view where)
{
    return {.source = source, .metric = "hw.temperature", .added = {LabelRule{"hw.sensor_location", where}}};
}
constexpr MapRow clock(std::string_view source, std::string_view domain)
{
    return {.source = source,
            .metric = "hw.frequency",
            .factor = 1e6,
            .unit = "MHz",
            .added = {LabelRule{"hw.gpu.clock", domain}}};
}
// Averages since DCGM's previous read, whatever TYPE says: never to be differentiated.
constexpr MapRow averageRate(std::string_view source)
{
    return {.source = source, .metric = "hw.gpu.io.rate", .factor = kLinkRate, .unit = "1000 KiB/s", .added = {kNvlink}};
}
constexpr MapRow rate(std::string_view source, LabelRule link, LabelRule direction)
{
    return {.source = source, .metric = "hw.gpu.io.rate", .added = {link, direction}};
}
constexpr MapRow bytes(std::string_view source, LabelRule direction)
{
    return {.source = source, .metric = "hw.gpu.io", .added = {kNvlink, direction}};
}

constexpr std::string_view kBusUtilization = "hw.gpu.memory.bandwidth.utilization";
constexpr std::string_view kGraphics = "hw.gpu.profiling.graphics_active";
constexpr std::string_view kSm = "hw.gpu.profiling.sm_active";
constexpr std::string_view kOccupancy = "hw.gpu.profiling.sm_occupancy";
constexpr std::string_view kTensor = "hw.gpu.profiling.tensor_active";
constexpr std::string_view kDram = "hw.gpu.profiling.dram_active";

// Memory is MiB although the header says MB. The ratios of 4.6 still count to 100 where the
// old name did; profiling fields are 0…1 whatever their help says.
constexpr std::array kRows{
    mebibytes("DCGM_FI_DEV_FB_USED", metric::kGpuUsage),
    mebibytes("DCGM_FI_DEV_FB_FREE", metric::kGpuFree),
    mebibytes("DCGM_FI_DEV_FB_RESERVED", metric::kGpuReserved),
    mebibytes("DCGM_FI_DEV_FB_TOTAL", metric::kGpuLimit),
    mebibytes("dcgm_fb_used", metric::kGpuUsage),
    mebibytes("dcgm_fb_free", metric::kGpuFree),
    mebibytes("dcgm_fb_reserved", metric::kGpuReserved),
    mebibytes("dcgm_fb_total", metric::kGpuLimit),
    mebibytes("DCGM_FI_DEV_BAR1_USED", "hw.gpu.bar1.usage"),
    mebibytes("DCGM_FI_DEV_BAR1_FREE", "hw.gpu.bar1.free"),
    mebibytes("DCGM_FI_DEV_BAR1_TOTAL", "hw.gpu.bar1.limit"),

    percent("DCGM_FI_DEV_GPU_UTIL", metric::kGpuUtilization, kGeneral),
    percent("DCGM_FI_DEV_GPU_UTIL_RATIO", metric::kGpuUtilization, kGeneral),
    percent("dcgm_gpu_utilization", metric::kGpuUtilization, kGeneral),
    percent("DCGM_FI_DEV_MEM_COPY_UTIL", kBusUtilization),
    percent("DCGM_FI_DEV_MEM_COPY_UTIL_RATIO", kBusUtilization),
    percent("dcgm_mem_copy_utilization", kBusUtilization),

    plain("DCGM_FI_DEV_POWER_USAGE", "hw.power"),
    plain("DCGM_FI_DEV_BOARD_POWER_WATTS", "hw.power"),
    plain("dcgm_power_usage", "hw.power"),
    MapRow{.source = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", .metric = "hw.energy", .factor = 0.001, .unit = "mJ"},
    MapRow{.source = "dcgm_total_energy_consumption", .metric = "hw.energy", .factor = 0.001, .unit = "mJ"},

    sensor("DCGM_FI_DEV_GPU_TEMP", "gpu"),
    sensor("DCGM_FI_DEV_GPU_TEMP_CELSIUS", "gpu"),
    sensor("dcgm_gpu_temp", "gpu"),
    sensor("DCGM_FI_DEV_MEMORY_TEMP", "memory"),
    sensor("DCGM_FI_DEV_MEMORY_TEMP_CELSIUS", "memory"),
    sensor("dcgm_memory_temp", "memory"),
    clock("DCGM_FI_DEV_SM_CLOCK", "sm"),
    clock("dcgm_sm_clock", "sm"),
    clock("DCGM_FI_DEV_MEM_CLOCK", "memory"),
    clock("dcgm_memory_clock", "memory"),

    // A count within a sliding window, which falls again.
    MapRow{.source = "DCGM_EXP_XID_ERRORS_COUNT", .metric = "hw.errors", .added = {kXid}, .kind = MetricKind::Gauge},

    averageRate("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"),
    averageRate("DCGM_FI_DEV_NVLINK_THROUGHPUT_TOTAL"),
    averageRate("dcgm_nvlink_bandwidth_total"),
    bytes("DCGM_FI_DEV_NVLINK_COUNT_TX_BYTES", kTransmit),
    bytes("DCGM_FI_DEV_NVLINK_COUNT_RX_BYTES", kReceive),
    bytes("DCGM_FI_DEV_NVLINK_TX_BYTES_TOTAL", kTransmit),
    bytes("DCGM_FI_DEV_NVLINK_RX_BYTES_TOTAL", kReceive),
    rate("DCGM_FI_PROF_NVLINK_TX_BYTES", kNvlink, kTransmit),
    rate("DCGM_FI_PROF_NVLINK_RX_BYTES", kNvlink, kReceive),
    rate("DCGM_FI_PROF_PCIE_TX_BYTES", kPcie, kTransmit),
    rate("DCGM_FI_PROF_PCIE_RX_BYTES", kPcie, kReceive),
    rate("dcgm_fi_prof_pcie_tx_bytes", kPcie, kTransmit),
    rate("dcgm_fi_prof_pcie_rx_bytes", kPcie, kReceive),

    ratio("DCGM_FI_PROF_GR_ENGINE_ACTIVE", kGraphics),
    ratio("DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO", kGraphics),
    ratio("DCGM_FI_DEV_GR_ENGINE_UTIL_RATIO", kGraphics),
    ratio("dcgm_fi_prof_gr_engine_active", kGraphics),
    ratio("DCGM_FI_PROF_SM_ACTIVE", kSm),
    ratio("DCGM_FI_PROF_SM_UTIL_RATIO", kSm),
    ratio("DCGM_FI_DEV_SM_UTIL_RATIO", kSm),
    ratio("dcgm_fi_prof_sm_active", kSm),
    ratio("DCGM_FI_PROF_SM_OCCUPANCY", kOccupancy),
    ratio("DCGM_FI_PROF_SM_OCCUPANCY_RATIO", kOccupancy),
    ratio("DCGM_FI_DEV_SM_OCCUPANCY_RATIO", kOccupancy),
    ratio("dcgm_fi_prof_sm_occupancy", kOccupancy),
    ratio("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", kTensor),
    ratio("DCGM_FI_PROF_TENSOR_UTIL_RATIO", kTensor),
    ratio("DCGM_FI_DEV_TENSOR_UTIL_RATIO", kTensor),
    ratio("dcgm_fi_prof_pipe_tensor_active", kTensor),
    ratio("DCGM_FI_PROF_DRAM_ACTIVE", kDram),
    ratio("DCGM_FI_PROF_DRAM_UTIL_RATIO", kDram),
    ratio("DCGM_FI_DEV_DRAM_UTIL_RATIO", kDram),
    ratio("dcgm_fi_prof_dram_active", kDram),
};

constexpr std::array kTables{ExporterTable{&kDcgm, kRows}};

} // namespace

std::span<const ExporterTable> dcgmTables() noexcept
{
    return kTables;
}

} // namespace plimsoll
