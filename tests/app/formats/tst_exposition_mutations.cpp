// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_map.h"
#include "formats/exposition.h"
#include "formats/exposition_census.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>
#include <string>
#include <vector>

using namespace plimsoll;

namespace {

constexpr int kRoundsABody = 12;
constexpr qint64 kLargestBody = 10'000; // of the captures: the big ones would cost minutes

struct Body
{
    std::string text;
    ExpositionFormat format;
};

// The corpus of the fuzz target, whose first byte says the format, and what captures there are.
std::vector<Body> bodies()
{
    std::vector<Body> out;
    constexpr ExpositionFormat kFormats[]{ExpositionFormat::PrometheusText, ExpositionFormat::OpenMetrics,
                                          ExpositionFormat::Protobuf};
    const QDir corpus(QStringLiteral(PLIMSOLL_SOURCE_DIR "/tests/fuzz/corpus/formats_exposition"));
    for (const auto &name : corpus.entryList(QDir::Files)) {
        QFile file(corpus.filePath(name));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const auto text = file.readAll().toStdString();
        if (!text.empty())
            out.push_back({text.substr(1), kFormats[static_cast<unsigned char>(text[0]) % 3U]});
    }
    const QDir captures(QStringLiteral(PLIMSOLL_SHARED_DATA "/exposition"));
    for (const auto &name : captures.entryList({QStringLiteral("*.prom"), QStringLiteral("*.om"), QStringLiteral("*.pb")}, QDir::Files)) {
        QFile file(captures.filePath(name));
        if (file.size() > kLargestBody || !file.open(QIODevice::ReadOnly))
            continue;
        out.push_back({file.readAll().toStdString(), name.endsWith(QLatin1String(".om")) ? ExpositionFormat::OpenMetrics
                           : name.endsWith(QLatin1String(".pb")) ? ExpositionFormat::Protobuf
                                                                 : ExpositionFormat::PrometheusText});
    }
    return out;
}

class Mutator
{
public:
    explicit Mutator(unsigned seed) : m_random(seed) {}

    [[nodiscard]] std::string mutate(std::string text)
    {
        for (auto left = below(8) + 1; left > 0; --left)
            change(text);
        return text;
    }

private:
    [[nodiscard]] std::size_t below(std::size_t bound) { return bound == 0 ? 0 : m_random() % bound; }

    void change(std::string &text)
    {
        static const std::string kSpecial = "\"\\{}=,# \t\n\r+-.eE_:/<>\xff\xe2\x80\xae@0159aN";
        const auto at = below(text.size() + 1);
        const auto length = std::min(below(64), text.size() - at);
        switch (below(7)) {
        case 0: text.insert(at, 1, kSpecial[below(kSpecial.size())]); break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(below(text.size() + 1), text.substr(at, length)); break; // repeat a piece elsewhere
        case 3: text.resize(at); break;                                            // cut
        case 4:
            if (at < text.size())
                text[at] = static_cast<char>(m_random());
            break;
        case 5: text.insert(at, std::string(below(300), kSpecial[below(kSpecial.size())])); break;
        default:
            if (at < text.size())
                text[at] = kSpecial[below(kSpecial.size())];
        }
    }

    std::mt19937 m_random;
};

// What holds for any body at all.
void check(const Body &body)
{
    const auto exposition = parseExposition(body.text, body.format);
    if (!exposition) {
        QVERIFY(!exposition.error().detail.empty());
        return;
    }
    QVERIFY(exposition->skippedCount >= exposition->skipped.size());
    for (const auto &sample : exposition->samples) {
        QVERIFY(sample.family < exposition->families.size());
        QVERIFY(!sample.name.empty());
    }
    const auto census = countExposition(body.text, body.format, *exposition);
    QCOMPARE(census.samples, exposition->samples.size());
    QCOMPARE(census.duplicateSeries + census.distinctSeries, census.samples);
    const auto mapped = mapExposition(*exposition, {"http://x/metrics", "x", std::chrono::seconds(1)});
    std::vector<SeriesKey> keys;
    for (const auto &sample : mapped.samples) {
        keys.push_back(sample.info.key);
        QVERIFY(!sample.info.group.empty() && !sample.info.source.name.empty());
    }
    std::sort(keys.begin(), keys.end());
    QVERIFY(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
}

} // namespace

class MutationsTest : public QObject
{
    Q_OBJECT

private slots:
    void anyMutationIsReadOrRefused();
    void everyCutIsReadOrRefused();
    void timeGrowsWithTheBody();
};

void MutationsTest::anyMutationIsReadOrRefused()
{
    const auto seed = std::random_device()();
    qInfo("seed %u", seed);
    Mutator mutator(seed);
    const auto all = bodies();
    QVERIFY(all.size() >= 15);
    for (const auto &body : all) {
        for (int round = 0; round < kRoundsABody; ++round) {
            check({mutator.mutate(body.text), body.format});
            if (QTest::currentTestFailed())
                return;
        }
    }
}

void MutationsTest::everyCutIsReadOrRefused()
{
    for (const auto &body : bodies()) {
        const auto step = std::max<std::size_t>(1, body.text.size() / 40);
        for (std::size_t length = 0; length < body.text.size(); length += step) {
            check({body.text.substr(0, length), body.format});
            if (QTest::currentTestFailed())
                return;
        }
    }
}

// Eight times the body may not take anything like 64 times the time.
void MutationsTest::timeGrowsWithTheBody()
{
    const auto secondsFor = [](const std::string &piece, std::size_t count) {
        std::string body;
        for (std::size_t i = 0; i < count; ++i)
            body += piece;
        double best = 1e9;
        for (int round = 0; round < 3; ++round) {
            const auto begin = std::clock(); // of this process: other work on the machine does not count
            const auto exposition = parseExposition(body, ExpositionFormat::PrometheusText);
            if (exposition)
                (void)mapExposition(*exposition, {"http://x", "x", {}});
            best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
        }
        return best;
    };
    const std::vector<std::string> pieces{"m{a=\"b\"} 1\n", "# HELP m x\n", "m{a=\"" + std::string(200, '\\') + "\"} 1\n", "{\n",
                                          "\"", "m{a=\"", "#"};
    for (const auto &piece : pieces) {
        const auto small = secondsFor(piece, 1'000);
        const auto large = secondsFor(piece, 8'000);
        QVERIFY2(large < std::max(small, 0.002) * 32, piece.c_str());
    }
}

QTEST_APPLESS_MAIN(MutationsTest)
#include "tst_exposition_mutations.moc"
