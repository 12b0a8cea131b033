// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/jobs_model.h"

#include "base/format.h"
#include "views/device_text.h"
#include "views/time_text.h"
#include "widgets/tables/value_delegate.h"
#include "widgets/theme/glyphs.h"
#include "widgets/theme/text.h"

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kHostSeries = 2; // colour of RSS everywhere

QString orDash(const std::string &text)
{
    return text.empty() ? QStringLiteral("\u2013") : shown(text, 60);
}

} // namespace

JobsModel::JobsModel(QObject *parent) : QAbstractTableModel(parent) {}

void JobsModel::setJobs(std::vector<JobState> jobs, Instant now)
{
    const auto sameId = [](const JobState &a, const JobState &b) { return a.id == b.id; };
    const bool isSameSet = std::equal(jobs.begin(), jobs.end(), m_jobs.begin(), m_jobs.end(), sameId);
    if (!isSameSet) {
        emit layoutAboutToBeChanged();
        const auto before = persistentIndexList();
        QModelIndexList after;
        for (const auto &index : before) {
            const auto &id = m_jobs[static_cast<std::size_t>(index.row())].id;
            const auto found = std::find_if(jobs.begin(), jobs.end(), [&id](const JobState &job) { return job.id == id; });
            after << (found == jobs.end() ? QModelIndex()
                                          : createIndex(static_cast<int>(found - jobs.begin()), index.column()));
        }
        changePersistentIndexList(before, after);
    }
    m_jobs = std::move(jobs);
    m_now = now;
    m_largest = 0;
    m_sum = 0;
    for (const auto &job : m_jobs)
        if (job.rss && !job.ended) {
            m_largest = std::max(m_largest, static_cast<double>(job.rss->value));
            m_sum += static_cast<double>(job.rss->value);
        }
    if (!isSameSet)
        emit layoutChanged();
    else if (!m_jobs.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void JobsModel::setUtc(bool utc)
{
    if (std::exchange(m_isUtc, utc) != utc && !m_jobs.empty())
        emit dataChanged(index(0, StartedColumn), index(rowCount() - 1, StateColumn));
}

int JobsModel::rowOf(const std::string &id) const
{
    const auto found = std::find_if(m_jobs.begin(), m_jobs.end(), [&id](const JobState &job) { return job.id == id; });
    return found == m_jobs.end() ? -1 : static_cast<int>(found - m_jobs.begin());
}

int JobsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_jobs.size());
}

int JobsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

double JobsModel::share(const JobState &job) const
{
    if (!job.rss || job.ended || m_sum <= 0)
        return 0;
    return static_cast<double>(job.rss->value) / m_sum;
}

QString JobsModel::text(const JobState &job, int column) const
{
    switch (column) {
    case JobColumn: return shown(job.id, 120);
    case KindColumn: return jobKindText(job.kind);
    case TeamColumn: return orDash(job.team);
    case ModelColumn: return orDash(job.model);
    case ProcessesColumn: return job.processes && !job.ended ? QString::number(*job.processes) : QStringLiteral("\u2013");
    case RssColumn: return job.ended ? QStringLiteral("\u2013") : bytesText(job.rss);
    case StartedColumn: return job.started ? clockText(*job.started, m_now, m_isUtc, false) : QStringLiteral("\u2013");
    case StateColumn: return job.ended ? tr("ended %1").arg(clockText(*job.ended, m_now, m_isUtc, false)) : tr("running");
    default: return {};
    }
}

QVariant JobsModel::sortValue(const JobState &job, int column) const
{
    switch (column) {
    case ProcessesColumn: return job.processes.value_or(0);
    case RssColumn:
    case ShareColumn: return static_cast<qlonglong>(job.rss.value_or(Bytes{-1}).value);
    case StartedColumn: return static_cast<qlonglong>(job.started ? toUnixNanos(*job.started) : 0);
    case StateColumn: return static_cast<qlonglong>(job.ended ? toUnixNanos(*job.ended) : std::numeric_limits<qlonglong>::max());
    default: return text(job, column).toCaseFolded();
    }
}

QVariant JobsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const auto &job = m_jobs[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole: return text(job, column);
    case Qt::ToolTipRole: return column == JobColumn ? plainTip(shown(job.id, 400)) : QVariant();
    case Qt::TextAlignmentRole:
        if (column == ProcessesColumn || column == RssColumn)
            return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
        return QVariant::fromValue(Qt::AlignLeft | Qt::AlignVCenter);
    case IdRole: return QString::fromStdString(job.id);
    case cellRole::Sort: return sortValue(job, column);
    case cellRole::IsStrong: return column == JobColumn || column == RssColumn;
    case cellRole::Ink: return job.ended ? 2 : column == JobColumn || column == RssColumn ? 0 : 1;
    case cellRole::GlyphMark:
        if (column == StateColumn)
            return static_cast<int>(job.ended ? Glyph::Ended : Glyph::Live);
        return {};
    default: break;
    }
    if (column != ShareColumn || job.ended || !job.rss)
        return {};
    if (role == cellRole::Ratio)
        return m_largest > 0 ? static_cast<double>(job.rss->value) / m_largest : 0.0;
    if (role == cellRole::RatioText)
        return figureText(formatValue(share(job), "1"));
    if (role == cellRole::BarSeries)
        return kHostSeries;
    return {};
}

QVariant JobsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole) {
        const bool isNumber = section == ProcessesColumn || section == RssColumn;
        return QVariant::fromValue((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case JobColumn: return tr("Job");
    case KindColumn: return tr("Kind");
    case TeamColumn: return tr("Team");
    case ModelColumn: return tr("Model");
    case ProcessesColumn: return tr("Processes");
    case RssColumn: return tr("RSS");
    case ShareColumn: return tr("Share of jobs");
    case StartedColumn: return tr("Started");
    case StateColumn: return tr("State");
    default: return {};
    }
}

} // namespace plimsoll
