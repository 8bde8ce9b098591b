// Counts what the program allocates, and lets an allocation fail, by replacing the operators new and delete. Apart from the
// tests, because g++ takes a replaced operator that it sees through for a mistake. The counters are for one thread.
#ifndef BELLAMY_TESTS_CONTRACT_ALLOCATION_COUNTER_HPP
#define BELLAMY_TESTS_CONTRACT_ALLOCATION_COUNTER_HPP

#include <atomic>
#include <cstddef>

namespace support {

extern std::size_t allocations;
extern std::size_t largest_allocation;
/// Of the operator new, not yet freed.
extern std::atomic<std::size_t> live_allocations;
extern std::atomic<std::size_t> live_bytes;
/// The allocation that fails, counted from now; 0 is none. It fails once, unless memory stays out: then all that follow do.
extern std::atomic<std::size_t> failing_allocation;
extern bool memory_stays_out;

/// Whether it is this allocation's turn to fail.
[[nodiscard]] bool fails_now() noexcept;

}  // namespace support

#endif
