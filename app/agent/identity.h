// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/labels.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

/// Which job a process belongs to, by its own word.
struct JobIdentity
{
    std::string id;
    std::string kind; // "training", "inference"; empty = not said
    std::string model;
    std::string team;
    std::string experiment;

    friend bool operator==(const JobIdentity &, const JobIdentity &) = default;
};

/// Reads the variables PLIMSOLL_JOB_ID, …_MODEL_ID, …_TEAM, …_EXPERIMENT_ID and …_KIND out of an
/// environment (NUL between the entries). nullopt without a job id. What is not UTF-8 or too
/// long is made fit.
[[nodiscard]] std::optional<JobIdentity> identityOf(std::string_view environment);

/// The job's labels; what was not said is left out.
[[nodiscard]] Labels labelsOf(const JobIdentity &identity, const std::string &host);

/// Text of a foreign process as a label may hold it.
[[nodiscard]] std::string fitForLabel(std::string_view text);

} // namespace plimsoll
