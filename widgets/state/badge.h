// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/glyphs.h"

#include <QWidget>

#include <optional>

namespace plimsoll {

/// A tag: "PAGE" filled, or words behind a glyph in an edge; 16 to 18 high, takes no input.
class Badge : public QWidget
{
    Q_OBJECT

public:
    enum class Kind {
        Plain,  // line2 edge
        Dashed, // for "no data 8 s"
        Bare,   // no edge: the sentence under an editor
        Page,   // filled with status page: the one strong thing on a page
        Count,  // pill with a number, line2 edge
        Alarm   // pill with a number, filled with status page
    };

    explicit Badge(const QString &text = {}, Kind kind = Kind::Plain, std::optional<Glyph> glyph = {}, QWidget *parent = nullptr);

    void setText(const QString &text);
    void setKind(Kind kind);
    void setGlyph(std::optional<Glyph> glyph);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

    /// The same painted elsewhere (rail, tables); `right` is where the badge ends.
    static int pillWidth(const QString &text);
    static void paintPill(QPainter &painter, const QRectF &box, const QString &text, bool isAlarm, const QPalette &palette);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_text;
    Kind m_kind;
    std::optional<Glyph> m_glyph;
};

} // namespace plimsoll
