// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wire/random_model.h"

#include "base/text.h"
#include "wire/to_model.h"
#include "wire/to_proto.h"

#include <plimsoll/v1/agent.pb.h>

#include <QTest>

#include <bit>

using namespace plimsoll;

namespace {

// As the network does it.
template <class Message>
Message overTheWire(const Message &message)
{
    Message received;
    if (!received.ParseFromString(message.SerializeAsString()))
        qFatal("a message that we made cannot be parsed");
    return received;
}

template <class Body>
Result<wire::Watched> sent(std::uint64_t epoch, const Body &body)
{
    v1::WatchMessage message;
    wire::toProto(epoch, body, message);
    return wire::toModel(overTheWire(message));
}

// NaNs with a meaning are equal by their bits only.
bool isSame(const Frame &a, const Frame &b)
{
    const auto *left = std::get_if<SampleBlock>(&a.body);
    const auto *right = std::get_if<SampleBlock>(&b.body);
    if (!left || !right)
        return a == b;
    return a.sequence == b.sequence && left->times == right->times && left->columns == right->columns
        && std::equal(left->values.begin(), left->values.end(), right->values.begin(), right->values.end(),
                      [](double x, double y) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y); });
}

} // namespace

class TestRoundTrip : public QObject
{
    Q_OBJECT

private slots:
    void everythingComesBack();
    void anEmptyBlockComesBack();
    void whatIsTooLongIsElided();
    void whatIsNoUtf8IsRepaired();
    void surplusIsLeftOut();
    void timesOutOfRangeAreClamped();
    void theDesktopsOwnEventsDoNotTravel();
};

void TestRoundTrip::everythingComesBack()
{
    const std::uint32_t seed = std::random_device{}();
    qInfo("seed %u", seed);
    RandomModel random(seed);
    for (int i = 0; i < 500; ++i) {
        const auto epoch = random.number(1, std::numeric_limits<std::uint64_t>::max());
        const Frame frame = random.frame();
        const auto watchedFrame = sent(epoch, frame);
        QVERIFY2(watchedFrame, watchedFrame ? "" : watchedFrame.error().detail.c_str());
        QCOMPARE(watchedFrame->epoch, epoch);
        QVERIFY(isSame(std::get<Frame>(watchedFrame->body), frame));

        std::vector<SeriesDefinition> definitions;
        for (auto left = random.number(0, 5); left > 0; --left)
            definitions.push_back(random.definition());
        const auto watchedDefinitions = sent(epoch, std::span<const SeriesDefinition>(definitions));
        QVERIFY2(watchedDefinitions, watchedDefinitions ? "" : watchedDefinitions.error().detail.c_str());
        QVERIFY(std::get<std::vector<SeriesDefinition>>(watchedDefinitions->body) == definitions);

        const auto first = random.number(1, wire::kMaxNumber);
        const LostFrames lost{first, random.number(first, wire::kMaxNumber)};
        const auto watchedLost = sent(epoch, lost);
        QVERIFY(watchedLost && std::get<LostFrames>(watchedLost->body) == lost);

        const wire::Hello hello = random.hello();
        const wire::Heartbeat heartbeat{hello.wall, hello.monotonic, hello.newestSequence, hello.sources};
        const auto watchedHeartbeat = sent(epoch, heartbeat);
        QVERIFY(watchedHeartbeat && std::get<wire::Heartbeat>(watchedHeartbeat->body) == heartbeat);

        v1::HelloReply reply;
        wire::toProto(hello, reply);
        const auto greeted = wire::toModel(overTheWire(reply));
        QVERIFY2(greeted, greeted ? "" : greeted.error().detail.c_str());
        QVERIFY(*greeted == hello);
    }
}

void TestRoundTrip::anEmptyBlockComesBack()
{
    const Frame frame{3, SampleBlock{}};
    const auto watched = sent(1, frame);
    QVERIFY(watched);
    QVERIFY(std::get<Frame>(watched->body) == frame);
}

