// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/time_to_full.h"

#include "session/headroom.h"
#include "views/device_history.h"
#include "widgets/timeline/range_statistics.h"

#include <QCoreApplication>

#include <cmath>

namespace plimsoll {

namespace {

constexpr Duration kFarthest = std::chrono::hours(48);
constexpr Duration kShortest = std::chrono::minutes(1); // under it a trend says nothing

QString rounded(Duration d, Duration unit)
{
    return QString::number(std::llround(static_cast<double>(d.count()) / static_cast<double>(unit.count())));
}

} // namespace

TimeToFull timeToFullOf(const DeviceTrack &track, const SeriesSlice &slice)
{
    if (slice.buckets.empty() || slice.buckets.back().lastTime - slice.buckets.front().firstTime < kShortest)
        return {};
    TimeToFull out;
    out.kind = TimeToFull::Kind::Steady;
    const Instant end = slice.buckets.back().lastTime;
    const auto statistics = statisticsOf(slice, {end - kHeadroomWindow, end + Duration(1)});
    if (statistics.slopePerHour)
        out.bytesPerHour = track.isAvailable ? -*statistics.slopePerHour : *statistics.slopePerHour;
    const auto range = track.isAvailable ? timeToFullOfAvailable(slice, track.capacity) : timeToFull(slice, track.capacity);
    if (!range || range->first > kFarthest)
        return out;
    out.kind = TimeToFull::Kind::Filling;
    out.soonest = range->first;
    out.latest = range->second;
    return out;
}

QString timeToFullText(const TimeToFull &estimate)
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("TimeToFull", text); };
    switch (estimate.kind) {
    case TimeToFull::Kind::Unknown: return QStringLiteral("\u2013");
    case TimeToFull::Kind::Steady: return tr("steady");
    case TimeToFull::Kind::Filling: break;
    }
    const bool isOpen = estimate.latest > kFarthest; // so late that only the near end says something
    const Duration scale = isOpen ? estimate.soonest : estimate.latest;
    Duration unit = std::chrono::minutes(1);
    QString name = tr("min");
    if (scale >= std::chrono::hours(2)) {
        unit = std::chrono::hours(1);
        name = tr("h");
    } else if (scale < std::chrono::minutes(2)) {
        unit = std::chrono::seconds(1);
        name = tr("s");
    }
    const QString from = rounded(estimate.soonest, unit);
    if (isOpen)
        return tr("from %1 %2").arg(from, name);
    const QString to = rounded(estimate.latest, unit);
    return from == to ? tr("about %1 %2").arg(from, name) : tr("%1\u2013%2 %3").arg(from, to, name);
}

} // namespace plimsoll
