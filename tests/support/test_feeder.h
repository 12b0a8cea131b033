// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/history.h"

#include <string>
#include <vector>

namespace plimsoll::test {

/// Plays the part of a channel: posts frames of one made agent into a history.
class Feeder
{
public:
    Feeder(History &history, std::string agent, std::vector<std::string> metrics, Labels labels = {{"host.name", "n1"}})
        : m_history(history), m_agent(std::move(agent))
    {
        for (std::string &metric : metrics) {
            SeriesDefinition definition;
            definition.id = static_cast<std::uint32_t>(m_definitions.size() + 1);
            definition.info.key = {std::move(metric), labels};
            definition.info.unit = "By";
            definition.info.kind = MetricKind::Gauge;
            definition.info.group = "host";
            m_definitions.push_back(std::move(definition));
        }
    }

    /// `rows` samples a second apart from `begin` on; column c holds first + row + 1000 c.
    void samples(Instant begin, int rows, double first = 0)
    {
        SampleBlock block;
        for (int row = 0; row < rows; ++row)
            block.times.push_back(begin + std::chrono::seconds(row));
        for (const SeriesDefinition &definition : m_definitions)
            block.columns.push_back(definition.id);
        for (std::size_t column = 0; column < m_definitions.size(); ++column) {
            for (int row = 0; row < rows; ++row)
                block.values.push_back(first + row + 1000 * static_cast<double>(column));
        }
        post({++m_sequence, std::move(block)});
    }

    void event(Event event) { post({++m_sequence, std::move(event)}); }

    /// The ids the history gave, in the order of the metrics; flushes.
    [[nodiscard]] std::vector<SeriesId> ids() const
    {
        m_history.flush();
        std::vector<SeriesId> ids(m_definitions.size());
        for (const SeriesEntry &entry : m_history.latest()) {
            for (std::size_t i = 0; i < m_definitions.size(); ++i) {
                if (entry.agent == m_agent && entry.info.key == m_definitions[i].info.key)
                    ids[i] = entry.id;
            }
        }
        return ids;
    }

private:
    void post(Frame frame)
    {
        Delivery delivery;
        delivery.agent = m_agent;
        delivery.epoch = 7;
        delivery.definitions = m_definitions;
        delivery.frames.push_back(std::move(frame));
        while (!m_history.inbox().tryPost(delivery, delivery.weight()))
            m_history.flush();
    }

    History &m_history;
    std::string m_agent;
    std::vector<SeriesDefinition> m_definitions;
    std::uint64_t m_sequence = 0;
};

} // namespace plimsoll::test
