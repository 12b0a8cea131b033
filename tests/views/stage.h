// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/session.h"
#include "session/settings.h"
#include "session/time_context.h"
#include "support/fake_agent.h"
#include "wire/version.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

namespace plimsoll::test {

inline constexpr double kGi = 1024.0 * 1024.0 * 1024.0;

/// A whole session over real gRPC whose numbers the test knows: one host of 64 GiB with 16 GiB
/// available, and a job "demo" of team nlp that holds 8 GiB in two processes, in a cgroup of 12 GiB.
class Stage
{
public:
    static constexpr double kHostLimit = 64 * kGi;
    static constexpr double kAvailable = 16 * kGi;
    static constexpr double kRss = 8 * kGi;
    static constexpr double kCgroupLimit = 12 * kGi;

    Stage() : settings(path("plimsoll.ini")), session(options())
    {
        agent.define(series());
    }

    /// `seconds` of history up to now, all values constant.
    void pushPast(int seconds)
    {
        const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
        SampleBlock block;
        for (int i = seconds; i >= 0; --i)
            block.times.push_back(now - std::chrono::seconds(i));
        fill(block);
        agent.push(std::move(block));
        lastPush = now;
    }
    void pushNow()
    {
        const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
        SampleBlock block;
        block.times.push_back(now);
        fill(block);
        agent.push(std::move(block));
    }
    void pushJobStart(Duration ago)
    {
        Event event;
        event.time = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()) - ago;
        event.kind = EventKind::JobStarted;
        event.labels = jobLabels();
        agent.push(std::move(event));
    }
    /// Waits until the window side knows the device and the job.
    [[nodiscard]] bool isKnown() const
    {
        const auto fleet = session.fleet();
        return !fleet->nodes.empty() && !fleet->jobs.empty() && fleet->jobs.front().rss.has_value() && session.extent();
    }

    static Labels jobLabels() { return {{"host.name", "stage-1"}, {"job.id", "demo"}, {"team", "nlp"}, {"model.id", "rag-7b"}, {"job.kind", "training"}}; }

    QTemporaryDir folder;
    FakeAgent agent;
    Settings settings;
    Session session;
    Instant lastPush{};

    [[nodiscard]] std::filesystem::path path(const char *name) const
    {
        return std::filesystem::path(folder.path().toStdString()) / name;
    }

private:
    static std::vector<SeriesDefinition> series()
    {
        const Labels host{{"host.name", "stage-1"}};
        const auto with = [](std::initializer_list<Labels::Pair> more) {
            Labels labels = jobLabels();
            for (const auto &[name, value] : more)
                labels.set(name, value);
            return labels;
        };
        const std::pair<std::string_view, Labels> all[] = {
            {metric::kHostLimit, host},
            {metric::kHostAvailable, host},
            {metric::kJobRss, with({{"cgroup.path", "/demo.slice"}})},
            {metric::kJobSwap, jobLabels()},
            {metric::kJobProcesses, jobLabels()},
            {metric::kProcessRss, with({{"process.pid", "4711"}, {"process.name", "python"}})},
            {metric::kProcessRss, with({{"process.pid", "4712"}, {"process.name", "<b>loader</b>"}})},
            {metric::kContainerUsage, with({{"cgroup.path", "/demo.slice"}})},
            {metric::kContainerWorkingSet, with({{"cgroup.path", "/demo.slice"}})},
            {metric::kContainerLimit, with({{"cgroup.path", "/demo.slice"}})},
        };
        std::vector<SeriesDefinition> out;
        for (const auto &[name, labels] : all) {
            SeriesDefinition definition;
            definition.id = static_cast<std::uint32_t>(out.size() + 1);
            definition.info.key = {std::string(name), labels};
            definition.info.unit = name == metric::kJobProcesses ? "1" : "By";
            definition.info.kind = MetricKind::Gauge;
            definition.info.group = "stage";
            out.push_back(std::move(definition));
        }
        return out;
    }

    static void fill(SampleBlock &block)
    {
        const double values[] = {kHostLimit, kAvailable, kRss,     0,            2,
                                 6 * kGi,    2 * kGi,    9 * kGi,  8.5 * kGi,    kCgroupLimit};
        std::uint32_t id = 0;
        for (const double value : values) {
            block.columns.push_back(++id);
            for (std::size_t row = 0; row < block.rows(); ++row)
                block.values.push_back(value);
        }
    }

    SessionOptions options()
    {
        wire::Hello hello;
        hello.version = wire::kProtocolVersion;
        hello.agent = "plimsoll-agent 9.9.9";
        hello.hostName = "stage-1";
        hello.agentId = "stage-agent";
        agent.setHello(hello);
        agent.setHeartbeatInterval(std::chrono::milliseconds(500));
        SessionOptions out;
        out.historyFile = path("history.sqlite");
        out.hostAgent = false;
        out.endpoints = {{"stage", agent.start("unix:" + path("a.sock").string()), false}};
        out.settings = &settings;
        return out;
    }
};

} // namespace plimsoll::test
