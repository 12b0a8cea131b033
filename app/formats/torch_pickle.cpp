// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_pickle.h"

#include "formats/torch_builder.h"
#include "formats/torch_machine.h"
#include "formats/torch_pickle_stream.h"

#include <algorithm>
#include <new>
#include <stdexcept>

namespace plimsoll {
namespace {

Result<MemorySnapshot> readStream(ByteSource &source, const SnapshotReading &reading, const PickleStream &stream)
{
    const auto fileBytes = source.size();
    PickleWindow window(source, reading, stream.diskBytes ? stream.diskBytes : fileBytes);
    TorchDraft draft(reading.limits, fileBytes);
    TorchMachine machine(window, draft, reading, fileBytes, stream.hasFastPaths);
    const auto top = machine.run();
    const auto end = window.offset() + (machine.isTruncated() ? window.left() : 0);

    auto &origin = draft.snapshot.origin;
    const auto cutOff = window.error(); // packing that ended early
    origin.format = SnapshotOrigin::Format::Pickle;
    origin.pickleProtocol = machine.protocol();
    origin.widestLongBytes = machine.widestLong();
    origin.isHtml = stream.isHtml;
    if (machine.isTruncated() && top.is(PickleTag::Unset)) {
        if (cutOff)
            return tl::make_unexpected(*cutOff);
        if (end == 0)
            return failure(Error::Code::Corrupt, "The file is empty (0 bytes): the program died or hung while writing it.");
        return failure(Error::Code::Corrupt, "The file ends at byte " + std::to_string(end)
                                                 + ", before any segment or event was complete.");
    }
    const auto readBytes = std::max(end, fileBytes.value_or(0));
    if (machine.isTruncated()) {
        // What is there of a dictionary may lack every key by which it is known.
        const auto *dict = draft.dictOf(top);
        const bool isUseless = dict != nullptr
            && (dict->keys & (bitOf(TorchKey::Segments) | bitOf(TorchKey::DeviceTraces))) == 0;
        bool isSnapshot = !isUseless;
        try {
            if (isSnapshot)
                TorchBuilder(draft, reading, readBytes).build(top);
        } catch (const PickleRefusal &refusal) {
            if (refusal.error.code != Error::Code::Unsupported)
                throw;
            isSnapshot = false; // nobody knows what it would have become
        }
        if (!isSnapshot || (draft.snapshot.events.size() == 0 && draft.snapshot.segments.empty())) {
            if (cutOff)
                return tl::make_unexpected(*cutOff);
            return failure(Error::Code::Corrupt, "The file ends at byte " + std::to_string(end)
                                                     + ", before any segment or event was complete.");
        }
        origin.truncatedAt = end;
        draft.warn("The file ends at byte " + std::to_string(end) + " instead of with a STOP, "
                   + std::to_string(draft.snapshot.events.size()) + " events were read.");
        if (cutOff)
            draft.warn(cutOff->detail);
    } else {
        TorchBuilder(draft, reading, readBytes).build(top);
        while (true) {
            origin.trailingBytes += window.left();
            window.at = window.end;
            if (window.isAtEnd())
                break;
            window.refill();
        }
        if (window.error() && window.error()->code != Error::Code::Corrupt)
            return tl::make_unexpected(*window.error());
        if (origin.trailingBytes > 3) // a page of memory_viz pads with up to three
            draft.warn(std::to_string(origin.trailingBytes) + " bytes follow the end of the data and were not looked at.");
    }
    origin.fileBytes = stream.diskBytes.value_or(source.size() ? *source.size() : source.taken());
    return std::move(draft.snapshot);
}

} // namespace

Result<MemorySnapshot> readTorchPickle(ByteSource &source, const SnapshotReading &reading, const PickleStream &stream)
{
    try {
        return readStream(source, reading, stream);
    } catch (const PickleRefusal &refusal) {
        return tl::make_unexpected(refusal.error);
    } catch (const std::bad_alloc &) {
        return failure(Error::Code::TooLarge, "There is not enough memory to read this file.");
    } catch (const std::length_error &) {
        return failure(Error::Code::TooLarge, "There is not enough memory to read this file.");
    }
}

Result<MemorySnapshot> readTorchPickle(ByteSource &source, const SnapshotReading &reading)
{
    return readTorchPickle(source, reading, PickleStream{});
}

} // namespace plimsoll
