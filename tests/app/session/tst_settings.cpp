// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/app_paths.h"
#include "session/settings.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace plimsoll;

class TestSettings : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void defaultsHoldInAnEmptyFile();
    void valuesSurvive();
    void endpointsSurvive();
    void wrongValuesCountAsUnset_data();
    void wrongValuesCountAsUnset();
    void onlyChangesAreTold();
    void theDefaultIsNotWritten();
    void placesFollowTheEnvironment();
    void privateFolderIsPrivate();

private:
    [[nodiscard]] std::filesystem::path file() const { return m_folder->filePath(QStringLiteral("a.ini")).toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSettings::defaultsHoldInAnEmptyFile()
{
    const Settings settings(file());
    QCOMPARE(settings.get(setting::kTheme), ThemeChoice::System);
    QCOMPARE(settings.get(setting::kTimesInUtc), true);
    QCOMPARE(settings.get(setting::kStartPage), QStringLiteral("fleet"));
    QCOMPARE(settings.get(setting::kEmbeddedAgent), true);
    QCOMPARE(settings.get(setting::kKeepRawHours), 48);
    QVERIFY(settings.get(setting::kWindowLayout).isEmpty());
    QVERIFY(settings.endpoints().empty());
}

void TestSettings::valuesSurvive()
{
    const QByteArray layout("\0\xff\x01layout", 9);
    {
        Settings settings(file());
        settings.set(setting::kTheme, ThemeChoice::Dark);
        settings.set(setting::kTimesInUtc, false);
        settings.set(setting::kStartPage, QStringLiteral("jobs"));
        settings.set(setting::kKeepRawHours, 72);
        settings.set(setting::kWindowLayout, layout);
    }
    const Settings settings(file());
    QCOMPARE(settings.get(setting::kTheme), ThemeChoice::Dark);
    QCOMPARE(settings.get(setting::kTimesInUtc), false);
    QCOMPARE(settings.get(setting::kStartPage), QStringLiteral("jobs"));
    QCOMPARE(settings.get(setting::kKeepRawHours), 72);
    QCOMPARE(settings.get(setting::kWindowLayout), layout);
}

void TestSettings::endpointsSurvive()
{
    const std::vector<EndpointConfig> endpoints{{"node, 1 = \"best\"", "node-1:7443", false}, {"", "unix:/run/p q/a.sock", false}};
    {
        Settings settings(file());
        auto all = endpoints;
        all.push_back({"this machine", "unix:/tmp/x", true});
        settings.setEndpoints(all);
    }
    {
        Settings settings(file());
        QCOMPARE(settings.endpoints(), endpoints);
        settings.setEndpoints({endpoints[1]});
    }
    QCOMPARE(Settings(file()).endpoints(), (std::vector<EndpointConfig>{endpoints[1]}));
}

void TestSettings::wrongValuesCountAsUnset_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("garbage") << QByteArray("\x00\x01\xfe[[[=\n===", 12);
    QTest::newRow("words for numbers") << QByteArray("[history]\nkeepRawHours=many\n[appearance]\ntheme=pink\nutc=maybe\n");
    QTest::newRow("negative") << QByteArray("[history]\nkeepRawHours=-5\n");
    QTest::newRow("beyond a year") << QByteArray("[history]\nkeepRawHours=8761\n");
    QTest::newRow("too large") << QByteArray("[history]\nkeepRawHours=99999999999999\n");
    QTest::newRow("endpoint without address") << QByteArray("[endpoints]\n1\\name=x\nsize=1\n");
}

void TestSettings::wrongValuesCountAsUnset()
{
    QFETCH(QByteArray, body);
    QFile out(QString::fromStdString(file().native()));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(body);
    out.close();
    const Settings settings(file());
    QCOMPARE(settings.get(setting::kKeepRawHours), 48);
    QCOMPARE(settings.get(setting::kTheme), ThemeChoice::System);
    QCOMPARE(settings.get(setting::kTimesInUtc), true);
    QVERIFY(settings.endpoints().empty());
}

void TestSettings::onlyChangesAreTold()
{
    Settings settings(file());
    QSignalSpy changed(&settings, &Settings::changed);
    settings.set(setting::kTimesInUtc, true);
    QCOMPARE(changed.size(), 0);
    settings.set(setting::kTimesInUtc, false);
    settings.set(setting::kTimesInUtc, false);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed.front().front().toString(), QString::fromLatin1(setting::kTimesInUtc.name));
    settings.setEndpoints({});
    QCOMPARE(changed.size(), 1);
}

void TestSettings::theDefaultIsNotWritten()
{
    {
        Settings settings(file());
        settings.set(setting::kKeepRawHours, 72);
        settings.set(setting::kKeepRawHours, 48);
    }
    QFile in(QString::fromStdString(file().native()));
    if (in.open(QIODevice::ReadOnly))
        QVERIFY(!in.readAll().contains("keepRawHours"));
}

void TestSettings::placesFollowTheEnvironment()
{
    qputenv("XDG_CONFIG_HOME", "/nowhere/config");
    qputenv("XDG_CACHE_HOME", "/nowhere/cache");
    QCOMPARE(paths::settingsFile(), std::filesystem::path("/nowhere/config/plimsoll/plimsoll.ini"));
    QCOMPARE(paths::historyFile(), std::filesystem::path("/nowhere/cache/plimsoll/history.sqlite"));
    qunsetenv("XDG_CONFIG_HOME");
    qunsetenv("XDG_CACHE_HOME");
}

void TestSettings::privateFolderIsPrivate()
{
    const QByteArray before = qgetenv("XDG_RUNTIME_DIR");
    qputenv("XDG_RUNTIME_DIR", m_folder->path().toUtf8());
    const auto inRuntime = paths::makePrivateFolder();
    qputenv("XDG_RUNTIME_DIR", QByteArray("/tmp/") + QByteArray(120, 'x')); // too long for a socket, and not there
    const auto fallback = paths::makePrivateFolder();
    qputenv("XDG_RUNTIME_DIR", before);

    QVERIFY(inRuntime && fallback);
    QCOMPARE(inRuntime->parent_path(), std::filesystem::path(m_folder->path().toStdString()));
    for (const auto &folder : {*inRuntime, *fallback}) {
        struct stat status{};
        QCOMPARE(::stat(folder.c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777U, 0700U);
        QVERIFY((folder / "agent.sock").native().size() < 108);
        std::filesystem::remove(folder);
    }
}

QTEST_GUILESS_MAIN(TestSettings)
#include "tst_settings.moc"
