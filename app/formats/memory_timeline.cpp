// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/memory_timeline.h"

#include "formats/json_element.h"
#include "formats/json_reader.h"
#include "formats/json_text.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::array<std::string_view, kTimelineCategories> kNames{"parameter",  "optimizer_state", "input",           "temporary",
                                                                   "activation", "gradient",        "autograd_detail", "none"};

// Numbers of the raw form's actions.
constexpr std::int64_t kExisted = 1;
constexpr std::int64_t kCreate = 2;
constexpr std::int64_t kNewVersion = 3;
constexpr std::int64_t kDestroy = 4;

struct RawRow
{
    std::int64_t timeUs = kUnknownTime;
    std::int64_t bytes = 0;
    std::uint8_t action = 0;
    std::uint8_t category = kTimelineCategories - 1;
};

/// A number of the file, as exact as it goes.
struct Number
{
    double real = 0;
    std::int64_t integer = 0;
};

std::optional<Number> numberOf(std::string_view token) noexcept
{
    const auto real = jsonReal(token);
    if (!real)
        return std::nullopt;
    const auto limited = std::clamp(*real, -9.2e18, 9.2e18);
    return Number{*real, jsonInteger(token).value_or(static_cast<std::int64_t>(limited))};
}

class TimelineReader
{
public:
    TimelineReader(ByteSource &source, const SnapshotReading &reading) : m_source(source), m_reading(reading), m_json(source, reading) {}

    [[nodiscard]] Result<MemoryTimeline> read()
    {
        const auto first = m_json.look();
        if (!first)
            return tl::make_unexpected(first.error());
        if (*first == '<')
            return failure(Error::Code::Unsupported, "This page of a memory timeline holds one picture and no data. "
                                                     "Export the timeline under a name that ends in .json or .raw.json.gz instead.");
        if (*first != '[')
            return failure(Error::Code::BadInput, "This is no memory timeline: a JSON list was expected.");
        const auto state = readOuter();
        if (!state) {
            if (!m_json.isTruncated())
                return tl::make_unexpected(state.error());
            m_timeline.snapshot.warnings.push_back(state.error().detail + " What came before is shown.");
            m_timeline.snapshot.origin.truncatedAt = m_json.end();
        }
        return finish();
    }

private:
    [[nodiscard]] static tl::unexpected<Error> noTimeline()
    {
        return failure(Error::Code::BadInput, "This is no memory timeline: [times, rows] or a list of [time, action, bytes, category] was expected.");
    }

    [[nodiscard]] Result<void> readOuter()
    {
        m_json.take();
        auto next = m_json.look();
        if (!next)
            return tl::make_unexpected(next.error());
        if (*next == ']') {
            m_timeline.isRaw = true; // nothing was recorded
            m_json.take();
            return {};
        }
        if (*next != '[')
            return noTimeline();
        m_json.take();
        if (const auto state = readNumbers(m_first); !state)
            return state;
        next = m_json.look();
        if (!next)
            return tl::make_unexpected(next.error());
        if (*next == ']' && m_first.size() == 4)
            return readRaw();
        if (const auto comma = m_json.expect(','); !comma)
            return comma;
        if (const auto open = m_json.expect('['); !open)
            return open;
        next = m_json.look();
        if (!next)
            return tl::make_unexpected(next.error());
        if (*next == '[' || (*next == ']' && m_first.empty()))
            return readRows();
        if (m_first.size() != 4)
            return noTimeline();
        return readRaw();
    }

    // What is left of a list of numbers.
    [[nodiscard]] Result<void> readNumbers(std::vector<Number> &numbers)
    {
        while (true) {
            const auto run = m_json.elements();
            if (!run)
                return tl::make_unexpected(run.error());
            const auto state = m_elements.forEach(*run, [&numbers](JsonValue &value) {
                const auto number = numberOf(tokenOf(value));
                if (!number)
                    return simdjson::INCORRECT_TYPE;
                numbers.push_back(*number);
                return simdjson::SUCCESS;
            });
            if (!state)
                return state;
            if (numbers.size() * sizeof(Number) > m_reading.limits.memoryBytes / 4)
                return failure(Error::Code::TooLarge, "The timeline has more than " + std::to_string(numbers.size()) + " times.");
            if (run->isLast)
                return {};
        }
    }

