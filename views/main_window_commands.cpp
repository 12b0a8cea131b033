// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done in the window, as one table: menu, keys, palette and help are made from it.
#include "session/settings.h"
#include "session/time_context.h"
#include "views/connections/connections_page.h"
#include "views/layout_keys.h"
#include "views/main_window.h"
#include "views/window/palette_places.h"
#include "widgets/shell/command.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/inspector.h"
#include "widgets/shell/keys_help.h"
#include "widgets/shell/side_rail.h"
#include "widgets/shell/top_row.h"
#include "widgets/shell/typed_time.h"
#include "widgets/tables/chip.h"
#include "widgets/tables/filter_bar.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/text.h"

#include <QApplication>
#include <QMenu>

namespace plimsoll {

namespace {

constexpr std::size_t kMostMenuValues = 40; // of one label; the palette finds the others

} // namespace

void MainWindow::addCommands()
{
    addPlaceCommands();
    addTimeCommands();
    addViewCommands();
}

void MainWindow::addPlaceCommands()
{
    const QString section = tr("Go to");
    for (const auto &place : m_places) {
        m_commands->add({QStringLiteral("page.") + place.id, place.title, section, place.key, {},
                         [this, id = place.id.toStdString()] { time().setPage(id); }, {}, place.icon});
    }
    m_commands->add({QStringLiteral("jobs.list"), tr("All jobs"), section, {}, {}, [this] {
                         time().openJob({});
                     }});
    m_commands->add({QStringLiteral("view.palette"), tr("Jump to, search or run"), section, QKeySequence(Qt::CTRL | Qt::Key_K), {},
                     [this] { m_palette->open(); }, {}, Icon::Search});
    m_commands->add({QStringLiteral("view.back"), tr("Back"), section, QKeySequence(Qt::ALT | Qt::Key_Left), {},
                     [this] { time().back(); }, [this] { return time().canGoBack(); }, Icon::ChevronLeft});
    m_commands->add({QStringLiteral("view.forward"), tr("Forward"), section, QKeySequence(Qt::ALT | Qt::Key_Right), {},
                     [this] { time().forward(); }, [this] { return time().canGoForward(); }, Icon::ChevronRight});
    m_commands->add({QStringLiteral("view.home"), tr("Default view of the page"), section, QKeySequence(Qt::ALT | Qt::Key_Home), {},
                     [this] { time().home(); }, {}, Icon::Home});

    const QString agents = tr("Agents");
    const auto onConnections = [this](auto action) {
        return [this, action] {
            time().setPage("connections");
            if (auto *connections = qobject_cast<ConnectionsPage *>(page(QStringLiteral("connections"))))
                (connections->*action)();
        };
    };
    m_commands->add({QStringLiteral("connections.add"), tr("Add an agent \u2026"), agents, QKeySequence(Qt::CTRL | Qt::Key_N), {},
                     onConnections(&ConnectionsPage::startAdding), {}, Icon::Plus});
    m_commands->add({QStringLiteral("connections.test"), tr("Test the connection"), agents, QKeySequence(Qt::CTRL | Qt::Key_T), {},
                     onConnections(&ConnectionsPage::testCurrent)});
    m_commands->add({QStringLiteral("connections.retry"), tr("Retry now"), agents, QKeySequence(Qt::CTRL | Qt::Key_R), {},
                     onConnections(&ConnectionsPage::retryCurrent), {}, Icon::Retry});
    m_commands->add({QStringLiteral("connections.remove"), tr("Remove the agent"), agents, {}, {},
                     onConnections(&ConnectionsPage::removeCurrent)});
}

void MainWindow::addTimeCommands()
{
    const QString section = tr("Time");
    m_commands->add({QStringLiteral("time.freeze"), tr("Freeze or follow"), section, QKeySequence(Qt::Key_F), tr("Space"),
                     [this] {
                         if (time().state().mode == TimeMode::Travelling)
                             time().returnFromTravel();
                         else
                             time().toggleFreeze();
                     },
                     {}, Icon::Pause});
    m_commands->add({QStringLiteral("time.follow"), tr("Go to now and follow"), section, {}, tr("End"), [this] { time().follow(); }});
    m_commands->add({QStringLiteral("time.all"), tr("Show all history"), section, {}, tr("0"), [this] {
                         if (const auto extent = m_session.extent())
                             time().showRange(*extent);
                     }});
    m_commands->add({QStringLiteral("time.selection"), tr("Zoom to the selection"), section, {}, tr("Z, Enter"),
                     [this] {
                         const auto &state = time().state();
                         if (state.cursorA && state.cursorB)
                             time().showRange({std::min(*state.cursorA, *state.cursorB), std::max(*state.cursorA, *state.cursorB)});
                     },
                     [this] { return time().state().cursorA && time().state().cursorB; }});
    m_commands->add({QStringLiteral("time.travel"), tr("Show the fleet at cursor A"), section, {}, tr("T at the crosshair"),
                     [this] { time().travelTo(*time().state().cursorA); },
                     [this] { return time().state().cursorA.has_value(); }});
    m_commands->add({QStringLiteral("time.return"), tr("Return from another time"), section, {}, tr("Esc"),
                     [this] { time().returnFromTravel(); },
                     [this] { return time().state().mode == TimeMode::Travelling; }});
    const std::pair<Duration, QString> spans[] = {{std::chrono::minutes(1), tr("Last 1 min")},
                                                  {std::chrono::minutes(10), tr("Last 10 min")},
                                                  {std::chrono::hours(1), tr("Last 1 h")},
                                                  {std::chrono::hours(6), tr("Last 6 h")},
                                                  {std::chrono::hours(24), tr("Last 24 h")},
                                                  {std::chrono::hours(24 * 7), tr("Last 7 d")}};
    for (const auto &[span, title] : spans) {
        const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(span).count();
        m_commands->add({QStringLiteral("time.last.%1").arg(minutes), title, section, {}, {}, [this, length = span] {
                             time().follow();
                             time().setSpan(length);
                         }});
    }
    // The canvas does these itself; here they are only explained.
    const QString canvas = tr("In a chart");
    const std::pair<QString, QString> gestures[] = {
        {tr("Zoom at the cursor (Ctrl fine, Shift coarse)"), tr("W S, + \u2212, wheel")},
        {tr("Pan"), tr("A D, \u2190 \u2192, Shift+wheel, Shift+drag")},
        {tr("The same for the right hand"), tr("I K J L")},
        {tr("Select a range"), tr("drag")},
        {tr("Set cursor A, B"), tr("[ ]")}};
    int index = 0;
    for (const auto &[title, keys] : gestures)
        m_commands->add({QStringLiteral("canvas.%1").arg(index++), title, canvas, {}, keys});
    const QString heat = tr("In the map");
    m_commands->add({QStringLiteral("heat.walk"), tr("Walk the cells"), heat, {}, tr("arrow keys")});
    m_commands->add({QStringLiteral("heat.open"), tr("Open the job of the cell"), heat, {}, tr("Enter")});
}

void MainWindow::addViewCommands()
{
    const QString section = tr("View");
    m_commands->add({QStringLiteral("panel.maximise"), tr("Maximise the panel, and back"), section, QKeySequence(Qt::Key_M), {},
                     [this] { toggleMaximised(); }, {}, Icon::Maximise});
    m_commands->add({QStringLiteral("layout.reset"), tr("Reset layout"), section, QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R), {},
                     [this] { resetLayout(); }});
    m_commands->add({QStringLiteral("view.inspector"), tr("Show or hide the inspector"), section, QKeySequence(Qt::CTRL | Qt::Key_I), {},
                     [this] {
                         m_isInspectorWanted = !m_isInspectorWanted;
                         if (Page *shownPage = currentPage())
                             m_inspector->setVisible(m_isInspectorWanted && shownPage->hasInspector());
                     }});
    m_commands->add({QStringLiteral("view.rail"), tr("Fold or unfold the places"), section, QKeySequence(Qt::CTRL | Qt::Key_B), {},
                     [this] {
                         const bool isFolded = !m_rail->isFolded();
                         m_settings.set(setting::kRailFolded, isFolded);
                         m_rail->setFolded(isFolded || width() < metrics::kFoldBelow);
                     }});
    const auto theme = [this](ThemeChoice choice) { return [this, choice] { m_settings.set(setting::kTheme, choice); }; };
    m_commands->add({QStringLiteral("theme.light"), tr("Light theme"), section, {}, {}, theme(ThemeChoice::Light)});
    m_commands->add({QStringLiteral("theme.dark"), tr("Dark theme"), section, {}, {}, theme(ThemeChoice::Dark)});
    m_commands->add({QStringLiteral("theme.system"), tr("Theme of the desktop"), section, {}, {}, theme(ThemeChoice::System)});
    m_commands->add({QStringLiteral("view.zone"), tr("UTC or local time"), section, {}, {},
                     [this] { m_settings.set(setting::kTimesInUtc, !isUtc()); }});

