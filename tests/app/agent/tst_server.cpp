// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_rig.h"

#include "agent/listen_address.h"
#include "agent/series_of.h"
#include "agent/server.h"
#include "support/sanitizer.h"

#include <QTest>

#include <grpcpp/grpcpp.h>
#include <plimsoll/v1/agent.grpc.pb.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <atomic>
#include <thread>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono_literals;

namespace {

class Rig
{
public:
    explicit Rig(SpoolOptions options = {}, std::string listen = {})
        : journal(std::move(*Spool::open(withId(std::move(options)))))
    {
        if (listen.empty())
            listen = "unix:" + (folder / "agent.sock").string();
        listenOn(listen);
    }
    static SpoolOptions withId(SpoolOptions options)
    {
        options.fallbackId = "id-of-a-test";
        return options;
    }
    void listenOn(const std::string &listen)
    {
        ServerFacts facts{"plimsoll-agent 9", "node1", {"procfs"}, 1s, [this] {
                              const std::lock_guard lock(mutex);
                              return sources;
                          }, {}};
        auto started = Server::start(*parseListenAddress(listen), journal, std::move(facts));
        if (!started)
            qFatal("%s", started.error().detail.c_str());
        server = std::move(*started);
        journal.setWake([this] { server->wake(); });
    }
    std::uint64_t tell(int number)
    {
        Readings readings;
        if (!slot)
            slot = journal.define(catalogued(metric::kHostLimit, Labels{{"host.name", "node1"}}, "host", 1s, {}));
        readings.add(slot, static_cast<double>(number));
        journal.publish(systemClock().now(), readings);
        return journal.bounds().newest;
    }
    [[nodiscard]] std::unique_ptr<v1::Agent::Stub> dial() const
    {
        grpc::ChannelArguments arguments;
        arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1); // a connection of its own
        return v1::Agent::NewStub(
            grpc::CreateCustomChannel(server->address(), grpc::InsecureChannelCredentials(), arguments));
    }

    Folder folder;
    std::mutex mutex;
    std::vector<SourceState> sources{{"procfs", true, "", 3, 0}};
    Journal journal;
    SeriesSlot slot;
    std::unique_ptr<Server> server;
};

/// One Watch or Backfill of a client that reads as fast as it can.
class Watcher
{
public:
    Watcher(v1::Agent::Stub &stub, std::uint64_t epoch, std::uint64_t after, std::uint32_t maxBytes = 0)
    {
        v1::WatchRequest request;
        request.mutable_version()->set_major(1);
        request.set_epoch(epoch);
        request.set_resume_after(after);
        request.set_max_message_bytes(maxBytes);
        read(stub.Watch(&m_context, request));
    }
    Watcher(v1::Agent::Stub &stub, const v1::BackfillRequest &request) { read(stub.Backfill(&m_context, request)); }
    ~Watcher()
    {
        m_context.TryCancel();
        m_thread.join();
    }
    Watcher(const Watcher &) = delete;
    Watcher &operator=(const Watcher &) = delete;

    [[nodiscard]] JournalContents contents() const
    {
        const std::lock_guard lock(m_mutex);
        return m_contents;
    }
    [[nodiscard]] std::size_t frames() const { return contents().frames.size(); }
    [[nodiscard]] std::vector<v1::Heartbeat> heartbeats() const
    {
        const std::lock_guard lock(m_mutex);
        return m_heartbeats;
    }
    [[nodiscard]] int definitions() const { return m_definitions; }
    [[nodiscard]] bool hasEnded() const { return m_hasEnded; }
    [[nodiscard]] grpc::Status status() const
    {
        const std::lock_guard lock(m_mutex);
        return m_status;
    }

private:
    void read(std::unique_ptr<grpc::ClientReader<v1::WatchMessage>> reader)
    {
        m_thread = std::thread([this, reader = std::move(reader)] {
            v1::WatchMessage message;
            while (reader->Read(&message)) {
                const std::lock_guard lock(m_mutex);
                if (message.has_heartbeat())
                    m_heartbeats.push_back(message.heartbeat());
                m_definitions += message.definitions().series_size();
                take(message.SerializeAsString(), m_contents);
            }
            const auto status = reader->Finish();
            const std::lock_guard lock(m_mutex);
            m_status = status;
            m_hasEnded = true;
        });
    }

    grpc::ClientContext m_context;
    mutable std::mutex m_mutex;
    JournalContents m_contents;
    std::vector<v1::Heartbeat> m_heartbeats;
    std::atomic<int> m_definitions = 0;
    std::atomic<bool> m_hasEnded = false;
    grpc::Status m_status;
    std::thread m_thread;
};

