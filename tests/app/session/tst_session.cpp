// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/session.h"
#include "session/session_text.h"
#include "session/settings.h"
#include "session/slice_service.h"
#include "session/time_context.h"
#include "support/test_feeder.h"

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

/// "MemTotal" of this machine, in bytes.
Bytes memTotal()
{
    std::ifstream file("/proc/meminfo");
    std::string word;
    std::int64_t kib = 0;
    while (file >> word) {
        if (word == "MemTotal:" && file >> kib)
            return Bytes{kib * kKiB};
    }
    return {};
}

const DeviceState *hostOf(const Fleet &fleet)
{
    for (const NodeState &node : fleet.nodes) {
        for (const DeviceState &device : node.devices) {
            if (device.kind == DeviceKind::Host && device.used)
                return &device;
        }
    }
    return nullptr;
}

std::size_t countOf(const char *folder)
{
    std::size_t count = 0;
    for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder))
        ++count;
    return count;
}

} // namespace

class TestSession : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void showsThisMachineSoon();
    void publishesFewAndTrueValues();
    void chartsGetWhatTheAgentSays();
    void lockedHistoryIsReplacedForNow();
    void damagedHistoryIsSetAside();
    void unusableFolderIsSaid();
    void secondWindowHasAnAgentToo();
    void endpointsComeAndGo();
    void testTellsWhatIsWrong();
    void travelShowsTheFleetOfThen();
    void withoutAgentNothingIsInvented();
    void startingAndEndingLeavesNothing();
    void endingBeforeStartedIsFine();
    void sentencesAreSafeAndWhole_data();
    void sentencesAreSafeAndWhole();

private:
    [[nodiscard]] SessionOptions options(bool hostAgent = true) const
    {
        SessionOptions options;
        options.historyFile = m_folder->filePath(QStringLiteral("h/history.sqlite")).toStdString();
        options.hostAgent = hostAgent;
        return options;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSession::initTestCase()
{
    // Nothing here may touch what the person running this has stored.
    static const QTemporaryDir home;
    qputenv("XDG_CACHE_HOME", home.filePath(QStringLiteral("cache")).toUtf8());
    qputenv("XDG_CONFIG_HOME", home.filePath(QStringLiteral("config")).toUtf8());
    qputenv("XDG_RUNTIME_DIR", home.path().toUtf8());
}

void TestSession::showsThisMachineSoon()
{
    QElapsedTimer sinceStart;
    Session session(options());
    QSignalSpy started(&session, &Session::started);
    QSignalSpy failed(&session, &Session::failed);
    QVERIFY(session.slices() == nullptr);
    QVERIFY(session.fleet());
    QVERIFY(session.series());
    sinceStart.start();
    session.start();
    QVERIFY2(sinceStart.elapsed() < 100, "start() waits for something");
    QTRY_VERIFY_WITH_TIMEOUT(hostOf(*session.fleet()) != nullptr, 3000);
    qInfo("first value after %lld ms", static_cast<long long>(sinceStart.elapsed()));

    const auto fleet = session.fleet();
    const DeviceState &host = *hostOf(*fleet);
    QCOMPARE(host.capacity, std::optional(memTotal()));
    QVERIFY(host.used->value > 0 && host.used < host.capacity);
    QCOMPARE(fleet->nodes.front().freshness, Freshness::Live);
    QCOMPARE(started.size(), 1);
    QVERIFY(session.slices() != nullptr);
    QCOMPARE(session.connections().size(), 1U);
    QVERIFY(session.connections().front().endpoint.isEmbedded);
    QCOMPARE(session.connections().front().endpoint.name, embeddedTitle().toStdString());
    QTRY_COMPARE(session.connections().front().phase, ConnectionPhase::Live);
    QTRY_COMPARE(session.status().live, 1);
    QCOMPARE(session.title().toStdString(), session.connections().front().hostName);
    QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed.front().front().toString()));
}

