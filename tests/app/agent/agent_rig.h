// SPDX-License-Identifier: GPL-3.0-or-later
// What the agent's tests share: a folder that goes away, files of a made-up /proc,
// real child processes, and a journal read back into model values.
#pragma once

#include "agent/journal.h"
#include "agent/spool.h"
#include "base/time.h"
#include "wire/to_model.h"

#include <plimsoll/v1/agent.pb.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::test {

namespace fs = std::filesystem;

class Folder
{
public:
    Folder()
    {
        std::string name = (fs::temp_directory_path() / "plimsoll-agent-XXXXXX").string();
        m_path = ::mkdtemp(name.data()) != nullptr ? name : std::string();
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    ~Folder()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    [[nodiscard]] const fs::path &path() const { return m_path; }
    [[nodiscard]] fs::path operator/(std::string_view name) const { return m_path / name; }

    void write(std::string_view name, std::string_view text) const
    {
        fs::create_directories((m_path / name).parent_path());
        std::ofstream(m_path / name, std::ios::binary | std::ios::trunc).write(text.data(), static_cast<std::streamsize>(text.size()));
    }

private:
    fs::path m_path;
};

/// A real child process; killed and reaped at the end.
class Child
{
public:
    /// Runs `body` in a fork; it must end by _exit or exec.
    template <class Body>
    explicit Child(Body body) : m_pid(::fork())
    {
        if (m_pid == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            body();
            ::_exit(127);
        }
    }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;
    ~Child() { end(); }

    [[nodiscard]] int pid() const { return m_pid; }
    void kill() const { ::kill(m_pid, SIGKILL); } // stays a zombie until end()
    int end()
    {
        int status = -1;
        if (m_pid > 0) {
            ::kill(m_pid, SIGKILL);
            ::waitpid(m_pid, &status, 0);
            m_pid = -1;
        }
        return status;
    }

private:
    pid_t m_pid;
};

/// sleep(1) with variables of ours in its environment.
inline auto sleeper(std::vector<std::pair<std::string, std::string>> variables)
{
    return [variables = std::move(variables)] {
        for (const auto &[name, value] : variables)
            ::setenv(name.c_str(), value.c_str(), 1);
        ::execlp("sleep", "sleep", "300", nullptr);
    };
}

inline Spool memorySpool()
{
    SpoolOptions options;
    options.fallbackId = "test";
    return std::move(*Spool::open(std::move(options)));
}

struct JournalContents
{
    std::map<std::uint32_t, SeriesInfo> series;
    std::vector<Frame> frames;
    std::vector<LostFrames> lost;
    std::vector<std::string> faults; // messages that were not valid, series used before they were defined

    [[nodiscard]] std::vector<Event> events() const
    {
        std::vector<Event> out;
        for (const auto &frame : frames) {
            if (const auto *event = std::get_if<Event>(&frame.body))
                out.push_back(*event);
        }
        return out;
    }
    [[nodiscard]] std::vector<Event> events(EventKind kind) const
    {
        auto out = events();
        std::erase_if(out, [kind](const Event &event) { return event.kind != kind; });
        return out;
    }
    /// All values of the series with this metric that have this label (any when empty), oldest first.
    [[nodiscard]] std::vector<double> values(std::string_view metricName, std::string_view labelName = {},
                                             std::string_view labelValue = {}) const
    {
        std::vector<double> out;
        for (const auto &frame : frames) {
            const auto *block = std::get_if<SampleBlock>(&frame.body);
            for (std::size_t i = 0; block != nullptr && i < block->columns.size(); ++i) {
                const auto known = series.find(block->columns[i]);
                if (known == series.end())
                    continue;
                const auto &key = known->second.key;
                if (key.metric == metricName && (labelName.empty() || key.labels.value(labelName) == labelValue))
                    out.push_back(block->values[i]);
            }
        }
        return out;
    }
    [[nodiscard]] std::optional<double> last(std::string_view metricName, std::string_view labelName = {},
                                             std::string_view labelValue = {}) const
    {
        const auto all = values(metricName, labelName, labelValue);
        return all.empty() ? std::nullopt : std::optional(all.back());
    }
    [[nodiscard]] const SeriesInfo *find(std::string_view metricName, std::string_view labelName = {},
                                         std::string_view labelValue = {}) const
    {
        for (const auto &[id, info] : series) {
            if (info.key.metric == metricName && (labelName.empty() || info.key.labels.value(labelName) == labelValue))
                return &info;
        }
        return nullptr;
    }
};

/// Takes one message of a stream, as a client would.
inline void take(std::string_view bytes, JournalContents &into)
{
    v1::WatchMessage message;
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        into.faults.emplace_back("not a message");
        return;
    }
    auto watched = wire::toModel(message);
    if (!watched) {
        into.faults.push_back(watched.error().detail);
        return;
    }
    if (auto *definitions = std::get_if<std::vector<SeriesDefinition>>(&watched->body)) {
        for (auto &definition : *definitions)
            into.series[definition.id] = std::move(definition.info);
    } else if (auto *frame = std::get_if<Frame>(&watched->body)) {
        if (const auto *block = std::get_if<SampleBlock>(&frame->body)) {
            for (const auto id : block->columns) {
                if (!into.series.contains(id))
                    into.faults.push_back("series " + std::to_string(id) + " is used before it is defined");
            }
        }
        into.frames.push_back(std::move(*frame));
    } else if (const auto *lost = std::get_if<LostFrames>(&watched->body)) {
        into.lost.push_back(*lost);
    }
}

inline JournalContents readAll(const Journal &journal, SpoolCursor cursor = {})
{
    JournalContents contents;
    std::string payload;
    for (;;) {
        const auto item = journal.read(cursor, payload);
        if (item.kind == SpoolItem::Kind::End)
            return contents;
        if (item.kind == SpoolItem::Kind::Lost)
            contents.lost.push_back({item.first, item.last});
        else
            take(payload, contents);
    }
}

} // namespace plimsoll::test
