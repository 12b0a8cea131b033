// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/session_news.h"

#include <algorithm>
#include <utility>

namespace plimsoll {
namespace {

template <class T>
void take(T &mine, T &&later)
{
    if (later)
        mine = std::move(later);
}

} // namespace

void SessionNews::add(SessionNews later)
{
    take(history, std::move(later.history));
    take(fleet, std::move(later.fleet));
    take(series, std::move(later.series));
    take(connections, std::move(later.connections));
    take(status, std::move(later.status));
    take(events, std::move(later.events));
    take(extent, std::move(later.extent));
    isSeriesSetNew = isSeriesSetNew || later.isSeriesSetNew;
    if (committed && later.committed)
        committed = {std::min(committed->begin, later.committed->begin), std::max(committed->end, later.committed->end)};
    else
        take(committed, std::move(later.committed));
    failures.insert(failures.end(), std::make_move_iterator(later.failures.begin()),
                    std::make_move_iterator(later.failures.end()));
}

bool SessionNews::isEmpty() const
{
    return !history && !fleet && !series && !isSeriesSetNew && !connections && !status && !events && !extent && !committed
        && failures.empty();
}

} // namespace plimsoll
