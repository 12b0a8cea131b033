// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QPixmap>

class QPainter;
class QPalette;
class QRectF;

namespace plimsoll {

enum class Icon {
    Fleet, Jobs, Endpoints, Snapshots, Cost, Preflight, Alerts, Sessions, Connections, Settings,
    ChevronLeft, ChevronRight, ChevronDown, Home, Search, Close, Plus, Check, Menu, Flag, Camera,
    Pin, Pause, Maximise, More, File, Lock, Retry, Copy, Link, Info, Up, Down, Play, Warning,
    Brand
};

/// Our own drawings: 16 px grid, 1.5 px stroke, in the colour of the text beside.
/// The icon renders itself at the size and pixel ratio asked for; it keeps the
/// colours of that palette, so ask again when the palette changes.
[[nodiscard]] QIcon icon(Icon icon, const QPalette &palette);
[[nodiscard]] QIcon icon(Icon icon, const QColor &colour);

/// `size` in device-independent px; cached.
[[nodiscard]] QPixmap iconPixmap(Icon icon, const QColor &colour, int size, qreal devicePixelRatio);

/// Draws the icon in `box`, crisp at the painter's pixel ratio.
void paintIcon(QPainter &painter, const QRectF &box, Icon icon, const QColor &colour);

} // namespace plimsoll
