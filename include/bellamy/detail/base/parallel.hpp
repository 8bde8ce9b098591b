// A pool of threads that are kept between calls, and a parallel loop over indices.
#ifndef BELLAMY_DETAIL_BASE_PARALLEL_HPP
#define BELLAMY_DETAIL_BASE_PARALLEL_HPP

#include <bellamy/version.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__cpp_exceptions)
#include <exception>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Keeps threads between calls, because starting one costs more than many tasks. Starts them on demand and joins them when
/// it is destroyed. Tasks may be nested: the caller works too, and never waits for a thread that is busy elsewhere.
class thread_pool {
public:
    ~thread_pool() {
        {
            const std::lock_guard lock(mutex_);
            stops_ = true;
        }
        wakes_.notify_all();
        for (auto& thread : threads_) {
            if (process() == started_by_)
                thread.join();
            else
                thread.detach();  // a forked process has none of them
        }
    }

    /// The pool of training; its threads sleep until the process ends, or its library is unloaded.
    static thread_pool& shared() {
        static thread_pool pool;
        return pool;
    }

    /// Calls `work()` on this thread and, at the same time, on up to `others` threads of the pool. Returns when all calls
    /// have returned. Precondition: `work` does not throw.
    template <class Work>
    void run(size_t others, const Work& work) {
        task posted{[](const void* untyped) { (*static_cast<const Work*>(untyped))(); }, &work, others};
        if (others > 0) post(posted);
        work();
        if (others > 0) withdraw(posted);
    }

    /// Number of threads started so far.
    size_t size() const {
        const std::lock_guard lock(mutex_);
        return threads_.size();
    }

private:
    static long long process() noexcept {
#if defined(__unix__) || defined(__APPLE__)
        return getpid();
#else
        return 0;
#endif
    }

    // Lives on the stack of the caller of `run`.
    struct task {
        void (*call)(const void*);
        const void* work;
        size_t wanted;
        size_t running = 0;
        task* next = nullptr;
        std::condition_variable ended{};
    };

    void post(task& posted) {
        {
            const std::lock_guard lock(mutex_);
            size_t wanted = 0;
            task** end = &first_;
            for (; *end != nullptr; end = &(*end)->next) wanted += (*end)->wanted;
            *end = &posted;
            start(wanted + posted.wanted);
        }
        wakes_.notify_all();
    }

    // No further thread takes the task; waits for those that run it.
    void withdraw(task& posted) {
        std::unique_lock lock(mutex_);
        posted.wanted = 0;
        unlink(posted);
        posted.ended.wait(lock, [&] { return posted.running == 0; });
    }

    void unlink(task& removed) noexcept {
        for (task** link = &first_; *link != nullptr; link = &(*link)->next) {
            if (*link != &removed) continue;
            *link = removed.next;
            return;
        }
    }

    // Starts threads until this many are idle, or as many as the system allows.
    void start(size_t idle) {
        if (idle <= idle_) return;
#if defined(__cpp_exceptions)
        try {
#endif
            threads_.reserve(threads_.size() + idle - idle_);
            while (idle_ < idle) {
                threads_.emplace_back([this] { serve(); });
                ++idle_;
            }
#if defined(__cpp_exceptions)
        } catch (...) {
            return;
        }
#endif
    }

    void serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wakes_.wait(lock, [&] { return stops_ || first_ != nullptr; });
            if (stops_) return;
            task& taken = *first_;
            --idle_;
            ++taken.running;
            if (--taken.wanted == 0) unlink(taken);
            lock.unlock();
            taken.call(taken.work);
            lock.lock();
            ++idle_;
            if (--taken.running == 0) taken.ended.notify_all();
        }
    }

    mutable std::mutex mutex_{};
    std::condition_variable wakes_{};
    std::vector<std::thread> threads_;
    size_t idle_ = 0;
    task* first_ = nullptr;  // tasks that want more threads, oldest first
    bool stops_ = false;
    long long started_by_ = process();
};

/// Calls `call(i)` for every index below `count`, on this thread and up to `threads` - 1 of the pool. Calls must not depend
/// on each other. The first exception of a call is rethrown after all threads have finished.
void for_each_index(size_t count, size_t threads, const auto& call, thread_pool& pool = thread_pool::shared()) {
    std::atomic<size_t> next{0};
#if defined(__cpp_exceptions)
    std::exception_ptr first;
    std::mutex guard;
#endif
    const auto work = [&] {
#if defined(__cpp_exceptions)
        try {
#endif
            for (size_t i = next++; i < count; i = next++) call(i);
#if defined(__cpp_exceptions)
        } catch (...) {
            const std::lock_guard lock(guard);
            if (!first) first = std::current_exception();
            next = count;
        }
#endif
    };
    const size_t wanted = (std::min)(threads, count);
    pool.run(wanted > 0 ? wanted - 1 : 0, work);
#if defined(__cpp_exceptions)
    if (first) std::rethrow_exception(first);
#endif
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
