// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/heap_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30U;
constexpr std::size_t kMaxFrames = 1U << 16U; // of one stack

using Four = std::array<std::int64_t, 4>; // objects and bytes in use, then ever allocated

std::string_view trimmed(std::string_view text) noexcept
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
    return text;
}

/// Takes pieces of a line from its front.
class Line
{
public:
    explicit Line(std::string_view text) noexcept : m_text(text) {}

    [[nodiscard]] bool skip(std::string_view text) noexcept
    {
        m_text = trimmed(m_text);
        if (!m_text.starts_with(text))
            return false;
        m_text.remove_prefix(text.size());
        return true;
    }
    template <class Integer>
    [[nodiscard]] bool number(Integer &value, int base = 10) noexcept
    {
        m_text = trimmed(m_text);
        const auto [stop, error] = std::from_chars(m_text.data(), m_text.data() + m_text.size(), value, base);
        if (error != std::errc())
            return false;
        m_text.remove_prefix(static_cast<std::size_t>(stop - m_text.data()));
        return true;
    }
    [[nodiscard]] bool address(std::uint64_t &value) noexcept { return skip("0x") && number(value, 16); }
    [[nodiscard]] std::string_view word() noexcept
    {
        m_text = trimmed(m_text);
        const auto end = std::min(m_text.find_first_of(" \t"), m_text.size());
        const auto found = m_text.substr(0, end);
        m_text.remove_prefix(end);
        return found;
    }
    [[nodiscard]] std::string_view rest() const noexcept { return trimmed(m_text); }

private:
    std::string_view m_text;
};

// "13: 1595680 [47130736: 2584596557304]"
bool takeFour(Line &line, Four &values) noexcept
{
    return line.number(values[0]) && line.skip(":") && line.number(values[1]) && line.skip("[") && line.number(values[2])
        && line.skip(":") && line.number(values[3]) && line.skip("]");
}

std::string hexadecimal(std::uint64_t value)
{
    std::array<char, 16> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return "0x" + std::string(digits.data(), end);
}

