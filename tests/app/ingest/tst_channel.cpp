// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ingest/rig.h"

#include "model/metric.h"

#include <QTemporaryDir>
#include <QTest>

#include <numeric>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

std::vector<std::uint64_t> upTo(std::uint64_t last)
{
    std::vector<std::uint64_t> numbers(last);
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
}

Instant now() { return systemClock().now(); }

} // namespace

class TestChannel : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::string unixAddress(const char *name) const
    {
        return "unix:" + m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }

private slots:
    void deliversDefinitionsBeforeFrames_data();
    void deliversDefinitionsBeforeFrames();
    void saysWhatItKnows();
    void resumesAfterALoss();
    void findsARestartedAgent();
    void takesANewEpoch();
    void continuesWhereTheHistoryEnds();
    void asksForNothingThatIsOnlyPosted();
    void dropsRepetitionsAndRecordsJumps();
    void hearsWhatTheSpoolLost();
    void passesOverWhatItDoesNotKnow();
    void endsAStreamOfUndefinedSeries();
    void callsSilenceDeath();
    void heartbeatsAreNoSilence();
    void lagsAndCatchesUp();
    void takesTheSkewOutOfTheLag();
    void pushesBackWhenTheBoxIsFull();
    void staysQuietAfterItsEnd();
    void retriesAtOnceWhenAsked();
    void publishesOnceASecond();
};

void TestChannel::deliversDefinitionsBeforeFrames_data()
{
    QTest::addColumn<QString>("listen");
    QTest::newRow("loopback") << QStringLiteral("127.0.0.1:0");
    QTest::newRow("unix socket") << QString::fromStdString(unixAddress("first.sock"));
}

void TestChannel::deliversDefinitionsBeforeFrames()
{
    QFETCH(QString, listen);
    FakeAgent agent;
    const auto address = agent.start(listen.toStdString());
    QVERIFY(!address.empty());
    agent.define({fakeSeries(1, metric::kHostAvailable), fakeSeries(2, metric::kHostLimit)});
    agent.push(fakeBlock({1, 2}, now(), {5e9, 16e9}));
    Event killed;
    killed.time = now();
    killed.kind = EventKind::OomKill;
    agent.push(killed);
    StepRecord step;
    step.time = now();
    step.step = 7;
    step.peak = Bytes{12};
    agent.push(step);

    Rig rig;
    const auto channel = rig.connect(address);
    QTRY_COMPARE(rig.frameCount(), 3U);
    agent.define({fakeSeries(3, "process.memory.usage")}); // one more while the stream stands
    agent.push(fakeBlock({1, 2, 3}, now(), {5e9, 16e9, 1e6}));
    QTRY_COMPARE(rig.frameCount(), 4U);

    QVERIFY(rig.isEveryColumnDefined());
    QCOMPARE(rig.sequences(), upTo(4));
    const auto all = rig.deliveries();
    QCOMPARE(all.front().agent, std::string("fake-1"));
    QCOMPARE(all.front().epoch, 1U);
    std::vector<Frame> frames;
    for (const auto &delivery : all)
        frames.insert(frames.end(), delivery.frames.begin(), delivery.frames.end());
    QCOMPARE(std::get<SampleBlock>(frames[0].body).values, (std::vector<double>{5e9, 16e9}));
    QVERIFY(std::get<Event>(frames[1].body).kind == EventKind::OomKill);
    QCOMPARE(std::get<StepRecord>(frames[2].body).peak, std::optional(Bytes{12}));
}

void TestChannel::saysWhatItKnows()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    Rig rig;
    const auto channel = rig.connect(address);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);
    agent.push(fakeBlock({1}, now(), {1}));
    QTRY_COMPARE(channel->state().samples, 1U);
    const ConnectionState state = channel->state();
    QCOMPARE(state.problem, std::string());
    QCOMPARE(state.agentId, std::string("fake-1"));
    QCOMPARE(state.agentVersion, std::string("fake-agent 1.0"));
    QCOMPARE(state.hostName, std::string("fakehost"));
    QCOMPARE(state.capabilities, std::vector<std::string>{"fake"});
    QCOMPARE(state.sources.size(), 1U);
    QCOMPARE(state.frames, 1U);
    QCOMPARE(state.lost, 0U);
    QVERIFY(state.skew && *state.skew < 100ms && *state.skew > -100ms);
    QVERIFY(state.roundTrip && *state.roundTrip > 0ns);
    QVERIFY(state.lag && *state.lag < 3s);
    QVERIFY(!state.nextAttempt);
    QCOMPARE(rig.states().front().phase, ConnectionPhase::Connecting);
}

