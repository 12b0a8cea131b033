// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRectF>
#include <QWidget>

#include <optional>
#include <vector>

class QPainter;

namespace plimsoll {

/// A line with a light area below and a dot at its end, no axes. NaN is a gap. Fits its own
/// values; a flat line lies in the middle.
void paintSparkline(QPainter &painter, const QRectF &rect, const std::vector<double> &values, const QColor &line,
                    const QColor &area);

class Sparkline : public QWidget
{
    Q_OBJECT

public:
    explicit Sparkline(QWidget *parent = nullptr);

    void setValues(std::vector<double> values);
    void setSeries(int series); // index of the series colours

    [[nodiscard]] QSize sizeHint() const override { return {64, 24}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    std::vector<double> m_values;
    int m_series = 0;
};

} // namespace plimsoll
