// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QHBoxLayout;
class QPushButton;

namespace plimsoll {

class Label;

/// Nothing to show, and the one way on: a sentence, then buttons.
class EmptyPanel : public QWidget
{
    Q_OBJECT

public:
    explicit EmptyPanel(const QString &sentence = {}, QWidget *parent = nullptr);

    void setSentence(const QString &sentence);
    [[nodiscard]] QString sentence() const;

    /// A second line in text2, for an example; empty hides it.
    void setHint(const QString &hint);

    /// Owned by the panel; connect to its clicked().
    QPushButton *addButton(const QString &text, bool isDefault = false);

private:
    Label *m_sentence;
    Label *m_hint;
    QHBoxLayout *m_buttons;
};

} // namespace plimsoll
