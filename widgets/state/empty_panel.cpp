// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/empty_panel.h"

#include "widgets/theme/buttons.h"
#include "widgets/theme/label.h"
#include "widgets/theme/tokens.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace plimsoll {

EmptyPanel::EmptyPanel(const QString &sentence, QWidget *parent)
    : QWidget(parent)
    , m_sentence(new Label(sentence))
    , m_hint(new Label({}, TextRole::Body, Ink::Text3))
    , m_buttons(new QHBoxLayout)
{
    m_sentence->setWordWrap(true);
    m_hint->setWordWrap(true);
    m_hint->hide();
    m_buttons->setSpacing(metrics::kGutter);
    m_buttons->addStretch();

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 4, 0, 4);
    column->setSpacing(metrics::kGutter);
    column->addWidget(m_sentence);
    column->addWidget(m_hint);
    column->addLayout(m_buttons);
    column->addStretch();
    setAccessibleName(sentence);
}

void EmptyPanel::setSentence(const QString &sentence)
{
    m_sentence->setText(sentence);
    setAccessibleName(sentence);
}

QString EmptyPanel::sentence() const
{
    return m_sentence->text();
}

void EmptyPanel::setHint(const QString &hint)
{
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
}

QPushButton *EmptyPanel::addButton(const QString &text, bool isDefault)
{
    auto *button = makeButton(text, isDefault ? ButtonKind::Default : ButtonKind::Normal, this);
    setSmall(button);
    m_buttons->insertWidget(m_buttons->count() - 1, button);
    return button;
}

} // namespace plimsoll
