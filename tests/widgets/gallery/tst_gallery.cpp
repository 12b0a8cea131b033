// SPDX-License-Identifier: GPL-3.0-or-later
// Renders the whole kit and checks what must hold for each part of it. With
// PLIMSOLL_GALLERY set to a folder the pictures are left there, for looking at.
#include "gallery.h"

#include "widgets/theme/palette.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QApplication>
#include <QDir>
#include <QTest>
#include <QToolTip>

using namespace plimsoll;

class TestGallery : public QObject
{
    Q_OBJECT

private slots:
    void rendersEverything_data();
    void rendersEverything();
    void namesEverything();
    void isLargeEnoughToHit();
    void fitsItsWords();
};

static void keep(const QPixmap &picture, const QString &name)
{
    const QString folder = qEnvironmentVariable("PLIMSOLL_GALLERY");
    if (!folder.isEmpty())
        picture.save(QDir(folder).filePath(QStringLiteral("%1-%2x.png").arg(name).arg(qRound(qApp->devicePixelRatio()))));
}

static bool hasColour(const QImage &image, const QColor &colour)
{
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixelColor(x, y) == colour)
                return true;
        }
    }
    return false;
}

void TestGallery::rendersEverything_data()
{
    QTest::addColumn<bool>("isDark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestGallery::rendersEverything()
{
    QFETCH(bool, isDark);
    applyTheme(*qApp, isDark ? Theme::Dark : Theme::Light);
    const Tokens &t = isDark ? darkTokens() : lightTokens();
    const QString theme = isDark ? QStringLiteral("dark") : QStringLiteral("light");

    const std::unique_ptr<QWidget> kit(gallery::kit());
    kit->show();
    QVERIFY(QTest::qWaitForWindowExposed(kit.get()));
    if (auto *search = kit->findChild<QLineEdit *>(QStringLiteral("search")))
        search->setFocus(Qt::TabFocusReason);
    QCoreApplication::processEvents();
    keep(kit->grab(), QStringLiteral("kit-") + theme);
    const QImage picture = kit->grab().toImage();
    for (const QColor &colour : {t.window, t.panel, t.accent, t.line, t.line2, t.line3, t.page, t.sel, t.rec, t.fine})
        QVERIFY2(hasColour(picture, colour), qPrintable(colour.name()));
    // Nothing of the other theme is left in it.
    QVERIFY(!hasColour(picture, (isDark ? lightTokens() : darkTokens()).window));

    auto *combo = kit->findChild<QComboBox *>();
    combo->showPopup();
    keep(combo->view()->window()->grab(), QStringLiteral("combo-") + theme);
    QVERIFY(hasColour(combo->view()->window()->grab().toImage(), t.sel)); // the current row
    combo->hidePopup();
    QToolTip::showText(kit->mapToGlobal(QPoint(40, 40)), QStringLiteral("node-17/gpu3\nreserved 78.7 GiB"), kit.get());
    for (QWidget *tip : QApplication::topLevelWidgets()) {
        if (tip->inherits("QTipLabel") && tip->isVisible()) {
            keep(tip->grab(), QStringLiteral("tip-") + theme);
            QCOMPARE(tip->grab().toImage().pixelColor(tip->width() / 2, 2).rgb(), t.raised.rgb());
        }
    }
    QToolTip::hideText();

    const std::unique_ptr<QWidget> shell(gallery::shell());
    shell->show();
    QVERIFY(QTest::qWaitForWindowExposed(shell.get()));
    QCoreApplication::processEvents();
    keep(shell->grab(), QStringLiteral("shell-") + theme);
    shell->findChild<CommandPalette *>(QStringLiteral("palette"))->open(QStringLiteral("rag"));
    QCoreApplication::processEvents();
    keep(shell->grab(), QStringLiteral("palette-") + theme);
    QVERIFY(hasColour(shell->grab().toImage(), t.raised));
}

static std::vector<QWidget *> shownWidgets(QWidget *window)
{
    std::vector<QWidget *> found;
    for (QWidget *widget : window->findChildren<QWidget *>()) {
        if (widget->isVisible())
            found.push_back(widget);
    }
    return found;
}

void TestGallery::namesEverything()
{
    for (QWidget *made : {gallery::kit(), gallery::shell()}) {
        const std::unique_ptr<QWidget> window(made);
        window->show();
        for (QWidget *widget : shownWidgets(made)) {
            if ((widget->focusPolicy() & Qt::TabFocus) == 0 || widget->focusProxy() != nullptr)
                continue;
            if (qobject_cast<QAbstractSpinBox *>(widget->parentWidget()) != nullptr)
                continue; // named by its box
            QAccessibleInterface *seen = QAccessible::queryAccessibleInterface(widget);
            QVERIFY(seen != nullptr);
            const QString text = seen->text(QAccessible::Name) + seen->text(QAccessible::Value);
            QVERIFY2(!text.isEmpty(), widget->metaObject()->className());
        }
    }
}

void TestGallery::isLargeEnoughToHit()
{
    for (QWidget *made : {gallery::kit(), gallery::shell()}) {
        const std::unique_ptr<QWidget> window(made);
        window->show();
        for (QWidget *widget : shownWidgets(made)) {
            const auto *button = qobject_cast<QAbstractButton *>(widget);
            if (button == nullptr || button->focusPolicy() == Qt::NoFocus)
                continue;
            if (qobject_cast<QLineEdit *>(button->parentWidget()) != nullptr)
                continue; // the icon inside of an editor
            QVERIFY2(button->height() >= 24 && button->width() >= 24,
                     qPrintable(QStringLiteral("%1 %2: %3 x %4").arg(QLatin1String(button->metaObject()->className()), button->text()).arg(button->width()).arg(button->height())));
        }
    }
}

void TestGallery::fitsItsWords()
{
    applyTheme(*qApp, Theme::Light);
    for (QWidget *made : {gallery::kit(), gallery::shell()}) {
        const std::unique_ptr<QWidget> window(made);
        window->show();
        QVERIFY(QTest::qWaitForWindowExposed(made));
        for (QWidget *widget : shownWidgets(made)) {
            const bool isFixedText = qobject_cast<QPushButton *>(widget) != nullptr || qobject_cast<Badge *>(widget) != nullptr
                || qobject_cast<Chip *>(widget) != nullptr || qobject_cast<ModeBox *>(widget) != nullptr;
            if (!isFixedText)
                continue;
            QVERIFY2(widget->width() >= widget->sizeHint().width() || widget->inherits("plimsoll::RangeBox"),
                     qPrintable(QStringLiteral("%1 is %2 wide, wants %3").arg(QLatin1String(widget->metaObject()->className())).arg(widget->width()).arg(widget->sizeHint().width())));
        }
    }
}

QTEST_MAIN(TestGallery)
#include "tst_gallery.moc"
