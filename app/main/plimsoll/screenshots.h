// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/settings.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <string>
#include <vector>

namespace plimsoll {

class MainWindow;
class Session;

/// Takes a picture of every page in both themes, once there are live values and some seconds
/// of history, and prints the files.
class Screenshots : public QObject
{
public:
    /// `finished` is told 0, or 1 after a sentence on stderr.
    Screenshots(MainWindow &window, Session &session, Settings &settings, QString folder, std::function<void(int)> finished);
    void start();

private:
    struct Shot
    {
        QString name;
        QString page;
        std::string job;
        ThemeChoice theme;
    };
    void waitForData();
    void plan();
    void prepareNext();
    void waitForPage();
    bool take(const Shot &shot);
    void fail(const QString &sentence);

    MainWindow &m_window;
    Session &m_session;
    Settings &m_settings;
    QString m_folder;
    std::function<void(int)> m_finished;
    std::vector<Shot> m_shots;
    std::size_t m_next = 0;
    QElapsedTimer m_waiting;
    QTimer m_tick;
};

} // namespace plimsoll
