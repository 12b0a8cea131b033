// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/gestures.h"

#include <QKeyEvent>
#include <QTest>
#include <QWheelEvent>

using namespace plimsoll;

class TestGestures : public QObject
{
    Q_OBJECT

private slots:
    void keys_data();
    void keys();
    void strides();
    void wheel();
};

void TestGestures::keys_data()
{
    QTest::addColumn<int>("key");
    QTest::addColumn<int>("modifiers");
    QTest::addColumn<int>("action"); // −1: not ours
    QTest::addColumn<int>("stride");
    const auto row = [](const char *name, int key, int modifiers, int action, Stride stride = Stride::Normal) {
        QTest::newRow(name) << key << modifiers << action << int(stride);
    };
    const auto is = [](CanvasAction action) { return int(action); };
    row("W", Qt::Key_W, Qt::NoModifier, is(CanvasAction::ZoomIn));
    row("Shift+W", Qt::Key_W, Qt::ShiftModifier, is(CanvasAction::ZoomIn), Stride::Coarse);
    row("Ctrl+W", Qt::Key_W, Qt::ControlModifier, is(CanvasAction::ZoomIn), Stride::Fine);
    row("plus needs Shift on many layouts", Qt::Key_Plus, Qt::ShiftModifier, is(CanvasAction::ZoomIn));
    row("keypad minus", Qt::Key_Minus, Qt::KeypadModifier, is(CanvasAction::ZoomOut));
    row("S", Qt::Key_S, Qt::NoModifier, is(CanvasAction::ZoomOut));
    row("I of the right hand", Qt::Key_I, Qt::NoModifier, is(CanvasAction::ZoomIn));
    row("J of the right hand", Qt::Key_J, Qt::NoModifier, is(CanvasAction::PanLeft));
    row("A", Qt::Key_A, Qt::NoModifier, is(CanvasAction::PanLeft));
    row("right arrow", Qt::Key_Right, Qt::NoModifier, is(CanvasAction::PanRight));
    row("Shift+D", Qt::Key_D, Qt::ShiftModifier, is(CanvasAction::PanRight), Stride::Coarse);
    row("0", Qt::Key_0, Qt::NoModifier, is(CanvasAction::FitAll));
    row("Z", Qt::Key_Z, Qt::NoModifier, is(CanvasAction::FitSelection));
    row("Enter", Qt::Key_Return, Qt::NoModifier, is(CanvasAction::EnterSelection));
    row("[", Qt::Key_BracketLeft, Qt::NoModifier, is(CanvasAction::CursorA));
    row("]", Qt::Key_BracketRight, Qt::NoModifier, is(CanvasAction::CursorB));
    row("F", Qt::Key_F, Qt::NoModifier, is(CanvasAction::ToggleFreeze));
    row("Space", Qt::Key_Space, Qt::NoModifier, is(CanvasAction::ToggleFreeze));
    row("End", Qt::Key_End, Qt::NoModifier, is(CanvasAction::Follow));
    row("T", Qt::Key_T, Qt::NoModifier, is(CanvasAction::Travel));
    row("P", Qt::Key_P, Qt::NoModifier, is(CanvasAction::Peak));
    row("Shift+P", Qt::Key_P, Qt::ShiftModifier, is(CanvasAction::NextPeak));
    row("O", Qt::Key_O, Qt::NoModifier, is(CanvasAction::NextOom));
    row("Ctrl+K is the palette's", Qt::Key_K, Qt::ControlModifier, -1);
    row("Ctrl+F is find", Qt::Key_F, Qt::ControlModifier, -1);
    row("Ctrl+Z is not fit", Qt::Key_Z, Qt::ControlModifier, -1);
    row("Ctrl+Enter filters", Qt::Key_Return, Qt::ControlModifier, -1);
    row("Alt+Left goes back", Qt::Key_Left, Qt::AltModifier, -1);
    row("Q", Qt::Key_Q, Qt::NoModifier, -1);
    row("Tab", Qt::Key_Tab, Qt::NoModifier, -1);
}

void TestGestures::keys()
{
    QFETCH(int, key);
    QFETCH(int, modifiers);
    QFETCH(int, action);
    QFETCH(int, stride);
    const QKeyEvent event(QEvent::KeyPress, key, Qt::KeyboardModifiers(modifiers));
    const auto command = canvasCommand(event);
    QCOMPARE(command ? int(command->action) : -1, action);
    if (command)
        QCOMPARE(int(command->stride), stride);
}

void TestGestures::strides()
{
    for (const Stride stride : {Stride::Normal, Stride::Fine, Stride::Coarse}) {
        QVERIFY(zoomFactor(CanvasAction::ZoomIn, stride) < 1);
        QCOMPARE(zoomFactor(CanvasAction::ZoomIn, stride) * zoomFactor(CanvasAction::ZoomOut, stride), 1.0); // in and out again
        QCOMPARE(panShare(CanvasAction::PanLeft, stride), -panShare(CanvasAction::PanRight, stride));
    }
    QVERIFY(zoomFactor(CanvasAction::ZoomIn, Stride::Fine) > zoomFactor(CanvasAction::ZoomIn, Stride::Normal));
    QVERIFY(zoomFactor(CanvasAction::ZoomIn, Stride::Coarse) < zoomFactor(CanvasAction::ZoomIn, Stride::Normal));
}

void TestGestures::wheel()
{
    const auto turned = [](QPoint angle) {
        return QWheelEvent({}, {}, {}, angle, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    };
    QCOMPARE(wheelNotches(turned({0, 120})), 1.0);
    QCOMPARE(wheelNotches(turned({0, -60})), -0.5); // a touchpad's part of a notch
    QCOMPARE(wheelNotches(turned({120, 0})), 1.0);  // Shift turns some wheels sideways
}

QTEST_GUILESS_MAIN(TestGestures)
#include "tst_gestures.moc"
