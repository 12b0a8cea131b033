// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/model_check.h"

#include "base/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace plimsoll {
namespace {

constexpr std::size_t kLookEvery = 256; // requests between two looks at the stop token: some are slow
constexpr double kBelievable = 0.02;
constexpr std::size_t kBins = 10'001; // of a hundredth of a per cent; the last holds all that is worse

/// Differences by size, so that the 98th of 100 needs no list of all.
class Differences
{
public:
    void add(double share)
    {
        ++m_count;
        m_exact += share == 0 ? 1 : 0;
        m_worst = std::max(m_worst, share);
        const auto bin = std::min(std::ceil(share * (kBins - 1)), static_cast<double>(kBins - 1));
        ++m_bins[static_cast<std::size_t>(bin)];
    }
    [[nodiscard]] std::size_t count() const noexcept { return m_count; }
    [[nodiscard]] double worst() const noexcept { return m_worst; }
    [[nodiscard]] double exactShare() const noexcept
    {
        return m_count == 0 ? 0 : static_cast<double>(m_exact) / static_cast<double>(m_count);
    }
    [[nodiscard]] double within(double part) const
    {
        const auto wanted = part * static_cast<double>(m_count);
        std::size_t seen = 0;
        for (std::size_t bin = 0; bin < kBins; ++bin) {
            seen += m_bins[bin];
            if (static_cast<double>(seen) >= wanted)
                return bin + 1 == kBins ? m_worst : std::min(m_worst, static_cast<double>(bin) / (kBins - 1));
        }
        return m_worst;
    }

private:
    std::array<std::uint32_t, kBins> m_bins {};
    std::size_t m_count = 0;
    std::size_t m_exact = 0;
    double m_worst = 0;
};

std::string percent(double share)
{
    char text[32];
    const auto length = std::snprintf(text, sizeof text, share < 0.1 ? "%.2g" : "%.3g", share * 100);
    return std::string(text, static_cast<std::size_t>(std::max(length, 0))) + " %";
}

bool isGain(TraceAction action) noexcept
{
    return action == TraceAction::SegmentAlloc || action == TraceAction::SegmentMap;
}

bool isLoss(TraceAction action) noexcept
{
    return action == TraceAction::SegmentFree || action == TraceAction::SegmentUnmap;
}

class Check
{
public:
    Check(const Replay &replay, const AllocatorRequests &requests, const AllocatorSettings &settings)
        : m_replay(replay), m_requests(requests), m_events(replay.snapshot().events),
          m_first(replay.device().firstEvent), m_model(modelAtStart(requests, settings.options)),
          m_recorded(requests.reservedAtStart), m_collectsGarbage(settings.options.garbageCollectionThreshold > 0)
    {
        m_out.areSettingsKnown = settings.isKnown;
        m_out.isEstimate = requests.hasPrehistory;
        m_out.hasSegmentEvents = requests.hasSegmentEvents;
        m_out.ooms = requests.ooms;
        m_out.startLost = requests.lostAtStart;
        for (const auto &block : requests.startBlocks)
            m_out.startLost += m_model.isLive(block.id) ? 0 : 1;
        m_out.recordedPeak = m_recorded;
        m_model.onSegmentChange([this](const SegmentChange &change) {
            auto &sum = m_out.predicted;
            (change.isGain ? sum.gains : sum.losses) += 1;
            (change.isGain ? sum.gainedBytes : sum.lostBytes) += change.range.size;
        });
    }

    Result<ModelAgreement> run(const std::stop_token &stop, const ProgressSink &progress)
    {
        const auto count = m_requests.requests.size();
        int said = -1;
        for (std::size_t r = 0; r < count; ++r) {
            if (r % kLookEvery == 0) {
                if (stop.stop_requested())
                    return failure(Error::Code::Cancelled, "cancelled while checking the allocator model");
                const auto perMille = static_cast<int>(r * 1000 / count);
                if (progress && perMille != said)
                    progress({said = perMille, std::nullopt});
            }
            const auto &request = m_requests.requests[r];
            record(request.event);
            answer(request);
            // Several requests of one event count once.
            if (r + 1 == count || m_requests.requests[r + 1].event != request.event)
                compare(request);
        }
        record(m_replay.device().eventCount);
        m_out.comparedEvents = m_differences.count();
        m_out.worstShare = m_differences.worst();
        m_out.shareAt98 = m_differences.within(0.98);
        m_out.exactShare = m_differences.exactShare();
        m_out.finalDifference = static_cast<std::int64_t>(m_model.reserved() - m_recorded);
        m_out.modelPeak = m_model.peakReserved();
        return m_out;
    }

private:
    // What was recorded before event `until`.
    void record(std::size_t until)
    {
        for (; m_next < until; ++m_next) {
            const auto row = m_first + m_next;
            const auto action = m_events.action[row];
            const auto size = m_events.sizes[row];
            if (size == kUnknownBytes)
                continue;
            auto &sum = m_out.recorded;
            if (isGain(action)) {
                m_recorded += size;
                ++sum.gains;
                sum.gainedBytes += size;
                m_out.recordedPeak = std::max(m_out.recordedPeak, m_recorded);
            } else if (isLoss(action)) {
                m_recorded -= std::min(size, m_recorded);
                ++sum.losses;
                sum.lostBytes += size;
            }
        }
    }

