// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/reading_legend.h"

#include "base/format.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"
#include "widgets/timeline/track_style.h"

#include <QPainter>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kSwatch = 12;
constexpr int kGap = 16;
constexpr int kInner = 5;

QString valueText(const Reading &reading)
{
    return reading.value ? figureText(formatValue(*reading.value, reading.unit)) : QStringLiteral("\u2013");
}

} // namespace

ReadingLegend::ReadingLegend(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Legend"));
}

void ReadingLegend::setReadings(std::vector<Reading> readings)
{
    if (readings == m_readings)
        return;
    const bool isOtherSet = readings.size() != m_readings.size();
    m_readings = std::move(readings);
    QStringList spoken;
    for (const auto &reading : m_readings)
        spoken << reading.name + u' ' + valueText(reading);
    setAccessibleDescription(spoken.join(QStringLiteral(", ")));
    if (isOtherSet)
        updateGeometry();
    update();
}

int ReadingLegend::widthOf(const Reading &reading) const
{
    // As wide as the widest value may get, so that moving the crosshair moves no text.
    const QFontMetrics names(plimsoll::font(TextRole::Caption));
    const QFontMetrics values(plimsoll::font(TextRole::CaptionStrong));
    return kSwatch + kInner + names.horizontalAdvance(reading.name) + kInner
           + values.horizontalAdvance(QStringLiteral("0,000 MiB"));
}

QSize ReadingLegend::sizeHint() const
{
    int width = 0;
    for (const auto &reading : m_readings)
        width += widthOf(reading) + kGap;
    return {std::max(0, width - kGap), lineHeight(TextRole::Caption)};
}

QSize ReadingLegend::minimumSizeHint() const
{
    return {0, lineHeight(TextRole::Caption)};
}

void ReadingLegend::paintEvent(QPaintEvent *)
{
    const Tokens &t = tokens(this);
    QPainter painter(this);
    int room = width();
    std::size_t fit = 0;
    int needed = 0;
    for (; fit < m_readings.size(); ++fit) {
        const int more = widthOf(m_readings[fit]) + (fit ? kGap : 0);
        if (needed + more > room)
            break;
        needed += more;
    }
    int x = width() - needed;
    for (std::size_t i = 0; i < fit; ++i) {
        const Reading &reading = m_readings[i];
        const int end = x + widthOf(reading);
        painter.fillRect(QRectF(x, height() / 2.0 - 1, kSwatch, 2), trackStyle(reading.role, t).line);
        x += kSwatch + kInner;
        painter.setFont(plimsoll::font(TextRole::Caption));
        painter.setPen(t.text2);
        painter.drawText(QRect(x, 0, end - x, height()), Qt::AlignVCenter | Qt::AlignLeft, reading.name);
        x += painter.fontMetrics().horizontalAdvance(reading.name) + kInner;
        painter.setFont(plimsoll::font(TextRole::CaptionStrong));
        painter.setPen(t.text);
        painter.drawText(QRect(x, 0, end - x, height()), Qt::AlignVCenter | Qt::AlignLeft, valueText(reading));
        x = end + kGap;
    }
}

} // namespace plimsoll
