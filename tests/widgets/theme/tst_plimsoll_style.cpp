// SPDX-License-Identifier: GPL-3.0-or-later
// What the style draws, looked at pixel by pixel at scale 1 and 2, light and dark.
#include "widgets/theme/buttons.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/glyphs.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/label.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/plimsoll_style.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

using namespace plimsoll;

class TestPlimsollStyle : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void drawsControls_data();
    void drawsControls();
    void hasSizesOfTheDesign();
    void saysStates_data();
    void saysStates();
    void switchesWhileRunning();
    void ringsWhoTakesKeys();
    void ringHasRoom();
    void rendersIcons_data();
    void rendersIcons();
    void rendersGlyphs();
    void alignsHairlines_data();
    void alignsHairlines();
    void scalesType();
    void labelStaysPlain();
};

static QImage picture(QWidget &widget, qreal scale)
{
    QImage image(widget.size() * scale, QImage::Format_ARGB32);
    image.setDevicePixelRatio(scale);
    image.fill(tokens(&widget).panel);
    widget.render(&image, {}, {}, QWidget::DrawChildren);
    return image;
}

/// Colour at a place in device-independent px.
static QColor at(const QImage &image, qreal x, qreal y)
{
    const qreal ratio = image.devicePixelRatio();
    return image.pixelColor(int(x * ratio), int(y * ratio));
}

static bool isNear(const QColor &a, const QColor &b)
{
    return std::abs(a.red() - b.red()) <= 3 && std::abs(a.green() - b.green()) <= 3 && std::abs(a.blue() - b.blue()) <= 3;
}

#define COMPARE_COLOUR(got, wanted) QVERIFY2(isNear(got, wanted), qPrintable((got).name() + QStringLiteral(" is not ") + (wanted).name()))

void TestPlimsollStyle::init()
{
    applyTheme(*qApp, Theme::Light);
}

void TestPlimsollStyle::drawsControls_data()
{
    QTest::addColumn<bool>("isDark");
    QTest::addColumn<double>("scale");
    for (const bool isDark : {false, true}) {
        for (const double scale : {1.0, 2.0})
            QTest::addRow("%s %gx", isDark ? "dark" : "light", scale) << isDark << scale;
    }
}

void TestPlimsollStyle::drawsControls()
{
    QFETCH(bool, isDark);
    QFETCH(double, scale);
    applyTheme(*qApp, isDark ? Theme::Dark : Theme::Light);
    const Tokens &t = isDark ? darkTokens() : lightTokens();
    const double px = 1 / scale;

    const std::unique_ptr<QPushButton> open(makeButton(QStringLiteral("Open"), ButtonKind::Default));
    open->resize(open->sizeHint());
    QImage image = picture(*open, scale);
    COMPARE_COLOUR(at(image, 4, 14), t.accent);
    COMPARE_COLOUR(at(image, open->width() / 2.0, 0), t.accent);
    COMPARE_COLOUR(at(image, 0, 0), t.panel); // round corner

    const std::unique_ptr<QPushButton> normal(makeButton(QStringLiteral("Open")));
    normal->resize(normal->sizeHint());
    image = picture(*normal, scale);
    COMPARE_COLOUR(at(image, normal->width() / 2.0, 0), t.line2); // one device px of edge
    COMPARE_COLOUR(at(image, normal->width() / 2.0, px), t.button);
    COMPARE_COLOUR(at(image, 0, 14), t.line2);
    COMPARE_COLOUR(at(image, normal->width() - px, 14), t.line2);

    QLineEdit edit;
    edit.resize(100, 28);
    image = picture(edit, scale);
    COMPARE_COLOUR(at(image, 50, 0), t.line3);
    COMPARE_COLOUR(at(image, 90, 14), t.panel);
    setInvalid(&edit, true);
    image = picture(edit, scale);
    COMPARE_COLOUR(at(image, 50, 0), t.page);

    QCheckBox check(QStringLiteral("x"));
    check.resize(check.sizeHint());
    image = picture(check, scale);
    const double top = (check.height() - 14) / 2.0;
    COMPARE_COLOUR(at(image, 7, top), t.line3);
    COMPARE_COLOUR(at(image, 7, top + 5), t.panel);
    check.setChecked(true);
    image = picture(check, scale);
    COMPARE_COLOUR(at(image, 3, top + 2), t.accent);

    QScrollBar bar(Qt::Vertical);
    bar.setRange(0, 100);
    bar.setPageStep(100);
    bar.resize(8, 200);
    image = picture(bar, scale);
    COMPARE_COLOUR(at(image, 4, 20), t.line2); // the thumb
    COMPARE_COLOUR(at(image, 4, 180), t.panel); // nothing but the thumb

    QProgressBar progress;
    progress.setTextVisible(false);
    progress.setValue(50);
    progress.resize(100, 8);
    image = picture(progress, scale);
    COMPARE_COLOUR(at(image, 25, 4), t.accent);
    COMPARE_COLOUR(at(image, 75, 4), t.track);
    COMPARE_COLOUR(at(image, 25, 0), t.panel);

    QTabBar tabs;
    tabs.addTab(QStringLiteral("Firing"));
    tabs.addTab(QStringLiteral("History"));
    tabs.resize(tabs.sizeHint());
    image = picture(tabs, scale);
    COMPARE_COLOUR(at(image, tabs.tabRect(0).center().x(), tabs.height() - 1), t.accent);
    COMPARE_COLOUR(at(image, tabs.tabRect(1).center().x(), tabs.height() - 1.5), t.panel);
}

