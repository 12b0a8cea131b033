// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/keys_help.h"

#include "widgets/shell/command.h"
#include "widgets/shell/palette_delegate.h"
#include "widgets/theme/buttons.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/label.h"
#include "widgets/theme/tokens.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kWidth = 720;
constexpr int kColumns = 2;

/// The keys of one command, drawn as keys; "Alt+Left" stays one of them.
class Keys final : public QWidget
{
public:
    explicit Keys(QStringList keys)
        : m_keys(std::move(keys))
    {
        int width = 0;
        for (const QString &key : std::as_const(m_keys))
            width += keyWidth(key) + 4;
        setFixedSize(std::max(0, width - 4), 20);
    }

protected:
    void paintEvent(QPaintEvent * /*event*/) override
    {
        QPainter painter(this);
        int left = 0;
        for (const QString &key : std::as_const(m_keys))
            left += paintKey(painter, QRect(left, 0, 0, height()), key, palette(), layoutDirection()) + 4;
    }

private:
    QStringList m_keys;
};

class Card final : public QWidget
{
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent * /*event*/) override
    {
        QPainter painter(this);
        draw::box(painter, rect(), metrics::kPanelRadius, tokens(this).raised, tokens(this).line2);
    }
};

QStringList keysOf(const Command &command)
{
    QStringList keys;
    if (!command.key.isEmpty())
        keys << command.key.toString(QKeySequence::NativeText);
    keys << command.canvasKeys.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return keys;
}

QWidget *makeSection(const QString &title, const std::vector<const Command *> &commands)
{
    auto *section = new QWidget;
    auto *grid = new QGridLayout(section);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(0, 1);
    grid->addWidget(new Label(title, TextRole::CaptionStrong, Ink::Text2), 0, 0, 1, 2);
    int row = 1;
    for (const Command *command : commands) {
        auto *name = new Label(command->title);
        name->setElide(Qt::ElideRight);
        grid->addWidget(name, row, 0);
        const QStringList keys = keysOf(*command);
        auto *drawn = new Keys(keys);
        drawn->setAccessibleName(keys.join(QStringLiteral(", ")));
        grid->addWidget(drawn, row++, 1, Qt::AlignRight | Qt::AlignVCenter);
    }
    return section;
}

} // namespace

KeysHelp::KeysHelp(QWidget *window)
    : QWidget(window)
    , m_window(window)
    , m_card(nullptr)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Keys"));
    window->installEventFilter(this);
    hide();
}

void KeysHelp::setSource(CommandTable *commands)
{
    m_commands = commands;
}

void KeysHelp::open(const QString &page, const QStringList &sectionsFirst)
{
    if (!isVisible())
        m_focusBefore = m_window->focusWidget();
    rebuild(page, sectionsFirst);
    place();
    show();
    raise();
    setFocus(Qt::PopupFocusReason);
}

void KeysHelp::dismiss()
{
    if (!isVisible())
        return;
    hide();
    if (!m_focusBefore.isNull() && m_focusBefore->isVisible())
        m_focusBefore->setFocus(Qt::PopupFocusReason);
    emit dismissed();
}

void KeysHelp::rebuild(const QString &page, const QStringList &sectionsFirst)
{
    if (m_card != nullptr) {
        m_card->hide();
        m_card->deleteLater();
    }
    m_card = new Card(this);
    auto *column = new QVBoxLayout(m_card);
    column->setContentsMargins(16, 8, 8, 12);
    column->setSpacing(4);
    auto *head = new QHBoxLayout;
    head->addWidget(new Label(page.isEmpty() ? tr("Keys") : tr("Keys of %1").arg(page), TextRole::PanelTitle));
    head->addStretch();
    auto *close = makeIconButton(Icon::Close, tr("Close"));
    connect(close, &QToolButton::clicked, this, &KeysHelp::dismiss);
    head->addWidget(close);
    column->addLayout(head);

    auto *scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *body = new QWidget;
    auto *columns = new QHBoxLayout(body);
    columns->setContentsMargins(0, 0, 8, 0);
    columns->setSpacing(32);
    std::vector<QVBoxLayout *> sides;
    for (int i = 0; i < kColumns; ++i) {
        sides.push_back(new QVBoxLayout);
        sides.back()->setSpacing(16);
        columns->addLayout(sides.back(), 1);
    }

    if (!m_commands.isNull()) {
        std::vector<QString> sections = m_commands->sections();
        std::stable_sort(sections.begin(), sections.end(), [&](const QString &a, const QString &b) {
            return sectionsFirst.contains(a) && !sectionsFirst.contains(b);
        });
        std::vector<int> rows(sides.size(), 0);
        for (const QString &section : sections) {
            std::vector<const Command *> commands;
            for (const Command &command : m_commands->all()) {
                if (command.section == section && !keysOf(command).isEmpty())
                    commands.push_back(&command);
            }
            if (commands.empty())
                continue;
            // Into the shorter column: both end near to each other.
            const auto side = static_cast<std::size_t>(std::min_element(rows.begin(), rows.end()) - rows.begin());
            sides[side]->addWidget(makeSection(section, commands));
            rows[side] += static_cast<int>(commands.size()) + 2;
        }
    }
    for (QVBoxLayout *side : sides)
        side->addStretch();
    body->setAutoFillBackground(false);
    scroll->setWidget(body);
    scroll->viewport()->setAutoFillBackground(false);
    body->setAutoFillBackground(false);
    column->addWidget(scroll, 1);
    m_card->show();
}

void KeysHelp::place()
{
    setGeometry(m_window->rect());
    if (m_card == nullptr)
        return;
    const int width = std::min(kWidth, m_window->width() - 48);
    auto *scroll = m_card->findChild<QScrollArea *>();
    const int wanted = scroll->widget()->sizeHint().height() + 68;
    const int height = std::min(wanted, m_window->height() - 96);
    m_card->setGeometry((m_window->width() - width) / 2, std::max(48, (m_window->height() - height) / 3), width, height);
}

void KeysHelp::paintEvent(QPaintEvent * /*event*/)
{
    // The page steps back, so that it is clear where keys go now.
    QPainter painter(this);
    painter.fillRect(rect(), withAlpha(tokens(this).window, 0.6));
}

void KeysHelp::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape || event->key() == Qt::Key_F1) {
        dismiss();
        return;
    }
    QWidget::keyPressEvent(event);
}

void KeysHelp::mousePressEvent(QMouseEvent *event)
{
    if (m_card != nullptr && !m_card->geometry().contains(event->position().toPoint()))
        dismiss();
}

bool KeysHelp::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_window && event->type() == QEvent::Resize && isVisible())
        place();
    return QWidget::eventFilter(watched, event);
}

} // namespace plimsoll
