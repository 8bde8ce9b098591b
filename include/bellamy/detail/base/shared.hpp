// Reference-counted immutable value, and a value that is computed on first use.
#ifndef BELLAMY_DETAIL_BASE_SHARED_HPP
#define BELLAMY_DETAIL_BASE_SHARED_HPP

#include <bellamy/version.hpp>

#include <atomic>
#include <cstddef>
#include <utility>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// In place of std::shared_ptr, whose header alone has 12,000 lines for every unit that predicts (libstdc++ 12). Copies
/// share the value; any number of threads may copy and destroy their own. What was moved from may only be destroyed or
/// assigned to. Only who makes a value or looks at it needs its definition.
template <class Value>
class shared {
public:
    /// Allocates.
    explicit shared(Value value) : counted_(new holder(std::move(value))) {}
    shared(const shared& other) noexcept : counted_(other.counted_) {
        if (counted_ != nullptr) counted_->owners.fetch_add(1, std::memory_order_relaxed);
    }
    shared(shared&& other) noexcept : counted_(std::exchange(other.counted_, nullptr)) {}
    shared& operator=(shared other) noexcept {
        std::swap(counted_, other.counted_);
        return *this;
    }
    ~shared() {
        if (counted_ != nullptr && counted_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete counted_;
    }

    [[nodiscard]] const Value& operator*() const noexcept { return static_cast<const holder*>(counted_)->value; }
    [[nodiscard]] const Value* operator->() const noexcept { return &static_cast<const holder*>(counted_)->value; }

private:
    struct counted {
        counted() noexcept = default;
        counted(const counted&) = delete;
        counted& operator=(const counted&) = delete;
        virtual ~counted() = default;

        std::atomic<std::size_t> owners{1};
    };
    struct holder final : counted {
        explicit holder(Value&& from) : value(std::move(from)) {}

        const Value value;
    };

    counted* counted_;
};

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
