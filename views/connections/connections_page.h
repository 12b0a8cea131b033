// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ingest/channel.h"
#include "views/page.h"

#include <optional>
#include <string>

class QPushButton;
class QSplitter;

namespace plimsoll {

class AddAgentForm;
class CheckList;
class ConnectionsModel;
class CopyableTable;
class Label;
class Panel;
class SourcesModel;

/// The agents: how each is doing, its sources, and what to do about it.
class ConnectionsPage : public Page
{
    Q_OBJECT

public:
    explicit ConnectionsPage(PageContext context, QWidget *parent = nullptr);

    void activate() override;
    void deactivate() override;
    void refresh() override;
    [[nodiscard]] QWidget *focusPlace() override;
    [[nodiscard]] bool hasFilter() const override { return false; }
    [[nodiscard]] bool isFilled() const override;
    void saveLayout() const override;
    void resetLayout() override;

    void startAdding();
    void testCurrent();
    void retryCurrent();
    void removeCurrent();

private:
    void buildAgents();
    void buildSources();
    void buildTest();
    void buildHowTo();
    void updateButtons();
    void updateSources();
    void updateInspector();
    void test(const EndpointConfig &endpoint);
    void showChecks(const EndpointConfig &endpoint, const std::vector<ConnectionCheck> &checks);
    [[nodiscard]] const ConnectionState *current() const;

    Panel *m_agentsPanel;
    AddAgentForm *m_form;
    CopyableTable *m_agents;
    ConnectionsModel *m_model;
    QPushButton *m_add;
    QPushButton *m_test;
    QPushButton *m_retry;
    QPushButton *m_remove;
    Panel *m_sourcesPanel;
    CopyableTable *m_sources;
    SourcesModel *m_sourcesModel;
    Panel *m_testPanel;
    CheckList *m_checks;
    Panel *m_howToPanel;
    QSplitter *m_columns;
    std::string m_testing; // address; empty when no test runs
    bool m_isActive = false;
};

} // namespace plimsoll
