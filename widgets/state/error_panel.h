// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QHBoxLayout;
class QPushButton;

namespace plimsoll {

class Label;

/// What happened, what still works, what to do; never modal, never a code alone.
class ErrorPanel : public QWidget
{
    Q_OBJECT

public:
    explicit ErrorPanel(QWidget *parent = nullptr);

    /// `whatHappened` strong, then what still works and what to do in text2. `details`
    /// is what Copy details puts on the clipboard; empty hides that button.
    void setError(const QString &whatHappened, const QString &whatToDo, const QString &details = {});
    [[nodiscard]] QString whatHappened() const;

    /// Stands before Copy details.
    QPushButton *addButton(const QString &text, bool isDefault = false);

private:
    Label *m_what;
    Label *m_then;
    QHBoxLayout *m_buttons;
    QPushButton *m_copy;
    QString m_details;
};

} // namespace plimsoll
