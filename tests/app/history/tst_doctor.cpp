// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/history/self.h"
#include "app/history/support_history.h"
#include "support/small_disk.h"

#include "history/schema.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <fstream>
#include <random>
#include <sys/stat.h>

using namespace plimsoll;
using namespace plimsoll::historytest;
using namespace std::chrono_literals;
using Health = HistoryState::Health;

namespace {

double one(int, std::size_t) { return 1.0; }

void fill(Scene &scene)
{
    const auto history = scene.open();
    Feeder feeder("host", {"a", "b"});
    Feeder::post(*history, feeder.rows(scene.begin, 5000, [](int row, std::size_t) { return double(row) / 7; }));
}

QStringList filesOf(const Scene &scene) { return QDir(scene.folder.path()).entryList(QDir::Files, QDir::Name); }

} // namespace

/// Files as nobody wants them: each has a state and a sentence, and none is ever deleted.
class TestDoctor : public QObject
{
    Q_OBJECT

private slots:
    void setsAsideWhatIsDamaged_data();
    void setsAsideWhatIsDamaged();
    void setsAsideWhileRunning();
    void survivesFlippedBlobs();
    void refusesWhatIsNewer();
    void refusesWhatIsAnothers();
    void oneWriterOnly();
    void lockedByAnotherProgram();
    void readOnlyFile();
    void readOnlyFolder();
    void recordingsAreNotTouched();
    void diskFull();
    void migratesStepByStep();
    void odd_data();
    void odd();
};

void TestDoctor::setsAsideWhatIsDamaged_data()
{
    QTest::addColumn<QString>("how");
    QTest::newRow("random bytes") << QStringLiteral("garbage");
    QTest::newRow("cut in the middle") << QStringLiteral("cut");
    QTest::newRow("only a header") << QStringLiteral("header");
    QTest::newRow("pages of noise") << QStringLiteral("pages");
    QTest::newRow("a text file") << QStringLiteral("text");
}

void TestDoctor::setsAsideWhatIsDamaged()
{
    QFETCH(QString, how);
    Scene scene;
    fill(scene);
    const auto path = QString::fromStdString(scene.options.file.string());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    std::mt19937 random(5);
    const auto noise = [&](qint64 from, qint64 length) {
        file.seek(from);
        for (qint64 i = 0; i < length; ++i)
            file.putChar(static_cast<char>(random()));
    };
    if (how == u"garbage")
        noise(0, file.size());
    else if (how == u"cut")
        file.resize(file.size() / 2);
    else if (how == u"header")
        file.resize(100);
    else if (how == u"pages")
        noise(8192, file.size() / 2);
    else
        file.resize(0), file.write(QByteArray(5000, 'x'));
    file.close();
    const auto size = QFileInfo(path).size();

    const auto history = scene.open();
    QVERIFY(history);
    QVERIFY(history->state().health == Health::SetAside);
    const auto asides = filesOf(scene).filter(QStringLiteral(".damaged-"));
    QVERIFY(!asides.isEmpty());
    QVERIFY(asides[0].startsWith(QStringLiteral("history.plim.damaged-20251124T")));
    QCOMPARE(QFileInfo(scene.folder.filePath(asides[0])).size(), size);
    QVERIFY(history->state().detail.find(asides[0].toStdString()) != std::string::npos);
    QVERIFY(history->latest().empty());
    Feeder feeder("host", {"a"});
    Feeder::post(*history, feeder.rows(scene.begin, 3, one));
    history->flush();
    QCOMPARE(history->state().samples, 3U);
    QCOMPARE(scene.question("PRAGMA integrity_check"), "ok");
}

