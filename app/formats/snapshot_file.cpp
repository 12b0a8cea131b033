// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/snapshot_file.h"

#include "formats/heap_text.h"
#include "formats/pprof.h"
#include "formats/torch_html.h"
#include "formats/torch_json.h"
#include "formats/torch_pickle.h"
#include "formats/torch_sqlite.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

Result<std::string> firstBytes(ByteSource &source)
{
    std::string first(kSniffedBytes, '\0');
    std::size_t have = 0;
    while (have < first.size()) {
        const auto got = source.read(std::span<char>(first).subspan(have));
        if (!got) {
            if (have > 0)
                break; // the reader meets the same damage and says what it saved
            return tl::make_unexpected(got.error());
        }
        if (*got == 0)
            break;
        have += *got;
    }
    first.resize(have);
    return first;
}

/// SQLite reads files only: a packed database is unpacked beside the others' temporary files.
class UnpackedFile
{
public:
    UnpackedFile() = default;
    UnpackedFile(const UnpackedFile &) = delete;
    UnpackedFile &operator=(const UnpackedFile &) = delete;
    ~UnpackedFile()
    {
        if (!m_path.empty())
            ::unlink(m_path.c_str());
    }
    [[nodiscard]] Result<fs::path> fill(ByteSource &source, const std::stop_token &stop)
    {
        std::error_code error;
        m_path = (fs::temp_directory_path(error) / "plimsoll-XXXXXX").string();
        const int fd = ::mkstemp(m_path.data());
        if (fd < 0) {
            m_path.clear();
            return failure(Error::Code::Io, "There is no place to unpack the database: " + std::generic_category().message(errno) + '.');
        }
        const auto written = copy(source, fd, stop);
        ::close(fd);
        if (!written)
            return tl::make_unexpected(written.error());
        return fs::path(m_path);
    }

private:
    static Result<void> copy(ByteSource &source, int fd, const std::stop_token &stop)
    {
        std::vector<char> buffer(1U << 20U);
        while (true) {
            if (stop.stop_requested())
                return failure(Error::Code::Cancelled, "Cancelled.");
            const auto got = source.read(buffer);
            if (!got)
                return tl::make_unexpected(got.error());
            if (*got == 0)
                return {};
            for (std::size_t at = 0; at < *got;) {
                const auto written = ::write(fd, buffer.data() + at, *got - at);
                if (written < 0 && errno == EINTR)
                    continue;
                if (written < 0)
                    return failure(errno == ENOSPC ? Error::Code::Full : Error::Code::Io,
                                   "The database could not be unpacked: " + std::generic_category().message(errno) + '.');
                at += static_cast<std::size_t>(written);
            }
        }
    }

    std::string m_path;
};

template <class T>
Result<SnapshotFile> made(SnapshotFormat format, Result<T> content)
{
    if (!content)
        return tl::make_unexpected(std::move(content.error()));
    return SnapshotFile{format, std::move(*content)};
}

Result<SnapshotFile> read(const fs::path &path, SnapshotFormat format, Packing packing, ByteSource &source,
                          const SnapshotReading &reading)
{
    switch (format) {
    case SnapshotFormat::TorchPickle: return made(format, readTorchPickle(source, reading));
    case SnapshotFormat::TorchHtml: return made(format, readTorchHtml(source, reading));
    case SnapshotFormat::TorchJson: return made(format, readTorchJson(source, reading));
    case SnapshotFormat::TorchSqlite: {
        if (packing == Packing::None)
            return made(format, readTorchSqlite(path, reading));
        UnpackedFile file;
        const auto unpacked = file.fill(source, reading.stop);
        if (!unpacked)
            return tl::make_unexpected(unpacked.error());
        return made(format, readTorchSqlite(*unpacked, reading));
    }
    case SnapshotFormat::Kineto: return made(format, readKineto(source, reading));
    case SnapshotFormat::MemoryTimeline:
    case SnapshotFormat::MemoryTimelineRaw:
    case SnapshotFormat::MemoryTimelineHtml: return made(format, readMemoryTimeline(source, reading));
    case SnapshotFormat::Pprof: return made(format, readPprof(source, reading));
    case SnapshotFormat::HeapText: return made(format, readHeapText(source, reading));
    case SnapshotFormat::TorchSave:
        return failure(Error::Code::Unsupported,
                       "It is a zip archive as torch.save writes it (weights or a checkpoint), not a memory snapshot. "
                       "torch.cuda.memory._dump_snapshot writes one.");
    case SnapshotFormat::Empty:
        return failure(Error::Code::BadInput, "It is empty: the process probably ended while it wrote its snapshot.");
    case SnapshotFormat::Unknown: break;
    }
    return failure(Error::Code::BadInput, "It begins like no memory snapshot, profiler trace or heap profile that is known here.");
}

void describe(MemorySnapshot &snapshot, std::uint64_t fileBytes, bool isCompressed)
{
    snapshot.origin.fileBytes = fileBytes;
    snapshot.origin.isCompressed = isCompressed;
}

} // namespace

const MemorySnapshot *SnapshotFile::snapshot() const noexcept
{
    if (const auto *torch = std::get_if<MemorySnapshot>(&content))
        return torch;
    if (const auto *trace = std::get_if<KinetoTrace>(&content))
        return &trace->snapshot;
    if (const auto *timeline = std::get_if<MemoryTimeline>(&content))
        return &timeline->snapshot;
    return nullptr;
}

Result<SnapshotFile> openSnapshotFile(const fs::path &path, const SnapshotReading &reading)
{
    const auto named = [&path](Error error) {
        if (error.detail.find(path.string()) == std::string::npos)
            error.detail = path.string() + ": " + error.detail;
        return tl::make_unexpected(std::move(error));
    };
    auto source = openBytes(path); // refuses what is no regular file, before anything waits for it
    if (!source)
        return named(source.error());
    std::array<char, 4> magic{};
    std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
    const auto packing = packingOf(magic);
    const auto first = firstBytes(**source);
    if (!first)
        return named(first.error());
    const auto format = sniffSnapshot(*first);
    source = openBytes(path); // from the start again
    if (!source)
        return named(source.error());
    auto file = read(path, format, packing, **source, reading);
    if (!file)
        return named(file.error());

    std::error_code ignored;
    const auto bytes = fs::file_size(path, ignored);
    const bool isCompressed = packing != Packing::None;
    if (auto *torch = std::get_if<MemorySnapshot>(&file->content)) {
        describe(*torch, bytes, isCompressed);
    } else if (auto *trace = std::get_if<KinetoTrace>(&file->content)) {
        describe(trace->snapshot, bytes, isCompressed);
    } else if (auto *timeline = std::get_if<MemoryTimeline>(&file->content)) {
        describe(timeline->snapshot, bytes, isCompressed);
    } else if (auto *heap = std::get_if<HeapProfile>(&file->content)) {
        heap->fileBytes = bytes;
        heap->isCompressed = isCompressed;
    }
    return file;
}

} // namespace plimsoll
