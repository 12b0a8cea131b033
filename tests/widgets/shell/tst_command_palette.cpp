// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/command.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/keys_help.h"
#include "widgets/shell/palette_model.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/tokens.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

using namespace plimsoll;

class TestCommandPalette : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup();
    void modelIsAModel();
    void sitsInTheWindow();
    void runsWhatIsChosen();
    void walks();
    void showsActions();
    void filters();
    void onlyCommandsBehindTheSign();
    void leavesOutWhatIsDisabled();
    void readsTimes_data();
    void readsTimes();
    void helps();
    void worksByMouse();
    void closesAndGivesFocusBack();
    void showsHostileNamesPlain();
    void shortcutsRun();
    void menusAreMadeOfCommands();
    void helpListsKeys();

private:
    QString rowText(int row) const { return m_list->model()->index(row, 0).data().toString(); }

    std::unique_ptr<QWidget> m_window;
    QLineEdit *m_before = nullptr;
    CommandTable *m_table = nullptr;
    CommandPalette *m_palette = nullptr;
    QLineEdit *m_edit = nullptr;
    QListView *m_list = nullptr;
    QStringList m_ran;
    bool m_canFreeze = true;
};

void TestCommandPalette::initTestCase()
{
    applyTheme(*qApp, Theme::Light);
}

void TestCommandPalette::init()
{
    m_ran.clear();
    m_canFreeze = true;
    m_window = std::make_unique<QWidget>();
    m_window->resize(1200, 800);
    m_before = new QLineEdit(m_window.get());
    m_table = new CommandTable(m_window.get());
    const auto add = [this](const char *id, const char *title, const char *section, QKeySequence key = {}) {
        m_table->add({QString::fromUtf8(id), QString::fromUtf8(title), QString::fromUtf8(section), key, {}, [this, id] { m_ran << QString::fromUtf8(id); }});
    };
    add("go.fleet", "Go to Fleet", "Go", QKeySequence(Qt::CTRL | Qt::Key_1));
    add("go.jobs", "Go to Jobs", "Go", QKeySequence(Qt::CTRL | Qt::Key_2));
    add("theme.dark", "Dark theme", "View");
    m_table->add({QStringLiteral("view.freeze"), QStringLiteral("Freeze"), QStringLiteral("View"), {}, QStringLiteral("F Space"),
                  [this] { m_ran << QStringLiteral("view.freeze"); }, [this] { return m_canFreeze; }});
    m_table->add({QStringLiteral("canvas.zoom"), QStringLiteral("Zoom at cursor"), QStringLiteral("Canvas"), {}, QStringLiteral("W S + −")});
    m_table->install(m_window.get());
    m_palette = new CommandPalette(m_window.get());
    m_palette->setSource(m_table);
    m_palette->setPlaces([this](const QString &) {
        const auto ran = [this](const char *what) { return [this, what] { m_ran << QString::fromLatin1(what); }; };
        return std::vector<PaletteEntry>{{QStringLiteral("j1"), QStringLiteral("rag-ft-0412"), QStringLiteral("job, team nlp"), Icon::Jobs, {}, ran("j1"), ran("filter j1"),
                                          {{QStringLiteral("open"), QStringLiteral("Open the job"), {}, Icon::Jobs, {}, ran("open j1")},
                                           {QStringLiteral("copy"), QStringLiteral("Copy its name"), {}, Icon::Copy, {}, ran("copy j1")}}},
                                         {QStringLiteral("n1"), QStringLiteral("node-17"), QStringLiteral("node"), Icon::Fleet, {}, [this] { m_ran << QStringLiteral("n1"); }}};
    });
    m_edit = m_palette->findChild<QLineEdit *>();
    m_list = m_palette->findChild<QListView *>();
    m_window->show();
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    m_before->setFocus();
}

void TestCommandPalette::cleanup()
{
    m_window.reset();
}

