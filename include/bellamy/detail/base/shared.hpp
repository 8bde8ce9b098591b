// Reference-counted immutable value, also behind its base class, and a value that is computed on first use.
#ifndef BELLAMY_DETAIL_BASE_SHARED_HPP
#define BELLAMY_DETAIL_BASE_SHARED_HPP

#include <bellamy/version.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <utility>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// In place of std::shared_ptr, whose header alone has 12,000 lines for every unit that predicts (libstdc++ 12). Copies
/// share the value; any number of threads may copy and destroy their own. A shared that was moved from may only be destroyed
/// or assigned to. Only code that creates or reads a value needs its definition.
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

    [[nodiscard]] const Value& operator*() const noexcept { return *value_; }
    [[nodiscard]] const Value* operator->() const noexcept { return value_; }

private:
    struct counted {
        counted() noexcept = default;
        counted(const counted&) = delete;
        counted& operator=(const counted&) = delete;
        virtual ~counted() = default;

        std::atomic<std::size_t> owners{1};
    };
    template <class Derived>
    struct holder final : counted {
        explicit holder(Derived&& source) : value(std::move(source)) {}

        const Derived value;
    };

    template <class Derived>
    explicit shared(holder<Derived>* held) noexcept : counted_(held), value_(&held->value) {}

    counted* counted_;
    const Value* value_;
};

template <class Value>
shared(Value) -> shared<Value>;

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
