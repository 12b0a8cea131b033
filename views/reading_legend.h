// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/track.h"

#include <QWidget>

#include <vector>

namespace plimsoll {

/// The legend of a timeline in its panel's header: swatch, name, reading at the crosshair
/// (else the newest). Shortens itself from the end when there is no room.
class ReadingLegend : public QWidget
{
    Q_OBJECT

public:
    explicit ReadingLegend(QWidget *parent = nullptr);

    void setReadings(std::vector<Reading> readings);
    [[nodiscard]] const std::vector<Reading> &readings() const noexcept { return m_readings; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    [[nodiscard]] int widthOf(const Reading &reading) const;

    std::vector<Reading> m_readings;
};

} // namespace plimsoll
