// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/buckets.h"
#include "history/chunk.h"
#include "history/gaps.h"
#include "history/reader.h"
#include "history/records.h"
#include "history/rollup.h"
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

constexpr std::int64_t kLongestPeriod = 3600; // s

// The coarsest level whose buckets fill ours evenly; 0 = raw samples.
std::size_t levelFor(Duration width)
{
    for (std::size_t level = kLevels.size(); level > 0; --level) {
        const Duration finer(kLevels[level - 1].width * kSecond);
        if (width >= finer && width % finer == Duration::zero())
            return level;
    }
    return 0;
}

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
    Slicer(HistoryStore &store, TimeRange range, int pixels, const std::stop_token &stop)
        : m_store(store), m_range(range), m_pixels(pixels), m_stop(stop)
    {
    }

    Result<std::vector<SeriesSlice>> run(std::span<const SeriesId> series);

private:
    [[nodiscard]] Duration widthFor(const SeriesRow &row) const;
    Result<void> plan(std::span<const SeriesId> series);
    Result<void> readCoarse(const HistorySnapshot &snapshot, Part &part, std::size_t level);
    Result<void> readRaw(Database *database, GroupId group, std::span<const std::size_t> members);
    Result<void> readPeriod(Database *database, GroupId group, const Period &period,
                            std::span<const std::size_t> members);
    std::vector<SeriesSlice> finish();

    HistoryStore &m_store;
    const TimeRange m_range;
    const int m_pixels;
    const std::stop_token &m_stop;
    std::vector<Part> m_parts;
    std::vector<HeadWish> m_wishes;
    std::map<std::uint32_t, std::vector<std::size_t>> m_byGroup;
    std::map<std::uint32_t, std::vector<Event>> m_events; // by agent
};

auto cancelled() { return failure(Error::Code::Cancelled, {}); }

// Raw samples, or buckets of which there are at most two a pixel.
Duration Slicer::widthFor(const SeriesRow &row) const
{
    const auto width = bucketWidth(m_range, m_pixels, row.info.interval);
    const bool hasRaw = toUnixNanos(m_range.begin) >= m_store.rawSince || m_store.table.span(row.id).first >= m_store.rawSince;
    const Duration minute(kLevels[0].width * kSecond);
    return hasRaw || width >= minute ? width : std::max(coarseWidth(m_range, m_pixels), minute);
}

Result<void> Slicer::plan(std::span<const SeriesId> series)
{
    const auto rows = m_store.table.rows();
    m_parts.resize(series.size());
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (series[i].value >= rows->size() || !(*rows)[series[i].value])
            return failure(Error::Code::BadInput, "slice: no series " + std::to_string(series[i].value));
        auto &part = m_parts[i];
        part.row = (*rows)[series[i].value];
        part.width = widthFor(*part.row);
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
    HistorySnapshot snapshot(m_store, m_wishes, m_stop);
    if (snapshot.isCancelled())
        return cancelled();
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        m_parts[i].head = snapshot.heads()[i];
    for (auto &[group, members] : m_byGroup) {
        for (const auto member : members) {
            auto &part = m_parts[member];
            if (const auto level = levelFor(part.width); level > 0) {
                if (auto done = readCoarse(snapshot, part, level); !done)
                    return tl::make_unexpected(done.error());
            }
        }
        std::erase_if(members, [&](std::size_t member) { return levelFor(m_parts[member].width) > 0; });
        if (members.empty())
            continue;
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

// Settled minutes from the level, those of the last hours from strips, the newest from the head.
Result<void> Slicer::readCoarse(const HistorySnapshot &snapshot, Part &part, std::size_t level)
{
    const auto &head = part.head;
    part.builder.add(head.times, head.values);
    auto *database = snapshot.database();
    if (database == nullptr)
        return {};
    const auto group = part.row->group;
    const auto ordinal = part.row->ordinal;
    const std::int64_t begin = nanosAtLeast0(part.read.begin) / kSecond;
    const std::int64_t end = nanosAtLeast0(part.read.end) / kSecond;
    const auto add = [&](const Result<std::vector<Bucket>> &buckets) {
        if (!buckets)
            return false;
        for (const auto &bucket : *buckets) {
            if (bucket.begin >= part.read.begin && bucket.begin < part.read.end)
                part.builder.add(bucket);
        }
        return true;
    };
    const auto span = kLevels[level - 1].span;
    auto &rollups = database->statement("SELECT data FROM rollup WHERE id >= ? AND id <= ? ORDER BY id");
    rollups.bind(1, rollupKey(level, group, ordinal, begin / span));
    rollups.bind(2, rollupKey(level, group, ordinal, end / span));
    while (rollups.executeStep()) {
        if (m_stop.stop_requested())
            return cancelled();
        if (const auto buckets = decodeRollup(blobOf(rollups, 0)); !add(buckets))
            return tl::make_unexpected(buckets.error());
    }
    const auto &strips = snapshot.strips(group);
    for (auto at = strips.lower_bound(begin - kLongestPeriod); at != strips.end() && *at < end; ++at) {
        if (m_stop.stop_requested())
            return cancelled();
        auto &query = database->statement("SELECT data FROM strip WHERE id=?");
        query.bind(1, chunkKey(*at, group));
        if (!query.executeStep())
            continue;
        if (const auto buckets = decodeStripColumn(blobOf(query, 0), ordinal); !add(buckets))
            return tl::make_unexpected(buckets.error());
    }
    return {};
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

Result<std::vector<SeriesSlice>> HistoryReader::slice(std::span<const SeriesId> series, TimeRange range, int pixels,
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
