// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/page_header.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/label.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"

#include <QHBoxLayout>
#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kHeight = 60;
constexpr int kPadding = 16;

} // namespace

/// The figures, painted: they change with each sample.
class PageHeader::Facts : public QWidget
{
public:
    explicit Facts(QWidget *parent)
        : QWidget(parent)
    {
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    }

    void set(std::vector<Fact> facts)
    {
        if (facts == m_facts)
            return;
        m_facts = std::move(facts);
        QStringList words;
        for (const Fact &fact : m_facts)
            words << fact.caption + QLatin1Char(' ') + fact.value + (fact.unit.isEmpty() ? QString() : QLatin1Char(' ') + fact.unit);
        setAccessibleName(words.join(QStringLiteral(", ")));
        updateGeometry();
        update();
    }

    QSize sizeHint() const override
    {
        int width = 0;
        for (const Fact &fact : m_facts)
            width += widthOf(fact);
        return {width, kHeight - 2};
    }
    QSize minimumSizeHint() const override { return {0, kHeight - 2}; }

protected:
    void paintEvent(QPaintEvent * /*event*/) override
    {
        QPainter painter(this);
        const Tokens &t = tokens(this);
        const int align = Qt::AlignVCenter | Qt::TextSingleLine | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft));
        const int captionLine = lineHeight(TextRole::Caption);
        const int figureLine = lineHeight(TextRole::HeaderFigure);
        const int top = (height() - captionLine - figureLine - 2) / 2;
        int left = 0;
        for (const Fact &fact : m_facts) {
            const int cell = widthOf(fact);
            if (left + cell > width())
                break; // half a figure would be a wrong figure
            const auto placed = [&](int x, int y, int w, int h) { return QStyle::visualRect(layoutDirection(), rect(), QRect(left + x, y, w, h)); };
            draw::vertical(painter, isRightToLeft() ? width() - left - 1 : left, 0, height(), t.line);
            painter.setFont(plimsoll::font(TextRole::Caption));
            painter.setPen(t.text2);
            painter.drawText(placed(kPadding, top, cell, captionLine), align, fact.caption);
            int x = kPadding;
            if (fact.glyph) {
                paintGlyph(painter, placed(x, top + captionLine + 2 + (figureLine - 12) / 2, 12, 12), *fact.glyph, glyphColour(*fact.glyph, t));
                x += 16;
            }
            painter.setFont(plimsoll::font(TextRole::HeaderFigure));
            painter.setPen(t.text);
            const int valueWidth = painter.fontMetrics().horizontalAdvance(fact.value);
            painter.drawText(placed(x, top + captionLine + 2, valueWidth + 1, figureLine), align, fact.value);
            painter.setFont(plimsoll::font(TextRole::Caption));
            painter.setPen(t.text2);
            painter.drawText(placed(x + valueWidth + 4, top + captionLine + 3, cell, figureLine), align, fact.unit);
            left += cell;
        }
    }

    bool event(QEvent *event) override
    {
        if (event->type() != QEvent::ToolTip)
            return QWidget::event(event);
        auto *help = static_cast<QHelpEvent *>(event);
        int left = 0;
        for (const Fact &fact : m_facts) {
            const QRect cell = QStyle::visualRect(layoutDirection(), rect(), QRect(left, 0, widthOf(fact), height()));
            left += widthOf(fact);
            if (cell.contains(help->pos()) && !fact.tip.isEmpty()) {
                QToolTip::showText(help->globalPos(), plainTip(fact.tip), this, cell);
                return true;
            }
        }
        QToolTip::hideText();
        return true;
    }

private:
    static int widthOf(const Fact &fact)
    {
        const QFontMetrics caption(plimsoll::font(TextRole::Caption));
        int value = QFontMetrics(plimsoll::font(TextRole::HeaderFigure)).horizontalAdvance(fact.value) + (fact.glyph ? 16 : 0);
        if (!fact.unit.isEmpty())
            value += 4 + caption.horizontalAdvance(fact.unit);
        return std::max(value, caption.horizontalAdvance(fact.caption)) + 2 * kPadding;
    }

    std::vector<Fact> m_facts;
};

PageHeader::PageHeader(QWidget *parent)
    : QFrame(parent)
    , m_name(new Label({}, TextRole::Headline))
    , m_sub(new Label({}, TextRole::Caption, Ink::Text2))
    , m_facts(new Facts(this))
    , m_right(new QHBoxLayout)
{
    setFrameShape(QFrame::NoFrame);
    setFixedHeight(std::max(kHeight, lineHeight(TextRole::Headline) + lineHeight(TextRole::Caption) + 16));
    m_name->setElide(Qt::ElideMiddle);
    m_sub->setElide(Qt::ElideRight);
    m_sub->hide();
    auto *names = new QVBoxLayout;
    names->setSpacing(0);
    names->addStretch();
    names->addWidget(m_name);
    names->addWidget(m_sub);
    names->addStretch();
    m_right->setSpacing(metrics::kGutter);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(metrics::kPanelPadding, 1, metrics::kPanelPadding, 1);
    row->setSpacing(kPadding);
    row->addLayout(names, 1);
    row->addWidget(m_facts, 3);
    row->addStretch(1);
    row->addLayout(m_right);
}

void PageHeader::setName(const QString &name, const QString &sub)
{
    m_name->setText(name);
    m_sub->setText(sub);
    m_sub->setVisible(!sub.isEmpty());
    setAccessibleName(name);
}

void PageHeader::setFacts(std::vector<Fact> facts)
{
    m_facts->set(std::move(facts));
}

void PageHeader::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    draw::box(painter, rect(), metrics::kPanelRadius, t.panel, t.line);
}

} // namespace plimsoll
