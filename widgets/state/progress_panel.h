// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancel.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QPushButton;

namespace plimsoll {

class Label;

/// Work on its way: a 2 px accent line at once, after 0.5 s a skeleton, after 2 s
/// the time left and Cancel. Give it to Panel::showState, or leave the picture and
/// use Panel::setBusy.
class ProgressPanel : public QWidget
{
    Q_OBJECT

public:
    explicit ProgressPanel(QWidget *parent = nullptr);

    void start(const QString &what); // "Reading stacks"
    void setProgress(const Progress &progress);
    void stop();

    [[nodiscard]] bool showsSkeleton() const { return m_stage >= Stage::Skeleton; }
    [[nodiscard]] bool offersCancel() const { return m_stage >= Stage::Cancel; }

signals:
    void cancelled();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    enum class Stage { Idle, Line, Skeleton, Cancel };
    void enter(Stage stage);
    void updateText();

    Stage m_stage = Stage::Idle;
    QString m_what;
    std::optional<Progress> m_progress;
    QTimer m_skeletonTimer;
    QTimer m_cancelTimer;
    Label *m_text;
    Label *m_left;
    QPushButton *m_cancel;
};

} // namespace plimsoll
