// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <string>
#include <vector>

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace plimsoll::historytest {

/// This test program once more, in another role. By posix_spawn: after the fork in QProcess
/// ThreadSanitizer refuses every new thread.
class Self
{
public:
    explicit Self(std::vector<std::string> arguments)
    {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            return;
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        arguments.insert(arguments.begin(), "self");
        std::vector<char *> pointers;
        for (auto &argument : arguments)
            pointers.push_back(argument.data());
        pointers.push_back(nullptr);
        if (::posix_spawn(&m_pid, "/proc/self/exe", &actions, nullptr, pointers.data(), environ) != 0)
            m_pid = -1;
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        m_output = ends[0];
    }
    Self(const Self &) = delete;
    Self &operator=(const Self &) = delete;
    ~Self()
    {
        if (m_pid > 0) {
            kill();
            (void)wait();
        }
        ::close(m_output);
    }

    /// True as soon as it has written something.
    [[nodiscard]] bool waitForOutput(int timeoutMs) const
    {
        pollfd waited{m_output, POLLIN, 0};
        return m_pid > 0 && ::poll(&waited, 1, timeoutMs) == 1 && (waited.revents & POLLIN) != 0;
    }
    void kill() const { ::kill(m_pid, SIGKILL); }
    /// Its status as waitpid gives it; -1 when it was never there.
    [[nodiscard]] int wait()
    {
        int status = -1;
        if (m_pid > 0)
            ::waitpid(m_pid, &status, 0);
        m_pid = -1;
        return status;
    }

private:
    pid_t m_pid = -1;
    int m_output = -1;
};

} // namespace plimsoll::historytest
