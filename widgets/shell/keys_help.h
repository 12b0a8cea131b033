// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>

namespace plimsoll {

class CommandTable;

/// F1: every command with its keys, in sections, over the window. Esc, F1 or a
/// click beside it closes. A child of the window, hidden until open().
class KeysHelp : public QWidget
{
    Q_OBJECT

public:
    explicit KeysHelp(QWidget *window);

    void setSource(CommandTable *commands);

    /// `page` heads the overlay; sections named here come first.
    void open(const QString &page = {}, const QStringList &sectionsFirst = {});
    void dismiss();

signals:
    void dismissed();

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void rebuild(const QString &page, const QStringList &sectionsFirst);
    void place();

    QWidget *m_window;
    QWidget *m_card;
    QPointer<CommandTable> m_commands;
    QPointer<QWidget> m_focusBefore;
};

} // namespace plimsoll
