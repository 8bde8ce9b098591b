// Definitions of job_store.hpp: reads and writes histories, measures drift, and learns from what a job is still like.
#ifndef BELLAMY_DETAIL_FORMAT_JOB_STORE_IMPL_HPP
#define BELLAMY_DETAIL_FORMAT_JOB_STORE_IMPL_HPP

#include <bellamy/cold_start.hpp>
#include <bellamy/detail/format/versions.hpp>
#include <bellamy/job_store.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/run_table.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {
namespace detail {

/// From the run of this number in a history on, runs take `factor` times as long.
struct job_change {
    size_t first_run = 0;
    double factor = 1;
};

/// The runs of a history that tell how long the job takes now: those of contexts that ran since it changed, and older ones
/// of other contexts, times the factor of the change.
inline std::vector<run> current_runs(std::span<const run> history, std::span<const job_change> changes) {
    const auto contexts = context_numbers(history);
    std::vector<size_t> last_run(history.size());  // by the number of the context
    for (size_t i = 0; i < history.size(); ++i) last_run[contexts[i]] = i;
    std::vector<run> current;
    for (size_t i = 0; i < history.size(); ++i) {
        auto run = history[i];
        bool has_run_since = false;
        for (const auto& change : changes) {
            if (i >= change.first_run) continue;
            run.runtime_s *= change.factor;
            has_run_since |= last_run[contexts[i]] >= change.first_run;
        }
        if (!has_run_since) current.push_back(std::move(run));
    }
    return current;
}

inline constexpr std::string_view changes_header = "first_run,factor\n";

inline std::string changes_table(std::span<const job_change> changes) {
    std::string table(changes_header);
    for (const auto& change : changes) table += number_text(change.first_run) + ',' + number_text(change.factor) + '\n';
    return table;
}

/// Error: invalid_option.
inline result<std::vector<job_change>> changes_of(std::string_view table, size_t runs) {
    std::vector<job_change> changes;
    csv_rows rows(table);
    auto cells = rows.next();
    while ((cells = rows.next())) {
        const auto first_run = decimal_of(cells->front());
        const auto factor = decimal_of(cells->back());
        if (cells->size() != 2 || !first_run || !(*first_run >= 0 && *first_run <= static_cast<double>(runs)) || !factor ||
            !(*factor > 0))
            return fail(errc::invalid_option, "expected the number of a run and a factor > 0 in line ", rows.line(),
                        " of its changes, found something else");
        changes.push_back({.first_run = static_cast<size_t>(*first_run), .factor = *factor});
    }
    return changes;
}

/// Drift of recent runs but those that are improbable: they are wrong records or stragglers, while they are fewer than half.
inline result<drift> drift_without_outliers(const model& fitted, std::span<const run> recent) {
    const auto conditioned = fitted.condition(recent);
    if (!conditioned) return conditioned.error();
    const auto improbable = improbable_runs(*conditioned);
    if (!improbable) return improbable.error();
    std::vector<run> probable;
    for (size_t i = 0; i < recent.size(); ++i) {
        const auto is_it = [&](const improbable_run& one) { return one.run == fitted.observed().size() + i; };
        if (std::none_of(improbable->begin(), improbable->end(), is_it)) probable.push_back(recent[i]);
    }
    return measure_drift(fitted, 2 * probable.size() < recent.size() ? recent : std::span<const run>(probable));
}

inline result<std::string> read_text(const std::string& path) {
    const auto bytes = read_file(path, largest_model_bytes);
    if (!bytes) return bytes.error();
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

inline result<void> write_text(const std::string& path, const std::string& text) {
    return write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace detail

/// What is known of a job. `recording` guards all of it but `current`, which the mutex of the store guards.
struct job_store::entry {
    std::mutex recording{};
    std::vector<run> history{};
    /// The history as it stands in its file.
    std::string table{};
    std::vector<detail::job_change> changes{};
    /// Learned from the first so many runs of the history; nothing before the first run.
    std::optional<model> learned{};
    size_t learned_runs = 0;
    /// Conditioned on the others.
    snapshot current{};
};

BELLAMY_PUBLIC_INLINE result<model> job_store::learn(std::string_view job, const entry& of) {
    const auto runs = detail::current_runs(of.history, of.changes);
    const auto start = cold_start(runs.front().context, std::string(job));
    if (!start) return start.error();
    auto learned = bellamy::learn(of.learned ? *of.learned : *start, runs);
    const bool has_one_context = !learned && learned.error().code() == errc::single_context;
    return has_one_context ? start->condition(runs) : learned;
}

BELLAMY_PUBLIC_INLINE bool job_store::may_have_history(std::string_view job) const {
    return !detail::is_absent(path(job, ".csv")) || detail::is_absent(folder_);
}

BELLAMY_PUBLIC_INLINE result<void> job_store::read(std::string_view job, entry& of) {
    if (of.learned || !may_have_history(job)) return {};
    if (detail::is_absent(folder_))
        return detail::fail(errc::cannot_read, "expected a folder that exists, found none at ", folder_);
    auto table = detail::read_text(path(job, ".csv"));
    if (!table) return table.error();
    const auto header = csv_header(properties_);
    if (!table->starts_with(header) || !table->ends_with('\n'))
        return detail::fail(errc::unknown_property, "expected whole lines below ", header.substr(0, header.size() - 1),
                            ", found others in ", path(job, ".csv"));
    auto history = history_from_csv(*table, properties_);
    if (!history) return history.error();
    const auto listed = detail::is_absent(path(job, ".drift")) ? std::string() : detail::read_text(path(job, ".drift"));
    if (!listed) return listed.error();
    auto changes = detail::changes_of(*listed, history->size());
    if (!changes) return changes.error();
    of.table = *std::move(table);
    of.history = *std::move(history);
    of.changes = *std::move(changes);
    of.learned_runs = of.history.size();
    auto learned = learn(job, of);
    if (!learned) return learned.error();
    of.learned = *std::move(learned);
    publish(of, *of.learned);
    return {};
}

BELLAMY_PUBLIC_INLINE std::shared_ptr<job_store::entry> job_store::entry_of(std::string_view job, bool may_add) {
    const std::lock_guard lock(mutex_);
    const auto known = entries_.find(job);
    if (known != entries_.end()) return known->second;
    if (!may_add && !may_have_history(job)) return nullptr;
    return entries_.emplace(job, std::make_shared<entry>()).first->second;
}

BELLAMY_PUBLIC_INLINE job_store::snapshot job_store::current_of(const entry& of) const {
    const std::lock_guard lock(mutex_);
    return of.current;
}

BELLAMY_PUBLIC_INLINE void job_store::publish(entry& of, const model& next) {
    const std::lock_guard lock(mutex_);
    of.current = std::make_shared<const model>(next);
}

BELLAMY_PUBLIC_INLINE result<job_store::snapshot> job_store::get(std::string_view job, const context& example) {
    if (auto valid = detail::check_model_name(job); !valid) return valid.error();
    if (const auto of = entry_of(job, false)) {
        if (auto current = current_of(*of)) return current;
        const std::lock_guard recorder(of->recording);
        if (auto whole = read(job, *of); !whole) return detail::with_subject(whole.error(), "job ", job);
        if (auto current = current_of(*of)) return current;
    }
    auto start = cold_start(example, std::string(job));
    if (!start) return detail::with_subject(start.error(), "job ", job);
    return std::make_shared<const model>(*std::move(start));
}

BELLAMY_PUBLIC_INLINE result<std::vector<run>> job_store::history(std::string_view job) {
    if (auto valid = detail::check_model_name(job); !valid) return valid.error();
    const auto of = entry_of(job, false);
    if (!of) return std::vector<run>{};
    const std::lock_guard recorder(of->recording);
    if (auto whole = read(job, *of); !whole) return detail::with_subject(whole.error(), "job ", job);
    return of->history;
}

BELLAMY_PUBLIC_INLINE result<drift> job_store::record(std::string_view job, std::span<const run> ended) {
    if (auto valid = detail::check_model_name(job); !valid) return valid.error();
    std::string lines;
    for (size_t i = 0; i < ended.size(); ++i) {
        const auto line = to_csv_line(ended[i], properties_);
        if (!line) return detail::with_subject(line.error(), "job ", job, ": run ", i);
        lines += *line;
    }
    const auto of = entry_of(job, true);
    const std::lock_guard recorder(of->recording);
    if (auto whole = read(job, *of); !whole) return detail::with_subject(whole.error(), "job ", job);
    if (ended.empty()) return drift{};
    const auto runs_before = of->history.size();
    const auto changes_before = of->changes.size();
    detail::append(of->history, ended);
    auto measured = take_in(job, *of, (of->table.empty() ? csv_header(properties_) : of->table) + lines);
    if (measured) return measured;
    of->history.resize(runs_before);
    of->changes.resize(changes_before);
    return detail::with_subject(measured.error(), "job ", job);
}

BELLAMY_PUBLIC_INLINE result<drift> job_store::take_in(std::string_view job, entry& of, std::string table) {
    constexpr size_t runs_to_learn_from = 16;
    constexpr size_t most_runs_of_drift = 128;  // it takes a millisecond per run
    const auto recent = std::span<const run>(of.history).subspan(of.learned_runs);
    const bool learns = !of.learned || recent.size() >= runs_to_learn_from;
    drift measured;
    if (of.learned && learns && recent.size() <= most_runs_of_drift) {
        const auto found = detail::drift_without_outliers(*of.learned, recent);
        if (!found) return found.error();
        measured = *found;
    }
    const bool has_changed = measured.probability < 0.01;
    if (has_changed) of.changes.push_back({.first_run = of.learned_runs, .factor = measured.factor});
    auto next = learns ? learn(job, of) : of.learned->condition(recent);
    if (!next) return next.error();
    if (has_changed)
        if (auto noted = detail::write_text(path(job, ".drift"), detail::changes_table(of.changes)); !noted)
            return noted.error();
    if (auto written = detail::write_text(path(job, ".csv"), table); !written) return written.error();
    of.table = std::move(table);
    publish(of, *next);
    if (learns) {
        of.learned = *std::move(next);
        of.learned_runs = of.history.size();
    }
    return measured;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
