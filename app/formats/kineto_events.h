// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to the reader of profiler traces.

#include "formats/json_element.h"
#include "formats/kineto.h"
#include "formats/kineto_stacks.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plimsoll {

__extension__ typedef __int128 WideInteger; // sums and products are cut once, at the end

/// To the ends of 64 bits.
[[nodiscard]] std::int64_t saturated(WideInteger value) noexcept;
[[nodiscard]] std::int64_t nanoseconds(const ChromeTime &time) noexcept;
/// A token without its quotes: numbers come as texts too.
[[nodiscard]] std::string_view withoutQuotes(std::string_view token) noexcept;

/// One [memory] or [OutOfMemory] event as it is written.
struct KinetoMemoryRow
{
    ChromeTime time;
    std::int64_t bytes = 0;
    std::uint64_t address = kUnknownBytes;
    std::int64_t allocated = 0;
    std::int64_t reserved = 0;
    std::uint32_t device = 0; // of the census
    std::uint32_t thread : 28 = 0;
    std::uint32_t isOom : 1 = 0;
    std::uint32_t hasAllocated : 1 = 0;
    std::uint32_t hasReserved : 1 = 0;
    StackId stack = kNoStack;
};

struct KinetoAnnotation
{
    ChromeTime begin;
    double duration = 0; // microseconds
    TextId name = 0;
};

/// Takes the events of a trace one by one and keeps what memory needs: the memory events, what ran on
/// threads, annotations, counts.
class KinetoEvents
{
public:
    KinetoEvents(TextTable &texts, KinetoCensus &census) : m_texts(texts), m_census(census) {}

    [[nodiscard]] JsonError take(JsonValue &value);
    /// From here on, without stacks.
    void dropRanges();

    std::vector<KinetoMemoryRow> rows; // in the file's order
    std::vector<ThreadRange> ranges;
    std::vector<KinetoAnnotation> annotations;
    std::uint64_t notObjects = 0;
    std::uint64_t incomplete = 0; // memory events without time, size or device
    [[nodiscard]] std::size_t threads() const noexcept { return m_threads.size(); }

    static constexpr std::size_t kMaxThreads = 1U << 20U;

private:
    struct Event
    {
        std::string_view phase; // tokens
        std::string_view category;
        std::string_view name;
        std::string_view pid;
        std::string_view tid;
        std::string_view time;
        std::string_view duration;
        std::string_view deviceType;
        std::string_view deviceId;
        std::string_view address;
        std::string_view bytes;
        std::string_view allocated;
        std::string_view reserved;
    };

    [[nodiscard]] static JsonError takeArguments(Event &event, JsonValue &value);
    [[nodiscard]] static JsonError takeFields(Event &event, JsonObject &object);
    void countPhase(std::string_view token);
    [[nodiscard]] std::uint32_t threadOf(const Event &event);
    [[nodiscard]] std::optional<std::uint32_t> deviceOf(const Event &event);
    void takeMemory(const Event &event);
    void takeRange(const Event &event);

    TextTable &m_texts;
    KinetoCensus &m_census;
    std::unordered_map<std::string, std::uint32_t> m_threads;
    std::string m_threadKey;
    std::string m_lastPid;
    std::string m_lastTid;
    std::uint32_t m_lastThread = 0;
    std::string m_deviceKey;
    std::string m_buffer;
    std::array<std::uint16_t, 256> m_phases{}; // index + 1 in eventsByPhase
    std::optional<ChromeTime> m_lastTime;
    bool m_areRangesKept = true;
};

} // namespace plimsoll
