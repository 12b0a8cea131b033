// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_table.h"
#include "model/labels.h"

namespace plimsoll {
namespace {

constexpr std::array kJobLabels{
    LabelRule{"job_id", label::kJob},
    LabelRule{"model_id", label::kModel},
    LabelRule{"team", label::kTeam},
    LabelRule{"experiment_id", label::kExperiment},
    LabelRule{"project", label::kProject},
    LabelRule{"rank", label::kRank},
    LabelRule{"device", label::kGpuIndex},
    LabelRule{"gpu_uuid", label::kGpu},
    LabelRule{"uuid", label::kGpu},
    LabelRule{"kind", label::kShardKind},
    LabelRule{"hostname", label::kHost},
    LabelRule{"node", label::kHost},
};
constexpr Exporter kTraining{.name = "job", .labels = kJobLabels};

constexpr LabelRule kEmbeddings{label::kCache, "embeddings"};
constexpr LabelRule kEmbeddingStore{label::kCache, "embedding_store"};

// What jobs say about themselves. `job_cost_seconds_rate` has no row: its name does not tell
// dollars a second from dollars an hour.
constexpr std::array kTrainingRows{
    MapRow{.source = "training_gpu_allocated_bytes", .metric = metric::kTorchAllocated},
    MapRow{.source = "training_gpu_reserved_bytes", .metric = metric::kTorchReserved},
    MapRow{.source = "gpu_memory_fragmentation_ratio", .metric = "ml.torch.memory.fragmentation"},
    MapRow{.source = "training_step_memory_peak_bytes", .metric = metric::kStepPeak},
    MapRow{.source = "batch_size_effective", .metric = "ml.training.batch.size"},
    MapRow{.source = "activation_checkpointing_enabled", .metric = "ml.training.activation_checkpointing"},
    MapRow{.source = "data_loader_worker_count", .metric = "ml.data_loader.workers"},
    MapRow{.source = "data_loader_iterator_queue_size", .metric = "ml.data_loader.queue.size"},
    MapRow{.source = "model_shard_memory_bytes", .metric = "ml.shard.memory.usage"},
    MapRow{.source = "inference_embeddings_cache_hit_ratio", .metric = "ml.cache.hit_ratio", .added = {kEmbeddings}},
    MapRow{.source = "embedding_store_memory_bytes", .metric = "ml.cache.memory.usage", .added = {kEmbeddingStore}},
    MapRow{.source = "gpu_hours_consumed", .metric = "cost.gpu.time", .factor = 3600, .unit = "h"},
    MapRow{.source = "spot_instance_reclaim_count", .metric = "cost.spot.reclaims"},
    MapRow{.source = "job_cost_dollars_per_second", .metric = "cost.job.rate"},
    MapRow{.source = "project_monthly_spend_forecast", .metric = "cost.project.month.forecast"},
    MapRow{.source = "project_monthly_budget", .metric = "cost.project.month.budget"},
    MapRow{.source = "project_monthly_budget_dollars", .metric = "cost.project.month.budget"},
};

// The process behind the endpoint, by every client library. One an endpoint.
constexpr Exporter kProcess{.name = "client library", .labels = kJobLabels};
constexpr std::array kProcessRows{MapRow{.source = "process_resident_memory_bytes", .metric = metric::kProcessRss}};

constexpr std::array kOpenCostLabels{
    LabelRule{"node", label::kHost},
    LabelRule{"provider_id", ""},
};
constexpr Exporter kOpenCost{.name = "OpenCost", .scope = MapScope::Host, .labels = kOpenCostLabels};

constexpr std::array kOpenCostRows{
    MapRow{.source = "node_gpu_hourly_cost", .metric = "cost.gpu.price", .factor = 1.0 / 3600, .unit = "USD/h"},
    MapRow{.source = "node_cpu_hourly_cost", .metric = "cost.cpu.price", .factor = 1.0 / 3600, .unit = "USD/h"},
};

constexpr std::array kTables{
    ExporterTable{&kTraining, kTrainingRows},
    ExporterTable{&kProcess, kProcessRows},
    ExporterTable{&kOpenCost, kOpenCostRows},
};

} // namespace

std::span<const ExporterTable> jobTables() noexcept
{
    return kTables;
}

} // namespace plimsoll
