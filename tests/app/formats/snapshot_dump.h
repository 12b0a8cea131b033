// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"

#include <QByteArray>
#include <QByteArrayList>
#include <QCryptographicHash>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace plimsoll {

/// A snapshot as lines, those of snapshot_dump.py: what differs is then a line to look at.
class SnapshotDump
{
public:
    explicit SnapshotDump(const MemorySnapshot &snapshot) : m_snapshot(snapshot) {}

    [[nodiscard]] QByteArrayList lines()
    {
        const auto &s = m_snapshot;
        if (s.origin.isTopLevelList) {
            m_lines << "list";
        } else {
            QByteArrayList keys;
            for (const auto &key : s.origin.topLevel)
                keys << QByteArray::fromStdString(key);
            m_lines << "dict " + keys.join(',');
        }
        for (const auto &segment : s.segments) {
            const char *half = "-";
            if (segment.isLarge)
                half = *segment.isLarge ? "large" : "small";
            m_lines << QByteArrayList{"S", QByteArray::number(segment.device), number(segment.address), number(segment.totalSize),
                                      number(segment.allocatedSize), number(segment.activeSize), number(segment.requestedSize),
                                      number(s.streams[segment.stream]), half, pool(segment.pool), flag(segment.isExpandable),
                                      stack(segment.stack)}
                           .join(' ');
            for (std::size_t i = segment.firstBlock; i < segment.firstBlock + segment.blockCount; ++i) {
                const auto &block = s.blocks[i];
                m_lines << QByteArrayList{"B", number(block.address), number(block.size), number(block.requested),
                                          bytes(toString(block.state)), QByteArray::number(block.historyLength), stack(block.stack)}
                               .join(' ');
            }
        }
        for (const auto &device : s.devices) {
            m_lines << (device.kind == MemoryKind::PinnedHost ? "H " : "D ") + QByteArray::number(qulonglong(device.eventCount));
            for (std::size_t row = device.firstEvent; row < device.firstEvent + device.eventCount; ++row)
                m_lines << event(s.events[row]);
        }
        for (const auto &mark : s.annotations)
            m_lines << QByteArrayList{"A", QByteArray::number(mark.device), QByteArray::number(qlonglong(mark.timeUs)),
                                      mark.stage == TraceAnnotation::Stage::Start ? "START" : "END", bytes(s.texts[mark.name])}
                           .join(' ');
        for (const auto &setting : s.settings)
            m_lines << "K " + QByteArray::fromStdString(setting.first);
        return m_lines;
    }

private:
    static QByteArray bytes(std::string_view text) { return {text.data(), qsizetype(text.size())}; }
    static QByteArray number(std::uint64_t value)
    {
        return value == kUnknownBytes ? QByteArray("-") : QByteArray::number(qulonglong(value));
    }
    static QByteArray pool(const std::optional<std::pair<std::int64_t, std::int64_t>> &id)
    {
        return id ? QByteArray::number(qlonglong(id->first)) + ',' + QByteArray::number(qlonglong(id->second)) : QByteArray("-");
    }
    static QByteArray flag(std::optional<bool> value) { return value ? QByteArray::number(int(*value)) : QByteArray("-"); }

    QByteArray stack(StackId id)
    {
        if (id == kNoStack)
            return "none";
        if (id == kEmptyStack)
            return "empty";
        auto &known = m_stacks[id];
        if (known.isEmpty()) {
            QCryptographicHash hash(QCryptographicHash::Sha1);
            const auto view = m_snapshot.stacks.stack(id);
            for (std::size_t i = 0; i < view.size(); ++i) {
                const auto &frame = m_snapshot.stacks.frame(view[i]);
                hash.addData(bytes(m_snapshot.texts[frame.file]) + '\n' + QByteArray::number(qulonglong(frame.line)) + '\n'
                             + bytes(m_snapshot.texts[frame.name]) + '\n');
            }
            known = QByteArray::number(qulonglong(view.size())) + ':' + hash.result().toHex();
        }
        return known;
    }

    QByteArray event(const TraceEvent &event)
    {
        const auto &context = m_snapshot.contexts[event.context];
        QByteArrayList extra;
        for (const auto &[key, value] : context.attributes) {
            const auto name = bytes(m_snapshot.texts[key]);
            if (QByteArrayList{"compile_context", "user_metadata", "internal_metadata", "category"}.contains(name))
                extra << name + '=' + bytes(m_snapshot.texts[value]);
        }
        std::sort(extra.begin(), extra.end());
        return (QByteArrayList{"E", QByteArray::fromStdString(m_snapshot.actionNames[static_cast<std::size_t>(event.action)]),
                               number(event.address), number(event.size), number(m_snapshot.streams[event.stream]),
                               event.timeUs == kUnknownTime ? QByteArray("-") : QByteArray::number(qlonglong(event.timeUs)),
                               pool(context.pool), stack(event.stack)}
                + extra)
            .join(' ');
    }

    const MemorySnapshot &m_snapshot;
    QByteArrayList m_lines;
    std::unordered_map<StackId, QByteArray> m_stacks;
};

} // namespace plimsoll
