// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pickle_opcodes.h"

#include <array>

namespace plimsoll {
namespace {

using A = PickleArgument;

constexpr std::array<PickleOpcode, 256> makeTable()
{
    std::array<PickleOpcode, 256> table{};
    table[op::Mark] = {"MARK"};
    table[op::Stop] = {"STOP"};
    table[op::Pop] = {"POP"};
    table[op::PopMark] = {"POP_MARK"};
    table[op::Dup] = {"DUP"};
    table[op::Float] = {"FLOAT", A::Line};
    table[op::Int] = {"INT", A::Line};
    table[op::BinInt] = {"BININT", A::Bytes4};
    table[op::BinInt1] = {"BININT1", A::Bytes1};
    table[op::Long] = {"LONG", A::Line};
    table[op::BinInt2] = {"BININT2", A::Bytes2};
    table[op::None] = {"NONE"};
    table[op::PersId] = {"PERSID", A::Line, false};
    table[op::BinPersId] = {"BINPERSID", A::None, false};
    table[op::Reduce] = {"REDUCE", A::None, false};
    table[op::String] = {"STRING", A::Line};
    table[op::BinString] = {"BINSTRING", A::Counted4};
    table[op::ShortBinString] = {"SHORT_BINSTRING", A::Counted1};
    table[op::Unicode] = {"UNICODE", A::Line};
    table[op::BinUnicode] = {"BINUNICODE", A::Counted4};
    table[op::Append] = {"APPEND"};
    table[op::Build] = {"BUILD", A::None, false};
    table[op::Global] = {"GLOBAL", A::TwoLines, false};
    table[op::Dict] = {"DICT"};
    table[op::EmptyDict] = {"EMPTY_DICT"};
    table[op::Appends] = {"APPENDS"};
    table[op::Get] = {"GET", A::Line};
    table[op::BinGet] = {"BINGET", A::Bytes1};
    table[op::Inst] = {"INST", A::TwoLines, false};
    table[op::LongBinGet] = {"LONG_BINGET", A::Bytes4};
    table[op::List] = {"LIST"};
    table[op::EmptyList] = {"EMPTY_LIST"};
    table[op::Obj] = {"OBJ", A::None, false};
    table[op::Put] = {"PUT", A::Line};
    table[op::BinPut] = {"BINPUT", A::Bytes1};
    table[op::LongBinPut] = {"LONG_BINPUT", A::Bytes4};
    table[op::SetItem] = {"SETITEM"};
    table[op::Tuple] = {"TUPLE"};
    table[op::EmptyTuple] = {"EMPTY_TUPLE"};
    table[op::SetItems] = {"SETITEMS"};
    table[op::BinFloat] = {"BINFLOAT", A::Bytes8};
    table[op::BinBytes] = {"BINBYTES", A::Counted4};
    table[op::ShortBinBytes] = {"SHORT_BINBYTES", A::Counted1};
    table[op::Proto] = {"PROTO", A::Bytes1};
    table[op::NewObj] = {"NEWOBJ", A::None, false};
    table[op::Ext1] = {"EXT1", A::Bytes1, false};
    table[op::Ext2] = {"EXT2", A::Bytes2, false};
    table[op::Ext4] = {"EXT4", A::Bytes4, false};
    table[op::Tuple1] = {"TUPLE1"};
    table[op::Tuple2] = {"TUPLE2"};
    table[op::Tuple3] = {"TUPLE3"};
    table[op::NewTrue] = {"NEWTRUE"};
    table[op::NewFalse] = {"NEWFALSE"};
    table[op::Long1] = {"LONG1", A::Counted1};
    table[op::Long4] = {"LONG4", A::Counted4};
    table[op::ShortBinUnicode] = {"SHORT_BINUNICODE", A::Counted1};
    table[op::BinUnicode8] = {"BINUNICODE8", A::Counted8};
    table[op::BinBytes8] = {"BINBYTES8", A::Counted8};
    table[op::EmptySet] = {"EMPTY_SET", A::None, false};
    table[op::AddItems] = {"ADDITEMS", A::None, false};
    table[op::FrozenSet] = {"FROZENSET", A::None, false};
    table[op::NewObjEx] = {"NEWOBJ_EX", A::None, false};
    table[op::StackGlobal] = {"STACK_GLOBAL", A::None, false};
    table[op::Memoize] = {"MEMOIZE"};
    table[op::Frame] = {"FRAME", A::Bytes8};
    table[op::ByteArray8] = {"BYTEARRAY8", A::Counted8, false};
    table[op::NextBuffer] = {"NEXT_BUFFER", A::None, false};
    table[op::ReadOnlyBuffer] = {"READONLY_BUFFER", A::None, false};
    return table;
}

constexpr auto kTable = makeTable();

} // namespace

const PickleOpcode &pickleOpcode(std::uint8_t code) noexcept
{
    return kTable[code];
}

std::string opcodeName(std::uint8_t code)
{
    const auto name = kTable[code].name;
    if (!name.empty())
        return std::string(name);
    constexpr std::string_view kDigits = "0123456789abcdef";
    return std::string("0x") + kDigits[code >> 4U] + kDigits[code & 15U];
}

} // namespace plimsoll
