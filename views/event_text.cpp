// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/event_text.h"

#include "base/format.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>

namespace plimsoll {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("EventText", text);
}

} // namespace

QString eventTitle(EventKind kind)
{
    switch (kind) {
    case EventKind::Unknown: return tr("event");
    case EventKind::AgentStarted: return tr("agent started");
    case EventKind::AgentStopped: return tr("agent stopped");
    case EventKind::JobStarted: return tr("job started");
    case EventKind::JobEnded: return tr("job ended");
    case EventKind::OomKill: return tr("OOM kill");
    case EventKind::LimitHit: return tr("limit hit");
    case EventKind::OutOfMemory: return tr("out of memory");
    case EventKind::Checkpoint: return tr("checkpoint");
    case EventKind::Retry: return tr("retry");
    case EventKind::Deploy: return tr("deploy");
    case EventKind::ConfigChange: return tr("configuration changed");
    case EventKind::SpotReclaim: return tr("spot reclaim");
    case EventKind::SourceDown: return tr("source down");
    case EventKind::SourceUp: return tr("source up");
    case EventKind::SamplesLost: return tr("samples lost");
    case EventKind::ClockJump: return tr("clock jumped");
    case EventKind::AgentAway: return tr("agent away");
    case EventKind::AgentBack: return tr("agent back");
    }
    return tr("event");
}

Glyph eventGlyph(EventKind kind)
{
    switch (kind) {
    case EventKind::OomKill:
    case EventKind::OutOfMemory: return Glyph::Kill;
    case EventKind::LimitHit:
    case EventKind::SamplesLost:
    case EventKind::SourceDown:
    case EventKind::SpotReclaim:
    case EventKind::ClockJump: return Glyph::Trend;
    case EventKind::AgentAway: return Glyph::Page;
    case EventKind::Checkpoint:
    case EventKind::Deploy:
    case EventKind::ConfigChange: return Glyph::Mark;
    case EventKind::Retry: return Glyph::Retry;
    case EventKind::SourceUp:
    case EventKind::AgentBack: return Glyph::Fine;
    case EventKind::AgentStarted:
    case EventKind::JobStarted: return Glyph::Started;
    case EventKind::AgentStopped:
    case EventKind::JobEnded: return Glyph::Ended;
    case EventKind::Unknown: break;
    }
    return Glyph::Info;
}

QString eventSubject(const Event &event)
{
    for (const auto name : {label::kJob, label::kGpu, label::kCgroup, label::kScrape, label::kHost})
        if (const auto value = event.labels.find(name))
            return shown(*value, 60);
    return {};
}

QString eventDetail(const Event &event)
{
    if (!event.text.empty())
        return shown(event.text, 200);
    if (event.value && (event.kind == EventKind::LimitHit || event.kind == EventKind::OutOfMemory))
        return QString::fromStdString(formatBytes(*event.value).text());
    return {};
}

bool isMarkedEvent(EventKind kind)
{
    return kind != EventKind::Unknown && kind != EventKind::SourceUp;
}

bool concernsJob(const Event &event, std::string_view job)
{
    const auto named = event.labels.find(label::kJob);
    return !named || *named == job;
}

} // namespace plimsoll