void TestCommandPalette::modelIsAModel()
{
    PaletteModel model;
    QAbstractItemModelTester tester(&model);
    model.setEntries({}, {});
    std::vector<PaletteEntry> entries;
    for (int i = 0; i < 200; ++i)
        entries.push_back({QString::number(i), QStringLiteral("node-%1").arg(i), QStringLiteral("node"), Icon::Fleet, {}, {}});
    model.setEntries(entries, {});
    QCOMPARE(model.rowCount(), 50);
    QCOMPARE(model.offered(), 200);
    QCOMPARE(model.entry(0)->id, QStringLiteral("0")); // the given order stays
    model.setEntries(entries, QStringLiteral("n17"));
    QCOMPARE(model.entry(0)->title, QStringLiteral("node-17"));
    model.setEntries(entries, QStringLiteral("nothing like it"));
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(model.entry(0) == nullptr);
    QVERIFY(model.entry(-1) == nullptr);
}

void TestCommandPalette::sitsInTheWindow()
{
    m_palette->open();
    QCOMPARE(m_palette->width(), 560);
    QCOMPARE(m_palette->y(), 160); // a fifth of the height
    QCOMPARE(m_palette->geometry().center().x(), 599);
    QVERIFY(m_edit->hasFocus());
    m_window->resize(500, 700);
    QVERIFY(m_window->rect().contains(m_palette->geometry()));
}

void TestCommandPalette::runsWhatIsChosen()
{
    m_palette->open();
    QTest::keyClicks(m_edit, QStringLiteral("rag"));
    QCOMPARE(rowText(0), QStringLiteral("rag-ft-0412"));
    QTest::keyClick(m_edit, Qt::Key_Return);
    QCOMPARE(m_ran, QStringList{QStringLiteral("j1")});
    QVERIFY(!m_palette->isVisible());
    m_palette->open();
    QVERIFY(m_edit->text().isEmpty());
    QTest::keyClicks(m_edit, QStringLiteral("dark"));
    QTest::keyClick(m_edit, Qt::Key_Return);
    QCOMPARE(m_ran.last(), QStringLiteral("theme.dark"));
}

void TestCommandPalette::walks()
{
    m_palette->open();
    const int rows = m_list->model()->rowCount();
    QVERIFY(rows >= 5);
    QCOMPARE(m_list->currentIndex().row(), 0);
    QTest::keyClick(m_edit, Qt::Key_Down);
    QCOMPARE(m_list->currentIndex().row(), 1);
    QTest::keyClick(m_edit, Qt::Key_Up);
    QTest::keyClick(m_edit, Qt::Key_Up);
    QCOMPARE(m_list->currentIndex().row(), rows - 1); // round
    QTest::keyClick(m_edit, Qt::Key_PageUp);
    QCOMPARE(m_list->currentIndex().row(), 0);
    QTest::keyClick(m_edit, Qt::Key_PageDown);
    QCOMPARE(m_list->currentIndex().row(), std::min(rows - 1, 9));
}

void TestCommandPalette::showsActions()
{
    const auto foot = [this] {
        QStringList texts;
        for (const auto *label : m_palette->findChildren<QLabel *>())
            texts << label->text();
        return texts.join(QLatin1Char(' '));
    };
    m_palette->open(QStringLiteral("rag"));
    QVERIFY2(foot().contains(QStringLiteral("Tab shows actions")), qPrintable(foot()));
    QTest::keyClick(m_edit, Qt::Key_Tab);
    QCOMPARE(m_list->model()->rowCount(), 2);
    QCOMPARE(rowText(0), QStringLiteral("Open the job"));
    QVERIFY(m_edit->text().isEmpty());
    QTest::keyClick(m_edit, Qt::Key_Escape); // back to what was typed, not away
    QVERIFY(m_palette->isVisible());
    QCOMPARE(m_edit->text(), QStringLiteral("rag"));
    QCOMPARE(rowText(0), QStringLiteral("rag-ft-0412"));
    QTest::keyClick(m_edit, Qt::Key_Tab);
    QTest::keyClicks(m_edit, QStringLiteral("copy")); // they are found by name, too
    QTest::keyClick(m_edit, Qt::Key_Return);
    QCOMPARE(m_ran, QStringList{QStringLiteral("copy j1")});
    QVERIFY(!m_palette->isVisible());
    // A command has no actions: Tab leaves it as it is, and nobody is told of Tab.
    m_palette->open(QStringLiteral(">dark"));
    QVERIFY(!foot().contains(QStringLiteral("Tab")));
    QTest::keyClick(m_edit, Qt::Key_Tab);
    QCOMPARE(rowText(0), QStringLiteral("Dark theme"));
    QVERIFY(m_edit->hasFocus());
}

