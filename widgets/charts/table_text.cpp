// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/table_text.h"

#include <QAbstractItemModel>

namespace plimsoll {
namespace {

bool looksLikeFormula(const QString &text)
{
    if (text.isEmpty() || !QStringLiteral("=+-@\t\r").contains(text.front()))
        return false;
    bool isNumber = false;
    text.toDouble(&isNumber);
    return !isNumber;
}

QString cell(QString text, QChar separator)
{
    if (looksLikeFormula(text))
        text.prepend(u'\'');
    if (separator == u'\t') // a clipboard knows no quotes
        return text.replace(u'\t', u' ').replace(u'\n', u' ').replace(u'\r', u' ');
    if (text.contains(separator) || text.contains(u'"') || text.contains(u'\n') || text.contains(u'\r'))
        return u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"';
    return text;
}

} // namespace

QString tableText(const QAbstractItemModel &model, QChar separator)
{
    const QString lineEnd = separator == u'\t' ? QStringLiteral("\n") : QStringLiteral("\r\n");
    QString text;
    const auto line = [&](auto &&cellText) {
        for (int column = 0; column < model.columnCount(); ++column) {
            if (column > 0)
                text += separator;
            text += cell(cellText(column), separator);
        }
        text += lineEnd;
    };
    line([&](int column) { return model.headerData(column, Qt::Horizontal).toString(); });
    for (int row = 0; row < model.rowCount(); ++row)
        line([&](int column) { return model.index(row, column).data().toString(); });
    return text;
}

} // namespace plimsoll
