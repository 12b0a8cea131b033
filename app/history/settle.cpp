// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/settle.h"

#include "history/buckets.h"

#include <algorithm>

namespace plimsoll {
namespace {

std::int64_t secondOf(const Bucket &bucket) { return toUnixNanos(bucket.begin) / kSecond; }

void eraseBetween(std::vector<Bucket> &buckets, std::int64_t begin, std::int64_t end)
{
    std::erase_if(buckets, [&](const Bucket &b) { return secondOf(b) >= begin && secondOf(b) < end; });
}

void insertSorted(std::vector<Bucket> &buckets, std::span<const Bucket> more)
{
    buckets.insert(buckets.end(), more.begin(), more.end());
    std::sort(buckets.begin(), buckets.end(), [](const Bucket &a, const Bucket &b) { return a.begin < b.begin; });
}

} // namespace

std::vector<Bucket> StripSettler::read(std::int64_t key)
{
    auto &query = m_database.statement("SELECT data FROM rollup WHERE id=?");
    query.bind(1, key);
    if (!query.executeStep())
        return {};
    auto buckets = decodeRollup(blobOf(query, 0));
    if (buckets)
        return std::move(*buckets);
    auto &keep = m_database.statement("INSERT INTO damaged(chunk, data) VALUES (?, ?)");
    keep.bind(1, key);
    bindBlob(keep, 2, blobOf(query, 0));
    keep.exec();
    return {};
}

void StripSettler::write(std::int64_t key, std::span<const Bucket> buckets, const RollupLevel &level, std::int64_t span)
{
    if (buckets.empty()) {
        auto &erase = m_database.statement("DELETE FROM rollup WHERE id=?");
        erase.bind(1, key);
        erase.exec();
        return;
    }
    const auto blob = encodeRollup(buckets, level.width, span * level.span * kSecond);
    auto &insert = m_database.statement("INSERT OR REPLACE INTO rollup(id, data) VALUES (?, ?)");
    insert.bind(1, key);
    bindBlob(insert, 2, blob);
    insert.exec();
}

void StripSettler::replaceSpan(GroupId group, std::uint32_t ordinal, std::int64_t span, const Period &period,
                         std::span<const Bucket> minutes)
{
    const auto &finest = kLevels[0];
    const auto key = rollupKey(1, group, ordinal, span);
    auto finer = read(key);
    if (finer.empty() && minutes.empty())
        return;
    eraseBetween(finer, period.begin, period.end);
    insertSorted(finer, minutes);
    write(key, finer, finest, span);
    // A row of minutes holds whole buckets of all coarser levels.
    const std::int64_t begin = std::max(period.begin, span * finest.span);
    const std::int64_t end = std::min(period.end, (span + 1) * finest.span);
    for (std::size_t level = 2; level <= kLevels.size(); ++level) {
        const auto &coarse = kLevels[level - 1];
        const std::int64_t from = begin / coarse.width * coarse.width;
        const std::int64_t to = (end + coarse.width - 1) / coarse.width * coarse.width;
        BucketBuilder builder{Duration(coarse.width * kSecond)};
        for (const auto &bucket : finer) {
            if (secondOf(bucket) >= from && secondOf(bucket) < to)
                builder.add(bucket);
        }
        const auto coarseSpan = from / coarse.span;
        const auto coarseKey = rollupKey(level, group, ordinal, coarseSpan);
        auto row = read(coarseKey);
        eraseBetween(row, from, to);
        const auto made = builder.take();
        insertSorted(row, made);
        write(coarseKey, row, coarse, coarseSpan);
    }
}

void StripSettler::replace(GroupId group, const Period &period, const Strip &strip)
{
    const auto width = kLevels[0].span;
    for (std::size_t c = 0; c < strip.columns.size(); ++c) {
        const auto &column = strip.columns[c];
        for (auto span = period.begin / width; span * width < period.end; ++span) {
            const auto lowest = std::partition_point(column.begin(), column.end(),
                                                     [&](const Bucket &b) { return secondOf(b) < span * width; });
            const auto highest = std::partition_point(lowest, column.end(),
                                                      [&](const Bucket &b) { return secondOf(b) < (span + 1) * width; });
            replaceSpan(group, static_cast<std::uint32_t>(c), span, period, std::span(lowest, highest));
        }
    }
}

// A strip that cannot be read is made again.
Result<Strip> StripSettler::fromChunk(std::int64_t key)
{
    auto &query = m_database.statement("SELECT data FROM chunk WHERE id=?");
    query.bind(1, key);
    if (!query.executeStep())
        return Strip{};
    const auto view = ChunkView::parse(blobOf(query, 0));
    const auto rows = view ? view->all() : tl::make_unexpected(view.error());
    return rows ? Result<Strip>(stripOf(*rows)) : tl::make_unexpected(rows.error());
}

void StripSettler::settle(GroupId group, const Period &period)
{
    const auto key = chunkKey(period.begin, group);
    {
        auto &query = m_database.statement("SELECT data FROM strip WHERE id=?");
        query.bind(1, key);
        auto strip = query.executeStep() ? decodeStrip(blobOf(query, 0)) : Result<Strip>(Strip{});
        query.reset();
        if (!strip)
            strip = fromChunk(key);
        if (strip)
            replace(group, period, *strip);
    }
    auto &erase = m_database.statement("DELETE FROM strip WHERE id=?");
    erase.bind(1, key);
    erase.exec();
}

} // namespace plimsoll
