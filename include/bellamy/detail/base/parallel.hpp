// Calls a function for every index, on several threads; what each call computes must not depend on the others.
#ifndef BELLAMY_DETAIL_BASE_PARALLEL_HPP
#define BELLAMY_DETAIL_BASE_PARALLEL_HPP

#include <bellamy/version.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#if defined(__cpp_exceptions)
#include <exception>
#include <mutex>
#endif

namespace bellamy::inline BELLAMY_ABI::detail {

/// The calling thread works too, with as many others as can be started. An exception of a call is thrown here, after all
/// threads have ended.
template <class Call>
void for_each_index(std::size_t count, std::size_t threads, const Call& call) {
    std::atomic<std::size_t> next{0};
#if defined(__cpp_exceptions)
    std::exception_ptr first;
    std::mutex guard;
#endif
    const auto work = [&] {
#if defined(__cpp_exceptions)
        try {
#endif
            for (std::size_t i = next++; i < count; i = next++) call(i);
#if defined(__cpp_exceptions)
        } catch (...) {
            const std::lock_guard lock(guard);
            if (!first) first = std::current_exception();
            next = count;
        }
#endif
    };
    std::vector<std::thread> others;
    const std::size_t wanted = (std::min)(threads, count);
    others.reserve(wanted);
#if defined(__cpp_exceptions)
    try {
#endif
        for (std::size_t i = 1; i < wanted; ++i) others.emplace_back(work);
#if defined(__cpp_exceptions)
    } catch (...) {
        // Those that did start must be joined, and the work is done without the others.
    }
#endif
    work();
    for (auto& each : others) each.join();
#if defined(__cpp_exceptions)
    if (first) std::rethrow_exception(first);
#endif
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
