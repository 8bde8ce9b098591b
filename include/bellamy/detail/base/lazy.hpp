// A value that is made when it is first asked for.
#ifndef BELLAMY_DETAIL_BASE_LAZY_HPP
#define BELLAMY_DETAIL_BASE_LAZY_HPP

#include <bellamy/version.hpp>

#include <atomic>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Any number of threads may ask. Those who ask while nothing is made yet each make the value, and the first stays: nobody
/// waits, and what is made must be the same whoever makes it. Moving is for one thread alone.
template <class Value>
class lazy {
public:
    lazy() = default;
    lazy(lazy&& other) noexcept : made_(other.made_.exchange(nullptr, std::memory_order_relaxed)) {}
    lazy& operator=(lazy&&) = delete;
    ~lazy() { delete made_.load(std::memory_order_relaxed); }

    /// `make()` gives the value. Allocates the first time.
    template <class Make>
    [[nodiscard]] const Value& get(const Make& make) const {
        if (const Value* const there = made_.load(std::memory_order_acquire)) return *there;
        const Value* const mine = new Value(make());
        const Value* first = nullptr;
        if (made_.compare_exchange_strong(first, mine, std::memory_order_acq_rel)) return *mine;
        delete mine;
        return *first;
    }

private:
    mutable std::atomic<const Value*> made_{nullptr};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
