// SPDX-License-Identifier: GPL-3.0-or-later
// The whole kit in two windows, for looking at and for the checks that hold for all
// of it. Nothing here is a test by itself.
#pragma once

#include "widgets/shell/command.h"
#include "widgets/shell/command_palette.h"
#include "widgets/shell/figure_strip.h"
#include "widgets/shell/inspector.h"
#include "widgets/shell/mode_box.h"
#include "widgets/shell/page_header.h"
#include "widgets/shell/panel.h"
#include "widgets/shell/segmented.h"
#include "widgets/shell/side_rail.h"
#include "widgets/shell/status_strip.h"
#include "widgets/shell/time_bar.h"
#include "widgets/shell/top_row.h"
#include "widgets/state/badge.h"
#include "widgets/state/empty_panel.h"
#include "widgets/state/error_panel.h"
#include "widgets/state/progress_panel.h"
#include "widgets/state/stale_badge.h"
#include "widgets/state/toast.h"
#include "widgets/tables/chip.h"
#include "widgets/tables/copyable_table.h"
#include "widgets/tables/filter_bar.h"
#include "widgets/tables/value_delegate.h"
#include "widgets/theme/buttons.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/label.h"
#include "widgets/theme/tokens.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QSplitter>
#include <QStandardItemModel>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>
#include <functional>