std::size_t openFiles()
{
    return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), {}));
}

std::size_t threads()
{
    return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/task"), {}));
}

std::size_t residentKib()
{
    std::ifstream file("/proc/self/statm");
    std::size_t size = 0;
    std::size_t resident = 0;
    file >> size >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

} // namespace

class TestServer : public QObject
{
    Q_OBJECT

private slots:
    void saysHello()
    {
        Rig rig;
        rig.tell(1);
        const auto stub = rig.dial();
        grpc::ClientContext context;
        v1::HelloRequest request;
        request.mutable_version()->set_major(1);
        request.mutable_version()->set_minor(99); // newer minor versions are fine
        v1::HelloReply reply;
        QVERIFY(stub->Hello(&context, request, &reply).ok());
        const auto hello = wire::toModel(reply);
        QVERIFY(hello);
        QCOMPARE(hello->hostName, std::string("node1"));
        QCOMPARE(hello->epoch, rig.journal.bounds().epoch);
        QCOMPARE(hello->oldestSequence, 1U);
        QCOMPARE(hello->newestSequence, 1U);
        QVERIFY(hello->interval == 1s);
        QVERIFY(hello->sources == rig.sources);
        QVERIFY(std::chrono::abs(hello->wall - systemClock().now()) < 10s);
    }

