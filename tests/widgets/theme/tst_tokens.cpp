// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/palette.h"
#include "widgets/theme/scales.h"
#include "widgets/theme/tokens.h"

#include <QPalette>
#include <QTest>

#include <cmath>

using namespace plimsoll;

class TestTokens : public QObject
{
    Q_OBJECT

private slots:
    void readsOn_data();
    void readsOn();
    void inksReadOnTheirLoad_data();
    void inksReadOnTheirLoad();
    void seriesTextReads();
    void choosesByPalette();
    void interpolatesLoad();
    void moreLoadIsMoreInk();
    void mixes();
};

static const Tokens &set(bool isDark)
{
    return isDark ? darkTokens() : lightTokens();
}

void TestTokens::readsOn_data()
{
    QTest::addColumn<QColor>("ink");
    QTest::addColumn<QColor>("ground");
    QTest::addColumn<double>("least");
    for (const bool isDark : {false, true}) {
        const Tokens &t = set(isDark);
        const char *theme = isDark ? "dark" : "light";
        const std::array<std::pair<const char *, QColor>, 4> grounds{{{"window", t.window}, {"rail", t.rail}, {"panel", t.panel}, {"sunken", t.sunken}}};
        for (const auto &[name, ground] : grounds) {
            QTest::addRow("%s text on %s", theme, name) << t.text << ground << 10.0;
            QTest::addRow("%s text2 on %s", theme, name) << t.text2 << ground << 5.9;
            QTest::addRow("%s text3 on %s", theme, name) << t.text3 << ground << 4.5;
            QTest::addRow("%s accent on %s", theme, name) << t.accent << ground << 4.5;
        }
        QTest::addRow("%s text on raised", theme) << t.text << t.raised << 7.0;
        QTest::addRow("%s text2 on raised", theme) << t.text2 << t.raised << 4.5;
        QTest::addRow("%s text on sel", theme) << t.text << t.sel << 7.0;
        QTest::addRow("%s text2 on sel", theme) << t.text2 << t.sel << 4.5;
        QTest::addRow("%s text2 on hover", theme) << t.text2 << t.hover << 4.5;
        QTest::addRow("%s accent on sel", theme) << t.accent << t.sel << 4.5;
        QTest::addRow("%s words on the default button", theme) << t.onAccent << t.accent << 4.5;
        QTest::addRow("%s words on the page badge", theme) << t.onPage << t.page << 4.5;
        QTest::addRow("%s editor edge", theme) << t.line3 << t.panel << 3.0;
        QTest::addRow("%s focus ring on window", theme) << t.accent << t.window << 3.0;
    }
}

void TestTokens::readsOn()
{
    QFETCH(QColor, ink);
    QFETCH(QColor, ground);
    QFETCH(double, least);
    QVERIFY2(contrast(ink, ground) >= least, qPrintable(QString::number(contrast(ink, ground))));
}

void TestTokens::inksReadOnTheirLoad_data()
{
    QTest::addColumn<bool>("isDark");
    QTest::addColumn<double>("ratio");
    for (const bool isDark : {false, true}) {
        for (int step = 0; step <= 8; ++step)
            QTest::addRow("%s %g", isDark ? "dark" : "light", step * 12.5) << isDark << step / 8.0;
    }
}

void TestTokens::inksReadOnTheirLoad()
{
    QFETCH(bool, isDark);
    QFETCH(double, ratio);
    const QColor ink = inkOn(ratio, set(isDark));
    const QColor other = ink == QColor(Qt::black) ? QColor(Qt::white) : QColor(Qt::black);
    const QColor ground = loadColour(ratio, set(isDark));
    QVERIFY(contrast(ink, ground) >= 4.5 || contrast(ink, ground) >= contrast(other, ground));
}

void TestTokens::seriesTextReads()
{
    for (const bool isDark : {false, true}) {
        for (const QColor &ink : set(isDark).seriesText)
            QVERIFY2(contrast(ink, set(isDark).panel) >= 4.4, qPrintable(ink.name()));
        for (const QColor &line : set(isDark).series)
            QVERIFY2(contrast(line, set(isDark).panel) >= 2.95, qPrintable(line.name()));
    }
}

void TestTokens::choosesByPalette()
{
    QVERIFY(!tokens(paletteOf(lightTokens())).isDark);
    QVERIFY(tokens(paletteOf(darkTokens())).isDark);
    QPalette other;
    other.setColor(QPalette::Window, Qt::black);
    QVERIFY(tokens(other).isDark);
}

void TestTokens::interpolatesLoad()
{
    const Tokens &t = lightTokens();
    QCOMPARE(loadColour(0, t), t.load.front());
    QCOMPARE(loadColour(1, t), t.load.back());
    QCOMPARE(loadColour(-3, t), t.load.front());
    QCOMPARE(loadColour(7, t), t.load.back());
    QCOMPARE(loadColour(std::nan(""), t), t.load.front());
    QCOMPARE(loadColour(0.5, t).rgb(), t.load[4].rgb());
    QCOMPARE(differenceColour(0, t).rgb(), t.difference[3].rgb());
    QCOMPARE(differenceColour(-1, t).rgb(), t.difference.front().rgb());
}

void TestTokens::moreLoadIsMoreInk()
{
    for (const bool isDark : {false, true}) {
        double before = contrast(loadColour(0, set(isDark)), set(isDark).panel);
        for (int step = 1; step <= 16; ++step) {
            const double now = contrast(loadColour(step / 16.0, set(isDark)), set(isDark).panel);
            QVERIFY2(now > before, qPrintable(QString::number(step)));
            before = now;
        }
    }
}

void TestTokens::mixes()
{
    QCOMPARE(mixed(Qt::black, Qt::white, 0).rgb(), QColor(Qt::black).rgb());
    QCOMPARE(mixed(Qt::black, Qt::white, 1).rgb(), QColor(Qt::white).rgb());
    QCOMPARE(mixed(Qt::black, Qt::white, 9).rgb(), QColor(Qt::white).rgb());
    QCOMPARE(withAlpha(Qt::red, 0.5).alpha(), 128);
    QVERIFY(std::abs(contrast(Qt::black, Qt::white) - 21) < 0.01);
}

QTEST_GUILESS_MAIN(TestTokens)
#include "tst_tokens.moc"
