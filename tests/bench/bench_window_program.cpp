// SPDX-License-Identifier: GPL-3.0-or-later
// The real program: how soon it shows a live value, and what it costs while nobody touches it.
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QThread>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <unistd.h>
#include <vector>

namespace {

constexpr int kStarts = 5;
constexpr int kPatienceMs = 20'000;
constexpr int kWarmUpMs = 5'000;
constexpr int kIdleMs = 20'000;

/// One run of the program with folders of its own, ended by SIGTERM.
class Program
{
public:
    explicit Program(const QString &folder)
    {
        auto environment = QProcessEnvironment::systemEnvironment();
        if (!environment.contains(QStringLiteral("DISPLAY")))
            environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("QT_LOGGING_RULES"), QStringLiteral("plimsoll.startup.info=true"));
        environment.insert(QStringLiteral("QT_FORCE_STDERR_LOGGING"), QStringLiteral("1"));
        for (const char *name : {"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"})
            environment.insert(QString::fromLatin1(name), folder);
        m_process.setProcessEnvironment(environment);
        m_process.setProgram(QStringLiteral(PLIMSOLL_BINARY_DIR "/plimsoll"));
        m_process.setArguments({QStringLiteral("--theme"), QStringLiteral("light")});
    }
    ~Program()
    {
        m_process.terminate();
        if (!m_process.waitForFinished(kPatienceMs))
            m_process.kill();
        m_process.waitForFinished();
    }
    /// Milliseconds from start to the line that says so; nullopt when it never came.
    std::optional<double> start()
    {
        QElapsedTimer timer;
        timer.start();
        m_process.start();
        QByteArray said;
        while (timer.elapsed() < kPatienceMs && m_process.state() != QProcess::NotRunning) {
            m_process.waitForReadyRead(50);
            said += m_process.readAllStandardError();
            if (said.contains("first value painted"))
                return static_cast<double>(timer.nsecsElapsed()) / 1e6;
        }
        std::fprintf(stderr, "%s\n", said.constData());
        return std::nullopt;
    }
    /// User and system time so far.
    [[nodiscard]] double cpuSeconds() const
    {
        QFile stat(QStringLiteral("/proc/%1/stat").arg(m_process.processId()));
        if (!stat.open(QIODevice::ReadOnly))
            return 0;
        const QByteArray text = stat.readAll();
        const auto fields = text.mid(text.lastIndexOf(')') + 2).split(' '); // the name may hold spaces
        return (fields.value(11).toDouble() + fields.value(12).toDouble()) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    }

private:
    QProcess m_process;
};

void print(const char *name, double value, const char *unit)
{
    std::printf("{\"bench\":\"window.%s\",\"value\":%.4g,\"unit\":\"%s\"}\n", name, value, unit);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    if (!QFile::exists(QStringLiteral(PLIMSOLL_BINARY_DIR "/plimsoll"))) {
        std::fputs("bench_window_program: build plimsoll first\n", stderr);
        return 1;
    }
    std::vector<double> starts;
    for (int i = 0; i < kStarts; ++i) {
        const QTemporaryDir folder; // a cold start has no history
        const auto took = Program(folder.path()).start();
        if (!took)
            return 1;
        starts.push_back(*took);
    }
    std::sort(starts.begin(), starts.end());
    print("cold_start_ms", starts[starts.size() / 2], "ms");

    const QTemporaryDir folder;
    Program program(folder.path());
    if (!program.start())
        return 1;
    QThread::msleep(kWarmUpMs);
    const double before = program.cpuSeconds();
    QElapsedTimer timer;
    timer.start();
    QThread::msleep(kIdleMs);
    const double seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    print("idle_cpu_percent", (program.cpuSeconds() - before) / seconds * 100, "%");
    return 0;
}
