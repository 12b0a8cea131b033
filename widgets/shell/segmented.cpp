// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/segmented.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/focus_ring.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>

namespace plimsoll {

namespace {

constexpr int kPadding = 8;

class Segment final : public QAbstractButton
{
public:
    Segment(const QString &text, bool isFirst, bool isLast, QWidget *parent)
        : QAbstractButton(parent)
        , m_isFirst(isFirst)
        , m_isLast(isLast)
    {
        setText(text);
        setCheckable(true);
        setAccessibleName(text);
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
        setFocusInside(this);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    }

    QSize sizeHint() const override
    {
        // As wide as with 500, so that choosing moves nothing.
        return {QFontMetrics(plimsoll::font(TextRole::BodyStrong)).horizontalAdvance(text()) + 2 * kPadding, metrics::kButtonSmall};
    }

protected:
    void paintEvent(QPaintEvent * /*event*/) override
    {
        QPainter painter(this);
        const Tokens &t = tokens(this);
        // One box that reaches beyond the ends where a neighbour follows.
        const bool isRtl = isRightToLeft();
        const int over = 2 * metrics::kControlRadius;
        QRectF box = rect();
        if (!(isRtl ? m_isLast : m_isFirst))
            box.setLeft(-over);
        if (!(isRtl ? m_isFirst : m_isLast))
            box.setRight(width() + over);
        const QColor fill = isChecked() ? t.sel : underMouse() && isEnabled() ? t.hover : t.button;
        draw::box(painter, box, metrics::kControlRadius, fill, t.line2);
        if (!m_isLast)
            draw::vertical(painter, isRtl ? 0 : width() - draw::hairline(painter), 0, height(), t.line2);
        painter.setFont(plimsoll::font(isChecked() ? TextRole::BodyStrong : TextRole::Body));
        painter.setPen(!isEnabled() ? t.line2 : isChecked() ? t.text : t.text2);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextSingleLine, text());
        if (hasFocus())
            draw::focusInside(painter, QRectF(rect()).adjusted(1, 1, -1, -1), metrics::kTagRadius, t.accent);
    }

private:
    bool m_isFirst;
    bool m_isLast;
};

} // namespace

Segmented::Segmented(const QStringList &choices, QWidget *parent)
    : QWidget(parent)
    , m_group(new QButtonGroup(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (int i = 0; i < choices.size(); ++i) {
        auto *segment = new Segment(choices.at(i), i == 0, i == choices.size() - 1, this);
        m_group->addButton(segment, i);
        row->addWidget(segment);
    }
    if (!choices.isEmpty())
        m_group->button(0)->setChecked(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(m_group, &QButtonGroup::idToggled, this, [this](int id, bool isOn) {
        if (isOn)
            emit currentChanged(id);
    });
}

void Segmented::setCurrent(int index)
{
    if (QAbstractButton *button = m_group->button(index))
        button->setChecked(true);
}

int Segmented::current() const
{
    return m_group->checkedId();
}

} // namespace plimsoll
