// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ingest/bad_peer.h"
#include "app/ingest/rig.h"

#include "model/metric.h"
#include "wire/limits.h"
#include "wire/to_proto.h"

#include <plimsoll/v1/agent.pb.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

Instant now() { return systemClock().now(); }

// Whatever a bad peer does, a good one beside it goes on.
class Neighbour
{
public:
    Neighbour()
    {
        m_agent.define({fakeSeries(1, metric::kHostAvailable)});
        m_channel = m_rig.connect(m_agent.start());
    }

    [[nodiscard]] bool isWorking()
    {
        m_agent.push(fakeBlock({1}, now(), {1}));
        const auto wanted = ++m_pushed;
        return QTest::qWaitFor([&] { return m_rig.frameCount() == wanted; }, 5000)
            && m_channel->state().phase == ConnectionPhase::Live;
    }

private:
    FakeAgent m_agent;
    Rig m_rig;
    std::unique_ptr<Channel> m_channel;
    std::size_t m_pushed = 0;
};

} // namespace

class TestBadPeers : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    void expectSentence(const std::string &address, ConnectionPhase phase, const std::string &sentence);

private slots:
    void anotherLanguage_data();
    void anotherLanguage();
    void nobodyThere_data();
    void nobodyThere();
    void anotherProtocolVersion_data();
    void anotherProtocolVersion();
    void grpcButNoAgent();
    void badHello();
    void helloThatNeverComes();
    void hostileStream_data();
    void hostileStream();
    void probesForgetWhoIsGone();
};

