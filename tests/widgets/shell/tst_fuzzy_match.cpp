// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/fuzzy_match.h"

#include <QElapsedTimer>
#include <QTest>

#include <random>

using namespace plimsoll;

class TestFuzzyMatch : public QObject
{
    Q_OBJECT

private slots:
    void finds_data();
    void finds();
    void prefers_data();
    void prefers();
    void positionsAreTrue();
    void isQuick();
};

void TestFuzzyMatch::finds_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QList<int>>("positions");
    QTest::addColumn<bool>("isFound");
    QTest::newRow("prefix") << "rag" << "rag-ft-0412" << QList<int>{0, 1, 2} << true;
    QTest::newRow("case") << "RAG" << "rag-ft" << QList<int>{0, 1, 2} << true;
    QTest::newRow("initials") << "rf" << "rag-ft" << QList<int>{0, 4} << true;
    QTest::newRow("camel") << "sp" << "StepPeak" << QList<int>{0, 4} << true;
    QTest::newRow("word begin before middle") << "s" << "rank5 snapshot" << QList<int>{6} << true;
    QTest::newRow("space between") << "cap snap" << "Capture snapshot" << QList<int>{0, 1, 2, 8, 9, 10, 11} << true;
    QTest::newRow("accents") << "uber" << QString::fromUtf8("Übersicht") << QList<int>{0, 1, 2, 3} << true;
    QTest::newRow("run before scatter") << "abc" << "a-b-c abc" << QList<int>{} << true;
    QTest::newRow("order matters") << "gar" << "rag" << QList<int>{} << false;
    QTest::newRow("longer than the text") << "ragged" << "rag" << QList<int>{} << false;
    QTest::newRow("empty query") << "" << "rag" << QList<int>{} << true;
    QTest::newRow("empty text") << "a" << "" << QList<int>{} << false;
}

void TestFuzzyMatch::finds()
{
    QFETCH(QString, query);
    QFETCH(QString, text);
    QFETCH(QList<int>, positions);
    QFETCH(bool, isFound);
    const auto match = fuzzyMatch(query, text);
    QCOMPARE(match.has_value(), isFound);
    if (isFound && !positions.isEmpty())
        QCOMPARE(QList<int>(match->positions.begin(), match->positions.end()), positions);
}

void TestFuzzyMatch::prefers_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("better");
    QTest::addColumn<QString>("worse");
    QTest::newRow("begin of text") << "rag" << "rag-ft-0412" << "snapshot of rag-ft";
    QTest::newRow("run") << "node" << "node-17" << "new old deed";
    QTest::newRow("begins of words") << "gf" << "Go to Fleet" << "logfile";
    QTest::newRow("much shorter") << "job" << "job" << "job with a name that goes on and on";
}

void TestFuzzyMatch::prefers()
{
    QFETCH(QString, query);
    QFETCH(QString, better);
    QFETCH(QString, worse);
    const auto first = fuzzyMatch(query, better);
    QVERIFY(first.has_value());
    const auto second = fuzzyMatch(query, worse);
    QVERIFY(!second.has_value() || first->score > second->score);
}

void TestFuzzyMatch::positionsAreTrue()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> letter('a', 'e');
    const auto word = [&](int length) {
        QString text;
        for (int i = 0; i < length; ++i)
            text += letter(random) == 'e' && i % 3 == 0 ? QLatin1Char('-') : QLatin1Char(char(letter(random)));
        return text;
    };
    const auto isSubsequence = [](QString query, const QString &text) {
        query.remove(QLatin1Char(' '));
        qsizetype at = 0;
        for (const QChar c : text)
            at += at < query.size() && query.at(at) == c;
        return at == query.size();
    };
    for (int round = 0; round < 5000; ++round) {
        const QString query = word(1 + round % 5);
        const QString text = word(1 + round % 19);
        const auto match = fuzzyMatch(query, text);
        QCOMPARE(match.has_value(), isSubsequence(query, text));
        if (!match)
            continue;
        QCOMPARE(qsizetype(match->positions.size()), query.size());
        for (std::size_t i = 0; i < match->positions.size(); ++i) {
            QCOMPARE(text.at(match->positions[i]), query.at(qsizetype(i)));
            if (i > 0)
                QVERIFY(match->positions[i] > match->positions[i - 1]);
        }
    }
}

void TestFuzzyMatch::isQuick()
{
    // A key in the palette over 5,000 names: well under the time between two keys.
    QElapsedTimer timer;
    timer.start();
    int found = 0;
    for (int i = 0; i < 5000; ++i)
        found += fuzzyMatch(QStringLiteral("n17g3"), QStringLiteral("node-%1/gpu%2 rag-ft").arg(i).arg(i % 8)).has_value();
    QVERIFY(found > 0);
    qInfo("5,000 names in %lld ms", timer.elapsed());
    QVERIFY(timer.elapsed() < 2000);
    // Text without end is looked at only as far as 256 characters.
    QVERIFY(!fuzzyMatch(QStringLiteral("b"), QString(100'000, QLatin1Char('a')) + QLatin1Char('b')).has_value());
}

QTEST_GUILESS_MAIN(TestFuzzyMatch)
#include "tst_fuzzy_match.moc"
