// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/range_sections.h"

#include "base/format.h"
#include "model/event.h"
#include "views/event_text.h"
#include "views/time_text.h"
#include "widgets/theme/text.h"
#include "widgets/timeline/timeline_view.h"

#include <QCoreApplication>

#include <cmath>

namespace plimsoll {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("RangeSections", text);
}

QString valueText(std::optional<double> value, const std::string &unit)
{
    return value ? figureText(formatValue(*value, unit)) : QStringLiteral("\u2013");
}

QString signedText(std::optional<double> value, const std::string &unit)
{
    if (!value)
        return QStringLiteral("\u2013");
    const QString text = figureText(formatValue(std::abs(*value), unit));
    return (*value < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) + text;
}

std::optional<Figure> slopeFigure(const RangeStatistics &statistics, const std::string &unit)
{
    if (!statistics.slopePerHour)
        return std::nullopt;
    Figure figure = formatValue(std::abs(*statistics.slopePerHour), unit);
    figure.number = (*statistics.slopePerHour < 0 ? "\u2212" : "+") + figure.number;
    figure.unit += "/h";
    return figure;
}

Inspector::Section statisticsSection(const TrackLine &line, const RangeStatistics &statistics, const std::string &unit)
{
    Inspector::Section section;
    section.title = line.name;
    section.right = statistics.isApproximate ? tr("from buckets") : tr("exact");
    section.rows = {{tr("min"), valueText(statistics.min, unit)},
                    {tr("mean"), valueText(statistics.mean, unit)},
                    {statistics.isApproximate ? tr("p95, about") : tr("p95"), valueText(statistics.p95, unit)},
                    {tr("max"), valueText(statistics.max, unit)},
                    {tr("last"), valueText(statistics.last, unit)},
                    {QStringLiteral("\u0394"), signedText(statistics.delta, unit)}};
    if (const auto slope = slopeFigure(statistics, unit))
        section.rows.push_back({tr("slope"), figureText(*slope)});
    return section;
}

} // namespace

bool showSelection(Inspector &inspector, const TimelineView &view, Instant now, bool utc)
{
    const auto selection = view.selection();
    if (!selection)
        return false;
    const auto &tracks = view.tracks();
    std::vector<Inspector::Section> sections;
    std::optional<Figure> slope;
    QString firstDelta;
    QString firstName;
    for (std::size_t t = 0; t < tracks.size(); ++t) {
        for (std::size_t l = 0; l < tracks[t].lines.size(); ++l) {
            const auto statistics = view.statistics(static_cast<int>(t), static_cast<int>(l), *selection);
            if (statistics.samples == 0)
                continue;
            if (!slope) {
                slope = slopeFigure(statistics, tracks[t].unit);
                firstDelta = signedText(statistics.delta, tracks[t].unit);
                firstName = tracks[t].lines[l].name;
            }
            sections.push_back(statisticsSection(tracks[t].lines[l], statistics, tracks[t].unit));
        }
    }
    Inspector::Section ends;
    ends.title = tr("Range");
    ends.rows = {{QStringLiteral("A"), clockText(selection->begin, now, utc)},
                 {QStringLiteral("B"), clockText(selection->end, now, utc)},
                 {QStringLiteral("\u0394"), durationText(selection->length())}};
    sections.insert(sections.begin(), std::move(ends));
    inspector.setTitle(tr("Cursors"), firstName);
    inspector.setHeadline(tr("A \u2192 B"), durationText(selection->length()), slope.value_or(Figure{"\u2013", ""}), {}, firstDelta,
                          std::nullopt);
    inspector.setSections(std::move(sections));
    return true;
}

Inspector::Section readingsSection(const QString &title, const std::vector<Reading> &readings)
{
    Inspector::Section section;
    section.title = title;
    for (const auto &reading : readings)
        section.rows.push_back({reading.name, valueText(reading.value, reading.unit)});
    return section;
}

Inspector::Section eventsSection(const std::vector<Event> &newestLast, Instant now, bool utc, std::size_t limit)
{
    Inspector::Section section;
    section.title = tr("Events in range");
    section.right = QString::number(newestLast.size());
    for (auto event = newestLast.rbegin(); event != newestLast.rend() && section.rows.size() < limit; ++event) {
        Inspector::Row row;
        row.key = clockText(event->time, now, utc);
        row.glyph = eventGlyph(event->kind);
        row.value = eventTitle(event->kind);
        section.rows.push_back(std::move(row));
    }
    return section;
}

} // namespace plimsoll
