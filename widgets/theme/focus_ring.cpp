// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/focus_ring.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/tokens.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QCheckBox>
#include <QEvent>
#include <QFocusEvent>
#include <QLineEdit>
#include <QPainter>
#include <QRadioButton>

#include <algorithm>

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

/// A mouse click shows by itself what it hit; keys need the ring. Editors have it always.
bool wantsRing(const QWidget *widget, Qt::FocusReason reason)
{
    if (widget->property(kFocusInside).toBool())
        return false;
    if (const auto *edit = qobject_cast<const QLineEdit *>(widget))
        return edit->hasFrame();
    if (qobject_cast<const QAbstractButton *>(widget) == nullptr)
        return true;
    return reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
}

bool isPassing(Qt::FocusReason reason)
{
    return reason == Qt::PopupFocusReason || reason == Qt::ActiveWindowFocusReason || reason == Qt::MenuBarFocusReason;
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

QRect ringOf(const QWidget *target, const QWidget *parent)
{
    constexpr int reach = FocusRing::kReach;
    const QRect body = bodyOf(target);
    return QRect(target->mapTo(parent, body.topLeft()), body.size()).adjusted(-reach, -reach, reach, reach);
}

bool isViewport(const QWidget *widget)
{
    const auto *area = qobject_cast<const QAbstractScrollArea *>(widget->parentWidget());
    return area != nullptr && area->viewport() == widget;
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
    if (m_target == widget)
        hide();
    widget->removeEventFilter(this);
}

bool FocusRing::eventFilter(QObject *watched, QEvent *event)
{
    auto *widget = qobject_cast<QWidget *>(watched);
    const bool isBetween = std::find(m_between.begin(), m_between.end(), widget) != m_between.end();
    switch (event->type()) {
    case QEvent::FocusIn: {
        const auto reason = static_cast<QFocusEvent *>(event)->reason();
        const bool isBack = isPassing(reason) && m_last == widget;
        if (widget != nullptr && (isBack || wantsRing(widget, reason)))
            showAround(widget);
        break;
    }
    case QEvent::FocusOut:
        if (m_target == watched) {
            m_last = isPassing(static_cast<QFocusEvent *>(event)->reason()) ? m_target : nullptr;
            hide();
        }
        break;
    case QEvent::KeyPress:
        // Keys on a control that the mouse had focused: now the ring helps.
        if (widget != nullptr && widget->hasFocus() && m_target != widget && wantsRing(widget, Qt::TabFocusReason))
            showAround(widget);
        break;
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::ZOrderChange:
        if (m_target == watched || isBetween)
            follow();
        break;
    case QEvent::Hide:
    case QEvent::ParentChange:
        if (m_target == watched || isBetween)
            hide();
        break;
    default: break;
    }
    return QObject::eventFilter(watched, event);
}

void FocusRing::showAround(QWidget *widget)
{
    hide();
    if (widget->parentWidget() == nullptr)
        return;
    // A layout without margins would clip the ring, so it becomes the child of the
    // nearest ancestor that has room for it; not of one outside of a scrolled page.
    QWidget *home = widget->parentWidget();
    while (!home->isWindow() && !isViewport(home) && home->parentWidget() != nullptr
           && !home->rect().contains(ringOf(widget, home))) {
        m_between.emplace_back(home);
        home->installEventFilter(this);
        home = home->parentWidget();
    }
    m_target = widget;
    if (m_ring.isNull() || m_ring->parentWidget() != home) {
        delete m_ring.data();
        m_ring = new Ring(home);
    }
    follow();
    m_ring->show();
}

void FocusRing::follow()
{
    if (m_ring.isNull() || m_target.isNull() || !m_ring->parentWidget()->isAncestorOf(m_target))
        return;
    m_ring->setGeometry(ringOf(m_target, m_ring->parentWidget()));
    m_ring->raise();
}

void FocusRing::release()
{
    for (const QPointer<QWidget> &between : m_between) {
        if (!between.isNull() && between != m_target)
            between->removeEventFilter(this);
    }
    m_between.clear();
}

void FocusRing::hide()
{
    release();
    m_target = nullptr;
    if (!m_ring.isNull())
        m_ring->hide();
}

void setFocusInside(QWidget *widget)
{
    widget->setProperty(kFocusInside, true);
}

} // namespace plimsoll
