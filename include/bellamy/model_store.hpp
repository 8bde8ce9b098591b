// An LRU cache of the models in a folder, by name, within a limit of memory, for a scheduler that serves many jobs.
#ifndef BELLAMY_MODEL_STORE_HPP
#define BELLAMY_MODEL_STORE_HPP

#include <bellamy/detail/base/file_stamp.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/model.hpp>

#include <array>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

struct model_store_options {
    /// Limit of the estimated size of all models in memory. Beyond it, the least recently used models first lose their
    /// factors (most of the memory of best mode, recomputed on demand) and, once such cold models take half of the limit,
    /// are evicted. The most recently used model stays even where it alone exceeds the limit; evicted models that callers
    /// still hold are not counted.
    size_t most_bytes = size_t{1} << 30U;
};

/// Counters since the store was created, and its present size.
struct model_store_counters {
    std::uint64_t hits = 0;       // `get` of a model in memory
    std::uint64_t loads = 0;      // read from a file
    std::uint64_t failures = 0;   // files that could not be read or were refused
    std::uint64_t evictions = 0;  // dropped to keep the limit
    std::uint64_t cooled = 0;     // factors dropped to keep the limit
    size_t models = 0;
    size_t bytes = 0;
};

/// Result of `model_store::refresh`.
struct refreshed_models {
    struct failure {
        std::string name{};
        bellamy::error cause;
    };
    /// Changed files that were loaded.
    size_t renewed = 0;
    /// Deleted files; their models were dropped.
    size_t removed = 0;
    /// Changed files that could not be loaded; their models stay valid.
    std::vector<failure> refused{};
};

/// The models of a folder, one file NAME.bellamy each. A snapshot is immutable and stays valid while it is held; predict
/// from it without any lock. Thread-safe; starts no thread.
///
/// A name has 1 to 128 bytes of UTF-8, does not begin with a dot, and has neither control characters nor / \ : * ? " < > |.
/// Other names are invalid_option, so that no name leads out of the folder.
class model_store {
public:
    using snapshot = std::shared_ptr<const model>;

    /// Reads nothing yet. The folder is never created. Where there is none, `exchange` fails with cannot_write, other calls
    /// with cannot_read, and models in memory stay; model_not_found means that a job has no model yet.
    explicit model_store(std::string folder, model_store_options options = {})
        : folder_(std::move(folder)), options_(options) {}
    model_store(const model_store&) = delete;
    model_store& operator=(const model_store&) = delete;

    /// The model of this name. Holds a lock for the lookup only; a miss loads the file, once for any number of callers,
    /// while other names are served. The self-test runs the first time a file is loaded, not again after an eviction.
    /// Errors: invalid_option for an invalid name; model_not_found where the folder has no such file, and those of `load`,
    /// which name the model.
    result<snapshot> get(std::string_view name);

    /// Whether there is a model of this name, in memory or as a file. Asks the file system where it is not in memory.
    [[nodiscard]] bool contains(std::string_view name) const;

    /// The names of all models in the folder, in alphabetical order. Error: cannot_read where there is no such folder.
    result<std::vector<std::string>> names() const;

    /// Publishes another version, on disk first: a process killed meanwhile leaves the previous version or the new one.
    /// The previous version is kept for `roll_back`. Writes through to the disk twice, milliseconds. Snapshots stay as they
    /// are. Errors: invalid_option, cannot_read, cannot_write, also where there is no folder; then the previous version
    /// stays valid.
    result<void> exchange(std::string_view name, model next);

    /// Publishes `learn(current model)`, a `result<model>`, as `exchange` does. Updates of one name run one after another,
    /// so that none is lost; readers do not wait, writers of other names may. `learn` must not publish in this store.
    /// Errors: those of `get`, `learn` and `exchange`, which name the model but for invalid_option; then the current version
    /// stays valid.
    template <class Learn>
    result<void> update(std::string_view name, Learn&& learn) {
        const std::lock_guard writer(writing(name));
        const auto current = get(name);
        if (!current) return current.error();
        return place_result(name, std::forward<Learn>(learn)(**current));
    }

    /// The same, but where there is no model of this name `learn` is given `first()`, a `result<model>`: a cold start, for
    /// example. None of several threads that bring the first runs of a job loses them, as with `exchange`. Neither function
    /// may publish in this store.
    template <class Learn, class First>
    result<void> update(std::string_view name, Learn&& learn, First&& first) {
        const std::lock_guard writer(writing(name));
        const auto current = get(name);
        if (current) return place_result(name, std::forward<Learn>(learn)(**current));
        if (current.error().code() != errc::model_not_found) return current.error();
        result<model> begun = std::forward<First>(first)();
        return place_result(name, begun ? std::forward<Learn>(learn)(*begun) : begun);
    }

