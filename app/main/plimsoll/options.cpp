// SPDX-License-Identifier: GPL-3.0-or-later
#include "options.h"

#include <QCommandLineParser>

#include <cstdio>

namespace plimsoll {

namespace {

std::vector<std::string> strings(const QStringList &list)
{
    std::vector<std::string> out;
    for (const auto &text : list)
        out.push_back(text.toStdString());
    return out;
}

void print(std::FILE *to, const QString &text)
{
    std::fputs(qPrintable(text), to);
}

} // namespace

ParsedCommandLine parseCommandLine(int argc, char **argv)
{
    QStringList arguments;
    for (int i = 0; i < argc; ++i)
        arguments << QString::fromLocal8Bit(argv[i]);

    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("How full memory is, how fast it fills and how long is left.\n"
                                                    "Without options it watches this machine."));
    const QCommandLineOption connect(QStringLiteral("connect"), QStringLiteral("Watch the agent at ADDR too (host:port or unix:/path)."),
                                     QStringLiteral("ADDR"));
    const QCommandLineOption scrape(QStringLiteral("scrape"), QStringLiteral("The embedded agent reads the exporter at URL too."),
                                    QStringLiteral("URL"));
    const QCommandLineOption noAgent(QStringLiteral("no-embedded-agent"), QStringLiteral("Do not watch this machine."));
    const QCommandLineOption history(QStringLiteral("history"), QStringLiteral("Keep the history in FILE."), QStringLiteral("FILE"));
    const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("light, dark or system."), QStringLiteral("THEME"));
    const QCommandLineOption screenshots(QStringLiteral("screenshots"),
                                         QStringLiteral("Write a picture of every page into DIR and end; needs no display."),
                                         QStringLiteral("DIR"));
    const QCommandLineOption help({QStringLiteral("h"), QStringLiteral("help")}, QStringLiteral("Print this help."));
    const QCommandLineOption version(QStringLiteral("version"), QStringLiteral("Print the version."));
    for (const auto &option : {connect, scrape, noAgent, history, theme, screenshots, help, version})
        parser.addOption(option);

    ParsedCommandLine out;
    const auto refuse = [&out](const QString &sentence) {
        print(stderr, QStringLiteral("plimsoll: ") + sentence + QStringLiteral("\nTry plimsoll --help.\n"));
        out.exitCode = 2;
        return out;
    };
    if (!parser.parse(arguments))
        return refuse(parser.errorText());
    if (parser.isSet(version)) {
        print(stdout, QStringLiteral("plimsoll " PLIMSOLL_VERSION "\n"));
        out.exitCode = 0;
        return out;
    }
    if (parser.isSet(help)) {
        // helpText() asks the application for its name, and there is none yet.
        print(stdout, QStringLiteral("Usage: plimsoll [options]\n       plimsoll snapshot FILE [--json]   explain an allocator snapshot; more: plimsoll snapshot --help\n") + parser.applicationDescription()
                          + QStringLiteral("\n\nOptions:\n"
                                           "  --connect ADDR        watch the agent at ADDR too (host:port or unix:/path)\n"
                                           "  --scrape URL          the embedded agent reads the exporter at URL too\n"
                                           "  --no-embedded-agent   do not watch this machine\n"
                                           "  --history FILE        keep the history in FILE\n"
                                           "  --theme THEME         light, dark or system\n"
                                           "  --screenshots DIR     write a picture of every page into DIR and end\n"
                                           "  --version             print the version\n"
                                           "  -h, --help            print this help\n"));
        out.exitCode = 0;
        return out;
    }
    if (!parser.positionalArguments().isEmpty())
        return refuse(QStringLiteral("unexpected argument '%1'").arg(parser.positionalArguments().first()));
    if (parser.isSet(theme)) {
        const QString name = parser.value(theme);
        if (name == QStringLiteral("light"))
            out.line.theme = ThemeChoice::Light;
        else if (name == QStringLiteral("dark"))
            out.line.theme = ThemeChoice::Dark;
        else if (name == QStringLiteral("system"))
            out.line.theme = ThemeChoice::System;
        else
            return refuse(QStringLiteral("--theme is light, dark or system, not '%1'").arg(name));
    }
    out.line.connect = strings(parser.values(connect));
    out.line.scrape = strings(parser.values(scrape));
    out.line.hostsAgent = !parser.isSet(noAgent);
    out.line.historyFile = parser.value(history).toStdString();
    out.line.screenshots = parser.value(screenshots);
    if (parser.isSet(screenshots) && out.line.screenshots.isEmpty())
        return refuse(QStringLiteral("--screenshots needs a folder"));
    return out;
}

} // namespace plimsoll
