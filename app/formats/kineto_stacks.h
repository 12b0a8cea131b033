// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

namespace plimsoll {

/// Something that ran on a thread of a trace for a while: an op, an annotation, a Python function.
struct ThreadRange
{
    std::int64_t begin = 0; // nanoseconds, any base
    std::int64_t end = 0;   // inclusive
    TextId name = 0;
    std::uint32_t thread : 31 = 0;
    std::uint32_t isPython : 1 = 0; // the name says file and line too
};

/// A moment on a thread for which the stack is wanted.
struct ThreadMoment
{
    std::int64_t time = 0;
    std::uint32_t thread = 0;
    std::uint32_t row = 0; // the caller's
    StackId stack = kNoStack;
};

/// Asked in long loops and sorts; throws, within the reader, when nobody wants the result any more.
class StopCheck
{
public:
    struct Stopped
    {};

    explicit StopCheck(std::stop_token stop) : m_stop(std::move(stop)) {}
    void operator()()
    {
        if ((++m_asked & 0xFFFFU) == 0 && m_stop.stop_requested())
            throw Stopped();
    }

private:
    std::stop_token m_stop;
    std::uint32_t m_asked = 0;
};

/// Fills in what was running at each moment, innermost first; kNoStack where nothing was. Sorts
/// both by thread and time.
void findStacks(std::vector<ThreadRange> &ranges, std::vector<ThreadMoment> &moments, TextTable &texts, StackTable &stacks, StopCheck &stop);

} // namespace plimsoll
