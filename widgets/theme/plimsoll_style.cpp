// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/plimsoll_style.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/focus_ring.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/style_parts.h"
#include "widgets/theme/tokens.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QSlider>
#include <QSplitterHandle>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>

namespace plimsoll {

namespace {

bool takesRing(const QWidget *widget)
{
    return qobject_cast<const QAbstractButton *>(widget) != nullptr || qobject_cast<const QLineEdit *>(widget) != nullptr
        || qobject_cast<const QComboBox *>(widget) != nullptr || qobject_cast<const QAbstractSpinBox *>(widget) != nullptr
        || qobject_cast<const QSlider *>(widget) != nullptr;
}

bool takesHover(const QWidget *widget)
{
    return takesRing(widget) || qobject_cast<const QScrollBar *>(widget) != nullptr
        || qobject_cast<const QSplitterHandle *>(widget) != nullptr || qobject_cast<const QTabBar *>(widget) != nullptr;
}

bool isTip(const QWidget *widget)
{
    return widget != nullptr && widget->inherits("QTipLabel");
}

QRegion roundedMask(const QRect &rect)
{
    QPainterPath path;
    path.addRoundedRect(rect, metrics::kControlRadius, metrics::kControlRadius);
    return QRegion(path.toFillPolygon().toPolygon());
}

} // namespace

PlimsollStyle::PlimsollStyle()
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion")))
    , m_focusRing(new FocusRing(this))
{
}

PlimsollStyle::~PlimsollStyle() = default;

void PlimsollStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                                  const QWidget *widget) const
{
    const Tokens &t = tokens(option->palette);
    switch (element) {
    case PE_PanelButtonCommand:
    case PE_PanelButtonBevel: parts::buttonPanel(*option, *painter, widget); return;
    case PE_PanelButtonTool: parts::toolPanel(*option, *painter, widget); return;
    case PE_FrameDefaultButton:
    case PE_FrameButtonBevel:
    case PE_FrameButtonTool:
    case PE_FrameStatusBarItem:
    case PE_PanelStatusBar:
    case PE_PanelScrollAreaCorner: return;
    case PE_FrameFocusRect:
        // Controls have the ring around them, views paint their current row.
        if (!takesRing(widget) && qobject_cast<const QAbstractItemView *>(widget) == nullptr)
            draw::focusInside(*painter, option->rect, metrics::kControlRadius, t.accent);
        return;
    case PE_PanelLineEdit:
        if (const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option); frame != nullptr && frame->lineWidth > 0)
            parts::editorPanel(*option, *painter, widget);
        return;
    case PE_FrameLineEdit: return; // drawn with the panel
    case PE_Frame:
        // What opens over a page has the stronger edge of a menu, without round corners:
        // its window is a rectangle.
        if (widget != nullptr && widget->inherits("QComboBoxPrivateContainer"))
            draw::box(*painter, option->rect, 0, QColor(), t.line2);
        else
            draw::box(*painter, option->rect, metrics::kControlRadius, QColor(), t.line);
        return;
    case PE_FrameGroupBox:
        draw::box(*painter, option->rect, metrics::kPanelRadius, QColor(), t.line);
        return;
    case PE_FrameTabWidget: return;
    case PE_FrameTabBarBase:
        draw::horizontal(*painter, option->rect.left(), option->rect.right() + 1,
                         option->rect.bottom() + 1 - draw::hairline(*painter), t.line);
        return;
    case PE_PanelMenu:
    case PE_FrameMenu:
    case PE_PanelTipLabel: parts::menuPanel(*option, *painter); return;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck: parts::checkIndicator(*option, *painter); return;
    case PE_IndicatorRadioButton: parts::radioIndicator(*option, *painter); return;
    case PE_IndicatorArrowDown: paintIcon(*painter, option->rect, Icon::ChevronDown, t.text2); return;
    case PE_IndicatorArrowLeft: paintIcon(*painter, option->rect, Icon::ChevronLeft, t.text2); return;
    case PE_IndicatorArrowRight: paintIcon(*painter, option->rect, Icon::ChevronRight, t.text2); return;
    case PE_IndicatorTabClose: paintIcon(*painter, option->rect, Icon::Close, t.text2); return;
    case PE_IndicatorHeaderArrow: return; // part of the label
    case PE_IndicatorBranch: parts::branch(*option, *painter); return;
    case PE_PanelItemViewItem:
    case PE_PanelItemViewRow: parts::itemRow(*option, *painter, widget); return;
    default: QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void PlimsollStyle::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                                const QWidget *widget) const
{
    switch (element) {
    case CE_PushButtonBevel:
        parts::buttonPanel(*option, *painter, widget);
        return;
    case CE_PushButtonLabel:
        if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option))
            return parts::buttonLabel(*button, *painter, widget);
        break;
    case CE_Header:
        if (const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option)) {
            // Whole, since the base class leaves room for an arrow of its own.
            parts::headerSection(*header, *painter);
            return parts::headerLabel(*header, *painter);
        }
        break;
    case CE_HeaderSection:
        if (const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option))
            return parts::headerSection(*header, *painter);
        break;
    case CE_HeaderLabel:
        if (const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option))
            return parts::headerLabel(*header, *painter);
        break;
    case CE_HeaderEmptyArea: {
        QStyleOptionHeader empty;
        static_cast<QStyleOption &>(empty) = *option;
        empty.orientation = Qt::Horizontal;
        return parts::headerSection(empty, *painter);
    }
    case CE_MenuItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option))
            return parts::menuItem(*item, *painter, widget);
        break;
    case CE_MenuEmptyArea: return;
    case CE_MenuBarItem:
        if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option))
            return parts::menuBarItem(*item, *painter, widget);
        break;
    case CE_MenuBarEmptyArea: painter->fillRect(option->rect, tokens(option->palette).window); return;
    case CE_TabBarTabShape:
        if (const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option))
            return parts::tabShape(*tab, *painter);
        break;
    case CE_TabBarTabLabel:
        if (const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option))
            return parts::tabLabel(*tab, *painter, widget);
        break;
    case CE_ProgressBar:
        if (const auto *bar = qstyleoption_cast<const QStyleOptionProgressBar *>(option))
            return parts::progress(*bar, *painter);
        break;
    case CE_Splitter: return parts::splitter(*option, *painter);
    default: break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void PlimsollStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                                       const QWidget *widget) const
{
    switch (control) {
    case CC_ComboBox:
        if (const auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option))
            return parts::comboBox(*combo, *painter, widget);
        break;
    case CC_SpinBox:
        if (const auto *spin = qstyleoption_cast<const QStyleOptionSpinBox *>(option))
            return parts::spinBox(*spin, *painter, widget);
        break;
    case CC_ScrollBar:
        if (const auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option))
            return parts::scrollBar(*bar, *painter, widget);
        break;
    case CC_Slider:
        if (const auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option))
            return parts::slider(*bar, *painter);
        break;
    default: break;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

