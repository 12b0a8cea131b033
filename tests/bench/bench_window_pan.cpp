// SPDX-License-Identifier: GPL-3.0-or-later
// A whole frame of the whole window while panning: 8 series of a second over 24 h, 1600 x 1000.
#include "views/main_window.h"

#include "history/history.h"
#include "session/session.h"
#include "session/settings.h"
#include "session/time_context.h"
#include "widgets/theme/palette.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace plimsoll;

namespace {

constexpr int kSeries = 8;
constexpr auto kDay = std::chrono::hours(24);
constexpr auto kRecorded = std::chrono::hours(72); // a day to pan over on each side
constexpr int kFrames = 400;
constexpr int kPatienceMs = 60'000;

/// A job's memory on `kSeries` hosts: each a saw-tooth of its own, one sample a second.
bool record(const std::filesystem::path &file, Instant end)
{
    auto history = History::open({file});
    if (!history)
        return false;
    Delivery delivery;
    delivery.agent = "bench";
    delivery.epoch = 1;
    for (int s = 0; s < kSeries; ++s) {
        SeriesDefinition definition;
        definition.id = static_cast<std::uint32_t>(s + 1);
        definition.info.key = {std::string(metric::kJobRss), {{"job.id", "bench"}, {"host.name", "n" + std::to_string(s)}}};
        definition.info.unit = "By";
        definition.info.kind = MetricKind::Gauge;
        definition.info.group = "job";
        delivery.definitions.push_back(std::move(definition));
    }
    constexpr int kRows = 600;
    std::uint64_t sequence = 0;
    for (Instant begin = end - kRecorded; begin < end; begin += std::chrono::seconds(kRows)) {
        SampleBlock block;
        for (int row = 0; row < kRows; ++row)
            block.times.push_back(begin + std::chrono::seconds(row));
        for (int s = 0; s < kSeries; ++s) {
            block.columns.push_back(static_cast<std::uint32_t>(s + 1));
            for (int row = 0; row < kRows; ++row) {
                const double t = static_cast<double>((block.times[static_cast<std::size_t>(row)] - (end - kRecorded)).count()) / 1e9;
                block.values.push_back(1e9 * (s + 1) + 4e8 * std::fmod(t, 300.0 + 40 * s) / 300 + 1e7 * std::sin(t));
            }
        }
        Delivery next = delivery;
        next.frames.push_back({++sequence, std::move(block)});
        while (!(*history)->inbox().tryPost(next, next.weight()))
            (*history)->flush();
    }
    (*history)->flush();
    return true;
}

template <class Condition>
bool waitFor(Condition condition)
{
    QElapsedTimer timer;
    timer.start();
    while (!condition() && timer.elapsed() < kPatienceMs)
        QApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
    return condition();
}

void print(const char *name, double value)
{
    std::printf("{\"bench\":\"window.%s\",\"value\":%.3f,\"unit\":\"ms\"}\n", name, value);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    if (qEnvironmentVariableIsEmpty("DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    applyTheme(application, Theme::Light);
    const QTemporaryDir folder;
    const auto at = [&folder](const char *name) { return std::filesystem::path(folder.path().toStdString()) / name; };
    const Instant end = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    if (!record(at("history.sqlite"), end)) {
        std::fputs("bench_window_pan: the history could not be written\n", stderr);
        return 1;
    }

    Settings settings(at("plimsoll.ini"));
    SessionOptions options;
    options.historyFile = at("history.sqlite");
    options.hostAgent = false;
    options.settings = &settings;
    Session session(options);
    MainWindow window(session, settings, options.historyFile);
    window.resize(1600, 1000);
    window.show();
    session.start();
    if (!waitFor([&] { return session.slices() && session.extent() && !session.series()->empty(); })) {
        std::fputs("bench_window_pan: the session did not start\n", stderr);
        return 1;
    }
    session.time()->showRange({end - 2 * kDay, end - kDay});
    session.time()->openJob("bench");
    if (!waitFor([&] { return window.currentPage() && window.currentPage()->isFilled(); })) {
        std::fputs("bench_window_pan: the job's memory did not come\n", stderr);
        return 1;
    }

    std::vector<double> frames;
    for (int i = 0; i < kFrames; ++i) {
        const int direction = (i / 100) % 2 == 0 ? 1 : -1; // to and fro, as a hand does
        QElapsedTimer timer;
        timer.start();
        session.time()->pan(direction * std::chrono::minutes(4));
        // The whole frame: what the step changes, layout, and the paint that it asked for.
        QApplication::sendPostedEvents();
        QApplication::processEvents();
        frames.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    std::sort(frames.begin(), frames.end());
    const auto quantile = [&frames](double q) { return frames[static_cast<std::size_t>(q * static_cast<double>(frames.size() - 1))]; };
    print("pan_frame_p50_ms", quantile(0.50));
    print("pan_frame_p95_ms", quantile(0.95));
    print("pan_frame_p99_ms", quantile(0.99));
    return 0;
}
