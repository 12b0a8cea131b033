// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <QWidget>

class QAbstractButton;
class QHBoxLayout;
class QToolButton;

namespace plimsoll {

class Label;
class ModeBox;
class RangeBox;

enum class TimeBarMode { Live, Frozen, Travelling, Recorded };

/// Where I look and whether it moves: back, forward, home, the span, the overview
/// strip, the mode. 56 high. Modes differ in shape and word, not only in colour.
class TimeBar : public QWidget
{
    Q_OBJECT

public:
    explicit TimeBar(QWidget *parent = nullptr);

    /// Empty lines take the words of the mode: "LIVE" and "F freezes".
    void setMode(TimeBarMode mode, const QString &line1 = {}, const QString &line2 = {});
    [[nodiscard]] TimeBarMode mode() const { return m_mode; }

    /// Two caption lines beside the range box ("13:03 – 14:03", "18 Nov 2026 UTC"). Empty
    /// lines are made from the range. `title` is what the box says; empty: from the
    /// length of the range ("Last 1 h" while live, else "1 h").
    void setRange(TimeRange range, const QString &line1 = {}, const QString &line2 = {}, const QString &title = {});
    void setUtc(bool utc);

    void setCanGoBack(bool can);
    void setCanGoForward(bool can);

    /// Any widget 46 high or so; the bar takes it over. nullptr takes it away.
    void setStrip(QWidget *strip);
    [[nodiscard]] QWidget *strip() const { return m_strip; }

    [[nodiscard]] QAbstractButton *modeButton() const;
    [[nodiscard]] QAbstractButton *rangeButton() const;
    [[nodiscard]] QAbstractButton *backButton() const;
    [[nodiscard]] QAbstractButton *forwardButton() const;
    [[nodiscard]] QAbstractButton *homeButton() const;

signals:
    void backClicked();
    void forwardClicked();
    void homeClicked();
    void spanChosen(Duration span); // a span of zero means everything there is
    void customRangeTyped(const QString &text);
    void modeClicked();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void updateTexts();

    TimeBarMode m_mode = TimeBarMode::Live;
    TimeRange m_range;
    bool m_utc = true;
    QString m_line1;
    QString m_line2;
    QString m_title;
    QHBoxLayout *m_row;
    QToolButton *m_back;
    QToolButton *m_forward;
    QToolButton *m_home;
    RangeBox *m_rangeBox;
    Label *m_from;
    Label *m_zone;
    QWidget *m_strip = nullptr;
    ModeBox *m_modeBox;
};

} // namespace plimsoll
