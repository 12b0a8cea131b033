// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmap/heat_grid.h"

#include "widgets/heatmap/heat_grid_p.h"
#include "widgets/heatmap/heat_painter.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/focus_ring.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QAccessible>
#include <QFocusEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace plimsoll {
namespace {

HeatFonts fontsOf(const QWidget &widget)
{
    return {plimsoll::font(TextRole::Body, widget.font()), plimsoll::font(TextRole::Caption, widget.font()),
            plimsoll::font(TextRole::BodyHeavy, widget.font())};
}

} // namespace

const HeatLayout &HeatGrid::Private::upToDate(HeatGrid &grid)
{
    if (!isLayoutOld)
        return layout;
    isLayoutOld = false;
    isPictureOld = true;
    layout = layOutHeat(groups, grid.viewport()->size(), mode, fontsOf(grid));
    boxOf.clear();
    for (std::size_t i = 0; i < layout.cells.size(); ++i)
        boxOf.emplace(cellOf(layout.cells[i]).id, i);
    QScrollBar *bar = grid.verticalScrollBar();
    bar->setPageStep(std::max(1, layout.body.height()));
    bar->setSingleStep(layout.pitch);
    bar->setRange(0, std::max(0, layout.contentHeight - layout.body.height()));
    return layout;
}

const HeatCellBox *HeatGrid::Private::find(const std::string &id) const
{
    const auto it = boxOf.find(id);
    return id.empty() || it == boxOf.end() ? nullptr : &layout.cells[it->second];
}

const HeatCellBox *HeatGrid::Private::boxAt(QPoint content) const
{
    // The gap between two cells belongs to the one before it, so that the mouse never falls between.
    const int slack = layout.pitch - layout.cell;
    const auto it = std::find_if(layout.cells.begin(), layout.cells.end(), [&](const HeatCellBox &box) {
        return box.rect.adjusted(0, 0, slack, slack).contains(content);
    });
    return it == layout.cells.end() ? nullptr : &*it;
}

const HeatCellBox *HeatGrid::Private::neighbour(const HeatCellBox &from, int dx, int dy) const
{
    const HeatCellBox *best = nullptr;
    long bestDistance = 0;
    for (const HeatCellBox &box : layout.cells) {
        const QPoint d = box.rect.center() - from.rect.center();
        const int along = dx != 0 ? d.x() * dx : d.y() * dy;
        const int across = std::abs(dx != 0 ? d.y() : d.x());
        if (along <= 0 || (dx != 0 && across > layout.cell / 2))
            continue;
        // The next line first, in it the nearest column.
        const long distance = static_cast<long>(along) * 4096 + across;
        if (!best || distance < bestDistance) {
            best = &box;
            bestDistance = distance;
        }
    }
    return best;
}

QString HeatGrid::Private::describe(const HeatCellBox &box) const
{
    const HeatRow &row = groups[box.group].rows[box.row];
    const HeatCell &cell = cellOf(box);
    QStringList parts{row.name, cell.name, HeatTable::loadText(cell), HeatTable::stateText(cell), row.jobText};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(", "));
}

HeatGrid::HeatGrid(QWidget *parent)
    : QAbstractScrollArea(parent)
    , d(std::make_unique<Private>())
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    setFocusInside(this);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Memory by node and device"));
    d->cellCaption = tr("now");
}

HeatGrid::~HeatGrid() = default;

void HeatGrid::setGroups(std::vector<HeatGroup> groups)
{
    if (groups == d->groups)
        return;
    d->groups = std::move(groups);
    d->isLayoutOld = true;
    if (d->table)
        d->table->setGroups(d->groups);
    viewport()->update();
}

void HeatGrid::setHistoryRange(TimeRange range)
{
    if (std::exchange(d->range, range) != range)
        viewport()->update();
}

void HeatGrid::setSelected(const std::string &id)
{
    if (d->selectedId == id)
        return;
    d->selectedId = id;
    viewport()->update();
}

void HeatGrid::setCrosshair(std::optional<Instant> time)
{
    if (std::exchange(d->crosshair, time) != time)
        viewport()->update();
}

void HeatGrid::setUtc(bool utc)
{
    if (std::exchange(d->isUtc, utc) != utc)
        viewport()->update();
}

void HeatGrid::setMode(HeatMode mode)
{
    if (std::exchange(d->mode, mode) == mode)
        return;
    d->isLayoutOld = true;
    viewport()->update();
}

void HeatGrid::setCellCaption(const QString &text)
{
    d->cellCaption = text;
    viewport()->update();
}

void HeatGrid::setHistoryCaption(const QString &text)
{
    d->historyCaption = text;
    viewport()->update();
}

void HeatGrid::setFreeCaption(const QString &text)
{
    d->freeCaption = text;
    viewport()->update();
}

const std::vector<HeatGroup> &HeatGrid::groups() const noexcept { return d->groups; }
std::string HeatGrid::selectedId() const { return d->selectedId; }
int HeatGrid::cellSize() const { return d->upToDate(const_cast<HeatGrid &>(*this)).cell; }

QRect HeatGrid::cellRect(const std::string &id) const
{
    const HeatLayout &layout = d->upToDate(const_cast<HeatGrid &>(*this));
    const HeatCellBox *box = d->find(id);
    return box ? box->rect.translated(0, layout.body.top() - verticalScrollBar()->value()) : QRect();
}

QRect HeatGrid::historyRect(const std::string &node) const
{
    const HeatLayout &layout = d->upToDate(const_cast<HeatGrid &>(*this));
    for (const HeatRowBox &box : layout.rows)
        if (d->groups[box.group].rows[box.row].node == node)
            return box.history.translated(0, layout.body.top() - verticalScrollBar()->value());
    return {};
}

