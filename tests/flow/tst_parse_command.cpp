// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace {

struct Outcome
{
    int status = -1;
    QByteArray out;
    QByteArray err;

    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

Outcome run(const QStringList &arguments, const QByteArray &input = {})
{
    QProcess process;
    process.start(QStringLiteral(PLIMSOLL_BINARY_DIR "/plimsoll-agent"), QStringList{QStringLiteral("parse")} + arguments);
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(60'000) || process.exitStatus() != QProcess::NormalExit)
        return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

Outcome parseText(const QByteArray &body, const QString &format = QStringLiteral("text"))
{
    return run({QStringLiteral("-"), QStringLiteral("--json"), QStringLiteral("--format"), format}, body);
}

QString capturesPath() { return QStringLiteral(PLIMSOLL_SHARED_DATA "/exposition"); }

QJsonObject expectations()
{
    QFile file(capturesPath() + QStringLiteral("/expected.json"));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
}

} // namespace

// `plimsoll-agent parse`, the real program.
class ParseCommandTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void printsWhatABodyBecame();
    void printsATable();
    void writesNumbersThatJsonLacksAsText();
    void guessesTheFormat();
    void refusesBadInput_data();
    void refusesBadInput();
    void captures_data();
    void captures();
};

void ParseCommandTest::initTestCase()
{
    QVERIFY(QFile::exists(QStringLiteral(PLIMSOLL_BINARY_DIR "/plimsoll-agent")));
}

void ParseCommandTest::printsWhatABodyBecame()
{
    const auto outcome = parseText("# TYPE DCGM_FI_DEV_FB_USED gauge\n"
                                   "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"h\"} 4845 1500\n"
                                   "DCGM_FI_DEV_NAME{gpu=\"0\"} Tesla T4\n# TYPE own counter\nown 3\n");
    QCOMPARE(outcome.status, 0);
    QVERIFY(outcome.err.isEmpty());
    const auto json = outcome.json();
    QCOMPARE(json.value(QLatin1String("families")).toInt(), 2);
    QCOMPARE(json.value(QLatin1String("samples")).toInt(), 2);
    QCOMPARE(json.value(QLatin1String("with_timestamp")).toInt(), 1);
    QCOMPARE(json.value(QLatin1String("accepted")).toBool(true), false);
    const auto skipped = json.value(QLatin1String("skipped")).toArray();
    QCOMPARE(skipped.size(), 1);
    QCOMPARE(skipped[0].toObject().value(QLatin1String("line")).toInt(), 3);
    QVERIFY(!skipped[0].toObject().value(QLatin1String("reason")).toString().isEmpty());
    const auto canonical = json.value(QLatin1String("canonical")).toArray();
    QCOMPARE(canonical.size(), 2);
    const QJsonObject used{{QStringLiteral("metric"), QStringLiteral("hw.gpu.memory.usage")},
                           {QStringLiteral("labels"),
                            QJsonObject{{QStringLiteral("gpu.index"), QStringLiteral("0")},
                                        {QStringLiteral("host.name"), QStringLiteral("h")},
                                        {QStringLiteral("hw.id"), QStringLiteral("GPU-a")}}},
                           {QStringLiteral("value"), 5080350720.0},
                           {QStringLiteral("unit"), QStringLiteral("By")},
                           {QStringLiteral("kind"), QStringLiteral("gauge")},
                           {QStringLiteral("timestamp"), 1.5},
                           {QStringLiteral("mapped"), true},
                           {QStringLiteral("source"),
                            QJsonObject{{QStringLiteral("name"), QStringLiteral("DCGM_FI_DEV_FB_USED")},
                                        {QStringLiteral("unit"), QStringLiteral("MiB")},
                                        {QStringLiteral("factor"), 1048576.0}}}};
    QCOMPARE(canonical[0].toObject(), used);
    const auto samples = json.value(QLatin1String("sample_list")).toArray();
    QCOMPARE(samples[1].toObject().value(QLatin1String("name")).toString(), QStringLiteral("own_total"));
    QCOMPARE(samples[1].toObject().value(QLatin1String("exposed_name")).toString(), QStringLiteral("own"));
}

void ParseCommandTest::printsATable()
{
    const auto outcome = run({QStringLiteral("-")}, "DCGM_FI_DEV_FB_USED{UUID=\"GPU-a\"} 1024\nevil{l=\"\xe2\x80\xae<b>\x01\"} 1\nbad\n");
    QCOMPARE(outcome.status, 0);
    QVERIFY(outcome.out.contains("1.00 GiB   from DCGM_FI_DEV_FB_USED, MiB × 1048576"));
    QVERIFY(outcome.out.contains("line 3: no value"));
    QVERIFY(!outcome.out.contains("\xe2\x80\xae") && !outcome.out.contains('\x01'));
}

void ParseCommandTest::writesNumbersThatJsonLacksAsText()
{
    const auto checks = parseText("a +Inf\nb -Inf\nc NaN\n").json().value(QLatin1String("spot_checks")).toArray();
    QCOMPARE(checks.size(), 3);
    const char *expected[]{"+Inf", "-Inf", "NaN"};
    for (int i = 0; i < 3; ++i)
        QCOMPARE(checks[i].toObject().value(QLatin1String("value")).toString(), QLatin1String(expected[i]));
    QVERIFY(checks[0].toObject().value(QLatin1String("timestamp")).isNull());
}

void ParseCommandTest::guessesTheFormat()
{
    QTemporaryDir folder;
    QVERIFY(folder.isValid());
    const auto formatOf = [&](const QString &name, const QByteArray &body) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(body) != body.size())
            return QString();
        file.close();
        return run({file.fileName(), QStringLiteral("--json")}).json().value(QLatin1String("format")).toString();
    };
    const QByteArray proto("\x12\x0a\x04lamp\x18\x01\x22\x08\x12\x06\x09\x00\x00\x00\x00\x00", 17);
    QCOMPARE(formatOf(QStringLiteral("a.prom"), "a 1\n# EOF\n"), QStringLiteral("text"));
    QCOMPARE(formatOf(QStringLiteral("a.om"), "a 1\n# EOF\n"), QStringLiteral("openmetrics"));
    QCOMPARE(formatOf(QStringLiteral("body"), "a 1\n# EOF\n"), QStringLiteral("openmetrics"));
    QCOMPARE(formatOf(QStringLiteral("body"), "a 1\n"), QStringLiteral("text"));
    const QByteArray whole = QByteArray("\x15\x0a\x04lamp\x18\x01\x22\x0b\x12\x09\x09", 14) + QByteArray(8, '\0');
    QCOMPARE(formatOf(QStringLiteral("body"), whole), QStringLiteral("protobuf"));
    QCOMPARE(formatOf(QStringLiteral("a.pb"), whole), QStringLiteral("protobuf"));
    QCOMPARE(formatOf(QStringLiteral("cut.pb"), proto), QString());
}

