// Definitions of model_store.hpp: an LRU cache of models, their sizes in memory, and what is done when it is full.
#ifndef BELLAMY_DETAIL_FORMAT_MODEL_STORE_IMPL_HPP
#define BELLAMY_DETAIL_FORMAT_MODEL_STORE_IMPL_HPP

#include <bellamy/detail/format/model_bytes.hpp>
#include <bellamy/detail/format/versions.hpp>
#include <bellamy/model_store.hpp>
#include <bellamy/serialize.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {
namespace detail {

/// Sums the heap blocks of values, over the same fields as an archive.
class heap_counter {
public:
    template <class... Values>
    void operator()(const Values&... values) {
        (add(values), ...);
    }
    void block(size_t size) noexcept {
        if (size > 0) bytes_ += size + allocator_overhead;
    }
    size_t bytes() const noexcept { return bytes_; }

private:
    // Bytes that common allocators add to a block.
    static constexpr size_t allocator_overhead = 16;

    void add(const std::string& value) {
        if (value.capacity() > std::string().capacity()) block(value.capacity() + 1);
    }
    template <class Value>
    requires(std::is_arithmetic_v<Value> || std::is_enum_v<Value>) void add(const Value&) noexcept {}
    template <class Value, size_t Size>
    void add(const std::array<Value, Size>& values) {
        for (const auto& value : values) add(value);
    }
    template <class Value>
    void add(const std::vector<Value>& values) {
        block(values.capacity() * sizeof(Value));
        for (const auto& value : values) add(value);
    }
    template <class Value>
    void add(const std::optional<Value>& value) {
        if (value) add(*value);
    }
    void add(const property_value& value) {
        if (const auto* text = value.text()) add(*text);
    }
    template <class Structure>
    requires(std::is_class_v<Structure>) void add(const Structure& value) { fields(*this, value); }

    size_t bytes_ = 0;
};

size_t heap_bytes(const auto& value) {
    heap_counter counter;
    counter(value);
    return counter.bytes();
}

/// The factors of a blend: a triangular matrix of the points per process, and two matrices of Ernest's coefficients.
inline size_t factor_bytes(const blend_data& data) {
    size_t points = 0;
    for (size_t c = 0; c < data.process_contexts; ++c) points += data.history.contexts[c].count;
    size_t processes = 0;
    for (const auto& process : data.processes) processes += process ? size_t{1} : 0;
    const size_t coefficients = ernest_term_count * (data.history.features() + 2);
    return (processes * (points * (points + 1) / 2 + points) + 2 * coefficients * (coefficients + 1)) * sizeof(double);
}

/// A blend that is not factorised yet.
inline size_t memory_of_data(const blend_kind& kind) {
    return sizeof(fitted_blend) + sizeof(blend_data) + heap_bytes(stored(kind));
}
inline size_t memory_of(const blend_kind& kind) {
    return memory_of_data(kind) + sizeof(blend_experts) + factor_bytes(stored(kind));
}
// The prepared network, and weights of the codes, as stored and as prepared; one code is that of optional properties.
inline size_t memory_of(const network_kind& kind) {
    const size_t codes = kind.parameters.essential_count() + 1;
    return sizeof(prepared_network) + 2 * codes * sizeof(prepared_network::code_weights);
}
inline size_t memory_of(const shapes_kind& kind) { return sizeof(shape_prior) + heap_bytes(stored(kind)); }

/// Bytes of a model without its kind, heap blocks included.
inline size_t memory_around(const model& source) {
    heap_counter counter;
    counter(source.schema(), source.basis());
    counter(model_access::general_basis(source));
    for (const auto& run : source.observed()) counter(run);
    counter.block(source.observed().size_bytes());
    counter.block(visit_kind(source, [](const auto& kind) { return sizeof(kind); }));
    return sizeof(model) + counter.bytes();
}

/// Bytes of a model, heap blocks included; an estimate, because allocators differ.
inline size_t memory_of(const model& source) {
    return memory_around(source) + visit_kind(source, [](const auto& kind) { return memory_of(kind); });
}

/// The same without the factors of a blend.
inline size_t memory_when_cold(const model& source) {
    const auto* const kind = model_access::get_if<blend_kind>(source);
    return kind != nullptr ? memory_around(source) + memory_of_data(*kind) : memory_of(source);
}

/// The same model without factors: `bind` recomputes them, to the same bits.
inline model cooled(const model& source) {
    const auto* const kind = model_access::get_if<blend_kind>(source);
    if (kind == nullptr) return source;
    return model_access::make(source.schema(), model_access::general_basis(source),
                              blend_kind{.blend = shared(kind->blend->without_factors())},
                              {source.observed().begin(), source.observed().end()});
}

}  // namespace detail

