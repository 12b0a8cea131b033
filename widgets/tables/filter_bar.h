// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

class QHBoxLayout;

namespace plimsoll {

class Chip;
class Label;

/// The filter strip of a page: chips, Add filter, and at the right what it reaches.
/// Chips that find no room go behind "n more".
class FilterBar : public QWidget
{
    Q_OBJECT

public:
    struct Filter
    {
        QString id;
        QString key;
        QString op; // "=", "≠", …; "=" is not shown
        QString value;
        bool isActive = false;
        bool isRemovable = true;

        friend bool operator==(const Filter &, const Filter &) = default;
    };

    explicit FilterBar(QWidget *parent = nullptr);

    void setFilters(std::vector<Filter> filters);
    [[nodiscard]] const std::vector<Filter> &filters() const { return m_filters; }
    void setRightText(const QString &text); // "applies to all panels · 128 of 128 GPUs"

    [[nodiscard]] Chip *chip(const QString &id) const; // nullptr when there is none
    [[nodiscard]] Chip *addChip() const { return m_add; }

signals:
    void filterClicked(const QString &id);
    void removeClicked(const QString &id);
    void addClicked();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void rebuild();
    void fit();

    std::vector<Filter> m_filters;
    std::vector<Chip *> m_chips;
    QHBoxLayout *m_row;
    Label *m_caption;
    Label *m_right;
    Chip *m_add;
    Chip *m_more;
};

} // namespace plimsoll
