// Calls a function for every index, on several threads; what each call computes must not depend on the others.
#ifndef BELLAMY_DETAIL_BASE_PARALLEL_HPP
#define BELLAMY_DETAIL_BASE_PARALLEL_HPP

#include <bellamy/detail/base/thread_pool.hpp>

#include <algorithm>
#include <atomic>

#if defined(__cpp_exceptions)
#include <exception>
#endif

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The calling thread works too, with as many others as can be had. An exception of a call is thrown here, after all threads
/// have ended their work.
template <class Call>
void for_each_index(std::size_t count, std::size_t threads, const Call& call, thread_pool& pool = thread_pool::shared()) {
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
    const std::size_t wanted = (std::min)(threads, count);
    pool.run(wanted > 0 ? wanted - 1 : 0, work);
#if defined(__cpp_exceptions)
    if (first) std::rethrow_exception(first);
#endif
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