void ParseCommandTest::refusesBadInput_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QString>("format");
    QTest::addColumn<QByteArray>("sentence");
    const auto text = QStringLiteral("text");
    QTest::newRow("html") << QByteArray("<html>502</html>") << text << QByteArray("HTML");
    QTest::newRow("no metrics") << QByteArray("404 page not found\n") << text << QByteArray("line 1");
    QTest::newRow("OpenMetrics without its end") << QByteArray("a 1\n") << QStringLiteral("openmetrics") << QByteArray("line 2");
    QTest::newRow("cut protobuf") << QByteArray("\x7f\x0a") << QStringLiteral("protobuf") << QByteArray("offset 0");
    QTest::newRow("unknown format") << QByteArray("a 1\n") << QStringLiteral("xml") << QByteArray("unknown format");
}

void ParseCommandTest::refusesBadInput()
{
    QFETCH(QByteArray, body);
    QFETCH(QString, format);
    QFETCH(QByteArray, sentence);
    const auto outcome = parseText(body, format);
    QCOMPARE(outcome.status, 2);
    QVERIFY(outcome.out.isEmpty());
    QVERIFY2(outcome.err.contains(sentence), outcome.err.constData());
    const auto missing = run({QStringLiteral("/nowhere/at/all.prom")});
    QCOMPARE(missing.status, 2);
    QVERIFY(missing.err.contains("/nowhere/at/all.prom"));
    QCOMPARE(run({QStringLiteral("/")}).status, 2); // a folder
}

void ParseCommandTest::captures_data()
{
    QTest::addColumn<QJsonObject>("expected");
    const auto all = expectations();
    if (all.isEmpty())
        QSKIP("The shared captures are not on this machine.");
    for (auto at = all.begin(); at != all.end(); ++at) {
        if (at.value().toObject().contains(QLatin1String("families")))
            QTest::newRow(qPrintable(at.key())) << at.value().toObject();
    }
}

// Key by key as the figures beside the captures have them.
void ParseCommandTest::captures()
{
    QFETCH(QJsonObject, expected);
    const auto name = QString::fromUtf8(QTest::currentDataTag());
    const auto outcome = run({capturesPath() + QLatin1Char('/') + name, QStringLiteral("--json")});
    QVERIFY2(outcome.status == 0, outcome.err.constData());
    const auto json = outcome.json();
    for (const char *key : {"families", "families_by_type", "samples", "samples_by_type", "distinct_sample_names", "distinct_series",
                            "duplicate_series", "with_timestamp", "with_exemplar", "spot_checks", "metrics", "first_family", "last_family"}) {
        if (expected.contains(QLatin1String(key)))
            QCOMPARE(json.value(QLatin1String(key)), expected.value(QLatin1String(key)));
    }
}

QTEST_GUILESS_MAIN(ParseCommandTest)
#include "tst_parse_command.moc"
