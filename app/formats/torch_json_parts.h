// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to the reader of JSON snapshots.

#include "formats/json_element.h"
#include "formats/torch_collector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

/// The small parts of a snapshot, each from its JSON into the collector. What is no error of the JSON
/// itself (a limit, a damaged stack) is kept in `failure`.
class TorchJsonParts
{
public:
    explicit TorchJsonParts(TorchCollector &to) : m_to(to) {}

    /// A value of a segment, not its blocks. Errors: those of a stack.
    [[nodiscard]] Result<void> takeSegmentValue(MemorySegment &segment, const std::string &key, std::string_view value);
    [[nodiscard]] JsonError takeBlock(JsonValue &value);
    [[nodiscard]] JsonError takeHostSegment(JsonValue &value);
    [[nodiscard]] JsonError takeEvent(JsonValue &value);
    [[nodiscard]] JsonError takeAnnotation(JsonValue &value);

    std::optional<Error> failure;

private:
    [[nodiscard]] JsonError takeStack(JsonValue &field, StackId &stack);
    [[nodiscard]] JsonError takeHistory(JsonValue &value, std::uint32_t &length, std::uint64_t &requested, StackId &stack);
    [[nodiscard]] JsonError takeAttribute(std::string_view key, std::string_view token, JsonValue &field);

    TorchCollector &m_to;
    EventContext m_context;
    std::string m_buffer;
};

} // namespace plimsoll
