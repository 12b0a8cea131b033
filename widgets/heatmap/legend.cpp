// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmap/legend.h"

#include "widgets/theme/scales.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QFontMetricsF>
#include <QPainter>

#include <cmath>

namespace plimsoll {
namespace {

constexpr int kRamp = 96;
constexpr int kRampHeight = 8;
constexpr int kGap = 6;

} // namespace

LoadLegend::LoadLegend(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(tr("Colour scale from 0 to 100 % of memory used"));
}

QSize LoadLegend::sizeHint() const
{
    const QFontMetricsF metrics(plimsoll::font(TextRole::Caption, font()));
    const double texts = metrics.horizontalAdvance(tr("0")) + metrics.horizontalAdvance(tr("100 %"));
    return {static_cast<int>(std::ceil(texts)) + kRamp + 2 * kGap + 1, 16};
}

void LoadLegend::paintEvent(QPaintEvent *)
{
    const Tokens &colours = tokens(this);
    const QFont caption = plimsoll::font(TextRole::Caption, font());
    const QFontMetricsF metrics(caption);
    QPainter painter(this);
    painter.setFont(caption);
    painter.setPen(colours.text2);
    const QString low = tr("0");
    const double left = std::ceil(metrics.horizontalAdvance(low)) + kGap;
    const double middle = height() / 2.0;
    painter.drawText(QRectF(0, middle - 8, left, 16), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, low);
    painter.drawText(QRectF(left + kRamp + kGap, middle - 8, width(), 16), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, tr("100 %"));
    for (int x = 0; x < kRamp; ++x)
        painter.fillRect(QRectF(left + x, middle - kRampHeight / 2.0, 1, kRampHeight), loadColour(x / (kRamp - 1.0), colours));
}

} // namespace plimsoll