    void answer(const AllocatorRequest &request)
    {
        switch (request.kind) {
        case RequestKind::Allocate: {
            const auto row = m_first + request.event;
            m_hints.read(request, m_replay);
            RequestHints hints {request.driver, m_hints.gained, {}};
            if (m_collectsGarbage) // of what is allowed, which decides about it, the file says nothing
                hints.released = m_hints.lost;
            const auto placed = m_model.allocate(request.id, m_events.sizes[row], request.pool, hints);
            ++m_out.comparedPlaces;
            m_out.equalPlaces += placed.isPlaced && placed.address == m_events.address[row] ? 1 : 0;
            m_out.refusals += placed.isPlaced ? 0 : 1;
            break;
        }
        case RequestKind::RequestFree: m_model.requestFree(request.id); break;
        case RequestKind::CompleteFree: m_model.completeFree(request.id); break;
        case RequestKind::EmptyCache: m_model.emptyCache(); break;
        case RequestKind::ReleasePool: m_model.releasePool(request.pool); break;
        case RequestKind::OutOfMemory: {
            const auto id = static_cast<RequestId>(m_replay.size()); // no allocation has it
            const auto placed =
                m_model.allocate(id, m_events.sizes[m_first + request.event], request.pool, {request.driver, {}, {}});
            m_out.oomsAgreed += placed.isPlaced ? 0 : 1;
            m_model.completeFree(id);
            break;
        }
        }
    }

    void compare(const AllocatorRequest &request)
    {
        record(request.event + 1);
        const auto modelled = static_cast<double>(m_model.reserved());
        const auto recorded = static_cast<double>(m_recorded);
        m_differences.add(modelled == recorded ? 0 : std::abs(modelled - recorded) / std::max(recorded, 1.0));
    }

    const Replay &m_replay;
    const AllocatorRequests &m_requests;
    const EventColumns &m_events;
    std::size_t m_first;
    AllocatorModel m_model;
    std::uint64_t m_recorded;
    std::size_t m_next = 0;
    RecordedHints m_hints;
    bool m_collectsGarbage;
    Differences m_differences;
    ModelAgreement m_out;
};

} // namespace

void RecordedHints::read(const AllocatorRequest &request, const Replay &replay)
{
    gained.clear();
    lost.clear();
    const auto &events = replay.snapshot().events;
    const auto row = replay.device().firstEvent + request.event;
    for (auto before = row - request.segmentEvents; before < row; ++before) {
        if (isGain(events.action[before]))
            gained.push_back({events.address[before], events.sizes[before]});
        else if (isLoss(events.action[before]))
            lost.push_back({events.address[before], events.sizes[before]});
    }
}

bool ModelAgreement::isBelievable() const noexcept
{
    return comparedEvents > 0 && shareAt98 <= kBelievable && refusals * 1000 <= comparedPlaces && oomsAgreed == ooms;
}

std::string ModelAgreement::describe() const
{
    if (comparedEvents == 0)
        return "Our model of the allocator could not be compared: the trace has no allocation.";
    std::string text = "Our model of the allocator agrees with the record within " + percent(shareAt98)
        + " of reserved memory at 98 % of " + formatExact(static_cast<std::int64_t>(comparedEvents)) + " events";
    if (exactShare == 1)
        text = "Our model of the allocator agrees with the record to the byte at all "
            + formatExact(static_cast<std::int64_t>(comparedEvents)) + " events";
    else
        text += " (worst " + percent(worstShare) + ", equal at " + percent(exactShare) + ")";
    text += "; "
        + percent(static_cast<double>(equalPlaces) / static_cast<double>(std::max<std::size_t>(comparedPlaces, 1)))
        + " of the allocations came to the recorded address.";
    if (!hasSegmentEvents)
        text += " The trace has no segment event, so only what was cached could be compared.";
    if (isEstimate)
        text += " The trace begins with memory in use: what lay where before is partly an estimate.";
    if (!areSettingsKnown)
        text += " The file does not say the allocator's settings; PyTorch's defaults were taken.";
    if (ooms != oomsAgreed)
        text += " At " + std::to_string(ooms - oomsAgreed) + " of " + std::to_string(ooms)
            + " out-of-memory events the model had room.";
    return text;
}

Result<ModelAgreement> checkModel(const Replay &replay, const AllocatorRequests &requests,
                                  const AllocatorSettings &settings, std::stop_token stop, const ProgressSink &progress)
{
    return Check(replay, requests, settings).run(stop, progress);
}

Result<ModelAgreement> checkModel(const Replay &replay, std::stop_token stop, const ProgressSink &progress)
{
    const auto settings = allocatorSettingsOf(replay.snapshot());
    const auto requests = allocatorRequestsOf(replay, settings.options, stop);
    if (!requests)
        return tl::make_unexpected(requests.error());
    return checkModel(replay, *requests, settings, stop, progress);
}

} // namespace plimsoll