void TestDoctor::setsAsideWhileRunning()
{
    Scene scene;
    fill(scene);
    auto history = scene.open();
    Feeder feeder("host", {"a", "b"});
    feeder.sequence = 2;
    Feeder::post(*history, feeder.rows(scene.begin + 5000s, 10, one));
    history->flush();
    {
        // Somebody writes into the file: what is read of it next makes no sense.
        SQLite::Database other(scene.options.file.string(), SQLite::OPEN_READWRITE, 5000);
        other.exec("PRAGMA writable_schema=ON");
        other.exec("UPDATE sqlite_schema SET sql='CREATE TABLE tail(broken' WHERE name='tail'");
        other.exec("PRAGMA schema_version=4711"); // so that it is read again
    }
    Feeder::post(*history, feeder.rows(scene.begin + 5010s, 10, one));
    for (int i = 0; i < 3; ++i)
        history->flush();
    QVERIFY2(history->state().health == Health::SetAside, history->state().detail.c_str());
    // The new file begins with what was in memory.
    const auto slices = history->slice(std::vector{history->latest()[0].id}, {scene.begin + 4990s, scene.begin + 5020s}, 1000, {});
    QVERIFY2(slices, slices ? "" : slices.error().detail.c_str());
    QVERIFY(slices->front().buckets.size() >= 20);
    history.reset();
    history = scene.open();
    QVERIFY(history->state().health == Health::Fine);
    QCOMPARE(history->resumePoint("host").nextSequence, 4U);
    QCOMPARE(history->latest().size(), 2U);
    QCOMPARE(scene.question("PRAGMA integrity_check"), "ok");
}

