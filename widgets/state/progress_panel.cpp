// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/progress_panel.h"

#include "base/format.h"
#include "widgets/theme/buttons.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/label.h"
#include "widgets/theme/tokens.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include <array>

namespace plimsoll {

namespace {

constexpr int kSkeletonAfterMs = 500;
constexpr int kCancelAfterMs = 2000;
constexpr int kLine = 2;
constexpr int kBar = 10;
constexpr int kBarPitch = 18;

} // namespace

ProgressPanel::ProgressPanel(QWidget *parent)
    : QWidget(parent)
    , m_text(new Label)
    , m_left(new Label({}, TextRole::Caption, Ink::Text2))
    , m_cancel(makeButton(tr("Cancel"), ButtonKind::Quiet))
{
    setSmall(m_cancel);
    m_cancel->hide();
    connect(m_cancel, &QPushButton::clicked, this, &ProgressPanel::cancelled);
    for (QTimer *timer : {&m_skeletonTimer, &m_cancelTimer})
        timer->setSingleShot(true);
    connect(&m_skeletonTimer, &QTimer::timeout, this, [this] { enter(Stage::Skeleton); });
    connect(&m_cancelTimer, &QTimer::timeout, this, [this] { enter(Stage::Cancel); });

    auto *row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_text);
    row->addStretch();
    row->addWidget(m_left);
    row->addWidget(m_cancel);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, kLine + 4, 0, 0);
    column->addLayout(row);
    column->addStretch();
}

void ProgressPanel::start(const QString &what)
{
    m_what = what;
    m_progress.reset();
    m_skeletonTimer.start(kSkeletonAfterMs);
    m_cancelTimer.start(kCancelAfterMs);
    enter(Stage::Line);
}

void ProgressPanel::setProgress(const Progress &progress)
{
    m_progress = progress;
    updateText();
    update();
}

void ProgressPanel::stop()
{
    m_skeletonTimer.stop();
    m_cancelTimer.stop();
    enter(Stage::Idle);
}

void ProgressPanel::enter(Stage stage)
{
    m_stage = stage;
    m_cancel->setVisible(offersCancel());
    updateText();
    update();
}

void ProgressPanel::updateText()
{
    QString text = m_what;
    if (m_progress)
        text = tr("%1, %2 %").arg(m_what).arg(m_progress->perMille / 10);
    m_text->setText(m_stage >= Stage::Skeleton ? text : QString());
    const bool saysLeft = offersCancel() && m_progress && m_progress->left;
    m_left->setText(saysLeft ? tr("%1 left").arg(QString::fromStdString(formatDuration(*m_progress->left))) : QString());
    setAccessibleName(text);
}

void ProgressPanel::paintEvent(QPaintEvent * /*event*/)
{
    if (m_stage == Stage::Idle)
        return;
    QPainter painter(this);
    const Tokens &t = tokens(this);
    const double share = m_progress ? m_progress->perMille / 1000.0 : 1.0 / 3;
    const QRect done = QStyle::visualRect(layoutDirection(), rect(), QRect(0, 0, static_cast<int>(width() * share), kLine));
    painter.fillRect(done, t.accent);
    if (!showsSkeleton())
        return;
    // Bars where lines of a table or a list would be, ragged as text is.
    constexpr std::array kShares{0.88, 0.64, 0.76, 0.42};
    int y = kLine + metrics::kButtonSmall + 16;
    for (std::size_t i = 0; y + kBar <= height() && i < kShares.size(); ++i, y += kBarPitch) {
        const QRect bar(0, y, static_cast<int>(width() * kShares[i]), kBar);
        draw::box(painter, QStyle::visualRect(layoutDirection(), rect(), bar), metrics::kCellRadius, t.track, QColor());
    }
}

} // namespace plimsoll
