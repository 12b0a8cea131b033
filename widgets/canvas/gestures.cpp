// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/gestures.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QWheelEvent>

namespace plimsoll {
namespace {

/// The letter that stands at this key on a US keyboard, or 0. X11 and Wayland report evdev
/// codes + 8; other platforms number keys otherwise, and injected events have no code.
int letterAt(const QKeyEvent &event)
{
    static const bool hasEvdevCodes = QGuiApplication::platformName() == QLatin1String("xcb")
        || QGuiApplication::platformName().startsWith(QLatin1String("wayland"));
    if (hasEvdevCodes) {
        switch (event.nativeScanCode()) {
        case 25: return Qt::Key_W;
        case 38: return Qt::Key_A;
        case 39: return Qt::Key_S;
        case 40: return Qt::Key_D;
        case 41: return Qt::Key_F;
        case 28: return Qt::Key_T;
        case 52: return Qt::Key_Z;
        case 31: return Qt::Key_I;
        case 44: return Qt::Key_J;
        case 45: return Qt::Key_K;
        case 46: return Qt::Key_L;
        case 33: return Qt::Key_P;
        case 32: return Qt::Key_O;
        default: break;
        }
    }
    // The symbol counts where there is no code, and for keys that are no letters.
    return hasEvdevCodes && event.key() >= Qt::Key_A && event.key() <= Qt::Key_Z && event.nativeScanCode() != 0 ? 0
                                                                                                                : event.key();
}

} // namespace

std::optional<CanvasCommand> canvasCommand(const QKeyEvent &event)
{
    const auto held = event.modifiers() & ~(Qt::KeypadModifier | Qt::GroupSwitchModifier);
    if (held & (Qt::AltModifier | Qt::MetaModifier))
        return std::nullopt;
    const bool ctrl = held & Qt::ControlModifier;
    const bool shift = held & Qt::ShiftModifier;
    const Stride stride = ctrl ? Stride::Fine : shift ? Stride::Coarse : Stride::Normal;

    // Only moves take a modifier as a stride; Ctrl+F, Ctrl+Z and the like belong to others.
    switch (letterAt(event)) {
    case Qt::Key_W:
    case Qt::Key_I: return CanvasCommand{CanvasAction::ZoomIn, stride};
    case Qt::Key_S: return CanvasCommand{CanvasAction::ZoomOut, stride};
    case Qt::Key_K:
        if (ctrl)
            return std::nullopt; // the palette's
        return CanvasCommand{CanvasAction::ZoomOut, stride};
    case Qt::Key_Plus:
    case Qt::Key_Equal: return CanvasCommand{CanvasAction::ZoomIn, ctrl ? Stride::Fine : Stride::Normal};
    case Qt::Key_Minus:
    case Qt::Key_Underscore: return CanvasCommand{CanvasAction::ZoomOut, stride};
    case Qt::Key_A:
    case Qt::Key_J:
    case Qt::Key_Left: return CanvasCommand{CanvasAction::PanLeft, stride};
    case Qt::Key_D:
    case Qt::Key_L:
    case Qt::Key_Right: return CanvasCommand{CanvasAction::PanRight, stride};
    case Qt::Key_P:
        if (ctrl)
            return std::nullopt;
        return CanvasCommand{shift ? CanvasAction::NextPeak : CanvasAction::Peak};
    default: break;
    }
    if (ctrl || shift)
        return std::nullopt;
    switch (letterAt(event)) {
    case Qt::Key_0: return CanvasCommand{CanvasAction::FitAll};
    case Qt::Key_Z: return CanvasCommand{CanvasAction::FitSelection};
    case Qt::Key_Return:
    case Qt::Key_Enter: return CanvasCommand{CanvasAction::EnterSelection};
    case Qt::Key_BracketLeft: return CanvasCommand{CanvasAction::CursorA};
    case Qt::Key_BracketRight: return CanvasCommand{CanvasAction::CursorB};
    case Qt::Key_F:
    case Qt::Key_Space: return CanvasCommand{CanvasAction::ToggleFreeze};
    case Qt::Key_End: return CanvasCommand{CanvasAction::Follow};
    case Qt::Key_T: return CanvasCommand{CanvasAction::Travel};
    case Qt::Key_O: return CanvasCommand{CanvasAction::NextOom};
    default: return std::nullopt;
    }
}

double zoomFactor(CanvasAction action, Stride stride) noexcept
{
    const double closer = stride == Stride::Fine ? 0.95 : stride == Stride::Coarse ? 0.5 : 0.8;
    return action == CanvasAction::ZoomIn ? closer : 1 / closer;
}

double panShare(CanvasAction action, Stride stride) noexcept
{
    const double share = stride == Stride::Fine ? 0.01 : stride == Stride::Coarse ? 0.5 : 0.1;
    return action == CanvasAction::PanLeft ? -share : share;
}

double wheelNotches(const QWheelEvent &event) noexcept
{
    // With Shift or Alt some platforms turn the wheel sideways by themselves.
    const QPoint angle = event.angleDelta();
    return (angle.y() != 0 ? angle.y() : angle.x()) / 120.0;
}

} // namespace plimsoll
