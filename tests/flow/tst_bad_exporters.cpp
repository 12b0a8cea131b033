// SPDX-License-Identifier: GPL-3.0-or-later
// One agent scrapes seven exporters, of which six misbehave. Each of those is told of in a sentence
// that reaches the desktop side, and nothing else stops: the seventh, the host and the stream go on.
#include "app/agent/hostile_http.h"
#include "base/text.h"
#include "support/flow.h"
#include "support/sanitizer.h"

#include <map>

using namespace plimsoll;
using namespace plimsoll::flow;
using namespace std::chrono_literals;
using test::HostileHttp;

namespace {

const std::string kHostile = "<b>bold</b>\xe2\x80\xae\x1b[31m\x01 &amp; \xf0\x9f\x92\xa5";

void serveBadly(HostileHttp &http)
{
    http.serve("/500", "no", "text/plain", "500 Internal Server Error");
    http.serve("/html", "<!DOCTYPE html>\n<html><body><h1>It works!</h1></body></html>\n", "text/html; charset=utf-8");
    http.on("/huge", [](const HostileHttp::Peer &peer) {
        // 100 MB that begin well.
        std::string lines;
        for (int i = 0; lines.size() < 1'000'000; ++i)
            lines += "huge_value{i=\"" + std::to_string(i) + "\"} 1\n";
        if (!peer.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n\r\n"))
            return;
        for (int i = 0; i < 100 && peer.write(lines); ++i) { }
    });
    http.on("/endless", [](const HostileHttp::Peer &peer) {
        if (!peer.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n\r\n"))
            return;
        for (int i = 0; peer.write("endless_value{i=\"" + std::to_string(i) + "\"} 1\n") && peer.wait(100); ++i) { }
    });
    std::string million; // short lines: within the limit of bytes, beyond that of series
    for (int i = 0; i < 1'000'000; ++i)
        million += "m{i=\"" + std::to_string(i) + "\"} 1\n";
    http.serve("/million", million);
    http.serve("/labels", "hostile_label{text=\"" + kHostile + "\"} 7\n");
    http.serve("/good", "good_value 42\n");
}

} // namespace

class TestBadExporters : public QObject
{
    Q_OBJECT

private slots:
    void eachIsToldAndNothingElseStops();
};

void TestBadExporters::eachIsToldAndNothingElseStops()
{
    HostileHttp http;
    serveBadly(http);
    // A scrape lasts no longer than the interval; a sanitizer needs more for 64 MB.
    QStringList arguments{QStringLiteral("--scrape-interval"), test::kIsSanitized ? QStringLiteral("12s") : QStringLiteral("2s")};
    for (const auto *const path : {"/500", "/html", "/huge", "/endless", "/million", "/labels", "/good"})
        arguments << QStringLiteral("--scrape") << QString::fromStdString(http.url(path));
    arguments << QStringLiteral("--scrape") << QStringLiteral("http://127.0.0.1:1/nobody");
    const QTemporaryDir folder;
    AgentProgram agent(folder.path());
    QVERIFY(agent.start(arguments));
    const Desktop desktop(folder.filePath(QStringLiteral("history.sqlite")).toStdString(), agent.endpoint());

    const auto sources = [&] {
        std::map<std::string, SourceState> byName;
        for (const SourceState &source : desktop.state().sources)
            byName[source.name] = source;
        return byName;
    };
    const auto problem = [&](const std::string &path) {
        const auto all = sources();
        const auto found = all.find(path.starts_with("http") ? path : http.url(path));
        return found == all.end() ? std::string() : found->second.problem;
    };
    const auto lastOf = [&](std::string_view metric) {
        return desktop.find([metric](const SeriesEntry &entry) { return isMetric(entry, metric); });
    };

    const std::pair<std::string, std::string> expected[] = {
        {"/500", "It answered with HTTP status 500."},
        {"/html", "no exposition"},
        {"/huge", "larger than"},
        {"/endless", "did not end within"},
        {"/million", "series"},
        {"http://127.0.0.1:1/nobody", "refused"},
    };
    for (const auto &[path, part] : expected) {
        QTRY_VERIFY2_WITH_TIMEOUT(problem(path).find(part) != std::string::npos, (path + ": " + problem(path)).c_str(), 60'000);
        const std::string sentence = problem(path);
        QVERIFY2(sentence.ends_with('.'), sentence.c_str());
        QCOMPARE(safeText(sentence, 1000), sentence); // fit for a screen as it is
    }
    QTRY_VERIFY_WITH_TIMEOUT(sources()[http.url("/good")].isHealthy, 20'000);

    // Labels with markup and control characters are data: kept, and harmless where they are shown.
    QTRY_VERIFY_WITH_TIMEOUT(lastOf("hostile_label").has_value(), 20'000);
    QVERIFY(sources()[http.url("/labels")].isHealthy);
    const std::string shown = safeText(lastOf("hostile_label")->info.key.labels.value("text"));
    QVERIFY2(shown.find("<b>bold</b>") != std::string::npos, shown.c_str());
    for (const char c : shown)
        QVERIFY(static_cast<unsigned char>(c) >= 0x20);
    QVERIFY(shown.find("\xe2\x80\xae") == std::string::npos);

    // The neighbours go on while the bad ones stay bad.
    const Instant since = systemClock().now();
    QTRY_VERIFY_WITH_TIMEOUT(lastOf("good_value") && *lastOf("good_value")->lastTime > since + 2s, 30'000);
    QCOMPARE(lastOf("good_value")->lastValue, 42.0);
    QTRY_VERIFY_WITH_TIMEOUT(*lastOf(metric::kHostLimit)->lastTime > since + 2s, 20'000);
    const auto host = desktop.find([](const SeriesEntry &entry) { return isMetric(entry, metric::kHostLimit); });
    const auto ticks = samplesOf(desktop.history(), host->id);
    for (std::size_t i = 1; i < ticks.size(); ++i)
        QVERIFY2(ticks[i].time - ticks[i - 1].time < 10s, "a bad exporter held the host's samples up");
    QVERIFY(desktop.state().phase == ConnectionPhase::Live || desktop.state().phase == ConnectionPhase::Lagging);
    const double rss = procBytes("/proc/" + std::to_string(agent.pid()) + "/status", "VmRSS:").value_or(0);
    qInfo("the agent takes %.0f MiB", rss / (1 << 20));
    QVERIFY(test::kIsSanitized || rss < 512.0 * (1 << 20));
    QVERIFY(agent.stop());
}

QTEST_GUILESS_MAIN(TestBadExporters)
#include "tst_bad_exporters.moc"
