// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/time_text.h"

#include "base/format.h"
#include "widgets/theme/civil_time.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace plimsoll {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("TimeText", text);
}

} // namespace

QString clockText(Instant at, Instant now, bool utc, bool withSeconds)
{
    const QDateTime time = civilTime(at, utc);
    const QString clock = time.toString(withSeconds ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm"));
    if (time.date() == civilTime(now, utc).date())
        return clock;
    return QLocale().toString(time.date(), QStringLiteral("d MMM")) + u' ' + clock;
}

QString dateText(Instant at, bool utc)
{
    return QLocale().toString(civilTime(at, utc).date(), QStringLiteral("d MMM yyyy")) + u' ' + zoneText(at, utc);
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
