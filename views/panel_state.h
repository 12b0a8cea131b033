// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>
#include <vector>

namespace plimsoll {

class Panel;

/// What stands in a panel instead of its content: a sentence, a hint, ways on.
struct PanelNotice
{
    struct Way
    {
        QString text;
        std::function<void()> run;
    };
    QString sentence;
    QString hint = {};
    std::vector<Way> ways = {}; // the first is the default
};

/// Shows the notice, or the content when there is none. Cheap when nothing changed, so
/// that live data may call it each time.
void showNotice(Panel &panel, const PanelNotice *notice);
/// The skeleton of a panel whose first answer is on its way.
void showLoading(Panel &panel, const QString &what);

} // namespace plimsoll
