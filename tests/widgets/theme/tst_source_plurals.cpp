// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/palette.h"

#include <QApplication>
#include <QTest>

/// What people read: never "1 agent(s)".
class TestSourcePlurals : public QObject
{
    Q_OBJECT

private slots:
    void countsAreWords_data()
    {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<int>("count");
        QTest::addColumn<QString>("shown");
        QTest::newRow("none") << QByteArray("%n agent(s) live") << 0 << QStringLiteral("0 agents live");
        QTest::newRow("one") << QByteArray("%n agent(s) live") << 1 << QStringLiteral("1 agent live");
        QTest::newRow("two") << QByteArray("%n agent(s) live") << 2 << QStringLiteral("2 agents live");
        QTest::newRow("es") << QByteArray("%n process(es)") << 3 << QStringLiteral("3 processes");
        QTest::newRow("one of es") << QByteArray("%n process(es)") << 1 << QStringLiteral("1 process");
    }

    void countsAreWords()
    {
        QFETCH(QByteArray, source);
        QFETCH(int, count);
        QFETCH(QString, shown);
        plimsoll::applyTheme(*qApp, plimsoll::Theme::Light);
        QCOMPARE(QCoreApplication::translate("Any", source.constData(), nullptr, count), shown);
    }

    void textsWithoutCountStayAsTheyAre()
    {
        plimsoll::applyTheme(*qApp, plimsoll::Theme::Light);
        QCOMPARE(QCoreApplication::translate("Any", "series(s)"), QStringLiteral("series(s)"));
    }
};

QTEST_MAIN(TestSourcePlurals)
#include "tst_source_plurals.moc"
