// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/intake.h"

#include <QTest>

#include <map>
#include <random>
#include <set>

using namespace plimsoll;

namespace {

SeriesDefinition series(std::uint32_t id)
{
    SeriesDefinition made;
    made.id = id;
    made.info.key.metric = "m";
    return made;
}

Frame frame(std::uint64_t sequence, std::vector<std::uint32_t> columns = {1})
{
    SampleBlock block;
    block.times = {fromUnixNanos(static_cast<std::int64_t>(sequence))};
    block.values.assign(columns.size(), 1.0);
    block.columns = std::move(columns);
    return {sequence, std::move(block)};
}

Result<void> define(Intake &intake, std::uint64_t epoch, std::vector<std::uint32_t> ids)
{
    std::vector<SeriesDefinition> definitions;
    for (const auto id : ids)
        definitions.push_back(series(id));
    return intake.add({epoch, std::move(definitions)});
}

std::vector<Delivery> drain(Intake &intake)
{
    std::vector<Delivery> all;
    for (; !intake.isEmpty(); intake.popFront())
        all.push_back(std::move(intake.front()));
    return all;
}

std::vector<std::uint64_t> sequences(const std::vector<Delivery> &deliveries)
{
    std::vector<std::uint64_t> all;
    for (const auto &delivery : deliveries)
        for (const auto &each : delivery.frames)
            all.push_back(each.sequence);
    return all;
}

std::vector<LostFrames> losses(const std::vector<Delivery> &deliveries)
{
    std::vector<LostFrames> all;
    for (const auto &delivery : deliveries)
        all.insert(all.end(), delivery.lost.begin(), delivery.lost.end());
    return all;
}

} // namespace

class TestIntake : public QObject
{
    Q_OBJECT

private slots:
    void gathers();
    void beginsWhereANewAgentBegins();
    void dropsWhatItHas();
    void recordsJumps();
    void widensALossThatBeginsLate();
    void refusesUndefinedColumns();
    void forgetsDefinitionsWithTheEpoch();
    void separatesEpochs();
    void closesAFullDelivery();
    void boundsDefinitions();
    void countsTwiceDefinedOnce();
    void anyOrderKeepsTheBooks();
};

void TestIntake::gathers()
{
    Intake intake("a", {5, 1});
    QVERIFY(define(intake, 5, {1, 2}));
    QVERIFY(intake.add({5, frame(1, {1, 2})}));
    QVERIFY(intake.add({5, Frame{2, Event{}}}));
    QVERIFY(intake.add({5, Frame{3, SampleBlock{}}})); // of a kind that was not known
    QVERIFY(intake.pendingWeight() > 0);
    const auto all = drain(intake);
    QCOMPARE(all.size(), 1U);
    QCOMPARE(all[0].agent, std::string("a"));
    QCOMPARE(all[0].epoch, 5U);
    QCOMPARE(all[0].definitions.size(), 2U);
    QCOMPARE(sequences(all), (std::vector<std::uint64_t>{1, 2, 3}));
    QCOMPARE(intake.counts().samples, 2U);
    QCOMPARE(intake.counts().frames, 3U);
    QCOMPARE(intake.pendingWeight(), 0U);
    QVERIFY(intake.newest() == fromUnixNanos(1));
    QVERIFY(intake.next() == (ResumePoint{5, 4}));
}

void TestIntake::beginsWhereANewAgentBegins()
{
    Intake intake("a", {});
    QVERIFY(define(intake, 5, {1}));
    QVERIFY(intake.add({5, LostFrames{1, 99}})); // before we knew it
    QVERIFY(intake.add({5, frame(100)}));
    QVERIFY(losses(drain(intake)).empty());
    Intake other("a", {});
    QVERIFY(define(other, 5, {1}));
    QVERIFY(other.add({5, frame(70)}));
    QVERIFY(other.add({5, frame(72)}));
    const auto all = drain(other);
    QCOMPARE(losses(all), (std::vector<LostFrames>{{71, 71}}));
}

void TestIntake::dropsWhatItHas()
{
    Intake intake("a", {5, 10});
    QVERIFY(define(intake, 5, {1}));
    for (const std::uint64_t sequence : {1U, 9U, 10U, 10U, 11U, 3U})
        QVERIFY(intake.add({5, frame(sequence)}));
    QCOMPARE(sequences(drain(intake)), (std::vector<std::uint64_t>{10, 11}));
    QCOMPARE(intake.counts().duplicates, 4U);
}

void TestIntake::recordsJumps()
{
    Intake intake("a", {5, 1});
    QVERIFY(define(intake, 5, {1}));
    QVERIFY(intake.add({5, frame(4)}));
    QVERIFY(intake.add({5, LostFrames{5, 6}}));
    QVERIFY(intake.add({5, LostFrames{2, 3}})); // long known
    QVERIFY(intake.add({5, frame(7)}));
    const auto all = drain(intake);
    QCOMPARE(losses(all), (std::vector<LostFrames>{{1, 3}, {5, 6}}));
    QCOMPARE(intake.counts().lost, 5U);
}

void TestIntake::widensALossThatBeginsLate()
{
    Intake intake("a", {5, 3});
    QVERIFY(intake.add({5, LostFrames{6, 9}}));
    QCOMPARE(losses(drain(intake)), (std::vector<LostFrames>{{3, 9}}));
    QVERIFY(intake.next() == (ResumePoint{5, 10}));
}

