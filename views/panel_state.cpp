// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panel_state.h"

#include "widgets/shell/panel.h"
#include "widgets/state/empty_panel.h"
#include "widgets/state/progress_panel.h"

#include <QPushButton>

namespace plimsoll {

namespace {

constexpr auto kKey = "plimsollNotice"; // which state stands there; absent = the content

bool isShowing(const Panel &panel, const QString &key)
{
    return panel.property(kKey).toString() == key;
}

} // namespace

void showNotice(Panel &panel, const PanelNotice *notice)
{
    if (!notice) {
        if (!panel.property(kKey).isValid())
            return;
        panel.setProperty(kKey, {});
        panel.showContent();
        return;
    }
    QString key = notice->sentence + u'\n' + notice->hint;
    for (const auto &way : notice->ways)
        key += u'\n' + way.text;
    if (isShowing(panel, key))
        return;
    auto *empty = new EmptyPanel(notice->sentence);
    empty->setHint(notice->hint);
    bool isFirst = true;
    for (const auto &way : notice->ways) {
        auto *button = empty->addButton(way.text, isFirst);
        QObject::connect(button, &QPushButton::clicked, empty, way.run);
        isFirst = false;
    }
    panel.setProperty(kKey, key);
    panel.showState(empty);
}

void showLoading(Panel &panel, const QString &what)
{
    const QString key = QStringLiteral("loading\n") + what;
    if (isShowing(panel, key))
        return;
    auto *progress = new ProgressPanel;
    panel.setProperty(kKey, key);
    panel.showState(progress);
    progress->start(what);
}

} // namespace plimsoll
