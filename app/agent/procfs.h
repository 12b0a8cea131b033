// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/collector.h"
#include "agent/kept_file.h"

#include <array>
#include <filesystem>
#include <string>

namespace plimsoll {

/// The host's memory: /proc/meminfo and /proc/vmstat, and what the agent itself costs.
class Procfs final : public Collector
{
public:
    Procfs(Journal &journal, const std::filesystem::path &procRoot, std::string host, Duration interval);

    [[nodiscard]] std::string_view name() const override { return "procfs"; }
    [[nodiscard]] Duration interval() const override { return m_interval; }
    void collect(const Tick &tick, Readings &into) override;
    [[nodiscard]] SourceState state() const override { return m_state; }

    static constexpr std::size_t kSeries = 16;

private:
    void collectMemory(Readings &into);
    void collectPaging(Readings &into);
    void collectSelf(Readings &into);
    void add(std::size_t row, std::uint64_t value, Readings &into) { addValue(row, static_cast<double>(value), into); }
    void addValue(std::size_t row, double value, Readings &into);

    Journal &m_journal;
    std::string m_host;
    Duration m_interval;
    KeptFile m_meminfo;
    KeptFile m_vmstat;
    KeptFile m_ownStatm;
    std::string m_buffer;
    std::array<SeriesSlot, kSeries> m_slots{};
    SourceState m_state;
};

} // namespace plimsoll
