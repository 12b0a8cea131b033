// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/procfs.h"

#include "agent/series_of.h"
#include "agent/text_scan.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <optional>

namespace plimsoll {
namespace {

enum Row : std::size_t {
    Limit,
    Available,
    Free,
    Buffers,
    Cached,
    Used,
    SwapLimit,
    SwapFree,
    SwapUsed,
    OomKills,
    SwappedIn,
    SwappedOut,
    MajorFaults,
    AgentRss,
    AgentCpu,
    RowCount
};
static_assert(RowCount <= Procfs::kSeries);

struct RowInfo
{
    std::string_view metricName;
    std::string_view labelName;
    std::string_view labelValue;
    std::string_view sourceName;
    std::string_view sourceUnit;
    double factor;
};

constexpr std::string_view kDirection = "system.paging.direction";

constexpr std::array<RowInfo, RowCount> kRows{{
    {metric::kHostLimit, "", "", "/proc/meminfo MemTotal", "kB", 1024},
    {metric::kHostAvailable, "", "", "/proc/meminfo MemAvailable", "kB", 1024},
    {metric::kHostUsage, label::kMemoryState, "free", "/proc/meminfo MemFree", "kB", 1024},
    {metric::kHostUsage, label::kMemoryState, "buffers", "/proc/meminfo Buffers", "kB", 1024},
    {metric::kHostUsage, label::kMemoryState, "cached", "/proc/meminfo Cached", "kB", 1024},
    {metric::kHostUsage, label::kMemoryState, "used", "/proc/meminfo MemTotal - MemFree - Buffers - Cached", "kB", 1024},
    {metric::kHostPagingLimit, "", "", "/proc/meminfo SwapTotal", "kB", 1024},
    {metric::kHostPagingUsage, label::kPagingState, "free", "/proc/meminfo SwapFree", "kB", 1024},
    {metric::kHostPagingUsage, label::kPagingState, "used", "/proc/meminfo SwapTotal - SwapFree", "kB", 1024},
    {metric::kHostOomKills, "", "", "/proc/vmstat oom_kill", "", 1},
    {metric::kHostPagingOperations, kDirection, "in", "/proc/vmstat pswpin", "", 1},
    {metric::kHostPagingOperations, kDirection, "out", "/proc/vmstat pswpout", "", 1},
    {metric::kHostPagingFaults, "", "", "/proc/vmstat pgmajfault", "", 1},
    {metric::kAgentRss, "", "", "/proc/self/statm resident", "pages", 0},
    {metric::kAgentCpu, "", "", "CLOCK_PROCESS_CPUTIME_ID", "", 1},
}};

const double kPageBytes = static_cast<double>(::sysconf(_SC_PAGESIZE));

} // namespace

Procfs::Procfs(Journal &journal, const std::filesystem::path &procRoot, std::string host, Duration interval)
    : m_journal(journal)
    , m_host(std::move(host))
    , m_interval(interval)
    , m_meminfo(procRoot / "meminfo")
    , m_vmstat(procRoot / "vmstat")
    , m_ownStatm("/proc/self/statm")
    , m_state{"procfs", true, {}, 0, 0}
{}

void Procfs::collect(const Tick &, Readings &into)
{
    m_state.isHealthy = true;
    m_state.problem.clear();
    m_state.skipped = 0;
    collectMemory(into);
    collectPaging(into);
    collectSelf(into);
}

void Procfs::collectMemory(Readings &into)
{
    const auto text = m_meminfo.read(m_buffer);
    std::optional<std::uint64_t> total;
    std::optional<std::uint64_t> available;
    std::optional<std::uint64_t> free;
    std::optional<std::uint64_t> buffers;
    std::optional<std::uint64_t> cached;
    std::optional<std::uint64_t> swapTotal;
    std::optional<std::uint64_t> swapFree;
    forEachKey(text.value_or(std::string_view()), [&](std::string_view key, std::string_view rest) {
        const auto take = [&](std::optional<std::uint64_t> &field) {
            field = leadingNumber(rest);
            // More kB than 2^53 bytes hold is not memory but garbage.
            if (!field || *field > (std::uint64_t{1} << 43U)) {
                field.reset();
                ++m_state.skipped;
            } else {
                *field *= 1024;
            }
        };
        if (key == "MemTotal")
            take(total);
        else if (key == "MemAvailable")
            take(available);
        else if (key == "MemFree")
            take(free);
        else if (key == "Buffers")
            take(buffers);
        else if (key == "Cached")
            take(cached);
        else if (key == "SwapTotal")
            take(swapTotal);
        else if (key == "SwapFree")
            take(swapFree);
    });
    if (!total && !available) {
        m_state.isHealthy = false;
        m_state.problem = text ? "/proc/meminfo says neither MemTotal nor MemAvailable." : "/proc/meminfo cannot be read.";
    }
    const auto addIf = [&](Row row, const std::optional<std::uint64_t> &value) {
        if (value)
            add(row, *value, into);
    };
    addIf(Limit, total);
    addIf(Available, available);
    addIf(Free, free);
    addIf(Buffers, buffers);
    addIf(Cached, cached);
    if (total && free && buffers && cached && *free + *buffers + *cached <= *total)
        add(Used, *total - *free - *buffers - *cached, into);
    addIf(SwapLimit, swapTotal);
    addIf(SwapFree, swapFree);
    if (swapTotal && swapFree && *swapFree <= *swapTotal)
        add(SwapUsed, *swapTotal - *swapFree, into);
}

void Procfs::collectPaging(Readings &into)
{
    const auto text = m_vmstat.read(m_buffer);
    forEachKey(text.value_or(std::string_view()), [&](std::string_view key, std::string_view rest) {
        if (key.empty() || (key[0] != 'p' && key[0] != 'o'))
            return; // most of some two hundred lines
        const auto take = [&](Row row) {
            if (const auto value = leadingNumber(rest))
                add(row, *value, into);
            else
                ++m_state.skipped;
        };
        if (key == "oom_kill")
            take(OomKills);
        else if (key == "pswpin")
            take(SwappedIn);
        else if (key == "pswpout")
            take(SwappedOut);
        else if (key == "pgmajfault")
            take(MajorFaults);
    });
}

void Procfs::collectSelf(Readings &into)
{
    std::array<char, 128> statm{};
    if (const auto text = m_ownStatm.readShort(statm.data(), statm.size())) {
        const auto resident = text->substr(std::min(text->find(' '), text->size()));
        if (const auto pages = leadingNumber(resident))
            addValue(AgentRss, static_cast<double>(*pages) * kPageBytes, into);
    }
    timespec used{};
    if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0)
        addValue(AgentCpu, static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9, into);
}

void Procfs::addValue(std::size_t row, double value, Readings &into)
{
    if (!m_slots[row]) {
        const RowInfo &info = kRows[row];
        Labels labels{{std::string(label::kHost), m_host}};
        if (!info.labelName.empty())
            labels.set(info.labelName, info.labelValue);
        Source source{std::string(info.sourceName), std::string(info.sourceUnit), info.factor == 0 ? kPageBytes : info.factor};
        m_slots[row] = m_journal.define(catalogued(info.metricName, std::move(labels), "host", m_interval, std::move(source)));
        ++m_state.series;
    }
    into.add(m_slots[row], value);
}

} // namespace plimsoll