void TestRoundTrip::whatIsTooLongIsElided()
{
    SeriesDefinition definition;
    definition.id = 1;
    definition.info.key.metric = std::string(5000, 'm');
    definition.info.key.labels.set("long", std::string(100'000, 'v'));
    definition.info.group = std::string(2000, 'g');
    const auto watched = sent(1, std::span<const SeriesDefinition>(&definition, 1));
    QVERIFY2(watched, watched ? "" : watched.error().detail.c_str());
    const auto &made = std::get<std::vector<SeriesDefinition>>(watched->body).front().info;
    QCOMPARE(made.key.metric.size(), wire::kMaxNameBytes);
    QCOMPARE(made.key.labels.value("long").size(), wire::kMaxLabelValueBytes);
    QVERIFY(made.key.metric.find("\u2026") != std::string::npos);

    Event event;
    event.text = std::string(1 << 20, 't');
    const auto watchedEvent = sent(1, Frame{1, event});
    QVERIFY(watchedEvent);
    QCOMPARE(std::get<Event>(std::get<Frame>(watchedEvent->body).body).text.size(), wire::kMaxTextBytes);
}

void TestRoundTrip::whatIsNoUtf8IsRepaired()
{
    Event event;
    event.text = "kill\xff\xfe of \xed\xa0\x80 \u202e\x01 end\xc3";
    event.labels.set("name\xf5", "\x80");
    const auto watched = sent(1, Frame{1, event});
    QVERIFY2(watched, watched ? "" : watched.error().detail.c_str());
    const auto &made = std::get<Event>(std::get<Frame>(watched->body).body);
    QVERIFY(isValidUtf8(made.text));
    QCOMPARE(made.text, std::string("kill\ufffd\ufffd of \ufffd\ufffd\ufffd \u202e\x01 end\ufffd"));
    QCOMPARE(made.labels.value("name\ufffd"), std::string_view("\ufffd"));
}

void TestRoundTrip::surplusIsLeftOut()
{
    Event event;
    for (int i = 0; i < 200; ++i)
        event.labels.set("label" + std::to_string(1000 + i), "x");
    const auto watched = sent(1, Frame{1, event});
    QVERIFY(watched);
    QCOMPARE(std::get<Event>(std::get<Frame>(watched->body).body).labels.size(), wire::kMaxLabels);

    RandomModel random(1);
    wire::Heartbeat heartbeat;
    heartbeat.sources.assign(3000, random.source());
    const auto beaten = sent(1, heartbeat);
    QVERIFY(beaten);
    QCOMPARE(std::get<wire::Heartbeat>(beaten->body).sources.size(), wire::kMaxSources);
}

void TestRoundTrip::timesOutOfRangeAreClamped()
{
    Event event;
    event.time = Instant::min();
    const auto early = sent(1, Frame{1, event});
    QVERIFY(early);
    QCOMPARE(toUnixNanos(std::get<Event>(std::get<Frame>(early->body).body).time), 0);
    event.time = Instant::max();
    event.value = std::numeric_limits<double>::quiet_NaN();
    const auto late = sent(1, Frame{1, event});
    QVERIFY(late);
    const auto &made = std::get<Event>(std::get<Frame>(late->body).body);
    QCOMPARE(toUnixNanos(made.time), wire::kLatestUnixNano);
    QVERIFY(!made.value); // not finite is not known
}

void TestRoundTrip::theDesktopsOwnEventsDoNotTravel()
{
    for (const auto kind : {EventKind::AgentAway, EventKind::AgentBack}) {
        Event event;
        event.kind = kind;
        const auto watched = sent(1, Frame{1, event});
        QVERIFY(watched);
        QVERIFY(std::get<Event>(std::get<Frame>(watched->body).body).kind == EventKind::Unknown);
    }
}

QTEST_APPLESS_MAIN(TestRoundTrip)
#include "tst_round_trip.moc"
