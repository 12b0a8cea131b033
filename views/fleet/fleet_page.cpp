// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet/fleet_page.h"

#include "session/session.h"
#include "session/time_context.h"
#include "views/event_text.h"
#include "views/events_model.h"
#include "views/fleet/device_timeline.h"
#include "views/fleet/fleet_figures.h"
#include "views/fleet/fleet_inspector.h"
#include "views/fleet/fleet_values.h"
#include "views/fleet_filter.h"
#include "views/jobs_model.h"
#include "views/panel_state.h"
#include "views/device_text.h"
#include "views/layout_keys.h"
#include "views/reading_legend.h"
#include "views/time_text.h"
#include "views/timeline_feed.h"
#include "widgets/charts/sparkline.h"
#include "widgets/heatmap/headroom_list.h"
#include "widgets/heatmap/heat_grid.h"
#include "widgets/heatmap/legend.h"
#include "widgets/shell/figure_strip.h"
#include "widgets/shell/panel.h"
#include "widgets/tables/copyable_table.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/text.h"
#include "widgets/timeline/timeline_view.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace plimsoll {

namespace {

constexpr int kHistoryBuckets = 300;
constexpr int kLeftShare = 796;
constexpr int kRightShare = 348;
constexpr int kSoonMs = 120;
constexpr int kHeatRow = 17;
constexpr int kHeatFrame = 119; // header, captions, axis and legend around the rows
constexpr int kLowestHeat = 140;
constexpr int kHighestHeat = 446;

/// Hides what the Fleet page has no room for and gives the rest sensible widths.
void arrangeJobs(CopyableTable &table)
{
    table.setNameColumn(JobsModel::JobColumn);
    table.hideColumn(JobsModel::StateColumn);
    table.setColumnWidth(JobsModel::KindColumn, 76);
    table.setColumnWidth(JobsModel::TeamColumn, 84);
    table.setColumnWidth(JobsModel::ModelColumn, 100);
    table.setColumnWidth(JobsModel::ProcessesColumn, 72);
    table.setColumnWidth(JobsModel::RssColumn, 84);
    table.setColumnWidth(JobsModel::ShareColumn, 150);
    table.setColumnWidth(JobsModel::StartedColumn, 68);
}

QSplitter *makeSplitter(Qt::Orientation orientation, const QString &name)
{
    auto *splitter = new QSplitter(orientation);
    splitter->setHandleWidth(metrics::kGutter);
    splitter->setChildrenCollapsible(false);
    splitter->setAccessibleName(name);
    return splitter;
}

} // namespace

FleetPage::FleetPage(PageContext pageContext, QWidget *parent) : Page(std::move(pageContext), parent)
{
    setAccessibleName(tr("Fleet"));
    buildPanels();
    buildLayout();
    connectWidgets();
}

FleetPage::~FleetPage() = default;

