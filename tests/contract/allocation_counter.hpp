// Counts what the program allocates, by replacing the operators new and delete. Apart from the tests, because g++ takes a
// replaced operator that it sees through for a mistake. Not for more than one thread.
#ifndef BELLAMY_TESTS_CONTRACT_ALLOCATION_COUNTER_HPP
#define BELLAMY_TESTS_CONTRACT_ALLOCATION_COUNTER_HPP

#include <cstddef>

namespace support {

extern std::size_t allocations;
extern std::size_t largest_allocation;

}  // namespace support

#endif
