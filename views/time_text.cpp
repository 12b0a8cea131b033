// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/time_text.h"

#include "base/format.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>

namespace plimsoll {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("TimeText", text);
}

QDateTime toDateTime(Instant at, bool utc)
{
    const auto ms = std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch()).count();
    return QDateTime::fromMSecsSinceEpoch(ms, utc ? Qt::UTC : Qt::LocalTime);
}

} // namespace

QString clockText(Instant at, Instant now, bool utc, bool withSeconds)
{
    const QDateTime time = toDateTime(at, utc);
    const QString clock = time.toString(withSeconds ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm"));
    if (time.date() == toDateTime(now, utc).date())
        return clock;
    return QLocale().toString(time.date(), QStringLiteral("d MMM")) + u' ' + clock;
}

QString dateText(Instant at, bool utc)
{
    return QLocale().toString(toDateTime(at, utc).date(), QStringLiteral("d MMM yyyy")) + u' ' + zoneText(at, utc);
}

QString durationText(Duration duration)
{
    return QString::fromStdString(formatDuration(duration));
}

QString ageText(Instant at, Instant now)
{
    return durationText(std::max(Duration::zero(), now - at));
}

QString sinceText(Instant at, Instant now, bool utc)
{
    return tr("since %1").arg(clockText(at, now, utc, false));
}

} // namespace plimsoll
