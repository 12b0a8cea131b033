// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/session.h"
#include "views/fleet_filter.h"
#include "views/page.h"
#include "views/window/maximiser.h"
#include "widgets/theme/icons.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <functional>
#include <map>
#include <optional>
#include <vector>

class QMenu;
class QSplitter;
class QStackedWidget;
class QVBoxLayout;

namespace plimsoll {

class CommandPalette;
class CommandTable;
class ConnectionsPage;
class FilterBar;
class Inspector;
class KeysHelp;
class OverviewFeed;
class OverviewStrip;
class SideRail;
class StatusStrip;
class TimeBar;
class ToastStack;
class TopRow;
class TravelFrame;

/// A place in the rail, as data: what comes later is one more row.
struct Place
{
    QString id;
    Icon icon;
    QString title;
    QKeySequence key;
    bool isAtBottom;
    std::function<Page *(const PageContext &)> make;
};

/// The window: rail, time bar, filter, one page at a time, inspector, status. It owns no
/// data; the session's view state says what it shows, so every step can be undone.
/// Pages are made when they are first shown. GUI thread.
class MainWindow : public QWidget
{
    Q_OBJECT

public:
    /// Session and settings outlive the window.
    MainWindow(Session &session, Settings &settings, std::filesystem::path historyFile, QWidget *parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] CommandTable &commands() noexcept { return *m_commands; }
    [[nodiscard]] Page *page(const QString &id); // made if need be; nullptr when there is no such place
    [[nodiscard]] Page *currentPage() const;
    [[nodiscard]] std::vector<QString> places() const;
    [[nodiscard]] TimeBar *timeBar() const noexcept { return m_timeBar; }
    [[nodiscard]] SideRail *rail() const noexcept { return m_rail; }
    [[nodiscard]] CommandPalette *palettePopup() const noexcept { return m_palette; }
    [[nodiscard]] Inspector *inspector() const noexcept { return m_inspector; }
    [[nodiscard]] OverviewStrip *overview() const noexcept { return m_overview; }

    void notify(const QString &sentence);
    void resetLayout();

signals:
    /// The first figure of a live device has been painted (start-up is measured by it).
    void firstValuePainted();

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void makePlaces();
    void buildShell(QVBoxLayout *column);
    void connectShell();
    void connectSession();
    void addCommands();
    void addPlaceCommands();
    void addTimeCommands();
    void addViewCommands();
    void buildMenu();
    void buildPalette();
    void showPage(const QString &id);
    void applyState(const ViewState &state);
    void updateFleet();
    void updateFilterBar();
    void updateTimeBar();
    void updateStatus();
    void updateRail();
    void addFilterMenu();
    void setFilter(const std::string &label, const std::string &value);
    void jumpTo(const QString &typed);
    void leave(); // Esc, from the innermost state out
    void toggleMaximised();
    void restoreLayout();
    void saveLayout();
    void watchFirstValue();
    [[nodiscard]] PageContext context();
    [[nodiscard]] TimeContext &time() const { return *m_session.time(); }
    [[nodiscard]] bool isUtc() const;

    Session &m_session;
    Settings &m_settings;
    std::filesystem::path m_historyFile;
    CommandTable *m_commands;
    std::vector<Place> m_places;
    std::map<QString, Page *> m_pages;
    QString m_current;
    FilteredFleet m_fleet;
    Maximiser m_maximiser;
    std::optional<std::uint64_t> m_samplesAtFreeze;
    bool m_isInspectorWanted = true;
    bool m_hasPaintedValue = false;

    TopRow *m_topRow;
    TimeBar *m_timeBar;
    OverviewStrip *m_overview;
    OverviewFeed *m_overviewFeed;
    SideRail *m_rail;
    FilterBar *m_filterBar;
    QStackedWidget *m_stack;
    Inspector *m_inspector;
    StatusStrip *m_status;
    CommandPalette *m_palette;
    KeysHelp *m_help;
    ToastStack *m_toasts;
    TravelFrame *m_travelFrame;
    QMenu *m_menu;
    QTimer m_second;
};

} // namespace plimsoll
