// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/connections/connections_page.h"

#include "base/format.h"
#include "session/session.h"
#include "session/time_context.h"
#include "views/connection_text.h"
#include "views/connections/add_agent_form.h"
#include "views/connections/check_list.h"
#include "views/connections/connections_model.h"
#include "views/layout_keys.h"
#include "views/panel_state.h"
#include "views/time_text.h"
#include "widgets/shell/inspector.h"
#include "widgets/shell/panel.h"
#include "widgets/tables/copyable_table.h"
#include "widgets/theme/buttons.h"
#include "widgets/theme/label.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/text.h"

#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

namespace plimsoll {

namespace {

const auto kListen = QStringLiteral("plimsoll-agent --listen 127.0.0.1:7443");
const auto kScrape = QStringLiteral("plimsoll-agent --listen 127.0.0.1:7443 --scrape http://localhost:9100/metrics");
const auto kJob = QStringLiteral("PLIMSOLL_JOB_ID=my-run PLIMSOLL_TEAM=nlp python train.py");

QSplitter *makeSplitter(Qt::Orientation orientation)
{
    auto *splitter = new QSplitter(orientation);
    splitter->setHandleWidth(metrics::kGutter);
    splitter->setChildrenCollapsible(false);
    return splitter;
}

QPushButton *smallButton(const QString &text)
{
    auto *button = makeButton(text);
    setSmall(button);
    return button;
}

} // namespace

ConnectionsPage::ConnectionsPage(PageContext pageContext, QWidget *parent) : Page(std::move(pageContext), parent)
{
    setAccessibleName(tr("Connections"));
    buildAgents();
    buildSources();
    buildTest();
    buildHowTo();
    auto *left = makeSplitter(Qt::Vertical);
    left->addWidget(m_agentsPanel);
    left->addWidget(m_sourcesPanel);
    left->setStretchFactor(0, 1);
    left->setStretchFactor(1, 1);
    auto *right = makeSplitter(Qt::Vertical);
    right->addWidget(m_testPanel);
    right->addWidget(m_howToPanel);
    right->setStretchFactor(0, 1);
    right->setStretchFactor(1, 0);
    m_columns = makeSplitter(Qt::Horizontal);
    m_columns->addWidget(left);
    m_columns->addWidget(right);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_columns);
    resetLayout();
    m_columns->restoreState(context().settings->get(setting::kConnectionsColumns));

    connect(&session(), &Session::connectionsChanged, this, [this] {
        if (m_isActive)
            refresh();
    });
    connect(&session(), &Session::testFinished, this, &ConnectionsPage::showChecks);
}

void ConnectionsPage::buildAgents()
{
    m_agentsPanel = new Panel(tr("Agents"));
    m_add = smallButton(tr("Add \u2026"));
    m_test = smallButton(tr("Test"));
    m_retry = smallButton(tr("Retry now"));
    m_remove = smallButton(tr("Remove"));
    for (QPushButton *button : {m_retry, m_remove, m_test, m_add})
        m_agentsPanel->headerRight()->addWidget(button);

    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_form = new AddAgentForm;
    m_form->hide();
    column->addWidget(m_form);
    m_model = new ConnectionsModel(this);
    m_agents = new CopyableTable;
    m_agents->setModel(m_model);
    m_agents->setAccessibleName(tr("Agents"));
    m_agents->setRowHeight(metrics::kRowTwoLines);
    m_agents->setNameColumn(ConnectionsModel::AddressColumn);
    m_agents->setColumnWidth(ConnectionsModel::NameColumn, 150);
    m_agents->setColumnWidth(ConnectionsModel::StateColumn, 132);
    m_agents->setColumnWidth(ConnectionsModel::LagColumn, 64);
    m_agents->setColumnWidth(ConnectionsModel::SkewColumn, 64);
    m_agents->setColumnWidth(ConnectionsModel::RateColumn, 84);
    m_agents->setColumnWidth(ConnectionsModel::VersionColumn, 64);
    column->addWidget(m_agents, 1);
    m_agentsPanel->setContent(content);
    m_agentsPanel->setContentMargins({});

    m_form->setKnown([this](const std::string &address) { return m_model->rowOf(address) >= 0; });
    connect(m_add, &QPushButton::clicked, this, &ConnectionsPage::startAdding);
    connect(m_test, &QPushButton::clicked, this, &ConnectionsPage::testCurrent);
    connect(m_retry, &QPushButton::clicked, this, &ConnectionsPage::retryCurrent);
    connect(m_remove, &QPushButton::clicked, this, &ConnectionsPage::removeCurrent);
    connect(m_form, &AddAgentForm::cancelled, this, [this] {
        m_form->hide();
        m_agents->setFocus();
    });
    connect(m_form, &AddAgentForm::added, this, [this](const EndpointConfig &endpoint) {
        m_form->hide();
        session().addEndpoint(endpoint);
        refresh();
        if (const int row = m_model->rowOf(endpoint.address); row >= 0)
            m_agents->selectRow(row);
        m_agents->setFocus();
    });
    connect(m_form, &AddAgentForm::testWanted, this, &ConnectionsPage::test);
    connect(m_agents->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        updateButtons();
        updateSources();
        updateInspector();
    });
}

