// SPDX-License-Identifier: GPL-3.0-or-later
// Agent and desktop side are killed with SIGKILL again and again, at random moments. Within the spool
// no sample is lost and none is doubled: compared sequence by sequence and sample by sample with what
// the spool itself holds at the end, and with an observer that was there all the time.
#include "support/flow.h"

#include <bit>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <tuple>

using namespace plimsoll;
using namespace plimsoll::flow;
using namespace std::chrono_literals;

namespace {

/// The desktop side as a process of its own: history and channel until its input ends.
int collect(const char *file, const char *address)
{
    const Desktop desktop(file, {"agent", address, false});
    std::puts("collecting");
    std::fflush(stdout);
    while (std::getchar() != EOF) { }
    return 0;
}

/// Keeps every frame of one agent in memory, by its sequence number.
class Observer
{
public:
    explicit Observer(const EndpointConfig &endpoint)
    {
        ChannelOptions options;
        options.endpoint = endpoint;
        options.firstBackoff = 50ms;
        options.longestBackoff = 400ms;
        m_thread = std::jthread([this](const std::stop_token &stop) {
            while (!stop.stop_requested())
                take(std::chrono::steady_clock::now() + 20ms, stop);
        });
        m_channel = std::make_unique<Channel>(
            options, m_inbox, [this](const std::string &) { return resumePoint(); }, [](const ConnectionState &) {});
    }
    ~Observer() { m_channel.reset(); }

    struct Seen
    {
        std::map<std::uint64_t, Frame> frames;
        std::map<std::uint32_t, SeriesInfo> series;
        std::set<std::uint64_t> epochs;
        std::string agent;
        std::size_t lost = 0;
        std::size_t contradictions = 0; // one number, two contents
    };
    [[nodiscard]] Seen seen() const
    {
        const std::lock_guard lock(m_mutex);
        return m_seen;
    }

private:
    void take(std::chrono::steady_clock::time_point deadline, const std::stop_token &stop)
    {
        for (Delivery &delivery : m_inbox.takeUntil(deadline, stop)) {
            const std::lock_guard lock(m_mutex);
            if (!delivery.agent.empty())
                m_seen.agent = delivery.agent;
            m_seen.lost += delivery.lost.size();
            if (!delivery.frames.empty())
                m_seen.epochs.insert(delivery.epoch);
            for (SeriesDefinition &definition : delivery.definitions)
                m_seen.series[definition.id] = std::move(definition.info);
            for (Frame &frame : delivery.frames) {
                const auto [at, isNew] = m_seen.frames.try_emplace(frame.sequence, frame);
                m_seen.contradictions += !isNew && !(at->second == frame) ? 1 : 0;
            }
        }
    }
    [[nodiscard]] ResumePoint resumePoint() const
    {
        const std::lock_guard lock(m_mutex);
        if (m_seen.frames.empty())
            return {};
        return {*m_seen.epochs.rbegin(), m_seen.frames.rbegin()->first + 1};
    }

    Mailbox<Delivery> m_inbox{std::size_t{64} << 20U};
    mutable std::mutex m_mutex;
    Seen m_seen;
    std::jthread m_thread;
    std::unique_ptr<Channel> m_channel;
};

/// Equal bit for bit: a NaN that a source sent is a value like any other.
bool isSame(const std::vector<TimedValue> &a, const std::vector<TimedValue> &b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TimedValue &x, const TimedValue &y) {
        return x.time == y.time && std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
    });
}

using PlainEvent = std::tuple<Instant, EventKind, Labels, std::string>;

/// What a history must hold when it has committed all before `next`.
struct Expected
{
    std::map<SeriesKey, std::vector<TimedValue>> samples;
    std::multiset<PlainEvent> events;
    std::size_t count = 0;
};

Expected expectedOf(const Observer::Seen &truth, std::uint64_t next)
{
    Expected expected;
    for (const auto &[sequence, frame] : truth.frames) {
        if (sequence >= next)
            break;
        if (const auto *const event = std::get_if<Event>(&frame.body))
            expected.events.insert({event->time, event->kind, event->labels, event->text});
        const auto *const block = std::get_if<SampleBlock>(&frame.body);
        if (block == nullptr)
            continue;
        for (std::size_t column = 0; column < block->columns.size(); ++column) {
            auto &samples = expected.samples[truth.series.at(block->columns[column]).key];
            for (std::size_t row = 0; row < block->rows(); ++row) {
                const double value = block->values[column * block->rows() + row];
                if (!isAbsent(value)) {
                    samples.push_back({block->times[row], value});
                    ++expected.count;
                }
            }
        }
    }
    for (auto &[key, samples] : expected.samples)
        std::stable_sort(samples.begin(), samples.end(), [](const auto &a, const auto &b) { return a.time < b.time; });
    return expected;
}

} // namespace

class TestRestarts : public QObject
{
    Q_OBJECT

private slots:
    void killedAtRandomMoments();
};

