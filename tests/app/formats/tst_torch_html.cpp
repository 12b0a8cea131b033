// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_html.h"
#include "formats/torch_pickle.h"

#include "pickle_writer.h"
#include "snapshot_dump.h"

#include <QTest>

using namespace plimsoll;

namespace {

std::string manyEvents()
{
    PickleWriter w;
    w.snapshot([&] {
        for (int i = 0; i < 30'000; ++i)
            w.event("alloc", 0x7f0000000000 + i, i, [&] { w.key("time_us", 1'767'225'600'000'000 + i); });
    });
    return w.finished();
}

QByteArray page(const QByteArray &base64)
{
    return "<!DOCTYPE html>\n<html><head></head><body><script type=\"module\">\nimport {add_local_files} from \"x.js\"\n"
           "const local_files = [{\"name\": \"snapshot.pickle\", \"base64\": \""
        + base64 + "\"}]\nadd_local_files(local_files, \"Active Memory Timeline\")\n</script></body>\n";
}

/// Gives its bytes in pieces of every size.
class DrippingSource final : public ByteSource
{
public:
    explicit DrippingSource(QByteArray bytes) : m_bytes(std::move(bytes)) {}
    [[nodiscard]] Result<std::size_t> read(std::span<char> into) override
    {
        const auto count = std::min<std::size_t>({into.size(), std::size_t(m_bytes.size()) - m_at, m_step++ % 1000 + 1});
        std::copy_n(m_bytes.constData() + m_at, count, into.data());
        m_at += count;
        return count;
    }
    [[nodiscard]] std::uint64_t taken() const noexcept override { return m_at; }
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return std::uint64_t(m_bytes.size()); }

private:
    QByteArray m_bytes;
    std::size_t m_at = 0;
    std::size_t m_step = 0;
};

Result<MemorySnapshot> readPage(const QByteArray &bytes)
{
    return readTorchHtml(*bytesOf({bytes.constData(), std::size_t(bytes.size())}));
}

} // namespace

/// The page that memory_viz writes.
class TorchHtmlTest : public QObject
{
    Q_OBJECT

private slots:
    void sameAsThePickle_data();
    void sameAsThePickle();
    void inPieces();
    void broken_data();
    void broken();
    void cutOff();
};

void TorchHtmlTest::sameAsThePickle_data()
{
    QTest::addColumn<int>("padding");
    QTest::newRow("no padding") << 0;
    QTest::newRow("one zero") << 1;
    QTest::newRow("two zeros") << 2;
    QTest::newRow("three zeros") << 3;
}

void TorchHtmlTest::sameAsThePickle()
{
    QFETCH(int, padding);
    const auto pickle = manyEvents() + std::string(std::size_t(padding), '\0');
    const auto bytes = page(QByteArray::fromStdString(pickle).toBase64());
    const auto ours = readPage(bytes);
    QVERIFY2(ours, ours ? "" : ours.error().detail.c_str());
    const auto direct = readTorchPickle(*bytesOf(pickle));
    QVERIFY(direct);
    QCOMPARE(SnapshotDump(*ours).lines(), SnapshotDump(*direct).lines());
    QVERIFY(ours->origin.isHtml && !direct->origin.isHtml);
    QCOMPARE(ours->origin.fileBytes, std::uint64_t(bytes.size()));
    QCOMPARE(ours->origin.trailingBytes, std::uint64_t(padding));
    QVERIFY(ours->warnings.empty());
}

void TorchHtmlTest::inPieces()
{
    const auto pickle = manyEvents();
    auto base64 = QByteArray::fromStdString(pickle).toBase64();
    base64.replace("/", "\\/"); // as some writers of JSON do
    DrippingSource source(page(base64));
    const auto ours = readTorchHtml(source);
    QVERIFY2(ours, ours ? "" : ours.error().detail.c_str());
    QCOMPARE(ours->events.size(), std::size_t(30'000));
    DrippingSource plain(QByteArray::fromStdString(pickle));
    const auto direct = readTorchPickle(plain);
    QVERIFY(direct);
    QCOMPARE(SnapshotDump(*ours).lines(), SnapshotDump(*direct).lines());
}

void TorchHtmlTest::broken_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("no snapshot") << QByteArray("<!DOCTYPE html><html><body>Hello</body></html>");
    QTest::newRow("no text") << QByteArray("<html>local_files = [];</html>");
    QTest::newRow("empty text") << page({});
    QTest::newRow("another thing") << page("AAAA");
    QTest::newRow("nothing") << QByteArray();
}

void TorchHtmlTest::broken()
{
    QFETCH(QByteArray, bytes);
    const auto result = readPage(bytes);
    QVERIFY(!result);
    QVERIFY(result.error().detail.size() > 20);
}

void TorchHtmlTest::cutOff()
{
    const auto whole = page(QByteArray::fromStdString(manyEvents()).toBase64());
    const auto half = readPage(whole.left(whole.size() / 2));
    QVERIFY(half);
    QVERIFY(half->origin.truncatedAt);
    QVERIFY(half->events.size() > 10'000 && half->events.size() < 20'000);
}

QTEST_GUILESS_MAIN(TorchHtmlTest)
#include "tst_torch_html.moc"