void FleetPage::buildPanels()
{
    m_figures = new FigureStrip(this);

    m_heatPanel = new Panel(tr("Memory by node"));
    m_heat = new HeatGrid;
    m_heat->setAccessibleName(tr("Memory by node"));
    m_heat->setFreeCaption(tr("GiB free"));
    m_heatPanel->setContent(m_heat);
    m_heatPanel->headerRight()->addWidget(new LoadLegend);

    m_memoryPanel = new Panel(tr("Memory"));
    m_memory = new TimelineView;
    m_memory->setAccessibleName(tr("Memory over time"));
    m_memory->setEmptyText(tr("Nothing was seen in this range"));
    m_memoryPanel->setContent(m_memory);
    m_legend = new ReadingLegend;
    m_memoryPanel->headerRight()->addWidget(m_legend);
    m_memoryFeed = new TimelineFeed(session(), *m_memory, this);

    m_headroomPanel = new Panel(tr("Headroom"));
    m_headroom = new HeadroomList;
    m_headroom->setAccessibleName(tr("Headroom, least first"));
    m_headroomPanel->setContent(m_headroom);
    m_headroomPanel->setContentMargins({});

    m_jobsPanel = new Panel(tr("Running jobs"));
    m_jobsModel = new JobsModel(this);
    m_jobs = new CopyableTable;
    m_jobs->setModel(m_jobsModel);
    m_jobs->setAccessibleName(tr("Running jobs"));
    arrangeJobs(*m_jobs);
    m_jobsPanel->setContent(m_jobs);
    m_jobsPanel->setContentMargins({});

    m_eventsPanel = new Panel(tr("Events"));
    m_eventsModel = new EventsModel(this);
    m_events = new CopyableTable;
    m_events->setModel(m_eventsModel);
    m_events->setAccessibleName(tr("Events, newest first"));
    m_events->setNameColumn(EventsModel::SubjectColumn);
    m_events->horizontalHeader()->hide();
    m_events->hideColumn(EventsModel::DetailColumn);
    m_events->setColumnWidth(EventsModel::TimeColumn, 76);
    m_events->setColumnWidth(EventsModel::KindColumn, 120);
    m_eventsPanel->setContent(m_events);
    m_eventsPanel->setContentMargins({});
}

void FleetPage::buildLayout()
{
    m_left = makeSplitter(Qt::Vertical, tr("Left column"));
    m_left->addWidget(m_heatPanel);
    m_left->addWidget(m_memoryPanel);
    m_left->addWidget(m_jobsPanel);
    m_right = makeSplitter(Qt::Vertical, tr("Right column"));
    m_right->addWidget(m_headroomPanel);
    m_right->addWidget(m_eventsPanel);
    m_columns = makeSplitter(Qt::Horizontal, tr("Columns"));
    m_columns->addWidget(m_left);
    m_columns->addWidget(m_right);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(metrics::kGutter);
    layout->addWidget(m_figures);
    layout->addWidget(m_columns, 1);
    resetLayout();
    m_columns->restoreState(context().settings->get(setting::kFleetColumns));
    m_isLayoutOwn = m_left->restoreState(context().settings->get(setting::kFleetLeft));
    connect(m_left, &QSplitter::splitterMoved, this, [this] { m_isLayoutOwn = true; });
    m_right->restoreState(context().settings->get(setting::kFleetRight));
}

void FleetPage::resetLayout()
{
    m_columns->setSizes({kLeftShare, kRightShare});
    m_columns->setStretchFactor(0, kLeftShare);
    m_columns->setStretchFactor(1, kRightShare);
    m_right->setSizes({446, 236});
    m_right->setStretchFactor(0, 2);
    m_right->setStretchFactor(1, 1);
    m_isLayoutOwn = false;
    fitHeat();
}

/// A map of a few nodes is low and one of many is high: the timeline below takes what it leaves.
/// Who moved a handle decides for good.
void FleetPage::fitHeat()
{
    if (m_isLayoutOwn)
        return;
    const auto nodes = static_cast<int>(context().fleet().fleet.nodes.size());
    const int heat = std::clamp(kHeatFrame + nodes * kHeatRow, kLowestHeat, kHighestHeat);
    if (heat == m_fittedHeat)
        return;
    m_fittedHeat = heat;
    m_left->setStretchFactor(0, heat == kHighestHeat ? 1 : 0);
    m_left->setStretchFactor(1, 2);
    m_left->setStretchFactor(2, 1);
    const int rest = std::max(240, m_left->height() - heat - 2 * metrics::kGutter);
    m_left->setSizes({heat, rest * 65 / 100, rest * 35 / 100});
    m_right->setSizes({heat, rest});
    m_right->setStretchFactor(0, heat == kHighestHeat ? 2 : 0);
}

void FleetPage::saveLayout() const
{
    context().settings->set(setting::kFleetColumns, m_columns->saveState());
    context().settings->set(setting::kFleetLeft, m_isLayoutOwn ? m_left->saveState() : QByteArray());
    context().settings->set(setting::kFleetRight, m_right->saveState());
}

