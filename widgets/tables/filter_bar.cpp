// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/filter_bar.h"

#include "widgets/tables/chip.h"
#include "widgets/theme/label.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"

#include <QHBoxLayout>

#include <algorithm>

namespace plimsoll {

FilterBar::FilterBar(QWidget *parent)
    : QWidget(parent)
    , m_row(new QHBoxLayout(this))
    , m_caption(new Label(tr("Filter"), TextRole::Caption, Ink::Text2))
    , m_right(new Label({}, TextRole::Caption, Ink::Text3))
    , m_add(Chip::makeAdd(tr("Add filter")))
    , m_more(Chip::makeAdd({}))
{
    setFixedHeight(metrics::kFilterRow);
    m_row->setContentsMargins(4, 0, 4, 0);
    m_row->setSpacing(metrics::kGutter);
    m_right->setElide(Qt::ElideRight);
    m_right->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_row->addWidget(m_caption);
    m_row->addWidget(m_more);
    m_row->addWidget(m_add);
    m_row->addWidget(m_right, 1);
    m_more->hide();
    connect(m_add, &Chip::clicked, this, &FilterBar::addClicked);
    connect(m_more, &Chip::clicked, this, [this] {
        // The first that found no room: opening it is how one reaches it.
        for (std::size_t i = 0; i < m_chips.size(); ++i) {
            if (m_chips[i]->isHidden())
                return emit filterClicked(m_filters[i].id);
        }
    });
    setAccessibleName(tr("Filter"));
}

void FilterBar::setFilters(std::vector<Filter> filters)
{
    if (filters == m_filters)
        return;
    m_filters = std::move(filters);
    rebuild();
}

void FilterBar::setRightText(const QString &text)
{
    m_right->setText(text);
}

Chip *FilterBar::chip(const QString &id) const
{
    for (std::size_t i = 0; i < m_filters.size(); ++i) {
        if (m_filters[i].id == id)
            return m_chips[i];
    }
    return nullptr;
}

void FilterBar::rebuild()
{
    for (Chip *chip : m_chips) {
        chip->hide();
        chip->deleteLater(); // the click that removes it comes from itself
    }
    m_chips.clear();
    int at = m_row->indexOf(m_caption) + 1;
    for (const Filter &filter : m_filters) {
        auto *made = new Chip(filter.key, filter.op, filter.value, this);
        made->setActive(filter.isActive);
        made->setRemovable(filter.isRemovable);
        connect(made, &Chip::clicked, this, [this, id = filter.id] { emit filterClicked(id); });
        connect(made, &Chip::removeClicked, this, [this, id = filter.id] { emit removeClicked(id); });
        m_row->insertWidget(at++, made);
        m_chips.push_back(made);
    }
    // Tab order is the order on the screen.
    QWidget *before = nullptr;
    for (QWidget *chip : m_chips) {
        if (before != nullptr)
            setTabOrder(before, chip);
        before = chip;
    }
    if (before != nullptr)
        setTabOrder(before, m_add);
    fit();
}

void FilterBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fit();
}

void FilterBar::fit()
{
    const int rest = m_caption->sizeHint().width() + m_add->sizeHint().width() + 4 * metrics::kGutter + 96;
    int room = width() - rest;
    int hidden = 0;
    for (Chip *chip : m_chips) {
        const int wanted = chip->sizeHint().width() + metrics::kGutter;
        const bool fits = hidden == 0 && wanted <= room;
        chip->setVisible(fits);
        if (fits)
            room -= wanted;
        else
            ++hidden;
    }
    m_more->setVisible(hidden > 0);
    if (hidden > 0) {
        m_more->setMore(tr("%n more", nullptr, hidden));
        QStringList names;
        for (std::size_t i = 0; i < m_chips.size(); ++i) {
            if (m_chips[i]->isHidden())
                names << m_chips[i]->text();
        }
        m_more->setToolTip(plainTip(names.join(QLatin1Char('\n'))));
    }
}

} // namespace plimsoll
