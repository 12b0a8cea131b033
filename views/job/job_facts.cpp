// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/job/job_facts.h"

#include "base/format.h"
#include "views/device_text.h"
#include "views/job/job_plan.h"
#include "views/time_text.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace plimsoll {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("JobFacts", text);
}

QString number(const Figure &figure)
{
    return QString::fromStdString(figure.number);
}

PageHeader::Fact bytesFact(const QString &caption, std::optional<Bytes> bytes, const QString &behind = {})
{
    PageHeader::Fact fact;
    fact.caption = caption;
    if (!bytes) {
        fact.value = QStringLiteral("\u2013");
        return fact;
    }
    const Figure figure = formatBytes(*bytes);
    fact.value = number(figure);
    fact.unit = QString::fromStdString(figure.unit) + (behind.isEmpty() ? QString() : u' ' + behind);
    fact.tip = QString::fromStdString(formatExact(bytes->value)) + QStringLiteral(" B");
    return fact;
}

const SeriesEntry *findSeries(const std::vector<SeriesEntry> &series, SeriesId id)
{
    const auto found = std::find_if(series.begin(), series.end(), [id](const auto &entry) { return entry.id == id; });
    return found == series.end() ? nullptr : &*found;
}

} // namespace

QString jobSubtitle(const JobState &job)
{
    QStringList parts;
    if (!job.team.empty())
        parts << tr("team %1").arg(shown(job.team, 40));
    if (!job.model.empty())
        parts << tr("model %1").arg(shown(job.model, 40));
    if (!job.experiment.empty())
        parts << tr("experiment %1").arg(shown(job.experiment, 40));
    if (job.kind != JobKind::Unknown)
        parts << jobKindText(job.kind);
    return parts.isEmpty() ? tr("no labels") : parts.join(QStringLiteral(" \u00b7 "));
}

std::optional<JobLimit> tightestLimit(const JobState &job, const std::vector<SeriesEntry> &series)
{
    // A cgroup's usage counts the file cache, which it gives back under pressure: working set is what meets the limit.
    const JobPlan plan = planJob(job, series);
    for (const auto &track : plan.tracks) {
        if (track.id != QStringLiteral("job") || track.limits.empty())
            continue;
        const SeriesEntry *limit = findSeries(series, track.limits.front().series);
        if (!limit)
            continue;
        const auto path = limit->info.key.labels.value(label::kCgroup);
        for (const auto &entry : series)
            if (entry.lastTime && entry.info.key.metric == metric::kContainerWorkingSet
                && entry.info.key.labels.value(label::kCgroup) == path
                && entry.info.key.labels.value(label::kHost) == limit->info.key.labels.value(label::kHost))
                return JobLimit{tr("cgroup limit"), entry.lastValue, limit->lastValue};
    }
    return std::nullopt;
}

std::vector<PageHeader::Fact> jobFacts(const JobState &job, const std::vector<SeriesEntry> &series, Instant now, bool utc)
{
    std::vector<PageHeader::Fact> out;
    out.push_back(bytesFact(job.ended ? tr("RSS at the end") : tr("RSS now"), job.rss));
    if (const auto limit = tightestLimit(job, series); limit && !job.ended) {
        const auto free = Bytes{static_cast<std::int64_t>(std::max(0.0, limit->limit - limit->used))};
        auto fact = bytesFact(tr("Under its limit"), free, tr("of %1").arg(bytesText(limit->limit)));
        if (limit->used >= limit->limit * 0.9)
            fact.glyph = limit->used >= limit->limit * 0.98 ? Glyph::Page : Glyph::Trend;
        out.push_back(std::move(fact));
    }
    if (job.swap)
        out.push_back(bytesFact(tr("Swap"), job.swap));
    if (!job.devices.empty()) {
        PageHeader::Fact fact;
        fact.caption = tr("GPUs");
        fact.value = QString::number(job.devices.size());
        out.push_back(std::move(fact));
    }
    if (job.processes && !job.ended) {
        PageHeader::Fact fact;
        fact.caption = tr("Processes");
        fact.value = QString::number(*job.processes);
        out.push_back(std::move(fact));
    }
    if (job.started) {
        PageHeader::Fact fact;
        fact.caption = job.ended ? tr("Ran for") : tr("Runs for");
        fact.value = durationText(job.ended.value_or(now) - *job.started);
        fact.unit = job.ended ? tr("until %1").arg(clockText(*job.ended, now, utc, false)) : sinceText(*job.started, now, utc);
        out.push_back(std::move(fact));
    }
    return out;
}

std::vector<Inspector::Section> jobSections(const JobState &job, const std::vector<SeriesEntry> &series, Instant now, bool utc)
{
    std::vector<Inspector::Section> out;
    Inspector::Section labels;
    labels.title = tr("Labels");
    const auto add = [&labels](const QString &key, const std::string &value) {
        if (!value.empty())
            labels.rows.push_back({key, shown(value, 60)});
    };
    add(tr("Team"), job.team);
    add(tr("Model"), job.model);
    add(tr("Experiment"), job.experiment);
    if (job.kind != JobKind::Unknown)
        labels.rows.push_back({tr("Kind"), jobKindText(job.kind)});
    if (!labels.rows.empty())
        out.push_back(std::move(labels));

    Inspector::Section origin;
    origin.title = tr("Origin");
    for (const auto &node : job.nodes)
        origin.rows.push_back({tr("Node"), shown(node, 60)});
    if (job.started)
        origin.rows.push_back({tr("Started"), clockText(*job.started, now, utc)});
    if (job.ended)
        origin.rows.push_back({tr("Ended"), clockText(*job.ended, now, utc)});
    if (job.seen && !job.ended)
        origin.rows.push_back({tr("Age"), ageText(*job.seen, now)});
    for (const auto &entry : series)
        if (entry.info.key.metric == metric::kJobRss && entry.info.key.labels.value(label::kJob) == job.id) {
            origin.rows.push_back({tr("Interval"), durationText(entry.info.interval)});
            if (!entry.info.source.name.empty())
                origin.rows.push_back({tr("Source"), shown(entry.info.source.name, 60)});
            break;
        }
    out.push_back(std::move(origin));
    return out;
}

} // namespace plimsoll
