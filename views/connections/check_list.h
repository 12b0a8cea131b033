// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ingest/channel.h"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace plimsoll {

/// The lines of a connection test: glyph, check, result; under a failed one its fix, to copy.
class CheckList : public QWidget
{
    Q_OBJECT

public:
    explicit CheckList(QWidget *parent = nullptr);
    void setChecks(const std::vector<ConnectionCheck> &checks);

private:
    QVBoxLayout *m_column;
};

/// One line of code in a sunken box with a copy button.
class CopyLine : public QWidget
{
    Q_OBJECT

public:
    explicit CopyLine(const QString &text, QWidget *parent = nullptr);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_text;
};

} // namespace plimsoll
