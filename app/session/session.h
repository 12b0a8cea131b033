// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/quantity.h"
#include "base/result.h"
#include "base/time.h"
#include "history/history.h"
#include "ingest/channel.h"
#include "ingest/connection_state.h"
#include "model/event.h"
#include "model/fleet.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

class Settings;
class SliceService;
class TimeContext;

struct SessionOptions
{
    std::filesystem::path historyFile; // empty = the user's cache folder
    bool hostAgent = true;             // the embedded agent for this machine
    std::vector<EndpointConfig> endpoints;
    std::vector<std::string> scrape;   // given to the embedded agent
    Duration keepRaw = std::chrono::hours(48); // samples as they came; coarser ones stay until the limit
    Bytes historyLimit{10 * kGiB};
    Settings *settings = nullptr;      // where added endpoints are kept; outlives the session; null = nowhere
};

/// The status strip's figures, all true or absent.
struct SessionStatus
{
    int live = 0;
    int lagging = 0;
    int connecting = 0;
    int unreachable = 0; // refused ones too
    double samplesPerSecond = 0;
    std::uint64_t dropped = 0;
    HistoryState history;

    friend bool operator==(const SessionStatus &, const SessionStatus &) = default;
};

/// The one live session: owns embedded agent, channels and history, joins their
/// threads, and publishes values on the GUI thread, coalesced to at most ten a second.
class Session : public QObject
{
    Q_OBJECT

public:
    explicit Session(SessionOptions options, const Clock &clock = systemClock(), QObject *parent = nullptr);
    ~Session() override;

    /// Opens the history and starts agent and channels without blocking the GUI thread
    /// (started() or failed() follow).
    void start();

    [[nodiscard]] QString title() const; // host name, or "3 agents"
    [[nodiscard]] TimeContext *time() const noexcept;
    [[nodiscard]] SliceService *slices() const noexcept; // nullptr before started()
    [[nodiscard]] std::shared_ptr<const Fleet> fleet() const; // never null; as of travelTo when travelling
    [[nodiscard]] std::shared_ptr<const std::vector<SeriesEntry>> series() const; // never null
    [[nodiscard]] const std::vector<ConnectionState> &connections() const noexcept;
    [[nodiscard]] const SessionStatus &status() const noexcept;
    [[nodiscard]] const std::vector<Event> &recentEvents() const noexcept; // newest last, at most 500
    [[nodiscard]] std::optional<TimeRange> extent() const noexcept; // of all there is

    void addEndpoint(EndpointConfig endpoint); // kept in the settings; a known address takes the new name
    void removeEndpoint(const std::string &address); // the embedded one stays
    void retryNow(const std::string &address);
    void testEndpoint(const EndpointConfig &endpoint); // testFinished follows within about five seconds

signals:
    void started();
    void failed(const QString &sentence); // the session goes on with what works
    void fleetChanged(std::shared_ptr<const plimsoll::Fleet> fleet);
    void seriesChanged();              // set of series, not their values
    void dataCommitted(plimsoll::TimeRange range);
    void connectionsChanged();
    void statusChanged(const plimsoll::SessionStatus &status);
    void eventsArrived();
    void testFinished(const plimsoll::EndpointConfig &endpoint, const std::vector<plimsoll::ConnectionCheck> &checks);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace plimsoll
