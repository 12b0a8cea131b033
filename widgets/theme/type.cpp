// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/type.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetrics>

#include <algorithm>
#include <cmath>

namespace plimsoll {

namespace {

struct Spec
{
    int px;
    int line;
    QFont::Weight weight;
    qreal spacing;
};

Spec specOf(TextRole role)
{
    switch (role) {
    case TextRole::Body: return {12, 16, QFont::Normal, 0};
    case TextRole::BodyStrong: return {12, 16, QFont::Medium, 0};
    case TextRole::BodyHeavy: return {12, 16, QFont::DemiBold, 0};
    case TextRole::Caption: return {11, 16, QFont::Normal, 0};
    case TextRole::CaptionStrong: return {11, 16, QFont::Medium, 0};
    case TextRole::PanelTitle: return {13, 20, QFont::DemiBold, 0};
    case TextRole::HeaderFigure: return {15, 18, QFont::DemiBold, 0};
    case TextRole::Headline: return {20, 24, QFont::DemiBold, -0.2};
    case TextRole::InspectorFigure: return {24, 28, QFont::DemiBold, -0.5};
    case TextRole::Mono: return {11, 16, QFont::Normal, 0};
    }
    return {12, 16, QFont::Normal, 0};
}

constexpr int kSmallest = 11;
constexpr double kDesignPx = 12;

double scaleOf(const QFont &base)
{
    const int px = base.pixelSize() > 0 ? base.pixelSize() : QFontInfo(base).pixelSize();
    return std::clamp(px / kDesignPx, 0.75, 3.0);
}

bool isInstalled(const QString &family)
{
    return QFontDatabase::families().contains(family);
}

QString monoFamily()
{
    static const QString family = isInstalled(QStringLiteral("JetBrains Mono"))
        ? QStringLiteral("JetBrains Mono")
        : QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
    return family;
}

} // namespace

QFont font(TextRole role)
{
    return font(role, QApplication::font());
}

QFont font(TextRole role, const QFont &base)
{
    const Spec spec = specOf(role);
    QFont result = base;
    if (role == TextRole::Mono)
        result.setFamilies({monoFamily()});
    result.setPixelSize(std::max(kSmallest, static_cast<int>(std::lround(spec.px * scaleOf(base)))));
    result.setWeight(spec.weight);
    if (spec.spacing != 0)
        result.setLetterSpacing(QFont::AbsoluteSpacing, spec.spacing);
    return result;
}

int lineHeight(TextRole role)
{
    return static_cast<int>(std::lround(specOf(role).line * scaleOf(QApplication::font())));
}

QFont bodyFont(const QFont &system)
{
    QFont result = system;
    if (isInstalled(QStringLiteral("Inter")))
        result.setFamilies({QStringLiteral("Inter")});
    result.setPixelSize(std::max(kSmallest, QFontInfo(system).pixelSize()));
    // Hinting would snap stems to whole pixels and make weights 500 and 600 look alike.
    result.setHintingPreference(QFont::PreferNoHinting);
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    result.setFeature(QFont::Tag("tnum"), 1);
#endif
    return result;
}

int figureWidth(const QFont &font, int digits, int extra)
{
    const QFontMetrics metrics(font);
    return digits * metrics.horizontalAdvance(QLatin1Char('0')) + extra * metrics.horizontalAdvance(QLatin1Char('n'));
}

} // namespace plimsoll
