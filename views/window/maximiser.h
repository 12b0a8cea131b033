// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>

#include <vector>

namespace plimsoll {

class Panel;

/// One panel alone on its page: hides what stands beside it on every level, and brings it back.
class Maximiser
{
public:
    [[nodiscard]] bool isActive() const noexcept { return m_panel != nullptr; }
    void maximise(Panel *panel, QWidget *page);
    void restore();

    /// The panel that has the focus, else the one under the mouse, else the page's largest.
    [[nodiscard]] static Panel *panelOf(QWidget *page);

private:
    QPointer<QWidget> m_panel;
    std::vector<QPointer<QWidget>> m_hidden;
};

} // namespace plimsoll
