// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTranslator>

namespace plimsoll {

/// The plurals of the source language. Texts are written in English with "(s)" or "(es)"
/// where a count decides ("%n agent(s) live"); without a translation Qt would show just that.
class SourcePlurals : public QTranslator
{
    Q_OBJECT

public:
    using QTranslator::QTranslator;

    [[nodiscard]] QString translate(const char *context, const char *sourceText, const char *disambiguation = nullptr,
                                    int n = -1) const override;
    [[nodiscard]] bool isEmpty() const override { return false; }
};

} // namespace plimsoll
