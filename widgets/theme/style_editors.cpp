// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/buttons.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/style_parts.h"
#include "widgets/theme/tokens.h"

#include <QPainter>
#include <QStyleOption>

namespace plimsoll::parts {

namespace {

constexpr int kArrowField = 28;
constexpr int kSpinField = 20;
constexpr int kTextInset = 8;

bool isOn(const QStyleOption &option, QStyle::StateFlag flag)
{
    return (option.state & flag) != 0;
}

QColor editorEdge(const QStyleOption &option, const QWidget *widget, const Tokens &t)
{
    if (!isOn(option, QStyle::State_Enabled))
        return t.line;
    if (isInvalid(widget))
        return t.page;
    if (isOn(option, QStyle::State_HasFocus))
        return t.accent;
    return isOn(option, QStyle::State_MouseOver) ? t.text2 : t.line3;
}

} // namespace

void editorPanel(const QStyleOption &option, QPainter &painter, const QWidget *widget)
{
    const Tokens &t = tokens(option.palette);
    const QColor fill = isOn(option, QStyle::State_Enabled) ? t.panel : t.sunken;
    draw::box(painter, option.rect, metrics::kControlRadius, fill, editorEdge(option, widget, t));
}

void comboBox(const QStyleOptionComboBox &option, QPainter &painter, const QWidget *widget)
{
    const Tokens &t = tokens(option.palette);
    const bool isEnabled = isOn(option, QStyle::State_Enabled);
    if (option.frame) {
        const bool isHovered = isEnabled && isOn(option, QStyle::State_MouseOver);
        const QColor fill = !isEnabled ? t.sunken
            : option.editable          ? t.panel
            : isHovered                ? mixed(t.button, t.text, 0.05)
                                       : t.button;
        const QColor edge = option.editable || isInvalid(widget) ? editorEdge(option, widget, t)
            : isEnabled                                          ? t.line2
                                                                 : t.line;
        draw::box(painter, option.rect, metrics::kControlRadius, fill, edge);
    }
    paintIcon(painter, QRectF(comboPart(option, QStyle::SC_ComboBoxArrow)), Icon::ChevronDown,
              isEnabled ? t.text : t.line2);
}

QRect comboPart(const QStyleOptionComboBox &option, QStyle::SubControl part)
{
    QRect rect = option.rect;
    switch (part) {
    case QStyle::SC_ComboBoxArrow: {
        // The chevron is 16 high whatever the box is.
        rect = QRect(rect.right() + 1 - kArrowField + 6, rect.center().y() - 7, metrics::kIcon, metrics::kIcon);
        break;
    }
    case QStyle::SC_ComboBoxEditField:
        rect.adjust(option.editable ? 2 : kTextInset + 1, 1, -kArrowField, -1);
        break;
    case QStyle::SC_ComboBoxListBoxPopup: return rect;
    default: break;
    }
    return QStyle::visualRect(option.direction, option.rect, rect);
}

void spinBox(const QStyleOptionSpinBox &option, QPainter &painter, const QWidget *widget)
{
    const Tokens &t = tokens(option.palette);
    if (option.frame)
        editorPanel(option, painter, widget);
    if (option.buttonSymbols == QAbstractSpinBox::NoButtons)
        return;
    const auto arrow = [&](QStyle::SubControl part, bool isAvailable, bool isUp) {
        const QRect field = spinPart(option, part);
        const bool isActive = (option.activeSubControls & part) != 0 && isOn(option, QStyle::State_MouseOver);
        if (isActive && isAvailable)
            draw::box(painter, field.adjusted(1, 0, -1, 0), 2, t.hover, QColor());
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(isAvailable ? t.text2 : t.line2, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const QPointF middle = QRectF(field).center();
        const qreal rise = isUp ? -1.25 : 1.25;
        painter.drawPolyline(QPolygonF({middle + QPointF(-3, -rise), middle + QPointF(0, rise), middle + QPointF(3, -rise)}));
        painter.restore();
    };
    const bool isEnabled = isOn(option, QStyle::State_Enabled);
    arrow(QStyle::SC_SpinBoxUp, isEnabled && (option.stepEnabled & QAbstractSpinBox::StepUpEnabled) != 0, true);
    arrow(QStyle::SC_SpinBoxDown, isEnabled && (option.stepEnabled & QAbstractSpinBox::StepDownEnabled) != 0, false);
}

QRect spinPart(const QStyleOptionSpinBox &option, QStyle::SubControl part)
{
    QRect rect = option.rect;
    const int field = option.buttonSymbols == QAbstractSpinBox::NoButtons ? 0 : kSpinField;
    const int half = (rect.height() - 4) / 2;
    switch (part) {
    case QStyle::SC_SpinBoxUp: rect = QRect(rect.right() - field, rect.top() + 2, field, half); break;
    case QStyle::SC_SpinBoxDown: rect = QRect(rect.right() - field, rect.bottom() - 1 - half, field, half); break;
    case QStyle::SC_SpinBoxEditField: rect.adjust(kTextInset - 2, 1, -field - 2, -1); break;
    default: break;
    }
    return QStyle::visualRect(option.direction, option.rect, rect);
}

} // namespace plimsoll::parts
