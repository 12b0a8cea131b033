// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/toast.h"

#include "widgets/theme/buttons.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/label.h"
#include "widgets/theme/tokens.h"

#include <QAccessible>
#include <QGridLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kWidth = 272;
constexpr int kFromEdge = 16;
constexpr int kMost = 3;
constexpr int kGlyphColumn = 18;

} // namespace

Toast::Toast(const ToastText &text, QWidget *parent)
    : QWidget(parent)
    , m_glyph(text.glyph)
{
    setFixedWidth(kWidth);
    setAccessibleName(text.text.isEmpty() ? text.title : text.title + QStringLiteral(". ") + text.text);

    auto *title = new Label(text.title, TextRole::BodyHeavy);
    title->setWordWrap(true);
    auto *dismiss = makeIconButton(Icon::Close, tr("Dismiss"));
    setSmall(dismiss);
    connect(dismiss, &QToolButton::clicked, this, &Toast::close);

    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(m_glyph ? 12 + kGlyphColumn : 12, 8, 6, 8);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(0);
    grid->setColumnStretch(0, 1);
    grid->addWidget(title, 0, 0, Qt::AlignVCenter);
    grid->addWidget(dismiss, 0, 2, Qt::AlignTop);
    if (!text.text.isEmpty()) {
        auto *body = new Label(text.text, TextRole::Body, Ink::Text2);
        body->setWordWrap(true);
        grid->addWidget(body, 1, 0, 1, text.action.isEmpty() ? 2 : 1);
    }
    if (!text.action.isEmpty()) {
        auto *action = makeButton(text.action, ButtonKind::Quiet);
        setSmall(action);
        connect(action, &QPushButton::clicked, this, [this] {
            emit actionClicked();
            close();
        });
        if (text.text.isEmpty())
            grid->addWidget(action, 0, 1, Qt::AlignTop);
        else
            grid->addWidget(action, 1, 1, 1, 2, Qt::AlignRight | Qt::AlignBottom);
    }

    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &Toast::close);
    m_timer.start(kStayMs);
}

void Toast::close()
{
    m_timer.stop();
    hide();
    emit closed();
    deleteLater();
}

bool Toast::event(QEvent *event)
{
    if (event->type() == QEvent::Enter)
        m_timer.stop();
    else if (event->type() == QEvent::Leave && isVisible())
        m_timer.start(kStayMs);
    return QWidget::event(event);
}

void Toast::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        close();
    else
        QWidget::keyPressEvent(event);
}

void Toast::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    draw::box(painter, rect(), metrics::kControlRadius, t.raised, t.line2);
    if (m_glyph) {
        const QRect box(12, 14, metrics::kGlyphBox, metrics::kGlyphBox);
        paintGlyph(painter, QStyle::visualRect(layoutDirection(), rect(), box), *m_glyph, glyphColour(*m_glyph, t));
    }
}

ToastStack::ToastStack(QWidget *window)
    : QObject(window)
    , m_window(window)
{
    window->installEventFilter(this);
}

Toast *ToastStack::show(const ToastText &text)
{
    std::erase_if(m_toasts, [](const QPointer<Toast> &toast) { return toast.isNull() || toast->isHidden(); });
    while (m_toasts.size() >= kMost) {
        m_toasts.front()->deleteLater();
        m_toasts.front()->hide();
        m_toasts.erase(m_toasts.begin());
    }
    auto *toast = new Toast(text, m_window);
    connect(toast, &Toast::closed, this, &ToastStack::place);
    m_toasts.emplace_back(toast);
    toast->show();
    toast->raise();
    place();
    QAccessibleEvent alert(toast, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
    return toast;
}

int ToastStack::count() const
{
    return static_cast<int>(std::count_if(m_toasts.begin(), m_toasts.end(), [](const QPointer<Toast> &toast) {
        return !toast.isNull() && !toast->isHidden();
    }));
}

bool ToastStack::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize)
        place();
    return QObject::eventFilter(watched, event);
}

void ToastStack::place()
{
    int bottom = m_window->height() - metrics::kStatusStrip - kFromEdge;
    for (auto it = m_toasts.rbegin(); it != m_toasts.rend(); ++it) {
        if (it->isNull() || (*it)->isHidden())
            continue;
        Toast *toast = *it;
        const int height = std::max(toast->sizeHint().height(), toast->heightForWidth(kWidth));
        const QRect at(m_window->width() - kWidth - kFromEdge, bottom - height, kWidth, height);
        toast->setGeometry(QStyle::visualRect(m_window->layoutDirection(), m_window->rect(), at));
        bottom -= height + metrics::kGutter;
    }
}

} // namespace plimsoll
