// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/palette.h"

#include "widgets/theme/plimsoll_style.h"
#include "widgets/theme/source_plurals.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QApplication>
#include <QStyleHints>
#include <QToolTip>
#include <QVariant>

// A static library's resources are only linked in when somebody names them, and
// the macro must stand outside of every namespace.
static void initResources()
{
    Q_INIT_RESOURCE(plimsoll);
}

namespace plimsoll {

namespace {

constexpr const char *kSystemIsDark = "plimsollSystemIsDark";
constexpr const char *kSystemFont = "plimsollSystemFont";

bool isDarkWanted(const QApplication &application, Theme theme)
{
    if (theme != Theme::System)
        return theme == Theme::Dark;
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    return application.styleHints()->colorScheme() == Qt::ColorScheme::Dark;
#else
    return application.property(kSystemIsDark).toBool();
#endif
}

void rememberSystem(QApplication &application)
{
    if (application.property(kSystemFont).isValid())
        return;
    application.setProperty(kSystemFont, QApplication::font());
    application.setProperty(kSystemIsDark, tokens(QApplication::palette()).isDark);
}

} // namespace

QPalette paletteOf(const Tokens &t)
{
    QPalette p;
    p.setColor(QPalette::Window, t.window);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.panel);
    p.setColor(QPalette::AlternateBase, t.sunken);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::PlaceholderText, t.text3);
    p.setColor(QPalette::Button, t.button);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.onAccent);
    p.setColor(QPalette::ToolTipBase, t.raised);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::Highlight, t.sel);
    p.setColor(QPalette::HighlightedText, t.text);
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::LinkVisited, t.accent);
    p.setColor(QPalette::Light, t.hover);
    p.setColor(QPalette::Midlight, t.hover);
    p.setColor(QPalette::Mid, t.line);
    p.setColor(QPalette::Dark, t.line2);
    p.setColor(QPalette::Shadow, t.line3);
#if QT_VERSION >= QT_VERSION_CHECK(6, 6, 0)
    p.setColor(QPalette::Accent, t.accent);
#endif
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(QPalette::Disabled, role, t.line2);
    return p;
}

void applyTheme(QApplication &application, Theme theme)
{
    initResources();
    rememberSystem(application);
    if (application.findChild<SourcePlurals *>() == nullptr)
        QCoreApplication::installTranslator(new SourcePlurals(&application));

    const Tokens &t = isDarkWanted(application, theme) ? darkTokens() : lightTokens();
    if (qobject_cast<PlimsollStyle *>(QApplication::style()) == nullptr)
        QApplication::setStyle(new PlimsollStyle); // the application owns it
    QApplication::setFont(bodyFont(application.property(kSystemFont).value<QFont>()));
    const QPalette palette = paletteOf(t);
    QApplication::setPalette(palette);
    QToolTip::setPalette(palette);
    QToolTip::setFont(font(TextRole::Body));
}

} // namespace plimsoll
