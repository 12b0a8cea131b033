// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/what_if.h"

#include "base/format.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::size_t kLookEvery = 256; // requests between two looks at the stop token: some are slow
constexpr std::uint64_t kMiB64 = 1U << 20U;

std::string bytes(std::uint64_t value) { return formatBytes(static_cast<double>(value)).text(); }

/// All runs together, in parts per mille.
class Ticker
{
public:
    Ticker(std::stop_token stop, const ProgressSink &sink, std::size_t runs)
        : m_stop(std::move(stop)), m_sink(sink), m_runs(runs)
    { }

    [[nodiscard]] bool goesOn(std::size_t done, std::size_t all)
    {
        const auto perMille = static_cast<int>((m_run * 1000 + done * 1000 / std::max<std::size_t>(all, 1)) / m_runs);
        if (m_sink && perMille > m_said)
            m_sink({m_said = perMille, std::nullopt});
        return !m_stop.stop_requested();
    }
    void nextRun() { ++m_run; }

private:
    std::stop_token m_stop;
    const ProgressSink &m_sink;
    std::size_t m_runs;
    std::size_t m_run = 0;
    int m_said = -1;
};

enum class Beginning { AsRecorded, LaidOutAnew };

class Run
{
public:
    Run(const Replay &replay, const AllocatorRequests &requests, const OomExplanation &oom, const WhatIfReport &report)
        : m_replay(replay), m_requests(requests), m_oom(oom), m_report(report)
    { }

    std::optional<WhatIfAnswer> operator()(const WhatIfVariant &variant, Beginning beginning, Ticker &ticker)
    {
        WhatIfAnswer answer;
        answer.variant = variant;
        // Others may have held less of the card before: what was reserved then was there.
        const auto before = std::max(m_report.capacity, m_report.recordedPeak);
        const ModelCard card {before, before};
        auto model = beginning == Beginning::AsRecorded ? modelAtStart(m_requests, variant.options, card)
                                                        : layOutAnew(variant.options, card);
        const auto &events = m_replay.snapshot().events;
        const auto first = m_replay.device().firstEvent;
        const auto nobody = static_cast<RequestId>(m_replay.size());
        RecordedHints hints;
        const auto &all = m_requests.requests;
        for (std::size_t r = 0; r < all.size() && all[r].event < m_oom.event; ++r) {
            if (r % kLookEvery == 0 && !ticker.goesOn(r, all.size()))
                return std::nullopt;
            const auto &request = all[r];
            switch (request.kind) {
            case RequestKind::Allocate:
                hints.read(request, m_replay);
                if (!model
                         .allocate(request.id, events.sizes[first + request.event], request.pool,
                                   {DriverAnswer::Unknown, hints.gained, {}})
                         .isPlaced) {
                    answer.failedEarlierAt = request.event;
                    notePeaks(answer, model);
                    return answer;
                }
                break;
            case RequestKind::RequestFree: model.requestFree(request.id); break;
            case RequestKind::CompleteFree: model.completeFree(request.id); break;
            case RequestKind::EmptyCache: model.emptyCache(); break;
            case RequestKind::ReleasePool: model.releasePool(request.pool); break;
            case RequestKind::OutOfMemory: // survived: the program went on without it
                if (model.allocate(nobody, events.sizes[first + request.event], request.pool).isPlaced)
                    model.completeFree(nobody);
                break;
            }
        }
        if (variant.emptiesCacheBefore)
            model.emptyCache();
        model.setCapacity(m_report.capacity);
        notePeaks(answer, model);
        answer.reservedAtRequest = model.reserved();
        const auto pool = model.pool(m_oom.pool);
        answer.largestFreeAtRequest = model.largestFree(pool, m_oom.isSmall);
        answer.fits = model.allocate(nobody, m_oom.asked, pool).isPlaced;
        if (answer.fits)
            answer.reservedAfter = model.reserved();
        return answer;
    }

private:
    // What was there before the trace, placed by the variant from nothing.
    [[nodiscard]] AllocatorModel layOutAnew(const AllocatorOptions &options, const ModelCard &card) const
    {
        AllocatorModel model(options, card);
        for (const auto &key : m_requests.pools)
            (void)model.pool(key);
        for (const auto &segment : m_requests.startSegments)
            for (std::size_t b = 0; b < segment.blockCount; ++b) {
                const auto id = m_requests.startBlocks[segment.firstBlock + b].id;
                model.allocate(id, m_replay.sizes()[id], segment.pool);
            }
        return model;
    }

