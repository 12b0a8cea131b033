// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/buttons.h"

#include "widgets/theme/choice_button.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>
#include <QEvent>
#include <QMenu>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QVariant>

namespace plimsoll {

namespace {

constexpr const char *kKind = "plimsollButtonKind";
constexpr const char *kSmall = "plimsollSmall";
constexpr const char *kInvalid = "plimsollInvalid";

/// Draws the icon anew in the colours of the new theme.
class IconKeeper final : public QObject
{
public:
    IconKeeper(QAbstractButton *button, Icon icon)
        : QObject(button)
        , m_button(button)
        , m_icon(icon)
    {
        button->installEventFilter(this);
        apply();
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::PaletteChange)
            apply();
        return QObject::eventFilter(watched, event);
    }

private:
    void apply() { m_button->setIcon(icon(m_icon, m_button->palette())); }

    QAbstractButton *m_button;
    Icon m_icon;
};

} // namespace

QPushButton *makeButton(const QString &text, ButtonKind kind, QWidget *parent)
{
    auto *button = new QPushButton(text, parent);
    button->setAutoDefault(false);
    button->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setButtonKind(button, kind);
    return button;
}

QToolButton *makeIconButton(Icon icon, const QString &name, QWidget *parent)
{
    auto *button = new QToolButton(parent);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(name);
    button->setToolTip(plainTip(name));
    button->setFixedSize(metrics::kButton, metrics::kButton);
    setThemedIcon(button, icon);
    return button;
}

QToolButton *makeChoice(const QString &text, QMenu *menu, QWidget *parent)
{
    auto *button = new ChoiceButton(parent);
    button->setText(text);
    button->setMenu(menu);
    return button;
}

void setButtonKind(QAbstractButton *button, ButtonKind kind)
{
    button->setProperty(kKind, static_cast<int>(kind));
    button->update();
}

ButtonKind buttonKind(const QWidget *button)
{
    if (button == nullptr)
        return ButtonKind::Normal;
    const QVariant kind = button->property(kKind);
    if (kind.isValid())
        return static_cast<ButtonKind>(kind.toInt());
    // Buttons that Qt made itself (message boxes, dialogs) say it their own way.
    if (const auto *push = qobject_cast<const QPushButton *>(button)) {
        if (push->isDefault())
            return ButtonKind::Default;
        if (push->isFlat())
            return ButtonKind::Quiet;
    }
    return ButtonKind::Normal;
}

void setSmall(QAbstractButton *button, bool isSmall)
{
    button->setProperty(kSmall, isSmall);
    if (qobject_cast<QToolButton *>(button) != nullptr && button->text().isEmpty()) {
        const int side = isSmall ? metrics::kButtonSmall : metrics::kButton;
        button->setFixedSize(side, side);
    }
    // A button keeps its size hint until something about it changes.
    QEvent changed(QEvent::StyleChange);
    QCoreApplication::sendEvent(button, &changed);
    button->updateGeometry();
}

bool isSmall(const QWidget *button)
{
    return button != nullptr && button->property(kSmall).toBool();
}

void setThemedIcon(QAbstractButton *button, Icon icon)
{
    for (QObject *child : button->children()) {
        if (auto *keeper = dynamic_cast<IconKeeper *>(child))
            delete keeper;
    }
    new IconKeeper(button, icon);
}

void setInvalid(QWidget *editor, bool isInvalid)
{
    editor->setProperty(kInvalid, isInvalid);
    editor->update();
}

bool isInvalid(const QWidget *editor)
{
    return editor != nullptr && editor->property(kInvalid).toBool();
}

} // namespace plimsoll
