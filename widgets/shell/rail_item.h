// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/shell/side_rail.h"

#include <QAbstractButton>

namespace plimsoll {

/// One row of the rail. A button, so that keyboard and screen readers know it.
class RailItem : public QAbstractButton
{
    Q_OBJECT

public:
    RailItem(const SideRail::Entry &entry, QWidget *parent);
    RailItem(const SideRail::Pin &pin, QWidget *parent);

    [[nodiscard]] QString id() const { return m_id; }
    [[nodiscard]] bool isPin() const { return m_isPin; }
    void setCurrent(bool isCurrent);
    void setFolded(bool isFolded);
    void setEntry(const SideRail::Entry &entry);

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    QString m_id;
    std::optional<Icon> m_icon;
    std::optional<Glyph> m_glyph;
    int m_count = 0;
    bool m_isAlarm = false;
    QString m_keys;
    bool m_isPin = false;
    bool m_isCurrent = false;
    bool m_isFolded = false;
};

} // namespace plimsoll