void FleetPage::connectWidgets()
{
    connect(m_heat, &HeatGrid::hovered, this, [this](const std::string &id) {
        m_hovered = id;
        updateInspector();
    });
    connect(m_heat, &HeatGrid::selected, this, &FleetPage::select);
    connect(m_heat, &HeatGrid::activated, this, &FleetPage::openJobOf);
    connect(m_heat, &HeatGrid::crosshairMoved, m_memory, &TimelineView::setCrosshair);
    connect(m_headroom, &HeadroomList::selected, this, &FleetPage::select);
    connect(m_headroom, &HeadroomList::opened, this, &FleetPage::openJobOf);
    connect(m_jobs, &CopyableTable::activated, this, [this](const QModelIndex &index) {
        session().time()->openJob(index.data(JobsModel::IdRole).toString().toStdString());
    });
    connect(m_events, &CopyableTable::activated, this, [this](const QModelIndex &index) {
        const Instant at = m_eventsModel->eventAt(index.row()).time;
        const Duration half = session().time()->state().span / 2;
        session().time()->showRange({at - half, at + half});
    });

    const auto readings = [this] { m_legend->setReadings(m_memoryFeed->legendReadings()); };
    connect(m_memory, &TimelineView::crosshairMoved, m_heat, &HeatGrid::setCrosshair);
    connect(m_memory, &TimelineView::crosshairMoved, this, readings);
    connect(m_memory, &TimelineView::crosshairMoved, this, &FleetPage::updateInspector);
    connect(m_memory, &TimelineView::selectionChanged, this, &FleetPage::updateInspector);
    connect(m_memoryFeed, &TimelineFeed::answered, this, [this, readings] {
        readings();
        refresh();
    });
    connect(m_memoryFeed, &TimelineFeed::failed, this, [this](const Error &error) {
        const PanelNotice notice{tr("The history could not be read. Live figures go on."), shown(error.detail, 200), {}};
        showNotice(*m_memoryPanel, &notice);
    });

    connect(&session(), &Session::dataCommitted, this, [this] { askHistory(); });
    connect(session().time(), &TimeContext::rangeChanged, this, [this](TimeRange range) {
        if (!m_isActive)
            return;
        m_heat->setHistoryRange(range);
        if (session().time()->state().mode != TimeMode::Live)
            askHistory();
    });
    connect(session().time(), &TimeContext::stateChanged, this, [this] {
        if (m_isActive)
            refreshNow();
    });
    connect(&session(), &Session::eventsArrived, this, [this] {
        if (m_isActive)
            updateEvents();
    });
    connect(&session(), &Session::statusChanged, this, [this] {
        if (m_isActive)
            refresh();
    });
    m_soon.setSingleShot(true);
    m_soon.setInterval(kSoonMs);
    connect(&m_soon, &QTimer::timeout, this, [this] {
        if (m_isActive)
            refreshNow();
    });
}

bool FleetPage::isUtc() const
{
    return context().settings->get(setting::kTimesInUtc);
}

void FleetPage::activate()
{
    m_isActive = true;
    m_wantsFocus = !m_heat->isVisible();
    m_heat->setUtc(isUtc());
    m_memory->setUtc(isUtc());
    m_jobsModel->setUtc(isUtc());
    m_eventsModel->setUtc(isUtc());
    m_askedRange = {};
    m_actionsFor.clear();
    m_spark = new Sparkline;
    m_spark->setFixedHeight(56);
    context().inspector->setExtra(m_spark);
    m_memoryFeed->setActive(true);
    refreshNow();
    updateEvents();
}

void FleetPage::deactivate()
{
    m_isActive = false;
    m_memoryFeed->setActive(false);
    context().inspector->setExtra(nullptr);
}

QWidget *FleetPage::focusPlace()
{
    return m_heat;
}

bool FleetPage::isFilled() const
{
    return m_hasHistory && m_memoryFeed->hasAnswer() && !context().fleet().fleet.nodes.empty();
}