void TestRestarts::killedAtRandomMoments()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("history.sqlite"));
    AgentProgram agent(folder.path());
    const QStringList fast{QStringLiteral("--interval"), QStringLiteral("100ms")};
    const auto address = QString::fromStdString(agent.endpoint().address);
    Program collector;
    const auto startCollector = [&] {
        return !collector.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--collect"), file, address}, "collecting").empty();
    };
    QVERIFY(agent.start(fast));
    auto watcher = std::make_unique<Observer>(agent.endpoint());
    QVERIFY(startCollector());

    auto environment = QProcessEnvironment::systemEnvironment();
    int agentKills = 0;
    int collectorKills = 0;
    for (int round = 0; round < 12; ++round) {
        QTest::qWait(static_cast<int>(random() % 900) + 100);
        // A short job now and then, so that events and new series are on the way too.
        environment.insert(QStringLiteral("PLIMSOLL_JOB_ID"), QStringLiteral("short-%1").arg(round));
        QProcess job;
        job.setProcessEnvironment(environment);
        job.start(QStringLiteral("/bin/sleep"), {QStringLiteral("0.7")});
        QTest::qWait(static_cast<int>(random() % 400));
        const auto who = random() % 3; // one, the other, both
        if (who != 1) {
            agent.kill9();
            ++agentKills;
        }
        if (who != 0) {
            collector.kill9();
            ++collectorKills;
        }
        QTest::qWait(static_cast<int>(random() % 300));
        if (who != 1)
            QVERIFY(agent.start(fast));
        if (who != 0)
            QVERIFY(startCollector());
        job.waitForFinished();
    }
    qInfo("killed the agent %d times, the desktop side %d times", agentKills, collectorKills);
    QTest::qWait(3000); // the back-off of the last start, and some live samples
    collector.process()->closeWriteChannel();
    QVERIFY(collector.process()->waitForFinished(10'000));

    // The truth: all that the spool holds, read by somebody who was never there.
    Observer late(agent.endpoint());
    const std::uint64_t newest = watcher->seen().frames.rbegin()->first;
    QTRY_VERIFY_WITH_TIMEOUT(!late.seen().frames.empty() && late.seen().frames.rbegin()->first >= newest, 20'000);
    const Observer::Seen truth = late.seen();
    const Observer::Seen watched = watcher->seen();
    watcher.reset();
    QCOMPARE(truth.epochs.size(), 1U);
    QCOMPARE(truth.frames.begin()->first, 1U);
    QCOMPARE(truth.frames.rbegin()->first, static_cast<std::uint64_t>(truth.frames.size())); // dense
    QCOMPARE(truth.lost + watched.lost, 0U);
    QCOMPARE(truth.contradictions + watched.contradictions, 0U);

    // The observer saw the very same, number by number.
    QCOMPARE(watched.epochs, truth.epochs);
    std::uint64_t sequence = 0;
    for (const auto &[number, frame] : watched.frames) {
        QCOMPARE(number, ++sequence);
        const auto same = truth.frames.find(number);
        if (same != truth.frames.end())
            QVERIFY2(same->second == frame, qPrintable(QStringLiteral("sequence %1").arg(number)));
    }

    // And so does the history, sample by sample.
    HistoryOptions options;
    options.file = file.toStdString();
    auto opened = History::open(options);
    QVERIFY2(opened, opened ? "" : opened.error().detail.c_str());
    const History &history = **opened;
    const ResumePoint resume = history.resumePoint(truth.agent);
    QCOMPARE(resume.epoch, *truth.epochs.begin());
    QVERIFY(resume.nextSequence > 50);
    const Expected expected = expectedOf(truth, resume.nextSequence);
    std::map<SeriesKey, SeriesId> known;
    for (const SeriesEntry &entry : history.latest()) {
        QVERIFY2(known.emplace(entry.info.key, entry.id).second, "a series is there twice");
    }
    for (const auto &[key, samples] : expected.samples) {
        const std::string name = key.metric + "{" + key.labels.encode() + "}";
        if (samples.empty())
            continue;
        QVERIFY2(known.contains(key), name.c_str());
        const std::vector<TimedValue> kept = samplesOf(history, known.at(key));
        QVERIFY2(isSame(kept, samples), qPrintable(QStringLiteral("%1: %2 kept of %3")
                                                       .arg(QString::fromStdString(name)).arg(kept.size()).arg(samples.size())));
    }
    qInfo("%zu samples of %zu series and %zu events are there, each once", expected.count, expected.samples.size(),
          expected.events.size());
    const auto events = history.events({Instant{}, systemClock().now() + 1h}, 1'000'000, {});
    QVERIFY(events);
    std::multiset<PlainEvent> kept;
    for (const Event &event : *events) {
        if (event.kind != EventKind::AgentAway && event.kind != EventKind::AgentBack) // the desktop's own notes
            kept.insert({event.time, event.kind, event.labels, event.text});
    }
    QCOMPARE(kept.size(), expected.events.size());
    QVERIFY(kept == expected.events);
}

int main(int argc, char **argv)
{
    if (argc == 4 && std::string_view(argv[1]) == "--collect")
        return collect(argv[2], argv[3]);
    QCoreApplication application(argc, argv);
    TestRestarts test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_restarts.moc"
