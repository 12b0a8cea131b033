// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/time_bar.h"

#include "base/format.h"
#include "widgets/shell/mode_box.h"
#include "widgets/shell/range_box.h"
#include "widgets/theme/buttons.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/label.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace plimsoll {

namespace {

constexpr int kSpanWidth = 104;
constexpr int kEdge = 12;

} // namespace

TimeBar::TimeBar(QWidget *parent)
    : QWidget(parent)
    , m_row(new QHBoxLayout(this))
    , m_back(makeIconButton(Icon::ChevronLeft, tr("View back")))
    , m_forward(makeIconButton(Icon::ChevronRight, tr("View forward")))
    , m_home(makeIconButton(Icon::Home, tr("Page default")))
    , m_rangeBox(new RangeBox)
    , m_from(new Label({}, TextRole::CaptionStrong))
    , m_zone(new Label({}, TextRole::Caption, Ink::Text2))
    , m_modeBox(new ModeBox)
{
    setFixedHeight(metrics::kTimeBar);
    setAccessibleName(tr("Time"));
    m_back->setToolTip(tr("View back (Alt+Left)"));
    m_forward->setToolTip(tr("View forward (Alt+Right)"));
    m_home->setToolTip(tr("Page default (Alt+Home)"));
    m_back->setEnabled(false);
    m_forward->setEnabled(false);

    auto *span = new QWidget;
    // The widest that a day's range becomes; its digits are not all of one width.
    const QFontMetrics digits(m_from->font());
    span->setFixedWidth(std::max(kSpanWidth, digits.horizontalAdvance(QStringLiteral("00:00:00 \u2013 00:00:00")) + 4));
    auto *lines = new QVBoxLayout(span);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    lines->addStretch();
    lines->addWidget(m_from);
    lines->addWidget(m_zone);
    lines->addStretch();
    m_from->setElide(Qt::ElideRight);
    m_zone->setElide(Qt::ElideRight);

    m_row->setContentsMargins(kEdge, 0, kEdge, 0);
    m_row->setSpacing(0);
    m_row->addWidget(m_back);
    m_row->addWidget(m_forward);
    m_row->addWidget(m_home);
    m_row->addSpacing(8);
    m_row->addWidget(m_rangeBox);
    m_row->addSpacing(8);
    m_row->addWidget(span);
    m_row->addSpacing(8);
    m_row->addStretch(1);
    m_row->addSpacing(12);
    m_row->addWidget(m_modeBox);

    connect(m_back, &QToolButton::clicked, this, &TimeBar::backClicked);
    connect(m_forward, &QToolButton::clicked, this, &TimeBar::forwardClicked);
    connect(m_home, &QToolButton::clicked, this, &TimeBar::homeClicked);
    connect(m_rangeBox, &RangeBox::spanChosen, this, &TimeBar::spanChosen);
    connect(m_rangeBox, &RangeBox::rangeTyped, this, &TimeBar::customRangeTyped);
    connect(m_modeBox, &ModeBox::clicked, this, &TimeBar::modeClicked);
}

void TimeBar::setMode(TimeBarMode mode, const QString &line1, const QString &line2)
{
    const bool framesChange = (mode == TimeBarMode::Travelling) != (m_mode == TimeBarMode::Travelling);
    m_mode = mode;
    m_modeBox->setMode(mode, line1, line2);
    updateTexts();
    if (framesChange)
        update();
}

void TimeBar::setRange(TimeRange range, const QString &line1, const QString &line2, const QString &title)
{
    m_range = range;
    m_line1 = line1;
    m_line2 = line2;
    m_title = title;
    updateTexts();
}

void TimeBar::setUtc(bool utc)
{
    m_utc = utc;
    m_rangeBox->setUtc(utc);
    updateTexts();
}

void TimeBar::updateTexts()
{
    if (m_range.isEmpty())
        return;
    m_from->setText(m_line1.isEmpty() ? rangeText(m_range, m_utc) : m_line1);
    m_zone->setText(m_line2.isEmpty() ? timeText(m_range.end, m_utc, TimeText::Date) + QLatin1Char(' ') + zoneText(m_range.end, m_utc)
                                      : m_line2);
    const QString length = QString::fromStdString(formatDuration(m_range.length()));
    const QString own = m_mode == TimeBarMode::Live ? tr("Last %1").arg(length) : length;
    m_rangeBox->setText(m_title.isEmpty() ? own : m_title);
    m_rangeBox->setAccessibleName(tr("Range, %1, %2").arg(m_rangeBox->text(), m_from->text()));
}

void TimeBar::setCanGoBack(bool can)
{
    m_back->setEnabled(can);
}

void TimeBar::setCanGoForward(bool can)
{
    m_forward->setEnabled(can);
}

void TimeBar::setStrip(QWidget *strip)
{
    if (strip == m_strip)
        return;
    constexpr int kStripIndex = 8; // where the stretch is
    delete m_strip;
    m_strip = strip;
    if (strip == nullptr)
        return;
    m_row->insertWidget(kStripIndex, strip, 100);
    setTabOrder(m_rangeBox, strip);
    setTabOrder(strip, m_modeBox);
    strip->show();
}

QAbstractButton *TimeBar::modeButton() const
{
    return m_modeBox;
}

QAbstractButton *TimeBar::rangeButton() const
{
    return m_rangeBox;
}

QAbstractButton *TimeBar::backButton() const
{
    return m_back;
}

QAbstractButton *TimeBar::forwardButton() const
{
    return m_forward;
}

QAbstractButton *TimeBar::homeButton() const
{
    return m_home;
}

void TimeBar::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    painter.fillRect(rect(), t.rail);
    draw::horizontal(painter, 0, width(), height() - draw::hairline(painter), t.line);
}

} // namespace plimsoll
