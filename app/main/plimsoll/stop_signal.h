// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

namespace plimsoll {

/// SIGINT and SIGTERM end the program by its event loop, so that the history is committed.
/// One at a time, on the GUI thread.
class StopSignal
{
public:
    explicit StopSignal(std::function<void()> stop);
    StopSignal(const StopSignal &) = delete;
    StopSignal &operator=(const StopSignal &) = delete;
    ~StopSignal();
};

} // namespace plimsoll
