// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/top_row.h"

#include "widgets/shell/palette_delegate.h"
#include "widgets/shell/session_tab.h"
#include "widgets/theme/buttons.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/label.h"
#include "widgets/theme/tokens.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QStyle>
#include <QToolButton>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kSearchWidth = 312;
constexpr int kBrandGap = 8;

/// Looks like the field it opens.
class SearchButton final : public QAbstractButton
{
public:
    explicit SearchButton(QWidget *parent)
        : QAbstractButton(parent)
    {
        setText(TopRow::tr("Jump, search or run"));
        setAccessibleName(text());
        setAttribute(Qt::WA_Hover);
        setFocusPolicy(Qt::TabFocus);
        setCursor(Qt::IBeamCursor);
        setFixedHeight(metrics::kButtonSmall);
        setMaximumWidth(kSearchWidth);
        setMinimumWidth(120);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

    QSize sizeHint() const override { return {kSearchWidth, metrics::kButtonSmall}; }

protected:
    void paintEvent(QPaintEvent * /*event*/) override
    {
        QPainter painter(this);
        const Tokens &t = tokens(this);
        const auto placed = [this](QRect part) { return QStyle::visualRect(layoutDirection(), rect(), part); };
        draw::box(painter, rect(), metrics::kControlRadius, t.panel, underMouse() ? t.text2 : t.line3);
        paintIcon(painter, placed(QRect(9, 0, 14, height())), Icon::Search, t.text2);
        const QString keys = QKeySequence(Qt::CTRL | Qt::Key_K).toString(QKeySequence::NativeText);
        const QRect key(width() - 7 - keyWidth(keys), 0, keyWidth(keys), height());
        paintKey(painter, placed(key), keys, palette(), layoutDirection());
        painter.setPen(t.text3);
        const QRect room(30, 0, key.left() - 36, height());
        painter.drawText(placed(room), Qt::AlignVCenter | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft)),
                         fontMetrics().elidedText(text(), Qt::ElideRight, room.width()));
    }
};

/// Mark and name, as wide as the rail below.
class Brand final : public QWidget
{
public:
    explicit Brand(QWidget *parent)
        : QWidget(parent)
    {
        setFixedSize(metrics::kRailWidth, metrics::kTopRow);
    }

protected:
    void paintEvent(QPaintEvent * /*event*/) override
    {
        QPainter painter(this);
        const Tokens &t = tokens(this);
        const auto placed = [this](QRect part) { return QStyle::visualRect(layoutDirection(), rect(), part); };
        paintIcon(painter, placed(QRect(8, 0, 18, height())), Icon::Brand, t.text);
        painter.setFont(plimsoll::font(TextRole::PanelTitle));
        painter.setPen(t.text);
        painter.drawText(placed(QRect(26 + kBrandGap, 0, width() - 34, height())),
                         Qt::AlignVCenter | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft)),
                         QStringLiteral("Plimsoll"));
    }
};

} // namespace

TopRow::TopRow(QWidget *parent)
    : QWidget(parent)
    , m_tabs(new QHBoxLayout)
    , m_search(new SearchButton(this))
    , m_add(makeIconButton(Icon::Plus, tr("Open a session")))
    , m_menu(makeIconButton(Icon::Menu, tr("Menu")))
{
    setFixedHeight(metrics::kTopRow);
    setAccessibleName(tr("Sessions"));
    setSmall(m_add);
    setSmall(m_menu);
    m_menu->setPopupMode(QToolButton::InstantPopup);

    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, metrics::kGutter, 0);
    row->setSpacing(0);
    row->addWidget(new Brand(this));
    m_tabs->setSpacing(0);
    m_tabs->setContentsMargins(0, 0, 0, 0);
    row->addLayout(m_tabs);
    row->addSpacing(4);
    row->addWidget(m_add, 0, Qt::AlignVCenter);
    row->addStretch(1);
    row->addSpacing(16);
    row->addWidget(m_search, 10, Qt::AlignVCenter);
    row->addSpacing(metrics::kGutter);
    row->addWidget(m_menu, 0, Qt::AlignVCenter);

    connect(m_search, &QAbstractButton::clicked, this, &TopRow::searchClicked);
    connect(m_add, &QToolButton::clicked, this, &TopRow::addClicked);
}

void TopRow::setSessions(std::vector<Session> sessions)
{
    if (sessions == m_sessions)
        return;
    m_sessions = std::move(sessions);
    const bool keepsTabs = std::equal(m_sessions.begin(), m_sessions.end(), m_tabButtons.begin(), m_tabButtons.end(),
                                      [](const Session &session, const SessionTab *tab) { return session.id == tab->id(); });
    if (!keepsTabs) {
        rebuild();
        return;
    }
    for (std::size_t i = 0; i < m_sessions.size(); ++i)
        m_tabButtons[i]->setSession(m_sessions[i]);
}

void TopRow::setCurrent(const QString &id)
{
    m_current = id;
    for (SessionTab *tab : m_tabButtons)
        tab->setCurrent(tab->id() == id);
}

void TopRow::setCanAdd(bool can)
{
    m_add->setVisible(can);
}

void TopRow::setMenu(QMenu *menu)
{
    m_menu->setMenu(menu);
}

QAbstractButton *TopRow::searchButton() const
{
    return m_search;
}

QAbstractButton *TopRow::tab(const QString &id) const
{
    for (SessionTab *tab : m_tabButtons) {
        if (tab->id() == id)
            return tab;
    }
    return nullptr;
}

void TopRow::rebuild()
{
    for (SessionTab *tab : m_tabButtons) {
        tab->hide();
        tab->deleteLater();
    }
    m_tabButtons.clear();
    for (const Session &session : m_sessions) {
        auto *tab = new SessionTab(session, this);
        connect(tab, &SessionTab::clicked, this, [this, id = session.id] { emit sessionChosen(id); });
        connect(tab, &SessionTab::closeClicked, this, [this, id = session.id] { emit sessionCloseClicked(id); });
        m_tabs->addWidget(tab, 0, Qt::AlignBottom);
        m_tabButtons.push_back(tab);
        tab->show();
    }
    for (std::size_t i = 1; i < m_tabButtons.size(); ++i)
        setTabOrder(m_tabButtons[i - 1], m_tabButtons[i]);
    setCurrent(m_current);
}

void TopRow::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    painter.fillRect(rect(), t.window);
    draw::horizontal(painter, 0, width(), height() - draw::hairline(painter), t.line);
}

} // namespace plimsoll
