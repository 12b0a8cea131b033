// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wire/random_model.h"

#include "wire/to_model.h"
#include "wire/to_proto.h"

#include <google/protobuf/stubs/logging.h>
#include <plimsoll/v1/agent.pb.h>

#include <QTest>

#include <functional>

using namespace plimsoll;

namespace {

using Spoil = std::function<void(v1::WatchMessage &)>;
using SpoilHello = std::function<void(v1::HelloReply &)>;

v1::Batch &batchOf(v1::WatchMessage &message)
{
    auto &frame = *message.mutable_frame();
    if (frame.sequence() == 0)
        frame.set_sequence(1);
    auto &batch = *frame.mutable_batch();
    if (batch.series_ids_size() == 0) {
        batch.set_base_unix_nano(1'700'000'000'000'000'000);
        for (const std::int64_t delta : {0, 10, 20})
            batch.add_time_deltas_nano(delta);
        batch.add_series_ids(4);
        batch.add_series_ids(2);
        for (int i = 0; i < 6; ++i)
            batch.add_values(i);
    }
    return batch;
}

v1::SeriesDefinition &seriesOf(v1::WatchMessage &message)
{
    auto &series = *message.mutable_definitions()->add_series();
    series.set_id(1);
    series.set_metric("m");
    return series;
}

v1::StepRecord &stepOf(v1::WatchMessage &message)
{
    message.mutable_frame()->set_sequence(1);
    return *message.mutable_frame()->mutable_step();
}

} // namespace
Q_DECLARE_METATYPE(Spoil)
Q_DECLARE_METATYPE(SpoilHello)

class TestToModel : public QObject
{
    Q_OBJECT

private slots:
    void refusesWhatLies_data();
    void refusesWhatLies();
    void refusesABadHello_data();
    void refusesABadHello();
    void takesWhatIsRight();
    void readsOnlyTheVersionOfAnotherMajor();
    void unknownEnumsAreUnknown();
    void unknownBodiesArePassedOver();
    void randomDamageNeverCrashes();
};