    // The first row was read, and where there is a second one its '[' was taken.
    [[nodiscard]] Result<void> readRaw()
    {
        m_timeline.isRaw = true;
        if (!takeRaw(m_first))
            return noTimeline();
        auto next = m_json.look();
        if (!next)
            return tl::make_unexpected(next.error());
        if (*next != ']') {
            std::vector<Number> second;
            if (const auto state = readNumbers(second); !state)
                return state;
            if (!takeRaw(second))
                return noTimeline();
            next = m_json.look();
            if (!next)
                return tl::make_unexpected(next.error());
        }
        if (*next == ']') {
            m_json.take();
            return {};
        }
        if (const auto comma = m_json.expect(','); !comma)
            return comma;
        return eachRow([this](const std::vector<Number> &row) { return takeRaw(row); });
    }

    [[nodiscard]] Result<void> readRows()
    {
        m_timeline.moments.reserve(m_first.size());
        const auto state = eachRow([this](const std::vector<Number> &row) { return takeMoment(row); });
        if (!state)
            return state;
        if (m_timeline.moments.size() != m_first.size())
            m_timeline.snapshot.warnings.push_back("The file has " + std::to_string(m_first.size()) + " times and "
                                                   + std::to_string(m_timeline.moments.size()) + " rows; what has both is shown.");
        return m_json.expect(']');
    }

    template <class Take>
    [[nodiscard]] Result<void> eachRow(Take &&take)
    {
        std::vector<Number> row;
        while (true) {
            const auto run = m_json.elements();
            if (!run)
                return tl::make_unexpected(run.error());
            const auto state = m_elements.forEach(*run, [&](JsonValue &value) {
                JsonArray array;
                if (const auto error = value.get_array().get(array); error != simdjson::SUCCESS)
                    return error;
                row.clear();
                const auto error = forEachItem(array, [&row](JsonValue &item) {
                    const auto number = numberOf(tokenOf(item));
                    if (!number)
                        return simdjson::INCORRECT_TYPE;
                    row.push_back(*number);
                    return simdjson::SUCCESS;
                });
                if (error != simdjson::SUCCESS)
                    return error;
                return take(row) ? simdjson::SUCCESS : simdjson::INCORRECT_TYPE;
            });
            if (!state)
                return state;
            if ((m_timeline.moments.size() * sizeof(TimelineMoment) + m_raw.size() * sizeof(RawRow)) > m_reading.limits.memoryBytes / 4
                || m_raw.size() > m_reading.limits.events)
                return failure(Error::Code::TooLarge, "The timeline has too many rows.");
            if (run->isLast)
                return {};
        }
    }

    [[nodiscard]] bool takeRaw(const std::vector<Number> &numbers)
    {
        if (numbers.size() != 4)
            return false;
        const auto action = numbers[1].integer;
        RawRow row;
        if (numbers[0].integer >= 0)
            row.timeUs = numbers[0].integer / 1000;
        row.action = static_cast<std::uint8_t>(action >= kExisted && action <= kDestroy ? action : 0);
        row.bytes = std::max(numbers[2].integer, -INT64_MAX);
        const auto category = numbers[3].integer;
        if (category >= 0 && category < static_cast<std::int64_t>(kTimelineCategories))
            row.category = static_cast<std::uint8_t>(category);
        m_unknownActions += row.action == 0 ? 1 : 0;
        m_raw.push_back(row);
        return true;
    }

    [[nodiscard]] bool takeMoment(const std::vector<Number> &numbers)
    {
        if (numbers.size() != kTimelineCategories + 1) // a zero in front, for the plot
            return false;
        const auto at = m_timeline.moments.size();
        if (at >= m_first.size())
            return true;
        TimelineMoment moment;
        moment.timeUs = m_first[at].integer;
        for (std::size_t i = 0; i < kTimelineCategories; ++i)
            moment.bytes[i] = static_cast<std::uint64_t>(std::max<std::int64_t>(numbers[i + 1].integer, 0));
        const auto sum = std::accumulate(moment.bytes.begin(), moment.bytes.end(), std::uint64_t{0});
        if (!m_timeline.peakMoment || sum > m_timeline.peakBytes) {
            m_timeline.peakMoment = at;
            m_timeline.peakBytes = sum;
        }
        m_timeline.moments.push_back(moment);
        return true;
    }