void TestChannel::resumesAfterALoss()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    Rig rig;
    const auto channel = rig.connect(address);
    for (int i = 0; i < 5; ++i)
        agent.push(fakeBlock({1}, now(), {1}));
    QTRY_COMPARE(rig.frameCount(), 5U);
    const int before = agent.watchCount();
    agent.dropStreams();
    agent.push(fakeBlock({1}, now(), {2}));
    QTRY_VERIFY(agent.watchCount() > before);
    QTRY_COMPARE(rig.frameCount(), 6U);
    QCOMPARE(agent.lastResume(), (ResumePoint{1, 6}));
    QCOMPARE(rig.sequences(), upTo(6));
    QVERIFY(rig.lost().empty());
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);

    QTRY_COMPARE(rig.notes().size(), 2U);
    const auto notes = rig.notes();
    QVERIFY(notes[0].kind == EventKind::AgentAway);
    QVERIFY(notes[1].kind == EventKind::AgentBack);
    QVERIFY(notes[0].time <= notes[1].time);
    QCOMPARE(notes[0].labels.value(label::kHost), std::string_view("fakehost"));
    QCOMPARE(QString::fromStdString(notes[0].text), QString::fromStdString("The connection to " + address + " was lost"));
}

void TestChannel::findsARestartedAgent()
{
    const auto address = unixAddress("restart.sock");
    FakeAgent agent;
    QCOMPARE(agent.start(address), address);
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    agent.push(fakeBlock({1}, now(), {1}));
    Rig rig;
    const auto channel = rig.connect(address);
    QTRY_COMPARE(rig.frameCount(), 1U);
    agent.stop();
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Unreachable);
    QTRY_VERIFY(channel->state().nextAttempt.has_value());
    QTRY_VERIFY2(channel->state().problem.starts_with("There is no socket file "), channel->state().problem.c_str());
    agent.push(fakeBlock({1}, now(), {2}));
    QCOMPARE(agent.start(address), address);
    QTRY_COMPARE(rig.frameCount(), 2U);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);
    QCOMPARE(channel->state().problem, std::string());
    QCOMPARE(rig.sequences(), upTo(2));
}

void TestChannel::takesANewEpoch()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    agent.push(fakeBlock({1}, now(), {1}));
    agent.push(fakeBlock({1}, now(), {2}));
    Rig rig;
    const auto channel = rig.connect(address);
    QTRY_COMPARE(rig.frameCount(), 2U);
    agent.newEpoch(77);
    agent.push(fakeBlock({1}, now(), {3}));
    QTRY_COMPARE(rig.sequences(77), std::vector<std::uint64_t>{1});
    QVERIFY(rig.isEveryColumnDefined());
    QVERIFY(rig.lost().empty());
}

void TestChannel::continuesWhereTheHistoryEnds()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    for (int i = 0; i < 10; ++i)
        agent.push(fakeBlock({1}, now(), {1}));
    Rig rig;
    rig.commit("fake-1", {1, 8});
    const auto channel = rig.connect(address);
    QTRY_COMPARE(rig.sequences(), (std::vector<std::uint64_t>{8, 9, 10}));
    QCOMPARE(agent.lastResume(), (ResumePoint{1, 8}));
}

void TestChannel::asksForNothingThatIsOnlyPosted()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    Rig rig;
    rig.commit("fake-1", {1, 1});
    const auto channel = rig.connect(address);
    for (int i = 0; i < 4; ++i)
        agent.push(fakeBlock({1}, now(), {1}));
    QTRY_COMPARE(rig.frameCount(), 4U); // the "history" never commits them
    agent.dropStreams();
    QTRY_COMPARE(agent.lastResume(), (ResumePoint{1, 5}));
}

void TestChannel::dropsRepetitionsAndRecordsJumps()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    agent.push(fakeBlock({1}, now(), {1}));
    Rig rig;
    const auto channel = rig.connect(address);
    QTRY_COMPARE(rig.frameCount(), 1U);
    for (const std::uint64_t sequence : {2U, 2U, 1U, 6U, 5U, 7U})
        agent.pushFrame({sequence, fakeBlock({1}, now(), {1})});
    QTRY_COMPARE(rig.sequences(), (std::vector<std::uint64_t>{1, 2, 6, 7}));
    QCOMPARE(rig.lost(), (std::vector<LostFrames>{{3, 5}}));
    QTRY_COMPARE(channel->state().lost, 3U);
}

