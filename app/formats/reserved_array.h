// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace plimsoll {

/// An array whose address space is reserved once and whose pages come as they are written: it
/// grows without copying, is zero until then, and what is never written costs nothing. A
/// vector's regrowth costs a third of the time of reading a gigabyte of events.
template <class T>
class ReservedArray
{
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    ReservedArray() = default;
    /// Throws std::bad_alloc when the system grants no address space for so much.
    explicit ReservedArray(std::size_t capacity) : m_capacity(capacity)
    {
        if (capacity == 0)
            return;
        void *memory = capacity > static_cast<std::size_t>(-1) / sizeof(T) / 2
            ? MAP_FAILED
            : ::mmap(nullptr, capacity * sizeof(T), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            throw std::bad_alloc();
        m_data = static_cast<T *>(memory);
    }
    ReservedArray(ReservedArray &&other) noexcept
        : m_data(std::exchange(other.m_data, nullptr))
        , m_capacity(std::exchange(other.m_capacity, 0))
        , m_size(std::exchange(other.m_size, 0))
    {}
    ReservedArray &operator=(ReservedArray &&other) noexcept
    {
        std::swap(m_data, other.m_data);
        std::swap(m_capacity, other.m_capacity);
        std::swap(m_size, other.m_size);
        return *this;
    }
    ReservedArray(const ReservedArray &) = delete;
    ReservedArray &operator=(const ReservedArray &) = delete;
    ~ReservedArray()
    {
        if (m_data)
            ::munmap(m_data, m_capacity * sizeof(T));
    }

    [[nodiscard]] std::size_t size() const noexcept { return m_size; }
    [[nodiscard]] std::size_t capacity() const noexcept { return m_capacity; }
    [[nodiscard]] T *data() noexcept { return m_data; }
    [[nodiscard]] const T *data() const noexcept { return m_data; }
    [[nodiscard]] T &operator[](std::size_t i) noexcept { return m_data[i]; }
    [[nodiscard]] const T &operator[](std::size_t i) const noexcept { return m_data[i]; }
    [[nodiscard]] std::span<const T> span() const noexcept { return {m_data, m_size}; }

    /// Within the capacity; what is new is what was written there, else zero.
    void setSize(std::size_t size) noexcept { m_size = size; }
    void append(T value) noexcept { m_data[m_size++] = value; } // the caller checks the capacity

private:
    T *m_data = nullptr;
    std::size_t m_capacity = 0;
    std::size_t m_size = 0;
};

} // namespace plimsoll
