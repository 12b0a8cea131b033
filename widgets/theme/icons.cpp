// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/icons.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/tokens.h"

#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <array>
#include <cmath>

namespace plimsoll {

namespace {

constexpr std::array kNames{
    "fleet", "jobs", "endpoints", "snapshots", "cost", "preflight", "alerts", "sessions", "connections", "settings",
    "chevron-left", "chevron-right", "chevron-down", "home", "search", "close", "plus", "check", "menu", "flag", "camera",
    "pin", "pause", "maximise", "more", "file", "lock", "retry", "copy", "link", "info", "up", "down", "play", "warning",
    "brand",
};
static_assert(kNames.size() == static_cast<std::size_t>(Icon::Brand) + 1);

QPixmap rendered(Icon icon, const QColor &colour, int devicePx)
{
    const QString name = QLatin1String(kNames[static_cast<std::size_t>(icon)]);
    QPixmap pixmap(devicePx, devicePx);
    pixmap.fill(Qt::transparent);
    QSvgRenderer renderer(QStringLiteral(":/plimsoll/icons/%1.svg").arg(name));
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    renderer.render(&painter, QRectF(0, 0, devicePx, devicePx));
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(pixmap.rect(), colour);
    return pixmap;
}

/// Renders on demand, so that one icon serves every size and screen.
class TintedEngine final : public QIconEngine
{
public:
    TintedEngine(Icon icon, QColor normal, QColor disabled)
        : m_icon(icon)
        , m_normal(std::move(normal))
        , m_disabled(std::move(disabled))
    {
    }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State /*state*/) override
    {
        paintIcon(*painter, rect, m_icon, colour(mode));
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State /*state*/) override
    {
        // Here size is in device px already; scaledPixmap sets the ratio.
        return iconPixmap(m_icon, colour(mode), std::min(size.width(), size.height()), 1.0);
    }

    QIconEngine *clone() const override { return new TintedEngine(*this); }

private:
    QColor colour(QIcon::Mode mode) const { return mode == QIcon::Disabled ? m_disabled : m_normal; }

    Icon m_icon;
    QColor m_normal;
    QColor m_disabled;
};

} // namespace

QIcon icon(Icon icon, const QPalette &palette)
{
    return QIcon(new TintedEngine(icon, palette.color(QPalette::Active, QPalette::ButtonText),
                                  palette.color(QPalette::Disabled, QPalette::ButtonText)));
}

QIcon icon(Icon icon, const QColor &colour)
{
    return QIcon(new TintedEngine(icon, colour, colour));
}

QPixmap iconPixmap(Icon icon, const QColor &colour, int size, qreal devicePixelRatio)
{
    const int devicePx = static_cast<int>(std::lround(size * devicePixelRatio));
    const QString key = QStringLiteral("plimsoll/%1/%2/%3")
                            .arg(static_cast<int>(icon))
                            .arg(colour.rgba(), 0, 16)
                            .arg(devicePx);
    QPixmap pixmap;
    if (!QPixmapCache::find(key, &pixmap)) {
        pixmap = rendered(icon, colour, devicePx);
        QPixmapCache::insert(key, pixmap);
    }
    pixmap.setDevicePixelRatio(devicePixelRatio);
    return pixmap;
}

void paintIcon(QPainter &painter, const QRectF &box, Icon icon, const QColor &colour)
{
    const int size = static_cast<int>(std::min(box.width(), box.height()));
    const QPointF corner(box.center().x() - size / 2.0, box.center().y() - size / 2.0);
    const QPointF at = draw::aligned(painter, QRectF(corner, QSizeF(size, size))).topLeft();
    painter.drawPixmap(at, iconPixmap(icon, colour, size, draw::scale(painter)));
}

} // namespace plimsoll
