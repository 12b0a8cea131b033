// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/stale_badge.h"

#include "base/format.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QPainter>
#include <QStyle>

namespace plimsoll {

namespace {

constexpr int kRing = 14;
constexpr int kGap = 6;

} // namespace

StaleBadge::StaleBadge(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    hide();
}

void StaleBadge::setAge(std::optional<Duration> age, const QString &reason)
{
    const QString text = age ? tr("%1 old").arg(QString::fromStdString(formatDuration(*age))) : QString();
    setToolTip(plainTip(reason));
    setVisible(age.has_value());
    if (text == m_text)
        return;
    m_text = text;
    setAccessibleName(text);
    updateGeometry();
    update();
}

QSize StaleBadge::sizeHint() const
{
    const QFontMetrics caption(plimsoll::font(TextRole::Caption));
    return {kRing + kGap + caption.horizontalAdvance(m_text) + 1, metrics::kTarget};
}

void StaleBadge::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    const auto placed = [this](QRect part) { return QStyle::visualRect(layoutDirection(), rect(), part); };
    paintIcon(painter, placed(QRect(0, 0, kRing, height())), Icon::Info, t.text2);
    painter.setFont(plimsoll::font(TextRole::Caption));
    painter.setPen(t.text2);
    painter.drawText(placed(QRect(kRing + kGap, 0, width() - kRing - kGap, height())), Qt::AlignCenter, m_text);
}

} // namespace plimsoll
