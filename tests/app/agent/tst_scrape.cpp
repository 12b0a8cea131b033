// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_rig.h"
#include "hostile_http.h"

#include "agent/http_get.h"
#include "agent/kept_file.h"
#include "agent/scrape.h"
#include "agent/scrape_target.h"

#include <QTest>

#include <fcntl.h>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view kBody = "# TYPE queue_depth gauge\nqueue_depth{shard=\"a\"} 4\nqueue_depth{shard=\"b\"} 5\n";

class Rig
{
public:
    explicit Rig(std::vector<std::string> urls, Duration interval = 200ms, HttpLimits limits = {3s, 1s, 4 << 20})
        : journal(memorySpool()), scraper(journal, ScrapeOptions{std::move(urls), interval, "node1", limits})
    {
        scraper.start();
    }
    [[nodiscard]] JournalContents read() const { return readAll(journal); }
    [[nodiscard]] SourceState state(std::size_t i = 0) const { return scraper.states().at(i); }

    Journal journal;
    Scraper scraper;
};

/// Bytes to the shell's gzip and back: what an exporter would send.
std::string gzipped(const Folder &folder, std::string_view text)
{
    folder.write("plain", text);
    const auto command = "gzip -c " + (folder / "plain").string() + " > " + (folder / "packed").string();
    if (std::system(command.c_str()) != 0)
        return {};
    std::ifstream file(folder / "packed", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Instant at(int second)
{
    return Instant{1'700'000'000s + std::chrono::seconds(second)};
}

} // namespace

class TestScrape : public QObject
{
    Q_OBJECT

private slots:
    void takesWhatAnExporterSays()
    {
        HostileHttp http;
        http.serve("/metrics", std::string(kBody));
        Rig rig({http.url("/metrics")});
        QTRY_VERIFY(rig.read().values("queue_depth", "shard", "a").size() >= 3); // again and again
        const auto contents = rig.read();
        QVERIFY2(contents.faults.empty(), contents.faults.empty() ? "" : contents.faults.front().c_str());
        QVERIFY(contents.last("queue_depth", "shard", "b") == 5.0);
        QVERIFY(rig.state().isHealthy);
        QCOMPARE(rig.state().series, 2U);
        QCOMPARE(rig.state().name, http.url("/metrics"));
        const auto *info = contents.find("queue_depth", "shard", "a");
        QCOMPARE(std::string(info->key.labels.value(label::kScrape)), http.url("/metrics"));
        QVERIFY(info->kind == MetricKind::Gauge);
        QVERIFY(contents.events().empty());
        const auto request = http.lastRequest();
        QVERIFY2(request.find("Accept: application/openmetrics-text") != std::string::npos, request.c_str());
        QVERIFY2(request.find("gzip") != std::string::npos, request.c_str());
    }

    void unpacksAndLimitsWhatItUnpacks()
    {
        const Folder folder;
        const auto packed = gzipped(folder, kBody);
        if (packed.empty())
            QSKIP("There is no gzip on this machine.");
        HostileHttp http;
        http.serve("/small", packed, "text/plain", "200 OK", "Content-Encoding: gzip\r\n");
        http.serve("/bomb", gzipped(folder, std::string(20 << 20, 'x')), "text/plain", "200 OK", "Content-Encoding: gzip\r\n");
        Rig rig({http.url("/small"), http.url("/bomb")});
        QTRY_VERIFY(rig.read().last("queue_depth", "shard", "a") == 4.0);
        QTRY_VERIFY_WITH_TIMEOUT(rig.state(1).problem.find("larger than 4.00 MiB") != std::string::npos, 20'000);
    }

    void saysInASentenceWhatIsWrong_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("part");
        for (const auto &[path, part] : std::vector<std::pair<const char *, const char *>>{
                 {"/500", "It answered with HTTP status 500."},
                 {"/404", "It answered with HTTP status 404."},
                 {"/html", "The answer is no exposition: "},
                 {"/empty", "The answer is empty."},
                 {"/comments", "There is no sample in the answer."},
                 {"/large", "The answer is larger than 4.00 MiB, the most that is read."},
                 {"/endless", "The answer did not end within 1.0 s"},
                 {"/silent", "No answer within 1.0 s."},
                 {"/closed", "The connection was closed without an answer."},
                 {"/short", "The answer broke off."},
                 {"/garbage", "What answers there does not speak HTTP."},
                 {"/million", "series; those after them are left out."},
                 {"/badopenmetrics", "The answer is no exposition: "},
                 {"/away", "only redirects within the same host are followed"},
                 {"/circle", "only redirects within the same host are followed"},
             })
            QTest::newRow(path + 1) << path << part;
    }
    void saysInASentenceWhatIsWrong()
    {
        QFETCH(QString, path);
        QFETCH(QString, part);
        HostileHttp http;
        http.serve("/500", "oops", "text/plain", "500 Internal Server Error");
        http.serve("/404", "404 page not found\n", "text/plain", "404 Not Found");
        http.serve("/html", "<!DOCTYPE html>\n<html><body>Welcome</body></html>\n", "text/html");
        http.serve("/empty", "");
        http.serve("/comments", "# HELP a b\n# TYPE a gauge\n");
        http.serve("/large", std::string(5 << 20, '#')); // over the 4 MiB of this rig
        http.on("/endless", [](const HostileHttp::Peer &peer) {
            if (!peer.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"))
                return;
            for (int i = 0; peer.write("endless{i=\"" + std::to_string(i) + "\"} 1\n") && peer.wait(20); ++i)
                ;
        });
        http.on("/silent", [](const HostileHttp::Peer &peer) { std::ignore = peer.wait(60'000); });
        http.on("/closed", [](const HostileHttp::Peer &) {});
        http.on("/short", [](const HostileHttp::Peer &peer) {
            std::ignore = peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na 1\n");
        });
        http.on("/garbage", [](const HostileHttp::Peer &peer) { std::ignore = peer.write("\x16\x03\x01\xff\xff garbage\r\n\r\n"); });
        std::string million;
        for (int i = 0; path == QStringLiteral("/million") && i < 60'000; ++i)
            million += "m{i=\"" + std::to_string(i) + "\"} 1\n";
        http.serve("/million", million);
        http.serve("/badopenmetrics", "a 1\n", "application/openmetrics-text; version=1.0.0; charset=utf-8");
        http.serve("/away", "", "text/plain", "302 Found", "Location: http://127.0.0.2:1/metrics\r\n");
        http.serve("/circle", "", "text/plain", "302 Found", "Location: /circle\r\n");
        http.serve("/good", std::string(kBody));
        Rig rig({http.url(path.toStdString()), http.url("/good")});
        QTRY_VERIFY2_WITH_TIMEOUT(rig.state().problem.find(part.toStdString()) != std::string::npos,
                                  rig.state().problem.c_str(), 30'000);
        QVERIFY(!rig.state().isHealthy);
        QVERIFY(rig.state().problem.ends_with("."));
        // The neighbour is scraped all the same.
        const auto before = http.requests("/good");
        QTRY_VERIFY_WITH_TIMEOUT(http.requests("/good") > before, 30'000);
        QVERIFY(rig.read().last("queue_depth", "shard", "a") == 4.0);
        QVERIFY(rig.read().faults.empty());
    }

    void saysWhenNobodyIsThere()
    {
        Rig rig({"http://127.0.0.1:1/metrics", "http://name.invalid/metrics"});
        QTRY_COMPARE(rig.state().problem, std::string("Nothing answers there: the connection was refused or not possible."));
        QTRY_VERIFY2_WITH_TIMEOUT(rig.state(1).problem != "It was not scraped yet.", rig.state(1).problem.c_str(), 30'000);
    }

    void followsWithinTheHost()
    {
        HostileHttp http;
        http.serve("/metrics", "", "text/plain", "301 Moved", "Location: /real\r\n");
        http.serve("/real", std::string(kBody));
        Rig rig({http.url("/metrics")});
        QTRY_VERIFY(rig.state().isHealthy);
        QVERIFY(rig.read().last("queue_depth", "shard", "a") == 4.0);
    }

    void tellsWhenASourceGoesAndComes()
    {
        HostileHttp http;
        http.serve("/metrics", std::string(kBody));
        Rig rig({http.url("/metrics")});
        QTRY_VERIFY(rig.state().isHealthy);
        http.serve("/metrics", "oops", "text/plain", "500 Internal Server Error");
        QTRY_VERIFY(!rig.state().isHealthy);
        const auto samples = rig.read().values("queue_depth").size();
        http.serve("/metrics", std::string(kBody));
        QTRY_VERIFY(rig.state().isHealthy);
        const auto contents = rig.read();
        QCOMPARE(contents.events(EventKind::SourceDown).size(), 1U);
        QCOMPARE(contents.events(EventKind::SourceUp).size(), 1U);
        QVERIFY(contents.events(EventKind::SourceDown)[0].text.find("HTTP status 500") != std::string::npos);
        QVERIFY(contents.values("queue_depth").size() > samples);
        QCOMPARE(contents.series.size(), 2U); // the same numbers as before
    }

    void keepsTheExportersOwnTimes()
    {
        Journal journal(memorySpool());
        ScrapeTarget target(journal, {"http://x/metrics", "x", "node1", 5s});
        const auto millis = [](int second) { return std::to_string((1'700'000'000LL + second) * 1000); };
        const auto body = [&](int a, int b) {
            return "t{n=\"a\"} 1 " + millis(a) + "\nt{n=\"b\"} 2 " + millis(b) + "\nnow 3\n";
        };
        target.accept(body(10, 7), "text/plain", at(20));
        target.accept(body(10, 12), "text/plain", at(25)); // a was not refreshed
        target.accept("t{n=\"a\"} 9 " + millis(100'000) + "\n", "text/plain", at(30)); // a day ahead: nonsense
        const auto contents = readAll(journal);
        QVERIFY(contents.faults.empty());
        QVERIFY(contents.values("t", "n", "a") == std::vector<double>{1});
        QVERIFY(contents.values("t", "n", "b") == (std::vector<double>{2, 2}));
        std::vector<Instant> times;
        for (const auto &frame : contents.frames)
            times.push_back(std::get<SampleBlock>(frame.body).times.at(0));
        QVERIFY(times == (std::vector<Instant>{at(20), at(7), at(10), at(25), at(12)}));
        QCOMPARE(target.state().skipped, 1U);
    }

    void forgetsSeriesThatAreGone()
    {
        Journal journal(memorySpool());
        ScrapeTarget target(journal, {"http://x/metrics", "x", "node1", 5s});
        target.accept("a 1\nb 1\n", "text/plain", at(0));
        QCOMPARE(target.state().series, 2U);
        for (int i = 1; i < 40; ++i)
            target.accept("a 1\n", "text/plain", at(i));
        QCOMPARE(target.state().series, 1U);
        QCOMPARE(journal.spoolState().series, 1U);
        target.accept("a 1\nb 2\n", "text/plain", at(50));
        QVERIFY(readAll(journal).faults.empty());
        QVERIFY(readAll(journal).values("b") == (std::vector<double>{1, 2}));
    }

    void keepsItsOwnHostApartFromTheExporters()
    {
        Journal journal(memorySpool());
        ScrapeTarget target(journal, {"http://127.0.0.1:9100/metrics", "node1", "node1", 5s});
        target.accept("# TYPE node_memory_MemAvailable_bytes gauge\nnode_memory_MemAvailable_bytes 1e+06\n", "text/plain", at(0));
        const auto contents = readAll(journal);
        const auto *info = contents.find(metric::kHostAvailable);
        QVERIFY(info != nullptr);
        QCOMPARE(std::string(info->key.labels.value(label::kHost)), std::string("node1"));
        QCOMPARE(std::string(info->key.labels.value(label::kScrape)), std::string("http://127.0.0.1:9100/metrics"));
        QCOMPARE(info->source.name, std::string("node_memory_MemAvailable_bytes"));
        QVERIFY(info->group != "host");
    }

    void hidesCredentials()
    {
        QCOMPARE(publicUrl("http://user:secret@host:80/p?a@b"), std::string("http://host:80/p?a@b"));
        QCOMPARE(publicUrl("http://host/p@q"), std::string("http://host/p@q"));
        QCOMPARE(hostOf("http://user:p@host:80/"), std::string("host"));
        QCOMPARE(hostOf("https://[::1]:80/"), std::string("::1"));
        QCOMPARE(hostOf("http://[::1"), std::string(""));
        for (const char *bad : {"", "host", "ftp://host/", "file:///etc/passwd", "http://", "http://:80/"})
            QCOMPARE(hostOf(bad), std::string(""));
    }

    void scrapesARealNodeExporter()
    {
        const std::string program = "/usr/bin/prometheus-node-exporter";
        if (!fs::exists(program))
            QSKIP("prometheus-node-exporter is not installed.");
        int port = 0;
        {
            HostileHttp free; // a port that is free now
            port = std::stoi(free.url("").substr(std::string("http://127.0.0.1:").size()));
        }
        const Child exporter([&] {
            const int null = ::open("/dev/null", O_WRONLY);
            ::dup2(null, 1);
            ::dup2(null, 2);
            ::execl(program.c_str(), program.c_str(), ("--web.listen-address=127.0.0.1:" + std::to_string(port)).c_str(), nullptr);
        });
        const auto curl = CurlLibrary::load();
        QVERIFY(curl);
        const auto url = "http://127.0.0.1:" + std::to_string(port) + "/metrics";
        // The body, and what becomes of it: the very same number.
        HttpGet get(**curl, url, {});
        Result<void> fetched;
        const auto fetch = [&] {
            CURLM *multi = (*curl)->multiInit();
            (*curl)->multiAdd(multi, get.begin());
            int running = 1;
            while (running > 0) {
                (*curl)->multiPerform(multi, &running);
                (*curl)->multiPoll(multi, nullptr, 0, 100, nullptr);
            }
            int left = 0;
            const CURLMsg *message = (*curl)->multiInfoRead(multi, &left);
            fetched = get.finish(message->data.result);
            (*curl)->multiRemove(multi, get.handle());
            (*curl)->multiCleanup(multi);
            return fetched.has_value();
        };
        QTRY_VERIFY_WITH_TIMEOUT(fetch(), 20'000);
        Journal journal(memorySpool());
        ScrapeTarget target(journal, {url, "node1", "node1", 5s});
        target.accept(get.body(), get.contentType(), systemClock().now());
        QVERIFY2(target.state().isHealthy, target.state().problem.c_str());
        const auto contents = readAll(journal);
        QVERIFY2(contents.faults.empty(), contents.faults.empty() ? "" : contents.faults.front().c_str());

        const std::string_view name = "\nnode_memory_MemAvailable_bytes ";
        const auto where = get.body().find(name);
        QVERIFY(where != std::string::npos);
        const double exported = std::strtod(get.body().c_str() + where + name.size(), nullptr);
        const double available = contents.last(metric::kHostAvailable).value();
        QCOMPARE(available, exported);
        std::string buffer;
        const auto meminfo = std::string(readOnce("/proc/meminfo", buffer).value());
        const double now = std::strtod(meminfo.c_str() + meminfo.find("MemAvailable:") + 13, nullptr) * 1024;
        QVERIFY(std::abs(available - now) < 0.05 * now);
        QVERIFY(contents.find("node_time_seconds") != nullptr); // what we do not know keeps its name

        Rig rig({url}); // and by the agent's own way
        QTRY_VERIFY(rig.state().isHealthy);
        QVERIFY(rig.read().last(metric::kHostAvailable).value() > 0);
    }
};

QTEST_GUILESS_MAIN(TestScrape)
#include "tst_scrape.moc"
