// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window.h"

#include "base/format.h"
#include "session/settings.h"
#include "session/time_context.h"
#include "views/connections/connections_page.h"
#include "views/fleet/fleet_page.h"
#include "views/job/job_page.h"
#include "views/layout_keys.h"
#include "views/settings/settings_page.h"
#include "views/time_text.h"
#include "views/window/overview_feed.h"
#include "views/window/status_cells.h"
#include "views/window/travel_frame.h"
#include "widgets/canvas/overview_strip.h"
#include "widgets/shell/command.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/inspector.h"
#include "widgets/shell/keys_help.h"
#include "widgets/shell/side_rail.h"
#include "widgets/shell/status_strip.h"
#include "widgets/shell/time_bar.h"
#include "widgets/shell/top_row.h"
#include "widgets/state/toast.h"
#include "widgets/tables/filter_bar.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"

#include <QCloseEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScreen>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr QSize kDefaultSize(1600, 1000);
constexpr QSize kSmallest(880, 560);

} // namespace

MainWindow::MainWindow(Session &session, Settings &settings, std::filesystem::path historyFile, QWidget *parent)
    : QWidget(parent), m_session(session), m_settings(settings), m_historyFile(std::move(historyFile)),
      m_commands(new CommandTable(this))
{
    setMinimumSize(kSmallest);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    makePlaces();
    buildShell(column);
    buildPalette();
    addCommands();
    m_commands->install(this);
    buildMenu();
    connectShell();
    connectSession();
    restoreLayout();

    updateFleet();
    const QString start = settings.get(setting::kStartPage);
    const auto isPlace = [&start](const Place &place) { return place.id == start; };
    const bool isKnown = std::any_of(m_places.begin(), m_places.end(), isPlace);
    if (isKnown && start.toStdString() != time().state().page)
        time().setPage(start.toStdString());
    else
        applyState(time().state());
    m_second.start(1000);
}

MainWindow::~MainWindow() = default;

void MainWindow::makePlaces()
{
    m_places = {
        {QStringLiteral("fleet"), Icon::Fleet, tr("Fleet"), QKeySequence(Qt::CTRL | Qt::Key_1), false,
         [this](const PageContext &with) -> Page * {
             auto *page = new FleetPage(with);
             connect(page, &FleetPage::connectionsWanted, this, [this] { m_commands->run(QStringLiteral("connections.add")); });
             connect(page, &FleetPage::filterClearWanted, this, [this] { time().setFilter({}); });
             return page;
         }},
        {QStringLiteral("jobs"), Icon::Jobs, tr("Jobs"), QKeySequence(Qt::CTRL | Qt::Key_2), false,
         [this](const PageContext &with) -> Page * {
             auto *page = new JobPage(with);
             connect(page, &JobPage::filterClearWanted, this, [this] { time().setFilter({}); });
             return page;
         }},
        {QStringLiteral("connections"), Icon::Connections, tr("Connections"), QKeySequence(Qt::CTRL | Qt::Key_3), false,
         [](const PageContext &with) -> Page * { return new ConnectionsPage(with); }},
        {QStringLiteral("settings"), Icon::Settings, tr("Settings"), QKeySequence(Qt::CTRL | Qt::Key_Comma), true,
         [this](const PageContext &with) -> Page * {
             std::vector<std::pair<QString, QString>> titles;
             for (const auto &place : m_places)
                 titles.emplace_back(place.id, place.title);
             auto *page = new SettingsPage(with, titles);
             connect(page, &SettingsPage::keysWanted, this, [this] { m_commands->run(QStringLiteral("help.keys")); });
             return page;
         }},
    };
}

void MainWindow::buildShell(QVBoxLayout *column)
{
    m_topRow = new TopRow;
    m_topRow->setCanAdd(false); // one session, and it is live
    m_timeBar = new TimeBar;
    m_overview = new OverviewStrip;
    m_overview->setAccessibleName(tr("Overview of all history"));
    m_timeBar->setStrip(m_overview);
    m_overviewFeed = new OverviewFeed(m_session, *m_overview, this);
    m_rail = new SideRail;
    m_filterBar = new FilterBar;
    m_stack = new QStackedWidget;
    m_inspector = new Inspector;
    m_inspector->setAccessibleName(tr("Inspector"));
    m_status = new StatusStrip;
    m_toasts = new ToastStack(this);
    m_help = new KeysHelp(this);
    m_travelFrame = new TravelFrame(this);

    auto *middle = new QWidget;
    auto *middleColumn = new QVBoxLayout(middle);
    middleColumn->setContentsMargins(metrics::kPagePadding, 0, metrics::kPagePadding, metrics::kPagePadding);
    middleColumn->setSpacing(0);
    middleColumn->addWidget(m_filterBar);
    middleColumn->addWidget(m_stack, 1);

    auto *body = new QHBoxLayout;
    body->setContentsMargins(0, 0, 0, 0);
    body->setSpacing(0);
    body->addWidget(m_rail);
    body->addWidget(middle, 1);
    body->addWidget(m_inspector);
    column->addWidget(m_topRow);
    column->addWidget(m_timeBar);
    column->addLayout(body, 1);
    column->addWidget(m_status);
    updateRail();
}