void TestChannel::hearsWhatTheSpoolLost()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    for (int i = 0; i < 10; ++i)
        agent.push(fakeBlock({1}, now(), {1}));
    agent.forgetUpTo(6);
    Rig rig;
    rig.commit("fake-1", {1, 3});
    const auto channel = rig.connect(address);
    QTRY_COMPARE(rig.sequences(), (std::vector<std::uint64_t>{7, 8, 9, 10}));
    QCOMPARE(rig.lost(), (std::vector<LostFrames>{{3, 6}}));

    Rig newcomer; // what was before we knew the agent is no loss
    const auto second = newcomer.connect(address);
    QTRY_COMPARE(newcomer.frameCount(), 4U);
    QVERIFY(newcomer.lost().empty());
}

void TestChannel::passesOverWhatItDoesNotKnow()
{
    FakeAgent agent;
    auto hello = wire::Hello{};
    hello.version = {wire::kProtocolVersion.major, wire::kProtocolVersion.minor + 9};
    hello.agent = "fake-agent 9";
    hello.agentId = "newer";
    hello.epoch = 1;
    agent.setHello(hello);
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    Rig rig;
    const auto channel = rig.connect(address);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);
    using namespace std::string_view_literals;
    agent.pushRaw("\x09\x01\0\0\0\0\0\0\0\xfa\x01\x02hi"sv);   // epoch 1 and field 31: a body to come
    agent.pushRaw("\x09\x01\0\0\0\0\0\0\0\x1a\x07\x08\x01\xfa\x01\x02hi"sv); // frame 1 with a body to come
    agent.pushFrame({2, fakeBlock({1}, now(), {1})});
    QTRY_COMPARE(rig.sequences(), (std::vector<std::uint64_t>{1, 2}));
    QVERIFY(rig.lost().empty());
    QCOMPARE(channel->state().phase, ConnectionPhase::Live);
}

void TestChannel::endsAStreamOfUndefinedSeries()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    agent.push(fakeBlock({1}, now(), {1}));
    Rig rig;
    const auto channel = rig.connect(address);
    QTRY_COMPARE(rig.frameCount(), 1U);
    agent.push(fakeBlock({1, 99}, now(), {1, 2}));
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Unreachable);
    const auto problem = channel->state().problem;
    QVERIFY2(problem.find("frame 2 has values of series 99, which it never defined") != std::string::npos, problem.c_str());
    QVERIFY2(problem.starts_with(address), problem.c_str());
    agent.define({fakeSeries(99, metric::kHostLimit)}); // mended: it comes back by itself, with nothing lost
    QTRY_COMPARE(rig.sequences(), upTo(2));
}

void TestChannel::callsSilenceDeath()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    Rig rig;
    auto options = Rig::optionsFor(address);
    options.silence = 200ms;
    const auto channel = rig.connect(options);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);
    agent.setMute(true);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Unreachable);
    const auto problem = channel->state().problem;
    QVERIFY2(problem.find("has said nothing for 0.2 s") != std::string::npos, problem.c_str());
    QTRY_VERIFY(!rig.notes().empty());
    QVERIFY(rig.notes().front().kind == EventKind::AgentAway);
    agent.setMute(false);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);
}

void TestChannel::heartbeatsAreNoSilence()
{
    FakeAgent agent;
    agent.setHeartbeatInterval(50ms);
    const auto address = agent.start();
    Rig rig;
    auto options = Rig::optionsFor(address);
    options.silence = 300ms;
    const auto channel = rig.connect(options);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);
    const auto sent = agent.sent();
    QTRY_VERIFY(agent.sent() > sent + 12); // 600 ms and more
    QCOMPARE(channel->state().phase, ConnectionPhase::Live);
    QCOMPARE(agent.watchCount(), 1);
    QVERIFY(!channel->state().lag); // no sample: nobody knows
}

void TestChannel::lagsAndCatchesUp()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    agent.push(fakeBlock({1}, now() - 12s, {1}));
    Rig rig;
    auto options = Rig::optionsFor(address);
    options.endpoint.name = "gpu-box";
    const auto channel = rig.connect(options);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Lagging);
    QVERIFY2(channel->state().problem.starts_with("gpu-box lags 12 s behind") || channel->state().problem.starts_with("gpu-box lags 13 s"),
             channel->state().problem.c_str());
    agent.push(fakeBlock({1}, now(), {1}));
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);
    QCOMPARE(channel->state().problem, std::string());
}

