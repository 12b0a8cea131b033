// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/command_palette.h"

#include "widgets/shell/command.h"
#include "widgets/shell/palette_delegate.h"
#include "widgets/shell/palette_model.h"
#include "widgets/shell/typed_time.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/label.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QMouseEvent>
#include <QPainter>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll {

namespace {

constexpr int kEdit = 40;
constexpr int kFoot = 28;
constexpr int kIconLeft = 12;

QString keyText(const QKeySequence &key)
{
    return key.toString(QKeySequence::NativeText);
}

} // namespace

CommandPalette::CommandPalette(QWidget *window)
    : QWidget(window)
    , m_window(window)
    , m_edit(new QLineEdit)
    , m_list(new QListView)
    , m_model(new PaletteModel(this))
    , m_foot(new Label({}, TextRole::Caption, Ink::Text2))
{
    setAccessibleName(tr("Jump, search or run"));
    m_edit->setFrame(false);
    m_edit->setFixedHeight(kEdit - 2);
    m_edit->setMaxLength(256);
    m_edit->setPlaceholderText(tr("Jump, search or run"));
    m_edit->setAccessibleName(tr("Jump, search or run"));
    m_edit->setAccessibleDescription(tr("> for commands, @ for times, ? for help"));
    m_edit->installEventFilter(this);

    m_list->setModel(m_model);
    m_list->setItemDelegate(new PaletteDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus); // the keys stay with the words
    m_list->setUniformItemSizes(true);
    m_list->setMouseTracking(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setAccessibleName(tr("Matches"));
    m_list->viewport()->setAutoFillBackground(false);
    m_foot->setFixedHeight(kFoot);
    m_foot->setContentsMargins(kIconLeft, 0, kIconLeft, 0);
    m_foot->setElide(Qt::ElideRight);

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    auto *editRow = new QHBoxLayout;
    editRow->setContentsMargins(kIconLeft + metrics::kIcon + 10, 0, kIconLeft, 0);
    editRow->addWidget(m_edit);
    column->addLayout(editRow);
    column->addSpacing(1);
    column->addWidget(m_list);
    column->addWidget(m_foot);

    connect(m_edit, &QLineEdit::textChanged, this, &CommandPalette::refresh);
    connect(m_list, &QListView::clicked, this, [this](const QModelIndex &index) {
        m_list->setCurrentIndex(index);
        runCurrent();
    });
    connect(m_list, &QListView::entered, m_list, &QListView::setCurrentIndex);
    // The focus stays in the words, so the words say which row is chosen.
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &current) {
        m_edit->setAccessibleDescription(current.data(Qt::AccessibleTextRole).toString());
        QAccessibleEvent event(m_edit, QAccessible::DescriptionChanged);
        QAccessible::updateAccessibility(&event);
        showFoot(m_model->rowCount(), false, {}); // what can be done differs from row to row
    });
    window->installEventFilter(this);
    hide();
}

CommandPalette::~CommandPalette() = default;

void CommandPalette::setSource(CommandTable *commands)
{
    m_commands = commands;
}

void CommandPalette::setPlaces(std::function<std::vector<PaletteEntry>(const QString &)> places)
{
    m_places = std::move(places);
}

void CommandPalette::setTimes(std::function<std::optional<QString>(const QString &)> times)
{
    m_times = std::move(times);
}

void CommandPalette::open(const QString &text)
{
    if (!isVisible())
        m_focusBefore = m_window->focusWidget();
    m_actions.clear();
    m_edit->setText(text);
    refresh();
    show();
    raise();
    m_edit->setFocus(Qt::PopupFocusReason);
    m_edit->end(false);
}

void CommandPalette::dismiss()
{
    if (!isVisible())
        return;
    hide();
    m_actions.clear();
    m_edit->setPlaceholderText(tr("Jump, search or run"));
    if (!m_focusBefore.isNull() && m_focusBefore->isVisible())
        m_focusBefore->setFocus(Qt::PopupFocusReason);
    emit dismissed();
}

std::vector<PaletteEntry> CommandPalette::commandEntries() const
{
    std::vector<PaletteEntry> entries;
    if (m_commands.isNull())
        return entries;
    for (const Command &command : m_commands->all()) {
        if (!m_commands->isEnabled(command.id))
            continue;
        entries.push_back({command.id, command.title, command.section, command.icon.value_or(Icon::ChevronRight),
                           keyText(command.key), [table = m_commands, id = command.id] {
                               if (!table.isNull())
                                   table->run(id);
                           }});
    }
    return entries;
}

