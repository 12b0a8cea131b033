// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/shell/inspector.h"

namespace plimsoll {

/// The sections of the inspector in one widget that paints them: they change with
/// each sample, and thirty labels would be laid out anew each time.
class InspectorSections : public QWidget
{
    Q_OBJECT

public:
    explicit InspectorSections(QWidget *parent = nullptr);

    void setSections(std::vector<Inspector::Section> sections);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QString toText() const; // what Ctrl+C copies

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Place
    {
        int top = 0;
        const Inspector::Section *section = nullptr;
        const Inspector::Row *row = nullptr; // nullptr: the title
    };
    [[nodiscard]] std::vector<Place> places() const;

    std::vector<Inspector::Section> m_sections;
};

} // namespace plimsoll