void FleetPage::resizeEvent(QResizeEvent *event)
{
    Page::resizeEvent(event);
    m_fittedHeat = 0;
    fitHeat();
}

void FleetPage::refresh()
{
    const bool canWait = m_hasHistory && session().time()->state().mode == TimeMode::Live;
    if (!canWait)
        refreshNow();
    else if (!m_soon.isActive())
        m_soon.start();
}

void FleetPage::refreshNow()
{
    m_soon.stop();
    fitHeat();
    updateFigures();
    updateHeat();
    updateJobs();
    updateMemory();
    updateNotices();
    updateInspector();
    askHistory();
}

void FleetPage::updateFigures()
{
    m_figures->setCells(fleetFigures(context().fleet().fleet, m_history, *session().series(), session().status()));
}

void FleetPage::updateHeat()
{
    const Fleet &fleet = context().fleet().fleet;
    const bool isThen = session().time()->state().mode == TimeMode::Travelling;
    const bool hasGpus = memorySum(fleet, true).devices > 0;
    const TimeRange range = session().time()->visibleRange();
    m_heatPanel->setTitle(hasGpus ? tr("GPU memory by node") : tr("Host memory by node"));
    m_heat->setCellCaption(isThen ? tr("then") : hasGpus ? tr("now, one cell a GPU") : tr("now"));
    m_heat->setHistoryCaption(tr("%1, %2").arg(session().time()->state().mode == TimeMode::Live
                                                   ? tr("last %1").arg(durationText(range.length()))
                                                   : durationText(range.length()),
                                               hasGpus ? tr("worst GPU of the node") : tr("memory used")));
    const auto seen = std::count_if(fleet.nodes.begin(), fleet.nodes.end(),
                                    [](const NodeState &node) { return node.freshness != Freshness::Away; });
    const auto all = static_cast<std::ptrdiff_t>(fleet.nodes.size());
    m_heatPanel->setNote(seen < all ? tr("%1 of %2 nodes seen").arg(seen).arg(all) : QString());
    m_heat->setHistoryRange(range);
    m_heat->setGroups(heatGroups(fleet, m_history, kHistoryBuckets));
    m_heat->setSelected(session().time()->state().device);
    m_headroom->setEntries(headroomEntries(fleet, m_history));
    m_headroom->setSelected(session().time()->state().device);
    m_headroomPanel->setTitle(isThen ? tr("Headroom then") : tr("Headroom"));
    m_headroomPanel->setNote(m_headroom->scaleText());
}

void FleetPage::updateMemory()
{
    const DeviceState *device = chosenDevice();
    const auto plan = device ? planDevice(*device, *session().series()) : std::nullopt;
    if (!plan) {
        m_memoryDevice.clear();
        m_memoryFeed->clear();
        return;
    }
    m_memoryDevice = device->id;
    m_memoryPanel->setTitle(device->kind == DeviceKind::Host ? tr("Memory of %1").arg(shown(device->node, 60))
                                                             : tr("Memory of %1").arg(deviceTitle(*device)));
    const std::string node = device->node;
    m_memoryFeed->setEventFilter([node](const Event &event) {
        const auto host = event.labels.find(label::kHost);
        return !host || *host == node;
    });
    const NodeState *state = findNode(context().fleet().fleet, node);
    m_memory->setStale(state && state->freshness != Freshness::Live);
    m_memoryFeed->setSeries(plan->series, [plan](const SliceAnswer &answer) { return plan->convert(answer); });
}

void FleetPage::updateJobs()
{
    std::vector<JobState> running;
    const Fleet &fleet = context().fleet().fleet;
    std::copy_if(fleet.jobs.begin(), fleet.jobs.end(), std::back_inserter(running),
                 [](const JobState &job) { return !job.ended; });
    std::stable_sort(running.begin(), running.end(), [](const JobState &a, const JobState &b) {
        return a.rss.value_or(Bytes{-1}) > b.rss.value_or(Bytes{-1});
    });
    m_jobsModel->setJobs(std::move(running), fleet.at);
}