void TestPlimsollStyle::hasSizesOfTheDesign()
{
    const std::unique_ptr<QPushButton> button(makeButton(QStringLiteral("Open")));
    QCOMPARE(button->sizeHint().height(), 28);
    const int words = button->fontMetrics().size(Qt::TextShowMnemonic, QStringLiteral("Open")).width();
    QCOMPARE(button->sizeHint().width(), words + 20);
    setSmall(button.get());
    QCOMPARE(button->sizeHint().height(), 24);
    QCOMPARE(button->sizeHint().width(), words + 16);
    const std::unique_ptr<QToolButton> tool(makeIconButton(Icon::Home, QStringLiteral("Home")));
    QCOMPARE(tool->size(), QSize(28, 28));
    QLineEdit edit;
    QCOMPARE(edit.sizeHint().height(), 28);
    QComboBox combo;
    QCOMPARE(combo.sizeHint().height(), 28);
    QSpinBox spin;
    QCOMPARE(spin.sizeHint().height(), 28);
    QCheckBox check(QStringLiteral("x"));
    QVERIFY(check.sizeHint().height() >= 24);
    QCOMPARE(qApp->style()->pixelMetric(QStyle::PM_ScrollBarExtent), 8);
    QCOMPARE(qApp->style()->pixelMetric(QStyle::PM_IndicatorWidth), 14);
    QTabBar tabs;
    tabs.addTab(QStringLiteral("Firing"));
    QCOMPARE(tabs.sizeHint().height(), 32);
    // The number in a spin box is not cut.
    spin.setRange(0, 99'999);
    spin.setValue(88'888);
    spin.resize(spin.sizeHint());
    const auto *inner = spin.findChild<QLineEdit *>();
    QVERIFY(inner->width() >= inner->fontMetrics().horizontalAdvance(QStringLiteral("88888")));
}

void TestPlimsollStyle::saysStates_data()
{
    QTest::addColumn<int>("kind");
    QTest::newRow("default") << int(ButtonKind::Default);
    QTest::newRow("normal") << int(ButtonKind::Normal);
    QTest::newRow("quiet") << int(ButtonKind::Quiet);
}

void TestPlimsollStyle::saysStates()
{
    QFETCH(int, kind);
    const std::unique_ptr<QPushButton> button(makeButton(QStringLiteral("Open"), ButtonKind(kind)));
    button->resize(button->sizeHint());
    const QImage rest = picture(*button, 1);
    button->setAttribute(Qt::WA_UnderMouse);
    const QImage hovered = picture(*button, 1);
    button->setDown(true);
    const QImage pressed = picture(*button, 1);
    button->setDown(false);
    button->setAttribute(Qt::WA_UnderMouse, false);
    button->setEnabled(false);
    const QImage disabled = picture(*button, 1);
    QVERIFY(rest != hovered);
    QVERIFY(hovered != pressed);
    QVERIFY(rest != disabled);
}

void TestPlimsollStyle::switchesWhileRunning()
{
    QWidget window;
    auto *row = new QHBoxLayout(&window);
    auto *button = makeButton(QStringLiteral("Capture"));
    setThemedIcon(button, Icon::Camera);
    row->addWidget(button);
    auto *label = new Label(QStringLiteral("text2"), TextRole::Caption, Ink::Text2);
    row->addWidget(label);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    COMPARE_COLOUR(label->palette().color(QPalette::WindowText), lightTokens().text2);

    applyTheme(*qApp, Theme::Dark);
    QVERIFY(qobject_cast<PlimsollStyle *>(qApp->style()) != nullptr);
    QTRY_COMPARE(label->palette().color(QPalette::WindowText), darkTokens().text2);
    QCOMPARE(tokens(&window).isDark, true);
    COMPARE_COLOUR(at(window.grab().toImage(), 1, 1), darkTokens().window);

    applyTheme(*qApp, Theme::Light);
    QTRY_COMPARE(label->palette().color(QPalette::WindowText), lightTokens().text2);
    COMPARE_COLOUR(at(window.grab().toImage(), 1, 1), lightTokens().window);
}

static QWidget *ringIn(QWidget *window)
{
    for (QWidget *widget : window->findChildren<QWidget *>()) {
        if (widget->testAttribute(Qt::WA_TransparentForMouseEvents) && widget->isVisible())
            return widget;
    }
    return nullptr;
}

void TestPlimsollStyle::ringsWhoTakesKeys()
{
    QWidget window;
    auto *row = new QHBoxLayout(&window);
    auto *first = makeButton(QStringLiteral("First"));
    auto *second = makeButton(QStringLiteral("Second"));
    auto *edit = new QLineEdit;
    row->addWidget(first);
    row->addWidget(second);
    row->addWidget(edit);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));

    edit->setFocus(Qt::OtherFocusReason); // the window gave the focus to the first by itself
    first->setFocus(Qt::TabFocusReason);
    QWidget *ring = ringIn(&window);
    QVERIFY(ring != nullptr);
    QCOMPARE(ring->geometry(), first->geometry().adjusted(-3, -3, 3, 3));
    COMPARE_COLOUR(at(window.grab().toImage(), first->geometry().center().x(), first->geometry().top() - 2), lightTokens().accent);
    COMPARE_COLOUR(at(window.grab().toImage(), first->geometry().center().x(), first->geometry().top() - 1), lightTokens().window);

    QTest::keyClick(&window, Qt::Key_Tab);
    QCOMPARE(window.focusWidget(), second);
    QCOMPARE(ringIn(&window)->geometry(), second->geometry().adjusted(-3, -3, 3, 3));

    // A click on a button needs no ring, a click on an editor does.
    QTest::mouseClick(first, Qt::LeftButton);
    QVERIFY(ringIn(&window) == nullptr || window.focusWidget() == second);
    QTest::mouseClick(edit, Qt::LeftButton);
    QCOMPARE(ringIn(&window)->geometry(), edit->geometry().adjusted(-3, -3, 3, 3));
    // It goes where its control goes.
    edit->move(edit->x(), edit->y() + 5);
    QCOMPARE(ringIn(&window)->geometry(), edit->geometry().adjusted(-3, -3, 3, 3));
    const QRect before = ringIn(&window)->geometry();
    edit->hide(); // the focus goes on, and the ring with it
    QVERIFY(ringIn(&window) == nullptr || ringIn(&window)->geometry() != before);
    delete edit;
    second->setFocus(Qt::OtherFocusReason);
    first->setFocus(Qt::TabFocusReason);
    QVERIFY(ringIn(&window) != nullptr);
}

