// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ingest/endpoint_config.h"

#include <QByteArray>
#include <QObject>
#include <QSettings>
#include <QString>

#include <filesystem>
#include <vector>

namespace plimsoll {

enum class ThemeChoice : int { System, Light, Dark };

/// A key, its type and what holds when nobody chose.
template <class T>
struct SettingKey
{
    const char *name;
    T fallback;
};

/// A number outside of least … most counts as not set.
template <>
struct SettingKey<int>
{
    const char *name;
    int fallback;
    int least;
    int most;
};

/// The one table of what can be set.
namespace setting {
inline const SettingKey<ThemeChoice> kTheme{"appearance/theme", ThemeChoice::System};
inline const SettingKey<bool> kTimesInUtc{"appearance/utc", true};
inline const SettingKey<QString> kStartPage{"general/startPage", QStringLiteral("fleet")};
inline const SettingKey<bool> kEmbeddedAgent{"general/embeddedAgent", true};
inline const SettingKey<int> kKeepRawHours{"history/keepRawHours", 48, 1, 8760};
inline const SettingKey<int> kSizeLimitGiB{"history/sizeLimitGiB", 10, 1, 4096};
inline const SettingKey<QByteArray> kWindowGeometry{"window/geometry", {}};
inline const SettingKey<QByteArray> kWindowLayout{"window/layout", {}};
inline const SettingKey<bool> kRailFolded{"window/railFolded", false};
} // namespace setting

/// Typed settings over one ini file. A value of the wrong type or out of range in
/// the file counts as not set. GUI thread; writing is put off to the event loop.
class Settings : public QObject
{
    Q_OBJECT

public:
    explicit Settings(const std::filesystem::path &file, QObject *parent = nullptr); // empty = the user's own

    [[nodiscard]] bool get(const SettingKey<bool> &key) const;
    [[nodiscard]] int get(const SettingKey<int> &key) const;
    [[nodiscard]] QString get(const SettingKey<QString> &key) const;
    [[nodiscard]] QByteArray get(const SettingKey<QByteArray> &key) const;
    [[nodiscard]] ThemeChoice get(const SettingKey<ThemeChoice> &key) const;

    void set(const SettingKey<bool> &key, bool value);
    void set(const SettingKey<int> &key, int value);
    void set(const SettingKey<QString> &key, const QString &value);
    void set(const SettingKey<QByteArray> &key, const QByteArray &value);
    void set(const SettingKey<ThemeChoice> &key, ThemeChoice value);

    /// Agents that a person added; the embedded one is not among them.
    [[nodiscard]] std::vector<EndpointConfig> endpoints() const;
    void setEndpoints(const std::vector<EndpointConfig> &endpoints);

signals:
    void changed(const QString &name); // of the key; "endpoints" for those

private:
    void store(const char *name, const QVariant &value, bool isFallback);

    mutable QSettings m_file; // reading opens and closes arrays
};

} // namespace plimsoll