void add(std::int64_t &to, std::int64_t value) noexcept
{
    if (__builtin_add_overflow(to, value, &to))
        to = value > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

struct Sample
{
    Four values{};
    std::vector<std::uint64_t> addresses; // innermost first
    std::vector<FrameId> frames;          // where the text spells the stack out
};

class HeapTextReader
{
public:
    HeapTextReader(std::string_view text, const SnapshotReading &reading) : m_text(text), m_reading(reading) {}

    [[nodiscard]] Result<HeapProfile> read()
    {
        std::size_t at = 0;
        while (at < m_text.size()) {
            if (m_profile.lines % 4096 == 0 && m_reading.stop.stop_requested())
                return failure(Error::Code::Cancelled, "Reading was cancelled at byte " + std::to_string(at) + '.');
            const auto end = std::min(m_text.find('\n', at), m_text.size());
            auto line = m_text.substr(at, end - at);
            if (line.ends_with('\r'))
                line.remove_suffix(1);
            at = end + 1;
            if (m_profile.lines++ == 0) {
                if (const auto state = takeFirst(line); !state)
                    return tl::make_unexpected(state.error());
            } else {
                takeLine(line);
            }
            if (m_samples.size() > m_reading.limits.events || m_addresses * 8 > m_reading.limits.memoryBytes / 4)
                return failure(Error::Code::TooLarge, "The profile has more than " + std::to_string(m_samples.size()) + " samples.");
        }
        finish();
        return std::move(m_profile);
    }

private:
    [[nodiscard]] Result<void> takeFirst(std::string_view line)
    {
        m_profile.firstLine = line.substr(0, 4096);
        Line rest(line);
        std::int64_t period = 0;
        if (rest.skip("heap profile:")) {
            Four totals{};
            if (!takeFour(rest, totals) || !rest.skip("@"))
                return failure(Error::Code::Corrupt, "In the first line of the heap profile four totals and '@' were expected.");
            m_profile.statedTotals.emplace(totals.begin(), totals.end());
            const auto kind = rest.word();
            const auto slash = std::min(kind.find('/'), kind.size());
            if (slash < kind.size())
                (void)Line(kind.substr(slash + 1)).number(period);
            const auto name = kind.substr(0, slash);
            m_profile.form = name == "heap" ? HeapProfile::Form::Go : HeapProfile::Form::Gperftools;
            if (name == "heap")
                period /= 2; // Go writes twice its rate
            m_isSampled = (name == "heap" || name == "heapz_v2" || name == "heap_v2") && period > 0;
        } else if (rest.skip("heap_v2/")) {
            m_profile.form = HeapProfile::Form::Jemalloc;
            m_isSampled = rest.number(period) && period > 0;
        } else if (rest.skip("--- heapz ")) {
            m_profile.form = HeapProfile::Form::Java;
        } else {
            return failure(Error::Code::BadInput, "This is no heap profile as text: its first line is none that is known.");
        }
        if (period > 0) {
            m_profile.period = period;
            m_profile.periodType = HeapValueType{"space", "bytes"};
        }
        return {};
    }

    void takeLine(std::string_view line)
    {
        const auto text = trimmed(line);
        if (text.empty())
            return;
        if (text.starts_with("MAPPED_LIBRARIES:") || text.starts_with("--- Memory map:") || text.starts_with("/proc/self/maps")) {
            m_isInMap = true;
        } else if (text.starts_with("#")) {
            takeComment(text);
        } else if (m_isInMap || takeMapping(text)) {
            if (m_isInMap)
                (void)takeMapping(text);
        } else if (m_profile.form == HeapProfile::Form::Jemalloc) {
            takeJemalloc(text);
        } else if (m_profile.form == HeapProfile::Form::Java) {
            takeJava(text);
        } else {
            takeSample(text);
        }
    }

    void takeSample(std::string_view text)
    {
        Line line(text);
        Sample sample;
        if (!takeFour(line, sample.values) || !line.skip("@")) {
            ++m_notUnderstood;
            return;
        }
        takeAddresses(line, sample);
        m_samples.push_back(std::move(sample));
    }

    // "@ 0x… 0x…", then "t*: …" for all threads and "t1: …" for each.
    void takeJemalloc(std::string_view text)
    {
        Line line(text);
        if (line.skip("@")) {
            m_samples.emplace_back();
            takeAddresses(line, m_samples.back());
            return;
        }
        if (!line.skip("t")) {
            ++m_notUnderstood;
            return;
        }
        if (!line.skip("*:"))
            return; // one thread's part
        Four values{};
        if (!takeFour(line, values))
            ++m_notUnderstood;
        else if (m_samples.empty())
            m_profile.statedTotals.emplace(values.begin(), values.end());
        else
            m_samples.back().values = values;
    }

    void takeJava(std::string_view text)
    {
        Line line(text);
        Sample sample;
        std::uint64_t address = 0;
        if (line.address(address)) { // " 0x00000076 com.example.f (Source.java:176)"
            takeSymbol(address, line.rest());
        } else if (line.number(sample.values[1]) && line.number(sample.values[0]) && line.skip("@")) {
            takeAddresses(line, sample);
            m_samples.push_back(std::move(sample));
        } else if (text.find(" = ") == std::string_view::npos && !text.starts_with("---")) {
            ++m_notUnderstood;
        }
    }

    void takeSymbol(std::uint64_t address, std::string_view text)
    {
        StackFrame frame;
        auto name = text;
        if (const auto open = text.rfind(" ("); open != std::string_view::npos && text.ends_with(')')) {
            name = text.substr(0, open);
            auto file = text.substr(open + 2, text.size() - open - 3);
            const auto colon = file.rfind(':');
            if (colon != std::string_view::npos && Line(file.substr(colon + 1)).number(frame.line))
                file = file.substr(0, colon);
            frame.file = m_profile.texts.intern(file);
        }
        frame.name = m_profile.texts.intern(name);
        m_symbols.emplace(address, m_profile.stacks.internFrame(frame));
    }

    // Go: "#	0x420cee	runtime.makeslice+0x4e	/usr/lib/go/src/runtime/slice.go:41"
    void takeComment(std::string_view text)
    {
        Line line(text.substr(1));
        std::uint64_t address = 0;
        if (m_samples.empty() || !line.address(address))
            return;
        StackFrame frame;
        auto rest = line.rest();
        const auto tab = std::min(rest.find('\t'), rest.size());
        auto name = rest.substr(0, tab);
        name = name.substr(0, name.rfind("+0x"));
        auto file = trimmed(rest.substr(tab));
        if (const auto colon = file.rfind(':'); colon != std::string_view::npos && Line(file.substr(colon + 1)).number(frame.line))
            file = file.substr(0, colon);
        frame.name = m_profile.texts.intern(name);
        frame.file = m_profile.texts.intern(file);
        if (m_samples.back().frames.size() < kMaxFrames) {
            m_samples.back().frames.push_back(m_profile.stacks.internFrame(frame));
            ++m_addresses;
        }
    }

    void takeAddresses(Line &line, Sample &sample)
    {
        std::uint64_t address = 0;
        while (sample.addresses.size() < kMaxFrames && line.address(address))
            sample.addresses.push_back(address);
        m_addresses += sample.addresses.size() + 8;
        m_profile.deepestStack = std::max(m_profile.deepestStack, sample.addresses.size());
    }

    // "7f5579026000-7f5579036000 r-xp 00007000 00:11 10026   /usr/lib/libpthread.so"
    [[nodiscard]] bool takeMapping(std::string_view text)
    {
        Line line(text);
        HeapMapping mapping;
        if (!line.number(mapping.start, 16) || !line.skip("-") || !line.number(mapping.limit, 16) || mapping.limit <= mapping.start)
            return false;
        if (!line.skip(":")) { // gperftools leaves the rest out
            if (line.word().size() != 4 || !line.number(mapping.offset, 16))
                return false;
            (void)line.word();
            (void)line.word();
        }
        mapping.file = m_profile.texts.intern(line.rest());
        m_profile.mappings.push_back(mapping);
        return true;
    }

    [[nodiscard]] FrameId frameOf(std::uint64_t address)
    {
        if (const auto found = m_symbols.find(address); found != m_symbols.end())
            return found->second;
        const auto &mappings = m_profile.mappings;
        auto found = std::upper_bound(m_byStart.begin(), m_byStart.end(), address,
                                      [&mappings](std::uint64_t at, std::size_t i) { return at < mappings[i].start; });
        TextId file = 0;
        if (found != m_byStart.begin() && address < mappings[*std::prev(found)].limit)
            file = mappings[*std::prev(found)].file;
        const auto frame = m_profile.stacks.internFrame({file, m_profile.texts.intern(hexadecimal(address)), 0});
        m_symbols.emplace(address, frame);
        return frame;
    }

    void finish()
    {
        const bool hasAllocated = m_profile.form != HeapProfile::Form::Java;
        m_profile.sampleTypes = {{"inuse_objects", "count"}, {"inuse_space", "bytes"}};
        if (hasAllocated) {
            m_profile.sampleTypes.push_back({"alloc_objects", "count"});
            m_profile.sampleTypes.push_back({"alloc_space", "bytes"});
        }
        const auto types = m_profile.sampleTypes.size();
        m_profile.valueSums.resize(types);
        m_profile.locations = 0;
        m_byStart.resize(m_profile.mappings.size());
        for (std::size_t i = 0; i < m_byStart.size(); ++i)
            m_byStart[i] = i;
        std::sort(m_byStart.begin(), m_byStart.end(), [this](std::size_t a, std::size_t b) {
            return m_profile.mappings[a].start < m_profile.mappings[b].start;
        });
        std::vector<double> estimates(types);
        std::vector<FrameId> frames;
        for (auto &sample : m_samples) {
            frames = std::move(sample.frames);
            if (frames.empty())
                for (const auto address : sample.addresses)
                    frames.push_back(frameOf(address));
            for (std::size_t i = 0; i < types; ++i) {
                m_profile.values.push_back(sample.values[i]);
                add(m_profile.valueSums[i], sample.values[i]);
            }
            estimate(sample.values, estimates);
            HeapSample kept;
            kept.stack = m_profile.stacks.internStack(frames);
            m_profile.samples.push_back(kept);
        }
        if (m_isSampled)
            m_profile.estimatedSums = std::move(estimates);
        m_profile.locations = m_symbols.size();
        m_profile.functions = m_profile.stacks.frameCount();
        m_profile.strings = m_profile.texts.size();
        if (m_notUnderstood != 0)
            m_profile.warnings.push_back(std::to_string(m_notUnderstood) + " lines were not understood and are left out.");
    }

    // A byte is seen with a probability of 1/period: a sample of an average size s stands for 1/(1−e^(−s/period)).
    void estimate(const Four &values, std::vector<double> &sums) const
    {
        if (!m_isSampled)
            return;
        for (std::size_t i = 0; i + 1 < sums.size(); i += 2) {
            const auto count = static_cast<double>(values[i]);
            const auto bytes = static_cast<double>(values[i + 1]);
            if (count <= 0 || bytes <= 0)
                continue;
            const auto scale = 1 / -std::expm1(-bytes / count / static_cast<double>(*m_profile.period));
            sums[i] += count * scale;
            sums[i + 1] += bytes * scale;
        }
    }

    std::string_view m_text;
    const SnapshotReading &m_reading;
    HeapProfile m_profile;
    std::vector<Sample> m_samples;
    std::unordered_map<std::uint64_t, FrameId> m_symbols;
    std::vector<std::size_t> m_byStart; // mappings
    std::size_t m_addresses = 0;
    std::uint64_t m_notUnderstood = 0;
    bool m_isSampled = false;
    bool m_isInMap = false;
};

} // namespace

Result<HeapProfile> readHeapText(ByteSource &source, const SnapshotReading &reading)
{
    const auto text = readAll(source, std::min(kMaxBytes, reading.limits.memoryBytes / 4));
    if (!text)
        return tl::make_unexpected(text.error());
    if (!looksLikeHeapText(*text))
        return failure(Error::Code::BadInput, "This is no heap profile as text: its first line is none that is known.");
    auto profile = HeapTextReader(*text, reading).read();
    if (profile) {
        profile->fileBytes = source.taken();
        profile->isCompressed = !source.size().has_value();
        profile->plainBytes = text->size();
    }
    return profile;
}

bool looksLikeHeapText(std::string_view firstBytes) noexcept
{
    return firstBytes.starts_with("heap profile:") || firstBytes.starts_with("heap_v2/") || firstBytes.starts_with("--- heapz ");
}

} // namespace plimsoll