    static void notePeaks(WhatIfAnswer &answer, const AllocatorModel &model)
    {
        answer.peakReserved = model.peakReserved();
        answer.peakActive = model.peakActive();
    }

    const Replay &m_replay;
    const AllocatorRequests &m_requests;
    const OomExplanation &m_oom;
    const WhatIfReport &m_report;
};

std::uint64_t recordedPeakBefore(const Replay &replay, const AllocatorRequests &requests, std::size_t event)
{
    const auto &events = replay.snapshot().events;
    auto reserved = requests.reservedAtStart;
    auto peak = reserved;
    for (std::size_t i = 0; i < event; ++i) {
        const auto row = replay.device().firstEvent + i;
        const auto action = events.action[row];
        if (action < TraceAction::SegmentAlloc || action > TraceAction::SegmentUnmap
            || events.sizes[row] == kUnknownBytes)
            continue;
        if (action == TraceAction::SegmentAlloc || action == TraceAction::SegmentMap)
            reserved += events.sizes[row];
        else
            reserved -= std::min(reserved, events.sizes[row]);
        peak = std::max(peak, reserved);
    }
    return peak;
}

tl::unexpected<Error> cancelled()
{
    return failure(Error::Code::Cancelled, "cancelled while trying other allocator settings");
}

} // namespace

std::vector<WhatIfVariant> usualVariants(const AllocatorOptions &own)
{
    std::vector<WhatIfVariant> variants;
    const auto add = [&](std::string name, auto change) {
        WhatIfVariant variant {std::move(name), own, false};
        change(variant.options);
        if (variant.options != own)
            variants.push_back(std::move(variant));
    };
    if (own.expandableSegments)
        add("expandable_segments:False", [](auto &o) { o.expandableSegments = false; });
    else
        add("expandable_segments:True", [](auto &o) { o.expandableSegments = true; });
    for (const std::uint64_t mebibytes : {32U, 128U, 512U})
        add("max_split_size_mb:" + std::to_string(mebibytes), [&](auto &o) { o.maxSplitSize = mebibytes * kMiB64; });
    if (own.maxSplitSize != AllocatorOptions::kNoLimit)
        add("no max_split_size_mb", [](auto &o) { o.maxSplitSize = AllocatorOptions::kNoLimit; });
    for (const auto &[threshold, text] : {std::pair(0.6, "0.6"), std::pair(0.8, "0.8")})
        add(std::string("garbage_collection_threshold:") + text + " with set_per_process_memory_fraction(1.0)",
            [value = threshold](auto &o) { // clang 14 captures no structured binding
                o.garbageCollectionThreshold = value; // without a fraction it does nothing
                o.memoryFraction = 1;
            });
    for (const std::uint32_t divisions : {4U, 8U})
        add("roundup_power2_divisions:" + std::to_string(divisions),
            [&](auto &o) { o.roundupDivisions.fill(divisions); });
    if (std::any_of(own.roundupDivisions.begin(), own.roundupDivisions.end(), [](auto d) { return d > 1; }))
        add("no roundup_power2_divisions", [](auto &o) { o.roundupDivisions.fill(0); });
    variants.push_back({"torch.cuda.empty_cache() right before", own, true});
    return variants;
}

Result<WhatIfGround> whatIfGround(const Replay &replay, std::stop_token stop)
{
    WhatIfGround ground;
    ground.settings = allocatorSettingsOf(replay.snapshot());
    auto requests = allocatorRequestsOf(replay, ground.settings.options, stop);
    if (!requests)
        return tl::make_unexpected(requests.error());
    ground.requests = std::move(*requests);
    auto agreement = checkModel(replay, ground.requests, ground.settings, std::move(stop));
    if (!agreement)
        return tl::make_unexpected(agreement.error());
    ground.agreement = std::move(*agreement);
    return ground;
}