void FleetPage::updateEvents()
{
    m_eventsModel->setEvents(session().recentEvents(), session().time()->now());
    m_eventsPanel->setNote(m_eventsModel->rowCount() ? tr("newest first") : QString());
    if (m_eventsModel->rowCount() == 0) {
        const PanelNotice notice{tr("Nothing has happened yet."),
                                 tr("Jobs that start and end, OOM kills and limits that are hit appear here."), {}};
        showNotice(*m_eventsPanel, &notice);
    } else {
        showNotice(*m_eventsPanel, nullptr);
    }
}

void FleetPage::updateNotices()
{
    const FilteredFleet &filtered = context().fleet();
    std::optional<PanelNotice> nothing;
    if (filtered.allDevices == 0 && session().connections().empty())
        nothing = PanelNotice{tr("No agent yet. Add one, or let this window watch its own machine."),
                              tr("An agent is one program on a node: plimsoll-agent --listen 127.0.0.1:7443"),
                              {{tr("Add an agent"), [this] { emit connectionsWanted(); }}}};
    else if (filtered.allDevices > 0 && filtered.devices == 0)
        nothing = PanelNotice{tr("Nothing matches the filter."), tr("%1 devices are hidden by it.").arg(filtered.allDevices),
                              {{tr("Clear filter"), [this] { emit filterClearWanted(); }}}};

    if (!nothing && filtered.allDevices == 0) {
        for (Panel *panel : {m_heatPanel, m_memoryPanel, m_headroomPanel})
            showLoading(*panel, tr("Waiting for the first values"));
    } else {
        showNotice(*m_heatPanel, nothing ? &*nothing : nullptr);
        // The map could not take the keys while its panel was waiting for values.
        if (!nothing && std::exchange(m_wantsFocus, false) && !qobject_cast<QLineEdit *>(QApplication::focusWidget()))
            m_heat->setFocus();
        const PanelNotice quiet{tr("Nothing to show."), {}, {}};
        showNotice(*m_headroomPanel, nothing ? &quiet : nullptr);
        showNotice(*m_memoryPanel, nothing || m_memoryDevice.empty() ? &quiet : nullptr);
    }

    if (m_jobsModel->rowCount() > 0) {
        showNotice(*m_jobsPanel, nullptr);
        m_jobsPanel->setNote(tr("largest first"));
        return;
    }
    m_jobsPanel->setNote({});
    const PanelNotice noJobs{tr("No job runs."),
                             tr("A process becomes one when it says so: PLIMSOLL_JOB_ID=my-run python train.py"), {}};
    showNotice(*m_jobsPanel, &noJobs);
}

const DeviceState *FleetPage::chosenDevice() const
{
    const Fleet &fleet = context().fleet().fleet;
    if (const DeviceState *selected = findDevice(fleet, session().time()->state().device))
        return selected;
    return leastHeadroom(fleet);
}

const DeviceState *FleetPage::shownDevice() const
{
    if (!m_hovered.empty())
        if (const DeviceState *hovered = findDevice(context().fleet().fleet, m_hovered))
            return hovered;
    return chosenDevice();
}