void TestToModel::refusesWhatLies_data()
{
    QTest::addColumn<Spoil>("spoil");
    QTest::addColumn<QString>("words");
    const auto row = [](const char *name, Spoil spoil, const char *words) {
        QTest::newRow(name) << spoil << QString::fromLatin1(words);
    };
    row("no epoch", [](auto &m) { m.set_epoch(0); batchOf(m); }, "epoch");
    row("sequence 0", [](auto &m) { batchOf(m); m.mutable_frame()->set_sequence(0); }, "frame.sequence");
    row("sequence beyond all", [](auto &m) { batchOf(m); m.mutable_frame()->set_sequence(~0ULL); }, "frame.sequence");
    row("values missing", [](auto &m) { batchOf(m).mutable_values()->RemoveLast(); }, "5 values for 3 rows of 2 columns");
    row("values without rows", [](auto &m) { batchOf(m).clear_time_deltas_nano(); }, "6 values for 0 rows");
    row("columns without rows", [](auto &m) { batchOf(m).clear_time_deltas_nano(); batchOf(m).clear_values(); }, "0 values for 0 rows of 2 columns");
    row("rows without columns", [](auto &m) { auto &b = batchOf(m); b.clear_values(); b.clear_series_ids(); }, "0 values for 3 rows of 0 columns");
    row("too many rows", [](auto &m) { for (int i = 0; i < 5000; ++i) batchOf(m).add_time_deltas_nano(30 + i); }, "5003 of them, the limit is 4096");
    row("too many values", [](auto &m) { batchOf(m).mutable_values()->Resize((1 << 18) + 1, 0); }, "the limit is 262144");
    row("too many columns", [](auto &m) { for (std::uint32_t i = 0; i < (1U << 18U); ++i) batchOf(m).add_series_ids(10 + i); }, "batch.series_ids");
    row("time stands still", [](auto &m) { batchOf(m).set_time_deltas_nano(2, 10); }, "do not rise");
    row("time runs back", [](auto &m) { batchOf(m).set_time_deltas_nano(2, 5); }, "do not rise");
    row("negative delta", [](auto &m) { batchOf(m).set_time_deltas_nano(0, -5); }, "do not rise from 0");
    row("first delta", [](auto &m) { batchOf(m).set_time_deltas_nano(0, 5); }, "the first is not 0");
    row("time overflows", [](auto &m) { batchOf(m).set_time_deltas_nano(2, std::numeric_limits<std::int64_t>::max()); }, "beyond the year 2200");
    row("base before 1970", [](auto &m) { batchOf(m).set_base_unix_nano(-1); }, "batch.base_unix_nano");
    row("base at the end of time", [](auto &m) { batchOf(m).set_base_unix_nano(std::numeric_limits<std::int64_t>::max()); }, "between 1970 and 2200");
    row("series 0", [](auto &m) { batchOf(m).set_series_ids(1, 0); }, "ids begin at 1");
    row("series 0 first", [](auto &m) { batchOf(m).set_series_ids(0, 0); }, "ids begin at 1");
    row("a column twice", [](auto &m) { batchOf(m).set_series_ids(1, 4); }, "4 stands there twice");
    row("definition without id", [](auto &m) { seriesOf(m).set_id(0); }, "series.id");
    row("definition without name", [](auto &m) { seriesOf(m).set_metric(""); }, "series.metric: empty");
    row("name too long", [](auto &m) { seriesOf(m).set_metric(std::string(513, 'x')); }, "513 bytes, the limit is 512");
    row("name is no UTF-8", [](auto &m) { seriesOf(m).set_metric("\xff"); }, "not UTF-8");
    row("label without name", [](auto &m) { seriesOf(m).add_labels()->set_value("v"); }, "label.name: empty");
    row("label is no UTF-8", [](auto &m) { auto &l = *seriesOf(m).add_labels(); l.set_name("n"); l.set_value("\xc0\x80"); }, "label.value: not UTF-8");
    row("too many labels", [](auto &m) { auto &s = seriesOf(m); for (int i = 0; i < 65; ++i) s.add_labels()->set_name("n"); }, "65 of them, the limit is 64");
    row("factor not finite", [](auto &m) { seriesOf(m).set_source_factor(std::numeric_limits<double>::quiet_NaN()); }, "source_factor");
    row("group too long", [](auto &m) { seriesOf(m).set_group(std::string(600, 'g')); }, "series.group");
    row("event text too long", [](auto &m) { m.mutable_frame()->set_sequence(1); m.mutable_frame()->mutable_event()->set_text(std::string(17'000, 't')); }, "event.text");
    row("event time", [](auto &m) { m.mutable_frame()->set_sequence(1); m.mutable_frame()->mutable_event()->set_time_unix_nano(-7); }, "event.time_unix_nano");
    row("bytes beyond a signed number", [](auto &m) { stepOf(m).set_peak_bytes(~0ULL); }, "step.peak_bytes");
    row("duration beyond a signed number", [](auto &m) { stepOf(m).set_duration_nano(1ULL << 63U); }, "step.duration_nano");
    row("step beyond a signed number", [](auto &m) { stepOf(m).set_step(~0ULL); }, "step.step");
    row("lost backwards", [](auto &m) { m.mutable_lost()->set_first_sequence(5); m.mutable_lost()->set_last_sequence(4); }, "lost");
    row("lost from 0", [](auto &m) { m.mutable_lost()->set_last_sequence(4); }, "lost.first_sequence");
    row("heartbeat time", [](auto &m) { m.mutable_heartbeat()->set_wall_unix_nano(std::numeric_limits<std::int64_t>::min()); }, "heartbeat.wall_unix_nano");
    row("too many sources", [](auto &m) { for (int i = 0; i < 1001; ++i) m.mutable_heartbeat()->add_sources(); }, "sources");
}

void TestToModel::refusesWhatLies()
{
    QFETCH(Spoil, spoil);
    QFETCH(QString, words);
    v1::WatchMessage message;
    message.set_epoch(9);
    spoil(message);
    const auto watched = wire::toModel(message);
    QVERIFY(!watched);
    QVERIFY2(QString::fromStdString(watched.error().detail).contains(words), watched.error().detail.c_str());
}

void TestToModel::refusesABadHello_data()
{
    QTest::addColumn<SpoilHello>("spoil");
    QTest::addColumn<QString>("words");
    const auto row = [](const char *name, SpoilHello spoil, const char *words) {
        QTest::newRow(name) << spoil << QString::fromLatin1(words);
    };
    row("no identity", [](auto &r) { r.set_agent_id(""); }, "hello.agent_id: empty");
    row("no epoch", [](auto &r) { r.set_epoch(0); }, "epoch");
    row("host too long", [](auto &r) { r.set_host_name(std::string(600, 'h')); }, "hello.host_name");
    row("host is no UTF-8", [](auto &r) { r.set_host_name("\xfe"); }, "hello.host_name: not UTF-8");
    row("clock", [](auto &r) { r.set_wall_unix_nano(-1); }, "hello.wall_unix_nano");
    row("monotonic clock", [](auto &r) { r.set_monotonic_nano(-1); }, "hello.monotonic_nano");
    row("newest before oldest", [](auto &r) { r.set_oldest_sequence(9); r.set_newest_sequence(8); }, "hello.newest_sequence");
    row("capabilities", [](auto &r) { for (int i = 0; i < 101; ++i) r.add_capabilities("c"); }, "hello.capabilities");
    row("source without measure", [](auto &r) { r.add_sources()->set_problem(std::string(20'000, 'p')); }, "source.problem");
}

void TestToModel::refusesABadHello()
{
    QFETCH(SpoilHello, spoil);
    QFETCH(QString, words);
    v1::HelloReply reply;
    wire::toProto(RandomModel(7).hello(), reply);
    QVERIFY(wire::toModel(reply));
    spoil(reply);
    const auto hello = wire::toModel(reply);
    QVERIFY(!hello);
    QVERIFY2(QString::fromStdString(hello.error().detail).contains(words), hello.error().detail.c_str());
}

void TestToModel::takesWhatIsRight()
{
    v1::WatchMessage message;
    message.set_epoch(9);
    batchOf(message);
    const auto watched = wire::toModel(message);
    QVERIFY(watched);
    const auto &block = std::get<SampleBlock>(std::get<Frame>(watched->body).body);
    QCOMPARE(block.rows(), 3U);
    QCOMPARE(block.columns, (std::vector<std::uint32_t>{4, 2}));
    QCOMPARE(toUnixNanos(block.times[2]), 1'700'000'000'000'000'020);
    QCOMPARE(block.values, (std::vector<double>{0, 1, 2, 3, 4, 5}));

    v1::WatchMessage definitions;
    definitions.set_epoch(9);
    seriesOf(definitions);
    const auto defined = wire::toModel(definitions);
    QVERIFY(defined);
    const auto &info = std::get<std::vector<SeriesDefinition>>(defined->body).front().info;
    QCOMPARE(info.source.factor, 1.0); // absent
    QCOMPARE(info.interval, Duration(std::chrono::seconds(1)));
}

void TestToModel::readsOnlyTheVersionOfAnotherMajor()
{
    v1::HelloReply reply;
    reply.mutable_version()->set_major(7);
    reply.mutable_version()->set_minor(2);
    reply.set_agent("agent \u202e of the future");
    const auto hello = wire::toModel(reply); // without identity and epoch: those may have moved
    QVERIFY(hello);
    QVERIFY(hello->version == (wire::ProtocolVersion{7, 2}));
    QCOMPARE(hello->agent, std::string("agent \\u202e of the future"));
}

void TestToModel::unknownEnumsAreUnknown()
{
    v1::WatchMessage message;
    message.set_epoch(1);
    seriesOf(message).set_kind(static_cast<v1::MetricKind>(99));
    const auto defined = wire::toModel(message);
    QVERIFY(defined);
    QVERIFY(std::get<std::vector<SeriesDefinition>>(defined->body).front().info.kind == MetricKind::Unknown);
    for (const int kind : {-1, 17, 18, 99, 1'000'000}) {
        message.mutable_frame()->set_sequence(1);
        message.mutable_frame()->mutable_event()->set_kind(static_cast<v1::EventKind>(kind));
        const auto watched = wire::toModel(message);
        QVERIFY(watched);
        QVERIFY(std::get<Event>(std::get<Frame>(watched->body).body).kind == EventKind::Unknown);
    }
}

void TestToModel::unknownBodiesArePassedOver()
{
    v1::WatchMessage message;
    message.set_epoch(1);
    const auto watched = wire::toModel(message);
    QVERIFY(watched);
    QVERIFY(std::holds_alternative<std::monostate>(watched->body));
    message.mutable_frame()->set_sequence(5);
    const auto frame = wire::toModel(message);
    QVERIFY(frame);
    QVERIFY(std::get<Frame>(frame->body) == (Frame{5, SampleBlock{}}));
}

void TestToModel::randomDamageNeverCrashes()
{
    const std::uint32_t seed = std::random_device{}();
    qInfo("seed %u", seed);
    const google::protobuf::LogSilencer silence; // protobuf tells of every damaged text
    RandomModel random(seed);
    int taken = 0;
    for (int i = 0; i < 3000; ++i) {
        v1::WatchMessage message;
        wire::toProto(random.number(1, 9), random.frame(), message);
        std::string bytes = message.SerializeAsString();
        for (auto left = random.number(1, 4); left > 0 && !bytes.empty(); --left)
            bytes[random.number(0, bytes.size() - 1)] = static_cast<char>(random.number(0, 255));
        v1::WatchMessage damaged;
        if (!damaged.ParseFromString(bytes))
            continue;
        const auto watched = wire::toModel(damaged);
        if (!watched) {
            QVERIFY(!watched.error().detail.empty());
            continue;
        }
        ++taken;
        if (const auto *frame = std::get_if<Frame>(&watched->body))
            if (const auto *block = std::get_if<SampleBlock>(&frame->body))
                QCOMPARE(block->values.size(), block->rows() * block->columns.size());
    }
    QVERIFY(taken > 0);
}

QTEST_APPLESS_MAIN(TestToModel)
#include "tst_to_model.moc"
