// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to the readers of JSON: simdjson on demand over the runs of a JsonReader.

#include "base/result.h"
#include "formats/json_reader.h"
#include "formats/json_text.h"

#include <simdjson.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace plimsoll {

using JsonValue = simdjson::ondemand::value;
using JsonObject = simdjson::ondemand::object;
using JsonArray = simdjson::ondemand::array;
using JsonError = simdjson::error_code;

inline constexpr std::size_t kMaxTokenBytes = std::size_t{1} << 31U; // its offsets have 32 bits

/// The text of a scalar, of a string with its quotes; of a container only its first byte.
[[nodiscard]] inline std::string_view tokenOf(JsonValue &value) noexcept
{
    auto token = value.raw_json_token();
    if (token.size() > kMaxTokenBytes)
        return {}; // behind the last token of a damaged text simdjson counts backwards
    while (!token.empty() && static_cast<unsigned char>(token.back()) <= 0x20)
        token.remove_suffix(1);
    return token;
}

[[nodiscard]] inline bool isJsonString(std::string_view token) noexcept
{
    return token.size() >= 2 && token.front() == '"';
}

/// Text of a string token, in `buffer` where it had escapes; empty for other tokens.
[[nodiscard]] inline std::string_view textOf(std::string_view token, std::string &buffer)
{
    if (!isJsonString(token))
        return {};
    const auto inside = token.substr(1, token.size() - 2);
    if (inside.empty() || std::memchr(inside.data(), '\\', inside.size()) == nullptr)
        return inside;
    buffer = unescapedJson(inside);
    return buffer;
}

/// A key as it is written, escapes and all.
[[nodiscard]] inline std::string_view keyOf(simdjson::ondemand::field &field) noexcept
{
    const char *begin = field.key().raw();
    const char *end = begin;
    while (*end != '"') // the structure was found: the quote is there
        end += *end == '\\' ? 2 : 1;
    return {begin, static_cast<std::size_t>(end - begin)};
}

/// The same key by its first byte, its closing quote behind it: for choosing by few bytes.
[[nodiscard]] inline bool isKey(const char *at, std::string_view key) noexcept
{
    return std::strncmp(at, key.data(), key.size()) == 0 && at[key.size()] == '"';
}

/// Calls for each field of an object with isKey's pointer, (at, value) → JsonError, until one gives an error.
template <class Each>
[[nodiscard]] JsonError forEachRawField(JsonObject object, Each &&each)
{
    for (auto result : object) {
        if (result.error() != simdjson::SUCCESS)
            return result.error();
        auto &&field = std::move(result).value_unsafe(); // in place: a copy stalls the processor
        const char *at = field.key().raw();
        if (const JsonError error = each(at, field.value()); error != simdjson::SUCCESS)
            return error;
    }
    return simdjson::SUCCESS;
}

/// Calls for each field of an object, (key, value) → JsonError, until one gives an error.
template <class Each>
[[nodiscard]] JsonError forEachField(JsonObject object, Each &&each)
{
    for (auto result : object) {
        if (result.error() != simdjson::SUCCESS)
            return result.error();
        auto &&field = std::move(result).value_unsafe(); // in place: a copy stalls the processor
        const auto key = keyOf(field);
        if (const JsonError error = each(key, field.value()); error != simdjson::SUCCESS)
            return error;
    }
    return simdjson::SUCCESS;
}

/// The same over the items of an array.
template <class Each>
[[nodiscard]] JsonError forEachItem(JsonArray array, Each &&each)
{
    for (auto result : array) {
        if (result.error() != simdjson::SUCCESS)
            return result.error();
        auto &&value = std::move(result).value_unsafe();
        if (const JsonError error = each(value); error != simdjson::SUCCESS)
            return error;
    }
    return simdjson::SUCCESS;
}

/// What the value is as text; of a container all of it.
[[nodiscard]] inline std::string_view rawOf(JsonValue &value, JsonError &error) noexcept
{
    const auto token = tokenOf(value);
    std::string_view raw = token;
    if (token.starts_with('{')) {
        JsonObject object;
        error = value.get_object().get(object);
        if (error == simdjson::SUCCESS)
            error = object.raw_json().get(raw);
    } else if (token.starts_with('[')) {
        JsonArray array;
        error = value.get_array().get(array);
        if (error == simdjson::SUCCESS)
            error = array.raw_json().get(raw);
    }
    while (!raw.empty() && static_cast<unsigned char>(raw.back()) <= 0x20)
        raw.remove_suffix(1);
    return raw;
}

class JsonElements
{
public:
    /// Parses the text, an array with padding behind it, and calls for each element.
    template <class Each>
    [[nodiscard]] Result<void> forEach(std::string_view text, std::uint64_t offset, Each &&each)
    {
        return parse(text, offset, [&each](simdjson::ondemand::document &document) {
            JsonArray array;
            if (const auto error = document.get_array().get(array); error != simdjson::SUCCESS)
                return error;
            return forEachItem(array, each);
        });
    }
    template <class Each>
    [[nodiscard]] Result<void> forEach(const JsonReader::Run &run, Each &&each)
    {
        if (run.text.empty())
            return {};
        return forEach(run.text, run.offset, std::forward<Each>(each));
    }
    /// Parses the text, an object with padding behind it, and calls for each field.
    template <class Each>
    [[nodiscard]] Result<void> fields(std::string_view text, std::uint64_t offset, Each &&each)
    {
        return parse(text, offset, [&each](simdjson::ondemand::document &document) {
            JsonObject object;
            if (const auto error = document.get_object().get(object); error != simdjson::SUCCESS)
                return error;
            return forEachField(object, each);
        });
    }

private:
    template <class Use>
    [[nodiscard]] Result<void> parse(std::string_view text, std::uint64_t offset, Use &&use)
    {
        simdjson::ondemand::document document;
        auto error = m_parser.iterate(text.data(), text.size(), text.size() + JsonReader::kPadding).get(document);
        if (error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS) {
            m_repaired = repairedJson(text);
            text = m_repaired;
            m_repaired.resize(text.size() + JsonReader::kPadding, ' ');
            text = std::string_view(m_repaired).substr(0, m_repaired.size() - JsonReader::kPadding);
            error = m_parser.iterate(text.data(), text.size(), m_repaired.size()).get(document);
        }
        const bool isParsed = error == simdjson::SUCCESS;
        if (isParsed)
            error = use(document);
        if (error == simdjson::SUCCESS)
            return {};
        if (error == simdjson::MEMALLOC || error == simdjson::CAPACITY)
            return failure(Error::Code::TooLarge, "There is no memory for the value at byte " + std::to_string(offset) + '.');
        const char *at = nullptr;
        std::uint64_t where = offset;
        if (isParsed && document.current_location().get(at) == simdjson::SUCCESS && at >= text.data() && at <= text.data() + text.size())
            where += static_cast<std::uint64_t>(at - text.data());
        return failure(Error::Code::Corrupt, "The JSON is damaged near byte " + std::to_string(where) + ": "
                                                 + simdjson::error_message(error) + '.');
    }

    simdjson::ondemand::parser m_parser;
    std::string m_repaired;
};

} // namespace plimsoll