std::vector<PaletteEntry> CommandPalette::timeEntries(const QString &typed) const
{
    std::optional<QString> sentence;
    if (m_times) {
        sentence = m_times(typed);
    } else if (const auto time = parseTypedTime(typed, systemClock().now(), m_utc)) {
        sentence = timeText(*time, m_utc, TimeText::Full) + QLatin1Char(' ') + zoneText(*time, m_utc);
    }
    if (!sentence)
        return {};
    auto *self = const_cast<CommandPalette *>(this); // the entry runs later, from a mutable place
    return {{QStringLiteral("time"), *sentence, tr("go to this time"), Icon::Retry, {},
             [self, typed] { emit self->timeTyped(typed); }}};
}

std::vector<PaletteEntry> CommandPalette::helpEntries() const
{
    auto *self = const_cast<CommandPalette *>(this);
    const auto fill = [self](const QString &text) { return [self, text] { self->open(text); }; };
    return {
        {QStringLiteral("help.places"), tr("Type a name"), tr("jobs, nodes, pages, bookmarks"), Icon::Search, {}, fill({})},
        {QStringLiteral("help.commands"), tr("> runs a command"), tr("> theme"), Icon::ChevronRight, {}, fill(QStringLiteral(">"))},
        {QStringLiteral("help.times"), tr("@ goes to a time"), tr("@14:03, @-2h, @18 Nov 14:03"), Icon::Retry, {},
         fill(QStringLiteral("@"))},
        {QStringLiteral("help.keys"), tr("Keys of this page"), tr("all that can be done by keys"), Icon::Info, tr("F1"),
         [self] { emit self->helpWanted(); }},
    };
}

std::vector<PaletteEntry> CommandPalette::candidates(const QString &query, QChar prefix) const
{
    if (prefix == QLatin1Char('>'))
        return commandEntries();
    if (prefix == QLatin1Char('@'))
        return timeEntries(query);
    if (prefix == QLatin1Char('?'))
        return helpEntries();
    std::vector<PaletteEntry> entries;
    if (m_places)
        entries = m_places(query);
    for (PaletteEntry &command : commandEntries())
        entries.push_back(std::move(command));
    return entries;
}

void CommandPalette::refresh()
{
    const QString text = m_edit->text().trimmed();
    const QChar first = text.isEmpty() || !m_actions.empty() ? QChar() : text.at(0);
    const bool hasPrefix = first == QLatin1Char('>') || first == QLatin1Char('@') || first == QLatin1Char('?');
    const QString query = hasPrefix ? text.mid(1).trimmed() : text;
    // A time is not matched, it is read.
    const bool isTime = hasPrefix && first == QLatin1Char('@');
    m_model->setEntries(m_actions.empty() ? candidates(query, hasPrefix ? first : QChar()) : m_actions, isTime ? QString() : query);

    const int rows = m_model->rowCount();
    m_list->setFixedHeight(std::min(rows, kMostRows) * metrics::kRowTall);
    m_list->setVisible(rows > 0);
    if (rows > 0)
        m_list->setCurrentIndex(m_model->index(0, 0));
    showFoot(rows, isTime, query);
    place();
    update();
}

void CommandPalette::showFoot(int rows, bool isTime, const QString &query)
{
    if (rows == 0 && isTime) {
        m_foot->setText(query.isEmpty() ? tr("Type a time: 14:03, -2h, 18 Nov 14:03") : tr("This is no time. Try 14:03, -2h or 18 Nov 14:03."));
        return;
    }
    if (rows == 0) {
        m_foot->setText(tr("Nothing matches. ? shows what can be typed."));
        return;
    }
    QStringList parts{tr("%1 of %2").arg(rows).arg(m_model->offered())};
    const PaletteEntry *entry = m_model->entry(m_list->currentIndex().row());
    if (!m_actions.empty())
        parts << tr("Enter does it") << tr("Esc returns");
    else if (entry && !entry->actions.empty())
        parts << tr("Tab shows actions");
    if (m_actions.empty() && entry && entry->filter)
        parts << tr("Ctrl+Enter filters by it");
    if (parts.size() == 1)
        parts << tr("Enter opens") << tr("Esc closes");
    m_foot->setText(parts.join(QStringLiteral(" · ")));
}

void CommandPalette::moveCurrent(int by)
{
    const int rows = m_model->rowCount();
    if (rows == 0)
        return;
    // One step beyond an end comes round; a page stops there.
    int row = m_list->currentIndex().row() + by;
    if (std::abs(by) == 1)
        row = (row + rows) % rows;
    m_list->setCurrentIndex(m_model->index(std::clamp(row, 0, rows - 1), 0));
}

void CommandPalette::runCurrent()
{
    const PaletteEntry *entry = m_model->entry(m_list->currentIndex().row());
    if (entry == nullptr || !entry->run)
        return;
    const auto run = entry->run; // dismissing or running may change the model
    const bool staysOpen = entry->id.startsWith(QLatin1String("help.")) && entry->id != QLatin1String("help.keys");
    if (!staysOpen)
        dismiss();
    run();
}

