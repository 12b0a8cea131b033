// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/page.h"

#include <QStringList>

#include <utility>
#include <vector>

class QLineEdit;
class QVBoxLayout;

namespace plimsoll {

class Label;
class Panel;
template <class T>
struct SettingKey;

/// All settings on one page, found by any word of their name or explanation.
class SettingsPage : public Page
{
    Q_OBJECT

public:
    /// `places`: id and title of the pages that the window may start on.
    SettingsPage(PageContext context, std::vector<std::pair<QString, QString>> places, QWidget *parent = nullptr);

    void activate() override;
    void refresh() override;
    [[nodiscard]] QWidget *focusPlace() override;
    [[nodiscard]] bool hasFilter() const override { return false; }
    [[nodiscard]] bool hasInspector() const override { return false; }

    void search(const QString &words);

signals:
    void keysWanted();

private:
    struct Row
    {
        QWidget *widget;
        QWidget *section; // its heading
        QString words;
    };
    void addSection(const QString &title);
    void addRow(const QString &name, const QString &explanation, QWidget *control);
    void addAppearance();
    void addGeneral(const std::vector<std::pair<QString, QString>> &places);
    void addHistory();
    void addHelp();
    void updateHistory();
    QWidget *makeNumber(const QString &name, const QString &suffix, const SettingKey<int> &key);
    template <class Key>
    QWidget *makeCheck(const QString &text, const Key &key);

    QLineEdit *m_search;
    QVBoxLayout *m_column;
    Panel *m_panel;
    QWidget *m_section = nullptr;
    std::vector<Row> m_rows;
    Label *m_file = nullptr;
    Label *m_size = nullptr;
    Label *m_series = nullptr;
    Label *m_nothing;
};

} // namespace plimsoll
