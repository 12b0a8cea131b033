// SPDX-License-Identifier: GPL-3.0-or-later
// The real prometheus-node-exporter of the distribution, scraped by the real agent: what lies in the
// history is, bit for bit, what the exporter said. A proxy between the two keeps every body.
#include "app/agent/hostile_http.h"
#include "support/flow.h"

#include <QStandardPaths>

#include <algorithm>
#include <cstdlib>

using namespace plimsoll;
using namespace plimsoll::flow;
using namespace std::chrono_literals;
using test::HostileHttp;

namespace {

int freePort()
{
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(fd, reinterpret_cast<sockaddr *>(&address), size);
    ::getsockname(fd, reinterpret_cast<sockaddr *>(&address), &size);
    ::close(fd);
    return ntohs(address.sin_port);
}

/// The whole answer to a GET, head and body; empty when nobody answers.
std::string get(int port, std::string_view path)
{
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    std::string answer;
    if (::connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0) {
        // HTTP/1.0: no chunks, and the end is the end of the connection.
        const std::string request = "GET " + std::string(path) + " HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n";
        std::ignore = ::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
        char buffer[65536];
        for (ssize_t got = 0; (got = ::recv(fd, buffer, sizeof buffer, 0)) > 0;)
            answer.append(buffer, static_cast<std::size_t>(got));
    }
    ::close(fd);
    return answer;
}

/// The value on the line of a sample without labels, as a plain reader would take it.
std::optional<double> valueIn(const std::string &answer, const std::string &name)
{
    const auto at = answer.find("\n" + name + " ");
    if (at == std::string::npos)
        return std::nullopt;
    return std::strtod(answer.c_str() + at + name.size() + 2, nullptr);
}

} // namespace

class TestNodeExporter : public QObject
{
    Q_OBJECT

private slots:
    void availableIsExact();
};

void TestNodeExporter::availableIsExact()
{
    const QString program = QStandardPaths::findExecutable(QStringLiteral("prometheus-node-exporter"));
    if (program.isEmpty())
        QSKIP("The package prometheus-node-exporter is not installed.");
    const int port = freePort();
    QProcess process; // tells of itself on standard error only: whether it is ready is asked by HTTP
    process.setStandardErrorFile(QProcess::nullDevice());
    process.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
    process.start(program, {QStringLiteral("--web.listen-address=127.0.0.1:%1").arg(port)});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(valueIn(get(port, "/metrics"), "node_memory_MemAvailable_bytes").has_value(), 20'000);

    std::mutex mutex;
    std::vector<double> said; // by the exporter, in order
    HostileHttp proxy;
    proxy.on("/metrics", [&](const HostileHttp::Peer &peer) {
        const std::string answer = get(port, "/metrics");
        if (const auto value = valueIn(answer, "node_memory_MemAvailable_bytes")) {
            const std::lock_guard lock(mutex);
            said.push_back(*value);
        }
        std::ignore = peer.write(answer);
    });

    const QTemporaryDir folder;
    AgentProgram agent(folder.path());
    QVERIFY(agent.start({QStringLiteral("--scrape"), QString::fromStdString(proxy.url("/metrics")),
                         QStringLiteral("--scrape-interval"), QStringLiteral("500ms")}));
    const Desktop desktop(folder.filePath(QStringLiteral("history.sqlite")).toStdString(), agent.endpoint());
    const auto scraped = [&] {
        return desktop.find([](const SeriesEntry &entry) {
            return isMetric(entry, metric::kHostAvailable) && entry.info.source.name == "node_memory_MemAvailable_bytes";
        });
    };
    QTRY_VERIFY_WITH_TIMEOUT(scraped().has_value(), 20'000);
    const SeriesId series = scraped()->id;
    QCOMPARE(scraped()->info.unit, std::string("By"));
    QVERIFY(scraped()->info.kind == MetricKind::Gauge);
    QTRY_VERIFY_WITH_TIMEOUT(samplesOf(desktop.history(), series).size() >= 5, 20'000);

    const std::vector<TimedValue> kept = samplesOf(desktop.history(), series);
    std::vector<double> exported;
    {
        const std::lock_guard lock(mutex);
        exported = said;
    }
    QVERIFY(exported.size() >= kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i)
        QCOMPARE(kept[i].value, exported[i]); // one by one, none missing, none twice

    const double own = procBytes("/proc/meminfo", "MemAvailable:").value_or(0);
    QVERIFY2(std::abs(kept.back().value - own) < 0.05 * own, qPrintable(QStringLiteral("%1 %2").arg(kept.back().value).arg(own)));

    // Families that nobody mapped keep their own name.
    QVERIFY(desktop.find([](const SeriesEntry &entry) { return isMetric(entry, "node_load1"); }));
    process.terminate();
    QVERIFY(process.waitForFinished());
    const auto source = [&] {
        for (const SourceState &state : desktop.state().sources) {
            if (state.name == proxy.url("/metrics"))
                return state;
        }
        return SourceState{};
    };
    QTRY_VERIFY_WITH_TIMEOUT(!source().isHealthy && !source().problem.empty(), 20'000);
}

QTEST_GUILESS_MAIN(TestNodeExporter)
#include "tst_node_exporter.moc"
