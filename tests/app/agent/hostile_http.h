// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace plimsoll::test {

/// A tiny HTTP server on 127.0.0.1 that answers each path as a test says, with any bytes
/// and for ever if need be.
class HostileHttp
{
public:
    /// Called on a thread of its own for each request; writes until it is done or write() says false.
    class Peer
    {
    public:
        Peer(int fd, const std::atomic<bool> &stop) : m_fd(fd), m_stop(stop) {}
        [[nodiscard]] bool write(std::string_view bytes) const
        {
            while (!bytes.empty() && !m_stop) {
                const ssize_t put = ::send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
                if (put <= 0)
                    return false;
                bytes.remove_prefix(static_cast<std::size_t>(put));
            }
            return !m_stop;
        }
        /// False when the client has gone or the test ends.
        [[nodiscard]] bool wait(int milliseconds) const
        {
            pollfd state{m_fd, POLLIN | POLLRDHUP, 0};
            for (int waited = 0; waited < milliseconds && !m_stop; waited += 10) {
                if (::poll(&state, 1, 10) > 0)
                    return false;
            }
            return !m_stop;
        }

    private:
        int m_fd;
        const std::atomic<bool> &m_stop;
    };
    using Answer = std::function<void(const Peer &)>;

    HostileHttp() : m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(m_listener, reinterpret_cast<sockaddr *>(&address), size) == 0 && ::listen(m_listener, 16) == 0
            && ::getsockname(m_listener, reinterpret_cast<sockaddr *>(&address), &size) == 0)
            m_port = ntohs(address.sin_port);
        m_accepting = std::thread([this] { accept(); });
    }
    HostileHttp(const HostileHttp &) = delete;
    HostileHttp &operator=(const HostileHttp &) = delete;
    ~HostileHttp()
    {
        m_stop = true;
        ::shutdown(m_listener, SHUT_RDWR);
        m_accepting.join();
        {
            const std::lock_guard lock(m_mutex);
            for (const int fd : m_open)
                ::shutdown(fd, SHUT_RDWR);
        }
        for (auto &thread : m_peers)
            thread.join();
        ::close(m_listener);
    }

    [[nodiscard]] std::string url(const std::string &path) const
    {
        return "http://127.0.0.1:" + std::to_string(m_port) + path;
    }
    void on(const std::string &path, Answer answer)
    {
        const std::lock_guard lock(m_mutex);
        m_answers[path] = std::move(answer);
    }
    /// A well-behaved answer.
    void serve(const std::string &path, std::string body, std::string type = "text/plain; version=0.0.4",
               std::string status = "200 OK", std::string headers = {})
    {
        on(path, [=](const Peer &peer) {
            std::ignore = peer.write("HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: "
                                     + std::to_string(body.size()) + "\r\nConnection: close\r\n" + headers + "\r\n" + body);
        });
    }
    [[nodiscard]] int requests(const std::string &path) const
    {
        const std::lock_guard lock(m_mutex);
        const auto at = m_requests.find(path);
        return at == m_requests.end() ? 0 : at->second;
    }
    [[nodiscard]] std::string lastRequest() const
    {
        const std::lock_guard lock(m_mutex);
        return m_lastRequest;
    }

private:
    void accept()
    {
        while (!m_stop) {
            const int fd = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
            if (fd < 0)
                return;
            const std::lock_guard lock(m_mutex);
            m_open.push_back(fd);
            m_peers.emplace_back([this, fd] { answer(fd); });
        }
    }
    void answer(int fd)
    {
        std::string request;
        char c = 0;
        while (!request.ends_with("\r\n\r\n") && ::recv(fd, &c, 1, 0) == 1)
            request += c;
        const auto begin = request.find(' ') + 1;
        const auto path = request.substr(begin, request.find(' ', begin) - begin);
        Answer how;
        {
            const std::lock_guard lock(m_mutex);
            m_lastRequest = request;
            ++m_requests[path];
            if (const auto at = m_answers.find(path); at != m_answers.end())
                how = at->second;
        }
        if (how)
            how(Peer(fd, m_stop));
        const std::lock_guard lock(m_mutex);
        std::erase(m_open, fd);
        ::close(fd);
    }

    int m_listener;
    int m_port = 0;
    std::atomic<bool> m_stop = false;
    mutable std::mutex m_mutex;
    std::map<std::string, Answer> m_answers;
    std::map<std::string, int> m_requests;
    std::string m_lastRequest;
    std::vector<int> m_open;
    std::vector<std::thread> m_peers;
    std::thread m_accepting;
};

} // namespace plimsoll::test
