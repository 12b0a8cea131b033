// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/frame.h"
#include "wire/hello.h"
#include "wire/limits.h"

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string>

namespace plimsoll {

/// Random values of the model, all within the limits of the wire, so that they must come back as they went.
class RandomModel
{
public:
    explicit RandomModel(std::uint32_t seed) : m_random(seed) {}

    std::uint64_t number(std::uint64_t least, std::uint64_t most)
    {
        return std::uniform_int_distribution<std::uint64_t>(least, most)(m_random);
    }
    bool flip() { return number(0, 1) == 1; }

    std::string text(std::size_t least, std::size_t most)
    {
        static constexpr std::array<const char *, 8> kPieces{"a", "\u00e9", "\u20ac", "\U0001F600", "\n", "\u202e", "\"", "<b>"};
        std::string made;
        const auto length = number(least, most);
        while (made.size() < length)
            made += kPieces[number(0, kPieces.size() - 1)];
        return made.size() > most ? std::string(length, 'x') : made;
    }

    Instant instant()
    {
        const auto edge = number(0, 9);
        if (edge == 0)
            return fromUnixNanos(0);
        if (edge == 1)
            return fromUnixNanos(wire::kLatestUnixNano);
        return fromUnixNanos(static_cast<std::int64_t>(number(0, wire::kLatestUnixNano)));
    }

    Labels labels()
    {
        std::vector<Labels::Pair> pairs;
        for (auto left = number(0, 5); left > 0; --left)
            pairs.emplace_back(text(1, 20), text(0, 40));
        return Labels(pairs);
    }

    double value()
    {
        switch (number(0, 6)) {
        case 0: return absentValue();
        case 1: return std::numeric_limits<double>::infinity();
        case 2: return -0.0;
        case 3: return std::numeric_limits<double>::denorm_min();
        default: return std::uniform_real_distribution<double>(-1e18, 1e18)(m_random);
        }
    }

    SampleBlock block()
    {
        SampleBlock made;
        const auto rows = number(1, 20);
        const auto columns = number(1, 30);
        auto time = static_cast<std::int64_t>(number(0, 1'900'000'000'000'000'000));
        for (std::uint64_t row = 0; row < rows; ++row) {
            made.times.push_back(fromUnixNanos(time));
            time += static_cast<std::int64_t>(number(1, 10'000'000'000));
        }
        std::uint32_t id = 0;
        for (std::uint64_t column = 0; column < columns; ++column)
            made.columns.push_back(id += static_cast<std::uint32_t>(number(1, 1000)));
        std::shuffle(made.columns.begin(), made.columns.end(), m_random);
        for (std::uint64_t i = 0; i < rows * columns; ++i)
            made.values.push_back(value());
        return made;
    }

    Event event()
    {
        Event made;
        made.time = instant();
        made.kind = static_cast<EventKind>(number(0, 16));
        made.labels = labels();
        made.text = text(0, 200);
        if (flip())
            made.value = static_cast<double>(number(0, 1U << 30U));
        return made;
    }

    StepRecord step()
    {
        StepRecord made;
        const auto bytes = [&] { return Bytes{static_cast<std::int64_t>(number(0, wire::kMaxNumber))}; };
        made.time = instant();
        made.labels = labels();
        made.step = number(0, wire::kMaxNumber);
        if (flip())
            made.peak = bytes();
        if (flip())
            made.allocated = bytes();
        if (flip())
            made.reserved = bytes();
        if (flip())
            made.batchSize = number(0, 1U << 20U);
        if (flip())
            made.inputSize = number(0, 1U << 20U);
        if (flip())
            made.duration = Duration(static_cast<std::int64_t>(number(0, wire::kMaxNumber)));
        if (flip())
            made.activationCheckpointing = flip();
        return made;
    }

    Frame frame()
    {
        Frame made;
        made.sequence = number(1, wire::kMaxNumber);
        switch (number(0, 3)) {
        case 0: made.body = event(); break;
        case 1: made.body = step(); break;
        default: made.body = block(); break;
        }
        return made;
    }

    SeriesDefinition definition()
    {
        SeriesDefinition made;
        made.id = static_cast<std::uint32_t>(number(1, std::numeric_limits<std::uint32_t>::max()));
        made.info.key = {text(1, 60), labels()};
        made.info.unit = text(0, 8);
        made.info.kind = static_cast<MetricKind>(number(0, 4));
        made.info.group = text(0, 30);
        made.info.interval = std::chrono::milliseconds(number(1, 1U << 30U));
        made.info.source = {text(0, 60), text(0, 8), flip() ? 1048576. : 0.001};
        return made;
    }

    SourceState source()
    {
        return {text(0, 100), flip(), text(0, 100), number(0, wire::kMaxNumber), number(0, wire::kMaxNumber)};
    }

    wire::Hello hello()
    {
        wire::Hello made;
        made.version = {wire::kProtocolVersion.major, static_cast<std::uint32_t>(number(0, 1000))};
        made.agent = text(0, 40);
        made.agentId = text(1, 40);
        made.hostName = text(0, 40);
        made.epoch = number(1, std::numeric_limits<std::uint64_t>::max());
        for (auto left = number(0, 5); left > 0; --left)
            made.capabilities.push_back(text(0, 12));
        made.wall = instant();
        made.monotonic = MonotonicInstant{Duration(static_cast<std::int64_t>(number(0, wire::kLatestUnixNano)))};
        made.oldestSequence = number(0, 1000);
        made.newestSequence = number(1000, wire::kMaxNumber);
        made.interval = std::chrono::milliseconds(number(1, 1U << 30U));
        for (auto left = number(0, 3); left > 0; --left)
            made.sources.push_back(source());
        return made;
    }

private:
    std::mt19937 m_random;
};

} // namespace plimsoll
