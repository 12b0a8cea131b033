// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/connections/check_list.h"

#include "widgets/theme/buttons.h"
#include "widgets/theme/glyphs.h"
#include "widgets/theme/label.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace plimsoll {

namespace {

constexpr int kNameWidth = 150;

/// A glyph that follows the theme.
class GlyphBox : public QWidget
{
public:
    GlyphBox(std::optional<Glyph> glyph, QWidget *parent) : QWidget(parent), m_glyph(glyph)
    {
        setFixedSize(metrics::kGlyphBox, 16);
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        const Tokens &t = tokens(this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        if (m_glyph)
            paintGlyph(painter, QRectF(0, 2, 12, 12), *m_glyph, glyphColour(*m_glyph, t));
        else
            painter.fillRect(QRectF(3, 7.5, 6, 1), t.text3);
    }

private:
    std::optional<Glyph> m_glyph;
};

std::optional<Glyph> outcomeGlyph(ConnectionCheck::Outcome outcome)
{
    switch (outcome) {
    case ConnectionCheck::Outcome::Passed: return Glyph::Fine;
    case ConnectionCheck::Outcome::Failed: return Glyph::Page;
    case ConnectionCheck::Outcome::NotTried: break;
    }
    return std::nullopt;
}

QWidget *makeLine(const ConnectionCheck &check, QWidget *parent)
{
    auto *line = new QWidget(parent);
    auto *row = new QHBoxLayout(line);
    row->setContentsMargins(0, 2, 0, 2);
    row->setSpacing(8);
    const bool wasTried = check.outcome != ConnectionCheck::Outcome::NotTried;
    row->addWidget(new GlyphBox(outcomeGlyph(check.outcome), line), 0, Qt::AlignTop);
    auto *name = new Label(shown(check.name, 40), wasTried ? TextRole::BodyStrong : TextRole::Body,
                           wasTried ? Ink::Text : Ink::Text2, line);
    name->setFixedWidth(kNameWidth);
    row->addWidget(name, 0, Qt::AlignTop);
    auto *result = new Label(wasTried ? shown(check.result, 200) : CheckList::tr("not tried"), TextRole::Body, Ink::Text2, line);
    result->setWordWrap(true);
    row->addWidget(result, 1);
    return line;
}

} // namespace

CopyLine::CopyLine(const QString &text, QWidget *parent) : QWidget(parent), m_text(text)
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(8, 0, 2, 0);
    row->setSpacing(4);
    auto *code = new Label(text, TextRole::Mono, Ink::Text, this);
    code->setElide(Qt::ElideRight);
    code->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto *copy = makeIconButton(Icon::Copy, tr("Copy"), this);
    setSmall(copy);
    row->addWidget(code, 1);
    row->addWidget(copy);
    setFixedHeight(metrics::kButton);
    connect(copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_text); });
}

void CopyLine::paintEvent(QPaintEvent *)
{
    const Tokens &t = tokens(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.line, 1));
    painter.setBrush(t.sunken);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), metrics::kTagRadius, metrics::kTagRadius);
}

CheckList::CheckList(QWidget *parent) : QWidget(parent), m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(2);
    m_column->addStretch(1);
    setAccessibleName(tr("Checks of the connection"));
}

void CheckList::setChecks(const std::vector<ConnectionCheck> &checks)
{
    while (m_column->count() > 1) {
        QLayoutItem *item = m_column->takeAt(0);
        delete item->widget();
        delete item;
    }
    QStringList spoken;
    for (const auto &check : checks) {
        m_column->insertWidget(m_column->count() - 1, makeLine(check, this));
        spoken << shown(check.name, 40) + u' ' + shown(check.result, 80);
        if (check.outcome == ConnectionCheck::Outcome::Failed && !check.fix.empty()) {
            auto *fix = new CopyLine(shown(check.fix, 300), this);
            m_column->insertWidget(m_column->count() - 1, fix);
        }
    }
    setAccessibleDescription(spoken.join(QStringLiteral(", ")));
}

} // namespace plimsoll
