// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/history.h"

#include <QTemporaryDir>
#include <QTest>

#include <SQLiteCpp/SQLiteCpp.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace plimsoll::historytest {

/// Wall time stands still until it is set; monotonic time is the real one plus what was added.
class TestClock final : public Clock
{
public:
    [[nodiscard]] Instant now() const override { return Instant(Duration(m_now.load())); }
    [[nodiscard]] MonotonicInstant monotonicNow() const override
    {
        return systemClock().monotonicNow() + Duration(m_added.load());
    }
    void set(Instant now) { m_now = toUnixNanos(now); }
    void pass(Duration time) { m_added += time.count(); }

private:
    std::atomic<std::int64_t> m_now{0};
    std::atomic<std::int64_t> m_added{0};
};

/// A folder with a history in it.
struct Scene
{
    Scene()
    {
        options.file = (folder.path() + QStringLiteral("/history.plim")).toStdString();
        clock.set(begin + std::chrono::hours(1));
    }

    [[nodiscard]] Result<std::unique_ptr<History>> tryOpen(History::Committed committed = {})
    {
        return History::open(options, std::move(committed), clock);
    }
    [[nodiscard]] std::unique_ptr<History> open(History::Committed committed = {})
    {
        auto history = tryOpen(std::move(committed));
        if (!history) {
            qWarning("%s", history.error().detail.c_str());
            return nullptr;
        }
        return std::move(*history);
    }
    /// First column of the first row, by a connection of our own.
    [[nodiscard]] std::string question(const std::string &sql) const
    {
        SQLite::Database database(options.file.string(), SQLite::OPEN_READWRITE, 5000);
        SQLite::Statement query(database, sql);
        return query.executeStep() ? query.getColumn(0).getString() : std::string();
    }

    QTemporaryDir folder;
    HistoryOptions options;
    TestClock clock;
    Instant begin = fromUnixNanos(1'764'000'000'000'000'000);
};

/// An agent of so many series in one group, that numbers its frames.
class Feeder
{
public:
    using Value = std::function<double(int row, std::size_t column)>;

    Feeder(std::string agent, std::vector<std::string> metrics, std::uint64_t itsEpoch = 7)
        : epoch(itsEpoch), m_agent(std::move(agent)), m_metrics(std::move(metrics))
    {
    }

    [[nodiscard]] std::vector<SeriesDefinition> definitions() const
    {
        std::vector<SeriesDefinition> all;
        for (std::size_t i = 0; i < m_metrics.size(); ++i) {
            SeriesInfo info;
            info.key = {m_metrics[i], labels};
            info.unit = "By";
            info.kind = MetricKind::Gauge;
            info.group = group;
            info.interval = interval;
            info.source = {"source_" + m_metrics[i], "MiB", 1048576};
            all.push_back({static_cast<std::uint32_t>(i + 1), info});
        }
        return all;
    }

    /// One frame of rows one interval apart.
    [[nodiscard]] Delivery rows(Instant begin, int count, const Value &value)
    {
        SampleBlock block;
        for (int row = 0; row < count; ++row)
            block.times.push_back(begin + row * interval);
        for (std::size_t c = 0; c < m_metrics.size(); ++c) {
            block.columns.push_back(static_cast<std::uint32_t>(c + 1));
            for (int row = 0; row < count; ++row)
                block.values.push_back(value(row, c));
        }
        return frame(std::move(block));
    }

    [[nodiscard]] Delivery frame(SampleBlock block)
    {
        return {m_agent, epoch, definitions(), {{sequence++, std::move(block)}}, {}, {}};
    }

    static void post(History &history, Delivery delivery)
    {
        const auto weight = delivery.weight();
        while (!history.inbox().tryPost(delivery, weight))
            std::this_thread::yield(); // full: the writer takes everything in one go
    }

    std::uint64_t epoch = 7;
    std::uint64_t sequence = 1;
    std::string group = "g";
    Duration interval = std::chrono::seconds(1);
    Labels labels{{"host.name", "h"}};

private:
    std::string m_agent;
    std::vector<std::string> m_metrics;
};

} // namespace plimsoll::historytest
