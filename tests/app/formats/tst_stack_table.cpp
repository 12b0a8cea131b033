// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/reserved_array.h"
#include "formats/stack_table.h"
#include "formats/text_table.h"

#include <QTest>

#include <map>
#include <random>
#include <vector>

using namespace plimsoll;

class StackTableTest : public QObject
{
    Q_OBJECT

private slots:
    void keepsEachTextOnce();
    void tellsAbsentFromEmpty();
    void keepsEachStackOnce_data();
    void keepsEachStackOnce();
    void reservesWithoutTaking();
};

void StackTableTest::keepsEachTextOnce()
{
    TextTable texts;
    QCOMPARE(texts.intern(""), TextId{0});
    std::map<std::string, TextId> known;
    std::mt19937 random(3);
    for (int i = 0; i < 20'000; ++i) {
        std::string text(random() % 9, '\0');
        for (auto &c : text)
            c = static_cast<char>(random() % 5); // zeros too
        const auto id = texts.intern(text);
        const auto [at, isNew] = known.emplace(text, id);
        QCOMPARE(id, at->second);
        QVERIFY(texts[id] == text);
        (void)isNew;
    }
    known.emplace("", TextId{0});
    QCOMPARE(texts.size(), known.size());
    QCOMPARE(texts.find("never interned"), TextTable::kAbsent);
}

void StackTableTest::tellsAbsentFromEmpty()
{
    StackTable stacks;
    QCOMPARE(stacks.stackCount(), std::size_t{2});
    QCOMPARE(stacks.internStack({}), kEmptyStack);
    QCOMPARE(stacks.stack(kNoStack).size(), std::size_t{0});
    QCOMPARE(stacks.stack(kEmptyStack).size(), std::size_t{0});
}

void StackTableTest::keepsEachStackOnce_data()
{
    QTest::addColumn<quint32>("frames");
    QTest::newRow("few") << 7U;
    QTest::newRow("as many as fit into two bytes") << 65'536U;
    QTest::newRow("more") << 70'000U;
}

void StackTableTest::keepsEachStackOnce()
{
    QFETCH(quint32, frames);
    StackTable stacks;
    std::map<std::vector<FrameId>, StackId> known;
    std::mt19937 random(5);
    const auto add = [&](std::uint32_t reach) {
        std::vector<FrameId> stack(random() % 6);
        for (auto &frame : stack) {
            const auto line = static_cast<std::uint32_t>(random() % reach);
            frame = stacks.internFrame({line % 100, line / 100, line});
        }
        const auto id = stacks.internStack(stack);
        const auto [at, isNew] = known.emplace(stack, id);
        return id == at->second;
    };
    for (int i = 0; i < 3'000; ++i)
        QVERIFY(add(std::min(frames, 300U)));
    for (std::uint32_t line = 0; line < frames; ++line)
        (void)stacks.internFrame({line % 100, line / 100, line});
    QCOMPARE(stacks.frameCount(), std::size_t{frames});
    for (int i = 0; i < 3'000; ++i)
        QVERIFY(add(frames));
    for (const auto &[stack, id] : known) { // the earlier ones too, in the wider form
        const auto view = stacks.stack(id);
        QCOMPARE(view.size(), stack.size());
        for (std::size_t i = 0; i < stack.size(); ++i)
            QCOMPARE(view[i], stack[i]);
    }
    QCOMPARE(stacks.stackCount(), known.size() + 1 + (known.contains({}) ? 0 : 1));
}

void StackTableTest::reservesWithoutTaking()
{
    ReservedArray<std::uint64_t> array(std::size_t{1} << 30U); // 8 GiB of addresses, a page of memory
    array.append(7);
    array.setSize(1'000);
    QCOMPARE(array[0], std::uint64_t{7});
    QCOMPARE(array[999], std::uint64_t{0});
    auto other = std::move(array);
    QCOMPARE(other.size(), std::size_t{1'000});
    QVERIFY_THROWS_EXCEPTION(std::bad_alloc, ReservedArray<std::uint64_t>(static_cast<std::size_t>(-1) / 8));
}

QTEST_APPLESS_MAIN(StackTableTest)
#include "tst_stack_table.moc"
