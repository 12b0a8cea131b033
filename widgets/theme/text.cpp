// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/text.h"

#include "base/text.h"
#include "widgets/theme/civil_time.h"

#include <QLocale>
#include <QTextDocument>

#include <algorithm>
#include <chrono>

namespace plimsoll {

namespace {

constexpr int kBytesPerChar = 4; // UTF-8 at its longest
const QChar kNoBreakSpace(0x00a0);
const QChar kEnDash(0x2013);
const QChar kEllipsis(0x2026);

} // namespace

QString shown(std::string_view utf8, int maxChars)
{
    const auto limit = std::max(maxChars, 8);
    // Bytes first (the escapes of safeText are ASCII), then characters: a text of
    // four-byte characters may be four times as long in bytes as on the screen.
    const std::string safe = safeText(utf8, static_cast<std::size_t>(limit) * kBytesPerChar);
    QString text = QString::fromUtf8(safe.data(), static_cast<qsizetype>(safe.size()));
    if (text.size() <= limit)
        return text;
    auto head = static_cast<qsizetype>(limit) / 2;
    auto tail = static_cast<qsizetype>(limit) - head - 1;
    if (text.at(head - 1).isHighSurrogate())
        --head;
    if (text.at(text.size() - tail).isLowSurrogate())
        --tail;
    return text.left(head) + kEllipsis + text.right(tail);
}

QString figureText(const Figure &figure)
{
    const QString number = QString::fromStdString(figure.number);
    return figure.unit.empty() ? number : number + kNoBreakSpace + QString::fromStdString(figure.unit);
}

QString timeText(Instant instant, bool utc, TimeText kind)
{
    const QDateTime when = civilTime(instant, utc);
    const QLocale locale;
    switch (kind) {
    case TimeText::Minutes: return when.toString(QStringLiteral("HH:mm"));
    case TimeText::Seconds: return when.toString(QStringLiteral("HH:mm:ss"));
    case TimeText::Date: return locale.toString(when.date(), QStringLiteral("d MMM yyyy"));
    case TimeText::Full:
        return locale.toString(when.date(), QStringLiteral("d MMM yyyy")) + QLatin1Char(' ')
            + when.toString(QStringLiteral("HH:mm:ss"));
    }
    return {};
}

QString zoneText(Instant instant, bool utc)
{
    return utc ? QStringLiteral("UTC") : civilTime(instant, false).timeZoneAbbreviation();
}

QString rangeText(TimeRange range, bool utc)
{
    const QDateTime begin = civilTime(range.begin, utc);
    const QDateTime end = civilTime(range.end, utc);
    const QString dash = QStringLiteral(" %1 ").arg(kEnDash);
    if (begin.date() != end.date()) {
        const QLocale locale;
        const auto both = [&](const QDateTime &when) {
            return locale.toString(when.date(), QStringLiteral("d MMM")) + when.toString(QStringLiteral(" HH:mm"));
        };
        return both(begin) + dash + both(end);
    }
    // Below ten minutes the minutes alone would often read the same twice.
    const bool isShort = range.length() < std::chrono::minutes(10);
    const QString format = isShort ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm");
    return begin.toString(format) + dash + end.toString(format);
}

QString plainTip(const QString &text)
{
    if (!Qt::mightBeRichText(text))
        return text;
    QString escaped = text.toHtmlEscaped();
    escaped.replace(QLatin1Char('\n'), QLatin1String("<br>"));
    return QStringLiteral("<qt>%1</qt>").arg(escaped);
}

} // namespace plimsoll
