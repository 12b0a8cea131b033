// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_table.h"
#include "model/labels.h"

namespace plimsoll {
namespace {

constexpr std::string_view kKvCache = "ml.inference.kv_cache.utilization";
constexpr std::string_view kRequests = "ml.inference.requests";

constexpr std::array kServerLabels{
    LabelRule{"model_name", label::kModel},
    LabelRule{"model", label::kModel},
    LabelRule{"engine", label::kEngine},
    LabelRule{"pid", ""}, // one process of several knows the value, the others say zero
};

constexpr LabelRule requestState(std::string_view state) { return {label::kRequestState, state}; }
constexpr LabelRule kPrefixCache{label::kCache, "prefix"};

constexpr Exporter kVllm{.name = "vLLM", .labels = kServerLabels, .foldsByMaximum = true};

// "perc" counts to 1.
constexpr std::array kVllmRows{
    MapRow{.source = "vllm:kv_cache_usage_perc", .metric = kKvCache},
    MapRow{.source = "vllm:gpu_cache_usage_perc", .metric = kKvCache},
    MapRow{.source = "vllm:cpu_cache_usage_perc", .metric = kKvCache, .added = {LabelRule{"ml.cache.tier", "cpu"}}},
    MapRow{.source = "vllm:num_requests_running", .metric = kRequests, .added = {requestState("running")}},
    MapRow{.source = "vllm:num_requests_waiting", .metric = kRequests, .added = {requestState("waiting")}},
    MapRow{.source = "vllm:num_requests_swapped", .metric = kRequests, .added = {requestState("swapped")}},
    MapRow{.source = "vllm:prefix_cache_queries_total", .metric = "ml.cache.lookups", .added = {kPrefixCache}},
    MapRow{.source = "vllm:prefix_cache_hits_total", .metric = "ml.cache.hits", .added = {kPrefixCache}},
    MapRow{.source = "vllm:gpu_prefix_cache_queries_total", .metric = "ml.cache.lookups", .added = {kPrefixCache}},
    MapRow{.source = "vllm:gpu_prefix_cache_hits_total", .metric = "ml.cache.hits", .added = {kPrefixCache}},
    MapRow{.source = "vllm:gpu_prefix_cache_hit_rate", .metric = "ml.cache.hit_ratio", .added = {kPrefixCache}},
};

constexpr Exporter kSglang{.name = "SGLang", .labels = kServerLabels, .foldsByMaximum = true};

constexpr std::array kSglangRows{
    MapRow{.source = "sglang:token_usage", .metric = kKvCache},
    MapRow{.source = "sglang:cache_hit_rate", .metric = "ml.cache.hit_ratio", .added = {kPrefixCache}},
    MapRow{.source = "sglang:num_running_reqs", .metric = kRequests, .added = {requestState("running")}},
    MapRow{.source = "sglang:num_queue_reqs", .metric = kRequests, .added = {requestState("waiting")}},
};

constexpr Exporter kTensorRt{.name = "TensorRT-LLM", .labels = kServerLabels, .foldsByMaximum = true};

constexpr std::array kTensorRtRows{
    MapRow{.source = "trtllm_kv_cache_utilization", .metric = kKvCache},
    MapRow{.source = "trtllm_kv_cache_hit_rate", .metric = "ml.cache.hit_ratio", .added = {kPrefixCache}},
};

constexpr Exporter kTriton{.name = "Triton", .labels = kServerLabels};
constexpr LabelRule kResponseCache{label::kCache, "response"};

constexpr std::array kTritonRows{
    MapRow{.source = "nv_cache_num_hits_per_model", .metric = "ml.cache.hits", .added = {kResponseCache}},
    MapRow{.source = "nv_inference_pending_request_count", .metric = kRequests, .added = {requestState("waiting")}},
};

constexpr Exporter kTgi{.name = "TGI", .labels = kServerLabels};

constexpr std::array kTgiRows{
    MapRow{.source = "tgi_queue_size", .metric = kRequests, .added = {requestState("waiting")}},
    MapRow{.source = "tgi_batch_current_size", .metric = kRequests, .added = {requestState("running")}},
};

constexpr std::array kTables{
    ExporterTable{&kVllm, kVllmRows},     ExporterTable{&kSglang, kSglangRows}, ExporterTable{&kTensorRt, kTensorRtRows},
    ExporterTable{&kTriton, kTritonRows}, ExporterTable{&kTgi, kTgiRows},
};

} // namespace

std::span<const ExporterTable> inferenceTables() noexcept
{
    return kTables;
}

} // namespace plimsoll
