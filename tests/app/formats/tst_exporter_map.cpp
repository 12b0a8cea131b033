// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_map.h"
#include "formats/exporter_table.h"
#include "formats/exposition.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

using namespace plimsoll;

namespace {

const ScrapeContext kContext{"http://n1:9400/metrics", "n1", std::chrono::seconds(15)};

MappedExposition mapText(std::string_view body, const ScrapeContext &context = kContext)
{
    const auto exposition = parseExposition(body, ExpositionFormat::PrometheusText);
    if (!exposition)
        return {};
    return mapExposition(*exposition, context);
}

// `metric{labels} value unit`, one a line, sorted.
std::string listed(const MappedExposition &mapped)
{
    std::vector<std::string> lines;
    for (const auto &sample : mapped.samples) {
        lines.push_back(sample.info.key.metric + '{' + sample.info.key.labels.encode() + "} "
                        + QByteArray::number(sample.value, 'g', 17).toStdString() + ' ' + sample.info.unit);
    }
    std::sort(lines.begin(), lines.end());
    std::string out;
    for (const auto &line : lines)
        out += line + '\n';
    return out;
}

const MappedSample *find(const MappedExposition &mapped, std::string_view metricName)
{
    const auto at = std::find_if(mapped.samples.begin(), mapped.samples.end(),
                                 [&](const auto &sample) { return sample.info.key.metric == metricName; });
    return at == mapped.samples.end() ? nullptr : &*at;
}

bool tells(const MappedExposition &mapped, std::string_view part)
{
    return std::any_of(mapped.skipped.begin(), mapped.skipped.end(),
                       [&](const auto &line) { return line.reason.find(part) != std::string::npos; });
}

} // namespace

class ExporterMapTest : public QObject
{
    Q_OBJECT

private slots:
    void mapsOneSample_data();
    void mapsOneSample();
    void keepsTheSource();
    void keepsWhatItDoesNotKnow();
    void dropsStartTimes();
    void treatsSentinelsAsAbsent();
    void derivesGpuTotals();
    void derivesHostUsage();
    void foldsWorkloads();
    void keepsSharesOfWorkloads();
    void knowsTheExportersOwnPod();
    void findsTheHost();
    void joinsDeviceFacts();
    void collapsesProcesses();
    void refusesTheImpossible();
    void keepsOneOfEachKey();
    void groupsWhatSharesItsTimes();
    void everyRowLeadsToTheCatalogue();
};

