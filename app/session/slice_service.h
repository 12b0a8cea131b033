// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/id.h"
#include "base/result.h"
#include "base/time.h"
#include "model/event.h"
#include "model/series_slice.h"

#include <QObject>

#include <cstdint>
#include <memory>
#include <vector>

namespace plimsoll {

class History;

/// What one panel wants to see.
struct SliceRequest
{
    std::vector<SeriesId> series;
    TimeRange range;
    int pixels = 0;
    bool withEvents = false;

    friend bool operator==(const SliceRequest &, const SliceRequest &) = default;
};

struct SliceAnswer
{
    SliceRequest request;
    std::vector<SeriesSlice> slices; // in the request's order; gaps carry their reasons
    std::vector<Event> events;       // of the range, when asked for
};

/// One panel's line to the history: ask() supersedes what was asked before, the
/// answer comes by signal on the GUI thread, never from within ask(); late ones are
/// dropped. May outlive its service; then it answers nothing any more.
class SliceFeed : public QObject
{
    Q_OBJECT

public:
    void ask(SliceRequest request);
    [[nodiscard]] bool isBusy() const noexcept;
    ~SliceFeed() override;

signals:
    void answered(std::shared_ptr<const plimsoll::SliceAnswer> answer);
    void failed(const plimsoll::Error &error);

private:
    friend class SliceService;
    class Private;
    SliceFeed(std::unique_ptr<Private> d, QObject *parent);
    std::unique_ptr<Private> d;
};

/// Owns the pool threads that read, and keeps the last answers: it fetches more than is
/// asked, so that panning and small zooms are answered from memory at once. What was
/// committed since is fetched by the next ask(), only the end where that suffices. GUI thread.
class SliceService : public QObject
{
    Q_OBJECT

public:
    explicit SliceService(std::shared_ptr<History> history, QObject *parent = nullptr);
    ~SliceService() override;

    [[nodiscard]] SliceFeed *createFeed(QObject *parent);

    /// The session tells of every commit before it tells anybody else.
    void dataCommitted(plimsoll::TimeRange range);

    struct Statistics
    {
        std::uint64_t asked = 0;
        std::uint64_t fromCache = 0;
        std::uint64_t fetches = 0;     // of a whole buffer
        std::uint64_t tailFetches = 0; // of its end
        std::uint64_t superseded = 0;  // stopped, or their late answer dropped

        friend bool operator==(const Statistics &, const Statistics &) = default;
    };
    [[nodiscard]] Statistics statistics() const noexcept;

private:
    friend class SliceFeed;
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace plimsoll
