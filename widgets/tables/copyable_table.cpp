// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/copyable_table.h"

#include "widgets/tables/value_delegate.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace plimsoll {

namespace {

QString oneLine(QString text)
{
    for (const QChar breaks : {QChar(u'\t'), QChar(u'\n'), QChar(u'\r'), QChar(QChar::LineSeparator), QChar(QChar::ParagraphSeparator)})
        text.replace(breaks, QLatin1Char(' '));
    return text;
}

} // namespace

CopyableTable::CopyableTable(QWidget *parent)
    : QTableView(parent)
    , m_delegate(new ValueDelegate(this))
{
    setItemDelegate(m_delegate);
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setWordWrap(false);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setTabKeyNavigation(false); // Tab leaves the table, arrows walk in it
    setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_Hover);

    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(metrics::kRow);
    setRowHeight(metrics::kRow);
    horizontalHeader()->setFixedHeight(metrics::kRow);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsClickable(true);
    horizontalHeader()->setMinimumSectionSize(32);
    horizontalHeader()->setTextElideMode(Qt::ElideNone); // the style elides, behind its arrow
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    applyHeaderFont();
}

void CopyableTable::setModel(QAbstractItemModel *newModel)
{
    QTableView::setModel(newModel);
    m_hoveredRow = -1;
    applyNameColumn();
}

void CopyableTable::setNameColumn(int column)
{
    m_nameColumn = column;
    m_delegate->setNameColumn(column);
    applyNameColumn();
}

void CopyableTable::setRowHeight(int px)
{
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(px);
}

void CopyableTable::applyNameColumn()
{
    if (model() == nullptr || horizontalHeader()->count() == 0)
        return;
    for (int column = 0; column < horizontalHeader()->count(); ++column)
        horizontalHeader()->setSectionResizeMode(column, QHeaderView::Interactive);
    if (m_nameColumn >= 0 && m_nameColumn < horizontalHeader()->count())
        horizontalHeader()->setSectionResizeMode(m_nameColumn, QHeaderView::Stretch);
}

void CopyableTable::applyHeaderFont()
{
    horizontalHeader()->setFont(plimsoll::font(TextRole::Caption));
}

QString CopyableTable::toTsv() const
{
    if (model() == nullptr)
        return {};
    std::vector<int> columns;
    for (int visual = 0; visual < horizontalHeader()->count(); ++visual) {
        const int column = horizontalHeader()->logicalIndex(visual);
        if (!isColumnHidden(column))
            columns.push_back(column);
    }
    std::vector<int> rows;
    if (selectionModel() != nullptr && selectionModel()->hasSelection()) {
        for (const QModelIndex &index : selectionModel()->selectedRows())
            rows.push_back(index.row());
        std::sort(rows.begin(), rows.end());
    } else {
        for (int row = 0; row < model()->rowCount(rootIndex()); ++row)
            rows.push_back(row);
    }

    QString text;
    const auto addLine = [&](auto cell) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (i > 0)
                text += QLatin1Char('\t');
            text += oneLine(cell(columns[i]));
        }
        text += QLatin1Char('\n');
    };
    addLine([this](int column) { return model()->headerData(column, Qt::Horizontal).toString(); });
    for (const int row : rows) {
        addLine([this, row](int column) {
            const QModelIndex index = model()->index(row, column, rootIndex());
            QString cell = index.data(Qt::DisplayRole).toString();
            // A bar's number is beside it, a unit after it.
            if (cell.isEmpty())
                cell = index.data(cellRole::RatioText).toString();
            const QString unit = index.data(cellRole::Unit).toString();
            return unit.isEmpty() ? cell : cell + QLatin1Char(' ') + unit;
        });
    }
    return text;
}

void CopyableTable::copy() const
{
    QGuiApplication::clipboard()->setText(toTsv());
}

void CopyableTable::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy)) {
        copy();
        event->accept();
        return;
    }
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && event->modifiers() == Qt::NoModifier && currentIndex().isValid()) {
        emit activated(currentIndex());
        event->accept();
        return;
    }
    QTableView::keyPressEvent(event);
}

void CopyableTable::contextMenuEvent(QContextMenuEvent *event)
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Copy rows"), QKeySequence(QKeySequence::Copy), this, &CopyableTable::copy);
    menu->addAction(tr("Select all"), QKeySequence(QKeySequence::SelectAll), this, &CopyableTable::selectAll);
    menu->popup(event->globalPos());
}

void CopyableTable::mouseMoveEvent(QMouseEvent *event)
{
    const QModelIndex index = indexAt(event->position().toPoint());
    setHoveredRow(index.isValid() ? index.row() : -1);
    emit hovered(index);
    QTableView::mouseMoveEvent(event);
}

bool CopyableTable::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave || event->type() == QEvent::HoverLeave) {
        if (m_hoveredRow >= 0)
            emit hovered({});
        setHoveredRow(-1);
    }
    return QTableView::viewportEvent(event);
}

void CopyableTable::setHoveredRow(int row)
{
    if (row == m_hoveredRow)
        return;
    const auto repaintRow = [this](int which) {
        if (which >= 0 && model() != nullptr && which < model()->rowCount(rootIndex()))
            viewport()->update(0, rowViewportPosition(which), viewport()->width(), rowHeight(which));
    };
    repaintRow(std::exchange(m_hoveredRow, row));
    repaintRow(row);
}

void CopyableTable::changeEvent(QEvent *event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::ApplicationFontChange)
        applyHeaderFont();
}

void CopyableTable::paintEvent(QPaintEvent *event)
{
    // Hover is the row's, not the cell's: paint it below, cells leave it alone.
    if (m_hoveredRow >= 0 && model() != nullptr && m_hoveredRow < model()->rowCount(rootIndex())) {
        QPainter painter(viewport());
        painter.fillRect(QRect(0, rowViewportPosition(m_hoveredRow), viewport()->width(), rowHeight(m_hoveredRow)),
                         tokens(this).hover);
    }
    QTableView::paintEvent(event);
    if (hasFocus() && currentIndex().isValid()) {
        QPainter painter(viewport());
        const QRect row(0, rowViewportPosition(currentIndex().row()), viewport()->width(), rowHeight(currentIndex().row()));
        if (isRightToLeft())
            painter.fillRect(row.right() - 1, row.top(), 2, row.height(), tokens(this).accent);
        else
            painter.fillRect(0, row.top(), 2, row.height(), tokens(this).accent);
    }
}

} // namespace plimsoll