void TestSession::publishesFewAndTrueValues()
{
    Session session(options());
    QSignalSpy fleets(&session, &Session::fleetChanged);
    QSignalSpy committed(&session, &Session::dataCommitted);
    QSignalSpy series(&session, &Session::seriesChanged);
    session.start();
    QTRY_VERIFY_WITH_TIMEOUT(hostOf(*session.fleet()) != nullptr, 10'000);
    QTRY_VERIFY(committed.size() > 0);
    fleets.clear();
    committed.clear();
    series.clear();
    QElapsedTimer watch;
    watch.start();
    QTRY_VERIFY_WITH_TIMEOUT(committed.size() >= 4, 10'000);
    const double seconds = static_cast<double>(watch.elapsed()) / 1000;
    QVERIFY2(static_cast<double>(fleets.size()) <= 10 * seconds + 1, qPrintable(QString::number(fleets.size())));
    QVERIFY(fleets.size() >= 2);
    QVERIFY(series.size() <= 2); // a process may come, the values alone are no new set
    QTRY_VERIFY(session.status().history.samples > 0);
    QTRY_VERIFY(session.status().samplesPerSecond > 0);
    QCOMPARE(session.status().dropped, 0U);
    QVERIFY(session.extent());
    QVERIFY(session.extent()->begin <= session.extent()->end);
    QVERIFY(std::any_of(session.recentEvents().begin(), session.recentEvents().end(),
                        [](const Event &e) { return e.kind == EventKind::AgentStarted; }));
}

void TestSession::chartsGetWhatTheAgentSays()
{
    Session session(options());
    session.start();
    QTRY_VERIFY_WITH_TIMEOUT(hostOf(*session.fleet()) != nullptr, 10'000);
    const SeriesId available = hostOf(*session.fleet())->availableSeries;
    SliceFeed *const feed = session.slices()->createFeed(&session);
    std::vector<double> last;
    connect(&session, &Session::dataCommitted, feed, [&] { feed->ask({{available}, session.time()->visibleRange(), 600, true}); });
    connect(feed, &SliceFeed::answered, feed, [&](const std::shared_ptr<const SliceAnswer> &answer) {
        if (!answer->slices.front().buckets.empty())
            last.push_back(answer->slices.front().buckets.back().last);
    });
    QTRY_VERIFY_WITH_TIMEOUT(last.size() >= 3, 10'000);
    QVERIFY(last.back() > 0 && last.back() < static_cast<double>(memTotal().value));
}

void TestSession::lockedHistoryIsReplacedForNow()
{
    Session first(options(false));
    QSignalSpy firstStarted(&first, &Session::started);
    first.start();
    QVERIFY(firstStarted.wait(5000));

    Session second(options());
    QSignalSpy failed(&second, &Session::failed);
    second.start();
    QTRY_VERIFY_WITH_TIMEOUT(hostOf(*second.fleet()) != nullptr, 10'000);
    QCOMPARE(failed.size(), 1);
    const QString sentence = failed.front().front().toString();
    QVERIFY2(sentence.startsWith(QStringLiteral("Another program is using the history")), qPrintable(sentence));
    QVERIFY2(sentence.contains(QStringLiteral("history.sqlite")), qPrintable(sentence));
}

void TestSession::damagedHistoryIsSetAside()
{
    const auto wanted = options();
    std::filesystem::create_directories(wanted.historyFile.parent_path());
    std::ofstream(wanted.historyFile) << std::string(100'000, 'x');
    Session session(wanted);
    QSignalSpy failed(&session, &Session::failed);
    session.start();
    QTRY_VERIFY_WITH_TIMEOUT(hostOf(*session.fleet()) != nullptr, 10'000);
    QCOMPARE(failed.size(), 1);
    QVERIFY(failed.front().front().toString().startsWith(QStringLiteral("The history was damaged and has been put aside")));
    // Nothing was deleted: the damaged one lies beside.
    std::uintmax_t aside = 0;
    for (const auto &entry : std::filesystem::directory_iterator(wanted.historyFile.parent_path())) {
        std::ifstream file(entry.path());
        std::string begin(10, ' ');
        if (file.read(begin.data(), 10) && begin == "xxxxxxxxxx")
            aside = entry.file_size();
    }
    QCOMPARE(aside, std::uintmax_t{100'000});
}

void TestSession::unusableFolderIsSaid()
{
    auto wanted = options();
    wanted.historyFile = "/proc/no-folder-of-ours/history.sqlite";
    Session session(wanted);
    QSignalSpy failed(&session, &Session::failed);
    session.start();
    QTRY_VERIFY_WITH_TIMEOUT(hostOf(*session.fleet()) != nullptr, 10'000);
    QVERIFY(failed.size() >= 1);
    QVERIFY2(failed.front().front().toString().startsWith(QStringLiteral("The history cannot be opened")),
             qPrintable(failed.front().front().toString()));
}

void TestSession::secondWindowHasAnAgentToo()
{
    // Two windows with histories of their own on one machine: two sockets, no quarrel.
    Session first(options());
    auto other = options();
    other.historyFile = m_folder->filePath(QStringLiteral("other/history.sqlite")).toStdString();
    Session second(other);
    QSignalSpy failed(&second, &Session::failed);
    first.start();
    second.start();
    QTRY_VERIFY_WITH_TIMEOUT(hostOf(*first.fleet()) != nullptr && hostOf(*second.fleet()) != nullptr, 10'000);
    QVERIFY(first.connections().front().endpoint.address != second.connections().front().endpoint.address);
    QCOMPARE(failed.size(), 0);
}

void TestSession::endpointsComeAndGo()
{
    Settings settings(m_folder->filePath(QStringLiteral("p.ini")).toStdString());
    // The embedded agent of one session is the remote one of another.
    auto hosted = options();
    hosted.historyFile = m_folder->filePath(QStringLiteral("host/history.sqlite")).toStdString();
    Session host(hosted);
    host.start();
    QTRY_VERIFY_WITH_TIMEOUT(hostOf(*host.fleet()) != nullptr, 10'000);
    const std::string address = host.connections().front().endpoint.address;

    auto wanted = options(false);
    wanted.settings = &settings;
    Session session(wanted);
    QSignalSpy changed(&session, &Session::connectionsChanged);
    session.start();
    session.addEndpoint({"lab", address, false});
    session.addEndpoint({"nobody", "unix:" + m_folder->filePath(QStringLiteral("nobody.sock")).toStdString(), false});
    QTRY_COMPARE(session.connections().size(), 2U);
    QTRY_COMPARE(session.connections()[0].phase, ConnectionPhase::Live);
    QTRY_COMPARE(session.connections()[1].phase, ConnectionPhase::Unreachable);
    QVERIFY(!session.connections()[1].problem.empty());
    QVERIFY(changed.size() > 0);
    QTRY_VERIFY_WITH_TIMEOUT(hostOf(*session.fleet()) != nullptr, 10'000); // one that is away stops nobody
    QTRY_COMPARE(session.status().unreachable, 1);
    QCOMPARE(settings.endpoints().size(), 2U);

    session.addEndpoint({"lab 2", address, false}); // known: only its name
    QTRY_COMPARE(session.connections()[0].endpoint.name, std::string("lab 2"));
    QCOMPARE(session.connections().size(), 2U);
    session.retryNow(session.connections()[1].endpoint.address);
    session.removeEndpoint(session.connections()[1].endpoint.address);
    QTRY_COMPARE(session.connections().size(), 1U);
    QCOMPARE(settings.endpoints(), (std::vector<EndpointConfig>{{"lab 2", address, false}}));
    session.removeEndpoint(address);
    QTRY_COMPARE(session.connections().size(), 0U);
    QVERIFY(settings.endpoints().empty());
    QVERIFY(!session.fleet()->nodes.empty()); // what was seen stays in the history
}

void TestSession::testTellsWhatIsWrong()
{
    Session session(options());
    session.start();
    QTRY_VERIFY_WITH_TIMEOUT(hostOf(*session.fleet()) != nullptr, 10'000);
    QSignalSpy finished(&session, &Session::testFinished);
    const auto run = [&](const EndpointConfig &endpoint) {
        finished.clear();
        session.testEndpoint(endpoint);
        if (!finished.wait(10'000))
            return std::vector<ConnectionCheck>{};
        return finished.front()[1].value<std::vector<ConnectionCheck>>();
    };
    const auto good = run(session.connections().front().endpoint);
    QVERIFY(!good.empty());
    for (const ConnectionCheck &check : good)
        QVERIFY2(check.outcome == ConnectionCheck::Outcome::Passed, check.name.c_str());
    const auto bad = run({{}, "unix:/nowhere/agent.sock", false});
    QVERIFY(std::any_of(bad.begin(), bad.end(), [](const auto &c) { return c.outcome == ConnectionCheck::Outcome::Failed && !c.fix.empty(); }));
}

void TestSession::travelShowsTheFleetOfThen()
{
    const auto wanted = options(false);
    const Instant then = systemClock().now() - 30min;
    {
        std::filesystem::create_directories(wanted.historyFile.parent_path());
        HistoryOptions file;
        file.file = wanted.historyFile;
        auto history = History::open(file);
        QVERIFY(history);
        test::Feeder feeder(**history, "a1", {std::string(metric::kHostLimit), std::string(metric::kHostAvailable)});
        feeder.samples(then - 100s, 101, 500);                  // ends at `then`: 600, 1600
        feeder.samples(systemClock().now() - 10s, 10, 100'000); // and now
        (*history)->flush();
    }
    Session session(wanted);
    session.start();
    QTRY_VERIFY(!session.fleet()->nodes.empty());
    const auto now = session.fleet();
    QVERIFY(now->nodes.at(0).devices.at(0).capacity > Bytes{100'000});

    session.time()->travelTo(then);
    QTRY_VERIFY(session.fleet() != now);
    QCOMPARE(session.fleet()->at, then);
    QCOMPARE(session.fleet()->nodes.at(0).freshness, Freshness::Live);
    QCOMPARE(session.fleet()->nodes[0].devices.at(0).capacity, std::optional(Bytes{600}));
    // The live picture goes on behind it and is back at once.
    session.time()->travelTo(then - 1h);
    QTRY_VERIFY(session.fleet()->nodes.empty());
    session.time()->returnFromTravel();
    QVERIFY(session.fleet()->nodes.at(0).devices.at(0).capacity > Bytes{100'000});
}

void TestSession::withoutAgentNothingIsInvented()
{
    Session session(options(false));
    QSignalSpy started(&session, &Session::started);
    session.start();
    QVERIFY(started.wait(5000));
    QTest::qWait(300); // several rounds of the engine
    QVERIFY(session.fleet()->nodes.empty());
    QVERIFY(session.fleet()->jobs.empty());
    QVERIFY(session.connections().empty());
    QVERIFY(!session.extent());
}

void TestSession::startingAndEndingLeavesNothing()
{
    const auto once = [this] {
        Session session(options());
        session.start();
        QTRY_VERIFY_WITH_TIMEOUT(hostOf(*session.fleet()) != nullptr, 10'000);
    };
    once(); // what libraries keep for good
    once();
    const std::size_t threads = countOf("/proc/self/task");
    const std::size_t files = countOf("/proc/self/fd");
    for (int i = 0; i < 10; ++i)
        once();
    // gRPC's own pool may be a thread more or less; ten leaks of ours would be ten.
    QTRY_VERIFY2(countOf("/proc/self/task") <= threads + 3, qPrintable(QString::number(countOf("/proc/self/task"))));
    QTRY_VERIFY2(countOf("/proc/self/fd") <= files + 3, qPrintable(QString::number(countOf("/proc/self/fd"))));
    for (const auto &entry : std::filesystem::directory_iterator(qgetenv("XDG_RUNTIME_DIR").toStdString()))
        QVERIFY2(!entry.path().filename().native().starts_with("plimsoll-"), entry.path().c_str());
}

void TestSession::endingBeforeStartedIsFine()
{
    for (int i = 0; i < 20; ++i) {
        Session session(options());
        session.start();
        if (i % 2 == 0)
            QTest::qWait(i);
    }
    const Session never(options());
    QVERIFY(never.fleet());
}

void TestSession::sentencesAreSafeAndWhole_data()
{
    QTest::addColumn<int>("kind");
    for (int kind = 0; kind <= int(SessionFailure::Kind::TravelFailed); ++kind)
        QTest::addRow("%d", kind) << kind;
}

void TestSession::sentencesAreSafeAndWhole()
{
    QFETCH(int, kind);
    const std::string hostile = "/tmp/\xe2\x80\xae\x1b[31m\xff%1%2 <b>" + std::string(10'000, 'x');
    const QString sentence = sentenceOf({static_cast<SessionFailure::Kind>(kind), hostile});
    QVERIFY(sentence.endsWith(QLatin1Char('.')));
    QVERIFY(sentence.size() < 700);
    for (const QChar c : sentence)
        QVERIFY(c.isPrint() && c.unicode() != 0x202e);
}

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
