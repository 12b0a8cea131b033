// SPDX-License-Identifier: GPL-3.0-or-later
// The page over a real session: agents come, fail, are tested and go by mouse and keys.
#include "views/connections/connections_page.h"

#include "../stage.h"
#include "views/connections/add_agent_form.h"
#include "views/connections/check_list.h"
#include "views/connections/connections_model.h"
#include "views/main_window.h"
#include "widgets/theme/palette.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>

using namespace plimsoll;
using test::Stage;

class TestConnectionsPage : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        applyTheme(*qApp, Theme::Light);
        m_stage = std::make_unique<Stage>();
        m_window = std::make_unique<MainWindow>(m_stage->session, m_stage->settings, m_stage->path("history.sqlite"));
        m_window->resize(1600, 1000);
        m_window->show();
        m_stage->session.start();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        QTest::keyClick(m_window.get(), Qt::Key_3, Qt::ControlModifier);
        m_page = qobject_cast<ConnectionsPage *>(m_window->currentPage());
        QVERIFY(m_page);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(0), QStringLiteral("live"), 20'000);
    }
    void cleanup()
    {
        m_window.reset();
        m_stage.reset();
    }

    void showsEachAgent()
    {
        const QAbstractItemModelTester tester(table()->model());
        QCOMPARE(table()->model()->rowCount(), 1);
        QVERIFY(textOf(0, ConnectionsModel::NameColumn).contains(QStringLiteral("stage")));
        m_stage->agent.stop();
        QTRY_VERIFY_WITH_TIMEOUT(stateOf(0) != QStringLiteral("live"), 20'000);
        QVERIFY(button("Retry now")->isEnabled());
    }

    void addsOneThatAnswersAndRemovesIt()
    {
        FakeAgent second;
        wire::Hello hello;
        hello.version = wire::kProtocolVersion;
        hello.agent = "plimsoll-agent 9.9.9";
        hello.hostName = "second";
        hello.agentId = "second-agent";
        second.setHello(hello);
        second.setHeartbeatInterval(std::chrono::milliseconds(500)); // a silent one would be dead
        const std::string address = second.start();
        add(QString::fromStdString(address));
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 2, 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(1), QStringLiteral("live"), 20'000);
        QCOMPARE(m_stage->settings.endpoints().size(), std::size_t{1}); // the one that a person added
        table()->selectRow(1);
        QTest::mouseClick(button("Remove"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 1, 10'000);
        QVERIFY(m_stage->settings.endpoints().empty());
        QCOMPARE(stateOf(0), QStringLiteral("live")); // the neighbour goes on
    }

    void saysWhatIsWrongWithOneThatDoesNotAnswer()
    {
        add(QStringLiteral("127.0.0.1:1"));
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 2, 10'000);
        table()->selectRow(1);
        QTRY_VERIFY_WITH_TIMEOUT(button("Retry now")->isEnabled(), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(textOf(1, ConnectionsModel::AddressColumn).contains(QStringLiteral("127.0.0.1:1")), 20'000);
        // What happened, in words, where the mouse rests.
        const QString tip = table()->model()->index(1, ConnectionsModel::StateColumn).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("127.0.0.1:1")) && tip.contains(QStringLiteral("it is tried again")), qPrintable(tip));
        QVERIFY2(stateOf(1).startsWith(QStringLiteral("unreachable")), qPrintable(stateOf(1)));
        QTest::mouseClick(button("Test"), Qt::LeftButton);
        auto *checks = m_page->findChild<CheckList *>();
        QTRY_VERIFY_WITH_TIMEOUT(checks->isVisible() && labels(checks).contains(QStringLiteral("127.0.0.1:1")), 20'000);
        QCOMPARE(stateOf(0), QStringLiteral("live"));
    }

    void testsOneThatIsFine()
    {
        table()->selectRow(0);
        QTest::mouseClick(button("Test"), Qt::LeftButton);
        auto *checks = m_page->findChild<CheckList *>();
        QTRY_VERIFY_WITH_TIMEOUT(checks->isVisible() && checks->findChildren<QLabel *>().size() >= 3, 20'000);
        QTRY_VERIFY(button("Test")->isEnabled());
    }

    void refusesOneThatIsKnown()
    {
        auto *form = m_page->findChild<AddAgentForm *>();
        add(QStringLiteral("unix:") + QString::fromStdString(m_stage->path("a.sock").string()));
        QVERIFY(form->isVisible());
        QCOMPARE(table()->model()->rowCount(), 1);
    }

private:
    [[nodiscard]] QTableView *table() const
    {
        for (auto *view : m_page->findChildren<QTableView *>())
            if (qobject_cast<ConnectionsModel *>(view->model()))
                return view;
        return nullptr;
    }
    [[nodiscard]] QString textOf(int row, int column) const { return table()->model()->index(row, column).data().toString(); }
    [[nodiscard]] QString stateOf(int row) const { return textOf(row, ConnectionsModel::StateColumn); }
    [[nodiscard]] QPushButton *button(const char *text) const
    {
        for (auto *one : m_page->findChildren<QPushButton *>())
            if (one->text() == QLatin1String(text) && one->isVisible())
                return one;
        return nullptr;
    }
    [[nodiscard]] static QString labels(const QWidget *of)
    {
        QString all;
        for (const auto *label : of->findChildren<QLabel *>())
            all += label->text() + u'\n';
        return all;
    }
    void add(const QString &address)
    {
        m_page->startAdding();
        auto *form = m_page->findChild<AddAgentForm *>();
        auto *edit = form->findChild<QLineEdit *>();
        QTest::keyClicks(edit, address);
        QTest::keyClick(edit, Qt::Key_Return);
    }

    std::unique_ptr<Stage> m_stage;
    std::unique_ptr<MainWindow> m_window;
    ConnectionsPage *m_page = nullptr;
};

QTEST_MAIN(TestConnectionsPage)
#include "tst_connections_page.moc"
