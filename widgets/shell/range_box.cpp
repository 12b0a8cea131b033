// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/range_box.h"

#include "base/format.h"
#include "widgets/shell/typed_time.h"
#include "widgets/theme/buttons.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/label.h"
#include "widgets/theme/tokens.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QStyle>
#include <QVBoxLayout>
#include <QWidgetAction>

#include <array>

namespace plimsoll {

namespace {

using namespace std::chrono_literals;

constexpr int kWidth = 124;
constexpr int kPadding = 10;

constexpr std::array<Duration, 10> kSpans{5min, 15min, 1h, 3h, 6h, 12h, 24h, 24h * 2, 24h * 7, 24h * 30};

} // namespace

RangeBox::RangeBox(QWidget *parent)
    : QPushButton(parent)
    , m_menu(new QMenu(this))
    , m_edit(new QLineEdit)
{
    setFixedSize(kWidth, metrics::kButton);
    setAutoDefault(false);
    setFocusPolicy(Qt::TabFocus);
    setToolTip(tr("How much time is shown"));
    setAccessibleName(tr("Range"));
    makeMenu();
    connect(this, &QPushButton::clicked, this, &RangeBox::openMenu);
}

void RangeBox::makeMenu()
{
    for (const Duration span : kSpans) {
        QAction *action = m_menu->addAction(tr("Last %1").arg(QString::fromStdString(formatDuration(span))));
        connect(action, &QAction::triggered, this, [this, span] { emit spanChosen(span); });
    }
    QAction *all = m_menu->addAction(tr("Everything"));
    connect(all, &QAction::triggered, this, [this] { emit spanChosen(Duration{}); });
    m_menu->addSeparator();

    auto *box = new QWidget;
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(12, 2, 12, 8);
    column->setSpacing(4);
    auto *caption = new Label(tr("Or type a range"), TextRole::Caption, Ink::Text2);
    caption->setBuddy(m_edit);
    m_edit->setPlaceholderText(tr("13:00 \u2013 14:30 or 90 min"));
    m_edit->setAccessibleName(tr("Range"));
    m_edit->setMaxLength(96);
    m_edit->setMinimumWidth(176);
    column->addWidget(caption);
    column->addWidget(m_edit);
    auto *field = new QWidgetAction(m_menu);
    field->setDefaultWidget(box);
    m_menu->addAction(field);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textEdited, this, [this] { setInvalid(m_edit, false); });
    connect(m_menu, &QMenu::aboutToShow, this, [this] {
        setInvalid(m_edit, false);
        m_edit->clear();
    });
}

void RangeBox::openMenu()
{
    m_menu->popup(mapToGlobal(isRightToLeft() ? QPoint(width() - m_menu->sizeHint().width(), height() + 2) : QPoint(0, height() + 2)));
    m_menu->setActiveAction(m_menu->actions().constFirst());
}

bool RangeBox::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            acceptTyped();
            return true; // an editor lets Enter pass, and the menu around it would close
        }
    }
    return QPushButton::eventFilter(watched, event);
}

void RangeBox::acceptTyped()
{
    if (!parseTypedRange(m_edit->text(), systemClock().now(), m_utc)) {
        setInvalid(m_edit, true);
        m_edit->setToolTip(tr("This is no range. Try 13:00 \u2013 14:30, 90 min or 17 Nov \u2013 18 Nov."));
        return;
    }
    const QString text = m_edit->text();
    m_menu->close();
    emit rangeTyped(text);
}

void RangeBox::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    const QColor fill = underMouse() && isEnabled() ? mixed(t.button, t.text, isDown() ? 0.12 : 0.05) : t.button;
    draw::box(painter, rect(), metrics::kControlRadius, fill, t.line2);
    const QRect words = rect().adjusted(kPadding, 0, -kPadding - 18, 0);
    painter.setFont(plimsoll::font(TextRole::BodyStrong));
    painter.setPen(isEnabled() ? t.text : t.line2);
    painter.drawText(QStyle::visualRect(layoutDirection(), rect(), words),
                     Qt::AlignVCenter | Qt::TextSingleLine | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft)),
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, words.width()));
    const QRect chevron(width() - kPadding - 14, 0, 14, height());
    paintIcon(painter, QStyle::visualRect(layoutDirection(), rect(), chevron), Icon::ChevronDown, painter.pen().color());
}

} // namespace plimsoll
