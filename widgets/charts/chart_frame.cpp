// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/chart_frame.h"

#include "widgets/charts/table_text.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QAbstractAxis>
#include <QAbstractItemModel>
#include <QChart>
#include <QChartView>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLegend>
#include <QPainter>
#include <QPixmap>
#include <QVBoxLayout>

namespace plimsoll {

ChartFrame::ChartFrame(QWidget *parent)
    : QWidget(parent)
    , m_view(new QChartView(this))
    , m_margins(metrics::kPlotMargin, 16, 16, 20)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setRenderHint(QPainter::Antialiasing, true);
    m_view->setFocusPolicy(Qt::NoFocus);
    setFocusPolicy(Qt::StrongFocus);
    QChart *chart = m_view->chart();
    chart->setBackgroundVisible(false);
    chart->setPlotAreaBackgroundVisible(false);
    chart->setMargins(QMargins());
    chart->legend()->hide(); // ours stands in the panel's header
    chart->setAnimationOptions(QChart::NoAnimation); // live data never animates, it arrives
    applyStyle();
}

ChartFrame::~ChartFrame() = default;

QChart *ChartFrame::chart() const noexcept
{
    return m_view->chart();
}

void ChartFrame::setPlotMargins(QMargins margins)
{
    m_margins = margins;
    m_view->chart()->setPlotArea(QRectF(rect()).marginsRemoved(QMarginsF(m_margins)));
}

void ChartFrame::setTitle(const QString &title)
{
    m_title = title;
    setAccessibleName(title);
}

void ChartFrame::setSentence(const QString &text)
{
    m_sentence = text;
    setAccessibleDescription(text);
}

void ChartFrame::setTable(QAbstractItemModel *table)
{
    m_table = table;
}

QAbstractItemModel *ChartFrame::table() const noexcept
{
    return m_table;
}

void ChartFrame::applyStyle()
{
    const Tokens &colours = tokens(this);
    const QFont caption = plimsoll::font(TextRole::Caption, font());
    m_view->setBackgroundBrush(colours.panel);
    const auto axes = m_view->chart()->axes();
    for (QAbstractAxis *axis : axes) {
        axis->setLabelsFont(caption);
        axis->setLabelsColor(colours.text2);
        axis->setTitleText(QString()); // always rendered as HTML by Qt Charts
        axis->setMinorGridLineVisible(false);
        const bool isBase = axis->orientation() == Qt::Horizontal;
        axis->setGridLineVisible(!isBase);
        QPen grid(colours.grid, 1);
        grid.setCosmetic(true);
        axis->setGridLinePen(grid);
        QPen line(colours.line2, 1);
        line.setCosmetic(true);
        axis->setLinePen(line);
        axis->setLineVisible(isBase);
    }
}

void ChartFrame::copyPicture() const
{
    QGuiApplication::clipboard()->setPixmap(pictureOf(*m_view, m_title));
}

void ChartFrame::copyTable() const
{
    if (m_table)
        QGuiApplication::clipboard()->setText(tableText(*m_table, u'\t'));
}

void ChartFrame::copySentence() const
{
    QGuiApplication::clipboard()->setText(m_sentence);
}

void ChartFrame::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        applyStyle();
}

void ChartFrame::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    setPlotMargins(m_margins);
}

void ChartFrame::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy)) {
        copyTable();
        return;
    }
    QWidget::keyPressEvent(event);
}

QPixmap pictureOf(QWidget &widget, const QString &title)
{
    const Tokens &colours = tokens(&widget);
    const QFont face = plimsoll::font(TextRole::PanelTitle, widget.font());
    const QPixmap body = widget.grab();
    const double ratio = body.devicePixelRatio();
    const int padding = metrics::kPanelPadding;
    const int header = title.isEmpty() ? padding : metrics::kPanelHeader + 4;
    const QSize size(widget.width() + 2 * padding, widget.height() + header + padding);
    QPixmap picture(size * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(colours.panel);
    QPainter painter(&picture);
    painter.setFont(face);
    painter.setPen(colours.text);
    painter.drawText(QRect(padding, 0, widget.width(), header), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(title, Qt::ElideMiddle, widget.width()));
    painter.drawPixmap(padding, header, body);
    return picture;
}

} // namespace plimsoll
