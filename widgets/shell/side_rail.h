// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/glyphs.h"
#include "widgets/theme/icons.h"

#include <QWidget>

#include <optional>
#include <vector>

class QVBoxLayout;

namespace plimsoll {

class RailItem;

/// The places at the left: 168 wide, icons only (44) when folded. Up and Down walk,
/// Enter or Space chooses; counts and alarms are pills at the right end.
class SideRail : public QWidget
{
    Q_OBJECT

public:
    struct Entry
    {
        QString id;
        Icon icon = Icon::Fleet;
        QString title;
        int count = 0;        // 0 is not shown
        bool isAlarm = false; // the count is filled with status page
        QString keys = {};    // at the right end in text3: "Ctrl+,"
        bool isAtBottom = false; // Settings

        friend bool operator==(const Entry &, const Entry &) = default;
    };

    /// What a person pinned, under a caption: glyph or icon, then a name.
    struct Pin
    {
        QString id;
        QString title;
        std::optional<Glyph> glyph = {};
        std::optional<Icon> icon = {};

        friend bool operator==(const Pin &, const Pin &) = default;
    };
    struct PinGroup
    {
        QString caption;
        std::vector<Pin> pins;

        friend bool operator==(const PinGroup &, const PinGroup &) = default;
    };

    explicit SideRail(QWidget *parent = nullptr);

    void setEntries(std::vector<Entry> entries);
    void setPins(std::vector<PinGroup> groups);
    void setCurrent(const QString &id);
    [[nodiscard]] QString current() const { return m_current; }
    void setFolded(bool isFolded);
    [[nodiscard]] bool isFolded() const { return m_isFolded; }

    [[nodiscard]] RailItem *item(const QString &id) const; // nullptr when there is none

signals:
    void chosen(const QString &id);
    void pinChosen(const QString &id);

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void rebuild();

    std::vector<Entry> m_entries;
    std::vector<PinGroup> m_groups;
    std::vector<RailItem *> m_items;
    QVBoxLayout *m_column;
    QString m_current;
    bool m_isFolded = false;
};

} // namespace plimsoll
