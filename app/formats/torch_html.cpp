// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_html.h"

#include "formats/torch_pickle_stream.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {
namespace {

constexpr std::size_t kBuffer = 256U << 10U;
constexpr std::uint8_t kSkip = 0xfe;
constexpr std::uint8_t kStop = 0xff;

constexpr std::array<std::uint8_t, 256> makeDigits()
{
    std::array<std::uint8_t, 256> digits{};
    for (auto &digit : digits)
        digit = kStop;
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < kAlphabet.size(); ++i)
        digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
    for (const char c : {'\n', '\r', ' ', '\t', '\\'}) // JSON may write a slash as \/
        digits[static_cast<unsigned char>(c)] = kSkip;
    return digits;
}

constexpr auto kDigits = makeDigits();

/// The bytes behind a page's base64 text.
class Base64Source final : public ByteSource
{
public:
    explicit Base64Source(ByteSource &page, const std::stop_token &stop) : m_page(page), m_stop(stop), m_buffer(kBuffer) {}

    /// Moves behind `mark`; false when the page does not have it.
    [[nodiscard]] Result<bool> skipBehind(std::string_view mark)
    {
        std::size_t matched = 0;
        while (true) {
            const auto more = refill();
            if (!more)
                return more;
            if (!*more)
                return false;
            while (m_begin != m_end) {
                const char c = m_buffer[m_begin++];
                if (c == mark[matched])
                    ++matched;
                else
                    matched = c == mark[0] ? 1 : 0; // no mark here repeats its beginning
                if (matched == mark.size())
                    return true;
            }
        }
    }

    [[nodiscard]] Result<std::size_t> read(std::span<char> into) override
    {
        std::size_t made = 0;
        while (made < into.size() && !m_isOver) {
            if (m_begin == m_end && made != 0 && m_end != m_buffer.size())
                break; // give what there is before waiting for more
            const auto more = refill();
            if (!more)
                return tl::make_unexpected(more.error());
            if (!*more) {
                m_isOver = true;
                break;
            }
            while (m_begin != m_end && made < into.size()) {
                const auto digit = kDigits[static_cast<unsigned char>(m_buffer[m_begin++])];
                if (digit == kSkip)
                    continue;
                if (digit == kStop) { // the closing quote, or = in front of it
                    m_isOver = true;
                    break;
                }
                m_bits = (m_bits << 6U) | digit;
                m_held += 6;
                if (m_held >= 8) {
                    m_held -= 8;
                    into[made++] = static_cast<char>((m_bits >> m_held) & 0xffU);
                }
            }
        }
        return made;
    }
    [[nodiscard]] std::uint64_t taken() const noexcept override { return m_page.taken() - (m_end - m_begin); }
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return std::nullopt; }

private:
    [[nodiscard]] Result<bool> refill()
    {
        if (m_begin != m_end)
            return true;
        if (m_stop.stop_requested())
            return failure(Error::Code::Cancelled, "Reading was cancelled.");
        const auto got = m_page.read(m_buffer);
        if (!got)
            return tl::make_unexpected(got.error());
        m_begin = 0;
        m_end = *got;
        return m_end != 0;
    }

    ByteSource &m_page;
    std::stop_token m_stop;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
    std::uint32_t m_bits = 0;
    unsigned m_held = 0;
    bool m_isOver = false;
};

} // namespace

Result<MemorySnapshot> readTorchHtml(ByteSource &source, const SnapshotReading &reading)
{
    Base64Source pickle(source, reading.stop);
    // {"name": "snapshot.pickle", "base64": "gASV…"}: the name comes first, and spaces are the writer's choice.
    for (const std::string_view mark : {"local_files", "\"base64\"", ":", "\""}) {
        const auto found = pickle.skipBehind(mark);
        if (!found)
            return tl::make_unexpected(found.error());
        if (!*found)
            return failure(Error::Code::Unsupported, "This page holds no snapshot: \"local_files\" with a \"base64\" text "
                                                     "was looked for, as memory_viz writes it.");
    }
    return readTorchPickle(pickle, reading, PickleStream{source.size(), true, true});
}

} // namespace plimsoll
