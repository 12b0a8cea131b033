// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/inspector.h"

#include "widgets/shell/inspector_sections.h"
#include "widgets/shell/ratio_bar.h"
#include "widgets/theme/buttons.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/label.h"
#include "widgets/theme/tokens.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace plimsoll {

namespace {

constexpr int kSide = 12;

} // namespace

Inspector::Inspector(QWidget *parent)
    : QWidget(parent)
    , m_column(new QVBoxLayout(this))
    , m_title(new Label(tr("Inspector"), TextRole::BodyHeavy))
    , m_kind(new Label({}, TextRole::Caption, Ink::Text2))
    , m_headline(new QWidget)
    , m_name(new Label({}, TextRole::HeaderFigure))
    , m_sub(new Label({}, TextRole::Body, Ink::Text2))
    , m_figure(new Label({}, TextRole::InspectorFigure))
    , m_of(new Label({}, TextRole::Body, Ink::Text2))
    , m_right(new Label({}, TextRole::BodyHeavy))
    , m_bar(new RatioBar)
    , m_extraBox(new QWidget)
    , m_sections(new InspectorSections)
    , m_foot(new QWidget)
    , m_hint(new Label({}, TextRole::Caption, Ink::Text2))
    , m_empty(new Label({}, TextRole::Body, Ink::Text2))
    , m_scroll(new QScrollArea)
{
    setFixedWidth(metrics::kInspectorWidth);
    setAccessibleName(tr("Inspector"));
    makeHeader();
    makeBody();
    makeFoot();
    setEmpty(tr("Point at something, or select it, to see it in full."));
}

void Inspector::makeHeader()
{
    auto *header = new QWidget;
    header->setFixedHeight(metrics::kPanelHeader);
    auto *row = new QHBoxLayout(header);
    row->setContentsMargins(kSide, 0, kSide, 0);
    row->addWidget(m_title);
    row->addStretch();
    row->addWidget(m_kind);
    m_column->setContentsMargins(1, 0, 0, 0);
    m_column->setSpacing(0);
    m_column->addWidget(header);
}

void Inspector::makeBody()
{
    m_name->setElide(Qt::ElideMiddle);
    m_sub->setElide(Qt::ElideRight);
    m_empty->setWordWrap(true);
    m_empty->setContentsMargins(kSide, kSide, kSide, kSide);

    auto *headline = new QVBoxLayout(m_headline);
    headline->setContentsMargins(kSide, 10, kSide, 12);
    headline->setSpacing(0);
    headline->addWidget(m_name);
    headline->addWidget(m_sub);
    headline->addSpacing(8);
    auto *figures = new QHBoxLayout;
    figures->setSpacing(6);
    figures->addWidget(m_figure, 0, Qt::AlignBottom);
    figures->addWidget(m_of, 0, Qt::AlignBottom);
    figures->addStretch();
    figures->addWidget(m_right, 0, Qt::AlignBottom);
    m_of->setContentsMargins(0, 0, 0, 4); // onto the baseline of the figure
    m_right->setContentsMargins(0, 0, 0, 4);
    headline->addLayout(figures);
    headline->addSpacing(6);
    headline->addWidget(m_bar);

    auto *extra = new QVBoxLayout(m_extraBox);
    extra->setContentsMargins(kSide, 10, kSide, 10);
    m_extraBox->hide();

    auto *body = new QWidget;
    auto *column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_empty);
    column->addWidget(m_headline);
    column->addWidget(m_extraBox);
    column->addWidget(m_sections);
    column->addStretch();
    m_scroll->setWidget(body);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->viewport()->setAutoFillBackground(false);
    body->setAutoFillBackground(false);
    m_column->addWidget(m_scroll, 1);
}

void Inspector::makeFoot()
{
    m_hint->setWordWrap(true);
    auto *foot = new QVBoxLayout(m_foot);
    foot->setContentsMargins(kSide, 8, kSide, 12);
    foot->setSpacing(8);
    m_actions = new QHBoxLayout;
    m_actions->setSpacing(metrics::kGutter);
    m_actions->addStretch();
    foot->addLayout(m_actions);
    foot->addWidget(m_hint);
    m_hint->hide();
    m_column->addWidget(m_foot);
    m_foot->hide();
}

void Inspector::setTitle(const QString &title, const QString &kind)
{
    m_title->setText(title);
    m_kind->setText(kind);
}

void Inspector::setHeadline(const QString &name, const QString &sub, const Figure &figure, const QString &ofText,
                            const QString &right, std::optional<double> ratio)
{
    m_empty->hide();
    m_headline->show();
    m_sections->show();
    m_name->setText(name);
    m_sub->setText(sub);
    m_sub->setVisible(!sub.isEmpty());
    m_figure->setText(QString::fromStdString(figure.number));
    m_of->setText(ofText.isEmpty() ? QString::fromStdString(figure.unit) : ofText);
    m_right->setText(right);
    const bool hasFigure = !figure.number.empty();
    for (QWidget *part : {static_cast<QWidget *>(m_figure), static_cast<QWidget *>(m_of), static_cast<QWidget *>(m_right)})
        part->setVisible(hasFigure);
    m_bar->setRatio(ratio);
    m_bar->setVisible(ratio.has_value());
}

void Inspector::setSections(std::vector<Section> sections)
{
    if (!sections.empty()) {
        m_empty->hide();
        m_sections->show();
    }
    m_sections->setSections(std::move(sections));
}

void Inspector::setActions(std::vector<Action> actions)
{
    while (m_actions->count() > 1) {
        QLayoutItem *item = m_actions->takeAt(0);
        if (QWidget *widget = item->widget()) {
            widget->hide();
            widget->deleteLater(); // it may be the one that was clicked
        }
        delete item;
    }
    for (Action &action : actions) {
        auto *button = makeButton(action.text, action.isDefault ? ButtonKind::Default : ButtonKind::Normal);
        setSmall(button);
        if (action.icon)
            setThemedIcon(button, *action.icon);
        connect(button, &QPushButton::clicked, this, [run = std::move(action.run)] {
            if (run)
                run();
        });
        m_actions->insertWidget(m_actions->count() - 1, button);
    }
    m_foot->setVisible(m_actions->count() > 1 || !m_hint->text().isEmpty());
}

void Inspector::setHint(const QString &hint)
{
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
    m_foot->setVisible(m_actions->count() > 1 || !hint.isEmpty());
}

void Inspector::setExtra(QWidget *widget)
{
    if (widget == m_extra)
        return;
    delete m_extra;
    m_extra = widget;
    m_extraBox->setVisible(widget != nullptr);
    if (widget != nullptr)
        m_extraBox->layout()->addWidget(widget);
}

void Inspector::setEmpty(const QString &sentence)
{
    m_empty->setText(sentence);
    m_empty->show();
    m_headline->hide();
    m_extraBox->hide();
    m_sections->hide();
    m_sections->setSections({});
    setActions({});
}

void Inspector::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    painter.fillRect(rect(), t.rail);
    draw::vertical(painter, isRightToLeft() ? width() - draw::hairline(painter) : 0, 0, height(), t.line);
    draw::horizontal(painter, 0, width(), metrics::kPanelHeader - draw::hairline(painter), t.line);
}

} // namespace plimsoll