void TestBadPeers::expectSentence(const std::string &address, ConnectionPhase phase, const std::string &sentence)
{
    Neighbour neighbour;
    QVERIFY(neighbour.isWorking());
    Rig rig;
    auto options = Rig::optionsFor(address);
    options.helloDeadline = 500ms;
    const auto channel = rig.connect(options);
    QTRY_COMPARE_WITH_TIMEOUT(QString::fromStdString(channel->state().problem), QString::fromStdString(sentence), 10'000);
    QCOMPARE(channel->state().phase, phase);
    QCOMPARE(rig.frameCount(), 0U);
    QVERIFY(neighbour.isWorking());
    // It stays the same sentence while it is tried again.
    QTest::qWait(300);
    QCOMPARE(QString::fromStdString(channel->state().problem), QString::fromStdString(sentence));
}

void TestBadPeers::anotherLanguage_data()
{
    QTest::addColumn<QByteArray>("answer");
    QTest::addColumn<bool>("holdsOn");
    QTest::addColumn<QString>("sentence");
    const QString tries = QStringLiteral(" What was recorded stays, and it is tried again by itself.");
    QTest::newRow("an exporter")
        << QByteArray("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n") << false
        << QStringLiteral("%1 speaks HTTP/1 and not gRPC: is this the address of an exporter? "
                          "Give it to an agent with --scrape. Everything else goes on.");
    QTest::newRow("an exporter that keeps the connection")
        << QByteArray("HTTP/1.0 505 HTTP Version Not Supported\r\n\r\n<html>") << true
        << QStringLiteral("%1 speaks HTTP/1 and not gRPC: is this the address of an exporter? "
                          "Give it to an agent with --scrape. Everything else goes on.");
    QTest::newRow("an SSH server") << QByteArray("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n") << true
                                   << QStringLiteral("%1 answers in a language that is not gRPC. "
                                                     "Another program has this port: check the address. "
                                                     "Everything else goes on.");
    QTest::newRow("random bytes") << QByteArray::fromHex("deadbeef00ff17a9c3e1400102030405060708090a0b0c0d0e0f") << false
                                  << QStringLiteral("%1 answers in a language that is not gRPC. "
                                                    "Another program has this port: check the address. "
                                                    "Everything else goes on.");
    QTest::newRow("a TLS port") << QByteArray::fromHex("15030100020246") << false
                                << QStringLiteral("%1 wants an encrypted connection (TLS), which agents do not speak. "
                                                  "Give the agent's own port, or reach it through an SSH tunnel. "
                                                  "Everything else goes on.");
    QTest::newRow("silence") << QByteArray() << true
                             << QStringLiteral("%1 accepts connections and never answers. "
                                               "The program there may hang or be another one: look at it, or restart the agent.")
            + tries;
    QTest::newRow("hangs up") << QByteArray() << false
                              << QStringLiteral("%1 accepts connections and ends them at once. "
                                                "Another program may have this port, or the agent is about to stop.")
            + tries;
}

void TestBadPeers::anotherLanguage()
{
    QFETCH(QByteArray, answer);
    QFETCH(bool, holdsOn);
    QFETCH(QString, sentence);
    const BadPeer peer(answer.toStdString(), holdsOn ? BadPeer::After::HoldOn : BadPeer::After::HangUp);
    expectSentence(peer.address(), ConnectionPhase::Unreachable,
                   sentence.arg(QString::fromStdString(peer.address())).toStdString());
}

void TestBadPeers::nobodyThere_data()
{
    QTest::addColumn<QString>("address");
    QTest::addColumn<ConnectionPhase>("phase");
    QTest::addColumn<QString>("sentence");
    const QString tries = QStringLiteral(" What was recorded stays, and it is tried again by itself.");
    std::string free;
    {
        FakeAgent agent;
        free = agent.start();
    }
    QTest::newRow("refused") << QString::fromStdString(free) << ConnectionPhase::Unreachable
                             << QStringLiteral("Nothing listens at %1. Start plimsoll-agent there, or correct the address.")
            .arg(QString::fromStdString(free)) + tries;
    const QString missing = m_folder.filePath(QStringLiteral("missing.sock"));
    QTest::newRow("no socket file") << QStringLiteral("unix:") + missing << ConnectionPhase::Unreachable
                                    << QStringLiteral("There is no socket file %1. "
                                                      "Start plimsoll-agent with --listen unix:%1, or correct the path.")
            .arg(missing) + tries;
    QFile plain(m_folder.filePath(QStringLiteral("plain.txt")));
    QVERIFY(plain.open(QIODevice::WriteOnly));
    QTest::newRow("not a socket") << QStringLiteral("unix:") + plain.fileName() << ConnectionPhase::Unreachable
                                  << QStringLiteral("%1 is not a stream socket. Give the socket file that "
                                                    "plimsoll-agent made. Everything else goes on.").arg(plain.fileName());
    QTest::newRow("no such name") << QStringLiteral("no-such-host.invalid:7443") << ConnectionPhase::Unreachable
                                  << QStringLiteral("The name no-such-host.invalid does not resolve. "
                                                    "Check its spelling, or give the host's number.") + tries;
    QTest::newRow("no port") << QStringLiteral("gpu-box") << ConnectionPhase::Refused
                             << QStringLiteral("\u201cgpu-box\u201d is not an address: the port is missing. "
                                               "Write host:port, as in 10.0.0.7:7443, or unix:/path/of/a.sock.");
    QTest::newRow("markup") << QStringLiteral("<b>x</b>:1") << ConnectionPhase::Refused
                            << QStringLiteral("\u201c<b>x</b>:1\u201d is not an address: the host has a character that no host has. "
                                              "Write host:port, as in 10.0.0.7:7443, or unix:/path/of/a.sock.");
}

void TestBadPeers::nobodyThere()
{
    QFETCH(QString, address);
    QFETCH(ConnectionPhase, phase);
    QFETCH(QString, sentence);
    expectSentence(address.toStdString(), phase, sentence.toStdString());
}

void TestBadPeers::anotherProtocolVersion_data()
{
    QTest::addColumn<quint32>("major");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("newer") << 2U << QStringLiteral("The agent at %1 speaks protocol 2.3, this window 1.0: "
                                                   "the first number must be the same, so update this window.");
    QTest::newRow("older") << 0U << QStringLiteral("The agent at %1 speaks protocol 0.3, this window 1.0: "
                                                   "the first number must be the same, so update the other side.");
}

void TestBadPeers::anotherProtocolVersion()
{
    QFETCH(quint32, major);
    QFETCH(QString, sentence);
    FakeAgent agent;
    wire::Hello hello;
    hello.version = {major, 3};
    hello.agent = "plimsoll-agent 9.9";
    hello.agentId = "other";
    agent.setHello(hello);
    const auto address = agent.start();
    expectSentence(address, ConnectionPhase::Refused, sentence.arg(QString::fromStdString(address)).toStdString());
    QCOMPARE(agent.watchCount(), 0);
    QVERIFY(agent.helloCount() <= 2); // it is not asked over and over
}

void TestBadPeers::grpcButNoAgent()
{
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    grpc::CallbackGenericService other; // answers every call with UNIMPLEMENTED
    builder.RegisterCallbackGenericService(&other);
    const auto server = builder.BuildAndStart();
    QVERIFY(server);
    const auto address = "127.0.0.1:" + std::to_string(port);
    expectSentence(address, ConnectionPhase::Refused,
                   address + " speaks gRPC but is no Plimsoll agent. Check the address and the port. Everything else goes on.");
    server->Shutdown(std::chrono::system_clock::now());
}

void TestBadPeers::badHello()
{
    FakeAgent agent;
    wire::Hello hello;
    hello.version = wire::kProtocolVersion;
    agent.setHello(hello); // without an identity
    const auto address = agent.start();
    expectSentence(address, ConnectionPhase::Unreachable,
                   address + " sent what this window cannot take, and its stream was ended: hello.agent_id: empty. "
                             "Update the agent so that both are of one version. "
                             "What was recorded stays, and it is tried again by itself.");
}

void TestBadPeers::helloThatNeverComes()
{
    FakeAgent agent;
    agent.setHelloDelay(30s);
    const auto address = agent.start();
    expectSentence(address, ConnectionPhase::Unreachable,
                   address + " did not answer within 0.5 s. The machine may be overloaded, or the agent hangs. "
                             "What was recorded stays, and it is tried again by itself.");
}

void TestBadPeers::hostileStream_data()
{
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QString>("words");
    const auto row = [](const char *name, const v1::WatchMessage &message, const char *words) {
        QTest::newRow(name) << QByteArray::fromStdString(message.SerializeAsString()) << QString::fromLatin1(words);
    };
    v1::WatchMessage message;
    message.set_epoch(1);
    auto &frame = *message.mutable_frame();
    frame.set_sequence(1);
    auto &batch = *frame.mutable_batch();
    batch.set_base_unix_nano(1'700'000'000'000'000'000);
    batch.add_time_deltas_nano(0);
    batch.add_series_ids(1);
    batch.add_values(1);
    batch.add_values(2);
    row("a value too many", message, "batch.values: 2 values for 1 rows of 1 columns");
    for (int i = 0; i < 100; ++i)
        message.mutable_definitions()->add_series()->set_id(1);
    row("series without a name", message, "series.metric: empty");
    message.mutable_definitions()->clear_series();
    auto &series = *message.mutable_definitions()->add_series();
    series.set_id(1);
    series.set_metric("m");
    auto &label = *series.add_labels();
    label.set_name("l");
    label.set_value(std::string(wire::kMaxLabelValueBytes + 1, 'x'));
    row("a label over the limit", message, "label.value: 4097 bytes, the limit is 4096");
    label.set_value(std::string(wire::kMaxMessageBytes, 'x'));
    row("a message over the limit", message, "sent a message over the limit of 4.00 MiB, and its stream was ended");
    label.set_value("x");
    message.set_epoch(0);
    row("no epoch", message, "epoch: 0 names no epoch");
}

void TestBadPeers::hostileStream()
{
    QFETCH(QByteArray, message);
    QFETCH(QString, words);
    Neighbour neighbour;
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    Rig rig;
    const auto channel = rig.connect(address);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);
    agent.pushRaw(message.toStdString());
    // It ends, says why, comes back and works.
    QTRY_COMPARE(rig.notes().size(), 2U);
    const auto away = QString::fromStdString(rig.notes().front().text);
    QVERIFY2(away.contains(words), qPrintable(away));
    const auto states = rig.states();
    QVERIFY(std::any_of(states.begin(), states.end(), [&](const ConnectionState &state) {
        return state.phase == ConnectionPhase::Unreachable && QString::fromStdString(state.problem).contains(words);
    }));
    agent.push(fakeBlock({1}, now(), {1}));
    QTRY_COMPARE(rig.frameCount(), 1U);
    QVERIFY(neighbour.isWorking());
}

void TestBadPeers::probesForgetWhoIsGone()
{
    const BadPeer peer({}, BadPeer::After::HoldOn); // a probe of it takes a second
    Rig rig;
    auto options = Rig::optionsFor(peer.address());
    options.helloDeadline = 50ms;
    for (int i = 0; i < 5; ++i) {
        auto channel = rig.connect(options);
        QTRY_COMPARE(channel->state().phase, ConnectionPhase::Unreachable); // the probe begins now
        const auto before = std::chrono::steady_clock::now();
        channel.reset();
        QVERIFY(std::chrono::steady_clock::now() - before < 500ms);
    }
}

QTEST_GUILESS_MAIN(TestBadPeers)
#include "tst_bad_peers.moc"
