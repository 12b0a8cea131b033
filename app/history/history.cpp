// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/history.h"

#include "history/doctor.h"
#include "history/loader.h"
#include "history/lock_file.h"
#include "history/reader.h"
#include "history/store.h"
#include "history/writer.h"

namespace plimsoll {

class History::Private
{
public:
    Private(HistoryOptions options, const Clock &clock) : store(std::move(options), clock) {}
    ~Private()
    {
        // Readers' connections first, so that the writer's is the last and takes the log in.
        store.pool.close();
        writer.reset();
    }

    LockFile lock; // released last
    HistoryStore store;
    HistoryReader reader{store};
    std::unique_ptr<Database> recording; // keeps a read-only file open
    std::unique_ptr<HistoryWriter> writer;      // none for a recording
};

Result<std::unique_ptr<History>> History::open(HistoryOptions options, Committed committed, const Clock &clock)
{
    auto d = std::make_unique<Private>(std::move(options), clock);
    auto &store = d->store;
    const auto &file = store.options.file;
    if (file.empty())
        return failure(Error::Code::BadInput, "no file was named");
    if (!store.options.isReadOnly) {
        if (file.has_parent_path()) {
            std::error_code error;
            std::filesystem::create_directories(file.parent_path(), error);
            if (error)
                return failure(Error::Code::Io, file.parent_path().string() + ": " + error.message());
        }
        auto lock = LockFile::acquire(file.string() + ".lock");
        if (lock)
            d->lock = std::move(*lock);
        else if (lock.error().code == Error::Code::Busy)
            return tl::make_unexpected(lock.error());
        // No lock can be made where nothing can be written: then it is opened read-only below.
    }
    auto admission = admit(file, store.options.isReadOnly, clock.now());
    if (!admission)
        return tl::make_unexpected(admission.error());
    store.state.setHealth(admission->health, admission->detail);
    store.state.setSize(sizeOnDisk(file));
    const bool mayWrite = admission->database && !admission->database->isReadOnly();
    if (admission->database) {
        if (auto done = load(store, *admission->database, mayWrite); !done)
            return tl::make_unexpected(done.error());
        store.pool.setFile(file, mayWrite ? Database::Access::Read : admission->access);
    }
    if (store.options.isReadOnly) {
        store.inbox.close();
        d->recording = std::move(admission->database);
    } else {
        d->writer = std::make_unique<HistoryWriter>(store, std::move(admission->database), std::move(committed));
    }
    return std::unique_ptr<History>(new History(std::move(d)));
}

History::History(std::unique_ptr<Private> p) : d(std::move(p)) {}
History::~History() = default;

Mailbox<Delivery> &History::inbox() noexcept { return d->store.inbox; }
ResumePoint History::resumePoint(const std::string &agent) const { return d->store.table.resumePoint(agent); }
HistoryState History::state() const { return d->store.state.state(); }
std::vector<SeriesEntry> History::latest() const { return d->reader.latest(); }

Result<std::vector<SeriesEntry>> History::asOf(Instant at, Duration within, std::stop_token stop) const
{
    return d->reader.asOf(at, within, stop);
}

Result<std::vector<SeriesSlice>> History::slice(std::span<const SeriesId> series, TimeRange range, int pixels,
                                                std::stop_token stop) const
{
    return d->reader.slice(series, range, pixels, stop);
}

Result<std::vector<Event>> History::events(TimeRange range, std::size_t limit, std::stop_token stop) const
{
    return d->reader.events(range, limit, stop);
}

Result<std::vector<StepRecord>> History::steps(std::string_view job, TimeRange range, std::size_t limit,
                                               std::stop_token stop) const
{
    return d->reader.steps(job, range, limit, stop);
}

Result<std::optional<TimeRange>> History::extent() const { return d->reader.extent(); }

void History::flush()
{
    if (d->writer)
        d->writer->flush();
}

} // namespace plimsoll
