// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_table.h"
#include "model/labels.h"

namespace plimsoll {
namespace {

// kubelet names the pod; a stand-alone cAdvisor only the cgroup and what labels Docker kept.
constexpr std::array kCadvisorLabels{
    LabelRule{"namespace", label::kNamespace},
    LabelRule{"pod", label::kPod},
    LabelRule{"pod_name", label::kPod}, // before 1.16
    LabelRule{"container", label::kContainer},
    LabelRule{"container_name", label::kContainer},
    LabelRule{"id", label::kCgroup},
    LabelRule{"name", label::kContainerName},
    LabelRule{"image", ""},
    LabelRule{"node", label::kHost},
    LabelRule{"kubernetes_io_hostname", label::kHost},
    LabelRule{"container_label_io_kubernetes_pod_name", label::kPod},
    LabelRule{"container_label_io_kubernetes_pod_namespace", label::kNamespace},
    LabelRule{"container_label_io_kubernetes_pod_uid", label::kPodUid},
    LabelRule{"container_label_io_kubernetes_container_name", label::kContainer},
};
constexpr std::array<std::string_view, 2> kCadvisorPrefixes{"container_label_", "container_env_"};
constexpr Exporter kCadvisor{.name = "cAdvisor",
                             .scope = MapScope::Container,
                             .labels = kCadvisorLabels,
                             .droppedPrefixes = kCadvisorPrefixes};

constexpr std::array kCadvisorRows{
    MapRow{.source = "container_memory_usage_bytes", .metric = metric::kContainerUsage},
    MapRow{.source = "container_memory_working_set_bytes", .metric = metric::kContainerWorkingSet},
    MapRow{.source = "container_memory_rss", .metric = metric::kContainerRss},
    MapRow{.source = "container_memory_cache", .metric = "container.memory.cache"},
    MapRow{.source = "container_memory_mapped_file", .metric = "container.memory.mapped_file"},
    MapRow{.source = "container_memory_swap", .metric = metric::kContainerSwap},
    MapRow{.source = "container_memory_max_usage_bytes", .metric = metric::kContainerPeak, .isZeroAbsent = true},
    MapRow{.source = "container_memory_failcnt", .metric = metric::kContainerLimitHits},
    // The successor on cgroup v2, where failcnt is always 0; beside it, so that neither hides the other.
    MapRow{.source = "container_memory_events_max_total",
           .metric = metric::kContainerLimitHits,
           .added = {LabelRule{"container.memory.event", "max"}}},
    MapRow{.source = "container_memory_events_high_total",
           .metric = metric::kContainerLimitHits,
           .added = {LabelRule{"container.memory.event", "high"}}},
    MapRow{.source = "container_oom_events_total", .metric = metric::kContainerOomKills},
    MapRow{.source = "container_spec_memory_limit_bytes", .metric = metric::kContainerLimit, .isZeroAbsent = true},
    MapRow{.source = "container_pressure_memory_waiting_seconds_total", .metric = "container.memory.pressure.some"},
    MapRow{.source = "container_pressure_memory_stalled_seconds_total", .metric = "container.memory.pressure.full"},
};

// CEEMS: a Slurm job is a "compute unit", and `uuid` its number.
constexpr std::array kCeemsLabels{
    LabelRule{"uuid", label::kJob},
    LabelRule{"hostname", label::kHost},
    LabelRule{"cgrouphostname", ""},
    LabelRule{"manager", ""},
};
constexpr Exporter kCeems{.name = "CEEMS exporter", .scope = MapScope::Container, .labels = kCeemsLabels};

constexpr std::array kCeemsRows{
    MapRow{.source = "ceems_compute_unit_memory_used_bytes", .metric = metric::kContainerUsage},
    MapRow{.source = "ceems_compute_unit_memory_rss_bytes", .metric = metric::kContainerRss},
    MapRow{.source = "ceems_compute_unit_memory_cache_bytes", .metric = "container.memory.cache"},
    MapRow{.source = "ceems_compute_unit_memory_total_bytes", .metric = metric::kContainerLimit, .isZeroAbsent = true},
    MapRow{.source = "ceems_compute_unit_memory_fail_count", .metric = metric::kContainerLimitHits},
};

// kube-state-metrics: what the cluster wants and remembers.
constexpr std::array kKubeLabels{
    LabelRule{"namespace", label::kNamespace},
    LabelRule{"pod", label::kPod},
    LabelRule{"uid", label::kPodUid},
    LabelRule{"container", label::kContainer},
    LabelRule{"node", label::kHost},
    LabelRule{"deployment", "k8s.deployment.name"},
    LabelRule{"horizontalpodautoscaler", "k8s.hpa.name"},
    LabelRule{"hpa", "k8s.hpa.name"},
    LabelRule{"resource", ""},
    LabelRule{"unit", ""},
};
constexpr Exporter kKube{
    .name = "kube-state-metrics", .scope = MapScope::Container, .labels = kKubeLabels, .speaksOfOthers = true};

constexpr LabelRule kMemory{"resource", "memory"};
constexpr std::array kKubeRows{
    MapRow{.source = "kube_pod_container_resource_limits", .metric = "k8s.container.memory.limit.desired", .wanted = kMemory},
    MapRow{.source = "kube_pod_container_resource_limits_memory_bytes", .metric = "k8s.container.memory.limit.desired"},
    MapRow{.source = "kube_pod_container_resource_requests",
           .metric = "k8s.container.memory.request.desired",
           .wanted = kMemory},
    MapRow{.source = "kube_pod_container_status_restarts_total", .metric = "k8s.container.restart.count"},
    MapRow{.source = "kube_pod_container_status_last_terminated_reason", .metric = "k8s.container.status.reason"},
    MapRow{.source = "kube_deployment_spec_replicas", .metric = "k8s.deployment.pod.desired"},
    MapRow{.source = "kube_deployment_status_replicas_available", .metric = "k8s.deployment.pod.available"},
    MapRow{.source = "kube_horizontalpodautoscaler_spec_min_replicas", .metric = "k8s.hpa.pod.min"},
    MapRow{.source = "kube_horizontalpodautoscaler_spec_max_replicas", .metric = "k8s.hpa.pod.max"},
    MapRow{.source = "kube_horizontalpodautoscaler_status_current_replicas", .metric = "k8s.hpa.pod.current"},
    MapRow{.source = "kube_horizontalpodautoscaler_status_desired_replicas", .metric = "k8s.hpa.pod.desired"},
};

constexpr std::array kTables{
    ExporterTable{&kCadvisor, kCadvisorRows},
    ExporterTable{&kCeems, kCeemsRows},
    ExporterTable{&kKube, kKubeRows},
};

} // namespace

std::span<const ExporterTable> containerTables() noexcept
{
    return kTables;
}

} // namespace plimsoll
