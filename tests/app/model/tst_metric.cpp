// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/metric.h"

#include <QTest>

#include <algorithm>
#include <string>

using namespace plimsoll;

class MetricTest : public QObject
{
    Q_OBJECT

private slots:
    void catalogueIsSorted();
    void everyEntryIsFoundByItsName();
    void unknownNamesAreNotFound();
    void namesAreCanonical();
    void constantsAreInTheCatalogue();
};

void MetricTest::catalogueIsSorted()
{
    const auto catalogue = metricCatalogue();
    QVERIFY(catalogue.size() > 50);
    for (std::size_t i = 1; i < catalogue.size(); ++i)
        QVERIFY2(catalogue[i - 1].name < catalogue[i].name, std::string(catalogue[i].name).c_str());
}

void MetricTest::everyEntryIsFoundByItsName()
{
    for (const auto &metric : metricCatalogue())
        QCOMPARE(findMetric(metric.name), &metric);
}

void MetricTest::unknownNamesAreNotFound()
{
    QCOMPARE(findMetric(""), nullptr);
    QCOMPARE(findMetric("aaa"), nullptr);
    QCOMPARE(findMetric("zzz"), nullptr);
    QCOMPARE(findMetric("hw.gpu.memory"), nullptr);
}

// Dotted lower case, the unit apart from the name, a title for people.
void MetricTest::namesAreCanonical()
{
    for (const auto &metric : metricCatalogue()) {
        const std::string name(metric.name);
        QVERIFY2(std::all_of(name.begin(), name.end(),
                             [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_'; }),
                 name.c_str());
        QVERIFY2(name.find('.') != std::string::npos, name.c_str());
        for (const std::string_view suffix : {"_bytes", "_seconds", "_total"})
            QVERIFY2(!name.ends_with(suffix), name.c_str());
        QVERIFY2(!metric.unit.empty() && !metric.title.empty(), name.c_str());
        QVERIFY2(metric.kind != MetricKind::Unknown, name.c_str());
    }
}

void MetricTest::constantsAreInTheCatalogue()
{
    for (const auto name :
         {metric::kHostLimit, metric::kHostAvailable, metric::kHostUsage, metric::kHostPagingLimit, metric::kHostPagingUsage,
          metric::kHostPagingOperations, metric::kHostPagingFaults, metric::kHostOomKills, metric::kPressureSome,
          metric::kPressureFull, metric::kProcessRss, metric::kProcessPss, metric::kProcessSwap, metric::kProcessGpu,
          metric::kJobRss, metric::kJobPss, metric::kJobSwap, metric::kJobProcesses, metric::kContainerUsage,
          metric::kContainerWorkingSet, metric::kContainerRss, metric::kContainerPeak, metric::kContainerLimit,
          metric::kContainerSwap, metric::kContainerLimitHits, metric::kContainerOomKills, metric::kGpuLimit,
          metric::kGpuUsage, metric::kGpuReserved, metric::kGpuFree, metric::kGpuUtilization, metric::kTorchReserved,
          metric::kTorchAllocated, metric::kStepPeak, metric::kAgentRss, metric::kAgentCpu})
        QVERIFY2(findMetric(name) != nullptr, std::string(name).c_str());
}

QTEST_APPLESS_MAIN(MetricTest)
#include "tst_metric.moc"
