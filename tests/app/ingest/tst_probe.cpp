// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/probe.h"

#include <QTest>

using namespace plimsoll;

Q_DECLARE_METATYPE(Peer)

/// The sockets of the probe are tested with real peers in tst_bad_peers.
class TestProbe : public QObject
{
    Q_OBJECT

private slots:
    void tellsLanguagesApart_data();
    void tellsLanguagesApart();
    void stopsWhenToldTo();
};

void TestProbe::tellsLanguagesApart_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<Peer>("peer");
    QTest::newRow("gRPC") << QByteArray::fromHex("000024040000000000") << Peer::Http2;
    QTest::newRow("empty SETTINGS") << QByteArray::fromHex("000000040000000000") << Peer::Http2;
    QTest::newRow("goodbye") << QByteArray::fromHex("000008070000000000") << Peer::Http2;
    QTest::newRow("HTTP/1.1") << QByteArray("HTTP/1.1 400 Bad") << Peer::Http1;
    QTest::newRow("HTTP/1.0") << QByteArray("HTTP/1.0 200 OK") << Peer::Http1;
    QTest::newRow("TLS alert") << QByteArray::fromHex("15030100020246") << Peer::Tls;
    QTest::newRow("TLS handshake") << QByteArray::fromHex("1603030100") << Peer::Tls;
    QTest::newRow("page without a status") << QByteArray("<!DOCTYPE HTML>") << Peer::Garbage;
    QTest::newRow("SSH") << QByteArray("SSH-2.0-x") << Peer::Garbage;
    QTest::newRow("one byte") << QByteArray(1, '\0') << Peer::Garbage;
    QTest::newRow("nothing") << QByteArray() << Peer::Garbage;
    QTest::newRow("zeros") << QByteArray(16, '\0') << Peer::Garbage;
}

void TestProbe::tellsLanguagesApart()
{
    QFETCH(QByteArray, bytes);
    QFETCH(Peer, peer);
    QCOMPARE(languageOf(bytes.toStdString()), peer);
}

void TestProbe::stopsWhenToldTo()
{
    std::stop_source stop;
    stop.request_stop();
    Address nowhere;
    nowhere.host = "127.0.0.1";
    nowhere.port = 9;
    const auto begun = std::chrono::steady_clock::now();
    (void)probe(nowhere, std::chrono::hours(1), stop.get_token());
    QVERIFY(std::chrono::steady_clock::now() - begun < std::chrono::seconds(5));
}

QTEST_APPLESS_MAIN(TestProbe)
#include "tst_probe.moc"
