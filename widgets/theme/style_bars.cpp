// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/draw.h"
#include "widgets/theme/style_parts.h"
#include "widgets/theme/tokens.h"

#include <QPainter>
#include <QStyleOption>

namespace plimsoll::parts {

namespace {

constexpr int kGroove = 4;
constexpr int kGrip = 24;

bool isOn(const QStyleOption &option, QStyle::StateFlag flag)
{
    return (option.state & flag) != 0;
}

} // namespace

void scrollBar(const QStyleOptionSlider &option, QPainter &painter, const QWidget *widget)
{
    if (widget == nullptr || option.minimum == option.maximum)
        return;
    const Tokens &t = tokens(option.palette);
    const QRectF thumb = widget->style()->subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, widget);
    const bool isActive = isOn(option, QStyle::State_MouseOver) || isOn(option, QStyle::State_Sunken);
    // At rest 1 px narrower on each side, so that it does not stick to the text.
    const qreal inset = isActive ? 0 : 1;
    const QRectF body = thumb.adjusted(inset, inset, -inset, -inset);
    draw::box(painter, body, std::min(body.width(), body.height()) / 2, isActive ? t.line3 : t.line2, QColor());
}

void slider(const QStyleOptionSlider &option, QPainter &painter)
{
    const Tokens &t = tokens(option.palette);
    const bool isEnabled = isOn(option, QStyle::State_Enabled);
    const bool isAcross = option.orientation == Qt::Horizontal;
    const int length = isAcross ? option.rect.width() : option.rect.height();
    const int at = QStyle::sliderPositionFromValue(option.minimum, option.maximum, option.sliderPosition,
                                                   length - metrics::kCheck, option.upsideDown);
    const QRectF all(option.rect);
    QRectF groove = isAcross ? QRectF(all.left(), all.center().y() - kGroove / 2.0, all.width(), kGroove)
                             : QRectF(all.center().x() - kGroove / 2.0, all.top(), kGroove, all.height());
    QRectF knob(0, 0, metrics::kCheck, metrics::kCheck);
    knob.moveCenter(isAcross ? QPointF(all.left() + at + metrics::kCheck / 2.0, all.center().y())
                             : QPointF(all.center().x(), all.top() + at + metrics::kCheck / 2.0));
    draw::box(painter, groove, kGroove / 2.0, t.line2, QColor());
    if (isAcross) {
        if (option.upsideDown)
            groove.setLeft(knob.center().x());
        else
            groove.setRight(knob.center().x());
    } else if (option.upsideDown) {
        groove.setTop(knob.center().y());
    } else {
        groove.setBottom(knob.center().y());
    }
    draw::box(painter, groove, kGroove / 2.0, isEnabled ? t.accent : t.line2, QColor());
    draw::box(painter, knob, metrics::kCheck / 2.0, t.panel, isEnabled ? t.accent : t.line2, 2);
}

void progress(const QStyleOptionProgressBar &option, QPainter &painter)
{
    const Tokens &t = tokens(option.palette);
    const QRectF all(option.rect);
    const QRectF groove(all.left(), all.center().y() - kGroove / 2.0, all.width(), kGroove);
    draw::box(painter, groove, metrics::kCellRadius, t.track, QColor());
    QRectF done = groove;
    if (option.maximum > option.minimum) {
        const double share = double(option.progress - option.minimum) / (option.maximum - option.minimum);
        done.setWidth(groove.width() * std::clamp(share, 0.0, 1.0));
        if (option.direction == Qt::RightToLeft)
            done.moveRight(groove.right());
    } else {
        // Nobody knows how long: a third, standing still. Motion is for what moves.
        done.setWidth(groove.width() / 3);
        done.moveCenter(groove.center());
    }
    if (done.width() > 0)
        draw::box(painter, done, metrics::kCellRadius, t.accent, QColor());
}

void splitter(const QStyleOption &option, QPainter &painter)
{
    const Tokens &t = tokens(option.palette);
    const bool isActive = isOn(option, QStyle::State_MouseOver) || isOn(option, QStyle::State_Sunken);
    const QRect r = option.rect;
    const bool isTall = r.height() > r.width();
    // At rest a short line says that it can be moved; the gutter itself stays calm.
    if (isTall) {
        const qreal half = isActive ? r.height() / 2.0 : kGrip / 2.0;
        const qreal middle = r.top() + r.height() / 2.0;
        draw::vertical(painter, r.left() + r.width() / 2, middle - half, middle + half, isActive ? t.accent : t.line2);
    } else {
        const qreal half = isActive ? r.width() / 2.0 : kGrip / 2.0;
        const qreal middle = r.left() + r.width() / 2.0;
        draw::horizontal(painter, middle - half, middle + half, r.top() + r.height() / 2, isActive ? t.accent : t.line2);
    }
}

} // namespace plimsoll::parts
