// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pickle_census.h"

#include "formats/pickle_opcodes.h"
#include "formats/pickle_window.h"

#include <algorithm>
#include <array>

namespace plimsoll {
namespace {

std::uint64_t little(const std::uint8_t *bytes, std::size_t count) noexcept
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    return value;
}

/// Skips without keeping; false at the end of the file.
bool skip(PickleWindow &window, std::uint64_t count)
{
    while (count > window.left()) {
        count -= window.left();
        window.at = window.end;
        if (window.isAtEnd())
            return false;
        window.refill();
    }
    window.at += count;
    return true;
}

bool skipLine(PickleWindow &window)
{
    while (true) {
        if (const auto *newline = static_cast<const std::uint8_t *>(std::memchr(window.at, '\n', window.left()))) {
            window.at = newline + 1;
            return true;
        }
        window.at = window.end;
        if (window.isAtEnd())
            return false;
        window.refill();
    }
}

std::size_t sizeOfArgument(PickleArgument argument) noexcept
{
    switch (argument) {
    case PickleArgument::Bytes1:
    case PickleArgument::Counted1: return 1;
    case PickleArgument::Bytes2: return 2;
    case PickleArgument::Bytes4:
    case PickleArgument::Counted4: return 4;
    case PickleArgument::Bytes8:
    case PickleArgument::Counted8: return 8;
    case PickleArgument::None:
    case PickleArgument::Line:
    case PickleArgument::TwoLines: break;
    }
    return 0;
}

bool isCounted(PickleArgument argument) noexcept
{
    return argument == PickleArgument::Counted1 || argument == PickleArgument::Counted4 || argument == PickleArgument::Counted8;
}

} // namespace

std::size_t neededBytes(const std::uint8_t *number, std::size_t count) noexcept
{
    // As Python counts: a sign bit must be left, and zero needs nothing.
    while (count > 1) {
        const auto top = number[count - 1];
        const bool isNegative = (number[count - 2] & 0x80U) != 0;
        if ((top == 0 && !isNegative) || (top == 0xff && isNegative))
            --count;
        else
            break;
    }
    return count == 1 && number[0] == 0 ? 0 : count;
}

Result<PickleCensus> countOpcodes(ByteSource &source, const SnapshotReading &reading)
{
    PickleWindow window(source, reading, source.size());
    std::array<std::uint64_t, 256> counts{};
    PickleCensus census;
    const auto ended = [&]() -> Result<PickleCensus> {
        if (window.error())
            return tl::make_unexpected(*window.error());
        return failure(Error::Code::Corrupt,
                       "The file ends at byte " + std::to_string(window.offset()) + ", before the STOP of its pickle.");
    };
    bool isRunning = true;
    while (isRunning) {
        if (window.isShort())
            window.refill();
        // Whatever begins in front of this ends within the look-ahead, unless it is long.
        const auto *const safe = window.isAtEnd() ? window.end : window.end - PickleWindow::kLookAhead;
        const auto *p = window.at;
        while (p < safe || (window.isAtEnd() && p < window.end) || p == window.at) {
            if (p >= window.end)
                return ended();
            const auto code = *p;
            ++counts[code];
            // The opcodes that snapshots are made of, by frequency.
            switch (code) {
            case op::LongBinGet:
            case op::BinInt:
            case op::LongBinPut: p += 5; continue;
            case op::BinGet:
            case op::BinInt1:
            case op::BinPut: p += 2; continue;
            case op::Mark:
            case op::Memoize:
            case op::EmptyDict:
            case op::EmptyList:
            case op::SetItems:
            case op::Appends:
            case op::Append: p += 1; continue;
            case op::BinInt2: p += 3; continue;
            case op::ShortBinUnicode: p += 2 + p[1]; continue;
            case op::Long1:
                if (p[1] > census.widestLongBytes && p + 2 + p[1] <= window.end)
                    census.widestLongBytes = std::max(census.widestLongBytes, neededBytes(p + 2, p[1]));
                p += 2 + p[1];
                continue;
            default: break;
            }
            const auto &opcode = pickleOpcode(code);
            if (opcode.name.empty()) {
                return failure(Error::Code::Corrupt, "Byte " + std::to_string(window.offsetOf(p)) + ": " + opcodeName(code)
                                                         + " is no opcode of a pickle.");
            }
            window.at = p + 1;
            const auto *argument = window.at;
            const auto size = sizeOfArgument(opcode.argument);
            if (size > window.left())
                return ended();
            const auto number = little(argument, size);
            window.at += size;
            bool isWhole = true;
            if (code == op::Stop)
                isRunning = false;
            else if (code == op::Proto)
                census.protocol = static_cast<int>(number);
            else if (code == op::Long4 && number <= window.left())
                census.widestLongBytes = std::max(census.widestLongBytes, neededBytes(argument + size, number));
            if (isCounted(opcode.argument))
                isWhole = skip(window, number);
            else if (opcode.argument == PickleArgument::Line)
                isWhole = skipLine(window);
            else if (opcode.argument == PickleArgument::TwoLines)
                isWhole = skipLine(window) && skipLine(window);
            if (!isWhole)
                return ended();
            p = nullptr;
            break;
        }
        if (p != nullptr) {
            if (p > window.end) {
                window.at = window.end;
                return ended();
            }
            window.at = p;
        }
    }
    census.bytes = window.offset();
    for (std::size_t code = 0; code < counts.size(); ++code)
        if (counts[code] != 0)
            census.opcodes.emplace(pickleOpcode(static_cast<std::uint8_t>(code)).name, counts[code]);
    return census;
}

} // namespace plimsoll
