// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/snapshot_format.h"

#include "formats/heap_text.h"
#include "formats/pprof.h"

#include <algorithm>
#include <array>
#include <optional>

namespace plimsoll {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// The keys of the outermost object, or of the first object of the outermost list, one after
/// the other, without understanding the values between them.
class JsonKeys
{
public:
    explicit JsonKeys(std::string_view text) : m_text(text) {}

    [[nodiscard]] std::optional<std::string_view> next(std::size_t wantedDepth) noexcept
    {
        std::string_view last; // the text before the colon
        for (; m_at < m_text.size(); ++m_at) {
            switch (m_text[m_at]) {
            case '"': last = string(); break;
            case '{':
            case '[': ++m_depth; break;
            case '}':
            case ']':
                if (m_depth == 0 || --m_depth < wantedDepth)
                    return std::nullopt;
                break;
            case ':':
                if (m_depth == wantedDepth && last.data()) {
                    ++m_at;
                    return last;
                }
                break;
            default: break;
            }
        }
        return std::nullopt;
    }

private:
    std::string_view string() noexcept // leaves m_at on the closing quote
    {
        const auto begin = ++m_at;
        while (m_at < m_text.size() && m_text[m_at] != '"')
            m_at += m_text[m_at] == '\\' ? 2 : 1;
        return m_at <= m_text.size() ? m_text.substr(begin, m_at - begin) : std::string_view();
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_depth = 0;
};

bool isOneOf(std::string_view key, std::initializer_list<std::string_view> keys) noexcept
{
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// memory timelines are lists of lists: [[times], [rows]] or [[time, action, bytes, category], …]
SnapshotFormat sniffListOfLists(std::string_view text) noexcept
{
    const auto inner = text.substr(0, text.find(']'));
    const auto commas = std::count(inner.begin(), inner.end(), ',');
    const auto after = text.find_first_not_of(kBlanks, inner.size() + 1);
    const bool isFour = commas == 3;
    if (after == std::string_view::npos)
        return SnapshotFormat::MemoryTimeline;
    const auto next = text.find('[', after);
    if (next != std::string_view::npos && next + 1 < text.size()) {
        const auto deeper = text.find_first_not_of(kBlanks, next + 1);
        if (deeper != std::string_view::npos && text[deeper] == '[')
            return SnapshotFormat::MemoryTimeline; // the second element is a list of rows
    }
    return isFour ? SnapshotFormat::MemoryTimelineRaw : SnapshotFormat::MemoryTimeline;
}

SnapshotFormat sniffJson(std::string_view text) noexcept
{
    if (text.front() == '[') {
        const auto second = text.find_first_not_of(kBlanks, 1);
        if (second == std::string_view::npos || text[second] == ']')
            return SnapshotFormat::TorchJson; // an empty list of segments
        if (text[second] == '[')
            return sniffListOfLists(text.substr(second + 1));
        JsonKeys keys(text);
        while (const auto key = keys.next(2)) {
            if (isOneOf(*key, {"ph", "ts", "cat"}))
                return SnapshotFormat::Kineto;
            if (isOneOf(*key, {"blocks", "total_size", "segment_type", "allocated_size"}))
                return SnapshotFormat::TorchJson;
        }
        return SnapshotFormat::Unknown;
    }
    JsonKeys keys(text);
    while (const auto key = keys.next(1)) {
        if (isOneOf(*key, {"traceEvents", "deviceProperties", "schemaVersion", "distributedInfo", "displayTimeUnit"}))
            return SnapshotFormat::Kineto;
        if (isOneOf(*key, {"segments", "device_traces", "allocator_settings", "external_annotations", "host_segments", "host_traces"}))
            return SnapshotFormat::TorchJson;
    }
    return SnapshotFormat::Unknown;
}

SnapshotFormat sniffHtml(std::string_view text) noexcept
{
    if (text.find("local_files") != std::string_view::npos)
        return SnapshotFormat::TorchHtml;
    if (text.find("data:image/png;base64") != std::string_view::npos)
        return SnapshotFormat::MemoryTimelineHtml;
    return SnapshotFormat::TorchHtml; // the files may come behind a long script
}

bool startsWithoutCase(std::string_view text, std::string_view lower) noexcept
{
    if (text.size() < lower.size())
        return false;
    return std::equal(lower.begin(), lower.end(), text.begin(),
                      [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b); });
}

} // namespace

std::string_view toString(SnapshotFormat format) noexcept
{
    switch (format) {
    case SnapshotFormat::TorchPickle: return "PyTorch snapshot (pickle)";
    case SnapshotFormat::TorchJson: return "PyTorch snapshot (JSON)";
    case SnapshotFormat::TorchSqlite: return "PyTorch snapshot (SQLite)";
    case SnapshotFormat::TorchHtml: return "PyTorch snapshot (page of memory_viz)";
    case SnapshotFormat::Kineto: return "profiler trace (Kineto)";
    case SnapshotFormat::MemoryTimeline: return "memory timeline of torch.profiler";
    case SnapshotFormat::MemoryTimelineRaw: return "memory timeline of torch.profiler, event by event";
    case SnapshotFormat::MemoryTimelineHtml: return "memory timeline of torch.profiler, a picture only";
    case SnapshotFormat::Pprof: return "heap profile (pprof)";
    case SnapshotFormat::HeapText: return "heap profile (text)";
    case SnapshotFormat::TorchSave: return "zip archive (torch.save)";
    case SnapshotFormat::Empty: return "empty file";
    case SnapshotFormat::Unknown: break;
    }
    return "unknown";
}

SnapshotFormat sniffSnapshot(std::string_view first) noexcept
{
    if (first.empty())
        return SnapshotFormat::Empty;
    if (first.size() >= 2 && first[0] == '\x80' && first[1] <= '\x20')
        return SnapshotFormat::TorchPickle; // a protocol too new is said by the reader
    if (first.starts_with("PK\x03\x04"))
        return SnapshotFormat::TorchSave;
    if (first.starts_with(std::string_view("SQLite format 3\0", 16)))
        return SnapshotFormat::TorchSqlite;
    if (first.starts_with("\xef\xbb\xbf"))
        first.remove_prefix(3);
    if (looksLikeHeapText(first))
        return SnapshotFormat::HeapText;
    if (looksLikePprof(first))
        return SnapshotFormat::Pprof;
    const auto begin = first.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos)
        return SnapshotFormat::Unknown;
    const auto text = first.substr(begin);
    if (text.front() == '{' || text.front() == '[')
        return sniffJson(text);
    if (startsWithoutCase(text, "<!doctype") || startsWithoutCase(text, "<html"))
        return sniffHtml(text);
    // Protocols 0 and 1 have no header; a dictionary or list written by them begins like this.
    if (first.starts_with("(d") || first.starts_with("(l") || first.starts_with("}q") || first.starts_with("]q"))
        return SnapshotFormat::TorchPickle;
    return SnapshotFormat::Unknown;
}

} // namespace plimsoll