/// Ends a load on every path, so that no thread waits for ever.
class model_store::loading_turn {
public:
    loading_turn(std::unique_lock<std::mutex>& lock, entry& loading_entry)
        : lock_(lock), entry_(loading_entry), turn_(std::make_shared<turn>()) {
        entry_.loading = turn_;
    }
    loading_turn(const loading_turn&) = delete;
    loading_turn& operator=(const loading_turn&) = delete;
    ~loading_turn() {
        if (!lock_.owns_lock()) lock_.lock();
        entry_.loading = nullptr;
        turn_->ended = true;
        turn_->ended_signal.notify_all();
    }

    void set_outcome(const result<snapshot>& outcome) { turn_->outcome = outcome; }

private:
    std::unique_lock<std::mutex>& lock_;
    entry& entry_;
    std::shared_ptr<turn> turn_;
};

BELLAMY_PUBLIC_INLINE result<model_store::snapshot> model_store::get(std::string_view name) {
    std::vector<snapshot> dropped;  // destroyed after the lock is released
    std::unique_lock lock(mutex_);
    while (true) {
        if (!by_name_.contains(name))
            if (auto valid = detail::check_model_name(name); !valid) return valid.error();
        const auto at = entry_of(name);
        if (at->held) {
            ++counters_.hits;
            use(at);
            auto held = at->held;
            evict(dropped);
            return held;
        }
        if (const auto awaited = at->loading) {
            awaited->ended_signal.wait(lock, [&] { return awaited->ended; });
            if (awaited->outcome) return *awaited->outcome;
        } else if (auto outcome = load_in_turn(lock, at, dropped)) {
            return *std::move(outcome);
        }
    }
}

BELLAMY_PUBLIC_INLINE bool model_store::contains(std::string_view name) const {
    return held_model(name) || (detail::check_model_name(name) && detail::stamp_of(detail::version_path(folder_, name)));
}

BELLAMY_PUBLIC_INLINE result<std::vector<std::string>> model_store::names() const {
    return detail::names_of_files(folder_, detail::model_ending);
}

BELLAMY_PUBLIC_INLINE result<void> model_store::exchange(std::string_view name, model next) {
    if (auto valid = detail::check_model_name(name); !valid) return valid;
    const std::lock_guard writer(writing(name));
    return place(name, std::move(next));
}

BELLAMY_PUBLIC_INLINE result<void> model_store::remove(std::string_view name) {
    if (auto valid = detail::check_model_name(name); !valid) return valid;
    const std::lock_guard writer(writing(name));
    const auto removed = detail::remove_versions(folder_, name);
    if (removed || removed.error().code() == errc::model_not_found) forget(name);
    return removed ? removed : of_model(name, removed.error());
}

BELLAMY_PUBLIC_INLINE result<void> model_store::roll_back(std::string_view name) {
    if (auto valid = detail::check_model_name(name); !valid) return valid;
    const std::lock_guard writer(writing(name));
    const auto current = detail::read_version(detail::version_path(folder_, name));
    if (!current) return of_model(name, current.error());
    const auto checksum = detail::checksum_of_model(*current);
    if (!checksum) {
        if (const auto whole = held_model(name)) return place(name, to_bytes(*whole), whole);
        return of_model(name,
                        detail::fail(errc::cannot_read, "expected a whole model to go back from, found a damaged one"));
    }
    const auto before = detail::read_version_before(folder_, name, *checksum);
    if (!before) return of_model(name, before.error());
    auto next = from_bytes(*before);
    if (!next) return of_model(name, next.error());
    return place(name, *before, std::make_shared<const model>(*std::move(next)));
}

