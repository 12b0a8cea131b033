// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmap/headroom_list.h"

#include "base/format.h"
#include "base/quantity.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"
#include "widgets/timeline/track_style.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll {
namespace {

/// The end of the bars' scale: the third quartile's next round number, so that the worst
/// rows differ from each other; what has more fills its bar.
double scaleFor(const std::vector<HeadroomEntry> &entries)
{
    std::vector<double> values;
    for (const HeadroomEntry &entry : entries)
        if (entry.freeBytes && std::isfinite(*entry.freeBytes) && *entry.freeBytes > 0)
            values.push_back(*entry.freeBytes);
    if (values.empty())
        return static_cast<double>(kGiB);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(values.size() - 1, 11));
    std::nth_element(values.begin(), at, values.end()); // the last of the dozen that one sees at once
    return std::exp2(std::ceil(std::log2(*at)));
}

/// One unit down the column, so that figures align and compare: 0.9 GiB, 12.4 GiB. What is
/// too little for it says so in its own.
QString freeText(double bytes)
{
    const double gib = bytes / static_cast<double>(kGiB);
    if (std::fabs(gib) < 0.095 || std::fabs(gib) >= 999.95)
        return figureText(formatBytes(bytes));
    return figureText({QLocale::c().toString(gib, 'f', 1).replace(u'-', QChar(0x2212)).toStdString(), "GiB"});
}

bool comesBefore(const HeadroomEntry &a, const HeadroomEntry &b)
{
    if (a.freeBytes.has_value() != b.freeBytes.has_value())
        return a.freeBytes.has_value();
    if (a.freeBytes && *a.freeBytes != *b.freeBytes)
        return *a.freeBytes < *b.freeBytes;
    return a.id < b.id;
}

class HeadroomDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const auto *model = static_cast<const HeadroomModel *>(index.model());
        const HeadroomEntry &entry = model->entries()[static_cast<std::size_t>(index.row())];
        const Tokens &colours = tokens(option.palette);
        const bool isSelected = option.state.testFlag(QStyle::State_Selected);
        const bool isHovered = option.state.testFlag(QStyle::State_MouseOver);
        painter->save();
        painter->fillRect(option.rect, isSelected ? colours.sel : isHovered ? colours.hover : colours.panel);
        if (!isSelected)
            painter->fillRect(QRectF(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), colours.grid);
        if (index.column() == HeadroomModel::BarColumn)
            paintBar(*painter, option.rect, entry, index.data(HeadroomModel::RatioRole), colours);
        else
            paintText(*painter, option, index, entry, colours, isSelected);
        painter->restore();
    }

private:
    static void paintText(QPainter &painter, const QStyleOptionViewItem &option, const QModelIndex &index,
                          const HeadroomEntry &entry, const Tokens &colours, bool isSelected)
    {
        QRect rect = option.rect;
        const bool isName = index.column() == HeadroomModel::NameColumn;
        if (isName) {
            const QRectF box(rect.left() + 12, rect.center().y() - 5.5, 12, 12);
            if (entry.glyph)
                paintGlyph(painter, box, *entry.glyph, glyphColour(*entry.glyph, colours));
            rect.adjust(30, 0, -4, 0);
        } else {
            rect.adjust(4, 0, index.column() == HeadroomModel::TimeColumn ? -12 : -8, 0);
        }
        const bool isSecond = index.column() == HeadroomModel::TimeColumn;
        painter.setFont(plimsoll::font(isSelected && !isSecond ? TextRole::BodyHeavy : isName ? TextRole::BodyStrong : TextRole::Body, option.font));
        painter.setPen(entry.isStale && !isSelected ? colours.text3 : isSecond ? colours.text2 : colours.text);
        const QString text = painter.fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, rect.width());
        painter.drawText(rect, (isName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter | Qt::TextSingleLine, text);
    }

    static void paintBar(QPainter &painter, const QRect &cell, const HeadroomEntry &entry, const QVariant &ratio, const Tokens &colours)
    {
        if (!ratio.isValid())
            return;
        const QRectF track(cell.left() + 4, cell.center().y() - 5, cell.width() - 12, 12);
        painter.fillRect(track, colours.track);
        const double width = std::round(track.width() * std::clamp(ratio.toDouble(), 0.0, 1.0));
        if (width < 1)
            return;
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(Qt::NoPen);
        painter.setBrush(withAlpha(trackStyle(entry.role, colours).line, entry.isStale ? 0.4 : 1));
        painter.setClipRect(QRectF(track.left(), track.top(), width, track.height()));
        painter.drawRoundedRect(QRectF(track.left(), track.top(), width + 4, track.height()), metrics::kCellRadius, metrics::kCellRadius);
    }
};

} // namespace

