// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_attributes.h"

#include "formats/json_element.h"

namespace plimsoll {

Result<void> eachTextAttribute(std::string_view json, const std::function<void(const std::string &, std::string_view)> &each)
{
    std::string padded(json);
    padded.resize(json.size() + JsonReader::kPadding, ' ');
    thread_local JsonElements elements; // its buffers are worth keeping: this is called for each event
    std::string buffer;
    return elements.fields(std::string_view(padded).substr(0, json.size()), 0, [&](std::string_view key, JsonValue &value) {
        JsonError error = simdjson::SUCCESS;
        const auto raw = rawOf(value, error);
        each(unescapedJson(key), isJsonString(raw) ? textOf(raw, buffer) : raw);
        return error;
    });
}

} // namespace plimsoll
