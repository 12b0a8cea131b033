// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pprof.h"

#include "formats/wire_reader.h"

#include <algorithm>
#include <limits>
#include <new>
#include <unordered_map>
#include <utility>

namespace plimsoll {
namespace {

using Type = WireReader::Type;

constexpr std::size_t kMaxSampleTypes = 64;
constexpr std::uint64_t kMaxProfileBytes = std::uint64_t{1} << 30U;
constexpr std::size_t kMaxLabelBytes = 64U << 20U; // of the texts in labelSums

struct Location
{
    std::uint64_t address = 0;
    std::uint64_t mapping = 0;
    std::vector<FrameId> frames; // innermost first
};

struct Function
{
    TextId name = 0;
    TextId file = 0;
};

std::string hexadecimal(std::uint64_t value)
{
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string digits;
    do {
        digits.insert(digits.begin(), kHex[value & 15U]);
        value >>= 4U;
    } while (value != 0);
    return "0x" + digits;
}

class PprofReader
{
public:
    PprofReader(std::string_view bytes, const SnapshotReading &reading) : m_bytes(bytes), m_reading(reading) {}

    [[nodiscard]] Result<HeapProfile> read()
    {
        // Messages refer to each other in any order: strings first, then what names them.
        for (const auto pass : {&PprofReader::takeString, &PprofReader::takeTable, &PprofReader::takeLocation, &PprofReader::takeSample}) {
            WireReader fields(m_bytes, 0);
            for (std::size_t i = 0; fields.next(); ++i) {
                if (i % 4096 == 0 && m_reading.stop.stop_requested())
                    return failure(Error::Code::Cancelled, "Reading was cancelled at byte " + std::to_string(fields.offset()) + '.');
                if (const auto state = (this->*pass)(fields); !state)
                    return tl::make_unexpected(state.error());
            }
            if (fields.isDamaged())
                return damaged(fields);
        }
        if (m_profile.sampleTypes.empty())
            return failure(Error::Code::BadInput, "This is no heap profile: it names no sample type.");
        if (m_lostLocations != 0)
            m_profile.warnings.push_back(std::to_string(m_lostLocations) + " stack frames name a location that is not in the file.");
        return std::move(m_profile);
    }

private:
    [[nodiscard]] static tl::unexpected<Error> damaged(const WireReader &fields)
    {
        return failure(Error::Code::Corrupt, "The profile is damaged near byte " + std::to_string(fields.offset())
                                                 + " of its unpacked bytes: a field of protocol buffers was expected.");
    }

    [[nodiscard]] Result<void> takeString(WireReader &field)
    {
        if (!field.is(6, Type::Bytes))
            return {};
        m_strings.push_back(m_profile.texts.intern(field.text()));
        ++m_profile.strings;
        return {};
    }

    [[nodiscard]] Result<TextId> textAt(std::uint64_t index, const WireReader &where) const
    {
        if (index < m_strings.size())
            return m_strings[static_cast<std::size_t>(index)];
        if (index == 0)
            return TextId{0}; // a profile without any string
        return failure(Error::Code::Corrupt, "Near byte " + std::to_string(where.offset()) + " string " + std::to_string(index)
                                                 + " is named, but there are " + std::to_string(m_strings.size()) + '.');
    }

    [[nodiscard]] Result<HeapValueType> valueType(WireReader inner) const
    {
        HeapValueType type;
        while (inner.next()) {
            if (inner.is(1, Type::Varint) || inner.is(2, Type::Varint)) {
                const auto text = textAt(inner.number(), inner);
                if (!text)
                    return tl::make_unexpected(text.error());
                (inner.field() == 1 ? type.type : type.unit) = m_profile.texts[*text];
            }
        }
        if (inner.isDamaged())
            return damaged(inner);
        return type;
    }