void TestPlimsollStyle::ringHasRoom()
{
    QWidget window;
    auto *outer = new QHBoxLayout(&window);
    outer->setContentsMargins(20, 20, 20, 20);
    auto *tight = new QWidget;
    auto *inner = new QHBoxLayout(tight);
    inner->setContentsMargins(0, 0, 0, 0);
    auto *edit = new QLineEdit;
    inner->addWidget(edit);
    outer->addWidget(tight);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    edit->setFocus(Qt::TabFocusReason);
    QWidget *ring = ringIn(&window);
    QVERIFY(ring != nullptr);
    QCOMPARE(ring->parentWidget(), &window); // the tight box would clip it
    QCOMPARE(ring->geometry(), QRect(edit->mapTo(&window, QPoint()), edit->size()).adjusted(-3, -3, 3, 3));
    tight->move(tight->x() + 4, tight->y());
    QCOMPARE(ring->geometry(), QRect(edit->mapTo(&window, QPoint()), edit->size()).adjusted(-3, -3, 3, 3));
}

void TestPlimsollStyle::rendersIcons_data()
{
    QTest::addColumn<int>("icon");
    for (int i = 0; i <= int(Icon::Brand); ++i)
        QTest::addRow("%d", i) << i;
}

void TestPlimsollStyle::rendersIcons()
{
    QFETCH(int, icon);
    for (const double scale : {1.0, 2.0}) {
        const QImage image = iconPixmap(Icon(icon), Qt::red, 16, scale).toImage().convertToFormat(QImage::Format_ARGB32);
        QCOMPARE(image.width(), int(16 * scale));
        int inked = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                const QColor colour = image.pixelColor(x, y);
                if (colour.alpha() > 128) {
                    ++inked;
                    COMPARE_COLOUR(colour, QColor(Qt::red)); // tinted, nothing of the drawing's own colour
                }
            }
        }
        QVERIFY(inked > 4);
        QVERIFY(inked < image.width() * image.height() / 2); // strokes, no areas
    }
}

