// SPDX-License-Identifier: GPL-3.0-or-later
// The sizes of PlimsollStyle; its painting is in plimsoll_style.cpp.
#include "widgets/theme/plimsoll_style.h"

#include "widgets/theme/style_parts.h"
#include "widgets/theme/tokens.h"

#include <QLineEdit>
#include <QStyleOption>

#include <algorithm>

namespace plimsoll {

int PlimsollStyle::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    switch (metric) {
    case PM_DefaultFrameWidth:
    case PM_ComboBoxFrameWidth:
    case PM_SpinBoxFrameWidth:
    case PM_MenuPanelWidth:
    case PM_TextCursorWidth: return 1;
    case PM_MenuBarPanelWidth:
    case PM_MenuHMargin:
    case PM_TabBarTabOverlap:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarTabShiftVertical:
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
    case PM_ButtonDefaultIndicator:
    case PM_HeaderMarkSize: return 0; // the arrow is part of the label
    case PM_MenuVMargin: return 4;
    case PM_MenuBarHMargin:
    case PM_MenuBarVMargin: return 2;
    case PM_ScrollBarExtent: return metrics::kScrollBar;
    case PM_ScrollBarSliderMin: return 32;
    case PM_ScrollView_ScrollBarSpacing: return 0;
    case PM_SplitterWidth: return metrics::kGutter;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
    case PM_SliderLength:
    case PM_SliderControlThickness: return metrics::kCheck;
    case PM_SliderThickness: return metrics::kTarget;
    case PM_SliderSpaceAvailable:
        if (const auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option))
            return (bar->orientation == Qt::Horizontal ? bar->rect.width() : bar->rect.height()) - metrics::kCheck;
        break;
    case PM_CheckBoxLabelSpacing:
    case PM_RadioButtonLabelSpacing: return 8;
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ListViewIconSize:
    case PM_TabBarIconSize:
    case PM_ToolBarIconSize:
    case PM_LineEditIconSize:
    case PM_TabCloseIndicatorWidth:
    case PM_TabCloseIndicatorHeight: return metrics::kIcon;
    case PM_TreeViewIndentation: return 16;
    case PM_TabBarTabHSpace: return 24;
    case PM_TabBarTabVSpace: return 0;
    case PM_TabBarBaseHeight:
    case PM_TabBarBaseOverlap: return 0;
    case PM_FocusFrameHMargin: return metrics::kCellPadding - 1; // views add one before the text of an item
    case PM_HeaderMargin: return metrics::kCellPadding;
    case PM_HeaderDefaultSectionSizeVertical: return metrics::kRow;
    case PM_ToolTipLabelFrameWidth: return 5; // the label adds one
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing: return metrics::kGutter;
    case PM_LayoutLeftMargin:
    case PM_LayoutRightMargin:
    case PM_LayoutTopMargin:
    case PM_LayoutBottomMargin: return metrics::kPanelPadding;
    default: break;
    }
    return QProxyStyle::pixelMetric(metric, option, widget);
}

QSize PlimsollStyle::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                                      const QWidget *widget) const
{
    switch (type) {
    case CT_PushButton:
        if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option))
            return parts::buttonSize(*button, widget);
        break;
    case CT_LineEdit: {
        // A frameless editor (in a palette, in a cell) is as high as its place.
        const auto *edit = qobject_cast<const QLineEdit *>(widget);
        if (edit != nullptr && !edit->hasFrame())
            return size;
        return {size.width() + 2 * 6, std::max(metrics::kButton, size.height() + 6)};
    }
    case CT_ComboBox: return {size.width() + 9 + 28, std::max(metrics::kButton, size.height() + 6)};
    case CT_SpinBox: return {size.width() + 40, std::max(metrics::kButton, size.height())};
    case CT_CheckBox:
    case CT_RadioButton: {
        const QSize wanted = QProxyStyle::sizeFromContents(type, option, size, widget);
        return {wanted.width(), std::max(metrics::kTarget, wanted.height())};
    }
    case CT_MenuItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option))
            return parts::menuItemSize(*item);
        break;
    case CT_MenuBarItem: return {size.width() + 2 * 8, std::max(metrics::kTarget, size.height())};
    case CT_TabBarTab: {
        // Room for the chosen tab's 600, so that choosing does not move its neighbours.
        const QSize wanted = QProxyStyle::sizeFromContents(type, option, size, widget);
        return {wanted.width() + 4, std::max(metrics::kTabs, wanted.height())};
    }
    case CT_HeaderSection: {
        const QSize wanted = QProxyStyle::sizeFromContents(type, option, size, widget);
        return {wanted.width() + 8, std::max(metrics::kRow, wanted.height())};
    }
    case CT_ItemViewItem: {
        const QSize wanted = QProxyStyle::sizeFromContents(type, option, size, widget);
        return {wanted.width(), std::max(metrics::kRow, wanted.height())};
    }
    case CT_ProgressBar: return {size.width(), 8};
    case CT_Slider: return size;
    default: break;
    }
    return QProxyStyle::sizeFromContents(type, option, size, widget);
}

