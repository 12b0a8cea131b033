// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/pickle_census.h"
#include "formats/snapshot_file.h"
#include "snapshot/categories.h"
#include "snapshot/census.h"
#include "snapshot/leaks.h"
#include "snapshot/oom.h"
#include "snapshot/peaks.h"
#include "snapshot/replay.h"
#include "snapshot/size_classes.h"
#include "snapshot/stack_totals.h"
#include "snapshot/what_if.h"

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

/// What a person wants to know of a file.
struct SnapshotQuestion
{
    std::string file;
    std::optional<std::int32_t> device; // ordinal; nullopt: all
    enum class At : std::uint8_t { Peak, Oom, Event } at = At::Peak;
    std::size_t event = 0; // of At::Event: the state after this event of the device, from 0
    std::size_t top = 10;  // stacks, leaks
    bool json = false;
};

struct DeviceReport
{
    SnapshotDevice device;
    std::unique_ptr<Replay> replay;
    DeviceCensus census;
    EventInstant at = 0; // of which the figures below are
    std::int64_t level = 0; // requested bytes
    std::vector<StackTotal> holders;
    std::array<std::int64_t, kMemoryCategories> categories{};
    std::vector<SizeClass> sizeClasses;
    LeakReport leaks;
    std::vector<std::string> notes; // what to know before believing it
};

struct OomReport
{
    OomExplanation oom;
    Result<WhatIfReport> whatIf = failure(Error::Code::Unsupported, {});
};

struct SnapshotReport
{
    SnapshotQuestion question;
    std::unique_ptr<SnapshotFile> file; // stays where it is: the replays point into it
    std::optional<PickleCensus> opcodes; // of a pickle, when JSON is wanted
    FileCensus census;                   // of the devices asked for
    std::size_t deepestStack = 0;        // of the events
    std::vector<DeviceReport> devices;   // empty for a heap profile
    std::vector<OomReport> ooms;
    std::vector<std::string> notes; // on the whole file
};

/// Opens the file and answers. Errors: those of openSnapshotFile; BadInput where the question does
/// not fit the file (no such device, event or OOM).
[[nodiscard]] Result<SnapshotReport> report(const SnapshotQuestion &question, const SnapshotReading &reading);

/// One JSON document. Absent figures are null; integers are exact.
void printJson(const SnapshotReport &report, std::ostream &out);
/// For people. Foreign text made safe.
void printText(const SnapshotReport &report, std::ostream &out);

/// A call stack of a heap profile and what its main sample type (HeapProfile::mainSampleType) counts.
struct HeapHolder
{
    StackId stack = kNoStack;
    std::int64_t value = 0;
};
[[nodiscard]] std::vector<HeapHolder> heapHolders(const HeapProfile &heap); // the largest first

/// "train.py:41 step", safe to show; innermost first, at most `limit` of them, allocator frames left out.
[[nodiscard]] std::vector<std::string> framesOf(const StackTable &stacks, const TextTable &texts, StackId stack, std::size_t limit);

} // namespace plimsoll
