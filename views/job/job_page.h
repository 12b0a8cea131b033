// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet.h"
#include "views/job/job_plan.h"
#include "views/page.h"

#include <optional>
#include <string>

class QSortFilterProxyModel;
class QSplitter;
class QStackedWidget;

namespace plimsoll {

class CopyableTable;
class EventsModel;
class JobsModel;
class PageHeader;
class Panel;
class ProcessModel;
class ReadingLegend;
class TimelineFeed;
class TimelineView;

/// One job over time, or the list to choose one from while none is selected.
class JobPage : public Page
{
    Q_OBJECT

public:
    explicit JobPage(PageContext context, QWidget *parent = nullptr);

    void activate() override;
    void deactivate() override;
    void refresh() override;
    [[nodiscard]] QWidget *focusPlace() override;
    [[nodiscard]] bool isFilled() const override;
    void saveLayout() const override;
    void resetLayout() override;

signals:
    void filterClearWanted();

private:
    void buildChooser();
    void buildDetail();
    void connectDetail();
    void updateChooser();
    void updateDetail(const JobState &job);
    void updateHeader(const JobState &job);
    void updateInspector();
    void showMissing();
    [[nodiscard]] const JobState *job() const; // the selected one; nullptr when it is not known (any more)
    [[nodiscard]] bool isUtc() const;

    QStackedWidget *m_stack;

    Panel *m_chooserPanel;
    CopyableTable *m_chooser;
    JobsModel *m_jobsModel;
    QSortFilterProxyModel *m_sortedJobs;

    QWidget *m_detail;
    PageHeader *m_header;
    Panel *m_memoryPanel;
    TimelineView *m_memory;
    TimelineFeed *m_feed;
    ReadingLegend *m_legend;
    Panel *m_processPanel;
    CopyableTable *m_processes;
    ProcessModel *m_processModel;
    Panel *m_logPanel;
    CopyableTable *m_log;
    EventsModel *m_logModel;
    QSplitter *m_rows;
    QSplitter *m_bottom;

    JobPlan m_plan;
    std::string m_shownJob;
    bool m_isActive = false;
    bool m_wantsFocus = false;
};

} // namespace plimsoll
