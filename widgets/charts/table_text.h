// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChar>
#include <QString>

class QAbstractItemModel;

namespace plimsoll {

/// A model's header and rows as RFC 4180 (comma) or for a clipboard (tab). A cell that a
/// spreadsheet would take for a formula gets an apostrophe: names come from outside.
[[nodiscard]] QString tableText(const QAbstractItemModel &model, QChar separator);

} // namespace plimsoll
