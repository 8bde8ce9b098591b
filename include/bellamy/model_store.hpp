// Models by name from a folder, for a scheduler that serves many jobs: loaded when asked for, within a bound of memory.
#ifndef BELLAMY_MODEL_STORE_HPP
#define BELLAMY_MODEL_STORE_HPP

#include <bellamy/detail/format/memory.hpp>
#include <bellamy/detail/format/versions.hpp>
#include <bellamy/serialize.hpp>

#include <array>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace bellamy::inline BELLAMY_ABI {

struct model_store_options {
    /// Of the models in memory, as estimated from what they consist of. The model asked for last stays even where it alone
    /// takes more; models that were dropped while somebody holds their snapshot are not counted.
    std::size_t most_bytes = std::size_t{1} << 30U;
};

/// What a store has done since it was made, and what it holds now.
struct model_store_counters {
    std::uint64_t hits = 0;       // asked for while in memory
    std::uint64_t loads = 0;      // read from a file
    std::uint64_t failures = 0;   // files that could not be read or were refused
    std::uint64_t evictions = 0;  // dropped for memory's sake
    std::size_t models = 0;
    std::size_t bytes = 0;
};

/// What `model_store::refresh` found.
struct refreshed_models {
    struct failure {
        std::string name{};
        bellamy::error cause;
    };
    /// Files that had changed and were loaded.
    std::size_t renewed = 0;
    /// Files that are gone; so are their models.
    std::size_t removed = 0;
    /// Files that had changed and were refused; their models stay as they were.
    std::vector<failure> refused{};
};

/// The models of a folder, one file NAME.bellamy each. A snapshot stays as it is for as long as somebody holds it; predict
/// from it without any lock. Every member may be called by any number of threads; no thread is started.
///
/// A name has 1 to 128 bytes of UTF-8, does not begin with a dot, and has neither control characters nor / \ : * ? " < > |.
/// Another one is refused with invalid_option, so that no name leads out of the folder.
class model_store {
public:
    using snapshot = std::shared_ptr<const model>;

    /// Reads nothing yet. The folder need not exist before it is used.
    explicit model_store(std::string folder, model_store_options options = {})
        : folder_(std::move(folder)), options_(options) {}
    model_store(const model_store&) = delete;
    model_store& operator=(const model_store&) = delete;

    /// The model of this name. Takes a lock for as long as it takes to find it; a model that is not in memory is loaded
    /// first, once however many ask for it, while others are served. The self-test is run on what a file holds the first
    /// time, not again after the model was dropped. Errors: invalid_option for a name that is none; those of `load`.
    [[nodiscard]] result<snapshot> get(std::string_view name);

    /// Makes another version valid, on the disk first: whoever is killed meanwhile leaves the version before or the new one.
    /// The version before is kept for `roll_back`. Writes through to the disk twice, milliseconds. Snapshots stay as they
    /// are. Errors: invalid_option, cannot_read, cannot_write; then the version before stays valid.
    [[nodiscard]] result<void> exchange(std::string_view name, model next);

    /// Makes the version before valid again, and the one that was valid the version before: twice is not at all. Where the
    /// file is damaged, the model in memory is written anew instead. Errors: invalid_option; cannot_read where there is no
    /// version before; those of `load` and `exchange`. Then the valid version stays.
    [[nodiscard]] result<void> roll_back(std::string_view name);

    /// Looks whether the files of the models in memory have changed, and loads those that have: for files that others place,
    /// by writing beside them and renaming. A file that is refused leaves the model as it was. Costs a system call per model
    /// in memory, and the loads. Call it now and then, from any thread.
    [[nodiscard]] refreshed_models refresh();

    [[nodiscard]] model_store_counters counters() const {
        const std::lock_guard lock(mutex_);
        auto now = counters_;
        now.models = recent_.size();
        return now;
    }

private:
    // Somebody loads; others wait for what comes of it. Without an outcome it was given up, and those who wait try
    // themselves.
    struct turn {
        std::condition_variable ended_signal{};
        bool ended = false;
        std::optional<result<snapshot>> outcome{};
    };
    struct entry {
        std::string name{};
        snapshot held{};
        std::size_t bytes = 0;
        /// Of the file that the model was loaded from; nothing where it may have changed since.
        std::optional<detail::file_stamp> stamp{};
        /// Of the last bytes that passed their self-test here.
        std::optional<std::uint64_t> tested{};
        /// Counts what was made valid.
        std::uint64_t version = 0;
        std::shared_ptr<turn> loading{};
    };
    using entries = std::list<entry>;
    struct loaded {
        std::optional<detail::file_stamp> stamp{};
        std::uint64_t checksum = 0;
        /// Null where the file holds the bytes that are in memory already.
        snapshot fresh{};
    };
    class loading_turn;

