// SPDX-License-Identifier: GPL-3.0-or-later
#include "screenshots.h"

#include "session/session.h"
#include "session/time_context.h"
#include "views/main_window.h"

#include <QApplication>
#include <QDir>
#include <QPixmap>

#include <algorithm>
#include <cstdio>

namespace plimsoll {

namespace {

constexpr auto kWantedHistory = std::chrono::seconds(8);
constexpr int kPatienceMs = 30'000;
constexpr int kPagePatienceMs = 5'000;
constexpr int kSettleMs = 250; // a page that has its data still lays out and paints
constexpr int kTickMs = 100;
constexpr QSize kSize(1600, 1000);

} // namespace

Screenshots::Screenshots(MainWindow &window, Session &session, Settings &settings, QString folder,
                         std::function<void(int)> finished)
    : m_window(window), m_session(session), m_settings(settings), m_folder(std::move(folder)), m_finished(std::move(finished))
{
    m_tick.setInterval(kTickMs);
}

void Screenshots::start()
{
    if (!QDir().mkpath(m_folder))
        return fail(QStringLiteral("cannot make the folder %1").arg(m_folder));
    m_window.resize(kSize);
    m_waiting.start();
    connect(&m_tick, &QTimer::timeout, this, &Screenshots::waitForData);
    m_tick.start();
}

void Screenshots::waitForData()
{
    const auto extent = m_session.extent();
    const auto fleet = m_session.fleet();
    const bool hasValue = std::any_of(fleet->nodes.begin(), fleet->nodes.end(), [](const NodeState &node) {
        return std::any_of(node.devices.begin(), node.devices.end(), [](const DeviceState &device) { return device.used.has_value(); });
    });
    if (hasValue && extent && extent->length() >= kWantedHistory) {
        disconnect(&m_tick, nullptr, this, nullptr);
        plan();
        prepareNext();
        return;
    }
    if (m_waiting.elapsed() > kPatienceMs)
        fail(QStringLiteral("no live values came within %1 s").arg(kPatienceMs / 1000));
}

void Screenshots::plan()
{
    // The range follows what there is: ten minutes of which eight seconds are known show nothing.
    const Duration known = m_session.extent()->length();
    m_session.time()->setSpan(std::clamp<Duration>(known + std::chrono::seconds(4), std::chrono::seconds(15), std::chrono::minutes(10)));
    const auto fleet = m_session.fleet();
    const auto running = std::find_if(fleet->jobs.begin(), fleet->jobs.end(), [](const JobState &job) { return !job.ended; });
    for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
        for (const QString &page : m_window.places()) {
            m_shots.push_back({page, page, {}, theme});
            if (page == QLatin1String(kJobPage) && running != fleet->jobs.end())
                m_shots.push_back({QStringLiteral("job"), page, running->id, theme});
        }
    }
}

void Screenshots::prepareNext()
{
    if (m_next == m_shots.size()) {
        m_tick.stop();
        m_finished(0);
        return;
    }
    const Shot &shot = m_shots[m_next];
    m_settings.set(setting::kTheme, shot.theme);
    m_session.time()->setPage(shot.page.toStdString());
    m_session.time()->selectJob(shot.job);
    m_waiting.restart();
    connect(&m_tick, &QTimer::timeout, this, &Screenshots::waitForPage);
}

void Screenshots::waitForPage()
{
    const Page *page = m_window.currentPage();
    const bool isReady = page && page->isFilled() && m_waiting.elapsed() >= kSettleMs;
    if (!isReady && m_waiting.elapsed() < kPagePatienceMs)
        return;
    disconnect(&m_tick, nullptr, this, nullptr);
    if (!take(m_shots[m_next]))
        return;
    ++m_next;
    prepareNext();
}

bool Screenshots::take(const Shot &shot)
{
    const QString theme = shot.theme == ThemeChoice::Dark ? QStringLiteral("dark") : QStringLiteral("light");
    const QString file = QDir(m_folder).filePath(QStringLiteral("%1-%2.png").arg(shot.name, theme));
    if (QWidget *focus = QApplication::focusWidget())
        focus->clearFocus(); // a picture for reading shows no focus ring
    if (!m_window.grab().save(file)) {
        fail(QStringLiteral("cannot write %1").arg(file));
        return false;
    }
    std::printf("%s\n", qPrintable(file));
    std::fflush(stdout);
    return true;
}

void Screenshots::fail(const QString &sentence)
{
    m_tick.stop();
    std::fprintf(stderr, "plimsoll: %s\n", qPrintable(sentence));
    // Not before the event loop runs, or exit() would be lost.
    QTimer::singleShot(0, this, [this] { m_finished(1); });
}

} // namespace plimsoll