Result<WhatIfReport> whatIf(const Replay &replay, const WhatIfGround &ground, const OomExplanation &oom,
                            const std::vector<WhatIfVariant> &variants, std::stop_token stop,
                            const ProgressSink &progress)
{
    const auto row = replay.device().firstEvent + oom.event;
    if (oom.event >= replay.device().eventCount || replay.snapshot().events.action[row] != TraceAction::Oom)
        return failure(Error::Code::BadInput,
                       "there is no out-of-memory event " + std::to_string(oom.event) + " on this device");
    if (!oom.deviceFree || !oom.reserved)
        return failure(
            Error::Code::BadInput,
            "the file does not say how much was free on the card or reserved, so nothing can be tried against it");
    const auto &[settings, requests, agreement] = ground;
    WhatIfReport report;
    report.event = oom.event;
    report.asked = oom.asked;
    report.capacity = saturatedSum(*oom.deviceFree, *oom.reserved);
    report.recordedPeak = recordedPeakBefore(replay, requests, oom.event);
    report.agreement = agreement;
    Ticker ticker(stop, progress, variants.size() + 1);
    Run run(replay, requests, oom, report);
    auto baseline = run({"as it was", settings.options, false}, Beginning::AsRecorded, ticker);
    if (!baseline)
        return cancelled();
    report.baseline = std::move(*baseline);
    report.isBelievable = report.agreement.isBelievable() && !report.baseline.fits && !report.baseline.failedEarlierAt;
    for (const auto &variant : variants) {
        ticker.nextRun();
        auto answer = run(variant, Beginning::AsRecorded, ticker);
        if (!answer)
            return cancelled();
        if (variant.options.expandableSegments && !settings.options.expandableSegments
            && !requests.startBlocks.empty()) {
            const auto anew = run(variant, Beginning::LaidOutAnew, ticker);
            if (!anew)
                return cancelled();
            answer->fitsIfLaidOutAnew = anew->fits;
        }
        report.answers.push_back(std::move(*answer));
    }
    return report;
}

Result<WhatIfReport> whatIf(const Replay &replay, const OomExplanation &oom, const std::vector<WhatIfVariant> &variants,
                            std::stop_token stop, const ProgressSink &progress)
{
    const auto ground = whatIfGround(replay, stop);
    if (!ground)
        return tl::make_unexpected(ground.error());
    return whatIf(replay, *ground, oom, variants, std::move(stop), progress);
}

Result<WhatIfReport> whatIf(const Replay &replay, const OomExplanation &oom, std::stop_token stop,
                            const ProgressSink &progress)
{
    return whatIf(replay, oom, usualVariants(allocatorSettingsOf(replay.snapshot()).options), std::move(stop),
                  progress);
}

std::string describe(const WhatIfAnswer &answer, const WhatIfReport &report)
{
    std::string text = "With " + answer.variant.name;
    if (answer.failedEarlierAt)
        return text + " the program would have run out of memory earlier, at event "
            + formatExact(static_cast<std::int64_t>(*answer.failedEarlierAt)) + ".";
    text += answer.fits ? " this request fits" : " this request does not fit either";
    if (!answer.fits && answer.fitsIfLaidOutAnew.value_or(false))
        text += " while what was there before the recording lies where it was; laid out anew it would";
    text += "; peak reserved before it " + bytes(report.baseline.peakReserved) + " → " + bytes(answer.peakReserved);
    return text + (report.isBelievable ? "." : " (by a model that does not agree well enough to be believed).");
}

std::string describeBelief(const WhatIfReport &report)
{
    std::string text = report.agreement.describe();
    if (report.baseline.fits)
        return text
            + " Yet with the file's own settings the model finds room for the request that failed, so its answers are "
              "not to be believed.";
    if (report.baseline.failedEarlierAt)
        return text
            + " Yet with the file's own settings the model fails earlier than the program did, so its answers are not "
              "to be believed.";
    if (!report.agreement.isBelievable())
        return text + " That is too far away to believe its answers.";
    return text + " With the file's own settings it fails where the program did, so its answers can be believed.";
}

} // namespace plimsoll
