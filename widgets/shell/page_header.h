// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/glyphs.h"

#include <QFrame>

#include <optional>
#include <vector>

class QHBoxLayout;

namespace plimsoll {

class Label;

/// Name of what a page is about, then figures split by 1 px lines: caption over
/// figure. 52 to 68 high.
class PageHeader : public QFrame
{
    Q_OBJECT

public:
    struct Fact
    {
        QString caption;
        QString value;
        QString unit = {};
        std::optional<Glyph> glyph = {};
        QString tip = {};

        friend bool operator==(const Fact &, const Fact &) = default;
    };

    explicit PageHeader(QWidget *parent = nullptr);

    void setName(const QString &name, const QString &sub);
    void setFacts(std::vector<Fact> facts);
    [[nodiscard]] QHBoxLayout *right() const { return m_right; } // buttons

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    class Facts;
    Label *m_name;
    Label *m_sub;
    Facts *m_facts;
    QHBoxLayout *m_right;
};

} // namespace plimsoll