void CommandPalette::filterByCurrent()
{
    const PaletteEntry *entry = m_model->entry(m_list->currentIndex().row());
    if (entry == nullptr || !entry->filter)
        return;
    const auto filter = entry->filter;
    dismiss();
    filter();
}

void CommandPalette::showActions()
{
    const PaletteEntry *entry = m_model->entry(m_list->currentIndex().row());
    if (entry == nullptr || entry->actions.empty())
        return;
    m_textBefore = m_edit->text();
    m_actions = std::vector<PaletteEntry>(entry->actions); // the model's rows go with the next line
    m_edit->setPlaceholderText(tr("What to do with %1").arg(entry->title));
    m_edit->clear();
    refresh(); // nothing may have been typed
}

void CommandPalette::leaveActions()
{
    m_actions.clear();
    m_edit->setPlaceholderText(tr("Jump, search or run"));
    m_edit->setText(m_textBefore);
    refresh();
}

bool CommandPalette::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_window && event->type() == QEvent::Resize) {
        place();
    } else if (watched == m_edit && event->type() == QEvent::FocusOut) {
        const auto reason = static_cast<QFocusEvent *>(event)->reason();
        if (isVisible() && reason != Qt::PopupFocusReason && reason != Qt::ActiveWindowFocusReason && reason != Qt::MenuBarFocusReason) {
            m_focusBefore.clear(); // the click decided where the focus is
            dismiss();
        }
    } else if (watched == m_edit && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool isAmongActions = !m_actions.empty();
        switch (key->key()) {
        case Qt::Key_Escape:
            if (isAmongActions)
                leaveActions();
            else
                dismiss();
            return true;
        case Qt::Key_Backspace:
            if (!isAmongActions || !m_edit->text().isEmpty())
                break;
            leaveActions();
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (key->modifiers() & Qt::ControlModifier)
                filterByCurrent();
            else
                runCurrent();
            return true;
        case Qt::Key_Up: moveCurrent(-1); return true;
        case Qt::Key_Down: moveCurrent(1); return true;
        case Qt::Key_Tab: showActions(); return true;
        case Qt::Key_Backtab:
            if (isAmongActions)
                leaveActions();
            return true;
        case Qt::Key_PageUp: moveCurrent(-kMostRows + 1); return true;
        case Qt::Key_PageDown: moveCurrent(kMostRows - 1); return true;
        default: break;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void CommandPalette::place()
{
    const int width = std::min(kWidth, m_window->width() - 2 * metrics::kGutter);
    const int rows = std::min(m_model->rowCount(), kMostRows);
    const int height = 2 + (kEdit - 2) + 1 + rows * metrics::kRowTall + kFoot;
    setGeometry((m_window->width() - width) / 2, m_window->height() / 5, width, height);
}

/// The three prefixes, while the words typed leave room for them.
void CommandPalette::paintHints(QPainter &painter)
{
    if (!m_actions.empty())
        return; // none of them means anything there
    const QFont caption = plimsoll::font(TextRole::Caption);
    const QFontMetrics fm(caption);
    const std::array<std::pair<QString, QString>, 3> hints{{{QStringLiteral(">"), tr("commands")}, {QStringLiteral("@"), tr("times")},
                                                            {QStringLiteral("?"), tr("help")}}};
    int whole = 0;
    for (const auto &[key, words] : hints)
        whole += keyWidth(key) + fm.horizontalAdvance(words) + 12;
    const int typed = m_edit->fontMetrics().horizontalAdvance(m_edit->text());
    if (!m_edit->text().isEmpty() && m_edit->x() + typed + 24 > width() - whole)
        return;
    const auto placed = [this](QRect part) { return QStyle::visualRect(layoutDirection(), rect(), part); };
    int left = width() - kIconLeft - whole + 8;
    painter.setFont(caption);
    for (const auto &[key, words] : hints) {
        paintKey(painter, placed(QRect(left, 0, keyWidth(key), kEdit)), key, palette(), layoutDirection());
        left += keyWidth(key) + 4;
        painter.setPen(tokens(this).text2);
        painter.drawText(placed(QRect(left, 0, fm.horizontalAdvance(words) + 1, kEdit)), Qt::AlignCenter, words);
        left += fm.horizontalAdvance(words) + 8;
    }
}

void CommandPalette::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    draw::box(painter, rect(), metrics::kPanelRadius, t.raised, t.line2);
    const QRect search(kIconLeft, 0, metrics::kIcon, kEdit);
    paintIcon(painter, QStyle::visualRect(layoutDirection(), rect(), search), Icon::Search, t.text);
    paintHints(painter);
    draw::horizontal(painter, 1, width() - 1, kEdit - 1, t.line);
    draw::horizontal(painter, 1, width() - 1, height() - 1 - kFoot, t.line);
}

} // namespace plimsoll
