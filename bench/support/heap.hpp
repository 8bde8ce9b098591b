// How much of the heap something takes at once. Replaces operator new, so that one unit of a program includes it.
#ifndef BELLAMY_BENCH_HEAP_HPP
#define BELLAMY_BENCH_HEAP_HPP

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace bench {

// Bytes that live on the heap, and the most there were.
inline std::atomic<std::size_t> live_bytes{0};
inline std::atomic<std::size_t> most_bytes{0};

// The size stands before what it is the size of.
inline constexpr std::size_t heap_header = alignof(std::max_align_t);

inline void* allocate(std::size_t size) {
    auto* const made = static_cast<char*>(std::malloc(heap_header + size));
    if (made == nullptr) throw std::bad_alloc();
    std::memcpy(made, &size, sizeof size);
    const std::size_t live = live_bytes += size;
    std::size_t most = most_bytes;
    while (live > most && !most_bytes.compare_exchange_weak(most, live)) {
    }
    return made + heap_header;
}

inline void release(void* memory) noexcept {
    if (memory == nullptr) return;
    auto* const made = static_cast<char*>(memory) - heap_header;
    std::size_t size = 0;
    std::memcpy(&size, made, sizeof size);
    live_bytes -= size;
    std::free(made);
}

/// The most there was on the heap, beyond what there is now, since this was made. One at a time.
class heap_watch {
public:
    heap_watch() : before_(live_bytes) { most_bytes = before_; }
    [[nodiscard]] double most_mb() const noexcept { return static_cast<double>(most_bytes - before_) / 1e6; }

private:
    std::size_t before_;
};

}  // namespace bench

void* operator new(std::size_t size) { return bench::allocate(size); }
void* operator new[](std::size_t size) { return bench::allocate(size); }
void operator delete(void* memory) noexcept { bench::release(memory); }
void operator delete[](void* memory) noexcept { bench::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { bench::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { bench::release(memory); }

#endif
