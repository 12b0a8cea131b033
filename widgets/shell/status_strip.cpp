// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/status_strip.h"

#include "widgets/shell/status_cell.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/tokens.h"

#include <QHBoxLayout>
#include <QPainter>

namespace plimsoll {

StatusStrip::StatusStrip(QWidget *parent)
    : QWidget(parent)
    , m_leftRow(new QHBoxLayout)
    , m_rightRow(new QHBoxLayout)
{
    setFixedHeight(metrics::kStatusStrip);
    setAccessibleName(tr("Status"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(metrics::kGutter, 0, metrics::kGutter, 0);
    row->setSpacing(0);
    for (QHBoxLayout *part : {m_leftRow, m_rightRow})
        part->setSpacing(0);
    row->addLayout(m_leftRow);
    row->addStretch(1);
    row->addLayout(m_rightRow);
}

void StatusStrip::setCells(std::vector<Cell> left, std::vector<Cell> right)
{
    fill(m_leftRow, m_left, left, false);
    fill(m_rightRow, m_right, right, true);
}

void StatusStrip::fill(QHBoxLayout *row, std::vector<StatusCell *> &cells, const std::vector<Cell> &wanted, bool isRight)
{
    // The figures change each second: cells are reused, so that focus and hover stay.
    while (cells.size() > wanted.size()) {
        cells.back()->hide();
        cells.back()->deleteLater();
        cells.pop_back();
    }
    while (cells.size() < wanted.size()) {
        auto *cell = new StatusCell(this);
        connect(cell, &StatusCell::clicked, this, [this, cell] {
            if (!cell->id().isEmpty())
                emit clicked(cell->id());
        });
        row->addWidget(cell);
        cells.push_back(cell);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
        cells[i]->setCell(wanted[i], isRight);
}

QAbstractButton *StatusStrip::cell(const QString &id) const
{
    for (const auto *cells : {&m_left, &m_right}) {
        for (StatusCell *cell : *cells) {
            if (cell->id() == id)
                return cell;
        }
    }
    return nullptr;
}

void StatusStrip::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    painter.fillRect(rect(), t.rail);
    draw::horizontal(painter, 0, width(), 0, t.line);
}

} // namespace plimsoll
