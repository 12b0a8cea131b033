// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/bucket_column.h"
#include "history/chunk.h"
#include "history/integer_column.h"
#include "history/rollup.h"
#include "history/tail_row.h"
#include "history/value_column.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

using namespace plimsoll;

namespace {

// Puts the sum right where a format has it, so that what lies behind it is reached.
Blob withSum(BlobView bytes, std::size_t at)
{
    Blob blob(bytes.begin(), bytes.end());
    if (blob.size() >= at + 4)
        storeLittle(blob.data() + at, crc32(BlobView(blob).subspan(at + 4), crc32(BlobView(blob).first(at))));
    return blob;
}

void chunk(BlobView bytes)
{
    const auto view = ChunkView::parse(bytes);
    if (!view)
        return;
    const auto rows = view->all();
    // What can be read can be written, and reads the same.
    if (!rows || rows->columns.size() > kMaxColumns)
        return;
    const auto again = encodeChunk(*rows);
    const auto second = ChunkView::parse(again);
    if (!second || !second->all() || second->all()->times != rows->times)
        std::abort();
}

} // namespace

/// First byte: which format; the rest: what lies on the disk.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size < 2)
        return 0;
    const BlobView bytes(data + 1, size - 1);
    switch (data[0] % 6) {
    case 0: chunk(bytes); break;
    case 1: chunk(withSum(bytes, 20)); break;
    case 2: (void)decodeTail(withSum(bytes, 16)); break;
    case 3: (void)decodeStrip(withSum(bytes, 20)); break;
    case 4: (void)decodeRollup(withSum(bytes, 16)); break;
    default: {
        std::vector<double> values(1 + data[1]);
        (void)decodeValues(bytes.subspan(1), values);
        std::vector<std::int64_t> integers(1 + data[1]);
        ByteReader from(bytes.subspan(1));
        (void)decodeIntegers(from, integers);
    }
    }
    return 0;
}
