// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace plimsoll {

/// Writes small pickles by hand: as CPython does in protocol 4, or as PyTorch's C++ pickler does in
/// protocol 2 (containers are numbered behind their contents, numbers beyond 32 bits take 8 bytes).
class PickleWriter
{
public:
    enum class Dialect { Python, Cpp };
    using Body = std::function<void()>;

    explicit PickleWriter(Dialect dialect = Dialect::Python) : m_isCpp(dialect == Dialect::Cpp)
    {
        bytes = m_isCpp ? std::string("\x80\x02", 2) : std::string("\x80\x04", 2);
    }

    std::string bytes;

    std::uint32_t put()
    {
        const auto slot = m_count++;
        if (!m_isCpp)
            bytes += '\x94';
        else if (slot < 256)
            bytes += 'q', bytes += static_cast<char>(slot);
        else
            bytes += 'r', raw(slot);
        return slot;
    }
    void get(std::uint32_t slot)
    {
        if (slot < 256)
            bytes += 'h', bytes += static_cast<char>(slot);
        else
            bytes += 'j', raw(slot);
    }
    void text(const std::string &text)
    {
        if (const auto known = m_texts.find(text); known != m_texts.end()) {
            get(known->second);
            return;
        }
        m_texts[text] = fresh(text);
    }
    std::uint32_t fresh(std::string_view text) // an object of its own
    {
        if (!m_isCpp && text.size() < 256)
            bytes += '\x8c', bytes += static_cast<char>(text.size());
        else
            bytes += 'X', raw(static_cast<std::uint32_t>(text.size()));
        bytes += text;
        return put();
    }
    void number(std::int64_t value)
    {
        if (value >= 0 && value < 256) {
            bytes += 'K', bytes += static_cast<char>(value);
        } else if (value >= 0 && value < 65536) {
            bytes += 'M', bytes += static_cast<char>(value & 255), bytes += static_cast<char>(value >> 8);
        } else if (value >= INT32_MIN && value <= INT32_MAX) {
            bytes += 'J', raw(static_cast<std::int32_t>(value));
        } else {
            bytes += '\x8a', bytes += '\x08', raw(value);
        }
    }
    void flag(bool value) { bytes += value ? '\x88' : '\x89'; }
    void none() { bytes += 'N'; }
    void pair(std::int64_t a, std::int64_t b)
    {
        number(a);
        number(b);
        bytes += '\x86';
        put();
    }
    std::uint32_t dict(const Body &body) { return container('}', 'u', body); }
    std::uint32_t list(const Body &body) { return container(']', 'e', body); }
    void key(const std::string &name, std::int64_t value)
    {
        text(name);
        number(value);
    }
    void key(const std::string &name, const std::string &value)
    {
        text(name);
        text(value);
    }
    void key(const std::string &name, const Body &value)
    {
        text(name);
        value();
    }
    std::string finished() const { return bytes + '.'; }

    template <class Number>
    void raw(Number number)
    {
        char into[sizeof(number)];
        std::memcpy(into, &number, sizeof(number));
        bytes.append(into, sizeof(number));
    }

    // --- what snapshots are made of
    std::uint32_t frame(const std::string &file, std::int64_t line, const std::string &name)
    {
        return dict([&] {
            key("name", name);
            key("filename", file);
            key("line", line);
        });
    }
    void event(const std::string &action, std::int64_t address, std::int64_t size, const Body &more = {})
    {
        dict([&] {
            key("action", action);
            key("addr", address);
            key("size", size);
            key("stream", 0);
            if (more)
                more();
        });
    }
    /// A snapshot of one device with these events, and no segments.
    void snapshot(const Body &events, const Body &more = {})
    {
        dict([&] {
            key("segments", [&] { list([] {}); });
            key("device_traces", [&] { list([&] { list(events); }); });
            if (more)
                more();
        });
    }

private:
    std::uint32_t container(char open, char close, const Body &body)
    {
        bytes += open;
        std::uint32_t slot = 0;
        if (!m_isCpp)
            slot = put();
        const auto mark = bytes.size();
        bytes += '(';
        body();
        if (bytes.size() == mark + 1 && !m_isCpp)
            bytes.pop_back(); // CPython writes an empty one without a mark
        else
            bytes += close;
        if (m_isCpp)
            slot = put();
        return slot;
    }

    bool m_isCpp;
    std::uint32_t m_count = 0;
    std::map<std::string, std::uint32_t> m_texts;
};

} // namespace plimsoll