BELLAMY_PUBLIC_INLINE refreshed_models model_store::refresh() {
    refreshed_models refreshed;
    std::vector<std::string> names;
    {
        const std::lock_guard lock(mutex_);
        for (const auto* const list : {&recent_, &cold_})
            for (const auto& stored : *list) names.push_back(stored.name);
    }
    for (const auto& name : names) {
        const auto path = detail::version_path(folder_, name);
        const auto now = detail::stamp_of(path);
        std::vector<snapshot> dropped;
        std::unique_lock lock(mutex_);
        const auto known = by_name_.find(name);
        if (known == by_name_.end() || !known->second->held || known->second->loading) continue;
        const auto at = known->second;
        if (!now && detail::is_absent(path) && !detail::is_absent(folder_)) {
            lock.unlock();
            forget(name);
            ++refreshed.removed;
        } else if (!now || at->stamp != now) {
            const auto before = at->version;
            const auto outcome = load_in_turn(lock, at, dropped);
            if (outcome && !*outcome) refreshed.refused.push_back({.name = name, .cause = outcome->error()});
            if (outcome && *outcome && at->version != before) ++refreshed.renewed;
        }
    }
    return refreshed;
}

// The stamp is taken first: a file replaced meanwhile gives its old stamp and new bytes, so that the next refresh reads it
// again.
BELLAMY_PUBLIC_INLINE result<model_store::loaded> model_store::load_file(const std::string& name,
                                                                         std::optional<std::uint64_t> tested,
                                                                         bool in_memory) const {
    const auto path = detail::version_path(folder_, name);
    loaded file{.stamp = detail::stamp_of(path)};
    const auto bytes = detail::read_version(path);
    if (!bytes) return of_model(name, bytes.error());
    const auto checksum = detail::checksum_of_model(*bytes);
    const bool known = checksum && checksum == tested;
    if (checksum) file.checksum = *checksum;
    if (known && in_memory) return file;
    auto read = detail::read_model(*bytes, !known);
    if (!read) return of_model(name, read.error());
    file.fresh = std::make_shared<const model>(*std::move(read));
    return file;
}

// Nothing where another version was published meanwhile. The lock is released while the file is read.
BELLAMY_PUBLIC_INLINE std::optional<result<model_store::snapshot>> model_store::load_in_turn(
    std::unique_lock<std::mutex>& lock, entries::iterator at, std::vector<snapshot>& dropped) {
    std::optional<result<snapshot>> outcome;
    {
        loading_turn loading(lock, *at);
        const auto version = at->version;
        const auto tested = at->tested;
        const bool in_memory = at->held != nullptr;
        lock.unlock();
        auto read = load_file(at->name, tested, in_memory);
        lock.lock();
        if (!read) ++counters_.failures;
        if (read && read->fresh) ++counters_.loads;
        if (at->version == version && (at->held != nullptr) == in_memory) {
            if (read && read->fresh) publish(at, std::move(read->fresh), read->checksum, dropped);
            if (read) at->stamp = read->stamp;
            if (!read && !in_memory) at->tested.reset();  // the model in memory passed the test
            outcome = read ? result<snapshot>(at->held) : read.error();
            loading.set_outcome(*outcome);
        }
    }
    erase_if_unused(at);
    return outcome;
}

BELLAMY_PUBLIC_INLINE model_store::entries::iterator model_store::entry_of(std::string_view name) {
    if (const auto known = by_name_.find(name); known != by_name_.end()) return known->second;
    without_model_.push_front({.name = std::string(name)});
    by_name_.emplace(without_model_.front().name, without_model_.begin());
    return without_model_.begin();
}

