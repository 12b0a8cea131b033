// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/ruler.h"

#include "base/format.h"
#include "widgets/theme/civil_time.h"
#include "widgets/theme/text.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace plimsoll {
namespace {

using namespace std::chrono;

constexpr std::size_t kMostTicks = 400; // a wrong width must not become a million labels

Duration offsetAt(Instant t, bool utc)
{
    return utc ? Duration::zero() : Duration(seconds(civilTime(t, false).offsetFromUtc()));
}

/// The first multiple of `step`, as the zone counts, at or after t.
Instant alignUp(Instant t, Duration step, bool utc)
{
    const Duration offset = offsetAt(t, utc);
    const auto local = (t.time_since_epoch() + offset).count();
    const auto rest = ((local % step.count()) + step.count()) % step.count();
    return rest == 0 ? t : t + (step - Duration{rest});
}

constexpr std::array kSteps{
    Duration(microseconds(1)), Duration(microseconds(2)), Duration(microseconds(5)), Duration(microseconds(10)),
    Duration(microseconds(20)), Duration(microseconds(50)), Duration(microseconds(100)), Duration(microseconds(200)),
    Duration(microseconds(500)), Duration(milliseconds(1)), Duration(milliseconds(2)), Duration(milliseconds(5)),
    Duration(milliseconds(10)), Duration(milliseconds(20)), Duration(milliseconds(50)), Duration(milliseconds(100)),
    Duration(milliseconds(200)), Duration(milliseconds(500)), Duration(seconds(1)), Duration(seconds(2)),
    Duration(seconds(5)), Duration(seconds(10)), Duration(seconds(15)), Duration(seconds(30)), Duration(minutes(1)),
    Duration(minutes(2)), Duration(minutes(5)), Duration(minutes(10)), Duration(minutes(15)), Duration(minutes(30)),
    Duration(hours(1)), Duration(hours(2)), Duration(hours(3)), Duration(hours(6)), Duration(hours(12)),
};
constexpr std::array kDaySteps{1, 2, 7, 14};
constexpr std::array kMonthSteps{1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200};

/// Longer labels need more room than "14:03".
double roomFor(Duration step, double spacing)
{
    if (step < seconds(1))
        return spacing * 1.15;
    return step < minutes(1) ? spacing * 0.8 : spacing * 0.7;
}

QString clockLabel(Instant t, Duration step, bool utc)
{
    const QDateTime at = civilTime(t, utc);
    if (step >= minutes(1)) {
        if (at.time().hour() == 0 && at.time().minute() == 0)
            return QLocale().toString(at.date(), QStringLiteral("d MMM"));
        return at.toString(QStringLiteral("HH:mm"));
    }
    QString text = at.toString(QStringLiteral("HH:mm:ss"));
    if (step < seconds(1)) {
        int digits = 1;
        for (auto unit = milliseconds(100) / Duration(1); digits < 6 && step.count() % unit != 0; unit /= 10)
            ++digits;
        const auto nanos = (t.time_since_epoch() % seconds(1) + seconds(1)) % seconds(1);
        text += u'.' + QString::number(nanos.count()).rightJustified(9, u'0').left(digits);
    }
    return text;
}

std::vector<TimeTick> clockTicks(TimeRange range, Duration step, bool utc)
{
    std::vector<TimeTick> ticks;
    for (Instant t = alignUp(range.begin, step, utc); t <= range.end && ticks.size() < kMostTicks;) {
        ticks.push_back({t, clockLabel(t, step, utc)});
        t = alignUp(t + step, step, utc); // again: the offset changes twice a year
    }
    return ticks;
}

Instant startOf(QDate day, bool utc)
{
    return Instant(milliseconds((utc ? day.startOfDay(QTimeZone::utc()) : day.startOfDay()).toMSecsSinceEpoch()));
}

std::vector<TimeTick> dayTicks(TimeRange range, int step, bool utc)
{
    std::vector<TimeTick> ticks;
    QDate day = civilTime(range.begin, utc).date();
    day = day.addDays(-(day.toJulianDay() % step)); // Julian day 0 was a Monday, so weeks begin on Mondays
    for (; ticks.size() < kMostTicks; day = day.addDays(step)) {
        const Instant t = startOf(day, utc);
        if (t > range.end)
            break;
        if (t >= range.begin)
            ticks.push_back({t, QLocale().toString(day, QStringLiteral("d MMM"))});
    }
    return ticks;
}

std::vector<TimeTick> monthTicks(TimeRange range, int step, bool utc)
{
    std::vector<TimeTick> ticks;
    const QDate first = civilTime(range.begin, utc).date();
    const int months = first.year() * 12 + first.month() - 1;
    for (int m = months - months % step; ticks.size() < kMostTicks; m += step) {
        const QDate day(m / 12, m % 12 + 1, 1);
        const Instant t = startOf(day, utc);
        if (!day.isValid() || t > range.end)
            break;
        if (t >= range.begin)
            ticks.push_back({t, step >= 12 ? QString::number(day.year()) : QLocale().toString(day, QStringLiteral("MMM yyyy"))});
    }
    return ticks;
}

struct Unit
{
    double factor = 1;
    QString name;
};

Unit unitFor(const std::string &unit, double magnitude)
{
    if (unit == "By" || unit == "By/s") {
        constexpr std::array kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
        Unit found{1, {}};
        std::size_t i = 0;
        for (; i + 1 < kNames.size() && magnitude / found.factor >= 1023.5; ++i)
            found.factor *= 1024;
        found.name = QLatin1String(kNames[i]) + (unit == "By/s" ? QStringLiteral("/s") : QString());
        return found;
    }
    if (unit == "1")
        return {0.01, QStringLiteral("%")};
    if (unit == "s" && magnitude < 1)
        return {1e-3, QStringLiteral("ms")};
    return {1, shown(unit, 12)};
}

/// 1, 2 or 5 times a power of ten, at least `least`.
double roundStep(double least)
{
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least * (1 - 1e-9))
            return factor * power;
    return 10 * power;
}