void ConnectionsPage::buildSources()
{
    m_sourcesPanel = new Panel(tr("Sources"));
    m_sourcesModel = new SourcesModel(this);
    m_sources = new CopyableTable;
    m_sources->setModel(m_sourcesModel);
    m_sources->setAccessibleName(tr("Sources of the agent"));
    m_sources->setNameColumn(SourcesModel::ProblemColumn);
    m_sources->setColumnWidth(SourcesModel::NameColumn, 240);
    m_sources->setColumnWidth(SourcesModel::SeriesColumn, 70);
    m_sources->setColumnWidth(SourcesModel::SkippedColumn, 70);
    m_sourcesPanel->setContent(m_sources);
    m_sourcesPanel->setContentMargins({});
}

void ConnectionsPage::buildTest()
{
    m_testPanel = new Panel(tr("Test"));
    m_checks = new CheckList;
    m_testPanel->setContent(m_checks);
    const PanelNotice notice{tr("A test walks every step of the way to the agent and says how each went, and what would mend it."), {},
                             {{tr("Test"), [this] { testCurrent(); }}}};
    showNotice(*m_testPanel, &notice);
}

void ConnectionsPage::buildHowTo()
{
    m_howToPanel = new Panel(tr("Start an agent"));
    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    const auto add = [&](const QString &sentence, const QString &command) {
        auto *label = new Label(sentence, TextRole::Body, Ink::Text2);
        label->setWordWrap(true);
        column->addWidget(label);
        column->addWidget(new CopyLine(command));
        column->addSpacing(4);
    };
    add(tr("On a node that shall be watched:"), kListen);
    add(tr("With an exporter that runs there:"), kScrape);
    add(tr("A process becomes a job when it says so:"), kJob);
    m_howToPanel->setContent(content);
    m_howToPanel->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
}

void ConnectionsPage::resetLayout()
{
    m_columns->setSizes({760, 384});
    m_columns->setStretchFactor(0, 2);
    m_columns->setStretchFactor(1, 1);
}

void ConnectionsPage::saveLayout() const
{
    context().settings->set(setting::kConnectionsColumns, m_columns->saveState());
}

void ConnectionsPage::activate()
{
    m_isActive = true;
    m_model->setUtc(context().settings->get(setting::kTimesInUtc));
    refresh();
}

void ConnectionsPage::deactivate()
{
    m_isActive = false;
}

QWidget *ConnectionsPage::focusPlace()
{
    return m_form->isVisible() ? static_cast<QWidget *>(m_form) : m_agents;
}

bool ConnectionsPage::isFilled() const
{
    return m_model->rowCount() > 0;
}

void ConnectionsPage::refresh()
{
    m_model->setConnections(session().connections(), session().time()->now());
    if (m_model->rowCount() > 0 && !m_agents->currentIndex().isValid())
        m_agents->selectRow(0);
    if (m_model->rowCount() > 0 || m_form->isVisible()) {
        showNotice(*m_agentsPanel, nullptr);
    } else {
        const PanelNotice notice{tr("No agent yet. Add one by its address."),
                                 tr("The window can also watch its own machine: Settings, embedded agent."),
                                 {{tr("Add an agent"), [this] { startAdding(); }}}};
        showNotice(*m_agentsPanel, &notice);
    }
    updateButtons();
    updateSources();
    updateInspector();
}

const ConnectionState *ConnectionsPage::current() const
{
    const int row = m_agents->currentIndex().row();
    if (row < 0 || row >= m_model->rowCount())
        return nullptr;
    return &m_model->connections()[static_cast<std::size_t>(row)];
}

void ConnectionsPage::updateButtons()
{
    const ConnectionState *connection = current();
    m_test->setEnabled(connection && m_testing.empty());
    const bool isBroken = connection && connection->phase != ConnectionPhase::Live && connection->phase != ConnectionPhase::Lagging;
    m_retry->setEnabled(isBroken);
    m_retry->setToolTip(isBroken ? QString() : tr("The connection stands"));
    m_remove->setEnabled(connection && !connection->endpoint.isEmbedded);
    m_remove->setToolTip(connection && connection->endpoint.isEmbedded ? tr("This machine's own agent is switched off in Settings") : QString());
}