std::string HeatGrid::cellAt(QPoint position) const
{
    const HeatLayout &layout = d->upToDate(const_cast<HeatGrid &>(*this));
    if (!layout.body.contains(position))
        return {};
    const HeatCellBox *box = d->boxAt(position - QPoint(0, layout.body.top() - verticalScrollBar()->value()));
    return box ? d->cellOf(*box).id : std::string();
}

QAbstractTableModel *HeatGrid::tableTwin()
{
    if (!d->table) {
        d->table = new HeatTable(this);
        d->table->setGroups(d->groups);
    }
    return d->table;
}

QSize HeatGrid::sizeHint() const { return {720, 320}; }
QSize HeatGrid::minimumSizeHint() const { return {200, 96}; }

void HeatGrid::paintEvent(QPaintEvent *)
{
    const Tokens &colours = tokens(this);
    const HeatFonts fonts = fontsOf(*this);
    const HeatLayout &layout = d->upToDate(*this);
    const int scroll = verticalScrollBar()->value();
    const double ratio = devicePixelRatioF();
    if (d->isPictureOld || d->pictureScroll != scroll || d->picture.devicePixelRatio() != ratio) {
        d->picture = heatPicture(d->groups, layout, scroll, ratio, colours);
        d->pictureScroll = scroll;
        d->isPictureOld = false;
    }
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), colours.panel);
    painter.save();
    painter.setClipRect(layout.body);
    painter.translate(0, layout.body.top());
    d->paintRows(painter, colours, fonts, scroll);
    painter.drawImage(QPointF(0, 0), d->picture);
    d->paintMarks(painter, colours, scroll);
    painter.restore();
    d->paintHeader(painter, colours, fonts);
    d->paintFooter(painter, colours, fonts);
    if (hasFocus() && !d->find(d->selectedId)) // else the selected cell shows the focus
        draw::focusInside(painter, QRectF(viewport()->rect()), metrics::kControlRadius, colours.accent);
}

void HeatGrid::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    d->isLayoutOld = true;
    d->upToDate(*this);
}

void HeatGrid::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        d->isLayoutOld = true;
        viewport()->update();
    }
}

bool HeatGrid::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        d->upToDate(*this);
        const HeatCellBox *box = d->find(cellAt(help->pos()));
        if (box && !d->cellOf(*box).tip.isEmpty())
            QToolTip::showText(help->globalPos(), plainTip(d->cellOf(*box).tip), viewport(), cellRect(d->cellOf(*box).id));
        else
            QToolTip::hideText();
        return true;
    }
    if (event->type() == QEvent::Leave) {
        hover({});
        if (d->crosshair) {
            setCrosshair(std::nullopt);
            emit crosshairMoved(std::nullopt);
        }
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void HeatGrid::hover(const std::string &id)
{
    if (id == d->hoveredId)
        return;
    d->hoveredId = id;
    viewport()->update();
    emit hovered(id);
}

void HeatGrid::select(const std::string &id)
{
    const HeatLayout &layout = d->upToDate(*this);
    const HeatCellBox *box = d->find(id);
    if (!box || id == d->selectedId)
        return;
    d->selectedId = id;
    QScrollBar *bar = verticalScrollBar();
    if (box->rect.top() < bar->value())
        bar->setValue(box->rect.top() - 1);
    else if (box->rect.bottom() >= bar->value() + layout.body.height())
        bar->setValue(box->rect.bottom() + 2 - layout.body.height());
    setAccessibleDescription(d->describe(*box));
    QAccessibleEvent spoken(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&spoken);
    viewport()->update();
    emit selected(id);
}

void HeatGrid::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        select(cellAt(event->pos()));
}

void HeatGrid::mouseDoubleClickEvent(QMouseEvent *event)
{
    const std::string id = cellAt(event->pos());
    if (event->button() == Qt::LeftButton && !id.empty())
        emit activated(id);
}

void HeatGrid::mouseMoveEvent(QMouseEvent *event)
{
    hover(cellAt(event->pos()));
    const HeatLayout &layout = d->upToDate(*this);
    const TimeScale time = d->time();
    const bool isOverHistory = time.isValid() && event->pos().y() >= layout.body.top() && event->pos().x() >= layout.historyLeft
        && event->pos().x() <= layout.historyLeft + layout.historyWidth;
    const std::optional<Instant> at = isOverHistory ? std::optional(time.at(event->position().x())) : std::nullopt;
    if (at == d->crosshair)
        return;
    setCrosshair(at);
    emit crosshairMoved(at);
}

void HeatGrid::keyPressEvent(QKeyEvent *event)
{
    const HeatLayout &layout = d->upToDate(*this);
    const HeatCellBox *current = d->find(d->selectedId);
    if (layout.cells.empty()) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    const auto walk = [&](int dx, int dy) {
        const HeatCellBox *next = current ? d->neighbour(*current, dx, dy) : &layout.cells.front();
        if (next)
            select(d->cellOf(*next).id);
    };
    switch (event->key()) {
    case Qt::Key_Left: walk(-1, 0); break;
    case Qt::Key_Right: walk(1, 0); break;
    case Qt::Key_Up: walk(0, -1); break;
    case Qt::Key_Down: walk(0, 1); break;
    case Qt::Key_Home: select(d->cellOf(layout.cells.front()).id); break;
    case Qt::Key_End: select(d->cellOf(layout.cells.back()).id); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (current)
            emit activated(d->selectedId);
        break;
    default: QAbstractScrollArea::keyPressEvent(event); return;
    }
    event->accept();
}

void HeatGrid::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void HeatGrid::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace plimsoll
