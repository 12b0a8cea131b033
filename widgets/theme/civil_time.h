// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <QDateTime>
#include <QTimeZone>

namespace plimsoll {

/// Dates and hours as people read them: in UTC, or where the machine stands. To the millisecond.
[[nodiscard]] inline QDateTime civilTime(Instant instant, bool utc)
{
    const auto ms = std::chrono::floor<std::chrono::milliseconds>(instant).time_since_epoch().count();
    return utc ? QDateTime::fromMSecsSinceEpoch(ms, QTimeZone::utc()) : QDateTime::fromMSecsSinceEpoch(ms);
}

[[nodiscard]] inline QDateTime civilTime(QDate date, QTime time, bool utc)
{
    return utc ? QDateTime(date, time, QTimeZone::utc()) : QDateTime(date, time);
}

} // namespace plimsoll
