// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/address.h"

#include <QTest>

using namespace plimsoll;

class TestAddress : public QObject
{
    Q_OBJECT

private slots:
    void readsWhatItWrites_data();
    void readsWhatItWrites();
    void saysWhatIsMissing_data();
    void saysWhatIsMissing();
};

void TestAddress::readsWhatItWrites_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("host");
    QTest::addColumn<int>("port");
    QTest::addColumn<QString>("target");
    QTest::newRow("number") << QStringLiteral("127.0.0.1:7443") << QStringLiteral("127.0.0.1") << 7443 << QStringLiteral("dns:///127.0.0.1:7443");
    QTest::newRow("name") << QStringLiteral("gpu-7.rack_2.example:1") << QStringLiteral("gpu-7.rack_2.example") << 1 << QStringLiteral("dns:///gpu-7.rack_2.example:1");
    QTest::newRow("IPv6") << QStringLiteral("[fe80::1%eth0]:65535") << QStringLiteral("fe80::1%eth0") << 65535 << QStringLiteral("dns:///[fe80::1%eth0]:65535");
    QTest::newRow("socket") << QStringLiteral("unix:/run/plimsoll/agent.sock") << QString() << 0 << QStringLiteral("unix:/run/plimsoll/agent.sock");
}

void TestAddress::readsWhatItWrites()
{
    QFETCH(QString, text);
    QFETCH(QString, host);
    QFETCH(int, port);
    QFETCH(QString, target);
    const auto address = parseAddress(text.toStdString());
    QVERIFY2(address, address ? "" : address.error().detail.c_str());
    QCOMPARE(QString::fromStdString(address->text()), text);
    QCOMPARE(QString::fromStdString(address->target()), target);
    QCOMPARE(QString::fromStdString(address->host), host);
    QCOMPARE(static_cast<int>(address->port), port);
    QCOMPARE(parseAddress("unix:///a/b")->path, std::string("/a/b"));
}

void TestAddress::saysWhatIsMissing_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    const auto row = [](const char *text, const char *words) {
        QTest::newRow(*text ? text : "nothing") << QString::fromUtf8(text) << QString::fromUtf8(words);
    };
    row("", "is empty");
    row("gpu-box", "the port is missing");
    row(":7443", "the host is missing");
    row("gpu-box:", "a number from 1 to 65535");
    row("gpu-box:0", "a number from 1 to 65535");
    row("gpu-box:65536", "a number from 1 to 65535");
    row("gpu-box:+1", "a number from 1 to 65535");
    row("gpu-box:7443/", "a number from 1 to 65535");
    row("::1:7443", "in brackets");
    row("http://gpu-box:9100/metrics", "no URL");
    row("gpu box:1", "a character that no host has");
    row("<b>:1", "a character that no host has");
    row("unix:", "a path from the root");
    row("unix:relative.sock", "a path from the root");
    QTest::newRow("path too long") << QStringLiteral("unix:/") + QString(200, QLatin1Char('x')) << QStringLiteral("at most 107 bytes");
    QTest::newRow("zero byte") << QStringLiteral("unix:/a") + QChar(0) + QLatin1Char('b') << QStringLiteral("no zero byte");
    QTest::newRow("host too long") << QString(300, QLatin1Char('h')) + QStringLiteral(":1") << QStringLiteral("a character");
}

void TestAddress::saysWhatIsMissing()
{
    QFETCH(QString, text);
    QFETCH(QString, words);
    const auto address = parseAddress(text.toStdString());
    QVERIFY(!address);
    QVERIFY(address.error().code == Error::Code::BadInput);
    QVERIFY2(QString::fromStdString(address.error().detail).contains(words), address.error().detail.c_str());
}

QTEST_APPLESS_MAIN(TestAddress)
#include "tst_address.moc"
