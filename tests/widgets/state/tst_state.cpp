// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/panel.h"
#include "widgets/state/badge.h"
#include "widgets/state/empty_panel.h"
#include "widgets/state/error_panel.h"
#include "widgets/state/progress_panel.h"
#include "widgets/state/stale_badge.h"
#include "widgets/state/toast.h"
#include "widgets/theme/label.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/tokens.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace plimsoll;

class TestState : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void emptySaysAndOffers();
    void errorCopiesDetails();
    void progressTakesItsStages();
    void staleTellsAge();
    void panelShowsStateInPlaceOfContent();
    void panelKeepsStateUntilAnother();
    void panelIsBusyOnItsEdge();
    void toastsStack();
    void toastGoesByKeyAndButton();
};

static QPushButton *button(QWidget &parent, const QString &text)
{
    for (QPushButton *found : parent.findChildren<QPushButton *>()) {
        if (found->text() == text)
            return found;
    }
    return nullptr;
}

void TestState::initTestCase()
{
    applyTheme(*qApp, Theme::Light);
}

void TestState::emptySaysAndOffers()
{
    EmptyPanel panel(QStringLiteral("No agent yet. <i>Add one</i>"));
    QPushButton *add = panel.addButton(QStringLiteral("Add agent"), true);
    QSignalSpy clicks(add, &QPushButton::clicked);
    panel.resize(300, 120);
    panel.show();
    QTest::mouseClick(add, Qt::LeftButton);
    QCOMPARE(clicks.count(), 1);
    QCOMPARE(panel.accessibleName(), QStringLiteral("No agent yet. <i>Add one</i>"));
    for (const QLabel *label : panel.findChildren<QLabel *>())
        QCOMPARE(label->textFormat(), Qt::PlainText);
}

void TestState::errorCopiesDetails()
{
    ErrorPanel panel;
    panel.setError(QStringLiteral("Prometheus refused"), QStringLiteral("Live values go on."), QStringLiteral("422 too many"));
    panel.show();
    QPushButton *copy = button(panel, QStringLiteral("Copy details"));
    QVERIFY(copy != nullptr && copy->isVisible());
    QTest::mouseClick(copy, Qt::LeftButton);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("422 too many"));
    panel.setError(QStringLiteral("Other"), {});
    QVERIFY(!copy->isVisible());
}

void TestState::progressTakesItsStages()
{
    ProgressPanel panel;
    panel.resize(300, 160);
    panel.show();
    QSignalSpy cancels(&panel, &ProgressPanel::cancelled);
    panel.start(QStringLiteral("Reading stacks"));
    QVERIFY(!panel.showsSkeleton());
    QImage image = panel.grab().toImage();
    QCOMPARE(image.pixelColor(2, 0).rgb(), lightTokens().accent.rgb()); // the line is there at once
    QTRY_VERIFY_WITH_TIMEOUT(panel.showsSkeleton(), 1500);
    QVERIFY(!panel.offersCancel());
    QTRY_VERIFY_WITH_TIMEOUT(panel.offersCancel(), 3000);
    panel.setProgress({710, std::chrono::seconds(9)});
    QVERIFY(panel.accessibleName().contains(QStringLiteral("71")));
    image = panel.grab().toImage();
    QCOMPARE(image.pixelColor(int(image.width() * 0.70), 0).rgb(), lightTokens().accent.rgb());
    QVERIFY(image.pixelColor(int(image.width() * 0.72), 0).rgb() != lightTokens().accent.rgb());
    QTest::mouseClick(button(panel, QStringLiteral("Cancel")), Qt::LeftButton);
    QCOMPARE(cancels.count(), 1);
    panel.stop();
    QVERIFY(!panel.offersCancel());
}

void TestState::staleTellsAge()
{
    QWidget window;
    StaleBadge badge(&window);
    window.show();
    QVERIFY(!badge.isVisible());
    badge.setAge(std::chrono::seconds(14), QStringLiteral("<b>agent</b> is away"));
    QVERIFY(badge.isVisible());
    QCOMPARE(badge.text(), QStringLiteral("14 s old"));
    QVERIFY(!badge.toolTip().contains(QStringLiteral("<b>")));
    badge.setAge({});
    QVERIFY(!badge.isVisible());
}

