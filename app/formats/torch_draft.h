// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/event_rows.h"
#include "formats/memory_snapshot.h"
#include "formats/pickle_memo.h"
#include "formats/pickle_value.h"
#include "formats/snapshot_reading.h"
#include "formats/torch_keys.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll {

/// Thrown inside the reader only.
struct PickleRefusal
{
    Error error;
};

/// What was read of a snapshot so far: the snapshot itself as far as it is known, and the values of
/// which nobody knows yet what they are. Dictionaries are recognised by their keys when they are
/// complete, wherever they stand: events become rows, frames and stacks ids, blocks rows.
class TorchDraft
{
public:
    TorchDraft(const SnapshotLimits &limits, std::optional<std::uint64_t> fileBytes);

    const SnapshotLimits &limits;
    MemorySnapshot snapshot;
    PickleArena arena;
    PickleMemo memo;
    EventRows rows;
    EventDraft event; // used by one at a time; kept for its memory
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    std::vector<MemoryBlock> blocks; // in the order of the file
    std::uint64_t blockKeys = 0;     // of TorchKey, that any block had

    [[nodiscard]] TextId intern(std::string_view text);
    [[nodiscard]] PickleValue textOf(std::string_view text) { return {PickleTag::Text, intern(text)}; }
    [[nodiscard]] PickleValue pairOf(std::int64_t first, std::int64_t second);

    /// What an object became, if it is one that was recognised.
    [[nodiscard]] PickleValue resolved(const PickleValue &value) const noexcept
    {
        if (value.is(PickleTag::Object) && !arena[value.id()].became.is(PickleTag::Unset))
            return arena[value.id()].became;
        return value;
    }
    /// Recognises an event, a frame or a block; anything else comes back as it is.
    [[nodiscard]] PickleValue settled(const PickleValue &value);
    [[nodiscard]] bool isRecognisable(std::uint64_t keys) const noexcept;
    /// The value of a "frames" key, as a Stack where it is one.
    [[nodiscard]] PickleValue settledFrames(const PickleValue &value);
    [[nodiscard]] StackId stackOf(const PickleValue &value);

    /// The last value under the key; Unset when there is none.
    [[nodiscard]] PickleValue find(const PickleObject &dict, TorchKey key) const noexcept;
    /// Of a list or tuple; nullopt when it is none. An empty stack is an empty list.
    [[nodiscard]] std::optional<std::span<const PickleValue>> itemsOf(const PickleValue &value) const noexcept;
    [[nodiscard]] const PickleObject *dictOf(const PickleValue &value) const noexcept;
    [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> poolOf(const PickleValue &value) const noexcept;

    /// As JSON, cut at the limit, and only "…" once very much was rendered; a text as it is when `isPlain`.
    [[nodiscard]] std::string jsonOf(const PickleValue &value, bool isPlain) const;
    /// The same interned; the object is forgotten where nobody else needs it.
    [[nodiscard]] TextId attributeOf(const PickleValue &value);

    [[nodiscard]] std::uint64_t addressOf(const PickleValue &value, const char *what);
    [[nodiscard]] std::uint64_t sizeOf(const PickleValue &value, const char *what);
    void countUnknown(std::string_view place, TextId key);
    void countOdd(std::string_view what);
    void warn(std::string sentence);

    void appendRow();

    [[nodiscard]] std::uint64_t bytes() const noexcept;

private:
    [[nodiscard]] PickleValue replaced(std::uint32_t object, const PickleValue &by);
    [[nodiscard]] PickleValue eventOf(std::uint32_t object);
    [[nodiscard]] PickleValue frameOf(std::uint32_t object);
    [[nodiscard]] PickleValue blockOf(std::uint32_t object);
    [[nodiscard]] std::optional<FrameId> asFrame(const PickleValue &value);
    void readHistory(const PickleValue &value, MemoryBlock &block);
    void appendJson(std::string &out, const PickleValue &value, std::size_t limit, std::size_t depth) const;

    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> m_pairs;
    std::vector<FrameId> m_frames; // of the stack that is being interned
    mutable std::uint64_t m_jsonBytes = 0; // rendered so far
    std::uint64_t m_oddValues = 0;
};

} // namespace plimsoll
