// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyle>

class QPainter;
class QStyleOption;
class QStyleOptionButton;
class QStyleOptionComboBox;
class QStyleOptionComplex;
class QStyleOptionHeader;
class QStyleOptionMenuItem;
class QStyleOptionProgressBar;
class QStyleOptionSlider;
class QStyleOptionSpinBox;
class QStyleOptionTab;
class QStyleOptionToolButton;
class QWidget;

/// The painters behind PlimsollStyle, one function a part; inside of theme only.
namespace plimsoll::parts {

// style_buttons.cpp
void buttonPanel(const QStyleOption &option, QPainter &painter, const QWidget *widget);
void buttonLabel(const QStyleOptionButton &option, QPainter &painter, const QWidget *widget);
void toolPanel(const QStyleOption &option, QPainter &painter, const QWidget *widget);
void checkIndicator(const QStyleOption &option, QPainter &painter);
void radioIndicator(const QStyleOption &option, QPainter &painter);
[[nodiscard]] QSize buttonSize(const QStyleOptionButton &option, const QWidget *widget);

// style_editors.cpp
void editorPanel(const QStyleOption &option, QPainter &painter, const QWidget *widget);
void comboBox(const QStyleOptionComboBox &option, QPainter &painter, const QWidget *widget);
void spinBox(const QStyleOptionSpinBox &option, QPainter &painter, const QWidget *widget);
[[nodiscard]] QRect comboPart(const QStyleOptionComboBox &option, QStyle::SubControl part);
[[nodiscard]] QRect spinPart(const QStyleOptionSpinBox &option, QStyle::SubControl part);

// style_items.cpp
void itemRow(const QStyleOption &option, QPainter &painter, const QWidget *widget);
void branch(const QStyleOption &option, QPainter &painter);
void headerSection(const QStyleOptionHeader &option, QPainter &painter);
void headerLabel(const QStyleOptionHeader &option, QPainter &painter);
void menuPanel(const QStyleOption &option, QPainter &painter);
void menuItem(const QStyleOptionMenuItem &option, QPainter &painter, const QWidget *widget);
[[nodiscard]] QSize menuItemSize(const QStyleOptionMenuItem &option);
void menuBarItem(const QStyleOptionMenuItem &option, QPainter &painter, const QWidget *widget);
void tabShape(const QStyleOptionTab &option, QPainter &painter);
void tabLabel(const QStyleOptionTab &option, QPainter &painter, const QWidget *widget);

// style_bars.cpp
void scrollBar(const QStyleOptionSlider &option, QPainter &painter, const QWidget *widget);
void slider(const QStyleOptionSlider &option, QPainter &painter);
void progress(const QStyleOptionProgressBar &option, QPainter &painter);
void splitter(const QStyleOption &option, QPainter &painter);

} // namespace plimsoll::parts