void ExporterMapTest::mapsOneSample_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("mapped");
    const auto row = [](const char *line, const char *mapped) { QTest::newRow(line) << QByteArray(line) << QByteArray(mapped); };
    // dcgm-exporter: old, new, and 4.6 names
    row("DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-a\",device=\"nvidia0\",modelName=\"T4\",Hostname=\"h\",DCGM_FI_DRIVER_VERSION=\"5\"} 4845",
        "hw.gpu.memory.usage{gpu.index=\"0\",host.name=\"h\",hw.id=\"GPU-a\",hw.model=\"T4\"} 5080350720 By");
    row("dcgm_fb_used{gpu=\"0\",uuid=\"GPU-a\",pod_name=\"p\",pod_namespace=\"ns\",container_name=\"c\"} 1",
        "hw.gpu.memory.usage{gpu.index=\"0\",host.name=\"n1\",hw.id=\"GPU-a\",k8s.container.name=\"c\",k8s.namespace.name=\"ns\","
        "k8s.pod.name=\"p\"} 1048576 By");
    row("DCGM_FI_DEV_FB_RESERVED{UUID=\"GPU-a\",hostname=\"h\"} 2", "hw.gpu.memory.reserved{host.name=\"h\",hw.id=\"GPU-a\"} 2097152 By");
    row("DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-a\"} 57",
        "hw.gpu.utilization{host.name=\"n1\",hw.gpu.task=\"general\",hw.id=\"GPU-a\"} 0.56999999999999995 1");
    row("DCGM_FI_DEV_GPU_UTIL_RATIO{UUID=\"GPU-a\"} 100",
        "hw.gpu.utilization{host.name=\"n1\",hw.gpu.task=\"general\",hw.id=\"GPU-a\"} 1 1");
    row("DCGM_FI_DEV_BOARD_POWER_WATTS{UUID=\"GPU-a\"} 409.692000", "hw.power{host.name=\"n1\",hw.id=\"GPU-a\"} 409.69200000000001 W");
    row("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{UUID=\"GPU-a\"} 1500", "hw.energy{host.name=\"n1\",hw.id=\"GPU-a\"} 1.5 J");
    row("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL{UUID=\"GPU-a\"} 3",
        "hw.gpu.io.rate{host.name=\"n1\",hw.gpu.io.link=\"nvlink\",hw.id=\"GPU-a\"} 3072000 By/s");
    row("DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\",UUID=\"GPU-a\",GPU_I_PROFILE=\"1g.5gb\",GPU_I_ID=\"13\"} 0.5",
        "hw.gpu.profiling.graphics_active{gpu.index=\"0\",gpu.mig.gi=\"13\",gpu.mig.profile=\"1g.5gb\",host.name=\"n1\",hw.id=\"GPU-a\"} 0.5 1");
    row("DCGM_FI_DEV_SM_CLOCK{UUID=\"GPU-a\"} 1215", "hw.frequency{host.name=\"n1\",hw.gpu.clock=\"sm\",hw.id=\"GPU-a\"} 1215000000 Hz");
    row("DCGM_EXP_XID_ERRORS_COUNT{UUID=\"GPU-a\",xid=\"79\"} 2",
        "hw.errors{error.code=\"79\",error.type=\"xid\",host.name=\"n1\",hw.id=\"GPU-a\"} 2 {error}");
    // node_exporter
    row("node_memory_MemAvailable_bytes 2.4627314688e+10", "system.memory.linux.available{host.name=\"n1\"} 24627314688 By");
    row("node_memory_MemFree_bytes 5", "system.memory.usage{host.name=\"n1\",system.memory.state=\"free\"} 5 By");
    row("node_vmstat_pswpout 35045", "system.paging.operations{host.name=\"n1\",system.paging.direction=\"out\"} 35045 {operation}");
    row("node_pressure_memory_waiting_seconds_total 1.5", "system.memory.pressure.some{host.name=\"n1\"} 1.5 s");
    // cAdvisor, kubelet
    row("container_memory_working_set_bytes{container=\"c\",pod=\"p\",namespace=\"ns\",id=\"/k/x\",image=\"i\",name=\"n\"} 9",
        "container.memory.working_set{cgroup.path=\"/k/x\",container.name=\"n\",host.name=\"n1\",k8s.container.name=\"c\","
        "k8s.namespace.name=\"ns\",k8s.pod.name=\"p\"} 9 By");
    row("container_memory_rss{id=\"/docker/x\",container_label_foo=\"bar\",container_env_a=\"b\",container=\"\"} 9",
        "container.memory.rss{cgroup.path=\"/docker/x\",host.name=\"n1\"} 9 By");
    row("container_spec_memory_limit_bytes{id=\"/x\"} 0", "");
    row("container_spec_memory_limit_bytes{id=\"/x\"} 9223372036854771712", "");
    row("container_memory_max_usage_bytes{id=\"/x\"} 0", "");
    row("container_memory_events_max_total{id=\"/x\"} 5",
        "container.memory.limit_hits{cgroup.path=\"/x\",container.memory.event=\"max\",host.name=\"n1\"} 5 {hit}");
    // other GPU exporters
    row("nvidia_smi_memory_used_bytes{uuid=\"1c67088e-9ecb-4564-bb97-6151ecc2ef64\"} 7",
        "hw.gpu.memory.usage{host.name=\"n1\",hw.id=\"GPU-1c67088e-9ecb-4564-bb97-6151ecc2ef64\"} 7 By");
    row("nvidia_smi_mig_memory_total_bytes{uuid=\"1c67088e-9ecb-4564-bb97-6151ecc2ef64\",gpu_instance_id=\"2\"} 7",
        "hw.gpu.memory.limit{gpu.mig.gi=\"2\",host.name=\"n1\",hw.id=\"GPU-1c67088e-9ecb-4564-bb97-6151ecc2ef64\"} 7 By");
    row("nvidia_gpu_power_usage_milliwatts{uuid=\"GPU-a\",minor_number=\"3\",ordinal=\"1\"} 2500",
        "hw.power{gpu.index=\"3\",host.name=\"n1\",hw.id=\"GPU-a\"} 2.5 W");
    row("nv_gpu_memory_used_bytes{gpu_uuid=\"GPU-a\"} 266338304", "hw.gpu.memory.usage{host.name=\"n1\",hw.id=\"GPU-a\"} 266338304 By");
    row("gpu_energy_consumed{gpu_uuid=\"u\",gpu_id=\"1\"} 5e6", "hw.energy{gpu.index=\"1\",host.name=\"n1\",hw.id=\"u\"} 5 J");
    row("ray_node_gram_used{ip=\"10.0.0.1\",GpuIndex=\"2\"} 3", "hw.gpu.memory.usage{gpu.index=\"2\",host.name=\"10.0.0.1\"} 3145728 By");
    // inference, jobs, cluster
    row("vllm:gpu_cache_usage_perc{model_name=\"m\"} 0.5",
        "ml.inference.kv_cache.utilization{host.name=\"n1\",model.id=\"m\",scrape.url=\"http://n1:9400/metrics\"} 0.5 1");
    row("training_gpu_reserved_bytes{device=\"1\",experiment_id=\"e\",job_id=\"j\",model_id=\"m\",team=\"t\",job=\"prom\"} 8",
        "ml.torch.memory.reserved{experiment.id=\"e\",gpu.index=\"1\",host.name=\"n1\",job.id=\"j\",model.id=\"m\","
        "scrape.url=\"http://n1:9400/metrics\",team=\"t\"} 8 By");
    row("gpu_hours_consumed_total{job_id=\"j\"} 0.5",
        "cost.gpu.time{host.name=\"n1\",job.id=\"j\",scrape.url=\"http://n1:9400/metrics\"} 1800 s");
    row("kube_pod_container_resource_limits{namespace=\"ns\",pod=\"p\",uid=\"u\",container=\"c\",resource=\"memory\",unit=\"byte\"} 4",
        "k8s.container.memory.limit.desired{k8s.container.name=\"c\",k8s.namespace.name=\"ns\",k8s.pod.name=\"p\",k8s.pod.uid=\"u\"} 4 By");
    row("ceems_compute_unit_memory_used_bytes{hostname=\"\",manager=\"slurm\",uuid=\"1009248\"} 4",
        "container.memory.usage{host.name=\"n1\",job.id=\"1009248\"} 4 By");
}

