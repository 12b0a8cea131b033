// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/device_history.h"
#include "views/page.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>

#include <memory>
#include <string>

class QSplitter;

namespace plimsoll {

class CopyableTable;
class EventsModel;
class FigureStrip;
class HeadroomList;
class HeatGrid;
class JobsModel;
class Panel;
class ReadingLegend;
class SliceFeed;
class Sparkline;
class TimelineFeed;
class TimelineView;
struct SliceAnswer;

/// Everything at once: how full, where it is tight, who runs, what happened.
/// Hover or focus fills the inspector, Enter opens the job.
class FleetPage : public Page
{
    Q_OBJECT

public:
    explicit FleetPage(PageContext context, QWidget *parent = nullptr);
    ~FleetPage() override;

    void activate() override;
    void deactivate() override;
    void refresh() override;
    [[nodiscard]] QWidget *focusPlace() override;
    [[nodiscard]] bool isFilled() const override;
    void saveLayout() const override;
    void resetLayout() override;

signals:
    void connectionsWanted();
    void filterClearWanted();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void refreshNow();
    void buildPanels();
    void fitHeat();
    void buildLayout();
    void connectWidgets();
    void updateFigures();
    void updateHeat();
    void updateMemory();
    void updateJobs();
    void updateEvents();
    void updateNotices();
    void updateInspector();
    void askHistory();
    void takeHistory(const std::shared_ptr<const SliceAnswer> &answer);
    void select(const std::string &device);
    void openJobOf(const std::string &device);
    [[nodiscard]] const DeviceState *shownDevice() const; // hovered, else selected, else the tightest
    [[nodiscard]] const DeviceState *chosenDevice() const; // selected, else the tightest
    [[nodiscard]] bool isUtc() const;

    FigureStrip *m_figures;
    Panel *m_heatPanel;
    HeatGrid *m_heat;
    Panel *m_memoryPanel;
    TimelineView *m_memory;
    TimelineFeed *m_memoryFeed;
    ReadingLegend *m_legend;
    Panel *m_headroomPanel;
    HeadroomList *m_headroom;
    Panel *m_jobsPanel;
    CopyableTable *m_jobs;
    JobsModel *m_jobsModel;
    Panel *m_eventsPanel;
    CopyableTable *m_events;
    EventsModel *m_eventsModel;
    QSplitter *m_columns;
    QSplitter *m_left;
    QSplitter *m_right;

    QPointer<SliceFeed> m_historyFeed;
    std::vector<DeviceTrack> m_askedTracks;
    TimeRange m_askedRange{};
    QElapsedTimer m_sinceAsked;
    QTimer m_soon; // figures, their past and the timeline arrive apart and are shown together
    DeviceHistory m_history;
    bool m_hasHistory = false;
    bool m_isActive = false;
    std::string m_hovered;
    std::string m_memoryDevice;
    QPointer<Sparkline> m_spark;
    std::string m_actionsFor; // device whose buttons the inspector shows
    bool m_isLayoutOwn = false;
    bool m_wantsFocus = false;
    int m_fittedHeat = 0;
};

} // namespace plimsoll