    // All but strings, locations (they need functions) and samples (they need locations).
    [[nodiscard]] Result<void> takeTable(WireReader &field)
    {
        const auto number = [&field] { return static_cast<std::int64_t>(field.number()); };
        if (field.is(1, Type::Bytes)) {
            if (m_profile.sampleTypes.size() >= kMaxSampleTypes)
                return failure(Error::Code::TooLarge, "The profile has more than " + std::to_string(kMaxSampleTypes) + " sample types.");
            auto type = valueType(field.message());
            if (!type)
                return tl::make_unexpected(type.error());
            m_profile.sampleTypes.push_back(std::move(*type));
            m_profile.valueSums.push_back(0);
        } else if (field.is(3, Type::Bytes)) {
            return takeMapping(field.message());
        } else if (field.is(5, Type::Bytes)) {
            return takeFunction(field.message());
        } else if (field.is(11, Type::Bytes)) {
            auto type = valueType(field.message());
            if (!type)
                return tl::make_unexpected(type.error());
            m_profile.periodType = std::move(*type);
        } else if (field.is(9, Type::Varint)) {
            m_profile.timeNanos = number();
        } else if (field.is(10, Type::Varint)) {
            m_profile.durationNanos = number();
        } else if (field.is(12, Type::Varint)) {
            m_profile.period = number();
        } else if (field.is(14, Type::Varint) || field.is(13, Type::Varint)) {
            const auto text = textAt(field.number(), field);
            if (!text)
                return tl::make_unexpected(text.error());
            if (field.field() == 14)
                m_profile.defaultSampleType = std::string(m_profile.texts[*text]);
            else if (m_profile.comments.size() < 256)
                m_profile.comments.emplace_back(m_profile.texts[*text]);
        }
        return {};
    }

    [[nodiscard]] Result<void> takeMapping(WireReader inner)
    {
        HeapMapping mapping;
        std::uint64_t id = 0;
        while (inner.next()) {
            if (inner.is(1, Type::Varint))
                id = inner.number();
            else if (inner.is(2, Type::Varint))
                mapping.start = inner.number();
            else if (inner.is(3, Type::Varint))
                mapping.limit = inner.number();
            else if (inner.is(4, Type::Varint))
                mapping.offset = inner.number();
            else if (inner.is(5, Type::Varint) || inner.is(6, Type::Varint)) {
                const auto text = textAt(inner.number(), inner);
                if (!text)
                    return tl::make_unexpected(text.error());
                (inner.field() == 5 ? mapping.file : mapping.buildId) = *text;
            }
        }
        if (inner.isDamaged())
            return damaged(inner);
        m_mappings[id] = m_profile.mappings.size();
        m_profile.mappings.push_back(mapping);
        return {};
    }

    [[nodiscard]] Result<void> takeFunction(WireReader inner)
    {
        Function function;
        std::uint64_t id = 0;
        TextId systemName = 0;
        while (inner.next()) {
            if (inner.is(1, Type::Varint)) {
                id = inner.number();
            } else if (inner.is(2, Type::Varint) || inner.is(3, Type::Varint) || inner.is(4, Type::Varint)) {
                const auto text = textAt(inner.number(), inner);
                if (!text)
                    return tl::make_unexpected(text.error());
                (inner.field() == 2 ? function.name : inner.field() == 3 ? systemName : function.file) = *text;
            }
        }
        if (inner.isDamaged())
            return damaged(inner);
        if (function.name == 0)
            function.name = systemName;
        ++m_profile.functions;
        m_functions[id] = function;
        return {};
    }

