// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/format.h"
#include "widgets/theme/glyphs.h"
#include "widgets/theme/icons.h"

#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

class QHBoxLayout;
class QScrollArea;
class QVBoxLayout;

namespace plimsoll {

class InspectorSections;
class Label;
class RatioBar;

/// What is under the cursor or selected, in full: 264 wide. Ctrl+C on the
/// values copies them.
class Inspector : public QWidget
{
    Q_OBJECT

public:
    struct Row
    {
        QString key;
        QString value;
        std::optional<Glyph> glyph = {}; // an event: key is its time, then glyph and value
        bool isMono = false;

        friend bool operator==(const Row &, const Row &) = default;
    };
    struct Section
    {
        QString title;
        std::vector<Row> rows;
        QString right = {}; // caption at the right end of the title

        friend bool operator==(const Section &, const Section &) = default;
    };
    struct Action
    {
        QString text;
        std::function<void()> run;
        bool isDefault = false;
        std::optional<Icon> icon = {};
    };

    explicit Inspector(QWidget *parent = nullptr);

    void setTitle(const QString &title, const QString &kind);

    /// `figure` is the value, `ofText` "of 79.6 GiB", `right` "98.9 %", ratio the bar (0 … 1).
    void setHeadline(const QString &name, const QString &sub, const Figure &figure, const QString &ofText,
                     const QString &right, std::optional<double> ratio);
    void setSections(std::vector<Section> sections);
    void setActions(std::vector<Action> actions);
    void setHint(const QString &hint);   // under the actions, text3
    void setExtra(QWidget *widget);      // between headline and sections, taken over; nullptr removes
    void setEmpty(const QString &sentence); // nothing is selected: only this sentence

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void makeHeader();
    void makeBody();
    void makeFoot();

    QVBoxLayout *m_column;
    Label *m_title;
    Label *m_kind;
    QWidget *m_headline;
    Label *m_name;
    Label *m_sub;
    Label *m_figure;
    Label *m_of;
    Label *m_right;
    RatioBar *m_bar;
    QWidget *m_extraBox;
    QWidget *m_extra = nullptr;
    InspectorSections *m_sections;
    QWidget *m_foot;
    QHBoxLayout *m_actions = nullptr;
    Label *m_hint;
    Label *m_empty;
    QScrollArea *m_scroll;
};

} // namespace plimsoll
