// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_rig.h"

#include "agent/agent.h"

#include <QTest>

#include <grpcpp/grpcpp.h>
#include <plimsoll/v1/agent.grpc.pb.h>

#include <sys/stat.h>

#include <mutex>
#include <thread>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono_literals;

namespace {

AgentOptions optionsIn(const Folder &folder)
{
    AgentOptions options;
    options.listen = "unix:" + (folder / "run/agent.sock").string();
    options.spool = folder / "spool";
    options.hostName = "node1";
    options.interval = 200ms;
    return options;
}

/// A client over the real socket.
class Client
{
public:
    explicit Client(const std::string &address, std::uint64_t epoch = 0, std::uint64_t after = 0)
        : m_stub(v1::Agent::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())))
    {
        v1::WatchRequest request;
        request.mutable_version()->set_major(1);
        request.set_epoch(epoch);
        request.set_resume_after(after);
        m_context.set_wait_for_ready(true);
        m_reader = m_stub->Watch(&m_context, request);
        m_thread = std::thread([this] {
            v1::WatchMessage message;
            while (m_reader->Read(&message)) {
                const std::lock_guard lock(m_mutex);
                take(message.SerializeAsString(), m_contents);
            }
            m_reader->Finish();
        });
    }
    Client(const Client &) = delete;
    Client &operator=(const Client &) = delete;
    ~Client()
    {
        m_context.TryCancel();
        m_thread.join();
    }
    [[nodiscard]] JournalContents contents() const
    {
        const std::lock_guard lock(m_mutex);
        return m_contents;
    }
    [[nodiscard]] v1::HelloReply hello() const
    {
        grpc::ClientContext context;
        context.set_wait_for_ready(true);
        context.set_deadline(std::chrono::system_clock::now() + 5s);
        v1::HelloRequest request;
        request.mutable_version()->set_major(1);
        v1::HelloReply reply;
        m_stub->Hello(&context, request, &reply);
        return reply;
    }

private:
    std::unique_ptr<v1::Agent::Stub> m_stub;
    grpc::ClientContext m_context;
    std::unique_ptr<grpc::ClientReader<v1::WatchMessage>> m_reader;
    mutable std::mutex m_mutex;
    JournalContents m_contents;
    std::thread m_thread;
};

/// The program itself, as systemd would start it.
class Program
{
public:
    explicit Program(std::vector<std::string> arguments)
    {
        int pipe[2];
        if (::pipe(pipe) != 0)
            return;
        m_child = std::make_unique<Child>([&] {
            ::dup2(pipe[1], STDOUT_FILENO);
            ::dup2(pipe[1], STDERR_FILENO);
            ::close(pipe[0]);
            arguments.insert(arguments.begin(), PLIMSOLL_BINARY_DIR "/plimsoll-agent");
            std::vector<char *> pointers;
            for (auto &argument : arguments)
                pointers.push_back(argument.data());
            pointers.push_back(nullptr);
            ::execv(pointers[0], pointers.data());
        });
        ::close(pipe[1]);
        m_output = FileDescriptor(pipe[0]);
    }
    [[nodiscard]] std::string line() const
    {
        std::string text;
        for (char c = 0; ::read(m_output.get(), &c, 1) == 1 && c != '\n';)
            text += c;
        return text;
    }
    int wait()
    {
        int status = -1;
        ::waitpid(m_child->pid(), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    void signal(int number) const { ::kill(m_child->pid(), number); }
    int kill() { return m_child->end(); }

private:
    std::unique_ptr<Child> m_child;
    FileDescriptor m_output;
};

bool hasProgram()
{
    return fs::exists(PLIMSOLL_BINARY_DIR "/plimsoll-agent");
}

} // namespace

class TestAgent : public QObject
{
    Q_OBJECT

private slots:
    void measuresThisMachineAndItsJobs()
    {
        const Folder folder;
        auto agent = Agent::start(optionsIn(folder));
        QVERIFY2(agent, agent ? "" : agent.error().detail.c_str());
        QCOMPARE((*agent)->address(), optionsIn(folder).listen);
        QCOMPARE((*agent)->hostName(), std::string("node1"));
        Client client((*agent)->address());
        QTRY_VERIFY(client.contents().last(metric::kHostAvailable));
        QCOMPARE(client.contents().events(EventKind::AgentStarted).size(), 1U);
        const std::string id = "job-" + std::to_string(::getpid());
        const auto begin = std::chrono::steady_clock::now();
        Child child(sleeper({{"PLIMSOLL_JOB_ID", id}}));
        QTRY_VERIFY(client.contents().last(metric::kJobRss, label::kJob, id));
        QVERIFY(std::chrono::steady_clock::now() - begin < 4s);
        child.end();
        QTRY_COMPARE(client.contents().events(EventKind::JobEnded).size(), 1U);
        const auto hello = client.hello();
        QCOMPARE(hello.host_name(), std::string("node1"));
        QVERIFY(hello.sources_size() >= 3);
        for (const auto &source : hello.sources())
            QVERIFY2(source.healthy(), source.problem().c_str());
        const auto contents = client.contents();
        QVERIFY2(contents.faults.empty(), contents.faults.empty() ? "" : contents.faults.front().c_str());
        agent->reset();
        QTRY_COMPARE(client.contents().events(EventKind::AgentStopped).size(), 1U); // the last word arrives
        QVERIFY(!fs::exists(folder / "run/agent.sock"));
    }

