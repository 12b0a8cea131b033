// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/limits.h"
#include "wire/to_model.h"
#include "wire/to_proto.h"

#include <google/protobuf/stubs/logging.h>
#include <plimsoll/v1/agent.pb.h>

#include <cstdlib>

using namespace plimsoll;

namespace {

void require(bool isTrue)
{
    if (!isTrue)
        std::abort();
}

// What the layers above rely on without looking again.
void checkFrame(const Frame &frame)
{
    require(frame.sequence >= 1 && frame.sequence <= wire::kMaxNumber);
    const auto *block = std::get_if<SampleBlock>(&frame.body);
    if (!block)
        return;
    require(block->values.size() == block->rows() * block->columns.size());
    for (std::size_t row = 1; row < block->rows(); ++row)
        require(block->times[row - 1] < block->times[row]);
    if (!block->times.empty())
        require(toUnixNanos(block->times.front()) >= 0 && toUnixNanos(block->times.back()) <= wire::kLatestUnixNano);
}

} // namespace

/// Any bytes a peer may send as a WatchMessage: refused with a reason, or a value
/// that keeps its promises and survives the way back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const google::protobuf::LogSilencer silence;
    v1::WatchMessage message;
    if (!message.ParseFromArray(data, static_cast<int>(size)))
        return 0;
    const auto watched = wire::toModel(message);
    if (!watched) {
        require(!watched.error().detail.empty());
        return 0;
    }
    require(watched->epoch != 0);
    v1::WatchMessage again;
    if (const auto *definitions = std::get_if<std::vector<SeriesDefinition>>(&watched->body)) {
        wire::toProto(watched->epoch, *definitions, again);
    } else if (const auto *frame = std::get_if<Frame>(&watched->body)) {
        checkFrame(*frame);
        wire::toProto(watched->epoch, *frame, again);
    } else if (const auto *lost = std::get_if<LostFrames>(&watched->body)) {
        require(lost->first >= 1 && lost->first <= lost->last);
        wire::toProto(watched->epoch, *lost, again);
    } else if (const auto *heartbeat = std::get_if<wire::Heartbeat>(&watched->body)) {
        wire::toProto(watched->epoch, *heartbeat, again);
    } else {
        return 0;
    }
    require(wire::toModel(again).has_value());
    return 0;
}
