// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/tokens.h"

#include <QPalette>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace plimsoll {

namespace {

QColor c(QRgb rgb)
{
    return QColor(rgb);
}

Tokens makeLight()
{
    Tokens t;
    t.isDark = false;
    t.window = c(0xeceef1);
    t.rail = c(0xf4f5f7);
    t.panel = c(0xffffff);
    t.sunken = c(0xf5f6f8);
    t.raised = c(0xffffff);
    t.button = c(0xffffff);
    t.hover = c(0xeef1f4);
    t.sel = c(0xdbe9f9);
    t.track = c(0xeff1f4);
    t.grid = c(0xedf0f2);
    t.line = c(0xdde1e6);
    t.line2 = c(0xbfc6ce);
    t.line3 = c(0x858f99);
    t.text = c(0x171b20);
    t.text2 = c(0x4d5761);
    t.text3 = c(0x626c77);
    t.accent = c(0x1765c1);
    t.onAccent = c(0xffffff);
    t.rec = c(0x7448b3);
    t.page = c(0x591601);
    t.warn = c(0xd87c23);
    t.fine = c(0x047d88);
    t.onPage = c(0xffffff);
    t.series = {c(0x023c65), c(0xc17504), c(0x0ca788), c(0xa853bb), c(0xad3b4b), c(0x364401)};
    // As text on white the two bright ones would fall under 4.5:1.
    t.seriesText = {t.series[0], c(0x8f5603), c(0x077a63), t.series[3], t.series[4], t.series[5]};
    t.load = {c(0xf8f4de), c(0xd2dfb3), c(0xa0cb99), c(0x64b790), c(0x03a090),
              c(0x078189), c(0x04647d), c(0x024771), c(0x14295f)};
    t.difference = {c(0x024b95), c(0x5281bc), c(0x9db6d8), c(0xf0eeeb), c(0xd1ab93), c(0xaf6c3c), c(0x763b02)};
    return t;
}

Tokens makeDark()
{
    Tokens t;
    t.isDark = true;
    t.window = c(0x111317);
    t.rail = c(0x15181c);
    t.panel = c(0x1b1e23);
    t.sunken = c(0x15181c);
    t.raised = c(0x262a31);
    t.button = c(0x262a31);
    t.hover = c(0x252a30);
    t.sel = c(0x1d3350);
    t.track = c(0x24292f);
    t.grid = c(0x252930);
    t.line = c(0x2b3037);
    t.line2 = c(0x454d57);
    t.line3 = c(0x6b7580);
    t.text = c(0xe6e9ec);
    t.text2 = c(0xa9b2bb);
    t.text3 = c(0x848e99);
    t.accent = c(0x6fb0f7);
    t.onAccent = c(0x0b1420);
    t.rec = c(0xb79af0);
    t.page = c(0xff8a80);
    t.warn = c(0xffc46b);
    t.fine = c(0x5fd0a5);
    t.onPage = c(0x2a0d0a);
    t.series = {c(0xabc2ff), c(0xe18e31), c(0x5ee9ce), c(0xb16c9c), c(0xa75140), c(0xd6e698)};
    t.seriesText = {t.series[0], t.series[1], t.series[2], t.text2, t.text2, t.text2};
    t.load = {c(0x1f2d4c), c(0x11466b), c(0x06637a), c(0x007f86), c(0x099d8a),
              c(0x52b784), c(0x94cc7f), c(0xcfdd86), c(0xffefb3)};
    t.difference = {c(0x85baff), c(0x5989c5), c(0x435a78), c(0x2f2e2b), c(0x72513a), c(0xb77445), c(0xfe9c53)};
    return t;
}

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor &colour)
{
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

} // namespace

const Tokens &lightTokens()
{
    static const Tokens tokens = makeLight();
    return tokens;
}

const Tokens &darkTokens()
{
    static const Tokens tokens = makeDark();
    return tokens;
}

const Tokens &tokens(const QPalette &palette)
{
    return palette.color(QPalette::Active, QPalette::Window).lightness() < 128 ? darkTokens() : lightTokens();
}

const Tokens &tokens(const QWidget *widget)
{
    return tokens(widget->palette());
}

QColor mixed(const QColor &bottom, const QColor &top, double share)
{
    const auto s = static_cast<float>(std::clamp(share, 0.0, 1.0));
    return QColor::fromRgbF(bottom.redF() + (top.redF() - bottom.redF()) * s,
                            bottom.greenF() + (top.greenF() - bottom.greenF()) * s,
                            bottom.blueF() + (top.blueF() - bottom.blueF()) * s);
}

QColor withAlpha(QColor colour, double alpha)
{
    colour.setAlphaF(static_cast<float>(std::clamp(alpha, 0.0, 1.0)));
    return colour;
}

double contrast(const QColor &a, const QColor &b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace plimsoll
