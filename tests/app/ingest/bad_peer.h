// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace plimsoll {

/// A port on loopback that accepts, answers with these bytes once something was
/// said (or says nothing when they are empty), and then hangs up or holds on.
class BadPeer
{
public:
    enum class After : std::uint8_t { HangUp, HoldOn };

    BadPeer(std::string answer, After after) : m_answer(std::move(answer)), m_after(after)
    {
        m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in name{};
        name.sin_family = AF_INET;
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(name);
        if (::bind(m_listener, reinterpret_cast<sockaddr *>(&name), size) != 0 || ::listen(m_listener, 16) != 0)
            return;
        ::getsockname(m_listener, reinterpret_cast<sockaddr *>(&name), &size);
        m_port = ntohs(name.sin_port);
        m_thread = std::jthread([this](const std::stop_token &stop) { serve(stop); });
    }
    BadPeer(const BadPeer &) = delete;
    BadPeer &operator=(const BadPeer &) = delete;
    ~BadPeer()
    {
        m_thread = {}; // joins
        for (const int held : m_held)
            ::close(held);
        ::close(m_listener);
    }

    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(m_port); }

private:
    static bool isReadable(int fd, int waitMs)
    {
        pollfd waiting{fd, POLLIN, 0};
        return ::poll(&waiting, 1, waitMs) > 0;
    }

    void serve(const std::stop_token &stop)
    {
        while (!stop.stop_requested()) {
            if (!isReadable(m_listener, 20))
                continue;
            const int peer = ::accept(m_listener, nullptr, nullptr);
            if (peer < 0)
                continue;
            std::array<char, 512> heard{};
            if (!m_answer.empty() && isReadable(peer, 1000) && ::recv(peer, heard.data(), heard.size(), 0) > 0)
                (void)::send(peer, m_answer.data(), m_answer.size(), MSG_NOSIGNAL);
            if (m_after == After::HoldOn)
                m_held.push_back(peer);
            else
                ::close(peer);
        }
    }

    const std::string m_answer;
    const After m_after;
    int m_listener = -1;
    std::uint16_t m_port = 0;
    std::vector<int> m_held; // the thread's, then the destructor's
    std::jthread m_thread;
};

} // namespace plimsoll
