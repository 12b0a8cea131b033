// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/glyphs.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <optional>
#include <vector>

class QPushButton;

namespace plimsoll {

struct ToastText
{
    QString title;
    QString text; // second line, may be empty
    QString action; // text of the quiet button, may be empty
    std::optional<Glyph> glyph;
};

/// One notice at the lower right: 272 wide, gone after 6 s, stays while the mouse
/// is over it or it has focus. Never for pending alerts.
class Toast : public QWidget
{
    Q_OBJECT

public:
    explicit Toast(const ToastText &text, QWidget *parent = nullptr);

    static constexpr int kStayMs = 6000;

signals:
    void actionClicked();
    void closed();

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void close();

    QTimer m_timer;
    std::optional<Glyph> m_glyph;
};

/// Puts toasts over the lower right corner of a window, newest lowest; keeps them
/// there when it is resized. At most three at once, the oldest goes first.
class ToastStack : public QObject
{
    Q_OBJECT

public:
    explicit ToastStack(QWidget *window);

    Toast *show(const ToastText &text);
    [[nodiscard]] int count() const;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void place();

    QWidget *m_window;
    std::vector<QPointer<Toast>> m_toasts;
};

} // namespace plimsoll