void TestState::panelShowsStateInPlaceOfContent()
{
    Panel panel(QStringLiteral("Memory"));
    auto *content = new QWidget;
    panel.setContent(content);
    panel.resize(300, 200);
    panel.show();
    QVERIFY(content->isVisible());
    auto *state = new EmptyPanel(QStringLiteral("Nothing"));
    panel.showState(state);
    QVERIFY(!content->isVisible());
    QVERIFY(state->isVisible());
    panel.showContent();
    QVERIFY(content->isVisible());
    QVERIFY(panel.state() == nullptr);
}

void TestState::panelKeepsStateUntilAnother()
{
    Panel panel(QStringLiteral("Memory"));
    panel.show();
    QPointer<EmptyPanel> first = new EmptyPanel(QStringLiteral("Nothing"));
    QPushButton *retry = first->addButton(QStringLiteral("Retry"));
    panel.showState(first);
    // A button of the state may bring the next one.
    connect(retry, &QPushButton::clicked, &panel, [&panel] { panel.showState(new ErrorPanel); });
    QTest::mouseClick(retry, Qt::LeftButton);
    QVERIFY(qobject_cast<ErrorPanel *>(panel.state()) != nullptr);
    QTRY_VERIFY(first.isNull());
}

void TestState::panelIsBusyOnItsEdge()
{
    Panel panel(QStringLiteral("Memory"));
    panel.resize(300, 100);
    panel.show();
    const QColor accent = lightTokens().accent;
    QVERIFY(panel.grab().toImage().pixelColor(60, 1) != accent);
    panel.setBusy(true, Progress{500, {}});
    QCOMPARE(panel.grab().toImage().pixelColor(60, 1).rgb(), accent.rgb());
    QVERIFY(panel.grab().toImage().pixelColor(200, 1).rgb() != accent.rgb());
    panel.setBusy(false);
    QVERIFY(panel.grab().toImage().pixelColor(60, 1).rgb() != accent.rgb());
}

void TestState::toastsStack()
{
    QWidget window;
    window.resize(900, 600);
    window.show();
    ToastStack stack(&window);
    QPointer<Toast> first = stack.show({QStringLiteral("First"), {}, {}, Glyph::Fine});
    Toast *second = stack.show({QStringLiteral("Second"), QStringLiteral("more"), QStringLiteral("Open"), {}});
    QCOMPARE(stack.count(), 2);
    QCOMPARE(second->width(), 272);
    QVERIFY(window.rect().contains(second->geometry()));
    QVERIFY(!first->geometry().intersects(second->geometry()));
    QVERIFY(first->geometry().bottom() < second->geometry().top());
    stack.show({QStringLiteral("Third"), {}, {}, {}});
    stack.show({QStringLiteral("Fourth"), {}, {}, {}});
    QCOMPARE(stack.count(), 3);
    QTRY_VERIFY(first.isNull());
    window.resize(700, 500);
    QVERIFY(window.rect().contains(second->geometry()));
}

void TestState::toastGoesByKeyAndButton()
{
    QWidget window;
    window.resize(900, 600);
    window.show();
    ToastStack stack(&window);
    Toast *toast = stack.show({QStringLiteral("Saved"), {}, QStringLiteral("Open"), {}});
    QSignalSpy actions(toast, &Toast::actionClicked);
    QTest::mouseClick(button(*toast, QStringLiteral("Open")), Qt::LeftButton);
    QCOMPARE(actions.count(), 1);
    QCOMPARE(stack.count(), 0);
    toast = stack.show({QStringLiteral("Saved"), {}, {}, {}});
    QTest::mouseClick(toast->findChild<QToolButton *>(), Qt::LeftButton);
    QCOMPARE(stack.count(), 0);
    toast = stack.show({QStringLiteral("Saved"), {}, {}, {}});
    QTest::keyClick(toast, Qt::Key_Escape);
    QCOMPARE(stack.count(), 0);
}

QTEST_MAIN(TestState)
#include "tst_state.moc"
