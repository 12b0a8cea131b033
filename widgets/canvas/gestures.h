// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Qt>

#include <cstdint>
#include <optional>

class QKeyEvent;
class QWheelEvent;

namespace plimsoll {

enum class CanvasAction : std::uint8_t {
    ZoomIn, ZoomOut, PanLeft, PanRight, FitAll, FitSelection, EnterSelection,
    CursorA, CursorB, ToggleFreeze, Follow, Travel, Peak, NextPeak, NextOom,
};

/// fine with Ctrl, coarse with Shift.
enum class Stride : std::uint8_t { Normal, Fine, Coarse };

struct CanvasCommand
{
    CanvasAction action;
    Stride stride = Stride::Normal;

    friend bool operator==(const CanvasCommand &, const CanvasCommand &) = default;
};

/// What a key means on a focused canvas. Letters count by their place on the keyboard
/// (X11 and Wayland key codes), so that W A S D stay a cross on AZERTY; else by symbol.
[[nodiscard]] std::optional<CanvasCommand> canvasCommand(const QKeyEvent &event);

[[nodiscard]] double zoomFactor(CanvasAction action, Stride stride) noexcept; // < 1 looks closer
[[nodiscard]] double panShare(CanvasAction action, Stride stride) noexcept;   // of the range, < 0 to the past

/// Notches of a wheel or touchpad on its main axis; up and left are positive.
[[nodiscard]] double wheelNotches(const QWheelEvent &event) noexcept;

} // namespace plimsoll