void PlimsollStyle::polish(QWidget *widget)
{
    QProxyStyle::polish(widget);
    if (takesHover(widget))
        widget->setAttribute(Qt::WA_Hover);
    if (takesRing(widget))
        m_focusRing->watch(widget);
    if (isTip(widget))
        widget->setContentsMargins(2, 0, 2, 0); // 8 at the sides, 6 above and below
}

void PlimsollStyle::unpolish(QWidget *widget)
{
    if (takesRing(widget))
        m_focusRing->forget(widget);
    QProxyStyle::unpolish(widget);
}

int PlimsollStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                             QStyleHintReturn *returned) const
{
    switch (hint) {
    case SH_ToolTip_WakeUpDelay: return metrics::kTipDelayMs;
    case SH_ToolTipLabel_Opacity: return 255;
    case SH_ComboBox_Popup: return 0; // a list below, not a menu over it
    case SH_ComboBox_ListMouseTracking: return 1;
    case SH_ComboBox_PopupFrameStyle: return static_cast<int>(QFrame::StyledPanel) | static_cast<int>(QFrame::Plain);
    case SH_EtchDisabledText:
    case SH_DitherDisabledText: return 0;
    case SH_ItemView_ShowDecorationSelected: return 1;
    case SH_TabBar_Alignment: return Qt::AlignLeft;
    case SH_Menu_Mask:
    case SH_ToolTip_Mask:
        if (auto *mask = qstyleoption_cast<QStyleHintReturnMask *>(returned); mask != nullptr && option != nullptr) {
            mask->region = roundedMask(option->rect);
            return 1;
        }
        break;
    default: break;
    }
    return QProxyStyle::styleHint(hint, option, widget, returned);
}

QIcon PlimsollStyle::standardIcon(StandardPixmap kind, const QStyleOption *option, const QWidget *widget) const
{
    const QPalette palette = widget != nullptr ? widget->palette() : (option != nullptr ? option->palette : QPalette());
    switch (kind) {
    case SP_LineEditClearButton:
    case SP_TitleBarCloseButton:
    case SP_DockWidgetCloseButton: return icon(Icon::Close, tokens(palette).text2);
    case SP_ToolBarHorizontalExtensionButton: return icon(Icon::ChevronRight, palette);
    case SP_ToolBarVerticalExtensionButton: return icon(Icon::ChevronDown, palette);
    default: return QProxyStyle::standardIcon(kind, option, widget);
    }
}

} // namespace plimsoll