    /// Removes a model and its previous version, from the folder and from memory; snapshots stay valid. Errors:
    /// invalid_option, model_not_found, cannot_read, cannot_write.
    result<void> remove(std::string_view name);

    /// Swaps the valid version and the previous one: calling it twice restores the first state. Where the file is damaged,
    /// the model in memory is written again instead. Errors: invalid_option; model_not_found where there is no model or no
    /// previous version; those of `load` and `exchange`. Then the valid version stays.
    result<void> roll_back(std::string_view name);

    /// Reloads the models in memory whose files have changed, for files that another process replaces by renaming. A file
    /// that cannot be loaded leaves the model valid. Costs a system call per model in memory, and the loads. Call it
    /// periodically.
    [[nodiscard]] refreshed_models refresh();

    [[nodiscard]] model_store_counters counters() const {
        const std::lock_guard lock(mutex_);
        auto now = counters_;
        now.models = recent_.size() + cold_.size();
        return now;
    }

private:
    // One thread loads, others wait for the outcome. Without an outcome the load was abandoned, and waiters retry.
    struct turn {
        std::condition_variable ended_signal{};
        bool ended = false;
        std::optional<result<snapshot>> outcome{};
    };
    struct entry {
        std::string name{};
        snapshot held{};
        /// Estimated size with factors, and without.
        size_t bytes = 0;
        size_t cold_bytes = 0;
        bool cold = false;
        /// Stamp of the file that the model was loaded from; nothing where the file may have changed since.
        std::optional<detail::file_stamp> stamp{};
        /// Checksum of the last bytes that passed the self-test.
        std::optional<std::uint64_t> tested{};
        /// Number of versions published.
        std::uint64_t version = 0;
        std::shared_ptr<turn> loading{};
    };
    using entries = std::list<entry>;
    struct loaded {
        std::optional<detail::file_stamp> stamp{};
        std::uint64_t checksum = 0;
        /// Null where the model in memory has the same checksum.
        snapshot fresh{};
    };
    class loading_turn;

    /// The error of a call for a model, with the model's name in front.
    static error of_model(std::string_view name, const error& cause) { return detail::with_subject(cause, "model ", name); }
    result<loaded> load_file(const std::string& name, std::optional<std::uint64_t> tested, bool in_memory) const;
    [[nodiscard]] std::optional<result<snapshot>> load_in_turn(std::unique_lock<std::mutex>& lock, entries::iterator at,
                                                               std::vector<snapshot>& dropped);
    [[nodiscard]] entries::iterator entry_of(std::string_view name);
    [[nodiscard]] snapshot held_model(std::string_view name) const;
    void publish(entries::iterator at, snapshot next, std::optional<std::uint64_t> tested, std::vector<snapshot>& dropped);
    void use(entries::iterator at);
    void evict(std::vector<snapshot>& dropped);
    void cool(entries::iterator at, std::vector<snapshot>& dropped);
    void drop(entries::iterator at, std::vector<snapshot>& dropped);
    void erase_if_unused(entries::iterator at);
    result<void> place(std::string_view name, std::span<const std::byte> bytes, snapshot next);
    result<void> place(std::string_view name, model next);
    result<void> place_result(std::string_view name, result<model> next) {
        if (!next) return of_model(name, next.error());
        return place(name, *std::move(next));
    }
    void forget(std::string_view name);
    [[nodiscard]] std::mutex& writing(std::string_view name) noexcept {
        return writing_[std::hash<std::string_view>{}(name) % writing_.size()];
    }

    const std::string folder_;
    const model_store_options options_;
    /// Serialises writers of one name (striped by hash).
    std::array<std::mutex, 16> writing_{};
    mutable std::mutex mutex_{};
    /// LRU lists: models with factors, most recently used first; cold models, last cooled first. Third: evicted or loading.
    entries recent_{};
    entries cold_{};
    entries without_model_{};
    size_t bytes_of_cold_ = 0;
    std::unordered_map<std::string_view, entries::iterator> by_name_{};
    model_store_counters counters_{};
};

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/format/model_store_impl.hpp>  // IWYU pragma: export
#endif

#endif
