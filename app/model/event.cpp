// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/event.h"

namespace plimsoll {

std::string_view toString(EventKind kind) noexcept
{
    switch (kind) {
    case EventKind::AgentStarted: return "agent_started";
    case EventKind::AgentStopped: return "agent_stopped";
    case EventKind::JobStarted: return "job_started";
    case EventKind::JobEnded: return "job_ended";
    case EventKind::OomKill: return "oom_kill";
    case EventKind::LimitHit: return "limit_hit";
    case EventKind::OutOfMemory: return "out_of_memory";
    case EventKind::Checkpoint: return "checkpoint";
    case EventKind::Retry: return "retry";
    case EventKind::Deploy: return "deploy";
    case EventKind::ConfigChange: return "config_change";
    case EventKind::SpotReclaim: return "spot_reclaim";
    case EventKind::SourceDown: return "source_down";
    case EventKind::SourceUp: return "source_up";
    case EventKind::SamplesLost: return "samples_lost";
    case EventKind::ClockJump: return "clock_jump";
    case EventKind::AgentAway: return "agent_away";
    case EventKind::AgentBack: return "agent_back";
    case EventKind::Unknown: break;
    }
    return "unknown";
}

} // namespace plimsoll
