// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/version.h"

#include <QTest>

using namespace plimsoll;

class TestVersion : public QObject
{
    Q_OBJECT

private slots:
    void toleratesMinorsAndRefusesMajors_data();
    void toleratesMinorsAndRefusesMajors();
};

void TestVersion::toleratesMinorsAndRefusesMajors_data()
{
    QTest::addColumn<quint32>("major");
    QTest::addColumn<quint32>("minor");
    QTest::addColumn<QString>("sentence"); // empty = fine
    QTest::newRow("the same") << 1U << 0U << QString();
    QTest::newRow("newer minor") << 1U << 99U << QString();
    QTest::newRow("newer major") << 2U << 0U
                                 << QStringLiteral("the agent speaks protocol 2.0, this window 1.0: the first number "
                                                   "must be the same, so update this window.");
    QTest::newRow("older major") << 0U << 4U
                                 << QStringLiteral("the agent speaks protocol 0.4, this window 1.0: the first number "
                                                   "must be the same, so update the other side.");
}

void TestVersion::toleratesMinorsAndRefusesMajors()
{
    QFETCH(quint32, major);
    QFETCH(quint32, minor);
    QFETCH(QString, sentence);
    const auto checked = wire::checkVersion({major, minor}, "the agent", "this window");
    QCOMPARE(checked.has_value(), sentence.isEmpty());
    if (!checked) {
        QVERIFY(checked.error().code == Error::Code::Unsupported);
        QCOMPARE(QString::fromStdString(checked.error().detail), sentence);
    }
}

QTEST_APPLESS_MAIN(TestVersion)
#include "tst_version.moc"
