// SPDX-License-Identifier: GPL-3.0-or-later
// A heat grid that gets new values: 20 nodes of 8 with history, and 1,024 devices as a map.
#include "widgets/heatmap/heat_grid.h"
#include "widgets/theme/palette.h"

#include <QApplication>
#include <QImage>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace plimsoll;
using namespace std::chrono;

namespace {

std::vector<HeatGroup> fleet(int racks, int nodes, int devices, int phase)
{
    std::vector<HeatGroup> groups;
    for (int r = 0; r < racks; ++r) {
        HeatGroup group;
        group.name = QStringLiteral("r%1").arg(r);
        for (int n = 0; n < nodes; ++n) {
            HeatRow row;
            row.node = std::to_string(r) + '/' + std::to_string(n);
            row.name = QString::fromStdString(row.node);
            row.freeText = QStringLiteral("12.3");
            row.jobText = QStringLiteral("rag-ft-0412");
            for (int d = 0; d < devices; ++d) {
                HeatCell cell;
                cell.id = row.node + '/' + std::to_string(d);
                cell.load = 0.5 + 0.5 * std::sin(phase * 0.1 + r + n + d);
                row.cells.push_back(std::move(cell));
            }
            for (int h = 0; h < 120; ++h)
                row.history.push_back(0.5 + 0.5 * std::sin(h * 0.1 + n));
            group.rows.push_back(std::move(row));
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

void measure(const char *name, HeatGrid &grid, int racks, int nodes, int devices)
{
    QImage screen(grid.size(), QImage::Format_ARGB32_Premultiplied);
    std::vector<double> times;
    for (int i = 0; i < 100; ++i) {
        auto groups = fleet(racks, nodes, devices, i);
        const auto begin = steady_clock::now();
        grid.setGroups(std::move(groups));
        grid.render(&screen);
        times.push_back(duration<double, std::milli>(steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    std::printf("{\"bench\":\"widgets.%s_p95_ms\",\"value\":%.3f,\"unit\":\"ms\"}\n", name, times[94]);
}

} // namespace

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    applyTheme(application, Theme::Light);
    HeatGrid grid;
    grid.resize(796, 446);
    grid.setHistoryRange({fromUnixNanos(0), fromUnixNanos(3'600'000'000'000)});
    grid.show();
    measure("heat_frame_160", grid, 4, 5, 8);
    grid.resize(796, 900);
    grid.setMode(HeatMode::MapOnly);
    measure("heat_map_frame_1024", grid, 16, 8, 8);
    return 0;
}
