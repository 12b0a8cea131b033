// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMargins>
#include <QString>
#include <QWidget>

class QAbstractItemModel;
class QChart;
class QChartView;
class QPixmap;

namespace plimsoll {

/// The house of a Qt Charts chart: no background, our pens and fonts, one left margin with
/// the plots above and below, axis titles never used (Qt Charts reads them as HTML).
/// Copies itself as a picture, as a table, or as a sentence for the ticket. GUI thread.
class ChartFrame : public QWidget
{
    Q_OBJECT

public:
    explicit ChartFrame(QWidget *parent = nullptr);
    ~ChartFrame() override;

    [[nodiscard]] QChart *chart() const noexcept;
    /// Plot area's distance from the frame; equal margins make stacked charts line up.
    void setPlotMargins(QMargins margins);
    void setTitle(const QString &title);   // of copies and for a screen reader; not painted
    void setSentence(const QString &text); // "node-17/gpu3 has 0.9 GiB free at 14:03 UTC"
    void setTable(QAbstractItemModel *table); // the chart as a table; not owned
    [[nodiscard]] QAbstractItemModel *table() const noexcept;

    /// Restyles axes and background by the palette: call after adding axes.
    void applyStyle();

    void copyPicture() const;
    void copyTable() const;
    void copySentence() const;

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    QChartView *m_view;
    QMargins m_margins;
    QString m_title;
    QString m_sentence;
    QAbstractItemModel *m_table = nullptr;
};

/// A widget with its title above it on panel colour, for clipboards and files, at the screen's scale.
[[nodiscard]] QPixmap pictureOf(QWidget &widget, const QString &title);

} // namespace plimsoll