void MainWindow::connectShell()
{
    connect(m_rail, &SideRail::chosen, this, [this](const QString &id) { time().setPage(id.toStdString()); });
    connect(m_topRow, &TopRow::searchClicked, this, [this] { m_palette->open(); });
    connect(m_timeBar, &TimeBar::backClicked, &time(), &TimeContext::back);
    connect(m_timeBar, &TimeBar::forwardClicked, &time(), &TimeContext::forward);
    connect(m_timeBar, &TimeBar::homeClicked, &time(), &TimeContext::home);
    connect(m_timeBar, &TimeBar::modeClicked, this, [this] { m_commands->run(QStringLiteral("time.freeze")); });
    connect(m_timeBar, &TimeBar::customRangeTyped, this, &MainWindow::jumpTo);
    connect(m_timeBar, &TimeBar::spanChosen, this, [this](Duration span) {
        if (span > Duration::zero())
            time().setSpan(span);
        else
            m_commands->run(QStringLiteral("time.all"));
    });
    connect(m_filterBar, &FilterBar::addClicked, this, &MainWindow::addFilterMenu);
    connect(m_filterBar, &FilterBar::removeClicked, this, [this](const QString &id) {
        auto filter = time().state().filter;
        const auto index = static_cast<std::size_t>(id.toInt());
        if (index < filter.size()) {
            filter.erase(filter.begin() + static_cast<std::ptrdiff_t>(index));
            time().setFilter(std::move(filter));
        }
    });
    connect(m_status, &StatusStrip::clicked, this, [this](const QString &id) { m_commands->run(id); });
    connect(&m_second, &QTimer::timeout, this, [this] {
        if (time().state().mode != TimeMode::Live)
            updateTimeBar(); // the ages of frozen and travelling move on
    });
    connect(&m_settings, &Settings::changed, this, [this](const QString &name) {
        if (name != QLatin1String(setting::kTimesInUtc.name))
            return;
        m_timeBar->setUtc(isUtc());
        m_overview->setUtc(isUtc());
        m_palette->setUtc(isUtc());
        if (Page *shownPage = currentPage())
            shownPage->activate();
        updateTimeBar();
    });
    m_timeBar->setUtc(isUtc());
    m_overview->setUtc(isUtc());
    m_palette->setUtc(isUtc());
}

void MainWindow::connectSession()
{
    connect(&time(), &TimeContext::stateChanged, this, &MainWindow::applyState);
    connect(&time(), &TimeContext::rangeChanged, this, &MainWindow::updateTimeBar);
    connect(&time(), &TimeContext::historyChanged, this, &MainWindow::updateTimeBar);
    connect(&m_session, &Session::fleetChanged, this, [this] {
        updateFleet();
        updateFilterBar();
        if (Page *shownPage = currentPage())
            shownPage->refresh();
        watchFirstValue();
    });
    connect(&m_session, &Session::statusChanged, this, &MainWindow::updateStatus);
    connect(&m_session, &Session::connectionsChanged, this, [this] {
        updateStatus();
        updateRail();
        if (Page *shownPage = currentPage(); shownPage && m_fleet.allDevices == 0)
            shownPage->refresh(); // the welcome names what is awaited
    });
    connect(&m_session, &Session::failed, this, &MainWindow::notify);
}

PageContext MainWindow::context()
{
    PageContext with;
    with.session = &m_session;
    with.settings = &m_settings;
    with.inspector = m_inspector;
    with.commands = m_commands;
    with.historyFile = m_historyFile;
    with.fleet = [this]() -> const FilteredFleet & { return m_fleet; };
    with.notify = [this](const QString &sentence) { notify(sentence); };
    return with;
}

bool MainWindow::isUtc() const
{
    return m_settings.get(setting::kTimesInUtc);
}

Page *MainWindow::page(const QString &id)
{
    if (const auto found = m_pages.find(id); found != m_pages.end())
        return found->second;
    const auto place = std::find_if(m_places.begin(), m_places.end(), [&id](const Place &p) { return p.id == id; });
    if (place == m_places.end())
        return nullptr;
    Page *made = place->make(context());
    m_stack->addWidget(made);
    m_pages.emplace(id, made);
    return made;
}