void TestCommandPalette::filters()
{
    m_palette->open(QStringLiteral("rag"));
    QTest::keyClick(m_edit, Qt::Key_Return, Qt::ControlModifier);
    QCOMPARE(m_ran, QStringList{QStringLiteral("filter j1")});
    QVERIFY(!m_palette->isVisible());
    m_palette->open(QStringLiteral(">dark"));
    QTest::keyClick(m_edit, Qt::Key_Return, Qt::ControlModifier); // no filter: nothing happens
    QVERIFY(m_palette->isVisible());
    QCOMPARE(m_ran.size(), 1);
}

void TestCommandPalette::onlyCommandsBehindTheSign()
{
    m_palette->open(QStringLiteral(">"));
    for (int row = 0; row < m_list->model()->rowCount(); ++row)
        QVERIFY(rowText(row) != QStringLiteral("node-17"));
    QTest::keyClicks(m_edit, QStringLiteral("jobs"));
    QTest::keyClick(m_edit, Qt::Key_Return);
    QCOMPARE(m_ran, QStringList{QStringLiteral("go.jobs")});
}

void TestCommandPalette::leavesOutWhatIsDisabled()
{
    m_palette->open(QStringLiteral(">freeze"));
    QCOMPARE(m_list->model()->rowCount(), 1);
    m_palette->dismiss();
    m_canFreeze = false;
    m_palette->open(QStringLiteral(">freeze"));
    QCOMPARE(m_list->model()->rowCount(), 0);
    QVERIFY(!m_table->run(QStringLiteral("view.freeze")));
    QTest::keyClick(m_edit, Qt::Key_Return); // nothing to run, nothing happens
    QVERIFY(m_palette->isVisible());
    QVERIFY(m_ran.isEmpty());
}

void TestCommandPalette::readsTimes_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<bool>("isTime");
    QTest::newRow("clock") << "@14:03" << true;
    QTest::newRow("back") << "@-2h" << true;
    QTest::newRow("space") << "@ 14:03" << true;
    QTest::newRow("none") << "@noon" << false;
    QTest::newRow("nothing yet") << "@" << false;
}

void TestCommandPalette::readsTimes()
{
    QFETCH(QString, typed);
    QFETCH(bool, isTime);
    QSignalSpy times(m_palette, &CommandPalette::timeTyped);
    m_palette->open();
    QTest::keyClicks(m_edit, typed);
    QCOMPARE(m_list->model()->rowCount(), isTime ? 1 : 0);
    QTest::keyClick(m_edit, Qt::Key_Return);
    QCOMPARE(times.count(), isTime ? 1 : 0);
    if (isTime)
        QCOMPARE(times.value(0).value(0).toString(), typed.mid(1).trimmed());
    QCOMPARE(m_palette->isVisible(), !isTime);
}

void TestCommandPalette::helps()
{
    QSignalSpy helps(m_palette, &CommandPalette::helpWanted);
    m_palette->open(QStringLiteral("?"));
    QVERIFY(m_list->model()->rowCount() >= 4);
    QTest::keyClick(m_edit, Qt::Key_Down);
    QTest::keyClick(m_edit, Qt::Key_Return); // shows how commands are typed
    QVERIFY(m_palette->isVisible());
    QCOMPARE(m_edit->text(), QStringLiteral(">"));
    m_palette->open(QStringLiteral("?keys"));
    QTest::keyClick(m_edit, Qt::Key_Return);
    QCOMPARE(helps.count(), 1);
    QVERIFY(!m_palette->isVisible());
}

void TestCommandPalette::worksByMouse()
{
    m_palette->open();
    const QRect second = m_list->visualRect(m_list->model()->index(1, 0));
    const QString wanted = rowText(1);
    QTest::mouseMove(m_list->viewport(), second.center());
    QTest::mouseClick(m_list->viewport(), Qt::LeftButton, {}, second.center());
    QVERIFY(!m_palette->isVisible());
    QCOMPARE(m_ran.size(), 1);
    QVERIFY(!wanted.isEmpty());
}