    void refusesAnotherMajorVersion()
    {
        Rig rig;
        const auto stub = rig.dial();
        for (const int major : {0, 2}) {
            grpc::ClientContext context;
            v1::HelloRequest request;
            request.mutable_version()->set_major(static_cast<std::uint32_t>(major));
            request.set_client("plimsoll 7.0\x01");
            v1::HelloReply reply;
            const auto status = stub->Hello(&context, request, &reply);
            QCOMPARE(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
            const auto &text = status.error_message();
            QVERIFY2(text.find(std::to_string(major) + ".0") != std::string::npos, text.c_str());
            QVERIFY2(text.find("1.0") != std::string::npos && text.find('\x01') == std::string::npos, text.c_str());
        }
        grpc::ClientContext context;
        v1::WatchRequest request;
        request.mutable_version()->set_major(2);
        auto reader = stub->Watch(&context, request);
        v1::WatchMessage message;
        QVERIFY(!reader->Read(&message));
        QCOMPARE(reader->Finish().error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    }

    void streamsWhatWasAndWhatComes()
    {
        Rig rig;
        for (int i = 1; i <= 5; ++i)
            rig.tell(i);
        const auto stub = rig.dial();
        Watcher watcher(*stub, 0, 0);
        QTRY_COMPARE(watcher.frames(), 5U);
        for (int i = 6; i <= 10; ++i)
            rig.tell(i);
        QTRY_COMPARE(watcher.frames(), 10U);
        const auto contents = watcher.contents();
        QVERIFY2(contents.faults.empty(), contents.faults.empty() ? "" : contents.faults.front().c_str());
        QVERIFY(contents.values(metric::kHostLimit) == (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
        QCOMPARE(watcher.definitions(), 1);
    }

    void resumes()
    {
        Rig rig;
        for (int i = 1; i <= 20; ++i)
            rig.tell(i);
        const auto epoch = rig.journal.bounds().epoch;
        const auto stub = rig.dial();
        Watcher watcher(*stub, epoch, 17);
        QTRY_COMPARE(watcher.frames(), 3U);
        QVERIFY(watcher.contents().faults.empty());
        QVERIFY(watcher.contents().values(metric::kHostLimit) == (std::vector<double>{18, 19, 20}));
        Watcher current(*stub, epoch, 20);
        rig.tell(21);
        QTRY_COMPARE(current.frames(), 1U);
        Watcher ahead(*stub, epoch, 999);
        QTRY_VERIFY(ahead.hasEnded());
        QCOMPARE(ahead.status().error_code(), grpc::StatusCode::OUT_OF_RANGE);
        Watcher ofOldEpoch(*stub, epoch + 1, 999);
        QTRY_COMPARE(ofOldEpoch.frames(), 21U);
        QVERIFY(ofOldEpoch.contents().lost.empty());
    }

    void saysWhatIsLostAndTellsSeriesOnce()
    {
        const Folder folder;
        SpoolOptions options;
        options.memoryLimit = Bytes{kMiB};
        Rig rig(options);
        const auto stub = rig.dial();
        Watcher steady(*stub, 0, 0);
        for (int i = 1; i <= 20'000; ++i) // over many pieces of the ring
            rig.tell(i);
        const auto bounds = rig.journal.bounds();
        QVERIFY(bounds.oldest > 1000);
        Watcher late(*stub, bounds.epoch, 10);
        QTRY_COMPARE(late.frames(), 20'000 - bounds.oldest + 1);
        QVERIFY(late.contents().lost == (std::vector<LostFrames>{{11, bounds.oldest - 1}}));
        QVERIFY(late.contents().faults.empty());
        QCOMPARE(late.definitions(), 1);
        Watcher fresh(*stub, 0, 0); // never had a claim to the older ones
        QTRY_COMPARE(fresh.frames(), 20'000 - bounds.oldest + 1);
        QVERIFY(fresh.contents().lost.empty());
        // Whoever watched all along has each number once, or knows that it is lost.
        QTRY_VERIFY(!steady.contents().frames.empty() && steady.contents().frames.back().sequence == 20'000U);
        std::uint64_t next = 1;
        const auto contents = steady.contents();
        std::size_t gap = 0;
        for (const auto &frame : contents.frames) {
            if (frame.sequence != next) {
                QVERIFY(contents.lost.at(gap) == (LostFrames{next, frame.sequence - 1}));
                ++gap;
            }
            next = frame.sequence + 1;
        }
        QCOMPARE(steady.definitions(), 1);
    }

    void fillsBack()
    {
        Rig rig;
        for (int i = 1; i <= 20; ++i)
            rig.tell(i);
        const auto stub = rig.dial();
        v1::BackfillRequest request;
        request.mutable_version()->set_major(1);
        request.set_epoch(rig.journal.bounds().epoch);
        request.set_first_sequence(5);
        request.set_last_sequence(8);
        {
            Watcher range(*stub, request);
            QTRY_VERIFY(range.hasEnded());
            QVERIFY(range.status().ok());
            QVERIFY(range.contents().faults.empty());
            QVERIFY(range.contents().values(metric::kHostLimit) == (std::vector<double>{5, 6, 7, 8}));
        }
        request.set_last_sequence(1000); // what has not happened is not waited for
        {
            Watcher range(*stub, request);
            QTRY_VERIFY(range.hasEnded());
            QVERIFY(range.status().ok());
            QCOMPARE(range.frames(), 16U);
        }
        struct Bad
        {
            std::uint64_t epoch, first, last;
            grpc::StatusCode code;
        };
        const auto epoch = rig.journal.bounds().epoch;
        for (const auto &bad : {Bad{epoch + 1, 1, 2, grpc::StatusCode::NOT_FOUND},
                                Bad{epoch, 0, 2, grpc::StatusCode::INVALID_ARGUMENT},
                                Bad{epoch, 3, 2, grpc::StatusCode::INVALID_ARGUMENT}}) {
            request.set_epoch(bad.epoch);
            request.set_first_sequence(bad.first);
            request.set_last_sequence(bad.last);
            Watcher range(*stub, request);
            QTRY_VERIFY(range.hasEnded());
            QCOMPARE(range.status().error_code(), bad.code);
        }
    }

    void sendsHeartbeats()
    {
        Rig rig;
        const auto stub = rig.dial();
        Watcher watcher(*stub, 0, 0);
        QTRY_VERIFY_WITH_TIMEOUT(!watcher.heartbeats().empty(), 6000); // it is silent
        QCOMPARE(watcher.heartbeats()[0].sources_size(), 1);
        const auto before = watcher.heartbeats().size();
        {
            const std::lock_guard lock(rig.mutex);
            rig.sources[0] = {"procfs", false, "It cannot be read.", 0, 0};
        }
        // A source that fails is told although the stream is not silent.
        QTRY_VERIFY_WITH_TIMEOUT((rig.tell(1), watcher.heartbeats().size() > before), 6000);
        QCOMPARE(watcher.heartbeats().back().sources(0).problem(), std::string("It cannot be read."));
    }

    void keepsToTheClientsLimit()
    {
        Rig rig;
        const auto stub = rig.dial();
        rig.journal.publish(Event{systemClock().now(), EventKind::Deploy, {}, std::string(10'000, 'x'), std::nullopt});
        Watcher watcher(*stub, 0, 0, 1000);
        QTRY_VERIFY(watcher.hasEnded());
        QCOMPARE(watcher.status().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
        QVERIFY(watcher.status().error_message().find("1000") != std::string::npos);
    }

    void refusesGarbage()
    {
        Rig rig;
        // Bytes that are no gRPC at all.
        const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const auto path = (rig.folder / "agent.sock").string();
        std::copy(path.begin(), path.end(), address.sun_path);
        QCOMPARE(::connect(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
        const std::string request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(1000, '\xff');
        QCOMPARE(::write(fd, request.data(), request.size()), static_cast<ssize_t>(request.size()));
        char answer[1024];
        while (::read(fd, answer, sizeof answer) > 0)
            ; // ends: it hangs up
        ::close(fd);
        const auto stub = rig.dial();
        rig.tell(1);
        Watcher watcher(*stub, 0, 0);
        QTRY_COMPARE(watcher.frames(), 1U);
    }

    // A client that does not read costs what the network holds, and nothing more.
    void isBoundedBySlowClients()
    {
        SpoolOptions options;
        options.memoryLimit = Bytes{2 * kMiB};
        Rig rig(options);
        const auto stub = rig.dial();
        std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
        std::vector<std::unique_ptr<grpc::ClientReader<v1::WatchMessage>>> readers;
        v1::WatchRequest request;
        request.mutable_version()->set_major(1);
        for (int i = 0; i < 20; ++i) {
            contexts.push_back(std::make_unique<grpc::ClientContext>());
            readers.push_back(stub->Watch(contexts.back().get(), request));
        }
        QTRY_COMPARE(rig.server->streams(), 20U);
        const std::string text(10'000, 'x');
        const auto publish = [&] {
            rig.journal.publish(Event{systemClock().now(), EventKind::Deploy, {}, text, std::nullopt});
        };
        // The first rounds fill the windows of HTTP/2 on both sides of this process, when its threads
        // get to it; a queue for each client would grow by 50 MB times twenty in every round.
        auto before = residentKib();
        auto growth = before;
        for (int round = 0; round < 10 && growth >= 8'000; ++round) {
            for (int i = 0; i < 5000; ++i)
                publish();
            const auto now = residentKib();
            growth = now > before ? now - before : 0;
            before = now;
        }
        QVERIFY2(growth < 8'000, std::to_string(growth).c_str());
        Watcher good(*stub, 0, 0);
        QTRY_VERIFY(good.frames() > 10);
        // And the server stops although they never read.
        const auto begin = std::chrono::steady_clock::now();
        rig.journal.setWake({});
        rig.server.reset();
        QVERIFY(std::chrono::steady_clock::now() - begin < 5s);
        for (std::size_t i = 0; i < readers.size(); ++i) {
            contexts[i]->TryCancel();
            v1::WatchMessage message;
            while (readers[i]->Read(&message))
                ;
            readers[i]->Finish();
        }
    }

    // Small frames fit into one read of the socket, large ones do not.
    void stopsAfterTheLastWord_data()
    {
        QTest::addColumn<int>("length");
        for (const int length : {10, 500, 2000})
            QTest::addRow("%d bytes a frame", length) << length;
    }

    void stopsAfterTheLastWord()
    {
        QFETCH(int, length);
        const std::string text(static_cast<std::size_t>(length), 'x');
        for (int round = 0; round < 10; ++round) {
            Rig rig;
            const auto stub = rig.dial();
            Watcher watcher(*stub, 0, 0);
            rig.tell(1);
            QTRY_COMPARE(watcher.frames(), 1U);
            for (int i = 2; i <= 100; ++i)
                rig.journal.publish(Event{systemClock().now(), EventKind::Deploy, {}, text, std::nullopt});
            rig.journal.setWake({});
            rig.server.reset();
            QTRY_VERIFY(watcher.hasEnded());
            QCOMPARE(watcher.frames(), 100U);
            QCOMPARE(watcher.status().error_code(), grpc::StatusCode::UNAVAILABLE);
            QCOMPARE(watcher.status().error_message(), std::string("The agent stops."));
            QVERIFY(!fs::exists(rig.folder / "agent.sock"));
        }
    }

    void keepsItsSocketToItself()
    {
        Rig rig;
        const auto path = rig.folder / "agent.sock";
        struct stat status{};
        QCOMPARE(::stat(path.c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777U, 0600U);
        // A second one is told; a stale one is replaced; another file is left alone.
        const auto second = makeWayForSocket(path);
        QVERIFY(!second && second.error().code == Error::Code::Busy);
        const auto stale = (rig.folder / "stale.sock").string();
        {
            const FileDescriptor fd(::socket(AF_UNIX, SOCK_STREAM, 0));
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            std::copy(stale.begin(), stale.end(), address.sun_path);
            QCOMPARE(::bind(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
        }
        QVERIFY(makeWayForSocket(stale));
        QVERIFY(!fs::exists(stale));
        rig.folder.write("file", "precious");
        const auto file = makeWayForSocket(rig.folder / "file");
        QVERIFY(!file && file.error().code == Error::Code::BadInput);
        QVERIFY(fs::exists(rig.folder / "file"));
    }

    void doesNotShareAPort()
    {
        Rig rig({}, "127.0.0.1:0");
        QVERIFY(rig.server->address().starts_with("127.0.0.1:") && rig.server->address() != "127.0.0.1:0");
        Journal other(memorySpool());
        const auto second = Server::start(*parseListenAddress(rig.server->address()), other, {"a", "h", {}, 1s, [] { return std::vector<SourceState>(); }, {}});
        QVERIFY(!second && second.error().code == Error::Code::Busy);
    }

    void readsAddresses_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("read"); // "-" = refused
        QTest::addColumn<bool>("isLocal");
        QTest::newRow("unix") << QByteArray("unix:/run/a.sock") << QByteArray("unix:/run/a.sock") << true;
        QTest::newRow("unix URL") << QByteArray("unix:///run/a.sock") << QByteArray("unix:/run/a.sock") << true;
        QTest::newRow("loopback") << QByteArray("127.0.0.1:0") << QByteArray("127.0.0.1:0") << true;
        QTest::newRow("localhost") << QByteArray("localhost:7443") << QByteArray("localhost:7443") << true;
        QTest::newRow("IPv6") << QByteArray("[::1]:80") << QByteArray("[::1]:80") << true;
        QTest::newRow("everybody") << QByteArray("0.0.0.0:80") << QByteArray("0.0.0.0:80") << false;
        QTest::newRow("everybody, IPv6") << QByteArray("[::]:80") << QByteArray("[::]:80") << false;
        QTest::newRow("a name") << QByteArray("node1:80") << QByteArray("node1:80") << false;
        QTest::newRow("a name like loopback") << QByteArray("localhost.evil.org:80") << QByteArray("localhost.evil.org:80") << false;
        QTest::newRow("a name of numbers") << QByteArray("127.0.0.1.evil.org:80") << QByteArray("127.0.0.1.evil.org:80") << false;
        for (const char *bad : {"", ":", ":80", "host", "host:", "host:x", "host:70000", "host:-1", "::1:80", "unix:", "unix:a",
                                "ho st:80", "a/b:80", "[:80"})
            QTest::newRow(*bad == 0 ? "empty" : bad) << QByteArray(bad) << QByteArray("-") << false;
        QTest::newRow("long path") << QByteArray("unix:/" + QByteArray(200, 'x')) << QByteArray("-") << false;
    }
    void readsAddresses()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, read);
        QFETCH(bool, isLocal);
        const auto address = parseListenAddress(text.toStdString());
        QCOMPARE(address ? QByteArray::fromStdString(address->text()) : QByteArray("-"), read);
        if (address)
            QCOMPARE(address->isThisMachineOnly(), isLocal);
        else
            QVERIFY(address.error().code == Error::Code::BadInput);
    }

    void leaksNothingIn1000Connections()
    {
        Rig rig;
        rig.tell(1);
        const auto cycle = [&](int i) {
            const auto stub = rig.dial();
            Watcher watcher(*stub, 0, 0);
            while (watcher.frames() == 0)
                std::this_thread::yield();
            if (i % 3 == 0)
                rig.tell(i); // while it leaves
        };
        for (int i = 0; i < 100; ++i)
            cycle(i);
        const auto settled = [&] { return rig.server->streams() == 0; };
        QTRY_VERIFY(settled());
        const auto files = openFiles();
        const auto count = threads();
        const auto memory = residentKib();
        for (int i = 0; i < 1000; ++i)
            cycle(i);
        QTRY_VERIFY(settled());
        QTRY_VERIFY2(openFiles() <= files + 2, std::to_string(openFiles()).c_str());
        QTRY_VERIFY2_WITH_TIMEOUT(threads() <= count + 2, std::to_string(threads()).c_str(), 40000); // gRPC lets idle threads go slowly
        const auto after = residentKib();
        QVERIFY2(test::kIsSanitized || after < memory + 8'000, std::to_string(after - memory).c_str());
    }
};

QTEST_GUILESS_MAIN(TestServer)
#include "tst_server.moc"
