// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/window/maximiser.h"

#include "widgets/shell/panel.h"

#include <QApplication>
#include <QCursor>
#include <QSplitterHandle>

#include <algorithm>

namespace plimsoll {

namespace {

Panel *panelAround(QWidget *widget, const QWidget *page)
{
    for (; widget && widget != page; widget = widget->parentWidget())
        if (auto *panel = qobject_cast<Panel *>(widget))
            return panel;
    return nullptr;
}

} // namespace

void Maximiser::maximise(Panel *panel, QWidget *page)
{
    restore();
    if (!panel)
        return;
    m_panel = panel;
    for (QWidget *kept = panel; kept && kept != page; kept = kept->parentWidget()) {
        const auto siblings = kept->parentWidget()->findChildren<QWidget *>(QString(), Qt::FindDirectChildrenOnly);
        for (QWidget *sibling : siblings) {
            // Handles belong to their splitter, which shows them with their neighbours.
            if (sibling == kept || sibling->isHidden() || qobject_cast<QSplitterHandle *>(sibling))
                continue;
            sibling->hide();
            m_hidden.emplace_back(sibling);
        }
    }
}

void Maximiser::restore()
{
    m_panel = nullptr;
    for (const auto &widget : m_hidden)
        if (widget)
            widget->show();
    m_hidden.clear();
}

Panel *Maximiser::panelOf(QWidget *page)
{
    if (Panel *panel = panelAround(QApplication::focusWidget(), page); panel && page->isAncestorOf(panel))
        return panel;
    if (QWidget *below = QApplication::widgetAt(QCursor::pos()); below && page->isAncestorOf(below))
        if (Panel *panel = panelAround(below, page))
            return panel;
    Panel *largest = nullptr;
    const auto area = [](const Panel *panel) { return panel->width() * panel->height(); };
    for (Panel *panel : page->findChildren<Panel *>())
        if (panel->isVisible() && (!largest || area(panel) > area(largest)))
            largest = panel;
    return largest;
}

} // namespace plimsoll