void TestCommandPalette::closesAndGivesFocusBack()
{
    QSignalSpy dismissed(m_palette, &CommandPalette::dismissed);
    m_palette->open();
    QTest::keyClick(m_edit, Qt::Key_Escape);
    QVERIFY(!m_palette->isVisible());
    QCOMPARE(dismissed.count(), 1);
    QCOMPARE(m_window->focusWidget(), m_before);
    m_palette->open();
    QLineEdit other(m_window.get());
    other.move(10, 600);
    other.show();
    QTest::mouseClick(&other, Qt::LeftButton); // beside it
    QVERIFY(!m_palette->isVisible());
    QCOMPARE(m_window->focusWidget(), &other);
}

void TestCommandPalette::showsHostileNamesPlain()
{
    m_palette->setPlaces([](const QString &) {
        return std::vector<PaletteEntry>{{QStringLiteral("x"), QStringLiteral("<font size=7>big</font>") + QString(10'000, QLatin1Char('w')),
                                          QString(10'000, QLatin1Char('d')), Icon::Jobs, QString(), [] {}}};
    });
    m_palette->open(QStringLiteral("font"));
    QCOMPARE(m_list->model()->rowCount(), 1);
    QCOMPARE(m_palette->width(), 560);
    QVERIFY(!m_palette->grab().isNull());
}

void TestCommandPalette::shortcutsRun()
{
    QTest::keyClick(m_before, Qt::Key_2, Qt::ControlModifier);
    QTRY_COMPARE(m_ran, QStringList{QStringLiteral("go.jobs")});
    // Replaced: only the new one runs.
    m_table->add({QStringLiteral("go.jobs"), QStringLiteral("Jobs"), QStringLiteral("Go"), QKeySequence(Qt::CTRL | Qt::Key_2), {}, [this] { m_ran << QStringLiteral("new"); }});
    QTest::keyClick(m_before, Qt::Key_2, Qt::ControlModifier);
    QTRY_COMPARE(m_ran.last(), QStringLiteral("new"));
    QCOMPARE(m_ran.size(), 2);
    m_table->remove(QStringLiteral("go.jobs"));
    QVERIFY(m_table->action(QStringLiteral("go.jobs")) == nullptr);
    QTest::keyClick(m_before, Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(m_ran.size(), 2);
}

void TestCommandPalette::menusAreMadeOfCommands()
{
    QMenu menu;
    m_table->fillMenu(&menu, QStringLiteral("View"));
    QCOMPARE(menu.actions().size(), 2);
    m_canFreeze = false;
    emit menu.aboutToShow();
    QVERIFY(!m_table->action(QStringLiteral("view.freeze"))->isEnabled());
    m_table->action(QStringLiteral("theme.dark"))->trigger();
    QCOMPARE(m_ran, QStringList{QStringLiteral("theme.dark")});
    QCOMPARE(m_table->sections(), (std::vector<QString>{QStringLiteral("Go"), QStringLiteral("View"), QStringLiteral("Canvas")}));
}

void TestCommandPalette::helpListsKeys()
{
    KeysHelp help(m_window.get());
    help.setSource(m_table);
    help.open(QStringLiteral("Fleet"), {QStringLiteral("Canvas")});
    QVERIFY(help.isVisible());
    QStringList words;
    for (const QLabel *label : help.findChildren<QLabel *>())
        words << label->text();
    QVERIFY(words.contains(QStringLiteral("Go to Fleet")));
    QVERIFY(words.contains(QStringLiteral("Zoom at cursor")));
    QVERIFY(!words.contains(QStringLiteral("Dark theme"))); // has no key
    QVERIFY(words.contains(QStringLiteral("Keys of Fleet")));
    QTest::keyClick(&help, Qt::Key_Escape);
    QVERIFY(!help.isVisible());
    QCOMPARE(m_window->focusWidget(), m_before);
    help.open();
    QTest::mouseClick(&help, Qt::LeftButton, {}, QPoint(3, 3));
    QVERIFY(!help.isVisible());
}

QTEST_MAIN(TestCommandPalette)
#include "tst_command_palette.moc"
