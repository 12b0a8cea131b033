// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/typed_time.h"

#include "base/format.h"
#include "widgets/theme/civil_time.h"

#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

#include <chrono>

namespace plimsoll {

namespace {

using namespace std::chrono_literals;

constexpr qsizetype kLongest = 64; // what is longer is no time
const Duration kLongestSpan = 24h * 3660;

Instant instantOf(const QDateTime &when)
{
    return Instant{} + std::chrono::milliseconds(when.toMSecsSinceEpoch());
}

/// "2 h 5 min", "90s": parts in a row, each as base/format reads it.
std::optional<Duration> parseParts(const QString &text)
{
    static const QRegularExpression part(QStringLiteral("\\G\\s*([0-9]+(?:\\.[0-9]+)?\\s*[a-zA-Z]+)"));
    Duration sum{};
    qsizetype at = 0;
    while (at < text.size()) {
        const auto match = part.match(text, at);
        if (!match.hasMatch())
            return std::nullopt;
        const auto duration = parseDuration(match.captured(1).toStdString());
        if (!duration || *duration < Duration{} || *duration > kLongestSpan)
            return std::nullopt;
        sum += *duration;
        if (sum > kLongestSpan)
            return std::nullopt;
        at = match.capturedEnd();
    }
    return at > 0 ? std::optional(sum) : std::nullopt;
}

std::optional<QTime> parseClock(const QString &text)
{
    static const QRegularExpression clock(QStringLiteral("^([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?$"));
    const auto match = clock.match(text);
    if (!match.hasMatch())
        return std::nullopt;
    const QTime time(match.captured(1).toInt(), match.captured(2).toInt(), match.captured(3).toInt());
    return time.isValid() ? std::optional(time) : std::nullopt;
}

std::optional<QDate> parseDate(const QString &text, QDate today)
{
    const QDate iso = QDate::fromString(text, Qt::ISODate);
    if (iso.isValid())
        return iso;
    for (const QLocale &locale : {QLocale(), QLocale::c()}) {
        for (const QString &format : {QStringLiteral("d MMM yyyy"), QStringLiteral("d MMMM yyyy")}) {
            const QDate full = locale.toDate(text, format);
            if (full.isValid())
                return full;
            // Without a year the last such day is meant.
            const QDate thisYear = locale.toDate(text + QStringLiteral(" %1").arg(today.year()), format);
            if (thisYear.isValid())
                return thisYear <= today ? thisYear : thisYear.addYears(-1);
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<Instant> parseTypedTime(const QString &typed, Instant now, bool utc)
{
    QString text = typed.simplified();
    if (text.startsWith(QLatin1Char('@')))
        text = text.mid(1).trimmed();
    if (text.isEmpty() || text.size() > kLongest)
        return std::nullopt;
    if (text.compare(QLatin1String("now"), Qt::CaseInsensitive) == 0)
        return now;
    if (text.startsWith(QLatin1Char('-')) || text.startsWith(QChar(0x2212))) {
        const auto back = parseParts(text.mid(1).trimmed());
        return back ? std::optional(now - *back) : std::nullopt;
    }

    const QDateTime here = civilTime(now, utc);
    const auto made = [utc](QDate date, QTime time) { return civilTime(date, time, utc); };
    if (const auto clock = parseClock(text)) {
        QDateTime when = made(here.date(), *clock);
        if (when > here)
            when = made(here.date().addDays(-1), *clock);
        return instantOf(when);
    }
    // A date, and behind its last space or T perhaps a clock.
    qsizetype split = text.lastIndexOf(QLatin1Char(' '));
    if (split < 0)
        split = text.lastIndexOf(QLatin1Char('T'));
    if (split > 0) {
        const auto clock = parseClock(text.mid(split + 1));
        const auto date = parseDate(text.left(split), here.date());
        if (clock && date)
            return instantOf(made(*date, *clock));
    }
    if (const auto date = parseDate(text, here.date()))
        return instantOf(made(*date, QTime(0, 0)));
    return std::nullopt;
}

std::optional<TimeRange> parseTypedRange(const QString &typed, Instant now, bool utc)
{
    QString text = typed.simplified();
    if (text.startsWith(QLatin1Char('@')))
        text = text.mid(1).trimmed();
    if (text.isEmpty() || text.size() > 2 * kLongest)
        return std::nullopt;
    if (const auto span = parseParts(text); span && *span > Duration{})
        return TimeRange{now - *span, now};
    static const QStringList between{QStringLiteral(" \u2013 "), QStringLiteral("\u2013"), QStringLiteral(".."),
                                     QStringLiteral(" to "), QStringLiteral(" - ")};
    for (const QString &separator : between) {
        const qsizetype at = text.indexOf(separator, 1, Qt::CaseInsensitive);
        if (at < 0)
            continue;
        const auto end = parseTypedTime(text.mid(at + separator.size()), now, utc);
        auto begin = parseTypedTime(text.left(at), now, utc);
        if (!begin || !end)
            continue;
        // 23:30 – 00:30 just after midnight: the begin lies a day before its end.
        if (*begin > *end && parseClock(text.left(at).trimmed()))
            begin = *begin - 24h;
        if (*begin < *end)
            return TimeRange{*begin, *end};
    }
    return std::nullopt;
}

} // namespace plimsoll
