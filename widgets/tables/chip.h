// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>

namespace plimsoll {

/// A filter in words: "team nlp ×". A click edits, the cross or Delete removes.
class Chip : public QAbstractButton
{
    Q_OBJECT

public:
    enum class Kind { Filter, Add /*dashed edge, plus*/ };

    /// key in text2, op between ("=" is left out), value strong; all plain text.
    Chip(const QString &key, const QString &op, const QString &value, QWidget *parent = nullptr);
    static Chip *makeAdd(const QString &text, QWidget *parent = nullptr);

    void setMore(const QString &text); // of an Add chip: other words, without the plus
    void setActive(bool isActive); // sel and accent edge: being edited, or highlighted
    void setRemovable(bool isRemovable);
    [[nodiscard]] QRect crossRect() const; // empty when it cannot be removed

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void removeClicked();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    [[nodiscard]] QString fullText() const;

    Kind m_kind = Kind::Filter;
    QString m_key;
    QString m_op;
    QString m_value;
    bool m_hasPlus = true;
    bool m_isActive = false;
    bool m_isRemovable = true;
    bool m_isCrossHovered = false;
    bool m_isCrossPressed = false;
};

} // namespace plimsoll
