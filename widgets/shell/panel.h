// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancel.h"

#include <QFrame>

#include <optional>

class QHBoxLayout;
class QVBoxLayout;

namespace plimsoll {

class Label;

/// The box of everything on a page: radius 6, 1 px line, header 32. It shows its
/// content, or a state in its place; never a box in a box.
class Panel : public QFrame
{
    Q_OBJECT

public:
    explicit Panel(const QString &title = {}, QWidget *parent = nullptr);

    void setTitle(const QString &title); // empty and no header widgets: no header
    [[nodiscard]] QString title() const;

    /// Room behind the title: quiet choices. headerRight() stands at the right end,
    /// before the note: legend, buttons.
    [[nodiscard]] QHBoxLayout *header() const { return m_headerLeft; }
    [[nodiscard]] QHBoxLayout *headerRight() const { return m_headerRight; }
    void setHeaderVisible(bool isVisible);

    void setContent(QWidget *content); // taken over, the old one is deleted
    [[nodiscard]] QWidget *content() const { return m_content; }
    void setContentMargins(const QMargins &margins); // default 12 0 12 12; a table wants 0

    void setNote(const QString &right); // caption at the right end: "rows 24", "14 s old"

    /// 2 px accent line on the upper edge while the picture stays; with a progress the
    /// line is that long, without it a third.
    void setBusy(bool isBusy, std::optional<Progress> progress = {});
    [[nodiscard]] bool isBusy() const { return m_isBusy; }

    void showContent();
    /// Shows a state (EmptyPanel, ErrorPanel, ProgressPanel …) instead of the content.
    /// The panel takes it over and keeps it until another state comes.
    void showState(QWidget *state);
    [[nodiscard]] QWidget *state() const { return m_state; } // nullptr while the content shows

    /// The whole edge in accent and 1 px more inside: the panel that has the focus of a page.
    void setMarked(bool isMarked);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    class BusyLine;

    QVBoxLayout *m_column;
    QWidget *m_headerBox;
    Label *m_title;
    QHBoxLayout *m_headerLeft;
    QHBoxLayout *m_headerRight;
    Label *m_note;
    QWidget *m_body;
    QVBoxLayout *m_bodyColumn;
    QWidget *m_content = nullptr;
    QWidget *m_state = nullptr;
    BusyLine *m_busyLine;
    QMargins m_margins;
    bool m_isBusy = false;
    bool m_isMarked = false;
};

} // namespace plimsoll
