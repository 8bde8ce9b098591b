// Models by name from a folder, for a scheduler that serves many jobs: loaded when asked for, within a bound of memory.
#ifndef BELLAMY_MODEL_STORE_HPP
#define BELLAMY_MODEL_STORE_HPP

#include <bellamy/detail/base/file_stamp.hpp>
#include <bellamy/model.hpp>

#include <array>
#include <condition_variable>
#include <functional>
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
    /// Of the models in memory, as estimated from what they consist of. Beyond it the least recently used first lose what
    /// they can compute again (best mode's factors, most of its memory) and, once such cold models take half of it,
    /// are dropped. The model asked for last stays even where it alone takes more; what was dropped while somebody holds its
    /// snapshot is not counted.
    std::size_t most_bytes = std::size_t{1} << 30U;
};

/// What a store has done since it was made, and what it holds now.
struct model_store_counters {
    std::uint64_t hits = 0;       // asked for while in memory
    std::uint64_t loads = 0;      // read from a file
    std::uint64_t failures = 0;   // files that could not be read or were refused
    std::uint64_t evictions = 0;  // dropped for memory's sake
    std::uint64_t cooled = 0;     // lost what they can compute again, for memory's sake
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
        now.models = recent_.size() + cold_.size();
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
        /// When its experts have been asked, and when they have not.
        std::size_t bytes = 0;
        std::size_t cold_bytes = 0;
        bool cold = false;
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
    void use(entries::iterator at);
    void make_room(std::vector<snapshot>& dropped);
    void cool(entries::iterator at, std::vector<snapshot>& dropped);
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
    /// With a model, the most recently used first; with a cold one, the last cooled first; and without one: dropped, or
    /// being loaded.
    entries recent_{};
    entries cold_{};
    entries others_{};
    std::size_t bytes_of_cold_ = 0;
    std::unordered_map<std::string_view, entries::iterator> by_name_{};
    model_store_counters counters_{};
};

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/format/model_store_impl.hpp>  // IWYU pragma: export
#endif

#endif