Page *MainWindow::currentPage() const
{
    const auto found = m_pages.find(m_current);
    return found == m_pages.end() ? nullptr : found->second;
}

std::vector<QString> MainWindow::places() const
{
    std::vector<QString> out;
    for (const auto &place : m_places)
        out.push_back(place.id);
    return out;
}

void MainWindow::showPage(const QString &id)
{
    if (id == m_current)
        return;
    Page *next = page(id);
    if (!next)
        return;
    m_maximiser.restore();
    if (Page *before = currentPage())
        before->deactivate();
    m_current = id;
    m_inspector->setHint({});
    m_inspector->setActions({});
    m_stack->setCurrentWidget(next);
    m_rail->setCurrent(id);
    m_filterBar->setVisible(next->hasFilter());
    m_inspector->setVisible(next->hasInspector() && m_isInspectorWanted);
    m_stack->parentWidget()->layout()->setContentsMargins(metrics::kPagePadding, next->hasFilter() ? 0 : metrics::kPagePadding,
                                                          metrics::kPagePadding, metrics::kPagePadding);
    next->activate();
    next->focusPlace()->setFocus(Qt::OtherFocusReason);
}

void MainWindow::applyState(const ViewState &state)
{
    updateFleet();
    showPage(QString::fromStdString(state.page));
    if (state.mode == TimeMode::Frozen && !m_samplesAtFreeze)
        m_samplesAtFreeze = m_session.status().history.samples;
    else if (state.mode != TimeMode::Frozen)
        m_samplesAtFreeze.reset();
    m_travelFrame->setGeometry(rect());
    m_travelFrame->setVisible(state.mode == TimeMode::Travelling);
    m_travelFrame->raise();
    updateFilterBar();
    updateTimeBar();
    updateStatus();
}

void MainWindow::updateFleet()
{
    m_fleet = filterFleet(*m_session.fleet(), time().state().filter);
    updateRail();
}

void MainWindow::updateRail()
{
    std::vector<SideRail::Entry> entries;
    const auto &connections = m_session.connections();
    const auto troubled = std::count_if(connections.begin(), connections.end(), [](const ConnectionState &connection) {
        return connection.phase != ConnectionPhase::Live && connection.phase != ConnectionPhase::Connecting;
    });
    const auto &jobs = m_session.fleet()->jobs;
    const auto running = std::count_if(jobs.begin(), jobs.end(), [](const JobState &job) { return !job.ended; });
    for (const auto &place : m_places) {
        SideRail::Entry entry;
        entry.id = place.id;
        entry.icon = place.icon;
        entry.title = place.title;
        entry.isAtBottom = place.isAtBottom;
        if (place.isAtBottom)
            entry.keys = place.key.toString(QKeySequence::NativeText);
        if (place.id == QStringLiteral("connections"))
            entry.count = static_cast<int>(troubled);
        else if (place.id == QStringLiteral("jobs"))
            entry.count = static_cast<int>(running);
        entries.push_back(std::move(entry));
    }
    m_rail->setEntries(std::move(entries));
}

void MainWindow::updateFilterBar()
{
    std::vector<FilterBar::Filter> filters;
    int index = 0;
    for (const auto &chip : time().state().filter) {
        FilterBar::Filter filter;
        filter.id = QString::number(index++);
        filter.key = filterLabelText(chip.label);
        filter.op = QStringLiteral("=");
        filter.value = shown(chip.value, 40);
        filters.push_back(std::move(filter));
    }
    m_filterBar->setFilters(std::move(filters));
    m_filterBar->setRightText(reachText(m_fleet));
}

void MainWindow::updateTimeBar()
{
    const ViewState &state = time().state();
    const Instant now = time().now();
    m_timeBar->setRange(time().visibleRange());
    m_timeBar->setCanGoBack(time().canGoBack());
    m_timeBar->setCanGoForward(time().canGoForward());
    switch (state.mode) {
    case TimeMode::Live: m_timeBar->setMode(TimeBarMode::Live); break;
    case TimeMode::Frozen: {
        const auto samples = m_session.status().history.samples - m_samplesAtFreeze.value_or(m_session.status().history.samples);
        m_timeBar->setMode(TimeBarMode::Frozen, tr("frozen %1 ago").arg(ageText(time().frozenSince().value_or(now), now)),
                           tr("%1 samples wait").arg(QString::fromStdString(formatExact(static_cast<std::int64_t>(samples)))));
        break;
    }
    case TimeMode::Travelling: {
        const Instant at = state.travelTo.value_or(now);
        m_timeBar->setMode(TimeBarMode::Travelling, tr("as of %1 %2").arg(clockText(at, now, isUtc()), zoneText(at, isUtc())),
                           tr("%1 ago \u00b7 Esc returns").arg(ageText(at, now)));
        break;
    }
    case TimeMode::Recorded: m_timeBar->setMode(TimeBarMode::Recorded); break;
    }
    m_overviewFeed->refresh();
}