    void goesOnWhereItStopped()
    {
        const Folder folder;
        std::string id;
        std::uint64_t epoch = 0;
        std::uint64_t last = 0;
        JournalContents first;
        {
            const auto agent = Agent::start(optionsIn(folder));
            QVERIFY(agent);
            Client client((*agent)->address());
            QTRY_VERIFY(client.contents().frames.size() >= 5);
            id = client.hello().agent_id();
            epoch = client.hello().epoch();
            first = client.contents();
            last = first.frames.back().sequence;
        }
        const auto agent = Agent::start(optionsIn(folder));
        QVERIFY(agent);
        Client client((*agent)->address(), epoch, last);
        QTRY_VERIFY(client.contents().frames.size() >= 5);
        const auto contents = client.contents();
        QCOMPARE(client.hello().agent_id(), id);
        QCOMPARE(contents.frames.front().sequence, last + 1);
        QVERIFY(contents.lost.empty() && contents.faults.empty());
        for (const auto &[number, info] : contents.series) {
            if (const auto known = first.series.find(number); known != first.series.end())
                QVERIFY(info == known->second); // numbers keep their meaning
        }
    }

    void keepsToItsOwnMachineUnlessTold()
    {
        const Folder folder;
        auto options = optionsIn(folder);
        options.listen = "0.0.0.0:0";
        auto refused = Agent::start(options);
        QVERIFY(!refused);
        QVERIFY(refused.error().code == Error::Code::BadInput);
        QVERIFY(refused.error().detail.find("--insecure") != std::string::npos);
        options.allowInsecure = true;
        std::vector<std::string> lines;
        options.log = [&](const std::string &line) { lines.push_back(line); };
        QVERIFY(Agent::start(options));
        QCOMPARE(lines.size(), 1U);
        QVERIFY(lines[0].starts_with("WARNING: "));
    }

    void refusesNonsense_data()
    {
        QTest::addColumn<int>("which");
        QTest::newRow("interval") << 0;
        QTest::newRow("address") << 1;
        QTest::newRow("job") << 2;
        QTest::newRow("scrape") << 3;
        QTest::newRow("spool limit") << 4;
    }
    void refusesNonsense()
    {
        QFETCH(int, which);
        const Folder folder;
        auto options = optionsIn(folder);
        switch (which) {
        case 0: options.interval = 0ms; break;
        case 1: options.listen = "nowhere"; break;
        case 2: options.jobs["x"] = -1; break;
        case 3: options.scrape = {"file:///etc/passwd"}; break;
        case 4: options.spoolLimit = Bytes{0}; break;
        }
        const auto agent = Agent::start(options);
        QVERIFY(!agent);
        QVERIFY(agent.error().code == Error::Code::BadInput);
        QVERIFY(agent.error().detail.ends_with("."));
    }

    void saysWhoIsThereAlready()
    {
        const Folder folder;
        const auto first = Agent::start(optionsIn(folder));
        QVERIFY(first);
        auto options = optionsIn(folder);
        auto second = Agent::start(options);
        QVERIFY(!second && second.error().code == Error::Code::Busy); // the spool
        options.spool.clear();
        second = Agent::start(options);
        QVERIFY(!second && second.error().code == Error::Code::Busy); // the socket
        Client client((*first)->address()); // and the first still has it
        QTRY_VERIFY(!client.contents().frames.empty());
    }

