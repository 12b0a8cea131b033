// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/model_check.h"

#include "capture.h"

#include <QDir>
#include <QTest>

using namespace plimsoll;

namespace {

const QString kSnapshots = QStringLiteral(PLIMSOLL_SHARED_DATA "/snapshots/");

} // namespace

class ModelCheckTest : public QObject
{
    Q_OBJECT

private slots:
    void captures_data();
    void captures();
};

void ModelCheckTest::captures_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<double>("share"); // of reserved, at 98 of 100 events
    QTest::addColumn<double>("places");
    const QDir folder(kSnapshots);
    for (const auto &name : folder.entryList({QStringLiteral("*.pickle")}, QDir::Files))
        QTest::newRow(qPrintable(name)) << name << 1.0 << 0.0;
    for (const auto &name : QDir(kSnapshots + QStringLiteral("made")).entryList({QStringLiteral("*.pickle")}, QDir::Files))
        QTest::newRow(qPrintable(QStringLiteral("made/") + name)) << QStringLiteral("made/") + name << 1.0 << 0.0;
}

void ModelCheckTest::captures()
{
    QFETCH(QString, file);
    QFETCH(double, share);
    QFETCH(double, places);
    const auto snapshot = capture(kSnapshots + file);
    if (!snapshot)
        QSKIP("the shared captures are not here");
    for (const auto &device : devicesOf(*snapshot)) {
        if (device.eventCount < 2)
            continue;
        const Replay replay(*snapshot, device);
        const auto agreement = checkModel(replay);
        QVERIFY2(agreement, agreement ? "" : agreement.error().detail.c_str());
        const auto &a = *agreement;
        std::printf("%-40s dev %d events %zu 98%% %.5f worst %.5f exact %.4f places %.4f final %lld refusals %zu ooms %zu/%zu lost %zu peak %.3f/%.3f gains %zu/%zu losses %zu/%zu\n",
                    qPrintable(file), device.ordinal, a.comparedEvents, a.shareAt98, a.worstShare, a.exactShare,
                    double(a.equalPlaces) / double(std::max<std::size_t>(a.comparedPlaces, 1)), (long long)a.finalDifference,
                    a.refusals, a.oomsAgreed, a.ooms, a.startLost, double(a.modelPeak) / 1e9, double(a.recordedPeak) / 1e9,
                    a.predicted.gains, a.recorded.gains, a.predicted.losses, a.recorded.losses);
        QVERIFY(a.shareAt98 <= share);
        QVERIFY(double(a.equalPlaces) >= places * double(a.comparedPlaces));
    }
}

QTEST_APPLESS_MAIN(ModelCheckTest)
#include "tst_model_check.moc"