namespace plimsoll::gallery {

inline QString q(const char *text)
{
    return QString::fromUtf8(text);
}

/// Paints what a function says; for swatches.
class Canvas final : public QWidget
{
public:
    Canvas(QSize size, std::function<void(QPainter &, QRect, const Tokens &)> paint)
        : m_paint(std::move(paint))
    {
        setFixedHeight(size.height());
        if (size.width() > 0)
            setFixedWidth(size.width());
    }

protected:
    void paintEvent(QPaintEvent * /*event*/) override
    {
        QPainter painter(this);
        m_paint(painter, rect(), tokens(this));
    }

private:
    std::function<void(QPainter &, QRect, const Tokens &)> m_paint;
};

/// Stands where the overview strip will: 32 high and 14 for labels.
class FakeStrip final : public QWidget
{
public:
    FakeStrip() { setFixedHeight(46); }

protected:
    void paintEvent(QPaintEvent * /*event*/) override
    {
        QPainter painter(this);
        const Tokens &t = tokens(this);
        draw::box(painter, QRectF(0, 0, width(), 32), metrics::kTagRadius, t.sunken, t.line2);
    }
};

inline QWidget *row(std::initializer_list<QWidget *> widgets, int spacing = metrics::kGutter)
{
    auto *box = new QWidget;
    auto *layout = new QHBoxLayout(box);
    layout->setContentsMargins(0, 3, 0, 3); // room for a focus ring
    layout->setSpacing(spacing);
    for (QWidget *widget : widgets)
        layout->addWidget(widget);
    layout->addStretch();
    return box;
}

inline Panel *panel(const char *title, std::initializer_list<QWidget *> rows, int spacing = 2)
{
    auto *made = new Panel(q(title));
    auto *body = new QWidget;
    auto *column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    for (QWidget *widget : rows)
        column->addWidget(widget);
    column->addStretch();
    made->setContent(body);
    return made;
}

inline QWidget *buttonRow(const char *caption, bool isHovered, bool isEnabled)
{
    auto *name = new Label(q(caption), TextRole::Caption, Ink::Text2);
    name->setFixedWidth(64);
    auto *open = makeButton(q("Open job"), ButtonKind::Default);
    auto *capture = makeButton(q("Capture now"));
    setThemedIcon(capture, Icon::Camera);
    auto *reset = makeButton(q("Reset"), ButtonKind::Quiet);
    auto *full = makeIconButton(Icon::Maximise, q("Maximise"));
    full->setAutoRaise(false);
    for (QWidget *button : std::initializer_list<QWidget *>{open, capture, reset, full}) {
        button->setEnabled(isEnabled);
        button->setAttribute(Qt::WA_UnderMouse, isHovered);
    }
    return row({name, open, capture, reset, full});
}

inline Panel *buttons()
{
    auto *focus = new Label(q("small 24"), TextRole::Caption, Ink::Text2);
    focus->setFixedWidth(64);
    auto *open = makeButton(q("Open"), ButtonKind::Default);
    auto *acknowledge = makeButton(q("Acknowledge"));
    setSmall(open);
    setSmall(acknowledge);
    return panel("Buttons", {buttonRow("normal", false, true), buttonRow("hover", true, true), buttonRow("disabled", false, false),
                             row({focus, open, acknowledge, new Segmented({q("daily"), q("cumulative")})})});
}

inline Panel *inputs()
{
    auto *search = new QLineEdit;
    search->setObjectName(q("search"));
    search->setAccessibleName(q("filter stacks"));
    search->setPlaceholderText(q("filter stacks"));
    search->addAction(icon(Icon::Search, lightTokens().text2), QLineEdit::LeadingPosition);
    search->setMinimumWidth(252);
    auto *tokensEdit = new QLineEdit(q("8,192"));
    tokensEdit->setAccessibleName(q("tokens"));
    auto *batch = new QLineEdit(q("-4"));
    batch->setAccessibleName(q("batch"));
    batch->setMinimumWidth(252);
    setInvalid(batch, true);
    auto *zero = new QComboBox;
    zero->setAccessibleName(q("ZeRO"));
    zero->addItems({q("ZeRO 2"), q("ZeRO 3")});
    zero->setMinimumWidth(112);
    auto *spin = new QSpinBox;
    spin->setAccessibleName(q("steps"));
    spin->setValue(8);
    auto *checked = new QCheckBox(q("checkpointing"));
    checked->setChecked(true);
    auto *spot = new QCheckBox(q("spot"));
    auto *utc = new QRadioButton(q("UTC"));
    utc->setChecked(true);
    auto *local = new QRadioButton(q("local"));
    auto *off = new QCheckBox(q("off"));
    off->setEnabled(false);
    off->setChecked(true);
    return panel("Inputs and choices", {row({search, tokensEdit}), row({batch, zero}), row({spin, new Badge(q("batch is a whole number from 1"), Badge::Kind::Bare, Glyph::Page)}),
                                        row({checked, spot, utc, local, off}, 16)});
}

inline Panel *chips()
{
    auto *active = new Chip(q("job"), q("≠"), q("test"));
    active->setActive(true);
    auto *tabs = new QTabBar;
    tabs->setAccessibleName(q("States"));
    for (const char *name : {"Firing 5", "Pending 3", "Silenced 1", "History", "Rules"})
        tabs->addTab(q(name));
    tabs->setExpanding(false);
    return panel("Chips, badges, tabs",
                 {row({new Chip(q("team"), q("="), q("nlp")), active, Chip::makeAdd(q("Add filter"))}),
                  row({new Badge(q("PAGE"), Badge::Kind::Page), new Badge(q("trend"), Badge::Kind::Plain, Glyph::Trend),
                       new Badge(q("forecast"), Badge::Kind::Plain, Glyph::Forecast), new Badge(q("fine"), Badge::Kind::Plain, Glyph::Fine),
                       new Badge(q("no data 8 s"), Badge::Kind::Dashed), new Badge(q("est."))}, 6),
                  tabs});
}

inline Panel *toasts()
{
    auto *saved = new Toast({q("Snapshot saved"), q("rank 5, 812 MiB"), q("Open"), Glyph::Fine});
    auto *alerts = new Toast({q("2 new alerts"), {}, q("Show"), Glyph::Page});
    auto *progress = new QProgressBar;
    progress->setValue(71);
    progress->setTextVisible(false);
    progress->setAccessibleName(q("Reading stacks"));
    auto *bar = new QScrollBar(Qt::Horizontal);
    bar->setRange(0, 100);
    bar->setPageStep(40);
    bar->setValue(30);
    return panel("Toast, progress, scroll bar", {row({saved}), row({alerts}), progress, bar}, 6);
}

inline Panel *surfaces()
{
    return panel("Surfaces, load, glyphs, icons",
                 {new Canvas({0, 44}, [](QPainter &p, QRect r, const Tokens &t) {
                      const std::array colours{t.window, t.rail, t.sunken, t.panel, t.raised, t.hover, t.sel, t.track, t.line, t.line2, t.line3, t.text3, t.text2, t.text, t.accent, t.rec};
                      for (std::size_t i = 0; i < colours.size(); ++i)
                          draw::box(p, QRectF(double(i) * 24, 0, 20, 18), 3, colours[i], t.line3);
                      for (std::size_t i = 0; i < t.load.size(); ++i)
                          p.fillRect(QRect(int(i) * 24, 24, 24, 18), t.load[i]);
                      Q_UNUSED(r);
                  }),
                  new Canvas({0, 64}, [](QPainter &p, QRect r, const Tokens &t) {
                      for (int i = 0; i <= int(Glyph::Live); ++i)
                          paintGlyph(p, QRectF(4 + i * 24, 2, 12, 12), Glyph(i), glyphColour(Glyph(i), t));
                      for (int i = 0; i <= int(Icon::Brand); ++i)
                          paintIcon(p, QRectF((i % 18) * 22, 20 + (i / 18) * 22, 16, 16), Icon(i), t.text2);
                      Q_UNUSED(r);
                  })});
}

inline TimeBar *timeBar(TimeBarMode mode, const char *line1 = "", const char *line2 = "")
{
    auto *bar = new TimeBar;
    bar->setStrip(new FakeStrip);
    const auto end = fromUnixNanos(1795010580LL * 1'000'000'000);
    bar->setRange({end - std::chrono::hours(1), end});
    bar->setMode(mode, q(line1), q(line2));
    bar->setCanGoBack(true);
    return bar;
}

inline Panel *timeBars()
{
    return panel("Time bar", {timeBar(TimeBarMode::Live), timeBar(TimeBarMode::Frozen, "frozen 2 min 13 s ago", "52,110 samples wait"),
                              timeBar(TimeBarMode::Travelling, "as of 13:20:07 UTC", "43 min ago · Esc returns"),
                              timeBar(TimeBarMode::Recorded, "", "61 s")}, 6);
}

inline Panel *empty(const char *title, const char *sentence, std::initializer_list<const char *> names, bool hasDefault)
{
    auto *made = new Panel(q(title));
    auto *state = new EmptyPanel(q(sentence));
    bool isDefault = hasDefault;
    for (const char *name : names)
        state->addButton(q(name), std::exchange(isDefault, false));
    made->showState(state);
    return made;
}

inline Panel *error()
{
    auto *made = new Panel(q("Error"));
    auto *state = new ErrorPanel;
    state->setError(q("Prometheus refused: too many samples"), q("Live values go on. Try under 6 h."), q("422"));
    state->addButton(q("Use 6 h"));
    made->showState(state);
    return made;
}

inline Panel *busy()
{
    auto *made = new Panel(q("GPU memory"));
    made->setContent(new Label(q("the picture stays"), TextRole::Body, Ink::Text2));
    made->setNote(q("9 s left"));
    made->setBusy(true, Progress{420, {}});
    auto *age = new StaleBadge;
    made->headerRight()->addWidget(age);
    age->setAge(std::chrono::seconds(14));
    return made;
}

inline Panel *table()
{
    auto *model = new QStandardItemModel(6, 5);
    model->setHorizontalHeaderLabels({q("Job"), q("GPUs"), q("$/h est."), q("Share"), q("Usual")});
    const std::array<std::array<const char *, 4>, 6> rows{{{"rag-ft-0412", "16", "$98.40", "× 1.0"}, {"ranker-serve", "12", "$61.20", "× 3.4"},
                                                           {"vision-pre-088", "24", "$59.04", "× 1.0"}, {"embed-build-31", "8", "$19.68", "× 1.1"},
                                                           {"asr-distil-07", "8", "$19.68", "× 0.9"}, {"All", "68", "$258.00", ""}}};
    const std::array shares{1.0, 0.62, 0.6, 0.2, 0.2};
    for (int i = 0; i < 6; ++i) {
        const auto &cells = rows[std::size_t(i)];
        const auto set = [&](int column, const QVariant &value, int role = Qt::DisplayRole) { model->setData(model->index(i, column), value, role); };
        set(0, q(cells[0]));
        set(0, true, i == 5 ? cellRole::IsHeavy : cellRole::IsStrong);
        set(1, q(cells[1]));
        set(2, q(cells[2]));
        set(4, q(cells[3]));
        for (const int right : {1, 2, 4})
            set(right, QVariant(Qt::AlignRight | Qt::AlignVCenter), Qt::TextAlignmentRole);
        if (i < 5) {
            set(3, shares[std::size_t(i)], cellRole::Ratio);
            set(3, 4, cellRole::BarSeries);
            set(4, 1, cellRole::Ink);
        } else {
            for (int column = 0; column < 5; ++column)
                set(column, true, cellRole::IsHeavy);
        }
    }
    model->setData(model->index(1, 4), int(Glyph::Forecast), cellRole::GlyphMark);
    for (const int right : {1, 2, 4})
        model->setHeaderData(right, Qt::Horizontal, QVariant(Qt::AlignRight | Qt::AlignVCenter), Qt::TextAlignmentRole);
    auto *view = new CopyableTable;
    view->setAccessibleName(q("Cost drivers"));
    model->setParent(view);
    view->setModel(model);
    view->setColumnWidth(1, 56);
    view->setColumnWidth(2, 84);
    view->setColumnWidth(3, 120);
    view->setColumnWidth(4, 72);
    view->setSortingEnabled(false);
    view->horizontalHeader()->setSortIndicatorShown(true);
    view->horizontalHeader()->setSortIndicator(2, Qt::DescendingOrder);
    view->selectRow(0);
    auto *made = new Panel(q("Table"));
    auto *menu = new QMenu(made);
    menu->addAction(q("$ per hour now"));
    made->header()->addWidget(makeChoice(q("$ per hour now"), menu));
    made->setNote(q("rows 24, header 24"));
    made->setContentMargins(QMargins(1, 0, 1, 8));
    made->setContent(view);
    return made;
}

inline Panel *type()
{
    return panel("Type", {new Label(q("$317.05 headline 20 / 24"), TextRole::Headline), new Label(q("78.7 inspector 24 / 28"), TextRole::InspectorFigure),
                          new Label(q("15 header figure"), TextRole::HeaderFigure), new Label(q("GPU memory by node, panel title 13"), TextRole::PanelTitle),
                          new Label(q("Time to full 2–4 min, body 12 / 16")), new Label(q("price book 12 Nov, caption 11 / 16"), TextRole::Caption, Ink::Text3),
                          new Label(q("torch/nn/modules/linear.py:114 forward"), TextRole::Mono)});
}

/// A menu as it opens, drawn in place.
inline QWidget *menu()
{
    auto *made = new QMenu;
    made->addAction(q("Zoom to selection"))->setShortcut(Qt::Key_Return);
    made->addAction(q("Filter by selection"))->setShortcut(Qt::CTRL | Qt::Key_Return);
    made->addSeparator();
    auto *checked = made->addAction(q("Show allocated"));
    checked->setCheckable(true);
    checked->setChecked(true);
    made->addAction(q("Copy view link"))->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_C);
    made->setActiveAction(made->actions().first());
    made->setWindowFlags(Qt::Widget);
    made->setVisible(true);
    return made;
}

/// As the picture components-*.png: three columns, 1600 x 1000.
inline QWidget *kit()
{
    auto *window = new QWidget;
    window->resize(1600, 1000);
    auto *columns = new QHBoxLayout(window);
    columns->setContentsMargins(8, 8, 8, 8);
    columns->setSpacing(8);
    const auto column = [&](int width, std::initializer_list<QWidget *> panels) {
        auto *side = new QVBoxLayout;
        side->setSpacing(8);
        for (QWidget *made : panels) {
            if (width > 0)
                made->setFixedWidth(width);
            side->addWidget(made);
        }
        side->addStretch();
        columns->addLayout(side, width > 0 ? 0 : 1);
    };
    auto *states = new QWidget;
    auto *grid = new QGridLayout(states);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(8);
    grid->addWidget(busy(), 0, 0);
    grid->addWidget(empty("Empty by filter", "Nothing matches team=nlp in 13:03 – 14:03.", {"Clear filter", "Widen range"}, false), 0, 1);
    grid->addWidget(error(), 1, 0);
    grid->addWidget(empty("Empty, first time", "No agent yet. Add one, or open the sample session.", {"Add agent", "Open sample"}, true), 1, 1);
    column(406, {buttons(), inputs(), chips(), toasts(), surfaces()});
    column(0, {timeBars(), states, row({menu()})});
    column(456, {table(), type()});
    return window;
}

/// As fleet-*.png: everything of the shell around an empty page.
inline QWidget *shell()
{
    auto *window = new QWidget;
    window->resize(1600, 1000);
    auto *column = new QVBoxLayout(window);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *top = new TopRow;
    top->setSessions({{q("live"), q("prod-eu"), q("live, 128 GPUs"), false, false}, {q("a"), q("2026-11-12 OOM night.plim"), {}, true, true}, {q("b"), q("rank5-oom.pickle"), {}, true, false}});
    top->setCurrent(q("live"));
    column->addWidget(top);
    column->addWidget(timeBar(TimeBarMode::Live));
    auto *middle = new QHBoxLayout;
    middle->setSpacing(0);
    column->addLayout(middle, 1);

    auto *rail = new SideRail;
    rail->setEntries({{q("fleet"), Icon::Fleet, q("Fleet"), 3}, {q("jobs"), Icon::Jobs, q("Jobs")}, {q("endpoints"), Icon::Endpoints, q("Endpoints")},
                      {q("snapshots"), Icon::Snapshots, q("Snapshots")}, {q("cost"), Icon::Cost, q("Cost")}, {q("preflight"), Icon::Preflight, q("Preflight")},
                      {q("alerts"), Icon::Alerts, q("Alerts"), 5, true}, {q("sessions"), Icon::Sessions, q("Sessions")}, {q("connections"), Icon::Connections, q("Connections")},
                      {q("settings"), Icon::Settings, q("Settings"), 0, false, q("Ctrl+,"), true}});
    rail->setPins({{q("Pinned"), {{q("p1"), q("rag-ft-0412"), Glyph::Page}, {q("p2"), q("ranker-serve"), Glyph::Forecast}, {q("p3"), q("vision-pre-088"), Glyph::Fine}}},
                   {q("Bookmarks"), {{q("b1"), q("13:57 first OOM"), {}, Icon::Flag}, {q("b2"), q("12 Nov deploy"), {}, Icon::Flag}}}});
    rail->setCurrent(q("fleet"));
    middle->addWidget(rail);

    auto *page = new QWidget;
    auto *pageColumn = new QVBoxLayout(page);
    pageColumn->setContentsMargins(8, 0, 8, 8);
    pageColumn->setSpacing(8);
    auto *filter = new FilterBar;
    filter->setFilters({{q("c"), q("cluster"), q("="), q("prod-eu")}, {q("m"), q("model"), q("≠"), q("<b>bold</b>"), true}});
    filter->setRightText(q("applies to all panels · 128 of 128 GPUs"));
    pageColumn->addWidget(filter);
    auto *figures = new FigureStrip;
    std::vector<double> up;
    for (int i = 0; i < 60; ++i)
        up.push_back(50 + i * 0.4 + 4 * std::sin(i * 0.8));
    figures->setCells({{q("GPU memory used"), {"5.23", "TiB"}, q("of 8.85 TiB"), q("59 % · 20 GPUs at 90 % or more"), {}, up, 0}, {q("Least headroom"), {"0.9", "GiB"}, {}, q("node-17/gpu3 · full in 2–4 min"), {}, up, 0},
                       {q("GPU busy"), {"64", "%"}, {}, q("27 of 128 GPUs idle")}, {q("Burn now"), {"$317.05", "/h"}, {}, q("est. · × 1.2 of usual"), {}, up, 4},
                       {q("Month end"), {"$212–241 k", ""}, {}, q("of $220 k, crossed 28–30 Nov"), Glyph::Forecast}});
    pageColumn->addWidget(figures);
    auto *header = new PageHeader;
    header->setName(q("rag-ft-0412"), q("training · team nlp · 16 GPUs"));
    header->setFacts({{q("memory"), q("78.7"), q("GiB")}, {q("limit"), q("79.6"), q("GiB")}, {q("time to full"), q("2–4"), q("min"), Glyph::Trend}, {q("step"), q("18,402")}});
    header->right()->addWidget(makeButton(q("Capture now")));
    pageColumn->addWidget(header);
    auto *body = new QSplitter;
    body->addWidget(table());
    body->addWidget(empty("Headroom", "No agent yet. Add one, or open the sample session.", {"Add agent"}, true));
    pageColumn->addWidget(body, 1);
    middle->addWidget(page, 1);

    auto *inspector = new Inspector;
    inspector->setTitle(q("Inspector"), q("GPU"));
    inspector->setHeadline(q("node-17/gpu3"), q("rag-ft-0412 · rank 5 · team nlp"), {"78.7", "GiB"}, q("of 79.6 GiB"), q("98.9 %"), 0.989);
    inspector->setSections({{q("Now"), {{q("Reserved"), q("78.7 GiB")}, {q("Allocated"), q("57.1 GiB")}, {q("Time to full"), q("2–4 min")}, {q("Cost"), q("$6.15/h est.")}}},
                            {q("Events in range"), {{q("13:57:11"), q("OOM, step retried"), Glyph::Kill}, {q("13:44:02"), q("checkpoint 17,000"), Glyph::Mark}, {q("13:12:04"), q("attempt 3 started"), Glyph::Retry}}, q("3")},
                            {q("Origin"), {{q("Agent"), q("node-17, TLS")}, {q("Age"), q("0.2 s")}}}});
    inspector->setActions({{q("Open job"), {}, true}, {q("Snapshot"), {}, false, Icon::Camera}});
    inspector->setHint(q("Enter opens the job · X takes a snapshot · T shows the fleet at the crosshair"));
    middle->addWidget(inspector);

    auto *status = new StatusStrip;
    status->setCells({{q("18 agents live"), Glyph::Fine, {}, q("agents")}, {q("node-09 lags 12 s"), Glyph::Trend, {}, q("lag")}, {q("node-13 unreachable since 14:01"), Glyph::Page, {}, q("away")},
                      {q("41.2 k samples/s, 0 dropped"), {}, {}, q("rate")}, {q("cache 2.1 GiB")}},
                     {{q("F1 keys of this page"), Glyph::Info, {}, q("keys")}, {q("2 tasks"), {}, {}, q("tasks")}});
    column->addWidget(status);

    auto *commands = new CommandTable(window);
    commands->add({q("page.fleet"), q("Go to Fleet"), q("Go"), QKeySequence(Qt::CTRL | Qt::Key_1), {}, [] {}});
    commands->add({q("capture"), q("Capture snapshot of rag-ft-0412"), q("Job"), {}, {}, [] {}, {}, Icon::Camera});
    auto *palette = new CommandPalette(window);
    palette->setObjectName(q("palette"));
    palette->setSource(commands);
    palette->setPlaces([](const QString &) {
        return std::vector<PaletteEntry>{{q("j"), q("rag-ft-0412"), q("job, team nlp, running"), Icon::Jobs, {}, [] {}},
                                         {q("s"), q("rank5-oom.pickle"), q("snapshot of rag-ft-0412"), Icon::Snapshots, {}, [] {}},
                                         {q("m"), q("rag-7b"), q("model, $48,902 this month"), Icon::Cost, {}, [] {}}};
    });
    return window;
}

} // namespace plimsoll::gallery
