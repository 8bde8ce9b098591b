// Definitions of job_store.hpp: reads and writes histories, measures drift, and learns from what a job is still like.
#ifndef BELLAMY_DETAIL_FORMAT_JOB_STORE_IMPL_HPP
#define BELLAMY_DETAIL_FORMAT_JOB_STORE_IMPL_HPP

#include <bellamy/cold_start.hpp>
#include <bellamy/detail/format/versions.hpp>
#include <bellamy/job_store.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/run_table.hpp>
#include <bellamy/unseen_values.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {
namespace detail {

/// A time at which a job's model was learned from all runs so far, of which those since the last time took `factor` times as
/// long: 1 where no drift was seen.
struct learning_step {
    size_t runs = 0;
    double factor = 1;
};

/// The runs of a history up to the last step as the job takes them now. Those from before a change count half: they tell how
/// the runtime scales, which may have changed, too.
inline std::vector<run> current_runs(std::span<const run> history, std::span<const learning_step> steps) {
    std::vector<run> current;
    append(current, history.first(steps.back().runs));
    for (size_t s = 1; s < steps.size(); ++s) {
        if (steps[s].factor == 1) continue;
        for (auto& each : std::span(current).first(steps[s - 1].runs)) {
            each.runtime_s = std::clamp(each.runtime_s * steps[s].factor, 1e-300, 1e300);
            each.weight = (std::min)(each.weight, (std::max)(0.5 * each.weight, 1e-3));  // after many changes, too
        }
    }
    return current;
}

inline std::string steps_table(std::span<const learning_step> steps) {
    std::string table;
    for (const auto& step : steps) table += number_text(step.runs) + ',' + number_text(step.factor) + '\n';
    return table;
}

/// Of the first so many runs: a later step is of runs that could not be written. Error: invalid_option.
inline result<std::vector<learning_step>> steps_of(std::string_view table, size_t runs) {
    std::vector<learning_step> steps;
    csv_rows rows(table);
    while (auto cells = rows.next()) {
        if (cells->size() != 2) cells->assign(2, "no number");
        const double count = nearest_decimal_of(cells->front()).value_or(0);
        const double factor = nearest_decimal_of(cells->back()).value_or(0);
        const double least = steps.empty() ? 1 : static_cast<double>(steps.back().runs);
        if (!(count >= least && factor > 0))
            return fail(errc::invalid_option, "expected an ascending number of runs and a factor in line ", rows.line(),
                        " of what was learned, found something else");
        if (count > static_cast<double>(runs)) break;
        steps.push_back({.runs = static_cast<size_t>(count), .factor = factor});
    }
    return steps;
}

/// Drift with the smaller of two p-values: that of `measure_drift`, and that of a mean residual of 0, which is small where
/// all runs took a little longer.
inline result<drift> drift_of_level(const model& fitted, std::span<const run> recent) {
    auto measured = measure_drift(fitted, recent);
    if (measured)
        measured->probability =
            (std::min)(measured->probability, 2 * normal_cdf(-std::abs(measured->mean_deviate) * std::sqrt(measured->runs)));
    return measured;
}

/// Recent runs but those that are outliers, wrong records or stragglers, where these are fewer than half of them.
inline result<std::vector<run>> without_outliers(const model& fitted, std::span<const run> recent) {
    // Each run is compared with all others of its context.
    const auto before = fitted.observed();
    const auto latest = fitted.general().condition(before.last((std::min)(before.size(), size_t{64})));
    if (!latest) return latest.error();
    const auto conditioned = latest->condition(recent);
    if (!conditioned) return conditioned.error();
    const auto outliers = improbable_runs(*conditioned);
    if (!outliers) return outliers.error();
    std::vector<run> others;
    for (size_t i = 0; i < recent.size(); ++i) {
        const auto is_outlier = [&](const improbable_run& one) { return one.run == latest->observed().size() + i; };
        if (!any_of(*outliers, is_outlier)) others.push_back(recent[i]);
    }
    if (2 * others.size() <= recent.size()) others.assign(recent.begin(), recent.end());
    return others;
}

/// Drift of recent runs, where its p-value is below `improbable` and its factor explains them; else nothing, as where only
/// the last of them took longer, or one has a text that the model does not know.
inline result<std::optional<drift>> improbable_drift(const model& fitted, std::span<const run> recent, double improbable) {
    for (const auto& each : recent) {
        const auto unseen = unseen_values(fitted, each.context);
        if (!unseen) return unseen.error();
        if (!unseen->empty()) return std::optional<drift>();
    }
    const auto with_outliers = drift_of_level(fitted, recent);
    if (!with_outliers) return with_outliers.error();
    if (!(with_outliers->probability < improbable)) return std::optional<drift>();
    auto runs = without_outliers(fitted, recent);
    if (!runs) return runs.error();
    const auto measured = drift_of_level(fitted, *runs);
    if (!measured) return measured.error();
    for (auto& each : *runs) each.runtime_s /= measured->factor;
    const auto explained = drift_of_level(fitted, *runs);
    if (!explained) return explained.error();
    const bool has_changed = measured->probability < improbable && explained->probability > 0.05;
    return has_changed ? std::optional(*measured) : std::nullopt;
}

/// Error: cannot_read.
inline result<std::string> read_text(const std::string& path) {
    const auto bytes = read_file(path, std::string().max_size());
    if (!bytes) return bytes.error();
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

inline result<void> write_text(const std::string& path, const std::string& text) {
    return write_file(path, std::as_bytes(std::span(text)));
}

/// What a job is like now; `before` is what was learned at the step before, if there was one.
inline result<model> learn_job(std::string_view job, const std::optional<model>& before, std::span<const run> history,
                               std::span<const learning_step> steps) {
    const auto runs = current_runs(history, steps);
    // With all optional properties that some run has.
    auto example = runs.front().context;
    for (const auto& each : runs)
        for (const auto& property : each.context.optional)
            if (!find_property_if(example, [&](const auto& one) { return one.name == property.name; }))
                example.optional.push_back(property);
    const auto start = cold_start(example, std::string(job));
    if (!start) return start.error();
    // Killed runs alone say how long the job takes at least.
    if (any_of(runs, [](const run& each) { return !each.censored; })) {
        auto learned = learn(before.value_or(*start), runs);
        if (learned || learned.error().code() != errc::single_context) return learned;
    }
    return start->condition(runs);
}

}  // namespace detail

/// What is known of a job. `recording` guards all of it but `current`, which `publishing` guards.
struct job_store::entry {
    std::mutex recording{};
    std::vector<run> history{};
    /// The history as it stands in its file.
    std::string table{};
    std::vector<detail::learning_step> steps{};
    /// Learned at the last step; nothing before the first run.
    std::optional<model> learned{};
    std::mutex publishing{};
    /// Conditioned on the runs since.
    snapshot current{};