    const QString filter = tr("Filter");
    m_commands->add({QStringLiteral("filter.add"), tr("Add a filter \u2026"), filter, QKeySequence(Qt::CTRL | Qt::Key_L), {},
                     [this] { addFilterMenu(); }, [this] { return currentPage() && currentPage()->hasFilter(); }, Icon::Plus});
    m_commands->add({QStringLiteral("filter.clear"), tr("Clear the filter"), filter, QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L), {},
                     [this] { time().setFilter({}); }, [this] { return !time().state().filter.empty(); }, Icon::Close});

    const QString help = tr("Help");
    m_commands->add({QStringLiteral("help.keys"), tr("Keys of this page"), help, QKeySequence(Qt::Key_F1), {},
                     [this] {
                         const auto place = std::find_if(m_places.begin(), m_places.end(),
                                                         [this](const Place &p) { return p.id == m_current; });
                         m_help->open(place == m_places.end() ? QString() : place->title, {tr("In a chart"), tr("Time")});
                     },
                     {}, Icon::Info});
    m_commands->add({QStringLiteral("app.quit"), tr("Quit"), help, QKeySequence(Qt::CTRL | Qt::Key_Q), {}, [this] { close(); }});
    m_help->setSource(m_commands);
}

void MainWindow::buildMenu()
{
    m_menu = new QMenu(this);
    for (const auto &section : m_commands->sections()) {
        if (section == tr("In a chart") || section == tr("In the map"))
            continue; // only explained, nothing to run
        auto *sub = m_menu->addMenu(section);
        m_commands->fillMenu(sub, section);
    }
    m_topRow->setMenu(m_menu);
}

