// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/command.h"

#include <QAction>
#include <QMenu>
#include <QWidget>

#include <algorithm>

namespace plimsoll {

void CommandTable::add(Command command)
{
    const auto same = [&command](const Command &other) { return other.id == command.id; };
    const auto it = std::find_if(m_commands.begin(), m_commands.end(), same);
    if (it != m_commands.end()) {
        delete action(command.id);
        *it = std::move(command);
        if (m_window != nullptr)
            makeAction(*it);
    } else {
        m_commands.push_back(std::move(command));
        if (m_window != nullptr)
            makeAction(m_commands.back());
    }
    emit changed();
}

void CommandTable::remove(const QString &id)
{
    delete action(id);
    if (std::erase_if(m_commands, [&id](const Command &command) { return command.id == id; }) > 0)
        emit changed();
}

const Command *CommandTable::find(const QString &id) const
{
    const auto it = std::find_if(m_commands.begin(), m_commands.end(), [&id](const Command &command) { return command.id == id; });
    return it == m_commands.end() ? nullptr : &*it;
}

bool CommandTable::isEnabled(const QString &id) const
{
    const Command *command = find(id);
    return command != nullptr && command->run && (!command->isEnabled || command->isEnabled());
}

bool CommandTable::run(const QString &id)
{
    if (!isEnabled(id))
        return false;
    // A copy: the command may replace or remove itself.
    const auto run = find(id)->run;
    run();
    return true;
}

void CommandTable::install(QWidget *window)
{
    m_window = window;
    for (const Command &command : m_commands)
        makeAction(command);
}

QAction *CommandTable::action(const QString &id) const
{
    if (m_window == nullptr)
        return nullptr;
    for (QAction *action : m_window->actions()) {
        if (action->objectName() == id)
            return action;
    }
    return nullptr;
}

void CommandTable::makeAction(const Command &command)
{
    if (!command.run)
        return;
    auto *action = new QAction(command.title, m_window);
    action->setObjectName(command.id);
    action->setShortcut(command.key);
    action->setShortcutContext(Qt::WindowShortcut);
    // A shortcut of a disabled action would be swallowed silently by Qt too, but the
    // state is only known when asked: run() asks at the last moment.
    connect(action, &QAction::triggered, this, [this, id = command.id] { run(id); });
    m_window->addAction(action);
}

void CommandTable::fillMenu(QMenu *menu, const QString &section) const
{
    std::vector<QString> ids;
    for (const Command &command : m_commands) {
        if (command.section != section)
            continue;
        if (QAction *made = action(command.id)) {
            menu->addAction(made);
            ids.push_back(command.id);
        }
    }
    connect(menu, &QMenu::aboutToShow, this, [this, ids] {
        for (const QString &id : ids) {
            if (QAction *made = action(id))
                made->setEnabled(isEnabled(id));
        }
    });
    // Closed again everything is enabled, else its shortcut would be dead until the menu opens next.
    connect(menu, &QMenu::aboutToHide, this, [this, ids] {
        for (const QString &id : ids) {
            if (QAction *made = action(id))
                made->setEnabled(true);
        }
    }, Qt::QueuedConnection);
}

std::vector<QString> CommandTable::sections() const
{
    std::vector<QString> sections;
    for (const Command &command : m_commands) {
        if (std::find(sections.begin(), sections.end(), command.section) == sections.end())
            sections.push_back(command.section);
    }
    return sections;
}

} // namespace plimsoll
