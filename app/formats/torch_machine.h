// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/frame_list_cache.h"
#include "formats/pickle_opcodes.h"
#include "formats/pickle_window.h"
#include "formats/torch_draft.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// The opcode machine: knows plain data, executes nothing. Events and frame lists, which are nearly
/// all of a file, have a fast path each; it is a transaction that changes nothing unless it succeeds,
/// and whatever it does not expect the general machine reads.
class TorchMachine
{
public:
    TorchMachine(PickleWindow &window, TorchDraft &draft, const SnapshotReading &reading,
                 std::optional<std::uint64_t> fileBytes, bool hasFastPaths);

    /// What STOP leaves, or what was complete at the end of a file that has no STOP (see isTruncated).
    /// Throws PickleRefusal.
    [[nodiscard]] PickleValue run();

    [[nodiscard]] bool isTruncated() const noexcept { return m_isTruncated; }
    [[nodiscard]] int protocol() const noexcept { return m_protocol; }
    [[nodiscard]] std::size_t widestLong() const noexcept { return m_widestLong; }

private:
    struct EndOfFile
    {};
    /// Memo entries that the fast path has not made yet.
    struct Puts
    {
        struct Entry
        {
            std::uint32_t slot;
            std::uint32_t entry; // as the memo keeps it
        };

        explicit Puts(std::uint32_t nextSlot) noexcept : next(nextSlot) {} // the entries stay as they are: one of these an event

        std::array<Entry, 16> entries;
        std::size_t count = 0;
        std::uint32_t next; // what MEMOIZE will number next
    };

    void loop();
    void step(std::uint8_t code);
    [[nodiscard]] PickleValue collapsed(); // the stack of a truncated file as one value

    // the window
    void refill();
    void need(std::size_t bytes);
    [[nodiscard]] std::uint64_t number(std::size_t bytes);
    [[nodiscard]] std::string_view line();
    [[nodiscard]] std::string_view counted(std::uint64_t bytes);

    // the stack
    void push(const PickleValue &value);
    void pushObject(PickleObject::Kind kind);
    [[nodiscard]] PickleValue pop();
    [[nodiscard]] PickleValue &top();
    [[nodiscard]] std::size_t base() const noexcept { return m_marks.empty() ? 0 : m_marks.back(); }
    [[nodiscard]] std::size_t popMark();

    // containers
    void appendTo(std::uint32_t list, PickleValue item);
    void setIn(std::uint32_t dict, const PickleValue &key, const PickleValue &value);
    [[nodiscard]] std::uint32_t target(const PickleValue &value, bool isDict);
    void settleTop();
    void makeTuple(std::size_t count);
    void makeFromMark(PickleObject::Kind kind);

    // the memo
    void put(std::uint64_t slot);
    void get(std::uint64_t slot);

    // numbers and texts
    [[nodiscard]] PickleValue longOf(const std::uint8_t *bytes, std::size_t count);
    [[nodiscard]] PickleValue longOfText(std::string_view text);
    [[nodiscard]] std::uint64_t slotOfText(std::string_view text);
    void pushText(std::uint64_t bytes);

    // the fast paths
    [[nodiscard]] bool fastEvent();
    [[nodiscard]] bool fastList();
    [[nodiscard]] bool readList(const std::uint8_t *&at, Puts &puts, StackId &stack);
    [[nodiscard]] bool readPut(const std::uint8_t *&at, Puts &puts, std::uint32_t entry) const;
    [[nodiscard]] bool readNumber(const std::uint8_t *&at, std::uint64_t &value, bool &isNegative);
    [[nodiscard]] bool readAttribute(const std::uint8_t *&at, Puts &puts, TextId key);
    [[nodiscard]] StackId stackOfGets(const std::uint8_t *gets, std::size_t length);
    void commit(const Puts &puts);

    [[noreturn]] void refuse(Error::Code code, const std::string &what) const;
    [[noreturn]] void refuseOpcode(std::uint8_t code);

    PickleWindow &m_window;
    TorchDraft &m_draft;
    const SnapshotReading &m_reading;
    bool m_hasFastPaths;
    std::optional<std::uint64_t> m_fileBytes;
    std::vector<PickleValue> m_stack;
    std::vector<std::size_t> m_marks;
    FrameListCache m_lists;
    std::vector<FrameId> m_frames;
    std::array<TextId, kTorchKeys> m_lastTexts{}; // literal texts by key: nearly always the same again
    std::string m_text;
    std::uint64_t m_opcodeAt = 0; // byte of the opcode being read
    std::uint8_t m_opcode = 0;
    int m_protocol = 0;
    std::size_t m_widestLong = 0;
    bool m_isTruncated = false;
    bool m_isStopped = false;
};

} // namespace plimsoll
