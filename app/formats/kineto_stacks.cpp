// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/kineto_stacks.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <tuple>

namespace plimsoll {
namespace {

// "torch/nn/modules/module.py(1102): _call_impl"
FrameId pythonFrame(TextId name, TextTable &texts, StackTable &stacks)
{
    const std::string text(texts[name]); // interning moves the table's bytes
    const auto close = text.find("): ");
    const auto open = close == std::string::npos ? close : text.rfind('(', close);
    StackFrame frame{0, name, 0};
    if (open != std::string::npos) {
        std::uint64_t line = 0;
        const auto *end = text.data() + close;
        const auto [stop, error] = std::from_chars(text.data() + open + 1, end, line);
        if (error == std::errc() && stop == end)
            frame = {texts.intern(std::string_view(text).substr(0, open)), texts.intern(std::string_view(text).substr(close + 3)), line};
    }
    return stacks.internFrame(frame);
}

class OpenRanges
{
public:
    OpenRanges(TextTable &texts, StackTable &stacks) : m_texts(texts), m_stacks(stacks) {}

    void clear()
    {
        m_open.clear();
        m_isKnown = false;
    }
    void push(const ThreadRange &range)
    {
        // Whole microseconds: the next one often begins in the microsecond in which the last one ended.
        while (!m_open.empty() && m_open.back()->end <= range.begin && m_open.back()->begin < range.begin)
            m_open.pop_back();
        m_open.push_back(&range);
        m_isKnown = false;
    }
    [[nodiscard]] StackId at(std::int64_t time)
    {
        // Rounding lets a range end behind the one around it, so what is over can lie anywhere.
        const auto over = std::remove_if(m_open.begin(), m_open.end(), [time](const auto *range) { return range->end < time; });
        if (over != m_open.end()) {
            m_open.erase(over, m_open.end());
            m_isKnown = false;
        }
        if (!m_isKnown) {
            m_frames.clear();
            for (auto range = m_open.rbegin(); range != m_open.rend(); ++range)
                m_frames.push_back((*range)->isPython != 0 ? pythonFrame((*range)->name, m_texts, m_stacks)
                                                           : m_stacks.internFrame({0, (*range)->name, 0}));
            m_stack = m_frames.empty() ? kNoStack : m_stacks.internStack(m_frames);
            m_isKnown = true;
        }
        return m_stack;
    }

private:
    TextTable &m_texts;
    StackTable &m_stacks;
    std::vector<const ThreadRange *> m_open; // outermost first
    std::vector<FrameId> m_frames;
    StackId m_stack = kNoStack;
    bool m_isKnown = false;
};

} // namespace

void findStacks(std::vector<ThreadRange> &ranges, std::vector<ThreadMoment> &moments, TextTable &texts, StackTable &stacks, StopCheck &stop)
{
    // Stable: of two that are equal the file's first one is the outer one.
    std::stable_sort(ranges.begin(), ranges.end(), [&stop](const ThreadRange &a, const ThreadRange &b) {
        stop();
        return std::tuple(std::uint32_t{a.thread}, a.begin, b.end) < std::tuple(std::uint32_t{b.thread}, b.begin, a.end);
    });
    std::stable_sort(moments.begin(), moments.end(), [&stop](const ThreadMoment &a, const ThreadMoment &b) {
        stop();
        return std::tie(a.thread, a.time) < std::tie(b.thread, b.time);
    });
    OpenRanges open(texts, stacks);
    auto range = ranges.begin();
    std::uint32_t thread = 0;
    for (auto &moment : moments) {
        stop();
        if (moment.thread != thread || &moment == moments.data()) {
            thread = moment.thread;
            open.clear();
            while (range != ranges.end() && range->thread < thread)
                ++range;
        }
        for (; range != ranges.end() && range->thread == thread && range->begin <= moment.time; ++range)
            open.push(*range);
        moment.stack = open.at(moment.time);
    }
}

} // namespace plimsoll
