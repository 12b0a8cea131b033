// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/size_classes.h"

#include "snapshot/wrapping.h"

#include <array>
#include <bit>

namespace plimsoll {
namespace {

class Sum
{
public:
    explicit Sum(const Replay &replay) : m_replay(replay) {}

    void add(AllocationId id)
    {
        const auto size = m_replay.sizes()[id];
        auto &of = m_classes[size < 512 ? 0 : static_cast<std::size_t>(std::bit_width(size)) - 9];
        ++of.count;
        of.bytes = wrappingAdd(of.bytes, static_cast<std::int64_t>(size));
        of.rounded = wrappingAdd(of.rounded, static_cast<std::int64_t>(m_replay.roundedSize(id)));
    }

    [[nodiscard]] std::vector<SizeClass> take() const
    {
        std::vector<SizeClass> used;
        for (std::size_t i = 0; i < m_classes.size(); ++i) {
            auto of = m_classes[i];
            if (of.count == 0)
                continue;
            of.from = i == 0 ? 0 : std::uint64_t{1} << (i + 8);
            of.to = i + 9 < 64 ? std::uint64_t{1} << (i + 9) : 0;
            used.push_back(of);
        }
        return used;
    }

private:
    const Replay &m_replay;
    std::array<SizeClass, 56> m_classes; // below 512 B, from 512 B, from 1 KiB, …
};

} // namespace

std::vector<SizeClass> sizeClassesAt(const Replay &replay, EventInstant instant)
{
    Sum sum(replay);
    replay.forEachAlive(instant, [&](AllocationId id) { sum.add(id); });
    return sum.take();
}

std::vector<SizeClass> sizeClassesBorn(const Replay &replay, EventInstant from, EventInstant to)
{
    Sum sum(replay);
    const auto last = replay.bornUpTo(to);
    for (auto id = replay.bornUpTo(from); id < last; ++id)
        sum.add(static_cast<AllocationId>(id));
    return sum.take();
}

} // namespace plimsoll