void TestIntake::refusesUndefinedColumns()
{
    Intake intake("a", {5, 1});
    QVERIFY(define(intake, 5, {1, 3, 4'000'000'000U}));
    QVERIFY(intake.add({5, frame(1, {1, 3, 4'000'000'000U})}));
    for (const std::uint32_t id : {2U, 4U, 3'999'999'999U, 4'294'967'295U}) {
        const auto refused = intake.add({5, frame(2, {1, id})});
        QVERIFY(!refused);
        QVERIFY(refused.error().detail.find("series " + std::to_string(id)) != std::string::npos);
    }
    QCOMPARE(intake.next().nextSequence, 2U);
}

void TestIntake::forgetsDefinitionsWithTheEpoch()
{
    Intake intake("a", {5, 1});
    QVERIFY(define(intake, 5, {1}));
    QVERIFY(intake.add({5, frame(1)}));
    QVERIFY(!intake.add({6, frame(1)}));
}

void TestIntake::separatesEpochs()
{
    Intake intake("a", {5, 1});
    QVERIFY(define(intake, 5, {1}));
    QVERIFY(intake.add({5, frame(1)}));
    QVERIFY(define(intake, 6, {1}));
    QVERIFY(intake.add({6, frame(3)})); // of an agent that we knew: 1 and 2 are lost
    const auto all = drain(intake);
    QCOMPARE(all.size(), 2U);
    QCOMPARE(all[0].epoch, 5U);
    QCOMPARE(all[1].epoch, 6U);
    QCOMPARE(all[1].definitions.size(), 1U);
    QCOMPARE(losses(all), (std::vector<LostFrames>{{1, 2}}));
    QVERIFY(intake.next() == (ResumePoint{6, 4}));
}

void TestIntake::closesAFullDelivery()
{
    Intake intake("a", {5, 1});
    std::vector<std::uint32_t> columns(10'000);
    for (std::size_t i = 0; i < columns.size(); ++i)
        columns[i] = static_cast<std::uint32_t>(i + 1);
    QVERIFY(define(intake, 5, columns));
    for (std::uint64_t sequence = 1; sequence <= 100; ++sequence) // 12 MB
        QVERIFY(intake.add({5, frame(sequence, columns)}));
    std::size_t weight = 0;
    std::uint64_t next = 1;
    int deliveries = 0;
    const auto pending = intake.pendingWeight();
    for (; !intake.isEmpty(); intake.popFront(), ++deliveries) {
        QVERIFY(intake.frontWeight() < 2 * kFullDelivery);
        // What we charge is what the mailbox's own measure says, about.
        QVERIFY(intake.frontWeight() > intake.front().weight() / 2 && intake.frontWeight() < intake.front().weight() * 2);
        weight += intake.frontWeight();
        for (const auto &each : intake.front().frames)
            QCOMPARE(each.sequence, next++);
    }
    QVERIFY(deliveries > 5);
    QCOMPARE(weight, pending);
    QCOMPARE(next, 101U);
}

void TestIntake::boundsDefinitions()
{
    Intake intake("a", {5, 1}, 3);
    QVERIFY(define(intake, 5, {1, 7, 4'100'000'000U}));
    QVERIFY(define(intake, 5, {7, 4'100'000'000U})); // known: no more than before
    const auto refused = define(intake, 5, {4'000'000'000U});
    QVERIFY(!refused);
    QVERIFY(refused.error().code == Error::Code::TooLarge);
}

void TestIntake::countsTwiceDefinedOnce()
{
    Intake intake("a", {5, 1});
    for (int i = 0; i < 3; ++i)
        QVERIFY(define(intake, 5, {1, 1, 2}));
    QCOMPARE(drain(intake).front().definitions.size(), 9U); // the history decides what a repetition means
}

// Whatever order numbers come in: each is delivered once at most, and delivered + lost covers the rest.
void TestIntake::anyOrderKeepsTheBooks()
{
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    for (int run = 0; run < 200; ++run) {
        Intake intake("a", {1, 1});
        QVERIFY(define(intake, 1, {1}));
        std::uint64_t highest = 0;
        for (int i = 0; i < 100; ++i) {
            const std::uint64_t number = std::uniform_int_distribution<std::uint64_t>(1, highest + 4)(random);
            if (std::uniform_int_distribution<int>(0, 9)(random) == 0)
                QVERIFY(intake.add({1, LostFrames{number, number + 2}}));
            else
                QVERIFY(intake.add({1, frame(number)}));
            highest = intake.next().nextSequence - 1;
        }
        std::map<std::uint64_t, int> seen;
        const auto all = drain(intake);
        for (const auto number : sequences(all))
            ++seen[number];
        std::uint64_t lost = 0;
        for (const auto &[first, last] : losses(all))
            for (auto number = first; number <= last; ++number, ++lost)
                ++seen[number];
        QCOMPARE(lost, intake.counts().lost);
        QCOMPARE(seen.size(), static_cast<std::size_t>(highest));
        for (const auto &[number, times] : seen)
            QCOMPARE(times, 1);
    }
}

QTEST_APPLESS_MAIN(TestIntake)
#include "tst_intake.moc"
