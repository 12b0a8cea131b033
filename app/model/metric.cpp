// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/metric.h"

#include <algorithm>
#include <array>

namespace plimsoll {
namespace {

constexpr auto kGauge = MetricKind::Gauge;
constexpr auto kCounter = MetricKind::Counter;

// Sorted by name (a test holds it to that): findMetric searches by halves.
constexpr std::array kCatalogue{
    MetricInfo{"container.memory.cache", "By", kGauge, "Page cache of the container"},
    MetricInfo{"container.memory.limit", "By", kGauge, "Memory limit of the container"},
    MetricInfo{"container.memory.limit_hits", "{hit}", kCounter, "Times the limit was reached"},
    MetricInfo{"container.memory.mapped_file", "By", kGauge, "Mapped files of the container"},
    MetricInfo{"container.memory.oom_kills", "{kill}", kCounter, "OOM kills in the container"},
    MetricInfo{"container.memory.peak", "By", kGauge, "Highest usage of the container"},
    MetricInfo{"container.memory.pressure.full", "s", kCounter, "Time all tasks of the container stalled on memory"},
    MetricInfo{"container.memory.pressure.some", "s", kCounter, "Time some task of the container stalled on memory"},
    MetricInfo{"container.memory.rss", "By", kGauge, "Anonymous memory of the container"},
    MetricInfo{"container.memory.swap", "By", kGauge, "Swap of the container"},
    MetricInfo{"container.memory.usage", "By", kGauge, "Usage of the container, page cache included"},
    MetricInfo{"container.memory.working_set", "By", kGauge, "Working set of the container"},
    MetricInfo{"cost.cpu.price", "USD/s", kGauge, "Price of a processor core"},
    MetricInfo{"cost.gpu.price", "USD/s", kGauge, "Price of a GPU"},
    MetricInfo{"cost.gpu.time", "s", kCounter, "GPU time"},
    MetricInfo{"cost.job.rate", "USD/s", kGauge, "Cost of the job"},
    MetricInfo{"cost.project.month.budget", "USD", kGauge, "Budget of the month"},
    MetricInfo{"cost.project.month.forecast", "USD", kGauge, "Forecast of the month"},
    MetricInfo{"cost.spot.reclaims", "{reclaim}", kCounter, "Spot machines taken back"},
    MetricInfo{"hw.energy", "J", kCounter, "Energy"},
    MetricInfo{"hw.errors", "{error}", kCounter, "Driver errors"},
    MetricInfo{"hw.frequency", "Hz", kGauge, "Clock"},
    MetricInfo{"hw.gpu.bar1.free", "By", kGauge, "BAR1 window free"},
    MetricInfo{"hw.gpu.bar1.limit", "By", kGauge, "BAR1 window"},
    MetricInfo{"hw.gpu.bar1.usage", "By", kGauge, "BAR1 window used"},
    MetricInfo{"hw.gpu.io", "By", kCounter, "Bytes over the link"},
    MetricInfo{"hw.gpu.io.rate", "By/s", kGauge, "Rate over the link"},
    MetricInfo{"hw.gpu.memory.bandwidth.utilization", "1", kGauge, "Time the GPU memory was accessed"},
    MetricInfo{"hw.gpu.memory.free", "By", kGauge, "GPU memory free"},
    MetricInfo{"hw.gpu.memory.limit", "By", kGauge, "GPU memory"},
    MetricInfo{"hw.gpu.memory.reserved", "By", kGauge, "GPU memory reserved by the driver"},
    MetricInfo{"hw.gpu.memory.usage", "By", kGauge, "GPU memory used"},
    MetricInfo{"hw.gpu.profiling.dram_active", "1", kGauge, "DRAM active"},
    MetricInfo{"hw.gpu.profiling.graphics_active", "1", kGauge, "Graphics engine active"},
    MetricInfo{"hw.gpu.profiling.sm_active", "1", kGauge, "SM active"},
    MetricInfo{"hw.gpu.profiling.sm_occupancy", "1", kGauge, "SM occupancy"},
    MetricInfo{"hw.gpu.profiling.tensor_active", "1", kGauge, "Tensor cores active"},
    MetricInfo{"hw.gpu.utilization", "1", kGauge, "GPU busy"},
    MetricInfo{"hw.power", "W", kGauge, "Power"},
    MetricInfo{"hw.temperature", "Cel", kGauge, "Temperature"},
    MetricInfo{"k8s.container.memory.limit.desired", "By", kGauge, "Memory limit asked for"},
    MetricInfo{"k8s.container.memory.request.desired", "By", kGauge, "Memory asked for"},
    MetricInfo{"k8s.container.restart.count", "{restart}", kCounter, "Restarts of the container"},
    MetricInfo{"k8s.container.status.reason", "{container}", MetricKind::State, "Why the container last ended"},
    MetricInfo{"k8s.deployment.pod.available", "{pod}", kGauge, "Replicas available"},
    MetricInfo{"k8s.deployment.pod.desired", "{pod}", kGauge, "Replicas wanted"},
    MetricInfo{"k8s.hpa.pod.current", "{pod}", kGauge, "Replicas now"},
    MetricInfo{"k8s.hpa.pod.desired", "{pod}", kGauge, "Replicas the autoscaler wants"},
    MetricInfo{"k8s.hpa.pod.max", "{pod}", kGauge, "Most replicas allowed"},
    MetricInfo{"k8s.hpa.pod.min", "{pod}", kGauge, "Fewest replicas allowed"},
    MetricInfo{"ml.cache.hit_ratio", "1", kGauge, "Cache hits over lookups"},
    MetricInfo{"ml.cache.hits", "{hit}", kCounter, "Cache hits"},
    MetricInfo{"ml.cache.lookups", "{lookup}", kCounter, "Cache lookups"},
    MetricInfo{"ml.cache.memory.usage", "By", kGauge, "Memory of the cache"},
    MetricInfo{"ml.data_loader.queue.size", "{batch}", kGauge, "Batches waiting"},
    MetricInfo{"ml.data_loader.workers", "{worker}", kGauge, "Data loader workers"},
    MetricInfo{"ml.inference.kv_cache.utilization", "1", kGauge, "KV cache in use"},
    MetricInfo{"ml.inference.requests", "{request}", kGauge, "Requests in the server"},
    MetricInfo{"ml.shard.memory.usage", "By", kGauge, "Memory of the shard"},
    MetricInfo{"ml.torch.memory.allocated", "By", kGauge, "Allocated by torch"},
    MetricInfo{"ml.torch.memory.fragmentation", "1", kGauge, "Reserved over allocated"},
    MetricInfo{"ml.torch.memory.reserved", "By", kGauge, "Reserved by torch"},
    MetricInfo{"ml.training.activation_checkpointing", "1", MetricKind::State, "Activation checkpointing"},
    MetricInfo{"ml.training.batch.size", "{sample}", kGauge, "Batch size"},
    MetricInfo{"ml.training.step.memory.peak", "By", kGauge, "Peak of the step"},
    MetricInfo{"plimsoll.agent.cpu.time", "s", kCounter, "CPU time of the agent"},
    MetricInfo{"plimsoll.agent.memory.usage", "By", kGauge, "Resident memory of the agent"},
    MetricInfo{"plimsoll.job.memory.pss", "By", kGauge, "Proportional memory of the job's processes"},
    MetricInfo{"plimsoll.job.memory.rss", "By", kGauge, "Resident memory of the job's processes"},
    MetricInfo{"plimsoll.job.memory.swap", "By", kGauge, "Swap of the job's processes"},
    MetricInfo{"plimsoll.job.processes", "{process}", kGauge, "Processes of the job"},
    MetricInfo{"process.gpu.memory.usage", "By", kGauge, "GPU memory of the process"},
    MetricInfo{"process.memory.pss", "By", kGauge, "Proportional memory of the process"},
    MetricInfo{"process.memory.swap", "By", kGauge, "Swap of the process"},
    MetricInfo{"process.memory.usage", "By", kGauge, "Resident memory of the process"},
    MetricInfo{"system.memory.limit", "By", kGauge, "Host memory"},
    MetricInfo{"system.memory.linux.available", "By", kGauge, "Host memory available"},
    MetricInfo{"system.memory.oom_kills", "{kill}", kCounter, "OOM kills on the host"},
    MetricInfo{"system.memory.pressure.full", "s", kCounter, "Time all tasks stalled on memory"},
    MetricInfo{"system.memory.pressure.some", "s", kCounter, "Time some task stalled on memory"},
    MetricInfo{"system.memory.usage", "By", kGauge, "Host memory by state"},
    MetricInfo{"system.paging.faults", "{fault}", kCounter, "Major page faults"},
    MetricInfo{"system.paging.limit", "By", kGauge, "Swap space"},
    MetricInfo{"system.paging.operations", "{operation}", kCounter, "Pages swapped"},
    MetricInfo{"system.paging.usage", "By", kGauge, "Swap space by state"},
};

} // namespace

std::string_view toString(MetricKind kind) noexcept
{
    switch (kind) {
    case MetricKind::Gauge: return "gauge";
    case MetricKind::Counter: return "counter";
    case MetricKind::Histogram: return "histogram";
    case MetricKind::State: return "state";
    case MetricKind::Unknown: break;
    }
    return "unknown";
}

std::span<const MetricInfo> metricCatalogue() noexcept
{
    return kCatalogue;
}

const MetricInfo *findMetric(std::string_view canonicalName) noexcept
{
    const auto at = std::lower_bound(kCatalogue.begin(), kCatalogue.end(), canonicalName,
                                     [](const MetricInfo &info, std::string_view name) { return info.name < name; });
    return at != kCatalogue.end() && at->name == canonicalName ? &*at : nullptr;
}

} // namespace plimsoll
