#include "allocation_counter.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace support {

std::size_t allocations = 0;
std::size_t largest_allocation = 0;
std::atomic<std::size_t> live_allocations = 0;
std::atomic<std::size_t> live_bytes = 0;
std::atomic<std::size_t> failing_allocation = 0;
bool memory_stays_out = false;

bool fails_now() noexcept {
    auto left = failing_allocation.load();
    if (left == 1 && memory_stays_out) return true;
    while (left > 0 && !failing_allocation.compare_exchange_weak(left, left - 1)) {
    }
    return left == 1;
}

}  // namespace support

namespace {

// Stands before what was allocated, at the end of a block of the alignment.
struct header {
    std::size_t size;
    std::size_t block;
};

void* count_and_allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    ++support::allocations;
    if (size > support::largest_allocation) support::largest_allocation = size;
    if (support::fails_now()) return nullptr;
    const header told{.size = size, .block = std::max(alignment, sizeof(header))};
    // aligned_alloc takes multiples of the alignment only.
    auto* const block =
        static_cast<std::byte*>(std::aligned_alloc(alignment, (told.block + size + alignment) / alignment * alignment));
    if (block == nullptr) return nullptr;
    ++support::live_allocations;
    support::live_bytes += size;
    std::memcpy(block + told.block - sizeof told, &told, sizeof told);
    return block + told.block;
}
void release(void* memory) noexcept {
    if (memory == nullptr) return;
    header told{};
    std::memcpy(&told, static_cast<std::byte*>(memory) - sizeof told, sizeof told);
    --support::live_allocations;
    support::live_bytes -= told.size;
    std::free(static_cast<std::byte*>(memory) - told.block);
}
void* or_throw(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

// Every form, because a sanitizer brings its own of those that are missing, and they must match.
void* operator new(std::size_t size) { return or_throw(count_and_allocate(size)); }
void* operator new[](std::size_t size) { return or_throw(count_and_allocate(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return count_and_allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return count_and_allocate(size); }
void* operator new(std::size_t size, std::align_val_t to) {
    return or_throw(count_and_allocate(size, static_cast<std::size_t>(to)));
}
void* operator new[](std::size_t size, std::align_val_t to) {
    return or_throw(count_and_allocate(size, static_cast<std::size_t>(to)));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