// Blobs that only their own sum tells: the question fails with a word, the program goes on.
void TestDoctor::survivesFlippedBlobs()
{
    Scene scene;
    fill(scene);
    {
        SQLite::Database other(scene.options.file.string(), SQLite::OPEN_READWRITE, 5000);
        other.exec("UPDATE chunk SET data = CAST(substr(data, 1, 40) || x'5a5a5a' || substr(data, 44) AS BLOB)");
        other.exec("UPDATE tail SET data = CAST(substr(data, 1, 40) || x'5a5a5a' || substr(data, 44) AS BLOB)");
    }
    const auto history = scene.open();
    QVERIFY(history);
    QVERIFY(history->state().detail.find("damaged rows") != std::string::npos);
    const std::vector ids{history->latest()[0].id};
    const auto slices = history->slice(ids, {scene.begin, scene.begin + 1h}, 10'000, {});
    QVERIFY(!slices);
    QVERIFY(slices.error().code == Error::Code::Corrupt);
    // A late row makes the chunk anew; the unreadable one is kept.
    Feeder feeder("host", {"a", "b"});
    feeder.sequence = 2;
    Feeder::post(*history, feeder.rows(scene.begin + 100s, 5, one));
    history->flush();
    scene.clock.pass(40s);
    history->flush();
    QCOMPARE(scene.question("SELECT count(*) FROM damaged"), "1");
    const auto again = history->slice(ids, {scene.begin + 100s, scene.begin + 105s}, 100, {});
    QVERIFY(again);
    QCOMPARE(again->front().buckets.size(), 5U);
}

void TestDoctor::refusesWhatIsNewer()
{
    Scene scene;
    fill(scene);
    (void)scene.question("PRAGMA user_version=99");
    const auto before = filesOf(scene);
    const auto history = scene.tryOpen();
    QVERIFY(!history);
    QVERIFY(history.error().code == Error::Code::Unsupported);
    QVERIFY(history.error().detail.find("99") != std::string::npos);
    QCOMPARE(scene.question("SELECT count(*) FROM series"), "2");
    QCOMPARE(filesOf(scene), before);
}

void TestDoctor::refusesWhatIsAnothers()
{
    Scene scene;
    {
        SQLite::Database other(scene.options.file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        other.exec("CREATE TABLE bookmarks(url TEXT)");
    }
    const auto history = scene.tryOpen();
    QVERIFY(!history);
    QVERIFY(history.error().code == Error::Code::Unsupported);
    QCOMPARE(scene.question("SELECT count(*) FROM bookmarks"), "0");
}

void TestDoctor::oneWriterOnly()
{
    Scene scene;
    auto first = scene.open();
    const auto second = scene.tryOpen();
    QVERIFY(!second);
    QVERIFY(second.error().code == Error::Code::Busy);
    first.reset();
    QVERIFY(scene.tryOpen());
}

void TestDoctor::lockedByAnotherProgram()
{
    Scene scene;
    fill(scene);
    SQLite::Database other(scene.options.file.string(), SQLite::OPEN_READWRITE);
    other.exec("PRAGMA locking_mode=EXCLUSIVE");
    other.exec("BEGIN EXCLUSIVE");
    const auto history = scene.tryOpen();
    QVERIFY(!history);
    QVERIFY(history.error().code == Error::Code::Busy);
    QCOMPARE(filesOf(scene).filter(QStringLiteral("damaged")).size(), 0);
}

namespace {

bool goesOnReadOnly(Scene &scene, std::size_t seriesBefore)
{
    const auto history = scene.open();
    if (!history || history->state().health != Health::ReadOnly || history->state().detail.empty())
        return false;
    if (history->latest().size() != seriesBefore)
        return false;
    Feeder feeder("other", {"x"});
    Feeder::post(*history, feeder.rows(scene.begin, 10, one));
    history->flush();
    const auto latest = history->latest();
    if (latest.size() != seriesBefore + 1)
        return false;
    // What is new is shown from memory, what was there from the file.
    const auto slices = history->slice(std::vector{latest.front().id, latest.back().id}, {scene.begin, scene.begin + 10s}, 100, {});
    return slices && (*slices)[0].buckets.size() == 10 && (*slices)[1].buckets.size() == 10
        && history->state().health == Health::ReadOnly;
}

// Rights do not bind root: the one that asks is nobody.
int asNobody(const Scene &scene, std::size_t seriesBefore)
{
    Self child({"--as-nobody", scene.options.file.string(), std::to_string(seriesBefore)});
    const int status = child.wait();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

int beNobody(const char *file, const char *seriesBefore)
{
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0))
        return 2;
    Scene scene;
    scene.options.file = file;
    return goesOnReadOnly(scene, std::stoul(seriesBefore)) ? 0 : 1;
}

} // namespace

void TestDoctor::readOnlyFile()
{
    Scene scene;
    fill(scene);
    ::chmod(scene.folder.path().toUtf8().constData(), 0777);
    ::chmod(scene.options.file.c_str(), 0444);
    QCOMPARE(asNobody(scene, 2), 0);
    QCOMPARE(scene.question("SELECT count(*) FROM series"), "2");
}

void TestDoctor::readOnlyFolder()
{
    Scene scene;
    fill(scene);
    ::chmod(scene.options.file.c_str(), 0666);
    ::chmod(scene.folder.path().toUtf8().constData(), 0555);
    QCOMPARE(asNobody(scene, 2), 0);
    scene.options.file = scene.options.file.parent_path() / "none_yet.plim";
    QCOMPARE(asNobody(scene, 0), 0);
    ::chmod(scene.folder.path().toUtf8().constData(), 0777);

    const QString path = scene.folder.filePath(QStringLiteral("disk"));
    const test::SmallDisk disk(path.toStdString(), "4m");
    if (!disk.isMounted())
        QSKIP("no right to mount a file system here");
    scene.options.file = path.toStdString() + "/history.plim";
    fill(scene);
    QVERIFY(disk.makeReadOnly());
    QVERIFY(goesOnReadOnly(scene, 2));
}

void TestDoctor::recordingsAreNotTouched()
{
    Scene scene;
    fill(scene);
    scene.options.isReadOnly = true;
    const auto read = [&](const std::filesystem::path &path) {
        std::ifstream in(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const auto before = read(scene.options.file);
    {
        const auto history = scene.open();
        QVERIFY(history);
        QVERIFY(history->state().health == Health::Fine);
        QCOMPARE(history->latest().size(), 2U);
        const auto second = scene.open(); // any number may look
        QVERIFY(second);
        const auto slices = second->slice(std::vector{history->latest()[0].id}, {scene.begin, scene.begin + 5000s}, 10'000, {});
        QVERIFY(slices && slices->front().buckets.size() == 5000);
        Delivery delivery;
        QVERIFY(!history->inbox().tryPost(delivery, 1));
        history->flush();
    }
    QVERIFY(read(scene.options.file) == before);
    // Damaged: told, and left where it is.
    QFile file(QString::fromStdString(scene.options.file.string()));
    QVERIFY(file.open(QIODevice::ReadWrite));
    file.resize(file.size() / 2);
    file.close();
    const auto damaged = scene.tryOpen();
    QVERIFY(!damaged && damaged.error().code == Error::Code::Corrupt);
    scene.options.file += ".none";
    QVERIFY(!scene.tryOpen());
    QCOMPARE(filesOf(scene).filter(QStringLiteral("damaged")).size(), 0);
}

void TestDoctor::diskFull()
{
    Scene scene;
    const QString path = scene.folder.filePath(QStringLiteral("disk"));
    const test::SmallDisk disk(path.toStdString(), "3m");
    if (!disk.isMounted())
        QSKIP("no right to mount a file system here");
    scene.options.file = path.toStdString() + "/history.plim";
    scene.options.inboxBytes = 4U << 20U;
    auto history = scene.open();
    QVERIFY(history);
    std::mt19937_64 random(3);
    std::vector<std::string> names;
    for (int i = 0; i < 100; ++i)
        names.push_back("m" + std::to_string(i));
    Feeder feeder("host", names);
    int rows = 0;
    const auto give = [&](int count) {
        Feeder::post(*history, feeder.rows(scene.begin + std::chrono::seconds(rows), count, [&](int, std::size_t) { return double(random()) / 3; }));
        history->flush();
        rows += count;
    };
    give(100);
    QVERIFY(history->state().health == Health::Fine);
    QFile ballast(path + QStringLiteral("/ballast"));
    QVERIFY(ballast.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
    while (ballast.write(QByteArray(4096, 'x')) == 4096) {}
    for (int i = 0; i < 20 && history->state().health == Health::Fine; ++i)
        give(200);
    QVERIFY2(history->state().health == Health::DiskFull, history->state().detail.c_str());
    QVERIFY(!history->state().detail.empty());
    const auto committed = history->resumePoint("host").nextSequence;
    // Nothing is lost meanwhile: it is in memory and shown from there.
    give(100);
    const std::vector ids{history->latest()[7].id};
    const auto count = [&](History &of) {
        const auto slices = of.slice(ids, {scene.begin, scene.begin + 24h}, 100'000, {});
        return slices ? slices->front().buckets.size() : 0;
    };
    QCOMPARE(count(*history), static_cast<std::size_t>(rows));
    QCOMPARE(history->resumePoint("host").nextSequence, committed); // and is not promised to the agent
    // Memory is bounded, too: then it is counted.
    const int kept = rows;
    for (int i = 0; i < 60 && history->state().dropped == 0; ++i)
        give(500);
    QVERIFY(history->state().dropped > 0);
    QVERIFY(history->state().detail.find("memory for them is full") != std::string::npos);
    QVERIFY(count(*history) > static_cast<std::size_t>(kept));
    const auto held = count(*history);
    // More room than before: it recovers by itself and writes all that it held.
    ballast.close();
    QVERIFY(ballast.remove());
    QVERIFY(::mount(nullptr, path.toUtf8().constData(), nullptr, MS_REMOUNT, "size=64m") == 0);
    QTRY_VERIFY_WITH_TIMEOUT(history->state().health == Health::Fine, 90'000);
    history->flush();
    const auto next = history->resumePoint("host").nextSequence;
    QVERIFY(next > committed);
    give(10); // what comes now is kept again, and the hole before it has a name
    const auto after = history->slice(ids, {scene.begin, scene.begin + std::chrono::seconds(rows)}, 100'000, {});
    QVERIFY(after);
    QCOMPARE(after->front().gaps.size(), 1U);
    QVERIFY(after->front().gaps[0].reason == GapReason::Dropped);
    history.reset();
    history = scene.open();
    QCOMPARE(count(*history), held + 10);
    QCOMPARE(scene.question("PRAGMA integrity_check"), "ok");
    history.reset();
}

void TestDoctor::migratesStepByStep()
{
    // Steps of our own stand for those to come: each runs once, in order, and a failed one leaves no half of itself.
    std::vector<Migration> steps(migrations().begin(), migrations().end());
    for (std::size_t i = 0; i < steps.size(); ++i)
        QCOMPARE(steps[i].to, static_cast<int>(i) + 1);
    Scene scene;
    fill(scene);
    const int newest = steps.back().to;
    steps.push_back({newest + 1, "ALTER TABLE agent ADD COLUMN note TEXT NOT NULL DEFAULT 'x'"});
    steps.push_back({newest + 2, "CREATE TABLE extra(id INTEGER PRIMARY KEY); INSERT INTO extra VALUES (1)"});
    {
        Database database(scene.options.file, Database::Access::Write);
        QVERIFY(migrate(database, steps));
        QVERIFY(migrate(database, steps)); // nothing left to do
        QCOMPARE(database.integer("PRAGMA user_version"), newest + 2);
        QCOMPARE(database.integer("SELECT count(*) FROM extra"), 1);
        QCOMPARE(database.text("SELECT note FROM agent"), std::string("x"));
        steps.push_back({newest + 3, "CREATE TABLE half(id INTEGER); SELECT no_such_function()"});
        try {
            (void)migrate(database, steps);
            QFAIL("it should have thrown");
        } catch (const SQLite::Exception &) {
        }
        QCOMPARE(database.integer("PRAGMA user_version"), newest + 2);
        QCOMPARE(database.integer("SELECT count(*) FROM sqlite_schema WHERE name='half'"), 0);
    }
    QCOMPARE(scene.question("PRAGMA application_id"), std::to_string(kApplicationId));
    QCOMPARE(scene.question("PRAGMA page_size"), "8192");
    QCOMPARE(scene.question("PRAGMA journal_mode"), "wal");
    QCOMPARE(scene.question("PRAGMA auto_vacuum"), "2");
}

void TestDoctor::odd_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("opens");
    QTest::newRow("URI characters") << QStringLiteral("a?b#c%20 d.plim") << true;
    QTest::newRow("not Latin") << QStringLiteral("größe 記録.plim") << true;
    QTest::newRow("a folder") << QStringLiteral("sub") << false;
    QTest::newRow("in a folder yet to be made") << QStringLiteral("x/y/z.plim") << true;
    QTest::newRow("empty file") << QStringLiteral("empty") << true;
}

void TestDoctor::odd()
{
    QFETCH(QString, name);
    QFETCH(bool, opens);
    Scene scene;
    QDir(scene.folder.path()).mkdir(QStringLiteral("sub"));
    QFile empty(scene.folder.filePath(QStringLiteral("empty")));
    QVERIFY(empty.open(QIODevice::WriteOnly));
    empty.close();
    scene.options.file = scene.folder.filePath(name).toStdString();
    const auto history = scene.tryOpen();
    QCOMPARE(history.has_value(), opens);
    if (!opens)
        QVERIFY(history.error().code == Error::Code::Io);
}

int main(int argc, char **argv)
{
    if (argc == 4 && std::string_view(argv[1]) == "--as-nobody")
        return beNobody(argv[2], argv[3]);
    QCoreApplication app(argc, argv);
    TestDoctor test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_doctor.moc"
