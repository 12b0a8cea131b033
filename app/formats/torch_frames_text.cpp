// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_frames_text.h"

#include "formats/json_text.h"

namespace plimsoll {

void TorchFramesText::append(std::string &to, StackId stack)
{
    const auto &texts = m_snapshot.texts;
    const auto frames = m_snapshot.stacks.stack(stack);
    to += '[';
    for (std::size_t i = 0; i < frames.size(); ++i) {
        auto &json = m_frames[frames[i]];
        if (json.empty()) {
            const auto &frame = m_snapshot.stacks.frame(frames[i]);
            json = "{\"name\":";
            appendJsonString(json, texts[frame.name]);
            json += ",\"filename\":";
            appendJsonString(json, texts[frame.file]);
            json += ",\"line\":" + std::to_string(frame.line);
            for (const auto &[key, value] : m_snapshot.stacks.attributes(frames[i])) {
                json += ',';
                appendJsonString(json, texts[key]);
                json += ':';
                appendJsonString(json, texts[value]);
            }
            json += '}';
        }
        if (i != 0)
            to += ',';
        to += json;
    }
    to += ']';
}

} // namespace plimsoll
