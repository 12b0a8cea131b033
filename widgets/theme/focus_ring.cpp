// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/focus_ring.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/tokens.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QEvent>
#include <QFocusEvent>
#include <QLineEdit>
#include <QPainter>
#include <QRadioButton>

namespace plimsoll {

namespace {

constexpr const char *kFocusInside = "plimsollFocusInside";

class Ring final : public QWidget
{
public:
    explicit Ring(QWidget *parent)
        : QWidget(parent)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setAttribute(Qt::WA_NoChildEventsForParent); // a splitter would adopt it
        setAttribute(Qt::WA_NoSystemBackground);
        setFocusPolicy(Qt::NoFocus);
    }

protected:
    void paintEvent(QPaintEvent * /*event*/) override
    {
        QPainter painter(this);
        draw::box(painter, rect(), metrics::kControlRadius + FocusRing::kReach, QColor(), tokens(this).accent, 2);
    }
};

/// A mouse click shows by itself what it hit; editors show the ring always.
bool wantsRing(const QWidget *widget, Qt::FocusReason reason)
{
    if (widget->property(kFocusInside).toBool())
        return false;
    if (const auto *edit = qobject_cast<const QLineEdit *>(widget))
        return edit->hasFrame();
    const bool isButton = qobject_cast<const QAbstractButton *>(widget) != nullptr;
    return !isButton || reason != Qt::MouseFocusReason;
}

QRect bodyOf(const QWidget *widget)
{
    // A check box is as wide as its layout lets it be; the ring goes round what is seen.
    if (qobject_cast<const QCheckBox *>(widget) != nullptr || qobject_cast<const QRadioButton *>(widget) != nullptr) {
        QRect seen = QRect(QPoint(0, 0), widget->sizeHint()).intersected(widget->rect());
        seen.moveTop((widget->height() - seen.height()) / 2);
        if (widget->isRightToLeft())
            seen.moveRight(widget->width() - 1);
        return seen;
    }
    return widget->rect();
}

} // namespace

FocusRing::~FocusRing()
{
    delete m_ring.data();
}

void FocusRing::watch(QWidget *widget)
{
    widget->installEventFilter(this);
}

void FocusRing::forget(QWidget *widget)
{
    widget->removeEventFilter(this);
    if (m_target == widget)
        hide();
}

bool FocusRing::eventFilter(QObject *watched, QEvent *event)
{
    auto *widget = qobject_cast<QWidget *>(watched);
    switch (event->type()) {
    case QEvent::FocusIn: {
        const auto reason = static_cast<QFocusEvent *>(event)->reason();
        // Back from a menu or another window: it looks as it did before.
        if (reason == Qt::PopupFocusReason || reason == Qt::ActiveWindowFocusReason) {
            if (m_target == widget)
                break;
        }
        if (widget != nullptr && wantsRing(widget, reason))
            showAround(widget);
        else
            hide();
        break;
    }
    case QEvent::FocusOut:
        if (m_target == watched)
            hide();
        break;
    case QEvent::KeyPress:
        // Keys on a control that the mouse had focused: now the ring helps.
        if (widget != nullptr && widget->hasFocus() && m_target != widget && wantsRing(widget, Qt::TabFocusReason))
            showAround(widget);
        break;
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::ParentChange:
    case QEvent::ZOrderChange:
        if (m_target == watched)
            follow();
        break;
    case QEvent::Hide:
    case QEvent::Destroy:
        if (m_target == watched)
            hide();
        break;
    default: break;
    }
    return QObject::eventFilter(watched, event);
}

void FocusRing::showAround(QWidget *widget)
{
    if (widget->parentWidget() == nullptr)
        return;
    m_target = widget;
    if (m_ring.isNull() || m_ring->parentWidget() != widget->parentWidget()) {
        delete m_ring.data();
        m_ring = new Ring(widget->parentWidget());
    }
    follow();
    m_ring->show();
}

void FocusRing::follow()
{
    if (m_ring.isNull() || m_target.isNull())
        return;
    if (m_ring->parentWidget() != m_target->parentWidget()) {
        hide();
        return;
    }
    const QRect body = bodyOf(m_target).translated(m_target->pos());
    m_ring->setGeometry(body.adjusted(-kReach, -kReach, kReach, kReach));
    m_ring->raise();
}

void FocusRing::hide()
{
    m_target = nullptr;
    if (!m_ring.isNull())
        m_ring->hide();
}

void setFocusInside(QWidget *widget)
{
    widget->setProperty(kFocusInside, true);
}

} // namespace plimsoll
