// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace plimsoll {

/// Bytes of a file, front to back, through whatever packs it. One thread.
class ByteSource
{
public:
    ByteSource() = default;
    ByteSource(const ByteSource &) = delete;
    ByteSource &operator=(const ByteSource &) = delete;
    virtual ~ByteSource() = default;

    /// Fills the front of `into` and says how much; 0 only at the end. Errors: Io, Corrupt (damaged
    /// packing), TooLarge (unpacks to more than the limit).
    [[nodiscard]] virtual Result<std::size_t> read(std::span<char> into) = 0;
    /// How much of the file on the disk was taken so far, for progress.
    [[nodiscard]] virtual std::uint64_t taken() const noexcept = 0;
    /// Bytes to come in all, where it is known before the end; packed data does not say.
    [[nodiscard]] virtual std::optional<std::uint64_t> size() const noexcept = 0;
};

enum class Packing : std::uint8_t { None, Gzip, Zstd };

struct ByteSourceLimits
{
    std::uint64_t unpackedBytes = std::uint64_t{64} << 30;
    std::uint64_t ratio = 2'000; // unpacked to packed: a bomb has more
};

/// Opens a regular file and unpacks it by its first bytes, once (gzip inside gzip is not followed).
/// Errors: Io, Unsupported (not a regular file).
[[nodiscard]] Result<std::unique_ptr<ByteSource>> openBytes(const std::filesystem::path &path,
                                                            const ByteSourceLimits &limits = {});

/// Bytes that are in memory already, unpacked in the same way.
[[nodiscard]] std::unique_ptr<ByteSource> bytesOf(std::span<const char> bytes, const ByteSourceLimits &limits = {});

[[nodiscard]] Packing packingOf(std::span<const char> firstBytes) noexcept;

/// Everything that is left, at most `limit` bytes. Errors: those of read, TooLarge.
[[nodiscard]] Result<std::string> readAll(ByteSource &source, std::uint64_t limit);

} // namespace plimsoll
