// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet_filter.h"

#include "model/labels.h"

#include <QtTest>

using namespace plimsoll;

namespace {

DeviceState device(std::string id, std::string node, DeviceKind kind, std::vector<std::string> jobs = {})
{
    DeviceState out;
    out.id = std::move(id);
    out.node = std::move(node);
    out.kind = kind;
    out.jobs = std::move(jobs);
    return out;
}

/// Two nodes: n1 with two GPUs (one busy with job a of nlp) and a host, n2 with a host where job b of vision runs.
Fleet fleet()
{
    Fleet out;
    out.nodes = {{"n1", Freshness::Live, {}, {device("g0", "n1", DeviceKind::Gpu, {"a"}), device("g1", "n1", DeviceKind::Gpu),
                                              device("host:n1", "n1", DeviceKind::Host)}},
                 {"n2", Freshness::Live, {}, {device("host:n2", "n2", DeviceKind::Host)}}};
    JobState a;
    a.id = "a";
    a.team = "nlp";
    a.model = "rag";
    a.kind = JobKind::Training;
    a.nodes = {"n1"};
    a.devices = {"g0"};
    JobState b;
    b.id = "b";
    b.team = "vision";
    b.model = "rag";
    b.nodes = {"n2"};
    out.jobs = {a, b};
    return out;
}

} // namespace

class TestFleetFilter : public QObject
{
    Q_OBJECT

private slots:
    void narrows_data()
    {
        QTest::addColumn<QString>("chips"); // label=value,label=value
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("jobs");
        QTest::newRow("nothing") << "" << 4 << 2;
        QTest::newRow("host") << "host.name=n1" << 3 << 1;
        QTest::newRow("unknown host") << "host.name=n9" << 0 << 0;
        QTest::newRow("team keeps its GPU and its host") << "team=nlp" << 2 << 1;
        QTest::newRow("model of both") << "model.id=rag" << 3 << 2;
        QTest::newRow("one job must match all") << "team=nlp,job.id=b" << 0 << 0;
        QTest::newRow("kind") << "job.kind=training" << 2 << 1;
        QTest::newRow("host and team apart") << "host.name=n2,team=nlp" << 0 << 0;
    }
    void narrows()
    {
        QFETCH(QString, chips);
        std::vector<FilterChip> filter;
        for (const auto &chip : chips.split(u',', Qt::SkipEmptyParts))
            filter.push_back({chip.section(u'=', 0, 0).toStdString(), chip.section(u'=', 1).toStdString()});
        const auto filtered = filterFleet(fleet(), filter);
        QCOMPARE(filtered.allDevices, 4);
        QTEST(filtered.devices, "devices");
        QTEST(static_cast<int>(filtered.fleet.jobs.size()), "jobs");
    }
    void tellsItsReach()
    {
        QVERIFY(!reachText(filterFleet(fleet(), {})).contains(QStringLiteral(" of ")));
        QVERIFY(reachText(filterFleet(fleet(), {{"team", "nlp"}})).contains(QStringLiteral("2 of 4")));
    }
    void offersValuesOnce()
    {
        const auto choices = filterChoices(fleet());
        const auto models = std::find_if(choices.begin(), choices.end(), [](const auto &c) { return c.label == label::kModel; });
        QVERIFY(models != choices.end());
        QCOMPARE(models->values, std::vector<std::string>{"rag"});
        QVERIFY(std::none_of(choices.begin(), choices.end(), [](const auto &c) { return c.label == label::kExperiment; }));
    }
    void showsHarmlessNames()
    {
        QVERIFY(!filterLabelText("evil\u202e\n").contains(QChar(0x202e)));
    }
};

QTEST_APPLESS_MAIN(TestFleetFilter)
#include "tst_fleet_filter.moc"
