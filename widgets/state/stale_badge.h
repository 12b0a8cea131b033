// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <QWidget>

#include <optional>

namespace plimsoll {

/// Age of what a panel shows, in its header: "14 s old" behind a ring with an i.
/// Hidden while the data is fresh.
class StaleBadge : public QWidget
{
    Q_OBJECT

public:
    explicit StaleBadge(QWidget *parent = nullptr);

    /// nullopt hides the badge. `reason` becomes the tip.
    void setAge(std::optional<Duration> age, const QString &reason = {});
    [[nodiscard]] QString text() const { return m_text; }

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_text;
};

} // namespace plimsoll
