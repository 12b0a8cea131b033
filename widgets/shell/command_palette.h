// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/icons.h"

#include <QPointer>
#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

class QLineEdit;
class QListView;

namespace plimsoll {

class CommandTable;
class Label;
class PaletteModel;

/// One row of the palette.
struct PaletteEntry
{
    QString id;
    QString title;  // the palette matches against this and makes what matched strong
    QString detail; // behind it in text2: "job, team nlp, running"
    Icon icon = Icon::Search;
    QString keys; // at the right: "Ctrl+1"
    std::function<void()> run;
    std::function<void()> filter = {};      // Ctrl+Enter narrows all panels to it; absent: it cannot be filtered by
    std::vector<PaletteEntry> actions = {}; // what Tab shows: all that can be done with it
};

/// Jump, search or run: 560 wide over the window at a fifth of its height. What is
/// typed finds places and commands; `>` only commands, `@14:03` or `@-2h` a time,
/// `?` the help. Up, Down, Page keys, Enter, Esc; the mouse does the same. Tab shows
/// what can be done with the chosen row (Esc or Backspace returns), Ctrl+Enter filters by it.
/// A child of the window, hidden until open(); focus returns to where it was.
class CommandPalette : public QWidget
{
    Q_OBJECT

public:
    explicit CommandPalette(QWidget *window);
    ~CommandPalette() override;

    void setSource(CommandTable *commands);

    /// Asked on each key, so answer from memory; may return unmatched entries too,
    /// the palette matches and sorts.
    void setPlaces(std::function<std::vector<PaletteEntry>(const QString &query)> places);

    /// Turns what follows @ into a sentence ("14:03:00 UTC, 2 h ago"), or nullopt when it
    /// is no time. Without it the palette reads times itself, as parseTypedTime does.
    void setTimes(std::function<std::optional<QString>(const QString &typed)> times);
    void setUtc(bool utc) { m_utc = utc; }

    void open(const QString &text = {});
    void dismiss();

    static constexpr int kWidth = 560;
    static constexpr int kMostRows = 10;

signals:
    void timeTyped(const QString &typed); // without the @
    void helpWanted();                    // `?` and Enter on keys of this page
    void dismissed();

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void refresh();
    void paintHints(QPainter &painter);
    void runCurrent();
    void filterByCurrent();
    void showActions();
    void leaveActions();
    void showFoot(int rows, bool isTime, const QString &query);
    void moveCurrent(int by);
    void place();
    std::vector<PaletteEntry> candidates(const QString &query, QChar prefix) const;
    std::vector<PaletteEntry> commandEntries() const;
    std::vector<PaletteEntry> timeEntries(const QString &typed) const;
    std::vector<PaletteEntry> helpEntries() const;

    QWidget *m_window;
    QPointer<CommandTable> m_commands;
    std::function<std::vector<PaletteEntry>(const QString &)> m_places;
    std::function<std::optional<QString>(const QString &)> m_times;
    bool m_utc = true;
    QLineEdit *m_edit;
    QListView *m_list;
    PaletteModel *m_model;
    Label *m_foot;
    std::vector<PaletteEntry> m_actions; // of one row, while they are shown; else empty
    QString m_textBefore;                // what was typed when they were asked for
    QPointer<QWidget> m_focusBefore;
};

} // namespace plimsoll
