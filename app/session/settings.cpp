// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/settings.h"

#include "session/app_paths.h"

#include <QVariant>

namespace plimsoll {
namespace {

constexpr auto kEndpoints = "endpoints";

QString wordOf(ThemeChoice choice)
{
    switch (choice) {
    case ThemeChoice::Light: return QStringLiteral("light");
    case ThemeChoice::Dark: return QStringLiteral("dark");
    case ThemeChoice::System: break;
    }
    return QStringLiteral("system");
}

QString nameOf(const char *key) { return QString::fromLatin1(key); }

QString fileName(const std::filesystem::path &file)
{
    return QString::fromStdString((file.empty() ? paths::settingsFile() : file).native());
}

} // namespace

Settings::Settings(const std::filesystem::path &file, QObject *parent)
    : QObject(parent), m_file(fileName(file), QSettings::IniFormat)
{
}

bool Settings::get(const SettingKey<bool> &key) const
{
    // QVariant calls every word but "false" and "0" true; a typing error must not switch things on.
    const QString word = m_file.value(nameOf(key.name)).toString().toLower();
    if (word == QLatin1String("true") || word == QLatin1String("1"))
        return true;
    if (word == QLatin1String("false") || word == QLatin1String("0"))
        return false;
    return key.fallback;
}

int Settings::get(const SettingKey<int> &key) const
{
    bool isNumber = false;
    const int value = m_file.value(nameOf(key.name)).toString().toInt(&isNumber);
    return isNumber && value >= key.least && value <= key.most ? value : key.fallback;
}

QString Settings::get(const SettingKey<QString> &key) const
{
    const QString value = m_file.value(nameOf(key.name)).toString();
    return value.isEmpty() ? key.fallback : value;
}

QByteArray Settings::get(const SettingKey<QByteArray> &key) const
{
    const QByteArray value = m_file.value(nameOf(key.name)).toByteArray();
    return value.isEmpty() ? key.fallback : value;
}

ThemeChoice Settings::get(const SettingKey<ThemeChoice> &key) const
{
    const QString word = m_file.value(nameOf(key.name)).toString();
    for (const ThemeChoice choice : {ThemeChoice::System, ThemeChoice::Light, ThemeChoice::Dark}) {
        if (word == wordOf(choice))
            return choice;
    }
    return key.fallback;
}

void Settings::set(const SettingKey<bool> &key, bool value)
{
    if (get(key) != value)
        store(key.name, value, value == key.fallback);
}

void Settings::set(const SettingKey<int> &key, int value)
{
    if (get(key) != value)
        store(key.name, value, value == key.fallback);
}

void Settings::set(const SettingKey<QString> &key, const QString &value)
{
    if (get(key) != value)
        store(key.name, value, value == key.fallback);
}

void Settings::set(const SettingKey<QByteArray> &key, const QByteArray &value)
{
    if (get(key) != value)
        store(key.name, value, value == key.fallback);
}

void Settings::set(const SettingKey<ThemeChoice> &key, ThemeChoice value)
{
    if (get(key) != value)
        store(key.name, wordOf(value), value == key.fallback);
}

void Settings::store(const char *name, const QVariant &value, bool isFallback)
{
    // What is as nobody chose is not written: a later version may choose better.
    if (isFallback)
        m_file.remove(nameOf(name));
    else
        m_file.setValue(nameOf(name), value);
    emit changed(nameOf(name));
}

std::vector<EndpointConfig> Settings::endpoints() const
{
    std::vector<EndpointConfig> endpoints;
    const int count = m_file.beginReadArray(nameOf(kEndpoints));
    for (int i = 0; i < count; ++i) {
        m_file.setArrayIndex(i);
        EndpointConfig endpoint;
        endpoint.name = m_file.value(QStringLiteral("name")).toString().toStdString();
        endpoint.address = m_file.value(QStringLiteral("address")).toString().toStdString();
        if (!endpoint.address.empty())
            endpoints.push_back(std::move(endpoint));
    }
    m_file.endArray();
    return endpoints;
}

void Settings::setEndpoints(const std::vector<EndpointConfig> &endpoints)
{
    std::vector<EndpointConfig> kept;
    for (const EndpointConfig &endpoint : endpoints) {
        if (!endpoint.isEmbedded)
            kept.push_back(endpoint);
    }
    if (kept == this->endpoints())
        return;
    m_file.remove(nameOf(kEndpoints));
    m_file.beginWriteArray(nameOf(kEndpoints), static_cast<int>(kept.size()));
    for (std::size_t i = 0; i < kept.size(); ++i) {
        m_file.setArrayIndex(static_cast<int>(i));
        m_file.setValue(QStringLiteral("name"), QString::fromStdString(kept[i].name));
        m_file.setValue(QStringLiteral("address"), QString::fromStdString(kept[i].address));
    }
    m_file.endArray();
    emit changed(nameOf(kEndpoints));
}

} // namespace plimsoll
