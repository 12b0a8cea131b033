// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/pressure.h"

#include "agent/series_of.h"
#include "agent/text_scan.h"

namespace plimsoll {

Pressure::Pressure(Journal &journal, const std::filesystem::path &procRoot, std::string host, Duration interval)
    : m_journal(journal)
    , m_host(std::move(host))
    , m_interval(interval)
    , m_file(procRoot / "pressure" / "memory")
    , m_state{"pressure", true, {}, 0, 0}
{}

bool Pressure::isAvailable() const
{
    std::string buffer;
    const auto text = m_file.read(buffer); // EOPNOTSUPP when it is compiled in but off
    return text && !text->empty();
}

void Pressure::collect(const Tick &, Readings &into)
{
    const auto text = m_file.read(m_buffer);
    m_state.skipped = 0;
    m_state.isHealthy = text.has_value();
    m_state.problem = text ? "" : "/proc/pressure/memory can no longer be read.";
    forEachLine(text.value_or(std::string_view()), [&](std::string_view line) {
        const auto micros = pressureTotal(line);
        if (micros && line.starts_with("some "))
            add(m_some, metric::kPressureSome, "/proc/pressure/memory some total", *micros, into);
        else if (micros && line.starts_with("full "))
            add(m_full, metric::kPressureFull, "/proc/pressure/memory full total", *micros, into);
        else
            ++m_state.skipped;
    });
}

void Pressure::add(SeriesSlot &slot, std::string_view metricName, std::string_view sourceName, std::uint64_t micros,
                   Readings &into)
{
    if (!slot) {
        slot = m_journal.define(catalogued(metricName, Labels{{std::string(label::kHost), m_host}}, "host", m_interval,
                                           Source{std::string(sourceName), "us", 1e-6}));
        ++m_state.series;
    }
    into.add(slot, static_cast<double>(micros) / 1e6);
}

std::optional<std::uint64_t> pressureTotal(std::string_view line) noexcept
{
    constexpr std::string_view kKey = " total=";
    const auto at = line.find(kKey);
    if (at == std::string_view::npos)
        return std::nullopt;
    return leadingNumber(line.substr(at + kKey.size()));
}

} // namespace plimsoll
