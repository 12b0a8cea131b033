// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/settings/settings_page.h"

#include "base/format.h"
#include "session/session.h"
#include "session/settings.h"
#include "views/connection_text.h"
#include "widgets/shell/panel.h"
#include "widgets/shell/segmented.h"
#include "widgets/theme/buttons.h"
#include "widgets/theme/label.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kNameWidth = 180;
constexpr int kControlWidth = 220;
constexpr int kWidestRow = 980;

} // namespace

SettingsPage::SettingsPage(PageContext pageContext, std::vector<std::pair<QString, QString>> places, QWidget *parent)
    : Page(std::move(pageContext), parent)
{
    setAccessibleName(tr("Settings"));
    m_panel = new Panel(tr("Settings"));
    m_search = new QLineEdit;
    m_search->setPlaceholderText(tr("search all settings"));
    m_search->setAccessibleName(tr("Search all settings"));
    m_search->setClearButtonEnabled(true);
    m_search->setFixedWidth(360);
    m_panel->header()->addSpacing(8);
    m_panel->header()->addWidget(m_search);

    auto *content = new QWidget;
    m_column = new QVBoxLayout(content);
    m_column->setContentsMargins(12, 0, 12, 12);
    m_column->setSpacing(0);
    addAppearance();
    addGeneral(places);
    addHistory();
    addHelp();
    m_nothing = new Label(tr("No setting has these words."), TextRole::Body, Ink::Text2);
    m_nothing->hide();
    m_column->addWidget(m_nothing);
    m_column->addStretch(1);

    auto *scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(content);
    scroll->viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    m_panel->setContent(scroll);
    m_panel->setContentMargins({});

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_panel);
    connect(m_search, &QLineEdit::textChanged, this, &SettingsPage::search);
    connect(&session(), &Session::statusChanged, this, [this] {
        if (isVisible())
            updateHistory();
    });
}

void SettingsPage::addSection(const QString &title)
{
    auto *heading = new Label(title, TextRole::PanelTitle);
    heading->setContentsMargins(0, 16, 0, 4);
    m_column->addWidget(heading);
    m_section = heading;
}

void SettingsPage::addRow(const QString &name, const QString &explanation, QWidget *control)
{
    auto *row = new QWidget;
    row->setMaximumWidth(kWidestRow);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 4, 0, 4);
    layout->setSpacing(16);
    auto *label = new Label(name, TextRole::BodyStrong);
    label->setFixedWidth(kNameWidth);
    label->setBuddy(control);
    layout->addWidget(label, 0, Qt::AlignVCenter);
    auto *box = new QWidget;
    box->setMinimumWidth(kControlWidth);
    auto *boxLayout = new QHBoxLayout(box);
    boxLayout->setContentsMargins(0, 0, 0, 0);
    boxLayout->addWidget(control);
    boxLayout->addStretch(1);
    layout->addWidget(box, 0, Qt::AlignVCenter);
    auto *text = new Label(explanation, TextRole::Caption, Ink::Text2);
    text->setWordWrap(true);
    layout->addWidget(text, 1, Qt::AlignVCenter);
    m_column->addWidget(row);
    const auto *heading = qobject_cast<Label *>(m_section);
    m_rows.push_back({row, m_section, (heading->text() + u' ' + name + u' ' + explanation).toCaseFolded()});
}

template <class Key>
QWidget *SettingsPage::makeCheck(const QString &text, const Key &key)
{
    auto *check = new QCheckBox(text);
    check->setChecked(context().settings->get(key));
    connect(check, &QCheckBox::toggled, this, [this, &key](bool on) { context().settings->set(key, on); });
    connect(context().settings, &Settings::changed, check, [this, &key, check] { check->setChecked(context().settings->get(key)); });
    return check;
}

QWidget *SettingsPage::makeNumber(const QString &name, const QString &suffix, const SettingKey<int> &key)
{
    auto *box = new QSpinBox;
    box->setAccessibleName(name);
    box->setRange(key.least, key.most);
    box->setSuffix(suffix);
    box->setMinimumWidth(110);
    box->setKeyboardTracking(false); // a number half typed is not meant
    box->setValue(context().settings->get(key));
    connect(box, &QSpinBox::valueChanged, this, [this, &key](int value) { context().settings->set(key, value); });
    connect(context().settings, &Settings::changed, box, [this, &key, box] { box->setValue(context().settings->get(key)); });
    return box;
}