void TestPlimsollStyle::rendersGlyphs()
{
    for (int i = 0; i <= int(Glyph::Live); ++i) {
        QImage image(12, 12, QImage::Format_ARGB32);
        image.fill(Qt::white);
        {
            QPainter painter(&image);
            paintGlyph(painter, QRectF(0, 0, 12, 12), Glyph(i), Qt::black);
        }
        int inked = 0;
        for (int y = 0; y < 12; ++y) {
            for (int x = 0; x < 12; ++x)
                inked += image.pixelColor(x, y).lightness() < 128;
        }
        QVERIFY2(inked >= 8, qPrintable(QString::number(i)));
        QVERIFY(!glyphName(Glyph(i)).isEmpty());
    }
}

void TestPlimsollStyle::alignsHairlines_data()
{
    QTest::addColumn<double>("scale");
    QTest::newRow("1") << 1.0;
    QTest::newRow("1.5") << 1.5;
    QTest::newRow("2") << 2.0;
}

void TestPlimsollStyle::alignsHairlines()
{
    QFETCH(double, scale);
    QImage image(int(40 * scale), int(40 * scale), QImage::Format_ARGB32);
    image.setDevicePixelRatio(scale);
    image.fill(Qt::white);
    {
        QPainter painter(&image);
        draw::horizontal(painter, 0, 40, 10.3, Qt::black);
        draw::vertical(painter, 20.7, 0, 40, Qt::black);
    }
    // A line at the edge of a widget that begins between two device px is inside of it.
    QImage shifted(int(40 * scale), int(40 * scale), QImage::Format_ARGB32);
    shifted.setDevicePixelRatio(scale);
    shifted.fill(Qt::white);
    {
        QPainter painter(&shifted);
        painter.translate(1, 1);
        painter.setClipRect(QRectF(0, 0, 30, 30));
        draw::vertical(painter, 0, 0, 30, Qt::black);
    }
    const QImage row = shifted.copy(0, int(10 * scale), shifted.width(), 1);
    int lines = 0;
    for (int x = 0; x < row.width(); ++x)
        lines += row.pixelColor(x, 0).lightness() == 0;
    QCOMPARE(lines, 1);

    // One row and one column of full black, and nothing grey anywhere.
    int black = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const int value = image.pixelColor(x, y).lightness();
            QVERIFY(value == 0 || value == 255);
            black += value == 0;
        }
    }
    QCOMPARE(black, image.width() + image.height() - 1);
}

void TestPlimsollStyle::scalesType()
{
    QFont base = QApplication::font();
    base.setPixelSize(12);
    QCOMPARE(font(TextRole::Body, base).pixelSize(), 12);
    QCOMPARE(font(TextRole::Caption, base).pixelSize(), 11);
    QCOMPARE(font(TextRole::Headline, base).pixelSize(), 20);
    QCOMPARE(font(TextRole::InspectorFigure, base).weight(), int(QFont::DemiBold));
    base.setPixelSize(18);
    QCOMPARE(font(TextRole::Headline, base).pixelSize(), 30);
    base.setPixelSize(9);
    QVERIFY(font(TextRole::Caption, base).pixelSize() >= 11);
}

void TestPlimsollStyle::labelStaysPlain()
{
    const QString hostile = QStringLiteral("<h1>big</h1>&amp;") + QString(10'000, QLatin1Char('x'));
    Label label(hostile);
    QCOMPARE(label.textFormat(), Qt::PlainText);
    QCOMPARE(label.text(), hostile);
    label.setElide(Qt::ElideMiddle);
    label.resize(120, 16);
    QVERIFY(label.minimumSizeHint().width() < 40);
    label.grab();
    QVERIFY(!label.toolTip().isEmpty());
    label.setText(QStringLiteral("short"));
    QVERIFY(label.toolTip().isEmpty());
}

QTEST_MAIN(TestPlimsollStyle)
#include "tst_plimsoll_style.moc"
