// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace plimsoll {

enum class MetricKind : std::uint8_t { Unknown, Gauge, Counter, Histogram, State };

[[nodiscard]] std::string_view toString(MetricKind kind) noexcept; // "gauge", "counter", …

/// A quantity we know: OpenTelemetry style name, UCUM unit, what it is.
struct MetricInfo
{
    std::string_view name;
    std::string_view unit;
    MetricKind kind;
    std::string_view title; // for people, English, sentence case
};

/// The catalogue, sorted by name.
[[nodiscard]] std::span<const MetricInfo> metricCatalogue() noexcept;
[[nodiscard]] const MetricInfo *findMetric(std::string_view canonicalName) noexcept; // nullptr when unmapped

namespace metric {
inline constexpr std::string_view kHostLimit = "system.memory.limit";
inline constexpr std::string_view kHostAvailable = "system.memory.linux.available";
inline constexpr std::string_view kHostUsage = "system.memory.usage"; // label system.memory.state
inline constexpr std::string_view kHostPagingLimit = "system.paging.limit";
inline constexpr std::string_view kHostPagingUsage = "system.paging.usage"; // label system.paging.state
inline constexpr std::string_view kHostPagingOperations = "system.paging.operations";
inline constexpr std::string_view kHostPagingFaults = "system.paging.faults";
inline constexpr std::string_view kHostOomKills = "system.memory.oom_kills";
inline constexpr std::string_view kPressureSome = "system.memory.pressure.some";
inline constexpr std::string_view kPressureFull = "system.memory.pressure.full";
inline constexpr std::string_view kProcessRss = "process.memory.usage";
inline constexpr std::string_view kProcessPss = "process.memory.pss";
inline constexpr std::string_view kProcessSwap = "process.memory.swap";
inline constexpr std::string_view kProcessGpu = "process.gpu.memory.usage";
inline constexpr std::string_view kJobRss = "plimsoll.job.memory.rss";   // sum over the job's processes
inline constexpr std::string_view kJobPss = "plimsoll.job.memory.pss";
inline constexpr std::string_view kJobSwap = "plimsoll.job.memory.swap";
inline constexpr std::string_view kJobProcesses = "plimsoll.job.processes";
inline constexpr std::string_view kContainerUsage = "container.memory.usage";
inline constexpr std::string_view kContainerWorkingSet = "container.memory.working_set";
inline constexpr std::string_view kContainerRss = "container.memory.rss";
inline constexpr std::string_view kContainerPeak = "container.memory.peak";
inline constexpr std::string_view kContainerLimit = "container.memory.limit";
inline constexpr std::string_view kContainerSwap = "container.memory.swap";
inline constexpr std::string_view kContainerLimitHits = "container.memory.limit_hits";
inline constexpr std::string_view kContainerOomKills = "container.memory.oom_kills";
inline constexpr std::string_view kGpuLimit = "hw.gpu.memory.limit";
inline constexpr std::string_view kGpuUsage = "hw.gpu.memory.usage";
inline constexpr std::string_view kGpuReserved = "hw.gpu.memory.reserved";
inline constexpr std::string_view kGpuFree = "hw.gpu.memory.free";
inline constexpr std::string_view kGpuUtilization = "hw.gpu.utilization";
inline constexpr std::string_view kTorchReserved = "ml.torch.memory.reserved";
inline constexpr std::string_view kTorchAllocated = "ml.torch.memory.allocated";
inline constexpr std::string_view kStepPeak = "ml.training.step.memory.peak";
inline constexpr std::string_view kAgentRss = "plimsoll.agent.memory.usage";
inline constexpr std::string_view kAgentCpu = "plimsoll.agent.cpu.time";
} // namespace metric

} // namespace plimsoll
