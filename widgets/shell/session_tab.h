// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/shell/top_row.h"

#include <QAbstractButton>

namespace plimsoll {

/// A session in the uppermost row; the 2 px upper edge says live or recorded.
class SessionTab : public QAbstractButton
{
    Q_OBJECT

public:
    SessionTab(const TopRow::Session &session, QWidget *parent);

    void setSession(const TopRow::Session &session);
    void setCurrent(bool isCurrent);
    [[nodiscard]] QString id() const { return m_session.id; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void closeClicked();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    [[nodiscard]] QRect crossRect() const;

    TopRow::Session m_session;
    bool m_isCurrent = false;
};

} // namespace plimsoll