QRect PlimsollStyle::subElementRect(SubElement element, const QStyleOption *option, const QWidget *widget) const
{
    switch (element) {
    case SE_LineEditContents:
        if (const auto *edit = qobject_cast<const QLineEdit *>(widget); edit != nullptr && !edit->hasFrame())
            return option->rect;
        return visualRect(option->direction, option->rect, option->rect.adjusted(6, 1, -6, -1));
    case SE_PushButtonContents: return option->rect;
    case SE_ProgressBarGroove:
    case SE_ProgressBarContents: return option->rect;
    case SE_HeaderLabel:
        return option->rect.adjusted(metrics::kCellPadding, 0, -metrics::kCellPadding, 0);
    default: return QProxyStyle::subElementRect(element, option, widget);
    }
}

QRect PlimsollStyle::subControlRect(ComplexControl control, const QStyleOptionComplex *option, SubControl part,
                                    const QWidget *widget) const
{
    switch (control) {
    case CC_ComboBox:
        if (const auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option))
            return parts::comboPart(*combo, part);
        break;
    case CC_SpinBox:
        if (const auto *spin = qstyleoption_cast<const QStyleOptionSpinBox *>(option); spin != nullptr && part != SC_SpinBoxFrame)
            return parts::spinPart(*spin, part);
        break;
    case CC_ScrollBar:
        if (const auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option)) {
            const bool isAcross = bar->orientation == Qt::Horizontal;
            const int length = isAcross ? bar->rect.width() : bar->rect.height();
            const int thickness = isAcross ? bar->rect.height() : bar->rect.width();
            const auto along = [&](int begin, int size) {
                return visualRect(bar->direction, bar->rect,
                                  isAcross ? QRect(bar->rect.left() + begin, bar->rect.top(), size, thickness)
                                           : QRect(bar->rect.left(), bar->rect.top() + begin, thickness, size));
            };
            const qint64 span = qint64(bar->maximum) - bar->minimum;
            int thumb = length;
            if (span > 0) {
                thumb = static_cast<int>(qint64(bar->pageStep) * length / (span + bar->pageStep));
                thumb = std::clamp(thumb, std::min(32, length), length);
            }
            const int begin = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - thumb,
                                                      bar->upsideDown);
            switch (part) { // no arrow buttons: the whole length is groove
            case SC_ScrollBarSlider: return along(begin, thumb);
            case SC_ScrollBarSubPage: return along(0, begin);
            case SC_ScrollBarAddPage: return along(begin + thumb, length - begin - thumb);
            case SC_ScrollBarGroove: return along(0, length);
            default: return {};
            }
        }
        break;
    case CC_Slider:
        if (const auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option); bar != nullptr && part == SC_SliderHandle) {
            const bool isAcross = bar->orientation == Qt::Horizontal;
            const int length = isAcross ? bar->rect.width() : bar->rect.height();
            const int at = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - metrics::kCheck,
                                                   bar->upsideDown);
            return isAcross ? QRect(bar->rect.left() + at, bar->rect.top(), metrics::kCheck, bar->rect.height())
                            : QRect(bar->rect.left(), bar->rect.top() + at, bar->rect.width(), metrics::kCheck);
        }
        break;
    default: break;
    }
    return QProxyStyle::subControlRect(control, option, part, widget);
}

} // namespace plimsoll
