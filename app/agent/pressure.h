// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/collector.h"
#include "agent/kept_file.h"

#include <filesystem>
#include <string>

namespace plimsoll {

/// Pressure stall information: how long tasks of the host waited for memory.
class Pressure final : public Collector
{
public:
    Pressure(Journal &journal, const std::filesystem::path &procRoot, std::string host, Duration interval);

    /// False on kernels without it, and where it is switched off: then there is nothing to collect.
    [[nodiscard]] bool isAvailable() const;
    [[nodiscard]] std::string_view name() const override { return "pressure"; }
    [[nodiscard]] Duration interval() const override { return m_interval; }
    void collect(const Tick &tick, Readings &into) override;
    [[nodiscard]] SourceState state() const override { return m_state; }

private:
    void add(SeriesSlot &slot, std::string_view metricName, std::string_view sourceName, std::uint64_t micros,
             Readings &into);

    Journal &m_journal;
    std::string m_host;
    Duration m_interval;
    KeptFile m_file;
    std::string m_buffer;
    SeriesSlot m_some;
    SeriesSlot m_full;
    SourceState m_state;
};

/// The total of a line "some avg10=0.00 avg60=0.00 avg300=0.00 total=123", in µs.
[[nodiscard]] std::optional<std::uint64_t> pressureTotal(std::string_view line) noexcept;

} // namespace plimsoll
