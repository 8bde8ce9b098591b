// The jobs of a scheduler: the history of each, a table in a folder, and the model that is learned from it as runs end.
#ifndef BELLAMY_JOB_STORE_HPP
#define BELLAMY_JOB_STORE_HPP

#include <bellamy/drift.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Past runs of many jobs, a table `JOB.csv` of each in a folder, and the model of each, learned from these runs alone; a
/// restart neither loses one nor counts it twice. Models and histories are in memory: a `model_store` is for more jobs than
/// fit there. A snapshot is immutable and stays valid while it is held; predict from it without any lock. Thread-safe;
/// starts no thread. Of several stores of one folder, in this process or another, one may record, and the others do not see
/// what it recorded after they first read a job.
///
/// A name of a job is as that of a model in a `model_store`; others are invalid_option. Two names must not be one to the
/// file system, as those are that differ in capital letters to some.
class job_store {
public:
    using snapshot = std::shared_ptr<const model>;

    /// Reads nothing yet. The folder is never created: where there is none, calls fail with cannot_read or cannot_write. The
    /// contexts of all runs have these properties.
    job_store(std::string folder, schema properties) : folder_(std::move(folder)), properties_(std::move(properties)) {}
    job_store(const job_store&) = delete;
    job_store& operator=(const job_store&) = delete;

    /// The model of a job. The first call reads the history and learns from it, tenths of a second for hundreds of runs;
    /// later ones take two locks for the lookup only, and wait for none that records. Of a job without history, a
    /// `cold_start` for contexts like `example`. Errors: those of `history` and `cold_start`, which name the job.
    result<snapshot> get(std::string_view job, const context& example);

    /// Appends runs that ended to the history of a job, on disk first: a process killed meanwhile leaves the history without
    /// them or with them. The whole table is written each time. Then they count in the model, which is conditioned on them
    /// and, when the history has doubled and every 16 runs, learned anew, in tenths of a second; `JOB.learned` notes when.
    ///
    /// Returns the drift of the last four runs where its p-value is below 0.001, or of the last 16 where it is below 0.01,
    /// outliers left out: the job has changed. The p-value is the smaller of those of two tests: `measure_drift`, and
    /// whether the mean residual is 0. Then the model is learned at once, from older runs times `drift::factor`, which count
    /// half. The history stays as it was recorded. No change is told within more than 16 runs recorded at once, nor by runs
    /// of which one has a text that the model does not know.
    ///
    /// Errors, which name the job: those of `get`, `to_csv_line`, `learn` and `model::condition`; those of
    /// `history_from_csv` where the table could not be read, such as duplicate_property for a property named as a column of
    /// a run; cannot_write. Then, and where memory runs out, history and model stay as they were.
    result<std::optional<drift>> record(std::string_view job, std::span<const run> ended);
    /// The same for runs in braces.
    result<std::optional<drift>> record(std::string_view job, std::initializer_list<run> ended) {
        return record(job, std::span(ended.begin(), ended.size()));
    }

    /// All runs of a job as they were recorded, in that order; none of a job without history. Errors, which name the job:
    /// invalid_option for an invalid name, cannot_read, those of `history_from_csv`; unknown_property where the first line
    /// of a table is not `csv_header` of the properties, since it could not be appended to; truncated where its last line
    /// has no end; invalid_option for a damaged `JOB.learned`.
    result<std::vector<run>> history(std::string_view job);

    /// The jobs that have a table in the folder, in alphabetical order. Error: cannot_read where there is no such folder.
    result<std::vector<std::string>> names() const;

private:
    struct entry;

    [[nodiscard]] std::string path(std::string_view job, std::string_view ending) const {
        return folder_ + "/" + std::string(job) + std::string(ending);
    }
    /// A job that was only asked for takes no memory: unless one may be added, that of an unknown job is not kept.
    [[nodiscard]] std::shared_ptr<entry> entry_of(std::string_view job, bool may_add);
    // The caller of these has locked the entry for recording.
    result<void> read(std::string_view job, entry& of);
    result<std::optional<drift>> take_in(std::string_view job, entry& of, std::span<const run> ended, std::string table);

    const std::string folder_;
    const schema properties_;
    std::mutex mutex_{};
    std::map<std::string, std::shared_ptr<entry>, std::less<>> entries_{};
};

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/format/job_store_impl.hpp>  // IWYU pragma: export
#endif

#endif