void TestChannel::takesTheSkewOutOfTheLag()
{
    FakeAgent agent;
    agent.setClockOffset(-5min);
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    Rig rig;
    const auto channel = rig.connect(address);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);
    agent.push(fakeBlock({1}, now() - 5min, {1})); // fresh, by the agent's clock
    QTRY_VERIFY(channel->state().lag.has_value());
    QVERIFY(*channel->state().lag < 3s);
    QVERIFY(channel->state().skew && *channel->state().skew < -299s && *channel->state().skew > -301s);
    QCOMPARE(channel->state().phase, ConnectionPhase::Live);
    agent.dropStreams(); // notes stand at the agent's time, beside its samples
    QTRY_COMPARE(rig.notes().size(), 2U);
    QVERIFY(rig.notes()[0].time < now() - 4min);
}

void TestChannel::pushesBackWhenTheBoxIsFull()
{
    constexpr std::size_t kColumns = 1000;
    constexpr std::uint64_t kFrames = 4000; // 32 MB of values, through a box of 1 MB
    FakeAgent agent;
    const auto address = agent.start();
    std::vector<SeriesDefinition> definitions;
    std::vector<std::uint32_t> columns(kColumns);
    std::iota(columns.begin(), columns.end(), 1);
    for (const auto id : columns)
        definitions.push_back(fakeSeries(id, "m"));
    agent.define(definitions);
    Rig rig(1U << 20U);
    rig.pause(true);
    const auto channel = rig.connect(address);
    const std::vector<double> values(kColumns, 1.5);
    for (std::uint64_t i = 0; i < kFrames; ++i)
        agent.push(fakeBlock(columns, fromUnixNanos(static_cast<std::int64_t>(i + 1) * 1'000'000'000), values));
    // It reads until the box is full and one Delivery more is ready, then the network fills and the agent waits.
    QTRY_VERIFY(rig.inbox.weight() > 0);
    std::uint64_t sent = 0;
    for (int steady = 0; steady < 10;) {
        QTest::qWait(30);
        steady = agent.sent() == sent ? steady + 1 : 0;
        sent = agent.sent();
    }
    QVERIFY2(sent < kFrames * 3 / 4, qPrintable(QString::number(sent)));
    QVERIFY(rig.inbox.weight() < 4U << 20U);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Lagging); // the samples are of 1970; the stream is not dead
    rig.pause(false);
    QTRY_COMPARE_WITH_TIMEOUT(rig.frameCount(), std::size_t{kFrames}, 60'000);
    QCOMPARE(rig.sequences(), upTo(kFrames));
    QVERIFY(rig.lost().empty());
    QCOMPARE(agent.watchCount(), 1);
}

void TestChannel::staysQuietAfterItsEnd()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    Rig rig;
    auto channel = rig.connect(address);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);
    channel.reset();
    const auto calls = rig.states().size();
    agent.push(fakeBlock({1}, now(), {1}));
    QTRY_COMPARE(agent.streamCount(), 0);
    QTest::qWait(50);
    QCOMPARE(rig.states().size(), calls);
    QCOMPARE(rig.frameCount(), 0U);
}

void TestChannel::retriesAtOnceWhenAsked()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.stop();
    Rig rig;
    auto options = Rig::optionsFor(address);
    options.firstBackoff = options.longestBackoff = 1h;
    const auto channel = rig.connect(options);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Unreachable);
    const auto next = channel->state().nextAttempt;
    QVERIFY(next && *next > now() + 20min);
    QCOMPARE(agent.start(address), address);
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    channel->retryNow();
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);
}

void TestChannel::publishesOnceASecond()
{
    FakeAgent agent;
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    Rig rig;
    const auto channel = rig.connect(address);
    QTRY_COMPARE(channel->state().phase, ConnectionPhase::Live);
    const auto before = rig.states().size();
    for (int i = 0; i < 25; ++i) {
        agent.push(fakeBlock({1}, now(), {1}));
        QTest::qWait(100);
    }
    const auto calls = rig.states().size() - before;
    QVERIFY2(calls >= 2 && calls <= 4, qPrintable(QString::number(calls)));
    const double rate = channel->state().samplesPerSecond;
    QVERIFY2(rate > 3 && rate < 15, qPrintable(QString::number(rate)));
}

QTEST_GUILESS_MAIN(TestChannel)
#include "tst_channel.moc"
