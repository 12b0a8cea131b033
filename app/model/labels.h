// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll {

/// A sorted set of name and value; what makes a series the one it is.
/// Values are kept as they came (any bytes); views pass them through safeText.
class Labels
{
public:
    using Pair = std::pair<std::string, std::string>;

    Labels() = default;
    Labels(std::initializer_list<Pair> pairs);
    explicit Labels(std::vector<Pair> pairs); // any order; of equal names the last wins

    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
    [[nodiscard]] std::string_view value(std::string_view name) const noexcept; // empty when absent
    void set(std::string_view name, std::string_view value);
    void remove(std::string_view name);

    [[nodiscard]] bool isEmpty() const noexcept { return m_pairs.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return m_pairs.size(); }
    [[nodiscard]] auto begin() const noexcept { return m_pairs.begin(); }
    [[nodiscard]] auto end() const noexcept { return m_pairs.end(); }

    /// One text form for one set: `a="x",b="y"` with \\, \" and \n escaped. decode(encode(x)) == x.
    [[nodiscard]] std::string encode() const;
    [[nodiscard]] static Result<Labels> decode(std::string_view text);

    friend bool operator==(const Labels &, const Labels &) = default;
    friend auto operator<=>(const Labels &, const Labels &) = default;

private:
    std::vector<Pair> m_pairs;
};

/// Canonical label names (the join keys).
namespace label {
inline constexpr std::string_view kHost = "host.name";
inline constexpr std::string_view kGpu = "hw.id"; // the UUID, never the index
inline constexpr std::string_view kGpuIndex = "gpu.index";
inline constexpr std::string_view kMigInstance = "gpu.mig.gi";
inline constexpr std::string_view kMigProfile = "gpu.mig.profile";
inline constexpr std::string_view kHardwareModel = "hw.model";
inline constexpr std::string_view kPciAddress = "pci.bdf";
inline constexpr std::string_view kJob = "job.id";
inline constexpr std::string_view kJobKind = "job.kind"; // training, inference
inline constexpr std::string_view kModel = "model.id";
inline constexpr std::string_view kTeam = "team";
inline constexpr std::string_view kExperiment = "experiment.id";
inline constexpr std::string_view kProject = "project";
inline constexpr std::string_view kPid = "process.pid";
inline constexpr std::string_view kProcessName = "process.name";
inline constexpr std::string_view kCgroup = "cgroup.path";
inline constexpr std::string_view kNamespace = "k8s.namespace.name";
inline constexpr std::string_view kPod = "k8s.pod.name";
inline constexpr std::string_view kPodUid = "k8s.pod.uid";
inline constexpr std::string_view kContainer = "k8s.container.name";
inline constexpr std::string_view kRank = "rank";
inline constexpr std::string_view kMemoryState = "system.memory.state";
inline constexpr std::string_view kPagingState = "system.paging.state";
inline constexpr std::string_view kScrape = "scrape.url"; // the endpoint a foreign series came from
} // namespace label

} // namespace plimsoll