void MainWindow::buildPalette()
{
    m_palette = new CommandPalette(this);
    m_palette->setSource(m_commands);
    PlaceActions actions;
    actions.openJob = [this](const std::string &job) { time().openJob(job); };
    actions.showDevice = [this](const std::string &device) {
        time().setPage("fleet");
        time().selectDevice(device);
    };
    actions.filterBy = [this](const std::string &label, const std::string &value) { setFilter(label, value); };
    m_palette->setPlaces([this, actions](const QString &) { return palettePlaces(*m_session.fleet(), actions); });
    connect(m_palette, &CommandPalette::timeTyped, this, &MainWindow::jumpTo);
    connect(m_palette, &CommandPalette::helpWanted, this, [this] { m_commands->run(QStringLiteral("help.keys")); });
}

void MainWindow::jumpTo(const QString &typed)
{
    const Instant now = time().now();
    if (const auto at = parseTypedTime(typed, now, isUtc())) {
        const Duration span = time().visibleRange().length();
        const Instant end = std::min<Instant>(*at + span / 2, now);
        time().showRange({end - span, end});
        time().setCursors(*at, std::nullopt);
    } else if (const auto range = parseTypedRange(typed, now, isUtc())) {
        time().showRange(*range);
    } else {
        notify(tr("%1 is no time: write 14:03, -2h or 13:00 to 14:00.").arg(shown(typed.toStdString(), 40)));
    }
}

void MainWindow::setFilter(const std::string &name, const std::string &value)
{
    auto filter = time().state().filter;
    std::erase_if(filter, [&name](const FilterChip &chip) { return chip.label == name; });
    filter.push_back({name, value});
    time().setFilter(std::move(filter));
}

void MainWindow::addFilterMenu()
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const auto &choice : filterChoices(*m_session.fleet())) {
        auto *sub = menu->addMenu(filterLabelText(choice.label));
        std::size_t count = 0;
        for (const auto &value : choice.values) {
            if (++count > kMostMenuValues)
                break;
            // A menu takes & for a mnemonic, and names come from outside.
            QString text = shown(value, 60);
            text.replace(u'&', QStringLiteral("&&"));
            sub->addAction(text, this, [this, name = choice.label, value] { setFilter(name, value); });
        }
        if (choice.values.size() > kMostMenuValues)
            sub->addAction(tr("%1 more: find them with Ctrl+K").arg(choice.values.size() - kMostMenuValues))->setEnabled(false);
    }
    if (menu->isEmpty())
        menu->addAction(tr("Nothing is known yet to filter by"))->setEnabled(false);
    const QWidget *chip = m_filterBar->addChip();
    menu->popup(chip->mapToGlobal(QPoint(0, chip->height() + 2)));
}

} // namespace plimsoll
