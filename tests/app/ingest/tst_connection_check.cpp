// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ingest/bad_peer.h"
#include "ingest/channel.h"
#include "model/metric.h"
#include "support/fake_agent.h"

#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <memory>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

using Outcome = ConnectionCheck::Outcome;

std::vector<ConnectionCheck> check(const std::string &address, Duration deadline = 2s)
{
    EndpointConfig endpoint;
    endpoint.address = address;
    return testConnection(endpoint, deadline);
}

// "PPPF---": passed, failed, not tried.
QString pattern(const std::vector<ConnectionCheck> &checks)
{
    QString marks;
    for (const auto &each : checks)
        marks += QLatin1Char(each.outcome == Outcome::Passed ? 'P' : each.outcome == Outcome::Failed ? 'F' : '-');
    return marks;
}

const ConnectionCheck &failed(const std::vector<ConnectionCheck> &checks)
{
    static const ConnectionCheck none;
    for (const auto &each : checks)
        if (each.outcome == Outcome::Failed)
            return each;
    return none;
}

} // namespace

class TestConnectionCheck : public QObject
{
    Q_OBJECT

private slots:
    void passesAGoodAgent_data();
    void passesAGoodAgent();
    void tellsOfAWrongClock();
    void stopsAtTheFirstFailure();
    void stopsAtTheDeadline();
};

void TestConnectionCheck::passesAGoodAgent_data()
{
    QTest::addColumn<bool>("isUnix");
    QTest::newRow("loopback") << false;
    QTest::newRow("unix socket") << true;
}

void TestConnectionCheck::passesAGoodAgent()
{
    QFETCH(bool, isUnix);
    const QTemporaryDir folder;
    FakeAgent agent;
    const auto address = agent.start(isUnix ? "unix:" + folder.filePath(QStringLiteral("a.sock")).toStdString()
                                            : std::string("127.0.0.1:0"));
    agent.define({fakeSeries(1, metric::kHostAvailable), fakeSeries(2, metric::kHostLimit)});
    for (int i = 0; i < 50; ++i)
        agent.push(fakeBlock({1, 2}, systemClock().now(), {1, 2}));
    const auto checks = check(address);
    QCOMPARE(pattern(checks), QStringLiteral("PPPPPPP"));
    QCOMPARE(checks[3].name, std::string("An agent answers"));
    QVERIFY2(checks[3].result.starts_with("fake-agent 1.0 on fakehost, in "), checks[3].result.c_str());
    QCOMPARE(checks[4].result, std::string("Both speak 1.0."));
    QCOMPARE(checks[6].result, std::string("2 values in the first batch."));
    for (const auto &each : checks)
        QCOMPARE(each.fix, std::string());
    QTRY_COMPARE(agent.streamCount(), 0);
}

void TestConnectionCheck::tellsOfAWrongClock()
{
    FakeAgent agent;
    agent.setClockOffset(5min);
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    agent.push(fakeBlock({1}, systemClock().now(), {1}));
    const auto checks = check(address);
    QCOMPARE(pattern(checks), QStringLiteral("PPPPPPP"));
    QVERIFY2(checks[5].result.starts_with("The agent's clock is 5 min ahead") || checks[5].result.starts_with("The agent's clock is 4 min"),
             checks[5].result.c_str());
    QVERIFY(!checks[5].fix.empty());
}

void TestConnectionCheck::stopsAtTheFirstFailure()
{
    const auto expect = [](const std::string &address, const char *marks, const std::string &result) {
        const auto checks = check(address);
        QCOMPARE(pattern(checks), QString::fromLatin1(marks));
        QCOMPARE(QString::fromStdString(failed(checks).result), QString::fromStdString(result));
        QVERIFY(!failed(checks).fix.empty());
    };
    expect("gpu-box", "F------",
           "\u201cgpu-box\u201d is not an address: the port is missing. Write host:port, as in 10.0.0.7:7443, or unix:/path/of/a.sock.");
    expect("no-such-host.invalid:7443", "PF-----", "The name no-such-host.invalid does not resolve.");
    const QTemporaryDir folder;
    const auto missing = folder.filePath(QStringLiteral("none.sock")).toStdString();
    expect("unix:" + missing, "PF-----", "There is no socket file " + missing + ".");

    std::string free;
    {
        FakeAgent agent;
        free = agent.start();
    }
    expect(free, "PPF----", "Nothing listens at " + free + ".");

    const BadPeer exporter("HTTP/1.1 400 Bad Request\r\n\r\n", BadPeer::After::HangUp);
    expect(exporter.address(), "PPPF---",
           exporter.address() + " speaks HTTP/1 and not gRPC: is this the address of an exporter?");
    const BadPeer silent({}, BadPeer::After::HoldOn);
    expect(silent.address(), "PPPF---", silent.address() + " accepts connections and never answers.");

    FakeAgent other;
    wire::Hello hello;
    hello.version = {2, 0};
    other.setHello(hello);
    const auto address = other.start();
    expect(address, "PPPPF--",
           "The agent at " + address + " speaks protocol 2.0, this window 1.0: the first number must be the same, so update this window.");

    FakeAgent empty;
    const auto quiet = empty.start();
    const auto checks = check(quiet, 800ms);
    QCOMPARE(pattern(checks), QStringLiteral("PPPPPPF"));
    QVERIFY2(failed(checks).result.starts_with("No reading came within "), failed(checks).result.c_str());

    FakeAgent liar;
    liar.push(fakeBlock({9}, systemClock().now(), {1}));
    const auto lying = check(liar.start());
    QCOMPARE(pattern(lying), QStringLiteral("PPPPPPF"));
    QVERIFY2(failed(lying).result.find("series 9, which it never defined") != std::string::npos, failed(lying).result.c_str());
}

void TestConnectionCheck::stopsAtTheDeadline()
{
    FakeAgent agent;
    agent.setHelloDelay(30s);
    const auto address = agent.start();
    const auto begun = std::chrono::steady_clock::now();
    const auto checks = check(address, 400ms);
    QVERIFY(std::chrono::steady_clock::now() - begun < 3s);
    QCOMPARE(pattern(checks), QStringLiteral("PPPF---"));
    QVERIFY2(failed(checks).result.find("did not answer within") != std::string::npos, failed(checks).result.c_str());
}

QTEST_GUILESS_MAIN(TestConnectionCheck)
#include "tst_connection_check.moc"
