// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/window/status_cells.h"

#include "base/format.h"
#include "views/connection_text.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>

namespace plimsoll {

namespace {

QString tr(const char *text, int n = -1)
{
    return QCoreApplication::translate("StatusCells", text, nullptr, n);
}

constexpr int kMostProblems = 3; // the rest is counted

} // namespace

std::vector<StatusStrip::Cell> statusCells(const SessionStatus &status, const std::vector<ConnectionState> &connections,
                                           Instant now, bool utc)
{
    std::vector<StatusStrip::Cell> out;
    const QString place = QStringLiteral("page.connections");
    if (connections.empty())
        out.push_back({tr("no agent"), std::nullopt, tr("Add an agent on the Connections page"), place});
    if (status.live > 0)
        out.push_back({tr("%n agent(s) live", status.live), Glyph::Fine, tr("Samples arrive in time"), place});
    if (status.connecting > 0)
        out.push_back({tr("%n connecting", status.connecting), std::nullopt, {}, place});

    int named = 0;
    int unnamed = 0;
    for (const auto &connection : connections) {
        if (connection.phase == ConnectionPhase::Live || connection.phase == ConnectionPhase::Connecting)
            continue;
        if (++named > kMostProblems) {
            ++unnamed;
            continue;
        }
        out.push_back({connectionTitle(connection) + u' ' + phaseText(connection, now, utc), phaseGlyph(connection.phase),
                       shown(connection.problem, 300), place});
    }
    if (unnamed > 0)
        out.push_back({tr("%n more with problems", unnamed), Glyph::Trend, {}, place});

    out.push_back({tr("%1 samples/s, %2 dropped")
                       .arg(QString::fromStdString(formatCount(status.samplesPerSecond).text()),
                            QString::fromStdString(formatCount(static_cast<double>(status.dropped)).text())),
                   status.dropped > 0 ? std::optional(Glyph::Trend) : std::nullopt, tr("Taken in now, and lost since the start"),
                   place});
    out.push_back({tr("cache %1").arg(QString::fromStdString(formatBytes(status.history.size).text())), std::nullopt,
                   tr("What the history takes on disk"), QStringLiteral("page.settings")});
    if (const QString sentence = historySentence(status.history); !sentence.isEmpty())
        out.push_back({sentence.section(QStringLiteral(" \u00b7 "), 0, 0), Glyph::Trend, sentence, QStringLiteral("page.settings")});
    return out;
}

} // namespace plimsoll
