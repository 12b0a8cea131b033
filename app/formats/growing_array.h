// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace plimsoll {

/// An array of which nobody knows how long it gets: its pages are moved, not copied, when it grows,
/// so that it never needs its size one and a half times over as a vector does.
template <class T>
class GrowingArray
{
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    GrowingArray() = default;
    GrowingArray(GrowingArray &&other) noexcept
        : m_data(std::exchange(other.m_data, nullptr))
        , m_capacity(std::exchange(other.m_capacity, 0))
        , m_size(std::exchange(other.m_size, 0))
    {}
    GrowingArray &operator=(GrowingArray &&other) noexcept
    {
        std::swap(m_data, other.m_data);
        std::swap(m_capacity, other.m_capacity);
        std::swap(m_size, other.m_size);
        return *this;
    }
    GrowingArray(const GrowingArray &other)
    {
        const auto room = extend(other.m_size);
        std::copy(other.begin(), other.end(), room.begin());
    }
    GrowingArray &operator=(const GrowingArray &other)
    {
        if (this != &other)
            *this = GrowingArray(other);
        return *this;
    }
    ~GrowingArray() { release(); }

    [[nodiscard]] std::size_t size() const noexcept { return m_size; }
    [[nodiscard]] std::size_t bytes() const noexcept { return m_size * sizeof(T); } // those that take memory
    [[nodiscard]] const T *data() const noexcept { return m_data; }
    [[nodiscard]] const T &operator[](std::size_t i) const noexcept { return m_data[i]; }
    [[nodiscard]] const T *begin() const noexcept { return m_data; }
    [[nodiscard]] const T *end() const noexcept { return m_data + m_size; }

    /// These throw std::bad_alloc.
    void append(T value)
    {
        if (m_size == m_capacity)
            reserve(m_size + 1);
        m_data[m_size++] = value;
    }
    /// Room for `count` more, written by the caller.
    [[nodiscard]] std::span<T> extend(std::size_t count)
    {
        if (count > m_capacity - m_size)
            reserve(m_size + count);
        const std::span<T> room(m_data + m_size, count);
        m_size += count;
        return room;
    }
    void release() noexcept
    {
        if (m_data)
            ::munmap(m_data, m_capacity * sizeof(T));
        m_data = nullptr;
        m_capacity = m_size = 0;
    }

private:
    void reserve(std::size_t least)
    {
        constexpr std::size_t kPage = 4096;
        auto capacity = m_capacity == 0 ? kPage / sizeof(T) : m_capacity * 2;
        while (capacity < least)
            capacity *= 2;
        if (capacity > static_cast<std::size_t>(-1) / sizeof(T) / 2)
            throw std::bad_alloc();
        void *memory = m_data
            ? ::mremap(m_data, m_capacity * sizeof(T), capacity * sizeof(T), MREMAP_MAYMOVE)
            : ::mmap(nullptr, capacity * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            throw std::bad_alloc();
        m_data = static_cast<T *>(memory);
        m_capacity = capacity;
    }

    T *m_data = nullptr;
    std::size_t m_capacity = 0;
    std::size_t m_size = 0;
};

} // namespace plimsoll