    [[nodiscard]] result<loaded> load_file(const std::string& name, std::optional<std::uint64_t> tested,
                                           bool in_memory) const;
    [[nodiscard]] std::optional<result<snapshot>> load_in_turn(std::unique_lock<std::mutex>& lock, entries::iterator at,
                                                               std::vector<snapshot>& dropped);
    [[nodiscard]] entries::iterator entry_of(std::string_view name);
    void publish(entries::iterator at, snapshot next, std::optional<std::uint64_t> tested, std::vector<snapshot>& dropped);
    void drop(entries::iterator at, std::vector<snapshot>& dropped);
    void forget_where_useless(entries::iterator at);
    [[nodiscard]] result<void> place(std::string_view name, std::span<const std::byte> bytes, snapshot next);
    [[nodiscard]] std::mutex& writing(std::string_view name) noexcept {
        return writing_[std::hash<std::string_view>{}(name) % writing_.size()];
    }

    const std::string folder_;
    const model_store_options options_;
    /// Those who write versions of one name wait for each other.
    std::array<std::mutex, 16> writing_{};
    mutable std::mutex mutex_{};
    /// With a model, the most recently used first; and without one: dropped, or being loaded.
    entries recent_{};
    entries others_{};
    std::unordered_map<std::string_view, entries::iterator> by_name_{};
    model_store_counters counters_{};
};

/// Ends a turn whatever happens, so that nobody waits for ever.
class model_store::loading_turn {
public:
    loading_turn(std::unique_lock<std::mutex>& lock, entry& of) : lock_(lock), of_(of), mine_(std::make_shared<turn>()) {
        of_.loading = mine_;
    }
    loading_turn(const loading_turn&) = delete;
    loading_turn& operator=(const loading_turn&) = delete;
    ~loading_turn() {
        if (!lock_.owns_lock()) lock_.lock();
        of_.loading = nullptr;
        mine_->ended = true;
        mine_->ended_signal.notify_all();
    }

    void outcome(const result<snapshot>& of) { mine_->outcome = of; }

private:
    std::unique_lock<std::mutex>& lock_;
    entry& of_;
    std::shared_ptr<turn> mine_;
};

inline result<model_store::snapshot> model_store::get(std::string_view name) {
    std::vector<snapshot> dropped;  // dies after the lock
    std::unique_lock lock(mutex_);
    while (true) {
        if (!by_name_.contains(name))
            if (auto valid = detail::check_model_name(name); !valid) return valid.error();
        const auto at = entry_of(name);
        if (at->held) {
            ++counters_.hits;
            recent_.splice(recent_.begin(), recent_, at);
            return at->held;
        }
        if (const auto awaited = at->loading) {
            awaited->ended_signal.wait(lock, [&] { return awaited->ended; });
            if (awaited->outcome) return *awaited->outcome;
        } else if (auto outcome = load_in_turn(lock, at, dropped)) {
            return *std::move(outcome);
        }
    }
}

inline result<void> model_store::exchange(std::string_view name, model next) {
    if (auto valid = detail::check_model_name(name); !valid) return valid.error();
    const auto bytes = to_bytes(next);
    const std::lock_guard alone(writing(name));
    return place(name, bytes, std::make_shared<const model>(std::move(next)));
}

inline result<void> model_store::roll_back(std::string_view name) {
    if (auto valid = detail::check_model_name(name); !valid) return valid.error();
    const std::lock_guard alone(writing(name));
    const auto current = detail::read_file(detail::version_path(folder_, name), largest_model_bytes);
    if (current && !detail::checksum_of_model(*current)) {
        snapshot held;
        {
            const std::lock_guard lock(mutex_);
            if (const auto found = by_name_.find(name); found != by_name_.end()) held = found->second->held;
        }
        if (held) return place(name, to_bytes(*held), held);
    }
    const auto before = detail::read_version_before(folder_, name);
    if (!before) return before.error();
    auto next = from_bytes(std::span(*before));
    if (!next) return next.error();
    return place(name, *before, std::make_shared<const model>(*std::move(next)));
}