    [[nodiscard]] Result<void> takeLocation(WireReader &field)
    {
        if (!field.is(4, Type::Bytes))
            return {};
        auto inner = field.message();
        Location location;
        std::uint64_t id = 0;
        while (inner.next()) {
            if (inner.is(1, Type::Varint)) {
                id = inner.number();
            } else if (inner.is(2, Type::Varint)) {
                location.mapping = inner.number();
            } else if (inner.is(3, Type::Varint)) {
                location.address = inner.number();
            } else if (inner.is(4, Type::Bytes)) {
                auto line = inner.message();
                Function function;
                std::uint64_t number = 0;
                while (line.next()) {
                    if (line.is(1, Type::Varint)) {
                        if (const auto found = m_functions.find(line.number()); found != m_functions.end())
                            function = found->second;
                    } else if (line.is(2, Type::Varint)) {
                        number = line.number();
                    }
                }
                if (line.isDamaged())
                    return damaged(line);
                location.frames.push_back(m_profile.stacks.internFrame({function.file, function.name, number}));
            }
        }
        if (inner.isDamaged())
            return damaged(inner);
        if (location.frames.empty()) { // not symbolised: the address, and the file where it lies
            const auto mapping = m_mappings.find(location.mapping);
            const auto file = mapping == m_mappings.end() ? TextId{0} : m_profile.mappings[mapping->second].file;
            location.frames.push_back(m_profile.stacks.internFrame({file, m_profile.texts.intern(hexadecimal(location.address)), 0}));
        }
        ++m_profile.locations;
        m_locations[id] = std::move(location);
        return {};
    }

    template <class Each>
    [[nodiscard]] static bool eachNumber(const WireReader &field, Each &&each)
    {
        WireReader packed(field.text(), 0);
        while (packed.offset() < field.text().size()) {
            const auto number = packed.varint();
            if (!number)
                return false;
            each(*number);
        }
        return true;
    }

    [[nodiscard]] Result<void> takeSample(WireReader &field)
    {
        if (!field.is(2, Type::Bytes))
            return {};
        auto inner = field.message();
        const auto types = m_profile.sampleTypes.size();
        HeapSample sample;
        sample.firstLabel = m_profile.labels.size();
        m_frames.clear();
        m_values.clear();
        std::size_t depth = 0;
        const auto takeFrame = [&](std::uint64_t id) {
            ++depth;
            const auto found = m_locations.find(id);
            if (found == m_locations.end()) {
                ++m_lostLocations;
                m_frames.push_back(m_profile.stacks.internFrame({}));
            } else {
                m_frames.insert(m_frames.end(), found->second.frames.begin(), found->second.frames.end());
                m_framesSeen += found->second.frames.size();
            }
        };
        const auto takeValue = [&](std::uint64_t value) { m_values.push_back(static_cast<std::int64_t>(value)); };
        while (inner.next()) {
            if (inner.is(1, Type::Varint))
                takeFrame(inner.number());
            else if (inner.is(2, Type::Varint))
                takeValue(inner.number());
            else if (inner.is(1, Type::Bytes) ? !eachNumber(inner, takeFrame) : inner.is(2, Type::Bytes) && !eachNumber(inner, takeValue))
                return damaged(inner);
            else if (inner.is(3, Type::Bytes))
                if (const auto state = takeLabel(inner.message()); !state)
                    return state;
            // A location of many inlined lines, named by a byte each time, is a bomb.
            if (m_framesSeen > m_bytes.size() * 64 + (1U << 20U))
                return failure(Error::Code::TooLarge, "Near byte " + std::to_string(inner.offset())
                                                          + " the stacks unfold to far more frames than the profile has bytes.");
        }
        if (inner.isDamaged())
            return damaged(inner);
        sample.labelCount = m_profile.labels.size() - sample.firstLabel;
        sample.stack = m_profile.stacks.internStack(m_frames);
        m_profile.deepestStack = std::max(m_profile.deepestStack, depth);
        sumLabels(sample, m_values.empty() ? 0 : m_values.back());
        m_values.resize(types);
        for (std::size_t i = 0; i < types; ++i)
            add(m_profile.valueSums[i], m_values[i]);
        m_profile.values.insert(m_profile.values.end(), m_values.begin(), m_values.end());
        m_profile.samples.push_back(sample);
        return {};
    }

