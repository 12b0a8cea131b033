// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QFontMetricsF>
#include <QHash>
#include <QString>

namespace plimsoll {

/// Widths of texts in one font, measured once: shaping is what a frame's layout spends most
/// on, and its words are the same from frame to frame. GUI thread.
class TextWidths
{
public:
    explicit TextWidths(const QFont &font)
        : m_font(font)
        , m_metrics(font)
    {
    }

    [[nodiscard]] const QFont &font() const noexcept { return m_font; }
    [[nodiscard]] double of(const QString &text) const
    {
        const auto known = m_known.constFind(text);
        if (known != m_known.cend())
            return *known;
        if (m_known.size() >= kMost)
            m_known.clear();
        return *m_known.insert(text, m_metrics.horizontalAdvance(text));
    }

private:
    static constexpr qsizetype kMost = 4096;

    QFont m_font;
    QFontMetricsF m_metrics;
    mutable QHash<QString, double> m_known;
};

} // namespace plimsoll