void SettingsPage::addAppearance()
{
    Settings *settings = context().settings;
    addSection(tr("Appearance"));
    auto *theme = new Segmented({tr("Light"), tr("Dark"), tr("System")});
    theme->setAccessibleName(tr("Theme"));
    const auto indexOf = [settings] {
        const ThemeChoice choice = settings->get(setting::kTheme);
        return choice == ThemeChoice::Light ? 0 : choice == ThemeChoice::Dark ? 1 : 2;
    };
    theme->setCurrent(indexOf());
    connect(theme, &Segmented::currentChanged, this, [settings](int index) {
        settings->set(setting::kTheme, index == 0 ? ThemeChoice::Light : index == 1 ? ThemeChoice::Dark : ThemeChoice::System);
    });
    connect(settings, &Settings::changed, theme, [theme, indexOf] { theme->setCurrent(indexOf()); });
    addRow(tr("Theme"), tr("Changes at once. System follows the desktop."), theme);

    auto *zone = new Segmented({tr("UTC"), tr("Local time")});
    zone->setAccessibleName(tr("Times"));
    zone->setCurrent(settings->get(setting::kTimesInUtc) ? 0 : 1);
    connect(zone, &Segmented::currentChanged, this, [settings](int index) { settings->set(setting::kTimesInUtc, index == 0); });
    connect(settings, &Settings::changed, zone, [zone, settings] { zone->setCurrent(settings->get(setting::kTimesInUtc) ? 0 : 1); });
    addRow(tr("Times"), tr("The zone is always written beside a date."), zone);
}

void SettingsPage::addGeneral(const std::vector<std::pair<QString, QString>> &places)
{
    addSection(tr("General"));
    auto *start = new QComboBox;
    start->setAccessibleName(tr("Start page"));
    for (const auto &[id, title] : places)
        start->addItem(title, id);
    start->setCurrentIndex(std::max(0, start->findData(context().settings->get(setting::kStartPage))));
    connect(start, &QComboBox::activated, this,
            [this, start] { context().settings->set(setting::kStartPage, start->currentData().toString()); });
    addRow(tr("Start page"), tr("What the window opens on."), start);
    addRow(tr("Embedded agent"), tr("The window hosts an agent for its own machine on a private socket. Holds from the next start."),
           makeCheck(tr("Watch this machine"), setting::kEmbeddedAgent));
}

void SettingsPage::addHistory()
{
    addSection(tr("History"));
    m_file = new Label({}, TextRole::Mono);
    m_file->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    addRow(tr("File"), tr("Chosen with --history when the window starts."), m_file);
    m_size = new Label;
    addRow(tr("On disk now"), tr("With its write-ahead log."), m_size);
    m_series = new Label;
    addRow(tr("Series"), tr("Each is one quantity of one thing: the memory of a process, the limit of a group."), m_series);
    const QString raw = tr("Keep every sample for");
    addRow(raw, tr("Older ones are deleted; their minima, maxima and means of a minute, ten minutes and an hour stay. Holds from the next start."),
           makeNumber(raw, tr(" h"), setting::kKeepRawHours));
    const QString limit = tr("Size limit");
    addRow(limit, tr("Beyond it the oldest samples are deleted, then the oldest tenth of all. Holds from the next start."),
           makeNumber(limit, tr(" GiB"), setting::kSizeLimitGiB));
}

void SettingsPage::addHelp()
{
    addSection(tr("Help"));
    auto *keys = makeButton(tr("Show all keys"));
    connect(keys, &QPushButton::clicked, this, &SettingsPage::keysWanted);
    addRow(tr("Keys"), tr("F1 shows them on every page."), keys);
    auto *version = new Label(QStringLiteral("Plimsoll " PLIMSOLL_VERSION));
    addRow(tr("Version"), tr("Free software under the GPL, version 3 or later."), version);
}

void SettingsPage::activate()
{
    updateHistory();
}

void SettingsPage::refresh()
{
    updateHistory();
}

void SettingsPage::updateHistory()
{
    const HistoryState &history = session().status().history;
    m_file->setText(shown(context().historyFile.string(), 90));
    const QString sentence = historySentence(history);
    m_size->setText(sentence.isEmpty() ? figureText(formatBytes(history.size)) : sentence);
    m_series->setText(QString::fromStdString(formatExact(static_cast<std::int64_t>(history.series))));
}

QWidget *SettingsPage::focusPlace()
{
    return m_search;
}

void SettingsPage::search(const QString &words)
{
    const QStringList wanted = words.toCaseFolded().split(u' ', Qt::SkipEmptyParts);
    for (const auto &row : m_rows)
        row.section->hide();
    bool isAny = false;
    for (const auto &row : m_rows) {
        const bool isHit = std::all_of(wanted.begin(), wanted.end(), [&row](const QString &word) { return row.words.contains(word); });
        row.widget->setVisible(isHit);
        if (isHit)
            row.section->show();
        isAny = isAny || isHit;
    }
    m_nothing->setVisible(!isAny);
}

} // namespace plimsoll
