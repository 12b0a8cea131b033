// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <optional>

namespace plimsoll {

/// A bar of what is used of a whole, 12 high, on track.
class RatioBar : public QWidget
{
    Q_OBJECT

public:
    explicit RatioBar(QWidget *parent = nullptr);

    void setRatio(std::optional<double> ratio); // nullopt: an empty track
    void setSeries(int series);                 // index into Tokens::series

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    std::optional<double> m_ratio;
    int m_series = 0;
};

} // namespace plimsoll
