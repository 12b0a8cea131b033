// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/icons.h"

#include <QKeySequence>
#include <QObject>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

class QAction;
class QMenu;
class QWidget;

namespace plimsoll {

/// One thing that can be done. Menus, palette, shortcuts and the help of keys are
/// made from these and from nothing else.
struct Command
{
    QString id;      // "view.freeze": stable, never shown
    QString title;   // tr(): "Freeze or follow"
    QString section; // tr(): "View"; groups menus and help
    QKeySequence key = {}; // global: works wherever the focus is, apart from text fields
    QString canvasKeys = {}; // shown in the help for keys that a focused canvas handles: "W S, + −"
    std::function<void()> run = {}; // absent: only explained in the help
    std::function<bool()> isEnabled = {}; // absent: always
    std::optional<Icon> icon = {};
};

/// The commands of a window. GUI thread.
class CommandTable : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    /// A command of the same id is replaced.
    void add(Command command);
    void remove(const QString &id);
    [[nodiscard]] const std::vector<Command> &all() const { return m_commands; }
    [[nodiscard]] const Command *find(const QString &id) const; // nullptr when there is none

    /// False when there is no such command or it is not enabled now.
    bool run(const QString &id);
    [[nodiscard]] bool isEnabled(const QString &id) const;

    /// Makes an action with its shortcut for each command, now and for those that
    /// are added later. The window owns the actions.
    void install(QWidget *window);
    [[nodiscard]] QAction *action(const QString &id) const; // nullptr before install()

    /// Fills a menu with the commands of a section, in the order of adding.
    void fillMenu(QMenu *menu, const QString &section) const;
    [[nodiscard]] std::vector<QString> sections() const; // in the order of adding

signals:
    void changed();

private:
    void makeAction(const Command &command);

    std::vector<Command> m_commands;
    QWidget *m_window = nullptr;
};

} // namespace plimsoll
