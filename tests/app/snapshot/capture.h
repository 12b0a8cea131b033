// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"

#include <QFileInfo>
#include <QProcess>
#include <QString>

#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

// A snapshot by way of Python's own unpickler (which refuses all globals), as simple text.
inline constexpr const char *kDump = R"PY(
import pickle, sys
class U(pickle.Unpickler):
    def find_class(self, m, n): raise pickle.UnpicklingError(m + n)
s = U(open(sys.argv[1], 'rb')).load()
if isinstance(s, list): s = {'segments': s, 'device_traces': []}
o = sys.stdout
seen, held = {}, []
def clean(t): return str(t).replace('\t', ' ').replace('\n', ' ')
def stack(f):
    if f is None: return 0
    if id(f) in seen: return seen[id(f)]
    held.append(f)
    seen[id(f)] = n = len(seen) + 1
    o.write('K\t%d' % n)
    for x in f: o.write('\t%s\t%s\t%d' % (clean(x['filename']), clean(x['name']), x['line'] % 2**64))
    o.write('\n')
    return n
def pool(p): return '%d\t%d\t%d' % ((1, p[0], p[1]) if p is not None else (0, 0, 0))
for k, v in (s.get('allocator_settings') or {}).items():
    import json
    o.write('T\t%s\t%s\n' % (k, json.dumps(v)))
for g in s['segments']:
    f = stack(g.get('frames'))
    for b in g['blocks']: stack(b.get('frames'))
    o.write('S\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%d\n' % (g['device'], g['address'] % 2**64, g['total_size'], g['stream'] % 2**64, g['segment_type'] == 'large', bool(g.get('is_expandable')), pool(g.get('segment_pool_id')), f))
    a = g['address'] % 2**64
    for b in g['blocks']:
        r = b.get('requested_size')
        if r is None: r = b['history'][0]['real_size'] if b.get('history') else b['size']
        o.write('B\t%d\t%d\t%d\t%s\t%d\n' % (b.get('address', a) % 2**64, b['size'], r, b['state'], stack(b.get('frames'))))
        a += b['size']
for d, t in enumerate(s.get('device_traces', [])):
    o.write('D\t%d\t%d\n' % (d, len(t)))
    for e in t:
        f = stack(e.get('frames'))
        o.write('E\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n' % (e['action'], e.get('addr', e.get('device_free', 0)) % 2**64, e['size'], e.get('stream', 0) % 2**64, e.get('time_us', 0), f, pool(e.get('pool_id'))))
)PY";

inline std::unique_ptr<MemorySnapshot> capture(const QString &path)
{
    if (!QFileInfo::exists(path))
        return nullptr;
    QProcess python;
    python.start(QStringLiteral("python3"), {QStringLiteral("-c"), QString::fromUtf8(kDump), path});
    if (!python.waitForFinished(120'000) || python.exitCode() != 0) {
        std::fprintf(stderr, "%s\n", python.readAllStandardError().constData());
        return nullptr;
    }
    const auto lines = python.readAllStandardOutput().split('\n');
    auto snapshot = std::make_unique<MemorySnapshot>();
    snapshot->events = EventColumns(static_cast<std::size_t>(lines.size()) + 1);
    std::map<std::uint64_t, StackId> stacks{{0, kNoStack}};
    std::map<std::uint64_t, StreamId> streams{{0, 0}};
    std::map<std::pair<std::int64_t, std::int64_t>, ContextId> contexts;
    const auto streamOf = [&](std::uint64_t handle) {
        const auto [at, isNew] = streams.try_emplace(handle, static_cast<StreamId>(snapshot->streams.size()));
        if (isNew)
            snapshot->streams.push_back(handle);
        return at->second;
    };
    for (const auto &line : lines) {
        const auto part = line.split('\t');
        const auto number = [&](int i) { return std::uint64_t{part[i].toULongLong()}; };
        const auto poolAt = [&](int i) {
            return part[i] == "1" ? std::optional(std::pair<std::int64_t, std::int64_t>(part[i + 1].toLongLong(), part[i + 2].toLongLong()))
                                  : std::nullopt;
        };
        if (part[0] == "K") {
            std::vector<FrameId> frames;
            for (int i = 2; i + 2 < part.size(); i += 3)
                frames.push_back(snapshot->stacks.internFrame({snapshot->texts.intern(part[i].toStdString()),
                                                               snapshot->texts.intern(part[i + 1].toStdString()), number(i + 2)}));
            stacks[number(1)] = snapshot->stacks.internStack(frames);
        } else if (part[0] == "T") {
            snapshot->settings.emplace_back(part[1].toStdString(), part[2].toStdString());
        } else if (part[0] == "S") {
            MemorySegment segment;
            segment.device = static_cast<std::int32_t>(number(1));
            segment.address = number(2);
            segment.totalSize = number(3);
            segment.stream = streamOf(number(4));
            segment.isLarge = number(5) == 1;
            segment.isExpandable = number(6) == 1;
            segment.pool = poolAt(7);
            segment.stack = stacks[number(10)];
            segment.firstBlock = snapshot->blocks.size();
            snapshot->segments.push_back(segment);
        } else if (part[0] == "B") {
            MemoryBlock block;
            block.address = number(1);
            block.size = number(2);
            block.requested = number(3);
            block.state = part[4] == "active_allocated" ? BlockState::ActiveAllocated
                : part[4] == "inactive"                 ? BlockState::Inactive
                                                        : BlockState::ActivePendingFree;
            block.stack = stacks[number(5)];
            snapshot->blocks.push_back(block);
            ++snapshot->segments.back().blockCount;
        } else if (part[0] == "D") {
            TraceDevice device;
            device.ordinal = static_cast<std::int32_t>(number(1));
            device.firstEvent = snapshot->events.size();
            device.eventCount = number(2);
            snapshot->devices.push_back(device);
        } else if (part[0] == "E") {
            TraceEvent event;
            for (std::size_t a = 0; a < kKnownActions; ++a)
                if (part[1].toStdString() == toString(static_cast<TraceAction>(a)))
                    event.action = static_cast<TraceAction>(a);
            event.address = number(2);
            event.size = number(3);
            event.stream = streamOf(number(4));
            event.timeUs = static_cast<std::int64_t>(number(5));
            event.stack = stacks[number(6)];
            if (const auto pool = poolAt(7)) {
                const auto [at, isNew] = contexts.try_emplace(*pool, static_cast<ContextId>(snapshot->contexts.size()));
                if (isNew)
                    snapshot->contexts.push_back({pool, {}});
                event.context = at->second;
            }
            snapshot->events.append(event);
        }
    }
    return snapshot;
}

} // namespace plimsoll
