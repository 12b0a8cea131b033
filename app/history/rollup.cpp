// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/rollup.h"

#include "history/bucket_column.h"
#include "history/buckets.h"
#include "history/periods.h"
#include "model/series.h"

#include <algorithm>
#include <string>

namespace plimsoll {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kIsStrip = 2;
constexpr std::uint8_t kIsRollup = 4;
constexpr std::size_t kStripHeader = 24;
constexpr std::size_t kStripCrc = 20;
constexpr std::size_t kRollupHeader = 20;
constexpr std::size_t kRollupCrc = 16;
constexpr std::int64_t kMinute = 60 * kSecond;

std::uint32_t checksum(BlobView bytes, std::size_t at) noexcept
{
    return crc32(bytes.subspan(at + 4), crc32(bytes.first(at)));
}

auto damaged(std::string what) { return failure(Error::Code::Corrupt, "rollup: " + std::move(what)); }

struct StripView
{
    BlobView bytes;
    std::size_t columns = 0;
    BucketAxis axis;
    std::vector<Bucket> shared; // with their axis, no values

    [[nodiscard]] std::size_t endOf(std::size_t column) const
    {
        return loadLittle<std::uint32_t>(bytes.data() + kStripHeader + 4 * column);
    }
};

Result<StripView> parseStrip(BlobView bytes)
{
    if (bytes.size() < kStripHeader)
        return damaged("shorter than its header");
    if (bytes[0] != kVersion)
        return failure(Error::Code::Unsupported, "rollup: version " + std::to_string(bytes[0]));
    StripView view{bytes, loadLittle<std::uint16_t>(bytes.data() + 2), {}, {}};
    const std::size_t buckets = loadLittle<std::uint16_t>(bytes.data() + 4);
    const std::size_t axisLength = loadLittle<std::uint32_t>(bytes.data() + 16);
    std::size_t end = kStripHeader + 4 * view.columns + axisLength;
    if (bytes[1] != kIsStrip || view.columns > kMaxColumns || end > bytes.size())
        return damaged("impossible size");
    if (loadLittle<std::uint32_t>(bytes.data() + kStripCrc) != checksum(bytes, kStripCrc))
        return damaged("checksum differs");
    for (std::size_t c = 0; c < view.columns; ++c) {
        if (view.endOf(c) < end || view.endOf(c) > bytes.size())
            return damaged("column ends out of order");
        end = view.endOf(c);
    }
    view.axis = {loadLittle<std::int64_t>(bytes.data() + 8), kMinute};
    view.shared.resize(buckets);
    ByteReader from(bytes.subspan(kStripHeader + 4 * view.columns, axisLength));
    if (end != bytes.size() || (buckets > 0 && !decodeAxis(from, view.axis, view.shared)) || !from.isAtEnd())
        return damaged("axis");
    return view;
}

Result<std::vector<Bucket>> readColumn(const StripView &view, std::size_t column)
{
    if (column >= view.columns)
        return std::vector<Bucket>{};
    const std::size_t begin = column > 0 ? view.endOf(column - 1)
        : kStripHeader + 4 * view.columns + loadLittle<std::uint32_t>(view.bytes.data() + 16);
    const auto bytes = view.bytes.subspan(begin, view.endOf(column) - begin);
    if (bytes.empty())
        return std::vector<Bucket>{};
    ByteReader from(bytes);
    std::vector<Bucket> buckets;
    const auto isOwn = from.take<std::uint8_t>();
    if (isOwn == 0) {
        buckets = view.shared;
    } else {
        buckets.resize(from.take<std::uint16_t>());
        if (isOwn != 1 || buckets.empty() || !decodeAxis(from, view.axis, buckets))
            return damaged("axis of column " + std::to_string(column));
    }
    if (!decodeBucketValues(from, buckets) || !from.isAtEnd())
        return damaged("column " + std::to_string(column));
    return buckets;
}

} // namespace

Strip stripOf(const Rows &rows)
{
    Strip strip;
    std::vector<std::int64_t> times;
    std::vector<double> values;
    for (const auto &column : rows.columns) {
        times.clear();
        values.clear();
        for (std::size_t i = 0; i < column.size(); ++i) {
            if (isAbsent(column[i]))
                continue;
            times.push_back(rows.times[i]);
            values.push_back(column[i]);
        }
        BucketBuilder builder{Duration(kMinute)};
        builder.add(times, values);
        strip.columns.push_back(builder.take());
    }
    return strip;
}