inline refreshed_models model_store::refresh() {
    refreshed_models found;
    std::vector<std::string> names;
    {
        const std::lock_guard lock(mutex_);
        names.reserve(recent_.size());
        for (const auto& each : recent_) names.push_back(each.name);
    }
    for (const auto& name : names) {
        const auto now = detail::stamp_of(detail::version_path(folder_, name));
        std::vector<snapshot> dropped;
        std::unique_lock lock(mutex_);
        const auto known = by_name_.find(name);
        if (known == by_name_.end() || !known->second->held || known->second->loading) continue;
        const auto at = known->second;
        if (!now) {
            drop(at, dropped);
            by_name_.erase(known);
            others_.erase(at);
            ++found.removed;
        } else if (at->stamp != now) {
            const auto before = at->held;
            const auto outcome = load_in_turn(lock, at, dropped);
            if (outcome && !*outcome) found.refused.push_back({.name = name, .cause = outcome->error()});
            if (outcome && *outcome && **outcome != before) ++found.renewed;
        }
    }
    return found;
}

// A file that is being replaced gives its old stamp and new bytes, never the other way round: the next look reads it again.
inline result<model_store::loaded> model_store::load_file(const std::string& name, std::optional<std::uint64_t> tested,
                                                          bool in_memory) const {
    const auto path = detail::version_path(folder_, name);
    loaded made{.stamp = detail::stamp_of(path)};
    if (!made.stamp) return detail::fail(errc::cannot_read, "expected a model's file, found none at ", path);
    const auto bytes = detail::read_file(path, largest_model_bytes);
    if (!bytes) return bytes.error();
    const auto checksum = detail::checksum_of_model(*bytes);
    const bool known = checksum && checksum == tested;
    if (checksum) made.checksum = *checksum;
    if (known && in_memory) return made;
    auto read = detail::read_model(*bytes, !known);
    if (!read) return read.error();
    made.fresh = std::make_shared<const model>(*std::move(read));
    return made;
}

// Nothing where another version was made valid meanwhile. The lock is held before and after, not while the file is read.
inline std::optional<result<model_store::snapshot>> model_store::load_in_turn(std::unique_lock<std::mutex>& lock,
                                                                              entries::iterator at,
                                                                              std::vector<snapshot>& dropped) {
    std::optional<result<snapshot>> outcome;
    {
        loading_turn mine(lock, *at);
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
            if (!read && read.error().code() == errc::cannot_read) at->tested.reset();
            outcome = read ? result<snapshot>(at->held) : read.error();
            mine.outcome(*outcome);
        }
    }
    forget_where_useless(at);
    return outcome;
}

inline model_store::entries::iterator model_store::entry_of(std::string_view name) {
    if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
    others_.push_front({.name = std::string(name)});
    by_name_.emplace(others_.front().name, others_.begin());
    return others_.begin();
}

inline void model_store::publish(entries::iterator at, snapshot next, std::optional<std::uint64_t> tested,
                                 std::vector<snapshot>& dropped) {
    drop(at, dropped);
    at->bytes = detail::memory_of(*next);
    at->held = std::move(next);
    at->tested = tested;
    at->stamp.reset();
    ++at->version;
    counters_.bytes += at->bytes;
    recent_.splice(recent_.begin(), others_, at);
    while (counters_.bytes > options_.most_bytes && recent_.size() > 1) {
        drop(std::prev(recent_.end()), dropped);
        ++counters_.evictions;
    }
}

inline void model_store::drop(entries::iterator at, std::vector<snapshot>& dropped) {
    if (!at->held) return;
    dropped.push_back(std::move(at->held));
    at->held = nullptr;
    counters_.bytes -= at->bytes;
    others_.splice(others_.begin(), recent_, at);
}

// A name of which there is no model must not take memory: anybody may ask for any.
inline void model_store::forget_where_useless(entries::iterator at) {
    if (at->held || at->loading || at->tested) return;
    by_name_.erase(at->name);
    others_.erase(at);
}

inline result<void> model_store::place(std::string_view name, std::span<const std::byte> bytes, snapshot next) {
    if (auto placed = detail::place_version(folder_, name, bytes); !placed) return placed;
    std::vector<snapshot> dropped;
    const std::lock_guard lock(mutex_);
    publish(entry_of(name), std::move(next), detail::checksum_of_model(bytes), dropped);
    return {};
}

}  // namespace bellamy::inline BELLAMY_ABI

#endif