void MainWindow::updateStatus()
{
    std::vector<StatusStrip::Cell> right;
    right.push_back({tr("F1 keys of this page"), Glyph::Info, {}, QStringLiteral("help.keys")});
    m_status->setCells(statusCells(m_session.status(), m_session.connections(), time().now(), isUtc()), std::move(right));
    const SessionStatus &status = m_session.status();
    TopRow::Session tab;
    tab.id = QStringLiteral("live");
    tab.title = shown(m_session.title().toStdString(), 40);
    const QString devices = tr("%n device(s)", nullptr, m_fleet.allDevices);
    tab.detail = status.live + status.lagging > 0 ? tr("live, %1").arg(devices) : tr("not live");
    m_topRow->setSessions({tab});
    m_topRow->setCurrent(tab.id);
    QString title = tab.title + QStringLiteral(" \u2013 Plimsoll");
    for (const auto &place : m_places)
        if (place.id == m_current)
            title.prepend(place.title + QStringLiteral(" \u2013 "));
    if (windowTitle() != title)
        setWindowTitle(title);
}

void MainWindow::notify(const QString &sentence)
{
    ToastText text;
    text.title = shown(sentence.toStdString(), 300);
    text.glyph = Glyph::Info;
    m_toasts->show(text);
}

void MainWindow::watchFirstValue()
{
    if (m_hasPaintedValue || m_fleet.allDevices == 0)
        return;
    const auto &nodes = m_fleet.fleet.nodes;
    m_hasPaintedValue = std::any_of(nodes.begin(), nodes.end(), [](const NodeState &node) {
        return std::any_of(node.devices.begin(), node.devices.end(), [](const DeviceState &device) { return device.used.has_value(); });
    });
    if (!m_hasPaintedValue)
        return;
    // The page took the value a moment ago; this paints it now, so that what is told is on the screen.
    repaint();
    emit firstValuePainted();
}

bool MainWindow::event(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        update();
    return QWidget::event(event);
}

void MainWindow::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), tokens(this).window);
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_rail->setFolded(width() < metrics::kFoldBelow || m_settings.get(setting::kRailFolded));
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    saveLayout();
    QWidget::closeEvent(event);
}

void MainWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        leave();
    else
        QWidget::keyPressEvent(event);
}

void MainWindow::leave()
{
    if (m_maximiser.isActive())
        m_maximiser.restore();
    else if (time().state().mode == TimeMode::Travelling)
        time().returnFromTravel();
    else if (time().state().cursorA || time().state().cursorB)
        time().setCursors(std::nullopt, std::nullopt);
}

void MainWindow::toggleMaximised()
{
    if (m_maximiser.isActive()) {
        m_maximiser.restore();
        return;
    }
    if (Page *shownPage = currentPage())
        m_maximiser.maximise(Maximiser::panelOf(shownPage), shownPage);
}

void MainWindow::restoreLayout()
{
    m_isInspectorWanted = m_settings.get(setting::kInspectorShown);
    resize(kDefaultSize);
    const QByteArray geometry = m_settings.get(setting::kWindowGeometry);
    if (geometry.isEmpty() || !restoreGeometry(geometry))
        return;
    // A screen may be gone since: what nobody could reach comes back to the first screen.
    const auto screens = QGuiApplication::screens();
    const bool isReachable = std::any_of(screens.begin(), screens.end(), [this](const QScreen *screen) {
        const QRect visible = screen->availableGeometry().intersected(frameGeometry());
        return visible.width() >= 200 && visible.height() >= 100;
    });
    if (!isReachable || width() < kSmallest.width() || height() < kSmallest.height()) {
        resize(kDefaultSize);
        move(0, 0);
    }
}

void MainWindow::saveLayout()
{
    m_maximiser.restore();
    m_settings.set(setting::kWindowGeometry, saveGeometry());
    m_settings.set(setting::kInspectorShown, m_isInspectorWanted);
    for (const auto &[id, made] : m_pages)
        made->saveLayout();
}

void MainWindow::resetLayout()
{
    m_maximiser.restore();
    m_isInspectorWanted = true;
    m_settings.set(setting::kRailFolded, false);
    m_rail->setFolded(width() < metrics::kFoldBelow);
    if (Page *shownPage = currentPage())
        m_inspector->setVisible(shownPage->hasInspector());
    for (const auto &[id, made] : m_pages)
        made->resetLayout();
    saveLayout();
}

} // namespace plimsoll