Blob encodeStrip(const Strip &strip)
{
    // The longest axis is the one most columns have.
    const auto longest = std::max_element(strip.columns.begin(), strip.columns.end(),
                                          [](const auto &a, const auto &b) { return a.size() < b.size(); });
    const std::vector<Bucket> none;
    const auto &shared = longest == strip.columns.end() ? none : *longest;
    std::int64_t origin = INT64_MAX;
    for (const auto &column : strip.columns) {
        if (!column.empty())
            origin = std::min(origin, toUnixNanos(column.front().begin));
    }
    const BucketAxis axis{shared.empty() ? 0 : origin, kMinute};
    Blob out(kStripHeader + 4 * strip.columns.size());
    out[0] = kVersion;
    out[1] = kIsStrip;
    storeLittle(out.data() + 2, static_cast<std::uint16_t>(strip.columns.size()));
    storeLittle(out.data() + 4, static_cast<std::uint16_t>(shared.size()));
    storeLittle(out.data() + 8, axis.origin);
    const auto begin = out.size();
    if (!shared.empty())
        encodeAxis(shared, axis, out);
    storeLittle(out.data() + 16, static_cast<std::uint32_t>(out.size() - begin));
    for (std::size_t c = 0; c < strip.columns.size(); ++c) {
        const auto &column = strip.columns[c];
        if (!column.empty()) {
            const bool isOwn = !haveSameAxis(column, shared);
            out.push_back(isOwn ? 1 : 0);
            if (isOwn) {
                append(out, static_cast<std::uint16_t>(column.size()));
                encodeAxis(column, axis, out);
            }
            encodeBucketValues(column, out);
        }
        storeLittle(out.data() + kStripHeader + 4 * c, static_cast<std::uint32_t>(out.size()));
    }
    storeLittle(out.data() + kStripCrc, checksum(out, kStripCrc));
    return out;
}

Result<Strip> decodeStrip(BlobView bytes)
{
    const auto view = parseStrip(bytes);
    if (!view)
        return tl::make_unexpected(view.error());
    Strip strip;
    for (std::size_t c = 0; c < view->columns; ++c) {
        auto column = readColumn(*view, c);
        if (!column)
            return tl::make_unexpected(column.error());
        strip.columns.push_back(std::move(*column));
    }
    return strip;
}

Result<std::vector<Bucket>> decodeStripColumn(BlobView bytes, std::size_t column)
{
    const auto view = parseStrip(bytes);
    if (!view)
        return tl::make_unexpected(view.error());
    return readColumn(*view, column);
}

Blob encodeRollup(std::span<const Bucket> buckets, std::int64_t width, std::int64_t origin)
{
    Blob out(kRollupHeader);
    out[0] = kVersion;
    out[1] = kIsRollup;
    storeLittle(out.data() + 2, static_cast<std::uint16_t>(buckets.size()));
    storeLittle(out.data() + 4, static_cast<std::uint32_t>(width));
    storeLittle(out.data() + 8, origin);
    encodeAxis(buckets, {origin, width * kSecond}, out);
    encodeBucketValues(buckets, out);
    storeLittle(out.data() + kRollupCrc, checksum(out, kRollupCrc));
    return out;
}

Result<std::vector<Bucket>> decodeRollup(BlobView bytes)
{
    if (bytes.size() < kRollupHeader)
        return damaged("shorter than its header");
    if (bytes[0] != kVersion)
        return failure(Error::Code::Unsupported, "rollup: version " + std::to_string(bytes[0]));
    if (bytes[1] != kIsRollup || loadLittle<std::uint32_t>(bytes.data() + kRollupCrc) != checksum(bytes, kRollupCrc))
        return damaged("checksum differs");
    const BucketAxis axis{loadLittle<std::int64_t>(bytes.data() + 8),
                          loadLittle<std::uint32_t>(bytes.data() + 4) * kSecond};
    std::vector<Bucket> buckets(loadLittle<std::uint16_t>(bytes.data() + 2));
    ByteReader from(bytes.subspan(kRollupHeader));
    if (buckets.empty() || !decodeAxis(from, axis, buckets) || !decodeBucketValues(from, buckets) || !from.isAtEnd())
        return damaged("buckets");
    return buckets;
}

} // namespace plimsoll
