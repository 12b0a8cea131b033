// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "session/view_state.h"

#include <QObject>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

/// The one view state of a window and its undo history. GUI thread.
/// Steps of one kind within 0.4 s (wheel zooms, drags) are one step.
class TimeContext : public QObject
{
    Q_OBJECT

public:
    explicit TimeContext(const Clock &clock = systemClock(), QObject *parent = nullptr);

    [[nodiscard]] const ViewState &state() const noexcept { return m_state; }
    /// What the time axes show now. Live: ends at now, moves with advance().
    [[nodiscard]] TimeRange visibleRange() const;
    [[nodiscard]] Instant now() const; // the clock's; frozen modes keep their range all the same

    void setPage(const std::string &page);
    void setSpan(Duration span);            // live stays live, else the right edge stays
    void zoom(double factor, Instant keep); // < 1 in, > 1 out; `keep` stays under the cursor; live keeps following when keep is near now
    void pan(Duration by);                  // away from now freezes; back to now stays frozen until follow()
    void showRange(TimeRange range);        // freezes unless it ends at now
    void freeze();
    void follow();                          // End: live again, same span
    void toggleFreeze();
    void travelTo(Instant at);
    void returnFromTravel();                // Esc: the place before
    void setFilter(std::vector<FilterChip> filter);
    void selectJob(const std::string &job);
    void selectDevice(const std::string &device);
    void openJob(const std::string &job);   // page and job in one step
    void setCursors(std::optional<Instant> a, std::optional<Instant> b);

    [[nodiscard]] bool canGoBack() const noexcept;
    [[nodiscard]] bool canGoForward() const noexcept;
    void back();
    void forward();
    void home(); // the page's default range, live, no filter

    [[nodiscard]] std::optional<Instant> frozenSince() const noexcept { return m_frozenSince; }
    /// Called by the session's clock tick: emits rangeChanged while live.
    void advance();

signals:
    void stateChanged(const plimsoll::ViewState &state); // anything but the passing of time
    void rangeChanged(plimsoll::TimeRange range);        // also once a tick while live
    void historyChanged();

private:
    enum class Step : std::uint8_t { Zoom, Pan, Range, Cursor, Other };
    void apply(ViewState next, Step step);
    void enter(ViewState next); // without a trace in the undo history
    [[nodiscard]] bool mergesWithLast(Step step) const;
    void moveTo(ViewState &next, TimeRange range) const; // freezes what was live

    const Clock &m_clock;
    ViewState m_state;
    std::vector<ViewState> m_past; // oldest first, at most 200
    std::vector<ViewState> m_future;
    std::optional<Instant> m_frozenSince;
    Step m_lastStep = Step::Other;
    MonotonicInstant m_lastStepAt{};
    Instant m_now;
};

} // namespace plimsoll
