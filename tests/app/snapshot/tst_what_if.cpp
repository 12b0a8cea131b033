// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/what_if.h"

#include "capture.h"

#include <QTest>

using namespace plimsoll;

namespace {

const QString kSnapshots = QStringLiteral(PLIMSOLL_SHARED_DATA "/snapshots/");

} // namespace

class WhatIfTest : public QObject
{
    Q_OBJECT

private slots:
    void captures_data();
    void captures();
};

void WhatIfTest::captures_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("real") << QStringLiteral("expandable-oom-3gpu.pickle");
    QTest::newRow("made") << QStringLiteral("made/oom.pickle");
    QTest::newRow("made, expandable") << QStringLiteral("made/oom-expandable.pickle");
}

void WhatIfTest::captures()
{
    QFETCH(QString, file);
    const auto snapshot = capture(kSnapshots + file);
    if (!snapshot)
        QSKIP("the shared captures are not here");
    for (const auto &device : devicesOf(*snapshot)) {
        const Replay replay(*snapshot, device);
        const auto ooms = explainOoms(replay);
        QVERIFY(ooms);
        for (const auto &oom : *ooms) {
            const auto report = whatIf(replay, oom);
            QVERIFY2(report, report ? "" : report.error().detail.c_str());
            qInfo("%s", describeBelief(*report).c_str());
            for (const auto &answer : report->answers)
                qInfo("%s", describe(answer, *report).c_str());
            QVERIFY(report->isBelievable);
        }
    }
}

QTEST_APPLESS_MAIN(WhatIfTest)
#include "tst_what_if.moc"
