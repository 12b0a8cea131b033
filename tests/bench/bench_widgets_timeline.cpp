// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of a timeline while it is panned: eight series over 24 hours, 1600 x 1000, painted
// by the raster engine. Budget: 8 ms at p95.
#include "support/slice_builder.h"
#include "widgets/theme/palette.h"
#include "widgets/timeline/timeline_view.h"

#include <QApplication>
#include <QImage>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono;

namespace {

const Instant kStart = fromUnixNanos(1'763'470'980'000'000'000);
constexpr double kGiB = 1024.0 * 1024 * 1024;

/// Four tracks of two lines; a day at one second in two buckets a pixel, three screens wide
/// as a slice service hands it out.
std::vector<Track> eightSeries(Duration span, Duration width)
{
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 1);
    const TimeRange range{kStart - span, kStart + 2 * span};
    std::vector<Track> tracks;
    for (int t = 0; t < 4; ++t) {
        Track track;
        track.unit = "By";
        for (int l = 0; l < 2; ++l) {
            const double base = 20 + 12 * l;
            const auto samples = sampled(range, seconds(6), [&](double s) { return (base + 8 * std::sin(s / 3000 + t) + noise(random)) * kGiB; });
            track.lines.push_back({QStringLiteral("series %1").arg(2 * t + l), SeriesRole(2 * (t % 3) + l),
                                   shared(sliceOf(range, samples, width, {{{kStart + hours(3), kStart + hours(4)}, GapReason::Away, ""}})),
                                   l == 1 && t == 0, l == 0 && t == 0, false});
        }
        track.limits.push_back({QStringLiteral("capacity"), 79.6 * kGiB, nullptr});
        tracks.push_back(std::move(track));
    }
    return tracks;
}

void report(const char *name, std::vector<double> &milliseconds_)
{
    std::sort(milliseconds_.begin(), milliseconds_.end());
    const auto at = [&](double share) { return milliseconds_[static_cast<std::size_t>(share * static_cast<double>(milliseconds_.size() - 1))]; };
    for (const auto &[suffix, share] : std::array{std::pair{"p50", 0.50}, std::pair{"p95", 0.95}, std::pair{"p99", 0.99}})
        std::printf("{\"bench\":\"widgets.%s_%s_ms\",\"value\":%.3f,\"unit\":\"ms\"}\n", name, suffix, at(share));
}

/// Time of this thread alone: a busy machine makes frames late, not dear.
double threadMilliseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

template <class Step>
std::vector<double> frames(TimelineView &view, int count, const Step &step)
{
    QImage screen(view.size(), QImage::Format_ARGB32_Premultiplied);
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        const double begin = threadMilliseconds();
        step(i);
        view.render(&screen);
        times.push_back(threadMilliseconds() - begin);
    }
    return times;
}

} // namespace

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    applyTheme(application, Theme::Light);
    const Duration span = hours(24);
    TimelineView view;
    view.resize(1600, 1000);
    view.show();
    view.setTracks(eightSeries(span, Duration(span / 3000)));
    std::vector<EventMark> events;
    for (int i = 0; i < 60; ++i)
        events.push_back({kStart + minutes(24 * i), i % 9 == 0 ? Glyph::Kill : Glyph::Mark, QStringLiteral("checkpoint %1").arg(i), EventKind::Checkpoint});
    view.setEvents(events);
    for (const bool utc : {true, false}) {
        view.setUtc(utc);
        auto panning = frames(view, 400, [&](int i) {
            const Duration by = minutes(2) * (i % 200 < 100 ? i % 100 : 100 - i % 100);
            view.setRange({kStart + by, kStart + by + span});
        });
        report(utc ? "timeline_frame" : "timeline_frame_local", panning);
    }
    view.setUtc(true);
    auto zooming = frames(view, 200, [&](int i) {
        const Duration cut = minutes(5) * (i % 100);
        view.setRange({kStart + cut, kStart + span - cut});
    });
    report("timeline_zoom", zooming);
    auto hovering = frames(view, 400, [&](int i) { view.setCrosshair(view.range().begin + Duration(view.range().length() / 400) * i); });
    report("timeline_hover", hovering);
    return 0;
}
