// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>

#include <vector>

namespace plimsoll {

/// The 2 px accent ring, 1 px away from the control that takes keys. One lives in
/// the style and moves to whoever has the focus; controls register by watch().
class FocusRing : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;
    ~FocusRing() override;

    void watch(QWidget *widget);
    void forget(QWidget *widget);

    static constexpr int kReach = 3; // 1 px of air and 2 px of ring

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void showAround(QWidget *widget);
    void follow();
    void hide();
    void release();

    QPointer<QWidget> m_target;
    QPointer<QWidget> m_ring;
    QPointer<QWidget> m_last; // who had the ring before a menu or another window took the focus
    std::vector<QPointer<QWidget>> m_between; // from the target's parent up to below the ring's: they move it too
};

/// Paint the focus inside instead (rows, cells, canvases): no ring is shown.
void setFocusInside(QWidget *widget);

} // namespace plimsoll
