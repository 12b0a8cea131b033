// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window over a real session and real gRPC, driven by real key and mouse events.
#include "views/main_window.h"

#include "stage.h"
#include "views/connections/connections_page.h"
#include "views/fleet/fleet_page.h"
#include "views/job/job_page.h"
#include "views/layout_keys.h"
#include "widgets/canvas/overview_strip.h"
#include "widgets/heatmap/heat_grid.h"
#include "widgets/shell/command.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/keys_help.h"
#include "widgets/shell/panel.h"
#include "widgets/shell/side_rail.h"
#include "widgets/shell/time_bar.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/tokens.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/timeline/track_style.h"

#include <QAbstractButton>
#include <QAction>
#include <QLineEdit>
#include <QScreen>
#include <QWheelEvent>

using namespace plimsoll;
using test::Stage;

namespace {

int distance(QRgb a, const QColor &b)
{
    return std::abs(qRed(a) - b.red()) + std::abs(qGreen(a) - b.green()) + std::abs(qBlue(a) - b.blue());
}

/// The nearest any pixel of the column around (x, y) comes to the colour, within `reach` px up and down.
int nearest(const QImage &image, int x, int y, int reach, const QColor &colour)
{
    int best = 1000;
    for (int dy = -reach; dy <= reach; ++dy)
        if (image.rect().contains(x, y + dy))
            best = std::min(best, distance(image.pixel(x, y + dy), colour));
    return best;
}

} // namespace