void ExporterMapTest::mapsOneSample()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, mapped);
    const auto out = mapText(line.toStdString() + '\n');
    QCOMPARE(QByteArray::fromStdString(listed(out)).trimmed(), mapped);
    for (const auto &sample : out.samples)
        QVERIFY2(findMetric(sample.info.key.metric), "no such metric in the catalogue");
}

void ExporterMapTest::keepsTheSource()
{
    const auto mapped = mapText("# TYPE DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL counter\n"
                                "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL{UUID=\"GPU-a\"} 3\nDCGM_FI_DEV_FB_USED{UUID=\"GPU-a\"} 3 1000\n");
    const auto *rate = find(mapped, "hw.gpu.io.rate");
    QVERIFY(rate);
    QVERIFY(rate->info.kind == MetricKind::Gauge); // whatever TYPE says
    const auto *used = find(mapped, metric::kGpuUsage);
    QVERIFY(used);
    QCOMPARE(used->info.source, (Source{"DCGM_FI_DEV_FB_USED", "MiB", 1048576}));
    QVERIFY(used->info.interval == std::chrono::seconds(15));
    QCOMPARE(used->time, std::optional(fromUnixNanos(1'000'000'000)));
}

void ExporterMapTest::keepsWhatItDoesNotKnow()
{
    const auto mapped = mapText("# TYPE disk_read_bytes_total counter\ndisk_read_bytes_total{device=\"sda\",job=\"x\"} 5\n"
                                "# TYPE wait_seconds histogram\nwait_seconds_bucket{le=\"1\"} 2\nwait_seconds_sum 3\n"
                                "# TYPE odd gauge\n# UNIT odd furlongs\nodd 1\nload_ratio 0.5\nplain 1\nDCGM_FI_DEV_XID_ERRORS{UUID=\"GPU-a\"} 31\n");
    const std::string url = "scrape.url=\"http://n1:9400/metrics\"";
    QCOMPARE(listed(mapped),
             "DCGM_FI_DEV_XID_ERRORS{UUID=\"GPU-a\"," + url + "} 31 \ndisk_read_bytes_total{device=\"sda\",job=\"x\"," + url
                 + "} 5 By\nload_ratio{" + url + "} 0.5 1\nodd{" + url + "} 1 furlongs\nplain{" + url
                 + "} 1 \nwait_seconds_bucket{le=\"1\"," + url + "} 2 \nwait_seconds_sum{" + url + "} 3 s\n");
    QVERIFY(find(mapped, "disk_read_bytes_total")->info.kind == MetricKind::Counter);
    QVERIFY(find(mapped, "wait_seconds_bucket")->info.kind == MetricKind::Counter);
    QVERIFY(find(mapped, "odd")->info.kind == MetricKind::Gauge);
    QVERIFY(find(mapped, "plain")->info.kind == MetricKind::Unknown);
    QCOMPARE(find(mapped, "plain")->info.group, "scrape:" + kContext.url);
}

void ExporterMapTest::dropsStartTimes()
{
    const auto exposition = parseExposition("# TYPE a counter\na_total 1\na_created 1700000000\n# EOF\n", ExpositionFormat::OpenMetrics);
    QVERIFY(exposition.has_value());
    const auto mapped = mapExposition(*exposition, kContext);
    QCOMPARE(mapped.samples.size(), std::size_t{1});
    QVERIFY(mapped.skipped.empty());
    // A gauge of that name in the text format is what it says.
    QVERIFY(find(mapText("# TYPE a_created gauge\na_created 1700000000\n"), "a_created"));
}

void ExporterMapTest::treatsSentinelsAsAbsent()
{
    const auto mapped = mapText("DCGM_FI_DEV_GPU_TEMP{UUID=\"GPU-a\"} 9223372036854775794\nDCGM_FI_DEV_FB_USED{UUID=\"GPU-a\"} 2147483632\n"
                                "DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-a\"} 140737488355328.000000\nDCGM_FI_DEV_PSTATE{UUID=\"GPU-a\"} 2147483635\n"
                                "dcgm_sm_clock{uuid=\"GPU-a\"} 140737488355331\nnode_memory_MemFree_bytes 2147483632\n");
    QCOMPARE(mapped.samples.size(), std::size_t{1});
    QCOMPARE(mapped.samples[0].info.source.name, std::string("node_memory_MemFree_bytes"));
    QCOMPARE(mapped.skipped.size(), std::size_t{5});
    QCOMPARE(mapped.skipped[1].line, std::size_t{2});
}

void ExporterMapTest::derivesGpuTotals()
{
    const auto parts = std::string("DCGM_FI_DEV_FB_USED{UUID=\"GPU-a\"} 10\nDCGM_FI_DEV_FB_FREE{UUID=\"GPU-a\"} 80\n");
    const auto total = [](const MappedExposition &mapped) { return find(mapped, metric::kGpuLimit); };
    const auto old = mapText(parts);
    QVERIFY(total(old));
    QCOMPARE(total(old)->value, 90.0 * 1048576);
    QCOMPARE(total(old)->info.source.name, std::string("DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE"));
    const auto reserved = mapText(parts + "DCGM_FI_DEV_FB_RESERVED{UUID=\"GPU-a\"} 5\n");
    QCOMPARE(total(reserved)->value, 95.0 * 1048576);
    const auto told = mapText(parts + "DCGM_FI_DEV_FB_TOTAL{UUID=\"GPU-a\"} 100\n");
    QCOMPARE(total(told)->value, 100.0 * 1048576);
    // Parts of different devices make no sum.
    QVERIFY(!total(mapText("DCGM_FI_DEV_FB_USED{UUID=\"GPU-a\"} 10\nDCGM_FI_DEV_FB_FREE{UUID=\"GPU-b\"} 80\n")));
    // A slice is not its GPU.
    QVERIFY(!total(mapText("DCGM_FI_DEV_FB_USED{UUID=\"GPU-a\",GPU_I_ID=\"1\"} 10\nDCGM_FI_DEV_FB_FREE{UUID=\"GPU-a\"} 80\n")));
}

void ExporterMapTest::derivesHostUsage()
{
    const auto mapped = mapText("node_memory_MemTotal_bytes 100\nnode_memory_MemFree_bytes 10\nnode_memory_Buffers_bytes 5\n"
                                "node_memory_Cached_bytes 25\nnode_memory_SwapTotal_bytes 50\nnode_memory_SwapFree_bytes 20\n");
    const auto text = listed(mapped);
    QVERIFY(text.find("system.memory.usage{host.name=\"n1\",system.memory.state=\"used\"} 60 By") != std::string::npos);
    QVERIFY(text.find("system.paging.usage{host.name=\"n1\",system.paging.state=\"used\"} 30 By") != std::string::npos);
}

void ExporterMapTest::foldsWorkloads()
{
    const auto mapped = mapText("DCGM_FI_DEV_FB_USED{UUID=\"GPU-a\",pod=\"p1\",namespace=\"ns\"} 10\n"
                                "DCGM_FI_DEV_FB_USED{UUID=\"GPU-a\",pod=\"p2\",namespace=\"ns\"} 10\n"
                                "DCGM_FI_DEV_FB_USED{UUID=\"GPU-a\",hpc_job=\"7\"} 10\n");
    QCOMPARE(listed(mapped), std::string("hw.gpu.memory.usage{host.name=\"n1\",hw.id=\"GPU-a\"} 10485760 By\n"));
    QCOMPARE(mapped.skipped.size(), std::size_t{2});
    QVERIFY(tells(mapped, "another workload"));
}

void ExporterMapTest::keepsSharesOfWorkloads()
{
    const auto mapped = mapText("DCGM_FI_DEV_FB_USED{UUID=\"GPU-a\",pod=\"p1\"} 10\nDCGM_FI_DEV_FB_USED{UUID=\"GPU-a\",pod=\"p2\"} 20\n");
    QCOMPARE(mapped.samples.size(), std::size_t{2});
    QCOMPARE(mapped.samples[1].info.key.labels.value(label::kPod), std::string_view("p2"));
}

void ExporterMapTest::knowsTheExportersOwnPod()
{
    const auto labels = [](const char *more) {
        const auto mapped = mapText("DCGM_FI_DEV_FB_USED{UUID=\"GPU-a\"," + std::string(more) + "} 10\n");
        return mapped.samples.at(0).info.key.labels;
    };
    const auto exported = labels("exported_pod=\"work\",exported_namespace=\"ml\",exported_container=\"c\",pod=\"dcgm-x\","
                                 "namespace=\"gpu-operator\",container=\"exporter\"");
    QCOMPARE(exported.value(label::kPod), std::string_view("work"));
    QCOMPARE(exported.value(label::kNamespace), std::string_view("ml"));
    QCOMPARE(exported.value(label::kContainer), std::string_view("c"));
    QVERIFY(!labels("pod=\"nvidia-dcgm-exporter-9x\",namespace=\"gpu-operator\"").find(label::kPod));
    QVERIFY(!labels("pod=\"any\",container=\"exporter\"").find(label::kContainer));
    QCOMPARE(labels("pod=\"work\"").value(label::kPod), std::string_view("work"));
}

void ExporterMapTest::findsTheHost()
{
    const auto host = [](const char *labels) {
        return std::string(mapText("node_memory_MemTotal_bytes{" + std::string(labels) + "} 1\n").samples.at(0).info.key.labels.value(label::kHost));
    };
    QCOMPARE(host(""), std::string("n1"));
    QCOMPARE(host("instance=\"n7:9100\""), std::string("n7"));
    QCOMPARE(host("instance=\"[fe80::1]:9100\""), std::string("fe80::1"));
    QCOMPARE(host("instance=\"fe80::1\""), std::string("fe80::1"));
    QCOMPARE(host("instance=\"n7:9100\",nodename=\"n8\""), std::string("n8"));
    QCOMPARE(host("instance=\"localhost:9100\""), std::string("n1"));
    QCOMPARE(host("instance=\"127.0.0.1:9100\",exported_instance=\"n9:1\""), std::string("n9"));
    // Prometheus' own `job` is none of ours.
    QVERIFY(!mapText("node_memory_MemTotal_bytes{job=\"node\"} 1\n").samples.at(0).info.key.labels.find("job"));
}

void ExporterMapTest::joinsDeviceFacts()
{
    const auto mapped = mapText("nvidia_smi_gpu_info{uuid=\"1c67088e-9ecb-4564-bb97-6151ecc2ef64\",name=\"H200\",index=\"4\",pci_bus_id=\"00:1\",serial=\"9\"} 1\n"
                                "nvidia_smi_memory_used_bytes{uuid=\"1c67088e-9ecb-4564-bb97-6151ecc2ef64\"} 7\n");
    const auto *used = find(mapped, metric::kGpuUsage);
    QVERIFY(used);
    QCOMPARE(used->info.key.labels.value(label::kGpuIndex), std::string_view("4"));
    QCOMPARE(used->info.key.labels.value(label::kHardwareModel), std::string_view("H200"));
    QCOMPARE(used->info.key.labels.value(label::kPciAddress), std::string_view("00:1"));
}

void ExporterMapTest::collapsesProcesses()
{
    const auto mapped = mapText("vllm:kv_cache_usage_perc{model_name=\"m\",pid=\"1\"} 0\nvllm:kv_cache_usage_perc{model_name=\"m\",pid=\"2\"} 0.65\n"
                                "vllm:kv_cache_usage_perc{model_name=\"m\",pid=\"3\"} 0\n");
    QCOMPARE(mapped.samples.size(), std::size_t{1});
    QCOMPARE(mapped.samples[0].value, 0.65);
    QCOMPARE(mapped.skipped.size(), std::size_t{2});
}

void ExporterMapTest::refusesTheImpossible()
{
    const auto mapped = mapText("DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-a\"} 106\nnvidia_smi_utilization_gpu_ratio{uuid=\"b\"} 80\n"
                                "nvidia_smi_memory_used_bytes{uuid=\"b\"} 200\nnvidia_smi_memory_total_bytes{uuid=\"b\"} 100\n"
                                "node_memory_MemTotal_bytes 100\nnode_memory_MemAvailable_bytes 101\nnode_memory_Cached_bytes -1\n"
                                "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-c\"} 104\n");
    QCOMPARE(mapped.samples.size(), std::size_t{3}); // both totals and what is within tolerance
    QCOMPARE(mapped.skipped.size(), std::size_t{5});
    for (const auto &line : mapped.skipped)
        QVERIFY2(line.reason.starts_with("unit doubt: ") && line.line > 0, line.reason.c_str());
    QVERIFY(tells(mapped, "more than nvidia_smi_memory_total_bytes"));
    // NaN is a value; so is a negative number of something that is neither memory nor a ratio.
    const auto odd = mapText("DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-a\"} NaN\nDCGM_FI_DEV_GPU_TEMP{UUID=\"GPU-a\"} -5\n");
    QCOMPARE(odd.samples.size(), std::size_t{2});
    QVERIFY(std::isnan(odd.samples[0].value));
}

void ExporterMapTest::keepsOneOfEachKey()
{
    const auto mapped = mapText("a{x=\"1\"} 1\na{x=\"1\"} 2\nDCGM_FI_DEV_FB_USED{UUID=\"GPU-a\"} 1\nnvidia_gpu_memory_used_bytes{uuid=\"GPU-a\"} 5\n");
    std::set<SeriesKey> keys;
    for (const auto &sample : mapped.samples)
        QVERIFY(keys.insert(sample.info.key).second);
    QCOMPARE(find(mapped, "a")->value, 2.0);
    QVERIFY(tells(mapped, "comes twice"));
}

void ExporterMapTest::groupsWhatSharesItsTimes()
{
    const auto group = [](const char *line) { return mapText(std::string(line) + '\n').samples.at(0).info.group; };
    const std::string at = '@' + kContext.url;
    QCOMPARE(group("DCGM_FI_DEV_FB_USED{UUID=\"GPU-a\"} 1"), "gpu:GPU-a" + at);
    QCOMPARE(group("node_memory_MemTotal_bytes 1"), "host" + at);
    QCOMPARE(group("node_memory_MemTotal_bytes{instance=\"n7:1\"} 1"), "host:n7" + at);
    QCOMPARE(group("container_memory_rss{id=\"/x\",pod=\"p\"} 1"), "container:/x/p" + at);
    QCOMPARE(group("whatever 1"), "scrape:" + kContext.url);
}

void ExporterMapTest::everyRowLeadsToTheCatalogue()
{
    std::size_t rows = 0;
    std::set<std::string> names;
    for (const auto tables : {nodeTables(), dcgmTables(), gpuTables(), containerTables(), inferenceTables(), jobTables()}) {
        for (const auto &table : tables) {
            for (const auto &row : table.rows) {
                const std::string name(row.source);
                QVERIFY2(findMetric(row.metric), name.c_str());
                QVERIFY2(row.factor > 0, name.c_str());
                QVERIFY2(names.insert(name).second, name.c_str());
                QVERIFY2(!findRows(row.source).empty(), name.c_str());
                ++rows;
            }
        }
    }
    QVERIFY(rows > 100);
    QVERIFY(findRows("no_such_name").empty());
    QVERIFY(findRows("").empty());
}

QTEST_APPLESS_MAIN(ExporterMapTest)
#include "tst_exporter_map.moc"
