// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/source_plurals.h"

namespace plimsoll {

QString SourcePlurals::translate(const char * /*context*/, const char *sourceText, const char * /*disambiguation*/,
                                 int n) const
{
    if (n < 0 || sourceText == nullptr)
        return {};
    QString text = QString::fromUtf8(sourceText);
    const bool isOne = n == 1;
    text.replace(QLatin1String("(es)"), isOne ? QLatin1String() : QLatin1String("es"));
    text.replace(QLatin1String("(s)"), isOne ? QLatin1String() : QLatin1String("s"));
    return text;
}

} // namespace plimsoll
