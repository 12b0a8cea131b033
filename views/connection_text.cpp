// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/connection_text.h"

#include "views/time_text.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace plimsoll {

namespace {

QString tr(const char *text, int n = -1)
{
    return QCoreApplication::translate("ConnectionText", text, nullptr, n);
}

} // namespace

QString connectionTitle(const ConnectionState &connection)
{
    if (connection.endpoint.isEmbedded && !connection.hostName.empty())
        return tr("%1, this machine").arg(shown(connection.hostName, 40));
    if (connection.endpoint.isEmbedded)
        return tr("this machine");
    if (!connection.endpoint.name.empty() || connection.hostName.empty())
        return shown(connection.endpoint.title(), 60);
    return shown(connection.hostName, 60);
}

QString sourcesText(const ConnectionState &connection)
{
    if (connection.sources.empty())
        return {};
    const auto all = static_cast<int>(connection.sources.size());
    const auto healthy = static_cast<int>(std::count_if(connection.sources.begin(), connection.sources.end(),
                                                        [](const SourceState &source) { return source.isHealthy; }));
    const QString whole = tr("%n source(s)", all);
    return healthy == all ? whole : tr("%1 of %2").arg(healthy).arg(whole);
}

Glyph phaseGlyph(ConnectionPhase phase)
{
    switch (phase) {
    case ConnectionPhase::Live: return Glyph::Fine;
    case ConnectionPhase::Lagging: return Glyph::Trend;
    case ConnectionPhase::Unreachable:
    case ConnectionPhase::Refused: return Glyph::Page;
    case ConnectionPhase::Connecting: break;
    }
    return Glyph::Retry;
}

QString phaseText(const ConnectionState &connection, Instant now, bool utc)
{
    switch (connection.phase) {
    case ConnectionPhase::Live: return tr("live");
    case ConnectionPhase::Lagging:
        return connection.lag ? tr("lags %1").arg(durationText(*connection.lag)) : tr("lags");
    case ConnectionPhase::Unreachable: return tr("unreachable %1").arg(sinceText(connection.since, now, utc));
    case ConnectionPhase::Refused: return tr("refused %1").arg(sinceText(connection.since, now, utc));
    case ConnectionPhase::Connecting: break;
    }
    return tr("connecting");
}

QString historySentence(const HistoryState &history)
{
    const QString detail = shown(history.detail, 160);
    const auto with = [&detail](const QString &sentence) {
        return detail.isEmpty() ? sentence : sentence + QStringLiteral(" \u00b7 ") + detail;
    };
    switch (history.health) {
    case HistoryState::Health::Fine: break;
    case HistoryState::Health::SetAside: return with(tr("The damaged history was set aside and a new one begun"));
    case HistoryState::Health::ReadOnly: return with(tr("The history cannot be written, live values go on"));
    case HistoryState::Health::DiskFull: return with(tr("The disk is full: nothing is kept until there is room"));
    case HistoryState::Health::Locked: return with(tr("Another program holds the history"));
    case HistoryState::Health::Failed: return with(tr("The history failed, live values go on"));
    }
    return {};
}

} // namespace plimsoll
