// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/history_opener.h"

#include "session/app_paths.h"

#include <system_error>

namespace plimsoll {
namespace {

using Kind = SessionFailure::Kind;

Kind kindOf(Error::Code code)
{
    switch (code) {
    case Error::Code::Busy: return Kind::HistoryLocked;
    case Error::Code::Unsupported: return Kind::HistoryNewer;
    default: return Kind::HistoryUnusable;
    }
}

} // namespace

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored; // what cannot be removed is the temporary folder's own matter
    std::filesystem::remove_all(m_path, ignored);
}

OpenedHistory openHistory(const HistoryOptions &options, const History::Committed &committed, const Clock &clock)
{
    OpenedHistory opened;
    std::error_code ignored; // open() says what is wrong with the folder
    std::filesystem::create_directories(options.file.parent_path(), ignored);
    auto history = History::open(options, committed, clock);
    if (history) {
        opened.history = std::move(*history);
        opened.failure = failureOf(opened.history->state());
        return opened;
    }
    opened.failure = SessionFailure{kindOf(history.error().code), history.error().detail};

    auto folder = paths::makePrivateFolder();
    if (!folder) {
        opened.failure = SessionFailure{Kind::HistoryNone, folder.error().detail};
        return opened;
    }
    opened.folder = std::make_unique<TemporaryFolder>(*folder);
    HistoryOptions temporary = options;
    temporary.file = *folder / "history.sqlite";
    history = History::open(temporary, committed, clock);
    if (history)
        opened.history = std::move(*history);
    else
        opened.failure = SessionFailure{Kind::HistoryNone, history.error().detail};
    return opened;
}

std::optional<SessionFailure> failureOf(const HistoryState &state)
{
    switch (state.health) {
    case HistoryState::Health::Fine: return std::nullopt;
    case HistoryState::Health::SetAside: return SessionFailure{Kind::HistorySetAside, state.detail};
    case HistoryState::Health::ReadOnly: return SessionFailure{Kind::HistoryReadOnly, state.detail};
    case HistoryState::Health::DiskFull: return SessionFailure{Kind::DiskFull, state.detail};
    case HistoryState::Health::Locked: return SessionFailure{Kind::HistoryLocked, state.detail};
    case HistoryState::Health::Failed: return SessionFailure{Kind::HistoryFailed, state.detail};
    }
    return std::nullopt;
}

} // namespace plimsoll
