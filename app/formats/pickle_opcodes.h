// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll {

/// The opcodes of pickle, protocols 0 to 5.
namespace op {
enum Opcode : std::uint8_t {
    Mark = '(', Stop = '.', Pop = '0', PopMark = '1', Dup = '2',
    Float = 'F', Int = 'I', BinInt = 'J', BinInt1 = 'K', Long = 'L', BinInt2 = 'M', None = 'N',
    PersId = 'P', BinPersId = 'Q', Reduce = 'R', String = 'S', BinString = 'T', ShortBinString = 'U',
    Unicode = 'V', BinUnicode = 'X', Append = 'a', Build = 'b', Global = 'c', Dict = 'd', EmptyDict = '}',
    Appends = 'e', Get = 'g', BinGet = 'h', Inst = 'i', LongBinGet = 'j', List = 'l', EmptyList = ']',
    Obj = 'o', Put = 'p', BinPut = 'q', LongBinPut = 'r', SetItem = 's', Tuple = 't', EmptyTuple = ')',
    SetItems = 'u', BinFloat = 'G', BinBytes = 'B', ShortBinBytes = 'C',
    Proto = 0x80, NewObj, Ext1, Ext2, Ext4, Tuple1, Tuple2, Tuple3, NewTrue, NewFalse, Long1, Long4,
    ShortBinUnicode, BinUnicode8, BinBytes8, EmptySet, AddItems, FrozenSet, NewObjEx, StackGlobal, Memoize,
    Frame, ByteArray8, NextBuffer, ReadOnlyBuffer,
};
} // namespace op

enum class PickleArgument : std::uint8_t { None, Bytes1, Bytes2, Bytes4, Bytes8, Line, TwoLines, Counted1, Counted4, Counted8 };

struct PickleOpcode
{
    std::string_view name; // as pickletools gives it; empty: there is no such opcode
    PickleArgument argument = PickleArgument::None;
    bool isData = true; // else it imports, calls or needs something outside, and is refused
};

[[nodiscard]] const PickleOpcode &pickleOpcode(std::uint8_t code) noexcept;

/// "REDUCE", or "0x07" for a byte that is no opcode.
[[nodiscard]] std::string opcodeName(std::uint8_t code);

} // namespace plimsoll
