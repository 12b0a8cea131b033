// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/buckets.h"
#include "history/chunk.h"
#include "history/gaps.h"
#include "history/reader.h"
#include "history/records.h"
#include "history/snapshot.h"

#include <algorithm>

namespace plimsoll {
namespace {

// One series of the question.
struct Part
{
    std::shared_ptr<const SeriesRow> row;
    Duration width{};
    TimeRange read; // a little more than was asked for: whole buckets, and what tells a gap at the edges
    BucketBuilder builder{Duration::zero()};
    HeadSamples head;
};

struct Samples
{
    std::vector<std::int64_t> times;
    std::vector<double> values;
};

std::int64_t nanosAtLeast0(Instant t) { return std::max<std::int64_t>(0, toUnixNanos(t)); }

TimeRange widened(TimeRange range, Duration width, Duration interval)
{
    const Duration edge = std::clamp<Duration>(4 * std::min<Duration>(interval, std::chrono::hours(1)),
                                               std::chrono::milliseconds(1), std::chrono::hours(1));
    range = {range.begin - edge, range.end + edge};
    if (width > Duration::zero())
        range = {bucketBegin(range.begin, width), bucketBegin(range.end - Duration(1), width) + width};
    return range;
}

// Chunk and head of one period: rising, the head's are newer.
Samples merged(Samples chunk, const HeadSamples &head, std::int64_t begin, std::int64_t end)
{
    const auto first = std::lower_bound(head.times.begin(), head.times.end(), begin) - head.times.begin();
    const auto last = std::lower_bound(head.times.begin(), head.times.end(), end) - head.times.begin();
    if (first == last)
        return chunk;
    Samples out;
    auto h = static_cast<std::size_t>(first);
    for (std::size_t c = 0; c < chunk.times.size() || h < static_cast<std::size_t>(last);) {
        const bool hasHead = h < static_cast<std::size_t>(last);
        const bool hasChunk = c < chunk.times.size();
        if (hasHead && (!hasChunk || head.times[h] <= chunk.times[c])) {
            c += hasChunk && head.times[h] == chunk.times[c] ? 1 : 0;
            out.times.push_back(head.times[h]);
            out.values.push_back(head.values[h++]);
        } else {
            out.times.push_back(chunk.times[c]);
            out.values.push_back(chunk.values[c++]);
        }
    }
    return out;
}

Result<Samples> columnSamples(const ChunkView &view, const std::vector<std::int64_t> &times, std::size_t ordinal,
                              std::int64_t begin, std::int64_t end)
{
    Samples samples;
    if (view.isAbsent(ordinal))
        return samples;
    const auto values = view.column(ordinal);
    if (!values)
        return tl::make_unexpected(values.error());
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i] < begin || times[i] >= end || isAbsent((*values)[i]))
            continue;
        samples.times.push_back(times[i]);
        samples.values.push_back((*values)[i]);
    }
    return samples;
}

class Slicer
{
public:
    Slicer(Store &store, TimeRange range, int pixels, const std::stop_token &stop)
        : m_store(store), m_range(range), m_pixels(pixels), m_stop(stop)
    {
    }

    Result<std::vector<SeriesSlice>> run(std::span<const SeriesId> series);

private:
    Result<void> plan(std::span<const SeriesId> series);
    Result<void> readRaw(Database *database, GroupId group, std::span<const std::size_t> members);
    Result<void> readPeriod(Database *database, GroupId group, const Period &period,
                            std::span<const std::size_t> members);
    std::vector<SeriesSlice> finish();

    Store &m_store;
    const TimeRange m_range;
    const int m_pixels;
    const std::stop_token &m_stop;
    std::vector<Part> m_parts;
    std::vector<HeadWish> m_wishes;
    std::map<std::uint32_t, std::vector<std::size_t>> m_byGroup;
    std::map<std::uint32_t, std::vector<Event>> m_events; // by agent
};

auto cancelled() { return failure(Error::Code::Cancelled, {}); }

Result<void> Slicer::plan(std::span<const SeriesId> series)
{
    const auto rows = m_store.table.rows();
    m_parts.resize(series.size());
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (series[i].value >= rows->size() || !(*rows)[series[i].value])
            return failure(Error::Code::BadInput, "slice: no series " + std::to_string(series[i].value));
        auto &part = m_parts[i];
        part.row = (*rows)[series[i].value];
        part.width = bucketWidth(m_range, m_pixels, part.row->info.interval);
        part.read = widened(m_range, part.width, part.row->info.interval);
        part.builder = BucketBuilder(part.width);
        m_wishes.push_back({part.row->group, part.row->ordinal, toUnixNanos(part.read.begin),
                            toUnixNanos(part.read.end)});
        m_byGroup[part.row->group.value].push_back(i);
        m_events.try_emplace(part.row->agent.value);
    }
    return {};
}

