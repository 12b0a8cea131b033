// SPDX-License-Identifier: GPL-3.0-or-later
#include "stop_signal.h"

#include <QSocketNotifier>

#include <csignal>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace plimsoll {

namespace {

int s_pipe[2] = {-1, -1}; // a handler may write to a pipe and do little else
std::unique_ptr<QSocketNotifier> s_notifier;

void onSignal(int)
{
    const char byte = 1;
    [[maybe_unused]] const auto written = ::write(s_pipe[1], &byte, 1);
}

} // namespace

StopSignal::StopSignal(std::function<void()> stop)
{
    if (::pipe2(s_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    s_notifier = std::make_unique<QSocketNotifier>(s_pipe[0], QSocketNotifier::Read);
    QObject::connect(s_notifier.get(), &QSocketNotifier::activated, s_notifier.get(), [stop = std::move(stop)] {
        char byte = 0;
        while (::read(s_pipe[0], &byte, 1) == 1) {
        }
        stop();
    });
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

StopSignal::~StopSignal()
{
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    s_notifier.reset();
    for (int &end : s_pipe) {
        if (end >= 0)
            ::close(end);
        end = -1;
    }
}

} // namespace plimsoll