    [[nodiscard]] Result<MemoryTimeline> finish()
    {
        auto &snapshot = m_timeline.snapshot;
        auto &origin = snapshot.origin;
        origin.format = SnapshotOrigin::Format::MemoryTimeline;
        origin.fileBytes = m_source.taken();
        origin.isCompressed = !m_source.size().has_value();
        origin.isTopLevelList = true;
        if (m_unknownActions != 0)
            snapshot.warnings.push_back(std::to_string(m_unknownActions) + " rows have an action that is not known; they change nothing.");
        TraceDevice device;
        device.hasAddresses = false;
        device.eventCount = m_raw.size();
        if (m_timeline.isRaw) {
            device.levelAtStart = 0;
            if (const auto state = addEvents(); !state)
                return tl::make_unexpected(state.error());
        }
        snapshot.devices.push_back(std::move(device));
        return std::move(m_timeline);
    }

    [[nodiscard]] Result<void> addEvents()
    {
        auto &snapshot = m_timeline.snapshot;
        const auto key = snapshot.texts.intern("category");
        for (std::size_t i = 0; i + 1 < kTimelineCategories; ++i)
            snapshot.contexts.push_back({std::nullopt, {{key, snapshot.texts.intern(kNames[i])}}});
        snapshot.actionNames.emplace_back("new_version");
        snapshot.actionNames.emplace_back("unknown");
        std::stable_sort(m_raw.begin(), m_raw.end(), [](const RawRow &a, const RawRow &b) { return a.timeUs < b.timeUs; });
        try {
            snapshot.events = EventColumns(m_raw.size());
        } catch (const std::bad_alloc &) {
            return failure(Error::Code::TooLarge, "There is no memory for " + std::to_string(m_raw.size()) + " events.");
        }
        std::int64_t level = 0;
        for (const auto &row : m_raw) {
            TraceEvent event;
            event.size = static_cast<std::uint64_t>(row.bytes < 0 ? -row.bytes : row.bytes);
            event.timeUs = row.timeUs;
            event.context = row.category + 1U < kTimelineCategories ? row.category + 1U : 0;
            if (row.action == kExisted || row.action == kCreate)
                event.action = TraceAction::Alloc;
            else if (row.action == kDestroy)
                event.action = TraceAction::Free;
            else if (row.action == kNewVersion)
                event.action = TraceAction::FirstUnknown;
            else
                event.action = static_cast<TraceAction>(kKnownActions + 1);
            if (row.action == kExisted)
                m_timeline.existingBytes += event.size;
            if (row.action == kNewVersion && row.bytes > 0)
                ++m_timeline.newVersions;
            if (row.action != 0 && __builtin_add_overflow(level, row.bytes, &level))
                level = INT64_MAX;
            m_timeline.peakBytes = std::max(m_timeline.peakBytes, static_cast<std::uint64_t>(std::max<std::int64_t>(level, 0)));
            snapshot.events.append(event);
        }
        return {};
    }

    ByteSource &m_source;
    const SnapshotReading &m_reading;
    JsonReader m_json;
    JsonElements m_elements;
    MemoryTimeline m_timeline;
    std::vector<Number> m_first; // the first list: times, or a raw row
    std::vector<RawRow> m_raw;
    std::uint64_t m_unknownActions = 0;
};

} // namespace

std::string_view toString(TimelineCategory category) noexcept
{
    const auto at = static_cast<std::size_t>(category);
    return at < kNames.size() ? kNames[at] : "none";
}

Result<MemoryTimeline> readMemoryTimeline(ByteSource &source, const SnapshotReading &reading)
{
    try {
        return TimelineReader(source, reading).read();
    } catch (const std::bad_alloc &) {
        return failure(Error::Code::TooLarge, "There is not enough memory to read this file.");
    }
}

} // namespace plimsoll