BELLAMY_PUBLIC_INLINE void model_store::publish(entries::iterator at, snapshot next, std::optional<std::uint64_t> tested,
                                                std::vector<snapshot>& dropped) {
    drop(at, dropped);
    at->bytes = detail::memory_of(*next);
    at->cold_bytes = detail::memory_when_cold(*next);
    at->cold = false;
    at->held = std::move(next);
    at->tested = tested;
    at->stamp.reset();
    ++at->version;
    counters_.bytes += at->bytes;
    recent_.splice(recent_.begin(), without_model_, at);
    evict(dropped);
}

// A hit: moves the entry to the front of the LRU list. A cold model recomputes its factors when it is bound.
BELLAMY_PUBLIC_INLINE void model_store::use(entries::iterator at) {
    recent_.splice(recent_.begin(), at->cold ? cold_ : recent_, at);
    if (!at->cold) return;
    at->cold = false;
    bytes_of_cold_ -= at->cold_bytes;
    counters_.bytes += at->bytes - at->cold_bytes;
}

BELLAMY_PUBLIC_INLINE void model_store::evict(std::vector<snapshot>& dropped) {
    while (counters_.bytes > options_.most_bytes && recent_.size() + cold_.size() > 1) {
        if (recent_.size() > 1 && 2 * bytes_of_cold_ <= options_.most_bytes) {
            cool(std::prev(recent_.end()), dropped);
        } else {
            drop(std::prev(cold_.empty() ? recent_.end() : cold_.end()), dropped);
            ++counters_.evictions;
        }
    }
}

BELLAMY_PUBLIC_INLINE void model_store::cool(entries::iterator at, std::vector<snapshot>& dropped) {
    if (at->cold_bytes < at->bytes) {
        dropped.push_back(std::exchange(at->held, std::make_shared<const model>(detail::cooled(*at->held))));
        ++counters_.cooled;
    }
    at->cold = true;
    bytes_of_cold_ += at->cold_bytes;
    counters_.bytes -= at->bytes - at->cold_bytes;
    cold_.splice(cold_.begin(), recent_, at);
}

BELLAMY_PUBLIC_INLINE void model_store::drop(entries::iterator at, std::vector<snapshot>& dropped) {
    if (!at->held) return;
    dropped.push_back(std::move(at->held));
    counters_.bytes -= at->cold ? at->cold_bytes : at->bytes;
    if (at->cold) bytes_of_cold_ -= at->cold_bytes;
    without_model_.splice(without_model_.begin(), at->cold ? cold_ : recent_, at);
    at->cold = false;
}

BELLAMY_PUBLIC_INLINE model_store::snapshot model_store::held_model(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto known = by_name_.find(name);
    return known == by_name_.end() ? nullptr : known->second->held;
}

// A name without a model must not take memory: callers may pass any name.
BELLAMY_PUBLIC_INLINE void model_store::erase_if_unused(entries::iterator at) {
    if (at->held || at->loading || at->tested) return;
    by_name_.erase(at->name);
    without_model_.erase(at);
}

BELLAMY_PUBLIC_INLINE result<void> model_store::place(std::string_view name, std::span<const std::byte> bytes,
                                                      snapshot next) {
    if (auto placed = detail::place_version(folder_, name, bytes); !placed) return of_model(name, placed.error());
    std::vector<snapshot> dropped;
    const std::lock_guard lock(mutex_);
    publish(entry_of(name), std::move(next), detail::checksum_of_model(bytes), dropped);
    return {};
}

BELLAMY_PUBLIC_INLINE result<void> model_store::place(std::string_view name, model next) {
    const auto bytes = to_bytes(next);
    return place(name, bytes, std::make_shared<const model>(std::move(next)));
}

// The next load tests the file again.
BELLAMY_PUBLIC_INLINE void model_store::forget(std::string_view name) {
    std::vector<snapshot> dropped;
    const std::lock_guard lock(mutex_);
    const auto known = by_name_.find(name);
    if (known == by_name_.end()) return;
    const auto at = known->second;
    drop(at, dropped);
    at->tested.reset();
    ++at->version;
    erase_if_unused(at);
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
