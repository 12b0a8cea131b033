// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/quantity.h"
#include "base/result.h"
#include "base/time.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll {

struct AgentOptions
{
    std::string listen = "unix:/run/plimsoll/agent.sock"; // or "127.0.0.1:7443"; port 0 = any free one
    Duration interval = std::chrono::seconds(1);
    std::vector<std::string> scrape; // URLs of exporters
    Duration scrapeInterval = std::chrono::seconds(5);
    std::map<std::string, int> jobs; // NAME → PID, beside those that say so themselves
    std::filesystem::path spool;     // folder; empty = memory only
    Bytes spoolLimit{64 * kMiB};
    std::string hostName;            // empty = this machine's
    std::filesystem::path procRoot = "/proc";        // replaced by tests
    std::filesystem::path cgroupRoot = "/sys/fs/cgroup";
    bool allowInsecure = false; // listen beyond this machine without encryption
    std::function<void(const std::string &)> log; // one plain line; any thread; null = silent
};

/// A running agent: collectors, spool and gRPC server, with threads of its own.
/// The same class serves plimsoll-agent and the window's embedded agent.
/// The destructor stops gracefully: the streams end, the spool is flushed.
/// A spool folder that cannot be written does not stop it: it goes on in memory
/// and says so in its source "spool".
class Agent
{
public:
    /// Errors: Busy (address or spool in use), BadInput (option), Io (cannot listen). Returns when it listens.
    [[nodiscard]] static Result<std::unique_ptr<Agent>> start(AgentOptions options);
    Agent(const Agent &) = delete;
    Agent &operator=(const Agent &) = delete;
    ~Agent();

    [[nodiscard]] std::string address() const; // as a client dials it, with the real port
    [[nodiscard]] std::string hostName() const;

private:
    class Private;
    explicit Agent(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace plimsoll
