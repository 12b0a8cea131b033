// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

class QAbstractButton;
class QHBoxLayout;
class QMenu;
class QToolButton;

namespace plimsoll {

class SessionTab;

/// The uppermost row, 32 high: brand, a tab a session, the search field that opens
/// the palette, the menu.
class TopRow : public QWidget
{
    Q_OBJECT

public:
    struct Session
    {
        QString id;
        QString title;  // "prod-eu"
        QString detail; // "live, 128 GPUs"; shown on the current tab
        bool isRecorded = false;
        bool isClosable = false;

        friend bool operator==(const Session &, const Session &) = default;
    };

    explicit TopRow(QWidget *parent = nullptr);

    void setSessions(std::vector<Session> sessions);
    void setCurrent(const QString &id);
    void setMenu(QMenu *menu); // not owned
    void setCanAdd(bool can); // shows the plus; on by default
    [[nodiscard]] QAbstractButton *searchButton() const;
    [[nodiscard]] QAbstractButton *tab(const QString &id) const; // nullptr when there is none

signals:
    void sessionChosen(const QString &id);
    void sessionCloseClicked(const QString &id);
    void addClicked();
    void searchClicked();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void rebuild();

    std::vector<Session> m_sessions;
    QString m_current;
    QHBoxLayout *m_tabs;
    std::vector<SessionTab *> m_tabButtons;
    QAbstractButton *m_search;
    QToolButton *m_add;
    QToolButton *m_menu;
};

} // namespace plimsoll