QString tickLabel(double number, double step)
{
    if (std::fabs(number) < step * 1e-6)
        return QStringLiteral("0");
    const int decimals = step >= 1 ? 0 : std::min(9, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    QLocale locale = QLocale::c();
    locale.setNumberOptions(QLocale::DefaultNumberOptions);
    QString text = locale.toString(number, 'f', decimals);
    return text.replace(u'-', QChar(0x2212));
}

/// Three digits, as the number is said elsewhere, but 1.5 and not 1.50 among 0.5 and 1.
QString limitLabel(double number)
{
    QString text = QString::fromStdString(formatNumber(number));
    if (text.contains(u'.') && !text.contains(u'e')) {
        while (text.endsWith(u'0'))
            text.chop(1);
        if (text.endsWith(u'.'))
            text.chop(1);
    }
    return text;
}

} // namespace

std::vector<TimeTick> timeTicks(TimeRange range, double width, bool utc, double spacing)
{
    if (range.isEmpty() || !(width > 0) || !(spacing > 0))
        return {};
    const double nanosPerPixel = static_cast<double>(range.length().count()) / width;
    for (const Duration step : kSteps)
        if (static_cast<double>(step.count()) / nanosPerPixel >= roomFor(step, spacing))
            return clockTicks(range, step, utc);
    const double daysPerPixel = nanosPerPixel / static_cast<double>(Duration(days(1)).count());
    for (const int step : kDaySteps)
        if (step / daysPerPixel >= spacing * 0.7)
            return dayTicks(range, step, utc);
    for (const int step : kMonthSteps)
        if (step * 30.0 / daysPerPixel >= spacing * 0.8)
            return monthTicks(range, step, utc);
    return {};
}

QString timeTagText(Instant time, Duration perPixel, bool utc)
{
    if (perPixel >= hours(1))
        return civilTime(time, utc).toString(QStringLiteral("d MMM HH:mm"));
    if (perPixel >= minutes(2))
        return civilTime(time, utc).toString(QStringLiteral("HH:mm"));
    return clockLabel(time, perPixel >= milliseconds(200) ? Duration(seconds(1)) : Duration(milliseconds(1)), utc);
}

ValueAxis valueAxis(const ValueAxisWish &wish)
{
    double min = std::isfinite(wish.min) ? wish.min : 0;
    double max = std::isfinite(wish.max) ? wish.max : min;
    std::optional<double> limit = wish.limit;
    if (limit && !(std::isfinite(*limit) && *limit > 0))
        limit.reset();
    if (min > max)
        std::swap(min, max);
    if (wish.fromZero) {
        min = std::min(min, 0.0);
        max = std::max(max, 0.0);
    }
    if (limit)
        max = std::max(max, *limit);

    const Unit unit = unitFor(wish.unit, std::max(std::fabs(min), std::fabs(max)));
    ValueAxis axis;
    axis.unit = unit.name;
    axis.unitFactor = unit.factor;
    min /= unit.factor;
    max /= unit.factor;
    // A flat line gets room around it, in whole steps; zero alone gets one unit above it.
    if (max - min < std::max(std::fabs(max), 1e-12) * 1e-9) {
        const double room = max == 0 ? 1 : std::fabs(max) * 0.1;
        max += room;
        min -= wish.fromZero && min >= 0 ? 0 : room;
    }
    const double step = std::max(roundStep((max - min) / std::max(1.0, wish.height / 32)), max * 1e-12);
    const double bottom = std::floor(min / step + 1e-9) * step;
    const double limitNumber = limit ? *limit / unit.factor : 0;
    const bool limitIsTop = limit && max <= limitNumber * (1 + 1e-12);
    const double top = limitIsTop ? limitNumber : std::ceil(max / step - 1e-9) * step;
    const double perPixel = (top - bottom) / std::max(1.0, wish.height);
    const int count = static_cast<int>(std::min(200.0, std::floor((top - bottom) / step + 1e-6)));
    for (int i = 0; i <= count; ++i) {
        const double number = bottom + i * step;
        if (limit && std::fabs(number - limitNumber) < 14 * perPixel)
            continue; // the capacity's own number stands here
        axis.ticks.push_back({number * unit.factor, tickLabel(number, step)});
    }
    if (limit) {
        const ValueTick tick{*limit, limitLabel(limitNumber)};
        const auto place = std::find_if(axis.ticks.begin(), axis.ticks.end(), [&](const ValueTick &t) { return t.value > *limit; });
        axis.ticks.insert(place, tick);
    }
    axis.bottom = bottom * unit.factor;
    axis.top = top * unit.factor;
    return axis;
}

} // namespace plimsoll