HeadroomModel::HeadroomModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void HeadroomModel::setEntries(std::vector<HeadroomEntry> entries)
{
    std::stable_sort(entries.begin(), entries.end(), comesBefore);
    if (entries == m_entries)
        return;
    m_barTop = scaleFor(entries);
    const bool isSameSet = entries.size() == m_entries.size()
        && std::all_of(entries.begin(), entries.end(), [this](const HeadroomEntry &e) { return rowOf(e.id) >= 0; });
    if (!isSameSet) {
        beginResetModel();
        m_entries = std::move(entries);
        endResetModel();
        return;
    }
    emit layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::vector<std::string> ids;
    for (const QModelIndex &index : before)
        ids.push_back(m_entries[static_cast<std::size_t>(index.row())].id);
    m_entries = std::move(entries);
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i)
        after.append(index(rowOf(ids[static_cast<std::size_t>(i)]), before[i].column()));
    changePersistentIndexList(before, after);
    emit layoutChanged();
    if (!m_entries.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int HeadroomModel::rowOf(const std::string &id) const
{
    const auto it = std::find_if(m_entries.begin(), m_entries.end(), [&](const HeadroomEntry &e) { return e.id == id; });
    return it == m_entries.end() ? -1 : static_cast<int>(it - m_entries.begin());
}

int HeadroomModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

int HeadroomModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant HeadroomModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const HeadroomEntry &entry = m_entries[static_cast<std::size_t>(index.row())];
    if (role == IdRole)
        return QString::fromStdString(entry.id);
    if (role == ValueRole)
        return entry.freeBytes ? QVariant(*entry.freeBytes) : QVariant();
    if (role == RatioRole)
        return entry.freeBytes ? QVariant(std::clamp(*entry.freeBytes / m_barTop, 0.0, 1.0)) : QVariant();
    if (role == Qt::ToolTipRole)
        return entry.tip.isEmpty() ? QVariant() : QVariant(plainTip(entry.tip));
    if (role == Qt::TextAlignmentRole && index.column() != NameColumn)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::AccessibleTextRole && index.column() == NameColumn && entry.glyph)
        return QStringLiteral("%1, %2").arg(entry.name, glyphName(*entry.glyph));
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case NameColumn: return entry.name;
    case FreeColumn: return entry.freeBytes ? freeText(*entry.freeBytes) : QStringLiteral("\u2013");
    case TimeColumn: return entry.timeToFull;
    default: return {};
    }
}

QVariant HeadroomModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case NameColumn: return tr("Device");
    case FreeColumn: return tr("Free");
    case BarColumn: return tr("Bar of what is free");
    case TimeColumn: return tr("Time to full");
    default: return {};
    }
}

HeadroomList::HeadroomList(QWidget *parent)
    : QTableView(parent)
    , m_model(new HeadroomModel(this))
{
    setModel(m_model);
    setItemDelegate(new HeadroomDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setEditTriggers(NoEditTriggers);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(ScrollPerPixel);
    setMouseTracking(true);
    setTabKeyNavigation(false);
    horizontalHeader()->hide();
    horizontalHeader()->setMinimumSectionSize(1);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(metrics::kRow);
    verticalHeader()->setDefaultSectionSize(metrics::kRowTall);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    setAccessibleName(tr("Headroom, least first"));
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &current) {
        if (!m_isQuiet && current.isValid())
            emit selected(current.data(HeadroomModel::IdRole).toString().toStdString());
    });
    connect(this, &QTableView::doubleClicked, this,
            [this](const QModelIndex &index) { emit opened(index.data(HeadroomModel::IdRole).toString().toStdString()); });
}

void HeadroomList::setEntries(std::vector<HeadroomEntry> entries)
{
    const QString current = currentIndex().data(HeadroomModel::IdRole).toString();
    m_isQuiet = true;
    m_model->setEntries(std::move(entries));
    m_isQuiet = false;
    if (!current.isEmpty())
        setSelected(current.toStdString()); // after a reset the choice is still the person's
    layOut();
}

void HeadroomList::setSelected(const std::string &id)
{
    const int row = m_model->rowOf(id);
    if (row >= 0 && row == currentIndex().row())
        return;
    m_isQuiet = true;
    if (row >= 0) {
        setCurrentIndex(m_model->index(row, HeadroomModel::NameColumn));
    } else {
        selectionModel()->clear();
    }
    m_isQuiet = false;
}

QString HeadroomList::scaleText() const
{
    QString top = figureText(formatBytes(m_model->barTop()));
    return tr("bar: free, 0 \u2013 %1").arg(top.remove(QStringLiteral(".00")).remove(QStringLiteral(".0"))); // a power of two
}

void HeadroomList::layOut()
{
    const QFontMetrics metrics(plimsoll::font(TextRole::BodyHeavy, font()));
    int free = metrics.horizontalAdvance(QStringLiteral("0.9 GiB"));
    int time = metrics.horizontalAdvance(QStringLiteral("16\u201324 min"));
    for (const HeadroomEntry &entry : m_model->entries()) {
        time = std::max(time, metrics.horizontalAdvance(entry.timeToFull));
        if (entry.freeBytes)
            free = std::max(free, metrics.horizontalAdvance(freeText(*entry.freeBytes)));
    }
    free += 18;
    time = std::min(time, 140) + 20;
    const int width = viewport()->width();
    // The name takes what is left; the bar goes first when there is little.
    int bar = std::clamp((width - free - time) * 2 / 5, 0, 96);
    bar = width - free - time - bar < 110 ? 0 : bar;
    setColumnHidden(HeadroomModel::BarColumn, bar < 32);
    setColumnWidth(HeadroomModel::FreeColumn, free);
    setColumnWidth(HeadroomModel::TimeColumn, time);
    setColumnWidth(HeadroomModel::BarColumn, bar);
    setColumnWidth(HeadroomModel::NameColumn, std::max(60, width - free - time - (bar < 32 ? 0 : bar)));
}

void HeadroomList::resizeEvent(QResizeEvent *event)
{
    QTableView::resizeEvent(event);
    layOut();
}

void HeadroomList::changeEvent(QEvent *event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        layOut();
}

void HeadroomList::keyPressEvent(QKeyEvent *event)
{
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()) {
        emit opened(currentIndex().data(HeadroomModel::IdRole).toString().toStdString());
        return;
    }
    QTableView::keyPressEvent(event);
}

} // namespace plimsoll