class TestMainWindow : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        applyTheme(*qApp, Theme::Light);
        m_stage = std::make_unique<Stage>();
        m_stage->settings.set(setting::kTheme, ThemeChoice::Light);
        connect(&m_stage->settings, &Settings::changed, this, [this](const QString &) {
            applyTheme(*qApp, m_stage->settings.get(setting::kTheme) == ThemeChoice::Dark ? Theme::Dark : Theme::Light);
        });
        m_stage->pushPast(120);
        m_stage->pushJobStart(std::chrono::seconds(100));
        m_window = std::make_unique<MainWindow>(m_stage->session, m_stage->settings, m_stage->path("history.sqlite"));
        m_window->resize(1600, 1000);
        m_window->show();
        m_stage->session.start();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        QTRY_VERIFY_WITH_TIMEOUT(m_stage->isKnown(), 20'000);
    }
    void cleanup()
    {
        m_window.reset();
        m_stage.reset();
    }

    void showsTheFleetFirst()
    {
        auto *page = qobject_cast<FleetPage *>(m_window->currentPage());
        QVERIFY(page);
        QTRY_VERIFY_WITH_TIMEOUT(page->isFilled(), 20'000);
        auto *heat = page->findChild<HeatGrid *>();
        QCOMPARE(heat->groups().size(), std::size_t{1});
        QCOMPARE(heat->groups().front().rows.front().cells.front().load, std::optional<double>(0.75));
        QVERIFY(m_window->windowTitle().contains(QStringLiteral("Plimsoll")));
    }

    void theLineIsWhereTheValueIs()
    {
        TimelineView *view = openDemo();
        m_stage->session.time()->setSpan(std::chrono::seconds(90));
        QTest::keyClick(view, Qt::Key_F);
        QTRY_COMPARE(m_stage->session.time()->state().mode, TimeMode::Frozen);
        const Instant middle = m_stage->lastPush - std::chrono::seconds(40);
        const auto readsRss = [&] {
            for (const auto &reading : view->readingsAt(middle))
                if (reading.role == SeriesRole::Host && reading.value == Stage::kRss)
                    return true;
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(readsRss(), 10'000);

        // Away from the mouse, so that no crosshair lies over the line.
        const int track = trackWith(*view, SeriesRole::Host);
        QVERIFY(track >= 0);
        const int x = static_cast<int>(view->xOf(middle));
        const int y = static_cast<int>(view->yOf(track, Stage::kRss));
        QVERIFY(view->plotRect(track).contains(x, y));
        const Tokens &t = tokens(view);
        const QColor line = trackStyle(SeriesRole::Host, t).line;
        const QImage image = view->grab().toImage().convertToFormat(QImage::Format_RGB32);
        QVERIFY2(nearest(image, x, y, 2, line) < 60, "no line at the value");
        // A quarter of the plot above the value there is none of it.
        const int above = y - view->plotRect(track).height() / 8;
        QVERIFY(nearest(image, x, above, 2, line) > 60);
        // The cgroup's limit lies above the line, by its value.
        QVERIFY(view->yOf(track, Stage::kCgroupLimit) < y);
    }

    void zoomsAtTheCursor()
    {
        TimelineView *view = openDemo();
        TimeContext &time = *m_stage->session.time();
        QTest::keyClick(view, Qt::Key_F);
        const TimeRange before = time.visibleRange();
        const QPoint at(view->plotRect(0).left() + view->plotRect(0).width() / 4, view->plotRect(0).center().y());
        const Instant under = view->instantAt(at.x());
        QWheelEvent wheel(at, view->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(view, &wheel);
        QVERIFY(time.visibleRange().length() < before.length());
        QTRY_COMPARE(view->range(), time.visibleRange());
        QVERIFY(std::abs(view->xOf(under) - at.x()) <= 2);

        QTest::keyClick(view, Qt::Key_S); // out again
        QVERIFY(time.visibleRange().length() > view->range().length() || view->range().length() >= before.length() / 2);
    }

    void pansAndFreezes()
    {
        TimelineView *view = openDemo();
        TimeContext &time = *m_stage->session.time();
        QCOMPARE(time.state().mode, TimeMode::Live);
        const TimeRange before = time.visibleRange();
        QTest::keyClick(view, Qt::Key_A);
        QCOMPARE(time.state().mode, TimeMode::Frozen);
        QVERIFY(time.visibleRange().begin < before.begin);
        QCOMPARE(m_window->timeBar()->mode(), TimeBarMode::Frozen);
        QTest::keyClick(view, Qt::Key_End);
        QCOMPARE(time.state().mode, TimeMode::Live);
        QTest::mouseClick(m_window->timeBar()->modeButton(), Qt::LeftButton);
        QCOMPARE(time.state().mode, TimeMode::Frozen);
        QTest::keyClick(view, Qt::Key_Space);
        QCOMPARE(time.state().mode, TimeMode::Live);
    }

    void selectsARangeByDragging()
    {
        TimelineView *view = openDemo();
        QTest::keyClick(view, Qt::Key_F);
        const QRect plot = view->plotRect(0);
        const QPoint from(plot.left() + plot.width() / 4, plot.center().y());
        const QPoint to(plot.left() + plot.width() / 2, plot.center().y());
        QTest::mousePress(view, Qt::LeftButton, Qt::NoModifier, from);
        QTest::mouseMove(view, (from + to) / 2);
        QTest::mouseMove(view, to);
        QTest::mouseRelease(view, Qt::LeftButton, Qt::NoModifier, to);
        const ViewState &state = m_stage->session.time()->state();
        QTRY_VERIFY(state.cursorA && state.cursorB);
        QVERIFY(std::abs(view->xOf(*state.cursorA) - from.x()) <= 2);
        QVERIFY(std::abs(view->xOf(*state.cursorB) - to.x()) <= 2);
        const TimeRange selected{*state.cursorA, *state.cursorB};
        QTest::keyClick(view, Qt::Key_Return);
        QTRY_COMPARE(m_stage->session.time()->visibleRange().length(), selected.length());
    }

    void undoesViewSteps()
    {
        TimeContext &time = *m_stage->session.time();
        click(Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(time.state().page, std::string("jobs"));
        QVERIFY(qobject_cast<JobPage *>(m_window->currentPage()));
        click(Qt::Key_3, Qt::ControlModifier);
        QVERIFY(qobject_cast<ConnectionsPage *>(m_window->currentPage()));
        click(Qt::Key_Left, Qt::AltModifier);
        QVERIFY(qobject_cast<JobPage *>(m_window->currentPage()));
        click(Qt::Key_Left, Qt::AltModifier);
        QVERIFY(qobject_cast<FleetPage *>(m_window->currentPage()));
        click(Qt::Key_Right, Qt::AltModifier);
        QVERIFY(qobject_cast<JobPage *>(m_window->currentPage()));
        QCOMPARE(m_window->rail()->current(), QStringLiteral("jobs"));
    }

    void paletteFindsTheJob()
    {
        click(Qt::Key_K, Qt::ControlModifier);
        CommandPalette *palette = m_window->palettePopup();
        QTRY_VERIFY(palette->isVisible());
        auto *edit = palette->findChild<QLineEdit *>();
        QTest::keyClicks(edit, QStringLiteral("demo"));
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_VERIFY(!palette->isVisible());
        QCOMPARE(m_stage->session.time()->state().job, std::string("demo"));
        QVERIFY(qobject_cast<JobPage *>(m_window->currentPage()));
    }

    void paletteFiltersByTheJob()
    {
        click(Qt::Key_K, Qt::ControlModifier);
        CommandPalette *palette = m_window->palettePopup();
        QTRY_VERIFY(palette->isVisible());
        auto *edit = palette->findChild<QLineEdit *>();
        QTest::keyClicks(edit, QStringLiteral("demo"));
        QTest::keyClick(edit, Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY(!palette->isVisible());
        const auto filter = m_stage->session.time()->state().filter;
        QCOMPARE(filter.size(), std::size_t{1});
        QCOMPARE(filter.front().label, std::string("job.id"));
        QCOMPARE(filter.front().value, std::string("demo"));
        m_stage->session.time()->setFilter({});
    }

    void paletteJumpsInTime()
    {
        click(Qt::Key_K, Qt::ControlModifier);
        CommandPalette *palette = m_window->palettePopup();
        QTRY_VERIFY(palette->isVisible());
        auto *edit = palette->findChild<QLineEdit *>();
        QTest::keyClicks(edit, QStringLiteral("@-2h"));
        QTest::keyClick(edit, Qt::Key_Return);
        TimeContext &time = *m_stage->session.time();
        QTRY_COMPARE(time.state().mode, TimeMode::Frozen);
        const auto off = std::chrono::abs(time.now() - std::chrono::hours(2) - *time.state().cursorA);
        QVERIFY(off < std::chrono::seconds(30));
    }

    void themeChangesAtOnce()
    {
        const QColor light = m_window->grab().toImage().pixelColor(2, 300);
        QVERIFY(m_window->commands().run(QStringLiteral("theme.dark")));
        QTRY_VERIFY(tokens(m_window.get()).isDark);
        const QColor dark = m_window->grab().toImage().pixelColor(2, 300);
        QVERIFY(dark.lightness() < light.lightness() - 100);
        QCOMPARE(dark, tokens(m_window.get()).rail);
    }

    void travellingIsFramedAndLeft()
    {
        TimelineView *view = openDemo();
        QTest::keyClick(view, Qt::Key_F);
        TimeContext &time = *m_stage->session.time();
        time.travelTo(m_stage->lastPush - std::chrono::seconds(30));
        QCOMPARE(m_window->timeBar()->mode(), TimeBarMode::Travelling);
        QTRY_COMPARE(m_window->grab().toImage().pixelColor(1, 500), tokens(m_window.get()).accent);
        click(Qt::Key_Escape, Qt::NoModifier);
        QCOMPARE(time.state().mode, TimeMode::Frozen);
        QVERIFY(m_window->grab().toImage().pixelColor(1, 500) != tokens(m_window.get()).accent);
    }

    void filtersEveryPanel()
    {
        m_stage->session.time()->setFilter({{"team", "nobody"}});
        auto *page = qobject_cast<FleetPage *>(m_window->currentPage());
        const auto panels = page->findChildren<Panel *>();
        QVERIFY(std::any_of(panels.begin(), panels.end(), [](const Panel *panel) { return panel->state() != nullptr; }));
        QVERIFY(m_window->commands().isEnabled(QStringLiteral("filter.clear")));
        click(Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_stage->session.time()->state().filter.empty());
        m_stage->session.time()->setFilter({{"team", "nlp"}});
        QTRY_COMPARE(page->findChild<HeatGrid *>()->groups().size(), std::size_t{1});
    }

    void maximisesAPanel()
    {
        auto *page = m_window->currentPage();
        auto *heat = page->findChild<HeatGrid *>();
        heat->setFocus();
        const int before = heat->height();
        QVERIFY(m_window->commands().run(QStringLiteral("panel.maximise")));
        QTRY_VERIFY(heat->height() > before);
        click(Qt::Key_Escape, Qt::NoModifier);
        QTRY_COMPARE(heat->height(), before);
    }

    void everyCommandHasANameAndSection()
    {
        QSet<QString> ids;
        QSet<QString> keys;
        for (const auto &command : m_window->commands().all()) {
            QVERIFY2(!command.title.isEmpty() && !command.section.isEmpty(), qPrintable(command.id));
            QVERIFY2(!ids.contains(command.id), qPrintable(command.id));
            ids << command.id;
            if (command.key.isEmpty())
                continue;
            QVERIFY2(!keys.contains(command.key.toString()), qPrintable(command.key.toString()));
            keys << command.key.toString();
        }
    }

    void helpListsKeys()
    {
        click(Qt::Key_F1, Qt::NoModifier);
        auto *help = m_window->findChild<KeysHelp *>();
        QTRY_VERIFY(help->isVisible());
        QTest::keyClick(help, Qt::Key_Escape);
        QTRY_VERIFY(!help->isVisible());
    }

    void layoutIsKeptAndRepaired()
    {
        m_window->resize(1300, 800);
        m_window->close();
        QVERIFY(!m_stage->settings.get(setting::kWindowGeometry).isEmpty());
        MainWindow again(m_stage->session, m_stage->settings, {});
        // Newer Qt restores a window no larger than its screen, and that of the tests is small.
        const QSize screen = QGuiApplication::primaryScreen()->availableSize();
        QVERIFY(again.size() == QSize(1300, 800) || (screen.width() < 1300 && again.height() <= screen.height()));
        m_stage->settings.set(setting::kWindowGeometry, QByteArray("rubbish"));
        m_stage->settings.set(setting::kFleetColumns, QByteArray("rubbish"));
        MainWindow repaired(m_stage->session, m_stage->settings, {});
        QCOMPARE(repaired.size(), QSize(1600, 1000));
    }

    void keyboardReachesEveryPlace()
    {
        for (const auto &[key, page] : {std::pair{Qt::Key_1, "fleet"}, {Qt::Key_2, "jobs"}, {Qt::Key_3, "connections"}, {Qt::Key_Comma, "settings"}}) {
            click(key, Qt::ControlModifier);
            QCOMPARE(m_stage->session.time()->state().page, std::string(page));
            QVERIFY2(m_window->currentPage()->isAncestorOf(QApplication::focusWidget()), page);
        }
    }

private:
    void click(int key, Qt::KeyboardModifiers modifiers)
    {
        QWidget *focus = QApplication::focusWidget();
        QTest::keyClick(focus ? focus : m_window.get(), static_cast<Qt::Key>(key), modifiers);
    }
    TimelineView *openDemo()
    {
        m_stage->session.time()->openJob("demo");
        auto *page = qobject_cast<JobPage *>(m_window->currentPage());
        auto *view = page->findChild<TimelineView *>();
        [&] { QTRY_VERIFY_WITH_TIMEOUT(page->isFilled(), 20'000); }();
        [&] { QTRY_VERIFY_WITH_TIMEOUT(view->isVisible(), 20'000); }();
        view->setFocus();
        return view;
    }
    static int trackWith(const TimelineView &view, SeriesRole role)
    {
        for (std::size_t i = 0; i < view.tracks().size(); ++i)
            for (const auto &line : view.tracks()[i].lines)
                if (line.role == role)
                    return static_cast<int>(i);
        return -1;
    }

    std::unique_ptr<Stage> m_stage;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
