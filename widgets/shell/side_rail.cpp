// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/side_rail.h"

#include "widgets/shell/rail_item.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/label.h"
#include "widgets/theme/tokens.h"

#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace plimsoll {

namespace {

bool isSameShape(const std::vector<SideRail::Entry> &a, const std::vector<SideRail::Entry> &b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto &left, const auto &right) {
        return left.id == right.id && left.isAtBottom == right.isAtBottom;
    });
}

} // namespace

SideRail::SideRail(QWidget *parent)
    : QWidget(parent)
    , m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(metrics::kGutter, metrics::kGutter, metrics::kGutter, metrics::kGutter);
    m_column->setSpacing(0); // places stand 2 apart, pins close together
    setFixedWidth(metrics::kRailWidth);
    setAccessibleName(tr("Places"));
}

void SideRail::setEntries(std::vector<Entry> entries)
{
    if (entries == m_entries)
        return;
    const bool keepsItems = isSameShape(entries, m_entries);
    m_entries = std::move(entries);
    if (!keepsItems) {
        rebuild();
        return;
    }
    // Counts come live: the items stay, so that focus and hover do.
    for (const Entry &entry : m_entries)
        item(entry.id)->setEntry(entry);
}

void SideRail::setPins(std::vector<PinGroup> groups)
{
    if (groups == m_groups)
        return;
    m_groups = std::move(groups);
    rebuild();
}

void SideRail::setCurrent(const QString &id)
{
    m_current = id;
    for (RailItem *item : m_items)
        item->setCurrent(!item->isPin() && item->id() == id);
}

void SideRail::setFolded(bool isFolded)
{
    if (isFolded == m_isFolded)
        return;
    m_isFolded = isFolded;
    setFixedWidth(isFolded ? metrics::kRailFolded : metrics::kRailWidth);
    rebuild();
}

RailItem *SideRail::item(const QString &id) const
{
    const auto it = std::find_if(m_items.begin(), m_items.end(), [&id](const RailItem *item) { return item->id() == id; });
    return it == m_items.end() ? nullptr : *it;
}

void SideRail::rebuild()
{
    const bool hadFocus = std::any_of(m_items.begin(), m_items.end(), [](const RailItem *item) { return item->hasFocus(); });
    while (QLayoutItem *child = m_column->takeAt(0)) {
        if (QWidget *widget = child->widget()) {
            widget->hide();
            widget->deleteLater(); // the click that folds may come from one of them
        }
        delete child;
    }
    m_items.clear();

    const auto add = [this](RailItem *made, auto chooses) {
        made->setFolded(m_isFolded);
        made->installEventFilter(this);
        connect(made, &RailItem::clicked, this, chooses);
        m_column->addWidget(made);
        m_items.push_back(made);
        made->show();
    };
    const auto addEntries = [&](bool atBottom) {
        for (const Entry &entry : m_entries) {
            if (entry.isAtBottom != atBottom)
                continue;
            add(new RailItem(entry, this), [this, id = entry.id] { emit chosen(id); });
            if (!atBottom)
                m_column->addSpacing(2);
        }
    };
    addEntries(false);
    if (!m_isFolded) { // pins are names: without words they say nothing
        for (const PinGroup &group : m_groups) {
            m_column->addSpacing(6);
            auto *caption = new Label(group.caption, TextRole::Caption, Ink::Text2, this);
            caption->setFixedHeight(metrics::kTarget);
            caption->setContentsMargins(8, 0, 8, 0);
            m_column->addWidget(caption);
            caption->show();
            for (const Pin &pin : group.pins)
                add(new RailItem(pin, this), [this, id = pin.id] { emit pinChosen(id); });
        }
    }
    m_column->addStretch(1);
    addEntries(true);
    setCurrent(m_current);
    for (std::size_t i = 1; i < m_items.size(); ++i)
        setTabOrder(m_items[i - 1], m_items[i]);
    if (hadFocus && item(m_current) != nullptr)
        item(m_current)->setFocus(Qt::OtherFocusReason);
}

bool SideRail::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    auto *key = static_cast<QKeyEvent *>(event);
    const auto at = std::find(m_items.begin(), m_items.end(), watched);
    if (at == m_items.end())
        return QWidget::eventFilter(watched, event);
    const auto index = static_cast<int>(at - m_items.begin());
    const int last = static_cast<int>(m_items.size()) - 1;
    int wanted = index;
    switch (key->key()) {
    case Qt::Key_Up: wanted = std::max(0, index - 1); break;
    case Qt::Key_Down: wanted = std::min(last, index + 1); break;
    case Qt::Key_Home: wanted = 0; break;
    case Qt::Key_End: wanted = last; break;
    case Qt::Key_Return:
    case Qt::Key_Enter: (*at)->click(); return true;
    default: return QWidget::eventFilter(watched, event);
    }
    m_items[static_cast<std::size_t>(wanted)]->setFocus(Qt::TabFocusReason);
    return true;
}

void SideRail::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    painter.fillRect(rect(), t.rail);
    draw::vertical(painter, isRightToLeft() ? 0 : width() - draw::hairline(painter), 0, height(), t.line);
}

} // namespace plimsoll
