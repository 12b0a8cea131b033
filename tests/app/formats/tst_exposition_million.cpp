// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition.h"

#include <QTest>

#include <string>

using namespace plimsoll;

// A program of its own, for it takes seconds without optimisation.
class MillionTest : public QObject
{
    Q_OBJECT

private slots:
    void readsAMillionSeriesAndNoMore();
};

void MillionTest::readsAMillionSeriesAndNoMore()
{
    std::string body;
    for (int i = 0; i < 1'000'010; ++i)
        body += "m{i=\"" + std::to_string(i) + "\"} 1\n";
    const auto exposition = parseExposition(body, ExpositionFormat::PrometheusText);
    QVERIFY(exposition.has_value());
    QCOMPARE(exposition->samples.size(), std::size_t{1'000'000});
    QCOMPARE(exposition->families.size(), std::size_t{1});
    QCOMPARE(exposition->duplicateSeries, std::size_t{0});
    QCOMPARE(exposition->skippedCount, std::size_t{1});
    QCOMPARE(exposition->skipped[0].line, std::size_t{1'000'001});
}

QTEST_APPLESS_MAIN(MillionTest)
#include "tst_exposition_million.moc"
