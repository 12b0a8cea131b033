// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/session_text.h"

#include "base/text.h"

#include <QCoreApplication>

namespace plimsoll {

QString sentenceOf(const SessionFailure &failure)
{
    using Kind = SessionFailure::Kind;
    const QString detail = QString::fromStdString(safeText(failure.detail, 300));
    const auto text = [&detail](const char *sentence) {
        const QString translated = QCoreApplication::translate("plimsoll::Session", sentence);
        // Where a translation holds no place for it, the detail is left out.
        return translated.contains(QLatin1String("%1")) ? translated.arg(detail) : translated;
    };
    switch (failure.kind) {
    case Kind::HistoryLocked:
        return text(QT_TRANSLATE_NOOP("plimsoll::Session",
            "Another program is using the history (%1). Live data is shown and kept only until this window closes. "
            "Close the other program and start again to keep it."));
    case Kind::HistoryUnusable:
        return text(QT_TRANSLATE_NOOP("plimsoll::Session",
            "The history cannot be opened (%1). Live data is shown and kept only until this window closes. "
            "Check the folder, or start with --history and another file."));
    case Kind::HistoryNewer:
        return text(QT_TRANSLATE_NOOP("plimsoll::Session",
            "The history was written by a newer version of Plimsoll (%1). It stays untouched; live data is kept only "
            "until this window closes. Use the newer version to read it."));
    case Kind::HistorySetAside:
        return text(QT_TRANSLATE_NOOP("plimsoll::Session",
            "The history was damaged and has been put aside (%1). A new one has been begun; nothing was deleted."));
    case Kind::HistoryNone:
        return text(QT_TRANSLATE_NOOP("plimsoll::Session",
            "No history can be kept, not even a temporary one (%1). Nothing can be shown until there is room in the "
            "temporary folder and Plimsoll is started again."));
    case Kind::HistoryReadOnly:
        return text(QT_TRANSLATE_NOOP("plimsoll::Session",
            "The history is read-only (%1). What is in it can be seen; new data is not kept."));
    case Kind::DiskFull:
        return text(QT_TRANSLATE_NOOP("plimsoll::Session",
            "The disk of the history is full (%1). Live data is still shown, but not kept. Make room; keeping goes on by itself."));
    case Kind::HistoryFailed:
        return text(QT_TRANSLATE_NOOP("plimsoll::Session",
            "The history cannot be written (%1). Live data is still shown, but not kept."));
    case Kind::AgentAddressInUse:
        return text(QT_TRANSLATE_NOOP("plimsoll::Session",
            "The agent for this machine cannot listen, its address is in use (%1). Other agents are not affected."));
    case Kind::AgentFailed:
        return text(QT_TRANSLATE_NOOP("plimsoll::Session",
            "The agent for this machine could not be started (%1). Other agents are not affected."));
    case Kind::TravelFailed:
        return text(QT_TRANSLATE_NOOP("plimsoll::Session",
            "The picture of that instant cannot be read (%1). Press Esc to return to where you were."));
    }
    return detail;
}

QString embeddedTitle() { return QCoreApplication::translate("plimsoll::Session", "this machine"); }

} // namespace plimsoll
