// SPDX-License-Identifier: GPL-3.0-or-later
// What the flow tests share: the real agent as a program, and a desktop side without a window.
#pragma once

#include "history/history.h"
#include "ingest/channel.h"

#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

#include <sys/prctl.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::flow {

/// A program that dies with the test, however the test ends.
class Program
{
public:
    ~Program() { stop(); }

    /// Starts and waits for a line on standard output that begins with `ready`; returns the line.
    [[nodiscard]] std::string start(const QString &program, const QStringList &arguments, const QByteArray &ready,
                                    const QProcessEnvironment &environment = QProcessEnvironment::systemEnvironment())
    {
        m_process = std::make_unique<QProcess>();
        m_process->setProcessEnvironment(environment);
        m_process->setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
        m_process->start(program, arguments);
        QByteArray line;
        while (m_process->waitForReadyRead(60'000)) {
            while (m_process->canReadLine()) {
                line = m_process->readLine().trimmed();
                if (line.startsWith(ready))
                    return line.toStdString();
            }
        }
        qWarning("%s did not get ready: %s", qPrintable(program), qPrintable(m_process->errorString()));
        return {};
    }

    [[nodiscard]] qint64 pid() const { return m_process ? m_process->processId() : 0; }
    [[nodiscard]] QProcess *process() const { return m_process.get(); }

    void kill9()
    {
        if (m_process) {
            m_process->kill();
            m_process->waitForFinished();
        }
    }
    /// SIGTERM; true when it ended by itself.
    bool stop()
    {
        if (!m_process || m_process->state() == QProcess::NotRunning)
            return true;
        m_process->closeWriteChannel();
        m_process->terminate();
        if (m_process->waitForFinished(10'000))
            return true;
        kill9();
        return false;
    }

private:
    std::unique_ptr<QProcess> m_process;
};

/// plimsoll-agent with a spool of its own on a Unix socket in a temporary folder.
class AgentProgram : public Program
{
public:
    explicit AgentProgram(const QString &folder)
        : m_listen(QStringLiteral("unix:") + folder + QStringLiteral("/agent.sock")), m_spool(folder + QStringLiteral("/spool"))
    {
    }

    [[nodiscard]] bool start(const QStringList &more = {})
    {
        const QString program = QStringLiteral(PLIMSOLL_BINARY_DIR "/plimsoll-agent");
        const QStringList arguments{QStringLiteral("--listen"), m_listen, QStringLiteral("--spool"), m_spool};
        return !Program::start(program, arguments + more, "listening on ").empty();
    }
    [[nodiscard]] EndpointConfig endpoint() const { return {"agent", m_listen.toStdString(), false}; }

private:
    QString m_listen;
    QString m_spool;
};

/// History and one channel: what a window has behind it.
class Desktop
{
public:
    Desktop(const std::filesystem::path &file, const EndpointConfig &endpoint)
    {
        HistoryOptions options;
        options.file = file;
        options.commitInterval = std::chrono::milliseconds(100);
        auto opened = History::open(options);
        if (!opened)
            qFatal("%s", opened.error().detail.c_str());
        m_history = std::move(*opened);
        ChannelOptions wanted;
        wanted.endpoint = endpoint;
        wanted.firstBackoff = std::chrono::milliseconds(50);
        wanted.longestBackoff = std::chrono::milliseconds(400); // tests are impatient
        m_channel = std::make_unique<Channel>(
            wanted, m_history->inbox(), [this](const std::string &agent) { return m_history->resumePoint(agent); },
            [](const ConnectionState &) {});
    }

    [[nodiscard]] History &history() const { return *m_history; }
    [[nodiscard]] Channel &channel() const { return *m_channel; }
    [[nodiscard]] ConnectionState state() const { return m_channel->state(); }
    void disconnect() { m_channel.reset(); }

    /// The newest of the series that match, by their last sample.
    [[nodiscard]] std::optional<SeriesEntry> find(const std::function<bool(const SeriesEntry &)> &matches) const
    {
        std::optional<SeriesEntry> best;
        for (SeriesEntry &entry : m_history->latest()) {
            if (entry.lastTime && matches(entry) && (!best || *best->lastTime < *entry.lastTime))
                best = std::move(entry);
        }
        return best;
    }

private:
    std::unique_ptr<History> m_history;
    std::unique_ptr<Channel> m_channel; // ends first
};

struct TimedValue
{
    Instant time;
    double value = 0;

    friend bool operator==(const TimedValue &, const TimedValue &) = default;
};

/// Every sample of a series as it is, oldest first.
[[nodiscard]] inline std::vector<TimedValue> samplesOf(const History &history, SeriesId series)
{
    std::vector<TimedValue> samples;
    const auto extent = history.extent();
    if (!extent || !*extent)
        return samples;
    const SeriesId ids[] = {series};
    // So many pixels that every sample has a bucket of its own.
    const auto slices = history.slice(ids, {(*extent)->begin, (*extent)->end + Duration{1}}, 1 << 24, {});
    if (!slices)
        qFatal("%s", slices.error().detail.c_str());
    for (const Bucket &bucket : slices->front().buckets) {
        if (bucket.count != 1)
            qFatal("a bucket holds %u samples", bucket.count);
        samples.push_back({bucket.lastTime, bucket.last});
    }
    return samples;
}

/// "VmRSS:" and its like out of /proc/PID/status or /proc/meminfo, in bytes.
[[nodiscard]] inline std::optional<double> procBytes(const std::string &file, std::string_view key)
{
    std::ifstream in(file);
    std::string word;
    double kib = 0;
    while (in >> word) {
        if (word == key && in >> kib)
            return kib * 1024;
    }
    return std::nullopt;
}

[[nodiscard]] inline std::size_t entriesOf(const std::string &folder)
{
    std::size_t count = 0;
    std::error_code gone;
    for (std::filesystem::directory_iterator entry(folder, gone), end; entry != end; entry.increment(gone))
        ++count;
    return count;
}

[[nodiscard]] inline bool isMetric(const SeriesEntry &entry, std::string_view metric) { return entry.info.key.metric == metric; }

} // namespace plimsoll::flow
