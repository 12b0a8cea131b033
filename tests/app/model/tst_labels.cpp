// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/labels.h"

#include <QTest>

#include <map>
#include <random>

using namespace plimsoll;

class TestLabels : public QObject
{
    Q_OBJECT

private slots:
    void isASortedSet();
    void findsAndSetsAndRemoves();
    void encodes_data();
    void encodes();
    void refusesDamagedText_data();
    void refusesDamagedText();
    void behavesLikeAMap();
};

void TestLabels::isASortedSet()
{
    const Labels labels({{"b", "2"}, {"a", "1"}, {"b", "3"}});
    QCOMPARE(labels.size(), 2U);
    QCOMPARE(labels.value("b"), std::string_view("3")); // the last wins
    QCOMPARE(labels, Labels({{"a", "1"}, {"b", "3"}}));
    QVERIFY(Labels({{"a", "1"}}) < Labels({{"a", "2"}}));
    QVERIFY(Labels().isEmpty());
}

void TestLabels::findsAndSetsAndRemoves()
{
    Labels labels;
    QVERIFY(!labels.find("a"));
    QCOMPARE(labels.value("a"), std::string_view());
    labels.set("b", "2");
    labels.set("a", "");
    labels.set("b", "3");
    QVERIFY(labels.find("a")); // there, and empty
    QCOMPARE(labels.value("b"), std::string_view("3"));
    labels.remove("b");
    labels.remove("nothing");
    QCOMPARE(labels, Labels({{"a", ""}}));
}

void TestLabels::encodes_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("plain") << QStringLiteral("host.name") << QStringLiteral("gpu-7") << QStringLiteral("host.name=\"gpu-7\"");
    QTest::newRow("quote") << QStringLiteral("a") << QStringLiteral("x\"y") << QStringLiteral("a=\"x\\\"y\"");
    QTest::newRow("backslash") << QStringLiteral("a") << QStringLiteral("\\n") << QStringLiteral("a=\"\\\\n\"");
    QTest::newRow("line end") << QStringLiteral("a") << QStringLiteral("x\ny") << QStringLiteral("a=\"x\\ny\"");
    QTest::newRow("name with our signs") << QStringLiteral("a=\",b") << QStringLiteral("1") << QStringLiteral("a\\=\\\"\\,b=\"1\"");
    QTest::newRow("empty value") << QStringLiteral("a") << QString() << QStringLiteral("a=\"\"");
}

void TestLabels::encodes()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, text);
    const Labels labels({{name.toStdString(), value.toStdString()}});
    QCOMPARE(QString::fromStdString(labels.encode()), text);
    const auto decoded = Labels::decode(text.toStdString());
    QVERIFY(decoded);
    QCOMPARE(*decoded, labels);
}

void TestLabels::refusesDamagedText_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("no equals") << QStringLiteral("abc");
    QTest::newRow("no quote") << QStringLiteral("a=1");
    QTest::newRow("nothing after equals") << QStringLiteral("a=");
    QTest::newRow("open end") << QStringLiteral("a=\"x");
    QTest::newRow("escape at the end") << QStringLiteral("a=\"x\\");
    QTest::newRow("no comma") << QStringLiteral("a=\"1\"b=\"2\"");
    QTest::newRow("comma at the end") << QStringLiteral("a=\"1\",");
}

void TestLabels::refusesDamagedText()
{
    QFETCH(QString, text);
    const auto decoded = Labels::decode(text.toStdString());
    QVERIFY(!decoded);
    QVERIFY(decoded.error().code == Error::Code::Corrupt);
    QVERIFY(decoded.error().detail.find("offset") != std::string::npos);
}

void TestLabels::behavesLikeAMap()
{
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    const auto bytes = [&](std::size_t least) {
        std::string made(std::uniform_int_distribution<std::size_t>(least, 6)(random), ' ');
        for (char &byte : made)
            byte = "ab=,\"\\\n\xff"[std::uniform_int_distribution<std::size_t>(0, 7)(random)];
        return made;
    };
    for (int run = 0; run < 1000; ++run) {
        Labels labels;
        std::map<std::string, std::string> reference;
        for (int i = 0; i < 20; ++i) {
            const auto name = bytes(1);
            if (random() % 4 == 0) {
                labels.remove(name);
                reference.erase(name);
            } else {
                const auto value = bytes(0);
                labels.set(name, value);
                reference[name] = value;
            }
        }
        QVERIFY(std::equal(labels.begin(), labels.end(), reference.begin(), reference.end(),
                           [](const auto &a, const auto &b) { return a.first == b.first && a.second == b.second; }));
        const auto decoded = Labels::decode(labels.encode());
        QVERIFY(decoded);
        QCOMPARE(*decoded, labels);
    }
}

QTEST_APPLESS_MAIN(TestLabels)
#include "tst_labels.moc"
