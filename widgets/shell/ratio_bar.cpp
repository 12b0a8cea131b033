// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/ratio_bar.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/tokens.h"

#include <QPainter>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace plimsoll {

RatioBar::RatioBar(QWidget *parent)
    : QWidget(parent)
{
    setFixedHeight(12);
}

void RatioBar::setRatio(std::optional<double> ratio)
{
    if (ratio && !std::isfinite(*ratio))
        ratio.reset();
    m_ratio = ratio;
    setAccessibleName(ratio ? tr("%1 % used").arg(*ratio * 100, 0, 'f', 1) : tr("not known"));
    update();
}

void RatioBar::setSeries(int series)
{
    m_series = std::clamp(series, 0, 5);
    update();
}

void RatioBar::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    draw::box(painter, rect(), metrics::kCellRadius, t.track, QColor());
    if (!m_ratio || *m_ratio <= 0)
        return;
    const double width = std::max(1.0, rect().width() * std::min(*m_ratio, 1.0));
    const QRectF done = QStyle::visualRect(layoutDirection(), rect(), QRectF(0, 0, width, rect().height()).toAlignedRect());
    draw::box(painter, done, metrics::kCellRadius, t.series[static_cast<std::size_t>(m_series)], QColor());
}

} // namespace plimsoll
