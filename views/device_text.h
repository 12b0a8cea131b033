// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet.h"

#include <QString>

#include <optional>

namespace plimsoll {

[[nodiscard]] QString deviceTitle(const DeviceState &device); // "node-17/gpu3", "node-08 host"
[[nodiscard]] QString bytesText(std::optional<Bytes> bytes);  // "71.2 GiB", "–"
[[nodiscard]] QString bytesText(double bytes);
[[nodiscard]] QString percentText(std::optional<double> ratio); // "98.9 %", "–"
[[nodiscard]] QString jobKindText(JobKind kind);             // "training", "–"
/// What runs there, in a few words: a name, "a +2", "idle".
[[nodiscard]] QString jobsText(const NodeState &node, const Fleet &fleet);
/// Four lines for a tool tip; plain text.
[[nodiscard]] QString deviceTip(const DeviceState &device, Freshness freshness, Instant now);

[[nodiscard]] const DeviceState *findDevice(const Fleet &fleet, const std::string &id);
[[nodiscard]] const NodeState *findNode(const Fleet &fleet, const std::string &name);
[[nodiscard]] const JobState *findJob(const Fleet &fleet, const std::string &id);
/// The running jobs on a device, else (a host) on its node.
[[nodiscard]] std::vector<const JobState *> jobsOn(const Fleet &fleet, const DeviceState &device);

} // namespace plimsoll
