// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/frame_text.h"

namespace plimsoll {

void appendLowerCase(std::string &text, std::string_view more)
{
    const auto begin = text.size();
    text += more;
    for (auto i = begin; i < text.size(); ++i)
        if (text[i] >= 'A' && text[i] <= 'Z')
            text[i] = static_cast<char>(text[i] + ('a' - 'A'));
}

std::string lowerCase(std::string_view text)
{
    std::string lower;
    appendLowerCase(lower, text);
    return lower;
}

} // namespace plimsoll
