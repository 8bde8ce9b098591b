// Reference-counted immutable value, also behind its base class, and a value that is computed on first use.
#ifndef BELLAMY_DETAIL_BASE_SHARED_HPP
#define BELLAMY_DETAIL_BASE_SHARED_HPP

#include <bellamy/version.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <utility>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// In place of std::shared_ptr, whose header adds 12,000 lines to every unit that predicts (libstdc++ 12). Copies share the
/// value; threads may copy and destroy their own copies at the same time. A moved-from object may only be destroyed or
/// assigned to. The value's type may be incomplete where it is neither constructed nor accessed.
template <class Value>
class shared {
public:
    /// Allocates.
    template <std::derived_from<Value> Derived>
    explicit shared(Derived value) : shared(new holder<Derived>(std::move(value))) {}
    shared(const shared& source) noexcept : counted_(source.counted_), value_(source.value_) {
        if (counted_ != nullptr) counted_->owners.fetch_add(1, std::memory_order_relaxed);
    }
    shared(shared&& source) noexcept : counted_(std::exchange(source.counted_, nullptr)), value_(source.value_) {}
    shared& operator=(shared source) noexcept {
        std::swap(counted_, source.counted_);
        std::swap(value_, source.value_);
        return *this;
    }
    ~shared() {
        if (counted_ != nullptr && counted_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete counted_;
    }

    const Value& operator*() const noexcept { return *value_; }
    const Value* operator->() const noexcept { return value_; }

private:
    struct counted {
        virtual ~counted() = default;

        std::atomic<size_t> owners{1};  // for which it is not copied either
    };
    template <class Derived>
    struct holder final : counted {
        explicit holder(Derived&& initial) : value(std::move(initial)) {}

        const Derived value;
    };

    template <class Derived>
    explicit shared(holder<Derived>* held) noexcept : counted_(held), value_(&held->value) {}

    counted* counted_;
    const Value* value_;
};

template <class Value>
shared(Value) -> shared<Value>;

/// Computed on first use, without locks: threads that need it at the same time may each compute it, and the first result is
/// kept, so the computation must be deterministic. Moving is not thread-safe.
template <class Value>
class lazy {
public:
    lazy() = default;
    lazy(lazy&& source) noexcept : value_(source.value_.exchange(nullptr, std::memory_order_relaxed)) {}
    lazy& operator=(lazy&&) = delete;
    ~lazy() { delete value_.load(std::memory_order_relaxed); }

    /// The value, computed by `make()` the first time, which allocates.
    const Value& get(const auto& make) const {
        if (const Value* const present = value_.load(std::memory_order_acquire)) return *present;
        const Value* const computed = new Value(make());
        const Value* first = nullptr;
        if (value_.compare_exchange_strong(first, computed, std::memory_order_acq_rel)) return *computed;
        delete computed;
        return *first;
    }

private:
    mutable std::atomic<const Value*> value_{nullptr};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