Result<std::vector<SeriesSlice>> Slicer::run(std::span<const SeriesId> series)
{
    if (auto planned = plan(series); !planned)
        return tl::make_unexpected(planned.error());
    Snapshot snapshot(m_store, m_wishes, m_stop);
    if (snapshot.isCancelled())
        return cancelled();
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        m_parts[i].head = snapshot.heads()[i];
    for (const auto &[group, members] : m_byGroup) {
        if (auto done = readRaw(snapshot.database(), {group}, members); !done)
            return tl::make_unexpected(done.error());
    }
    if (snapshot.database() != nullptr) {
        const Database::Interruptible guard(*snapshot.database(), m_stop);
        std::set<std::uint32_t> agents;
        for (const auto &[agent, none] : m_events)
            agents.insert(agent);
        m_events = eventsForGaps(*snapshot.database(), agents, m_range);
    }
    return finish();
}

Result<void> Slicer::readRaw(Database *database, GroupId group, std::span<const std::size_t> members)
{
    std::int64_t begin = INT64_MAX;
    std::int64_t end = 0;
    for (const auto member : members) {
        const auto &part = m_parts[member];
        const auto span = m_store.table.span(part.row->id); // no use in looking where it never was
        begin = std::min(begin, std::max(nanosAtLeast0(part.read.begin), span.first));
        end = std::max(end, std::min(toUnixNanos(part.read.end), span.last + 1));
    }
    for (auto period = m_store.periods.at(group, std::max<std::int64_t>(begin, 0)); period.begin * kSecond < end;
         period = m_store.periods.next(group, period)) {
        if (m_stop.stop_requested())
            return cancelled();
        if (auto done = readPeriod(database, group, period, members); !done)
            return done;
    }
    return {};
}

Result<void> Slicer::readPeriod(Database *database, GroupId group, const Period &period,
                                std::span<const std::size_t> members)
{
    std::vector<Samples> found(members.size());
    SQLite::Statement *query = nullptr;
    if (database != nullptr) {
        query = &database->statement("SELECT data FROM chunk WHERE id=?");
        query->bind(1, chunkKey(period.begin, group));
    }
    if (query != nullptr && query->executeStep()) {
        const auto view = ChunkView::parse(blobOf(*query, 0));
        const auto times = view ? view->times() : tl::make_unexpected(view.error());
        if (!times)
            return tl::make_unexpected(times.error());
        for (std::size_t i = 0; i < members.size(); ++i) {
            const auto &part = m_parts[members[i]];
            auto samples = columnSamples(*view, *times, part.row->ordinal, toUnixNanos(part.read.begin),
                                         toUnixNanos(part.read.end));
            if (!samples)
                return tl::make_unexpected(samples.error());
            found[i] = std::move(*samples);
        }
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto &part = m_parts[members[i]];
        const auto samples = merged(std::move(found[i]), part.head, period.begin * kSecond, period.end * kSecond);
        part.builder.add(samples.times, samples.values);
    }
    return {};
}

std::vector<SeriesSlice> Slicer::finish()
{
    std::vector<SeriesSlice> slices;
    for (auto &part : m_parts) {
        SeriesSlice slice{part.row->id, m_range, part.width, part.builder.take(), {}};
        const auto inside = static_cast<std::int64_t>(std::count_if(
            slice.buckets.begin(), slice.buckets.end(), [&](const Bucket &b) { return m_range.contains(b.begin); }));
        if (slice.width == Duration::zero() && inside > 2 * std::int64_t{m_pixels}) {
            slice.width = coarseWidth(m_range, m_pixels); // denser than its interval says
            slice.buckets = regroup(slice.buckets, slice.width);
        }
        const auto span = m_store.table.span(part.row->id);
        const GapContext context{m_events[part.row->agent.value],
                                 span.first < 0 ? std::nullopt : std::optional(fromUnixNanos(span.first)),
                                 m_store.clock.now()};
        slice.gaps = findGaps(*part.row, slice.buckets, m_range, context);
        std::erase_if(slice.buckets, [&](const Bucket &b) {
            return b.begin >= m_range.end || b.begin + std::max(slice.width, Duration(1)) <= m_range.begin;
        });
        slices.push_back(std::move(slice));
    }
    return slices;
}

} // namespace

Result<std::vector<SeriesSlice>> Reader::slice(std::span<const SeriesId> series, TimeRange range, int pixels,
                                               const std::stop_token &stop) const
{
    if (range.isEmpty() || pixels <= 0)
        return failure(Error::Code::BadInput, "slice: an empty range or no pixels");
    try {
        return Slicer(m_store, range, pixels, stop).run(series);
    } catch (const SQLite::Exception &e) {
        return tl::make_unexpected(toError(e, m_store.options.file));
    }
}

} // namespace plimsoll
