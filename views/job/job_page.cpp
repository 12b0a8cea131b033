// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/job/job_page.h"

#include "base/format.h"
#include "session/session.h"
#include "session/time_context.h"
#include "views/device_text.h"
#include "views/event_text.h"
#include "views/events_model.h"
#include "views/fleet_filter.h"
#include "views/job/job_facts.h"
#include "views/job/process_model.h"
#include "views/jobs_model.h"
#include "views/panel_state.h"
#include "views/layout_keys.h"
#include "views/range_sections.h"
#include "views/reading_legend.h"
#include "views/time_text.h"
#include "views/timeline_feed.h"
#include "widgets/shell/page_header.h"
#include "widgets/shell/panel.h"
#include "widgets/tables/copyable_table.h"
#include "widgets/tables/value_delegate.h"
#include "widgets/theme/buttons.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/text.h"
#include "widgets/timeline/timeline_view.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <utility>

namespace plimsoll {

namespace {


QSplitter *makeSplitter(Qt::Orientation orientation)
{
    auto *splitter = new QSplitter(orientation);
    splitter->setHandleWidth(metrics::kGutter);
    splitter->setChildrenCollapsible(false);
    return splitter;
}

} // namespace

JobPage::JobPage(PageContext pageContext, QWidget *parent) : Page(std::move(pageContext), parent), m_stack(new QStackedWidget(this))
{
    setAccessibleName(tr("Jobs"));
    buildChooser();
    buildDetail();
    connectDetail();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
}

void JobPage::buildChooser()
{
    m_chooserPanel = new Panel(tr("Jobs"));
    m_jobsModel = new JobsModel(this);
    m_sortedJobs = new QSortFilterProxyModel(this);
    m_sortedJobs->setSourceModel(m_jobsModel);
    m_sortedJobs->setSortRole(cellRole::Sort);
    m_chooser = new CopyableTable;
    m_chooser->setModel(m_sortedJobs);
    m_chooser->setAccessibleName(tr("Jobs"));
    m_chooser->setNameColumn(JobsModel::JobColumn);
    m_chooser->setColumnWidth(JobsModel::KindColumn, 90);
    m_chooser->setColumnWidth(JobsModel::TeamColumn, 110);
    m_chooser->setColumnWidth(JobsModel::ModelColumn, 130);
    m_chooser->setColumnWidth(JobsModel::ProcessesColumn, 80);
    m_chooser->setColumnWidth(JobsModel::RssColumn, 96);
    m_chooser->setColumnWidth(JobsModel::ShareColumn, 180);
    m_chooser->setColumnWidth(JobsModel::StartedColumn, 96);
    m_chooser->setColumnWidth(JobsModel::StateColumn, 140);
    m_chooser->setSortingEnabled(true);
    m_chooser->sortByColumn(JobsModel::StateColumn, Qt::DescendingOrder);
    m_chooserPanel->setContent(m_chooser);
    m_chooserPanel->setContentMargins({});
    m_stack->addWidget(m_chooserPanel);
    connect(m_chooser, &CopyableTable::activated, this, [this](const QModelIndex &index) {
        session().time()->openJob(index.data(JobsModel::IdRole).toString().toStdString());
    });
}

void JobPage::buildDetail()
{
    m_detail = new QWidget;
    m_header = new PageHeader;
    auto *all = makeButton(tr("All jobs"), ButtonKind::Quiet);
    all->setToolTip(tr("Back to the list"));
    connect(all, &QPushButton::clicked, this, [this] { session().time()->selectJob({}); });
    m_header->right()->addWidget(all);

    m_memoryPanel = new Panel(tr("Memory"));
    m_memory = new TimelineView;
    m_memory->setAccessibleName(tr("Memory of the job over time"));
    m_memory->setEmptyText(tr("Nothing was seen in this range"));
    m_legend = new ReadingLegend;
    m_memoryPanel->headerRight()->addWidget(m_legend);
    m_memoryPanel->setContent(m_memory);
    m_feed = new TimelineFeed(session(), *m_memory, this);

    m_processPanel = new Panel(tr("Processes"));
    m_processModel = new ProcessModel(this);
    m_processes = new CopyableTable;
    m_processes->setModel(m_processModel);
    m_processes->setAccessibleName(tr("Processes of the job"));
    m_processes->setNameColumn(ProcessModel::NameColumn);
    m_processes->setColumnWidth(ProcessModel::PidColumn, 72);
    m_processes->setColumnWidth(ProcessModel::NodeColumn, 100);
    m_processes->setColumnWidth(ProcessModel::RssColumn, 80);
    m_processes->setColumnWidth(ProcessModel::BarColumn, 110);
    m_processes->setColumnWidth(ProcessModel::PssColumn, 80);
    m_processes->setColumnWidth(ProcessModel::SwapColumn, 72);
    m_processPanel->setContent(m_processes);
    m_processPanel->setContentMargins({});

    m_logPanel = new Panel(tr("Events"));
    m_logModel = new EventsModel(this);
    m_log = new CopyableTable;
    m_log->setModel(m_logModel);
    m_log->setAccessibleName(tr("Events of the job, newest first"));
    m_log->setNameColumn(EventsModel::DetailColumn);
    m_log->hideColumn(EventsModel::SubjectColumn);
    m_log->horizontalHeader()->hide();
    m_log->setColumnWidth(EventsModel::TimeColumn, 80);
    m_log->setColumnWidth(EventsModel::KindColumn, 130);
    m_logPanel->setContent(m_log);
    m_logPanel->setContentMargins({});

    m_bottom = makeSplitter(Qt::Horizontal);
    m_bottom->addWidget(m_processPanel);
    m_bottom->addWidget(m_logPanel);
    m_rows = makeSplitter(Qt::Vertical);
    m_rows->addWidget(m_memoryPanel);
    m_rows->addWidget(m_bottom);

    auto *layout = new QVBoxLayout(m_detail);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(metrics::kGutter);
    layout->addWidget(m_header);
    layout->addWidget(m_rows, 1);
    m_stack->addWidget(m_detail);
    resetLayout();
    m_rows->restoreState(context().settings->get(setting::kJobRows));
    m_bottom->restoreState(context().settings->get(setting::kJobBottom));
}

void JobPage::resetLayout()
{
    m_rows->setSizes({520, 230});
    m_rows->setStretchFactor(0, 3);
    m_rows->setStretchFactor(1, 1);
    m_bottom->setSizes({690, 454});
    m_bottom->setStretchFactor(0, 3);
    m_bottom->setStretchFactor(1, 2);
}

void JobPage::saveLayout() const
{
    context().settings->set(setting::kJobRows, m_rows->saveState());
    context().settings->set(setting::kJobBottom, m_bottom->saveState());
}

void JobPage::connectDetail()
{
    const auto readings = [this] {
        m_legend->setReadings(m_feed->legendReadings());
        updateInspector();
    };
    connect(m_memory, &TimelineView::crosshairMoved, this, readings);
    connect(m_memory, &TimelineView::selectionChanged, this, readings);
    connect(m_feed, &TimelineFeed::answered, this, [this, readings] {
        showNotice(*m_memoryPanel, nullptr);
        m_logModel->setEvents(m_feed->events(), session().time()->now());
        const bool hasEvents = m_logModel->rowCount() > 0;
        const PanelNotice none{tr("Nothing happened to this job in the visible range."), {}, {}};
        showNotice(*m_logPanel, hasEvents ? nullptr : &none);
        m_logPanel->setNote(hasEvents ? tr("newest first") : QString());
        readings();
        // The canvas could not take the keys while its panel was loading.
        if (std::exchange(m_wantsFocus, false) && isVisible() && (!QApplication::focusWidget() || isAncestorOf(QApplication::focusWidget())))
            m_memory->setFocus();
    });
    connect(m_feed, &TimelineFeed::failed, this, [this](const Error &error) {
        const PanelNotice notice{tr("The history could not be read. Live figures go on."), shown(error.detail, 200), {}};
        showNotice(*m_memoryPanel, &notice);
    });
    connect(m_log, &CopyableTable::activated, this, [this](const QModelIndex &index) {
        m_memory->setCrosshair(m_logModel->eventAt(index.row()).time);
        updateInspector();
    });
    connect(&session(), &Session::seriesChanged, this, [this] {
        if (m_isActive)
            refresh();
    });
    connect(session().time(), &TimeContext::stateChanged, this, [this] {
        if (m_isActive)
            refresh();
    });
}

bool JobPage::isUtc() const
{
    return context().settings->get(setting::kTimesInUtc);
}

const JobState *JobPage::job() const
{
    // A job that is looked at stays, whatever the filter hides elsewhere.
    const auto fleet = session().fleet();
    const JobState *found = findJob(*fleet, session().time()->state().job);
    return found;
}

void JobPage::activate()
{
    m_isActive = true;
    m_memory->setUtc(isUtc());
    m_jobsModel->setUtc(isUtc());
    m_logModel->setUtc(isUtc());
    m_feed->setActive(!session().time()->state().job.empty());
    refresh();
}

void JobPage::deactivate()
{
    m_isActive = false;
    m_feed->setActive(false);
}

QWidget *JobPage::focusPlace()
{
    return m_stack->currentWidget() == m_detail ? static_cast<QWidget *>(m_memory) : m_chooser;
}

bool JobPage::isFilled() const
{
    return m_stack->currentWidget() == m_chooserPanel || m_feed->hasAnswer();
}

void JobPage::refresh()
{
    const auto fleet = session().fleet(); // keeps what job() points into alive
    const std::string &wanted = session().time()->state().job;
    if (wanted.empty()) {
        const bool isReturn = m_stack->currentWidget() != m_chooserPanel;
        m_stack->setCurrentWidget(m_chooserPanel);
        if (isReturn && isVisible())
            m_chooser->setFocus();
        m_feed->setActive(false);
        m_shownJob.clear();
        updateChooser();
    } else if (const JobState *found = job()) {
        const bool isOther = m_shownJob != wanted || m_stack->currentWidget() != m_detail;
        m_stack->setCurrentWidget(m_detail);
        if (isOther) {
            m_shownJob = wanted;
            m_wantsFocus = true;
            m_feed->clear();
            m_feed->setEventFilter([wanted](const Event &event) { return concernsJob(event, wanted); });
            showLoading(*m_memoryPanel, tr("Reading the history of %1").arg(shown(wanted, 60)));
        }
        updateDetail(*found);
        if (isOther)
            m_feed->setActive(true);
    } else {
        m_stack->setCurrentWidget(m_detail);
        showMissing();
    }
    updateInspector();
}

void JobPage::updateChooser()
{
    const FilteredFleet &filtered = context().fleet();
    m_jobsModel->setJobs(filtered.fleet.jobs, filtered.fleet.at);
    const auto running = std::count_if(filtered.fleet.jobs.begin(), filtered.fleet.jobs.end(),
                                       [](const JobState &job) { return !job.ended; });
    m_chooserPanel->setNote(tr("%1 running, %2 ended").arg(running).arg(static_cast<long long>(filtered.fleet.jobs.size()) - running));
    if (m_jobsModel->rowCount() > 0) {
        showNotice(*m_chooserPanel, nullptr);
        return;
    }
    m_chooserPanel->setNote({});
    if (!session().time()->state().filter.empty() && !session().fleet()->jobs.empty()) {
        const PanelNotice notice{tr("No job matches the filter."), {}, {{tr("Clear filter"), [this] { emit filterClearWanted(); }}}};
        showNotice(*m_chooserPanel, &notice);
        return;
    }
    const PanelNotice notice{tr("No job has been seen yet."),
                             tr("A process becomes one when it says so: PLIMSOLL_JOB_ID=my-run PLIMSOLL_TEAM=nlp python train.py"),
                             {}};
    showNotice(*m_chooserPanel, &notice);
}

void JobPage::updateDetail(const JobState &job)
{
    updateHeader(job);
    const auto series = session().series();
    JobPlan plan = planJob(job, *series);
    if (plan.isEmpty()) {
        const PanelNotice notice{tr("No memory of this job has been seen yet."), {}, {}};
        showNotice(*m_memoryPanel, &notice);
    }
    m_plan = plan;
    auto wanted = plan.series(); // before the plan moves: arguments are evaluated in no order
    m_feed->setSeries(std::move(wanted), [plan = std::move(plan)](const SliceAnswer &answer) { return timelineTracks(plan, answer); });
    const bool isStale = !job.ended && job.seen && session().fleet()->at - *job.seen > std::chrono::seconds(5);
    m_memory->setStale(isStale);
    m_memoryPanel->setNote(isStale ? tr("stale") : QString());

    m_processModel->setProcesses(processesOf(job.id, *series, session().fleet()->at));
    m_processes->setColumnHidden(ProcessModel::NodeColumn, job.nodes.size() < 2);
    const PanelNotice gone{job.ended ? tr("The job has ended, no process of it is left.") : tr("No process of this job is watched."), {}, {}};
    const bool hasProcesses = m_processModel->rowCount() > 0;
    showNotice(*m_processPanel, hasProcesses ? nullptr : &gone);
    m_processPanel->setNote(hasProcesses ? tr("largest first") : QString());
}

void JobPage::updateHeader(const JobState &job)
{
    m_header->setName(shown(job.id, 60), jobSubtitle(job));
    m_header->setFacts(jobFacts(job, *session().series(), session().fleet()->at, isUtc()));
}

void JobPage::showMissing()
{
    const QString name = shown(session().time()->state().job, 60);
    m_header->setName(name, tr("not known at this time"));
    m_header->setFacts({});
    m_feed->clear();
    m_processModel->setProcesses({});
    const PanelNotice notice{tr("%1 is not known at this time.").arg(name), tr("It may have run before or after it."),
                             {{tr("All jobs"), [this] { session().time()->selectJob({}); }}}};
    showNotice(*m_memoryPanel, &notice);
    const PanelNotice nothing{tr("Nothing to show."), {}, {}};
    showNotice(*m_processPanel, &nothing);
    showNotice(*m_logPanel, &nothing);
}

void JobPage::updateInspector()
{
    if (!m_isActive)
        return;
    Inspector &inspector = *context().inspector;
    inspector.setHint({});
    inspector.setActions({});
    const Instant now = session().time()->now();
    const auto fleet = session().fleet();
    const JobState *shownJob = job();
    if (!shownJob) {
        inspector.setTitle(tr("Inspector"), {});
        inspector.setEmpty(tr("Choose a job; Enter opens it."));
        return;
    }
    if (showSelection(inspector, *m_memory, now, isUtc()))
        return;
    auto sections = jobSections(*shownJob, *session().series(), now, isUtc());
    if (!m_feed->events().empty())
        sections.insert(sections.begin(), eventsSection(m_feed->events(), now, isUtc()));
    const auto at = m_memory->crosshair();
    auto readings = readingsSection(at ? tr("At %1").arg(clockText(*at, now, isUtc())) : tr("Newest"), m_feed->legendReadings());
    if (!readings.rows.empty())
        sections.insert(sections.begin(), std::move(readings));
    inspector.setTitle(tr("Inspector"), tr("Job"));
    const auto limit = tightestLimit(*shownJob, *session().series());
    const Figure rss = shownJob->rss ? formatBytes(*shownJob->rss) : Figure{"\u2013", ""};
    const bool hasLimit = limit && !shownJob->ended;
    inspector.setHeadline(shown(shownJob->id, 60), jobSubtitle(*shownJob), rss, {},
                          hasLimit ? tr("%1 of its limit").arg(percentText(limit->used / limit->limit)) : QString(),
                          hasLimit ? std::optional(limit->used / limit->limit) : std::nullopt);
    inspector.setSections(std::move(sections));
    inspector.setHint(tr("[ and ] set cursors A and B \u00b7 drag selects a range \u00b7 0 shows all"));
}

} // namespace plimsoll