    [[nodiscard]] Result<void> takeLabel(WireReader inner)
    {
        HeapLabel label;
        while (inner.next()) {
            if (inner.is(3, Type::Varint)) {
                label.number = static_cast<std::int64_t>(inner.number());
            } else if (inner.is(1, Type::Varint) || inner.is(2, Type::Varint) || inner.is(4, Type::Varint)) {
                const auto text = textAt(inner.number(), inner);
                if (!text)
                    return tl::make_unexpected(text.error());
                (inner.field() == 1 ? label.key : inner.field() == 2 ? label.text : label.unit) = *text;
            }
        }
        if (inner.isDamaged())
            return damaged(inner);
        m_profile.labels.push_back(label);
        return {};
    }

    void sumLabels(const HeapSample &sample, std::int64_t value)
    {
        for (std::size_t i = sample.firstLabel; i < sample.firstLabel + sample.labelCount; ++i) {
            const auto &label = m_profile.labels[i];
            const std::string key(m_profile.texts[label.key]);
            const auto text = label.text != 0 ? std::string(m_profile.texts[label.text]) : std::to_string(label.number);
            auto &sums = m_profile.labelSums[key];
            auto found = sums.find(text);
            if (found == sums.end()) {
                m_labelBytes += key.size() + text.size() + 64;
                if (m_labelBytes > kMaxLabelBytes) {
                    if (!std::exchange(m_areLabelsCut, true))
                        m_profile.warnings.emplace_back("The profile has so many labels that the sums by label are incomplete.");
                    continue;
                }
                found = sums.emplace(text, 0).first;
            }
            add(found->second, value);
        }
    }

    static void add(std::int64_t &to, std::int64_t value) noexcept
    {
        if (__builtin_add_overflow(to, value, &to))
            to = value > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
    }

    std::string_view m_bytes;
    const SnapshotReading &m_reading;
    HeapProfile m_profile;
    std::vector<TextId> m_strings;
    std::unordered_map<std::uint64_t, std::size_t> m_mappings;
    std::unordered_map<std::uint64_t, Function> m_functions;
    std::unordered_map<std::uint64_t, Location> m_locations;
    std::vector<FrameId> m_frames;
    std::vector<std::int64_t> m_values;
    std::size_t m_framesSeen = 0;
    std::size_t m_lostLocations = 0;
    std::size_t m_labelBytes = 0;
    bool m_areLabelsCut = false;
};

} // namespace

Result<HeapProfile> readPprof(ByteSource &source, const SnapshotReading &reading)
{
    const auto bytes = readAll(source, std::min(kMaxProfileBytes, reading.limits.memoryBytes / 4));
    if (!bytes)
        return tl::make_unexpected(bytes.error());
    if (bytes->empty())
        return failure(Error::Code::BadInput, "The file is empty: there is no profile in it.");
    try {
        auto profile = PprofReader(*bytes, reading).read();
        if (profile) {
            profile->fileBytes = source.taken();
            profile->isCompressed = !source.size().has_value();
            profile->plainBytes = bytes->size();
        }
        return profile;
    } catch (const std::bad_alloc &) {
        return failure(Error::Code::TooLarge, "There is not enough memory to read this profile.");
    }
}

bool looksLikePprof(std::string_view firstBytes) noexcept
{
    WireReader fields(firstBytes, 0);
    bool isFirst = true;
    while (fields.next()) {
        const auto field = fields.field();
        const bool isMessage = (field >= 1 && field <= 6) || field == 11;
        if (field > 15 || (isMessage && !fields.is(field, Type::Bytes)) || fields.is(field, Type::Fixed64) || fields.is(field, Type::Fixed32))
            return false;
        if (isFirst) { // all writers begin with a sample type: two small numbers
            if (field != 1)
                return false;
            auto inner = fields.message();
            while (inner.next())
                if (!inner.is(1, Type::Varint) && !inner.is(2, Type::Varint))
                    return false;
            if (inner.isDamaged())
                return false;
        }
        isFirst = false;
    }
    return !isFirst; // what is cut off at the end looks damaged and is not
}

} // namespace plimsoll