void ConnectionsPage::updateSources()
{
    const ConnectionState *connection = current();
    m_sourcesModel->setSources(connection ? connection->sources : std::vector<SourceState>{});
    m_sourcesPanel->setTitle(connection ? tr("Sources of %1").arg(connectionTitle(*connection)) : tr("Sources"));
    m_sourcesPanel->setNote(connection ? sourcesText(*connection) : QString());
    if (m_sourcesModel->rowCount() > 0) {
        showNotice(*m_sourcesPanel, nullptr);
        return;
    }
    const PanelNotice notice{connection ? tr("This agent has not told its sources yet.") : tr("Choose an agent."), {}, {}};
    showNotice(*m_sourcesPanel, &notice);
}

void ConnectionsPage::updateInspector()
{
    if (!m_isActive)
        return;
    Inspector &inspector = *context().inspector;
    inspector.setHint({});
    inspector.setActions({});
    const ConnectionState *connection = current();
    inspector.setTitle(tr("Inspector"), tr("Agent"));
    if (!connection) {
        inspector.setEmpty(tr("Choose an agent to see it here."));
        return;
    }
    const bool isUtc = context().settings->get(setting::kTimesInUtc);
    const Instant now = session().time()->now();
    const auto dash = [](const std::optional<Duration> &d) { return d ? durationText(*d) : QStringLiteral("\u2013"); };
    const Figure rate = formatCount(connection->samplesPerSecond);
    inspector.setHeadline(connectionTitle(*connection), shown(connection->endpoint.address, 80), {rate.number, rate.unit},
                          tr("samples/s"), phaseText(*connection, now, isUtc), std::nullopt);
    std::vector<Inspector::Section> sections;
    if (!connection->problem.empty()) {
        sections.push_back({tr("What is wrong"), {}, {}});
        sections.back().rows.push_back({shown(connection->problem, 300), {}});
    }
    Inspector::Section line{tr("Connection"), {}, {}};
    line.rows = {{tr("State"), phaseText(*connection, now, isUtc)},
                 {tr("For"), ageText(connection->since, now)},
                 {tr("Round trip"), dash(connection->roundTrip)},
                 {tr("Clock skew"), dash(connection->skew)},
                 {tr("Lag"), dash(connection->lag)}};
    if (connection->nextAttempt && *connection->nextAttempt > now)
        line.rows.push_back({tr("Next attempt in"), durationText(*connection->nextAttempt - now)});
    sections.push_back(std::move(line));
    Inspector::Section intake{tr("Taken in"), {}, {}};
    intake.rows = {{tr("Frames"), QString::fromStdString(formatExact(static_cast<std::int64_t>(connection->frames)))},
                   {tr("Samples"), QString::fromStdString(formatExact(static_cast<std::int64_t>(connection->samples)))},
                   {tr("Lost"), QString::fromStdString(formatExact(static_cast<std::int64_t>(connection->lost)))}};
    sections.push_back(std::move(intake));
    Inspector::Section origin{tr("Agent"), {}, {}};
    origin.rows = {{tr("Host"), shown(connection->hostName, 60)}, {tr("Version"), shown(connection->agentVersion, 40)}};
    sections.push_back(std::move(origin));
    inspector.setSections(std::move(sections));
}

void ConnectionsPage::startAdding()
{
    showNotice(*m_agentsPanel, nullptr);
    m_form->show();
    m_form->start();
}

void ConnectionsPage::testCurrent()
{
    if (const ConnectionState *connection = current())
        test(connection->endpoint);
}

void ConnectionsPage::test(const EndpointConfig &endpoint)
{
    m_testing = endpoint.address;
    m_testPanel->setTitle(tr("Test: %1").arg(shown(endpoint.title(), 60)));
    m_testPanel->setNote({});
    m_testPanel->setBusy(true);
    showLoading(*m_testPanel, tr("Testing %1").arg(shown(endpoint.title(), 60)));
    updateButtons();
    session().testEndpoint(endpoint);
}

void ConnectionsPage::showChecks(const EndpointConfig &endpoint, const std::vector<ConnectionCheck> &checks)
{
    if (endpoint.address != m_testing)
        return; // superseded by a later test
    m_testing.clear();
    m_testPanel->setBusy(false);
    m_checks->setChecks(checks);
    m_testPanel->setNote(tr("each check, its fix"));
    showNotice(*m_testPanel, nullptr);
    updateButtons();
}

void ConnectionsPage::retryCurrent()
{
    if (const ConnectionState *connection = current())
        session().retryNow(connection->endpoint.address);
}

void ConnectionsPage::removeCurrent()
{
    const ConnectionState *connection = current();
    if (!connection || connection->endpoint.isEmbedded)
        return;
    const EndpointConfig endpoint = connection->endpoint;
    session().removeEndpoint(endpoint.address);
    context().notify(tr("%1 was removed; its history stays.").arg(shown(endpoint.title(), 60)));
    refresh();
}

} // namespace plimsoll