    void goesOnWithoutASpool()
    {
        const Folder folder;
        folder.write("file", "in the way");
        auto options = optionsIn(folder);
        options.spool = folder / "file" / "spool";
        const auto agent = Agent::start(options);
        QVERIFY(agent);
        Client client((*agent)->address());
        QTRY_VERIFY(client.contents().frames.size() >= 3);
        bool isSaid = false;
        const auto hello = client.hello();
        for (const auto &source : hello.sources())
            isSaid = isSaid || (source.name() == "spool" && !source.healthy() && source.problem().starts_with("Samples are kept in memory only: "));
        QVERIFY(isSaid);
    }

    void startsAndStopsManyTimes()
    {
        const Folder folder;
        for (int i = 0; i < 20; ++i) {
            auto agent = Agent::start(optionsIn(folder));
            QVERIFY2(agent, agent ? "" : agent.error().detail.c_str());
            if (i % 2 == 0)
                continue;
            Client client((*agent)->address());
            agent->reset(); // while it connects
        }
    }

    void losesNothingWhenKilled()
    {
        if (!hasProgram())
            QSKIP("plimsoll-agent was not built.");
        const Folder folder;
        const std::string listen = "unix:" + (folder / "agent.sock").string();
        const std::vector<std::string> arguments{"--listen", listen, "--spool", (folder / "spool").string(), "--interval", "100ms"};
        std::map<std::uint64_t, Frame> all;
        std::uint64_t epoch = 0;
        for (int round = 0; round < 4; ++round) {
            Program program(arguments);
            QCOMPARE(program.line(), "listening on " + listen); // the stale socket is replaced
            Client client(listen, epoch, all.empty() ? 0 : all.rbegin()->first);
            QTRY_VERIFY(client.contents().frames.size() >= 6);
            const auto now = client.hello().epoch();
            QVERIFY(epoch == 0 || epoch == now);
            epoch = now;
            program.kill(); // -9
            const auto contents = client.contents();
            QVERIFY2(contents.faults.empty(), contents.faults.empty() ? "" : contents.faults.front().c_str());
            QVERIFY(contents.lost.empty());
            for (const auto &frame : contents.frames)
                QVERIFY(all.emplace(frame.sequence, frame).second); // none twice
        }
        QCOMPARE(all.begin()->first, 1U);
        QCOMPARE(all.rbegin()->first, all.size()); // none missing
    }

    void stopsInOrder()
    {
        if (!hasProgram())
            QSKIP("plimsoll-agent was not built.");
        const Folder folder;
        for (const int number : {SIGTERM, SIGINT}) {
            Program program({"--listen", "127.0.0.1:0", "--spool", (folder / "spool").string()});
            const auto line = program.line();
            QVERIFY2(line.starts_with("listening on 127.0.0.1:"), line.c_str());
            Client client(line.substr(std::string("listening on ").size()));
            QTRY_VERIFY(!client.contents().frames.empty());
            program.signal(number);
            QCOMPARE(program.wait(), 0);
            QTRY_VERIFY(!client.contents().events(EventKind::AgentStopped).empty());
        }
    }

    void answersBadUsage_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::newRow("version") << QStringList{QStringLiteral("--version")} << 0;
        QTest::newRow("help") << QStringList{QStringLiteral("--help")} << 0;
        QTest::newRow("unknown") << QStringList{QStringLiteral("--frobnicate")} << 2;
        QTest::newRow("interval") << QStringList{QStringLiteral("--interval"), QStringLiteral("soon")} << 2;
        QTest::newRow("job") << QStringList{QStringLiteral("--job"), QStringLiteral("x=y")} << 2;
        QTest::newRow("limit") << QStringList{QStringLiteral("--spool-limit"), QStringLiteral("much")} << 2;
        QTest::newRow("address") << QStringList{QStringLiteral("--listen"), QStringLiteral("x")} << 2;
        QTest::newRow("everybody") << QStringList{QStringLiteral("--listen"), QStringLiteral("0.0.0.0:0")} << 2;
        QTest::newRow("parse nothing") << QStringList{QStringLiteral("parse")} << 2;
    }
    void answersBadUsage()
    {
        if (!hasProgram())
            QSKIP("plimsoll-agent was not built.");
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        std::vector<std::string> list;
        for (const auto &argument : arguments)
            list.push_back(argument.toStdString());
        if (!list.empty() && list[0] != "parse") {
            list.emplace_back("--spool");
            list.emplace_back("");
        }
        Program program(list);
        QVERIFY(!program.line().empty()); // says something
        QCOMPARE(program.wait(), status);
    }
};

QTEST_GUILESS_MAIN(TestAgent)
#include "tst_agent.moc"
