// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/connection_text.h"
#include "views/window/status_cells.h"

#include <QtTest>

using namespace plimsoll;

namespace {

const Instant kNow{std::chrono::seconds(1'790'000'000)};

ConnectionState connection(const std::string &host, ConnectionPhase phase)
{
    ConnectionState out;
    out.endpoint.address = host + ":7443";
    out.hostName = host;
    out.phase = phase;
    out.since = kNow;
    out.problem = "Nothing listens there.";
    return out;
}

QStringList texts(const std::vector<StatusStrip::Cell> &cells)
{
    QStringList out;
    for (const auto &cell : cells)
        out << cell.text;
    return out;
}

} // namespace

class TestStatusCells : public QObject
{
    Q_OBJECT

private slots:
    void namesEachProblem()
    {
        SessionStatus status;
        status.live = 2;
        status.lagging = 1;
        status.unreachable = 1;
        status.samplesPerSecond = 41200;
        status.dropped = 3;
        status.history.size = Bytes{2 * kGiB};
        auto lagging = connection("node-09", ConnectionPhase::Lagging);
        lagging.lag = std::chrono::seconds(12);
        const auto cells = statusCells(status, {connection("a", ConnectionPhase::Live), connection("b", ConnectionPhase::Live), lagging,
                                                connection("node-13", ConnectionPhase::Unreachable)},
                                       kNow, true);
        const QString all = texts(cells).join(QStringLiteral(" | "));
        QVERIFY2(all.contains(QStringLiteral("node-09 lags 12 s")), qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("node-13 unreachable since")), qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("3 dropped")), qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("2.00 GiB")), qPrintable(all));
        for (const auto &cell : cells) {
            if (cell.text.contains(QStringLiteral("unreachable"))) {
                QCOMPARE(cell.glyph, std::optional(Glyph::Page));
                QCOMPARE(cell.id, QStringLiteral("page.connections"));
            }
        }
    }
    void countsWhatIsTooMuch()
    {
        SessionStatus status;
        status.unreachable = 50;
        std::vector<ConnectionState> many(50, connection("x", ConnectionPhase::Unreachable));
        const auto cells = statusCells(status, many, kNow, true);
        QVERIFY(cells.size() < 8);
        QVERIFY(texts(cells).join(u' ').contains(QStringLiteral("47 more")));
    }
    void saysThatThereIsNoAgent()
    {
        QVERIFY(texts(statusCells({}, {}, kNow, true)).join(u' ').contains(QStringLiteral("no agent")));
    }
    void historyHealth_data()
    {
        QTest::addColumn<int>("health");
        QTest::addColumn<bool>("hasSentence");
        QTest::newRow("fine") << static_cast<int>(HistoryState::Health::Fine) << false;
        QTest::newRow("set aside") << static_cast<int>(HistoryState::Health::SetAside) << true;
        QTest::newRow("read only") << static_cast<int>(HistoryState::Health::ReadOnly) << true;
        QTest::newRow("disk full") << static_cast<int>(HistoryState::Health::DiskFull) << true;
        QTest::newRow("locked") << static_cast<int>(HistoryState::Health::Locked) << true;
        QTest::newRow("failed") << static_cast<int>(HistoryState::Health::Failed) << true;
    }
    void historyHealth()
    {
        QFETCH(int, health);
        QFETCH(bool, hasSentence);
        SessionStatus status;
        status.live = 1;
        status.history.health = static_cast<HistoryState::Health>(health);
        status.history.detail = "/var/x.sqlite\u202e";
        const auto cells = statusCells(status, {connection("a", ConnectionPhase::Live)}, kNow, true);
        const bool hasProblem = std::any_of(cells.begin(), cells.end(), [](const auto &cell) { return cell.glyph == Glyph::Trend; });
        QCOMPARE(hasProblem, hasSentence);
        QCOMPARE(historySentence(status.history).isEmpty(), !hasSentence);
        QVERIFY(!historySentence(status.history).contains(QChar(0x202e)));
    }
};

QTEST_APPLESS_MAIN(TestStatusCells)
#include "tst_status_cells.moc"
