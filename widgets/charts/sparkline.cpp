// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/sparkline.h"

#include "widgets/theme/tokens.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace plimsoll {

void paintSparkline(QPainter &painter, const QRectF &rect, const std::vector<double> &values, const QColor &line,
                    const QColor &area)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const double v : values)
        if (std::isfinite(v)) {
            low = std::min(low, v);
            high = std::max(high, v);
        }
    if (low > high || rect.width() < 4 || rect.height() < 4)
        return;
    const QRectF inner = rect.adjusted(1, 2, -3, -1); // room for the dot and the stroke
    const double span = high - low;
    const double step = values.size() > 1 ? inner.width() / static_cast<double>(values.size() - 1) : 0;
    const auto at = [&](std::size_t i) {
        const double ratio = span > 0 ? (values[i] - low) / span : 0.5;
        return QPointF(inner.left() + step * static_cast<double>(i), inner.bottom() - ratio * inner.height());
    };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (std::size_t begin = 0; begin < values.size();) {
        if (!std::isfinite(values[begin])) {
            ++begin;
            continue;
        }
        QPolygonF run;
        std::size_t end = begin;
        for (; end < values.size() && std::isfinite(values[end]); ++end)
            run.append(at(end));
        QPolygonF filled = run;
        filled.append(QPointF(run.last().x(), rect.bottom()));
        filled.append(QPointF(run.first().x(), rect.bottom()));
        painter.setPen(Qt::NoPen);
        painter.setBrush(area);
        painter.drawPolygon(filled);
        painter.setPen(QPen(line, 1.25));
        painter.drawPolyline(run);
        if (end == values.size()) { // what is known now
            painter.setPen(Qt::NoPen);
            painter.setBrush(line);
            painter.drawEllipse(run.last(), 2, 2);
        }
        begin = end;
    }
    painter.restore();
}

Sparkline::Sparkline(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void Sparkline::setValues(std::vector<double> values)
{
    if (values == m_values) // a NaN differs from itself: then it is painted once more, no harm
        return;
    m_values = std::move(values);
    update();
}

void Sparkline::setSeries(int series)
{
    if (std::exchange(m_series, std::clamp(series, 0, 5)) != series)
        update();
}

void Sparkline::paintEvent(QPaintEvent *)
{
    const Tokens &colours = tokens(this);
    const QColor line = colours.series[static_cast<std::size_t>(m_series)];
    QPainter painter(this);
    paintSparkline(painter, QRectF(rect()), m_values, line, withAlpha(line, 0.12));
}

} // namespace plimsoll
