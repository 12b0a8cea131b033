// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "capture.h"

#include <QProcess>
#include <QTemporaryDir>

namespace plimsoll {

inline bool hasGenerator()
{
    return QFileInfo::exists(QStringLiteral(PLIMSOLL_SHARED_DATA "/../tools/make_snapshot.py"));
}

/// A snapshot that the generator makes with these options; null when it fails.
inline std::unique_ptr<MemorySnapshot> generated(const QString &options)
{
    const QTemporaryDir folder;
    const auto path = folder.filePath(QStringLiteral("made.pickle"));
    auto arguments =
        (QStringLiteral("--events 4000 --layers 6 --hidden 1024 --frames-depth 8 --distinct-frames 100 ") + options)
            .split(QLatin1Char(' '), Qt::SkipEmptyParts);
    arguments.prepend(QStringLiteral(PLIMSOLL_SHARED_DATA "/../tools/make_snapshot.py"));
    arguments << QStringLiteral("-o") << path;
    QProcess python;
    python.start(QStringLiteral("python3"), arguments);
    if (!python.waitForFinished(60'000) || python.exitCode() != 0) {
        std::fprintf(stderr, "%s\n", python.readAllStandardError().constData());
        return nullptr;
    }
    return capture(path);
}

} // namespace plimsoll