    [[nodiscard]] snapshot published() {
        const std::lock_guard lock(publishing);
        return current;
    }
    void publish(snapshot next) {
        const std::lock_guard lock(publishing);
        current.swap(next);
    }
};

BELLAMY_PUBLIC_INLINE result<void> job_store::read(std::string_view job, entry& of) {
    if (of.learned) return {};
    if (detail::is_absent(path(job, ".csv"))) {
        if (!detail::is_absent(folder_)) return {};
        return detail::fail(errc::cannot_read, "expected a folder that exists, found none at ", folder_);
    }
    auto table = detail::read_text(path(job, ".csv"));
    if (!table) return table.error();
    const auto header = csv_header(properties_);
    if (!table->starts_with(header))
        return detail::fail(errc::unknown_property, "expected the columns ", header.substr(0, header.size() - 1),
                            ", found others in ", path(job, ".csv"));
    if (!table->ends_with('\n'))
        return detail::fail(errc::truncated, "expected a whole last line, found one without an end in ", path(job, ".csv"),
                            ": remove it, or end it if it is whole");
    auto history = history_from_csv(*table, properties_);
    if (!history) return history.error();
    const auto listed = detail::is_absent(path(job, ".learned")) ? std::string() : detail::read_text(path(job, ".learned"));
    if (!listed) return listed.error();
    auto steps = detail::steps_of(*listed, history->size());
    if (!steps) return steps.error();
    if (steps->empty()) steps->push_back({.runs = history->size()});
    auto learned = detail::learn_job(job, std::nullopt, *history, *steps);
    if (!learned) return learned.error();
    auto current = learned->condition(std::span<const run>(*history).subspan(steps->back().runs));
    if (!current) return current.error();
    of.publish(std::make_shared<const model>(*std::move(current)));
    of.table = *std::move(table);
    of.history = *std::move(history);
    of.steps = *std::move(steps);
    of.learned = *std::move(learned);
    return {};
}

BELLAMY_PUBLIC_INLINE std::shared_ptr<job_store::entry> job_store::entry_of(std::string_view job, bool may_add) {
    const std::lock_guard lock(mutex_);
    const auto known = entries_.find(job);
    if (known != entries_.end()) return known->second;
    auto added = std::make_shared<entry>();
    if (may_add) entries_.emplace(job, added);
    return added;
}

BELLAMY_PUBLIC_INLINE result<job_store::snapshot> job_store::get(std::string_view job, const context& example) {
    if (auto valid = detail::check_model_name(job); !valid) return valid.error();
    auto of = entry_of(job, false);
    if (auto current = of->published()) return current;
    if (!detail::is_absent(path(job, ".csv"))) of = entry_of(job, true);
    const std::lock_guard recorder(of->recording);
    if (auto whole = read(job, *of); !whole) return detail::with_subject(whole.error(), "job ", job);
    if (auto current = of->published()) return current;
    auto start = cold_start(example, std::string(job));
    if (!start) return detail::with_subject(start.error(), "job ", job);
    return std::make_shared<const model>(*std::move(start));
}

BELLAMY_PUBLIC_INLINE result<std::vector<run>> job_store::history(std::string_view job) {
    if (auto valid = detail::check_model_name(job); !valid) return valid.error();
    const auto of = entry_of(job, false);
    const std::lock_guard recorder(of->recording);
    if (auto whole = read(job, *of); !whole) return detail::with_subject(whole.error(), "job ", job);
    return of->history;
}

BELLAMY_PUBLIC_INLINE result<std::vector<std::string>> job_store::names() const {
    return detail::names_of_files(folder_, ".csv");
}

BELLAMY_PUBLIC_INLINE result<std::optional<drift>> job_store::record(std::string_view job, std::span<const run> ended) {
    if (auto valid = detail::check_model_name(job); !valid) return valid.error();
    std::string lines;
    for (size_t i = 0; i < ended.size(); ++i) {
        const auto line = to_csv_line(ended[i], properties_);
        if (!line) return detail::with_subject(line.error(), "job ", job, ": run ", i);
        lines += *line;
    }
    const auto header = csv_header(properties_);
    if (auto read = history_from_csv(header + lines, properties_); !read && !ended.empty())
        return detail::with_subject(read.error(), "job ", job, ": its table could not be read");
    const auto of = entry_of(job, true);
    const std::lock_guard recorder(of->recording);
    if (auto whole = read(job, *of); !whole) return detail::with_subject(whole.error(), "job ", job);
    if (ended.empty()) return std::optional<drift>();
    auto change = take_in(job, *of, ended, (of->table.empty() ? header : of->table) + lines);
    if (!change) return detail::with_subject(change.error(), "job ", job);
    return change;
}

BELLAMY_PUBLIC_INLINE result<std::optional<drift>> job_store::take_in(std::string_view job, entry& of,
                                                                      std::span<const run> ended, std::string table) {
    constexpr size_t most_recent_runs = 16;
    // The entry changes when all is written: an error or exception before leaves it as it was.
    auto history = of.history;
    auto steps = of.steps;
    detail::append(history, ended);
    const auto learned_runs = steps.empty() ? 0 : steps.back().runs;
    const auto recent = std::span<const run>(history).subspan(learned_runs);
    // When the history has doubled, later every so many runs, and for a property that no run had.
    auto conditioned = of.learned ? of.learned->condition(recent) : detail::fail(errc::empty_history, "expected runs");
    const bool is_due = !conditioned || recent.size() >= std::clamp(learned_runs, size_t{1}, most_recent_runs);
    // The last four runs are tested after every run, sixteen when there are so many.
    std::optional<drift> change;
    for (const size_t window : {size_t{4}, most_recent_runs}) {
        if (change || !conditioned || window > recent.size() || ended.size() > most_recent_runs) break;
        const auto before = of.learned->condition(recent.first(recent.size() - window));
        if (!before) return before.error();
        const auto found = detail::improbable_drift(*before, recent.last(window), window < most_recent_runs ? 0.001 : 0.01);
        if (!found) return found.error();
        change = *found;
        if (change) steps.push_back({.runs = history.size() - window});
    }
    const bool learns = change || is_due;
    if (learns) steps.push_back({.runs = history.size(), .factor = change ? change->factor : 1});
    auto next = learns ? detail::learn_job(job, of.learned, history, steps) : std::move(conditioned);
    if (!next) return next.error();
    auto published = std::make_shared<const model>(*next);
    // Steps first, each time: where the runs cannot be written, the last step is of more runs than there are, until the next
    // time.
    if (auto written = detail::write_text(path(job, ".learned"), detail::steps_table(steps)); !written)
        return written.error();
    if (auto written = detail::write_text(path(job, ".csv"), table); !written) return written.error();
    of.history = std::move(history);
    of.steps = std::move(steps);
    of.table = std::move(table);
    if (learns) of.learned = *std::move(next);
    of.publish(std::move(published));
    return change;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
