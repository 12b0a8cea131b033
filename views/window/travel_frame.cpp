// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/window/travel_frame.h"

#include "widgets/theme/tokens.h"

#include <QEvent>
#include <QPainter>

namespace plimsoll {

TravelFrame::TravelFrame(QWidget *window) : QWidget(window)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    hide();
    window->installEventFilter(this);
}

void TravelFrame::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(QPen(tokens(this).accent, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

bool TravelFrame::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize)
        setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

} // namespace plimsoll