void FleetPage::updateInspector()
{
    if (!m_isActive)
        return;
    const Instant now = session().time()->now();
    const bool isSelection = m_hovered.empty() && showSelection(*context().inspector, *m_memory, now, isUtc());
    const DeviceState *device = isSelection ? nullptr : shownDevice();
    if (m_spark)
        m_spark->parentWidget()->setVisible(device != nullptr);
    if (!device) {
        m_actionsFor.clear();
        context().inspector->setActions({});
        if (!isSelection) {
            context().inspector->setTitle(tr("Inspector"), {});
            context().inspector->setEmpty(tr("Point at a device to see it here."));
        }
        return;
    }
    if (m_spark) {
        auto free = m_history.freeOf(device->id, 120);
        const double capacity = device->capacity ? static_cast<double>(device->capacity->value) : 0;
        for (double &value : free)
            value = capacity - value;
        m_spark->setValues(std::move(free));
        m_spark->setSeries(device->kind == DeviceKind::Host ? 2 : 0);
    }
    DeviceInspection what{*device, context().fleet().fleet, m_history.timeToFullOf(device->id), m_memoryFeed->events(), now, isUtc()};
    auto sections = deviceSections(what);
    if (const auto at = m_memory->crosshair(); at && m_hovered.empty())
        sections.insert(sections.begin(), readingsSection(tr("At %1").arg(clockText(*at, now, isUtc())), m_memoryFeed->legendReadings()));
    showDevice(*context().inspector, what, std::move(sections));
    // Buttons are made anew only for another device, or live data would take the focus from them.
    const bool hasJob = !jobsOn(context().fleet().fleet, *device).empty();
    const std::string actionsFor = hasJob ? device->id : "-";
    if (actionsFor == m_actionsFor)
        return;
    m_actionsFor = actionsFor;
    std::vector<Inspector::Action> actions;
    if (hasJob)
        actions.push_back({tr("Open job"), [this, id = device->id] { openJobOf(id); }, true, {}});
    context().inspector->setActions(std::move(actions));
    context().inspector->setHint(tr("Enter opens the job \u00b7 T shows the fleet at the crosshair"));
}

void FleetPage::select(const std::string &device)
{
    session().time()->selectDevice(device);
}

void FleetPage::openJobOf(const std::string &id)
{
    const Fleet &fleet = context().fleet().fleet;
    const DeviceState *device = findDevice(fleet, id);
    const auto jobs = device ? jobsOn(fleet, *device) : std::vector<const JobState *>{};
    if (jobs.empty()) {
        context().notify(tr("No job runs there."));
        return;
    }
    session().time()->openJob(jobs.front()->id);
}

void FleetPage::askHistory()
{
    if (!m_isActive || !session().slices())
        return;
    auto tracks = tracksOf(context().fleet().fleet);
    const TimeRange range = session().time()->visibleRange();
    if (tracks.empty() || range.isEmpty())
        return;
    // While live a strip moves by one of its parts at a time; asking more often changes nothing.
    const bool isLive = session().time()->state().mode == TimeMode::Live;
    const bool isSameSpan = range.length() == m_askedRange.length() && tracks == m_askedTracks;
    const auto part = std::chrono::duration_cast<std::chrono::milliseconds>(range.length()).count() / kHistoryBuckets;
    const auto pause = std::clamp<long long>(part, 1000, 30000) - 100;
    if (isSameSpan && m_sinceAsked.isValid() && (isLive ? m_sinceAsked.elapsed() < pause : range == m_askedRange))
        return;
    if (!m_historyFeed) {
        m_historyFeed = session().slices()->createFeed(this);
        connect(m_historyFeed, &SliceFeed::answered, this, &FleetPage::takeHistory);
        connect(m_historyFeed, &SliceFeed::failed, this, [this] { m_askedRange = {}; });
    }
    SliceRequest request;
    for (const auto &track : tracks)
        request.series.push_back(track.series);
    request.range = range;
    request.pixels = kHistoryBuckets;
    m_askedTracks = std::move(tracks);
    m_askedRange = range;
    m_sinceAsked.start();
    m_historyFeed->ask(std::move(request));
}

void FleetPage::takeHistory(const std::shared_ptr<const SliceAnswer> &answer)
{
    if (answer->request.series.size() != m_askedTracks.size())
        return;
    m_history = DeviceHistory(m_askedTracks, answer->slices, answer->request.range);
    const bool isFirst = !std::exchange(m_hasHistory, true);
    if (m_isActive && isFirst)
        refreshNow();
    else if (m_isActive)
        refresh();
}

} // namespace plimsoll
