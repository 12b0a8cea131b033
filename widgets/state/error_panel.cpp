// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/error_panel.h"

#include "widgets/theme/buttons.h"
#include "widgets/theme/label.h"
#include "widgets/theme/tokens.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace plimsoll {

ErrorPanel::ErrorPanel(QWidget *parent)
    : QWidget(parent)
    , m_what(new Label({}, TextRole::BodyHeavy))
    , m_then(new Label({}, TextRole::Body, Ink::Text2))
    , m_buttons(new QHBoxLayout)
    , m_copy(makeButton(tr("Copy details"), ButtonKind::Quiet))
{
    m_what->setWordWrap(true);
    m_then->setWordWrap(true);
    setSmall(m_copy);
    m_copy->hide();
    connect(m_copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_details); });

    m_buttons->setSpacing(metrics::kGutter);
    m_buttons->addWidget(m_copy);
    m_buttons->addStretch();

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 4, 0, 4);
    column->setSpacing(2);
    column->addWidget(m_what);
    column->addWidget(m_then);
    column->addSpacing(6);
    column->addLayout(m_buttons);
    column->addStretch();
}

void ErrorPanel::setError(const QString &whatHappened, const QString &whatToDo, const QString &details)
{
    m_what->setText(whatHappened);
    m_then->setText(whatToDo);
    m_then->setVisible(!whatToDo.isEmpty());
    m_details = details;
    m_copy->setVisible(!details.isEmpty());
    setAccessibleName(whatHappened);
    setAccessibleDescription(whatToDo);
}

QString ErrorPanel::whatHappened() const
{
    return m_what->text();
}

QPushButton *ErrorPanel::addButton(const QString &text, bool isDefault)
{
    auto *button = makeButton(text, isDefault ? ButtonKind::Default : ButtonKind::Normal, this);
    setSmall(button);
    m_buttons->insertWidget(m_buttons->indexOf(m_copy), button);
    return button;
}

} // namespace plimsoll
