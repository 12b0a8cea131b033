// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/inspector_sections.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kTop = 10;
constexpr int kSide = 12;
constexpr int kLine = 20;
constexpr int kGap = 8;

} // namespace

InspectorSections::InspectorSections(QWidget *parent)
    : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void InspectorSections::setSections(std::vector<Inspector::Section> sections)
{
    if (sections == m_sections)
        return;
    m_sections = std::move(sections);
    setAccessibleName(tr("Values"));
    setAccessibleDescription(toText());
    updateGeometry();
    update();
}

std::vector<InspectorSections::Place> InspectorSections::places() const
{
    std::vector<Place> places;
    int y = 0;
    for (const Inspector::Section &section : m_sections) {
        y += kTop;
        if (!section.title.isEmpty()) {
            places.push_back({y, &section, nullptr});
            y += kLine;
        }
        for (const Inspector::Row &row : section.rows) {
            places.push_back({y, &section, &row});
            y += kLine;
        }
        y += kTop;
    }
    return places;
}

QSize InspectorSections::sizeHint() const
{
    int height = 0;
    for (const Inspector::Section &section : m_sections)
        height += 2 * kTop + kLine * (static_cast<int>(section.rows.size()) + (section.title.isEmpty() ? 0 : 1));
    return {metrics::kInspectorWidth, height};
}

QString InspectorSections::toText() const
{
    QString text;
    for (const Inspector::Section &section : m_sections) {
        if (!section.title.isEmpty())
            text += section.title + QLatin1Char('\n');
        for (const Inspector::Row &row : section.rows)
            text += row.key + QLatin1Char('\t') + row.value + QLatin1Char('\n');
    }
    return text;
}

void InspectorSections::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    const auto placed = [this](QRect part) { return QStyle::visualRect(layoutDirection(), rect(), part); };
    const int alignLeft = Qt::AlignVCenter | Qt::TextSingleLine | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft));
    const int alignRight = Qt::AlignVCenter | Qt::TextSingleLine | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignRight));
    const int inside = width() - 2 * kSide;

    const Inspector::Section *before = nullptr;
    for (const Place &place : places()) {
        if (place.section != before) {
            draw::horizontal(painter, 0, width(), place.top - kTop, t.line);
            before = place.section;
        }
        if (place.row == nullptr) {
            painter.setFont(plimsoll::font(TextRole::Caption));
            painter.setPen(t.text2);
            painter.drawText(placed(QRect(kSide, place.top, inside, kLine)), alignLeft, place.section->title);
            painter.drawText(placed(QRect(kSide, place.top, inside, kLine)), alignRight, place.section->right);
            continue;
        }
        const Inspector::Row &row = *place.row;
        if (row.glyph) {
            painter.setFont(plimsoll::font(TextRole::Body));
            painter.setPen(t.text2);
            int keyWidth = 0; // glyphs of a section stand below each other
            for (const Inspector::Row &other : place.section->rows)
                keyWidth = std::max(keyWidth, other.glyph ? painter.fontMetrics().horizontalAdvance(other.key) : 0);
            keyWidth = std::min(keyWidth + kGap, inside / 2);
            painter.drawText(placed(QRect(kSide, place.top, keyWidth, kLine)), alignLeft, row.key);
            const QRect box(kSide + keyWidth, place.top + (kLine - 12) / 2, 12, 12);
            paintGlyph(painter, placed(box), *row.glyph, glyphColour(*row.glyph, t));
            painter.setPen(t.text);
            const QRect words(box.right() + 1 + kGap, place.top, width() - kSide - box.right() - 1 - kGap, kLine);
            painter.drawText(placed(words), alignLeft, painter.fontMetrics().elidedText(row.value, Qt::ElideRight, words.width()));
            continue;
        }
        // The value is what one came for: it keeps its room, at most two thirds.
        painter.setFont(plimsoll::font(row.isMono ? TextRole::Mono : TextRole::Body));
        const int valueWidth = std::min(painter.fontMetrics().horizontalAdvance(row.value) + 1, inside * 2 / 3);
        painter.setPen(t.text);
        painter.drawText(placed(QRect(kSide + inside - valueWidth, place.top, valueWidth, kLine)), alignRight,
                         painter.fontMetrics().elidedText(row.value, Qt::ElideMiddle, valueWidth));
        painter.setFont(plimsoll::font(TextRole::Body));
        painter.setPen(t.text2);
        const int keyWidth = inside - valueWidth - kGap;
        painter.drawText(placed(QRect(kSide, place.top, keyWidth, kLine)), alignLeft,
                         painter.fontMetrics().elidedText(row.key, Qt::ElideRight, keyWidth));
    }
    if (!m_sections.empty())
        draw::horizontal(painter, 0, width(), height() - draw::hairline(painter), t.line);
    if (hasFocus())
        draw::focusInside(painter, QRectF(rect()).adjusted(1, 1, -1, -1), metrics::kControlRadius, t.accent);
}

void InspectorSections::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy))
        QGuiApplication::clipboard()->setText(toText());
    else
        QWidget::keyPressEvent(event);
}

bool InspectorSections::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    auto *help = static_cast<QHelpEvent *>(event);
    for (const Place &place : places()) {
        if (place.row == nullptr || help->pos().y() < place.top || help->pos().y() >= place.top + kLine)
            continue;
        const QFontMetrics fm(plimsoll::font(TextRole::Body));
        if (fm.horizontalAdvance(place.row->key + place.row->value) + kGap > width() - 2 * kSide) {
            QToolTip::showText(help->globalPos(), plainTip(place.row->key + QLatin1Char('\n') + place.row->value), this);
            return true;
        }
    }
    QToolTip::hideText();
    return true;
}

} // namespace plimsoll
