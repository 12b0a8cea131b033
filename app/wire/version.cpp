// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/version.h"

namespace plimsoll::wire {

std::string toString(ProtocolVersion version)
{
    return std::to_string(version.major) + '.' + std::to_string(version.minor);
}

Result<void> checkVersion(ProtocolVersion theirs, std::string_view who, std::string_view we)
{
    if (theirs.major == kProtocolVersion.major)
        return {};
    const bool isOursOld = theirs.major > kProtocolVersion.major;
    std::string sentence(who);
    sentence += " speaks protocol " + toString(theirs) + ", ";
    sentence += we;
    sentence += ' ' + toString(kProtocolVersion) + ": the first number must be the same, so update ";
    sentence += isOursOld ? we : std::string_view("the other side");
    sentence += '.';
    return failure(Error::Code::Unsupported, std::move(sentence));
}

} // namespace plimsoll::wire
