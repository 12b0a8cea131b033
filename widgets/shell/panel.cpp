// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/panel.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/label.h"
#include "widgets/theme/tokens.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace plimsoll {

/// Lies over everything of the panel, on its upper edge; takes no input.
class Panel::BusyLine : public QWidget
{
public:
    explicit BusyLine(Panel *panel)
        : QWidget(panel)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        hide();
    }

    void setProgress(const std::optional<Progress> &progress)
    {
        m_progress = progress;
        update();
    }

protected:
    void paintEvent(QPaintEvent * /*event*/) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        // The line follows the round corners instead of sticking out of them.
        QPainterPath panel;
        panel.addRoundedRect(QRectF(0, 0, width(), 4.0 * metrics::kPanelRadius), metrics::kPanelRadius, metrics::kPanelRadius);
        painter.setClipPath(panel);
        const double share = m_progress ? m_progress->perMille / 1000.0 : 1.0 / 3;
        const QRect done(0, 0, static_cast<int>(width() * share), 2);
        painter.fillRect(QStyle::visualRect(layoutDirection(), rect(), done), tokens(this).accent);
    }

private:
    std::optional<Progress> m_progress;
};

Panel::Panel(const QString &title, QWidget *parent)
    : QFrame(parent)
    , m_column(new QVBoxLayout(this))
    , m_headerBox(new QWidget)
    , m_title(new Label(title, TextRole::PanelTitle))
    , m_headerLeft(new QHBoxLayout)
    , m_headerRight(new QHBoxLayout)
    , m_note(new Label({}, TextRole::Caption, Ink::Text2))
    , m_body(new QWidget)
    , m_bodyColumn(new QVBoxLayout(m_body))
    , m_busyLine(new BusyLine(this))
    , m_margins(metrics::kPanelPadding, 0, metrics::kPanelPadding, metrics::kPanelPadding)
{
    setFrameShape(QFrame::NoFrame);
    m_headerBox->setFixedHeight(metrics::kPanelHeader);
    m_title->setElide(Qt::ElideMiddle);
    m_title->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    m_note->hide();
    m_headerLeft->setSpacing(metrics::kGutter);
    m_headerRight->setSpacing(metrics::kPanelPadding);

    auto *header = new QHBoxLayout(m_headerBox);
    header->setContentsMargins(metrics::kPanelPadding, 0, metrics::kPanelPadding, 0);
    header->setSpacing(metrics::kGutter);
    header->addWidget(m_title);
    header->addLayout(m_headerLeft);
    header->addStretch(1);
    header->addLayout(m_headerRight);
    header->addWidget(m_note);

    m_bodyColumn->setContentsMargins(m_margins);
    m_bodyColumn->setSpacing(0);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    m_column->addWidget(m_headerBox);
    m_column->addWidget(m_body, 1);
    setAccessibleName(title);
    m_headerBox->setVisible(!title.isEmpty());
}

void Panel::setTitle(const QString &title)
{
    m_title->setText(title);
    setAccessibleName(title);
    m_headerBox->setVisible(!title.isEmpty());
}

QString Panel::title() const
{
    return m_title->text();
}

void Panel::setHeaderVisible(bool isVisible)
{
    m_headerBox->setVisible(isVisible);
}

void Panel::setContent(QWidget *content)
{
    if (content == m_content)
        return;
    delete m_content;
    m_content = content;
    if (content == nullptr)
        return;
    m_bodyColumn->addWidget(content, 1);
    content->setVisible(m_state == nullptr);
}

void Panel::setContentMargins(const QMargins &margins)
{
    // Content never lies over the panel's line or its round corners.
    m_margins = QMargins(std::max(1, margins.left()), margins.top(), std::max(1, margins.right()),
                         std::max(metrics::kPanelRadius, margins.bottom()));
    if (m_state == nullptr)
        m_bodyColumn->setContentsMargins(m_margins);
}

void Panel::setNote(const QString &right)
{
    m_note->setText(right);
    m_note->setVisible(!right.isEmpty());
}

void Panel::setBusy(bool isBusy, std::optional<Progress> progress)
{
    m_isBusy = isBusy;
    m_busyLine->setProgress(progress);
    m_busyLine->setVisible(isBusy);
    m_busyLine->raise();
}

void Panel::showContent()
{
    if (m_state != nullptr) {
        m_state->hide();
        m_state->deleteLater(); // its own button may have asked for this
        m_state = nullptr;
    }
    m_bodyColumn->setContentsMargins(m_margins);
    if (m_content != nullptr)
        m_content->show();
}

void Panel::showState(QWidget *state)
{
    if (state == m_state)
        return;
    if (state == nullptr) {
        showContent();
        return;
    }
    if (m_content != nullptr)
        m_content->hide();
    if (m_state != nullptr) {
        m_state->hide();
        m_state->deleteLater();
    }
    m_state = state;
    // A state is words: they keep the panel's padding where a table would not.
    m_bodyColumn->setContentsMargins(metrics::kPanelPadding, 0, metrics::kPanelPadding, metrics::kPanelPadding);
    m_bodyColumn->addWidget(state, 1);
    state->show();
}

void Panel::setMarked(bool isMarked)
{
    m_isMarked = isMarked;
    update();
}

void Panel::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    draw::box(painter, rect(), metrics::kPanelRadius, t.panel, m_isMarked ? t.accent : t.line, m_isMarked ? 2 : 0);
}

void Panel::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    m_busyLine->setGeometry(0, 0, width(), 4);
}

} // namespace plimsoll
