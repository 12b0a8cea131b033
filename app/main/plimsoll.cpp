// SPDX-License-Identifier: GPL-3.0-or-later
// The window, and what the program does without one. Parses arguments, wires objects, nothing else.
#include "plimsoll/options.h"
#include "plimsoll/screenshots.h"
#include "plimsoll/snapshot_command.h"
#include "plimsoll/stop_signal.h"

#include "session/app_paths.h"
#include "session/session.h"
#include "session/settings.h"
#include "views/main_window.h"
#include "widgets/theme/palette.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QLoggingCategory>
#include <QTemporaryDir>
#include <QTimer>

#include <cstdio>
#include <iostream>
#include <string_view>

using namespace plimsoll;

Q_LOGGING_CATEGORY(startup, "plimsoll.startup", QtWarningMsg)

namespace {

Theme themeOf(ThemeChoice choice)
{
    switch (choice) {
    case ThemeChoice::Light: return Theme::Light;
    case ThemeChoice::Dark: return Theme::Dark;
    case ThemeChoice::System: break;
    }
    return Theme::System;
}

SessionOptions sessionOptions(const CommandLine &line, Settings &settings)
{
    SessionOptions options;
    options.historyFile = line.historyFile;
    options.hostAgent = line.hostsAgent && settings.get(setting::kEmbeddedAgent);
    options.endpoints = settings.endpoints();
    for (const auto &address : line.connect)
        options.endpoints.push_back({{}, address, false});
    options.scrape = line.scrape;
    options.keepRaw = std::chrono::hours(settings.get(setting::kKeepRawHours));
    options.historyLimit = Bytes{settings.get(setting::kSizeLimitGiB) * kGiB};
    options.settings = &settings;
    return options;
}

} // namespace

int main(int argc, char **argv)
{
    QElapsedTimer sinceStart;
    sinceStart.start();
    if (argc > 1 && argv[1] == std::string_view("snapshot"))
        return runSnapshotCommand(argc - 1, argv + 1, std::cout, std::cerr);

    const ParsedCommandLine parsed = parseCommandLine(argc, argv);
    if (parsed.exitCode)
        return *parsed.exitCode;
    CommandLine line = parsed.line;

    // Pictures need no display, and their own folder: what a person has set and stored stays out of them.
    QTemporaryDir pictureFolder;
    if (!line.screenshots.isEmpty()) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        if (line.historyFile.empty())
            line.historyFile = std::filesystem::path(pictureFolder.path().toStdString()) / "history.sqlite";
    }
    if (line.historyFile.empty())
        line.historyFile = paths::historyFile();

    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("plimsoll"));
    QApplication::setApplicationDisplayName(QStringLiteral("Plimsoll"));
    QApplication::setApplicationVersion(QStringLiteral(PLIMSOLL_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("plimsoll"));

    const auto settingsFile = line.screenshots.isEmpty()
                                  ? std::filesystem::path()
                                  : std::filesystem::path(pictureFolder.path().toStdString()) / "plimsoll.ini";
    Settings settings(settingsFile);
    if (line.theme)
        settings.set(setting::kTheme, *line.theme);
    const auto applySetTheme = [&] { applyTheme(application, themeOf(settings.get(setting::kTheme))); };
    applySetTheme();
    QObject::connect(&settings, &Settings::changed, &application, [&](const QString &name) {
        if (name == QLatin1String(setting::kTheme.name))
            applySetTheme();
    });

    Session session(sessionOptions(line, settings));
    MainWindow window(session, settings, line.historyFile);
    QObject::connect(&window, &MainWindow::firstValuePainted, &application, [&] {
        qCInfo(startup, "first value painted after %lld ms", static_cast<long long>(sinceStart.elapsed()));
    });
    const StopSignal stop([&window] { window.close(); });

    window.show();
    // The window stands before the history is opened: a large or damaged one must not delay it.
    QTimer::singleShot(0, &session, [&] {
        qCInfo(startup, "window shown after %lld ms", static_cast<long long>(sinceStart.elapsed()));
        session.start();
    });

    if (line.screenshots.isEmpty())
        return QApplication::exec();
    Screenshots screenshots(window, session, settings, line.screenshots, [](int code) { QCoreApplication::exit(code); });
    screenshots.start();
    return QApplication::exec();
}
