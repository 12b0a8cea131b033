// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/identity.h"

#include "base/text.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMaxBytes = 256;
constexpr std::string_view kPrefix = "PLIMSOLL_";

} // namespace

std::string fitForLabel(std::string_view text)
{
    return isValidUtf8(text) ? elideMiddle(text, kMaxBytes) : safeText(text, kMaxBytes);
}

std::optional<JobIdentity> identityOf(std::string_view environment)
{
    // Nearly every process has none of ours: one search decides.
    if (environment.find("PLIMSOLL_JOB_ID=") == std::string_view::npos)
        return std::nullopt;
    JobIdentity identity;
    while (!environment.empty()) {
        const auto end = environment.find('\0');
        const auto entry = environment.substr(0, end);
        environment.remove_prefix(end == std::string_view::npos ? environment.size() : end + 1);
        const auto equals = entry.find('=');
        if (!entry.starts_with(kPrefix) || equals == std::string_view::npos)
            continue;
        const auto name = entry.substr(kPrefix.size(), equals - kPrefix.size());
        const auto value = entry.substr(equals + 1);
        if (name == "JOB_ID")
            identity.id = fitForLabel(value);
        else if (name == "MODEL_ID")
            identity.model = fitForLabel(value);
        else if (name == "TEAM")
            identity.team = fitForLabel(value);
        else if (name == "EXPERIMENT_ID")
            identity.experiment = fitForLabel(value);
        else if (name == "KIND" && (value == "training" || value == "inference"))
            identity.kind = value;
    }
    if (identity.id.empty())
        return std::nullopt;
    return identity;
}

Labels labelsOf(const JobIdentity &identity, const std::string &host)
{
    Labels labels{{std::string(label::kHost), host}, {std::string(label::kJob), identity.id}};
    const auto setIf = [&](std::string_view name, const std::string &value) {
        if (!value.empty())
            labels.set(name, value);
    };
    setIf(label::kJobKind, identity.kind);
    setIf(label::kModel, identity.model);
    setIf(label::kTeam, identity.team);
    setIf(label::kExperiment, identity.experiment);
    return labels;
}

} // namespace plimsoll
