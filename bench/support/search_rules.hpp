// Rules that search for a cluster: the library's, CherryPick's, extra trees, a random order, the smallest or the largest
// first.
#ifndef BELLAMY_BENCH_SEARCH_RULES_HPP
#define BELLAMY_BENCH_SEARCH_RULES_HPP

#include <bellamy/detail/maths/kernels.hpp>
#include <bellamy/explore.hpp>

#include "cluster_search.hpp"
#include "extra_trees.hpp"

namespace bench {

/// Tries in a fixed order, and takes the best run after `stop_after` trials.
[[nodiscard]] inline search_rule in_order(const cluster_search& search, std::vector<std::size_t> order,
                                          std::size_t stop_after) {
    return [&search, order = std::move(order), stop_after](std::span<const std::size_t> tried) {
        search_step step{.stops = tried.size() >= stop_after, .choice = best_effort(search, tried)};
        for (const std::size_t i : order)
            if (std::ranges::find(tried, i) == tried.end()) {
                step.next = i;
                break;
            }
        return step;
    };
}

/// All configurations from the least to the most expensive hour.
[[nodiscard]] inline std::vector<std::size_t> by_price(const cluster_search& search) {
    std::vector<std::size_t> order(search.runs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return search.runs[i].price_per_s; });
    return order;
}

[[nodiscard]] inline std::vector<std::size_t> random_order(const cluster_search& search, std::uint64_t seed) {
    auto order = by_price(search);
    bellamy::detail::random_generator random(seed);
    random.shuffle(std::span(order));
    return order;
}

/// The library's rule, with what is known of other jobs.
[[nodiscard]] inline search_rule by_explore(const cluster_search& search, const bellamy::exploration_prior& known,
                                            double runs_to_come) {
    std::vector<bellamy::trial_candidate> candidates;
    for (const auto& priced : search.runs)
        candidates.push_back({.context = &priced.run.context,
                              .scale_out = priced.run.scale_out,
                              .costs = {.per_unit_and_hour = 3600 * priced.price_per_s / priced.run.scale_out}});
    bellamy::exploration_request wanted{.wanted = {.goal = bellamy::goal::least_expected_cost},
                                        .runs_to_come = runs_to_come};
    if (std::isfinite(search.limit_s))
        wanted.wanted = {.goal = bellamy::goal::cheapest_within_deadline, .deadline_s = search.limit_s};
    return [&search, candidates = std::move(candidates), wanted, &known](std::span<const std::size_t> tried) {
        std::vector<bellamy::run> runs;
        for (const std::size_t i : tried) runs.push_back(search.runs[i].run);
        const auto found = bellamy::explore(candidates, runs, wanted, known).value();
        search_step step{.stops = found.stops(), .choice = found.best.candidate, .stated = found.best.probability};
        if (!found.next.empty()) step.next = found.next.front().candidate;
        return step;
    };
}

/// Log-runtime of a configuration, as a regression predicts it.
struct predicted_runtime {
    double mean = 0;
    double sd = 0;
};

/// ln of nodes, cores and memory a core.
using cluster_features = std::array<double, 3>;

/// Predicts all configurations from runs: their numbers and their log-runtimes.
using runtime_regression =
    std::function<std::vector<predicted_runtime>(std::span<const std::size_t> tried, std::span<const double> log_runtimes)>;

/// When Bayesian optimisation begins, and when it stops.
struct optimisation_settings {
    std::size_t random_trials = 3;
    /// Stops below this share of the best run's cost, but not before so many runs.
    double least_gain = 0.1;
    std::size_t least_trials = 6;
};

[[nodiscard]] inline std::vector<cluster_features> features_of(const cluster_search& search) {
    std::vector<cluster_features> features;
    for (const auto& priced : search.runs) {
        const auto& of = priced.run.context;
        const double cores = number_with_role(of, bellamy::property_role::cores_per_node);
        features.push_back({std::log(static_cast<double>(priced.run.scale_out)), std::log(cores),
                            std::log(number_with_role(of, bellamy::property_role::memory_per_node) / cores)});
    }
    return features;
}

/// Bayesian optimisation: after some random trials the largest expected improvement of the cost within the limit.
class bayesian_optimisation {
public:
    bayesian_optimisation(const cluster_search& search, runtime_regression regression, optimisation_settings settings,
                          std::uint64_t seed)
        : search_(search), regression_(std::move(regression)), settings_(settings), first_(random_order(search, seed)) {}

    [[nodiscard]] search_step operator()(std::span<const std::size_t> tried) const {
        const auto best_run = best_of(search_, tried);
        search_step step{.choice = best_effort(search_, tried)};
        if (tried.size() < settings_.random_trials) {
            step.next = untried(tried);
            return step;
        }
        if (tried.size() == search_.runs.size()) return step;
        const double best = best_run ? search_.runs[*best_run].cost() : dearest(tried);
        const auto gains = expected_gains(tried, best);
        for (std::size_t i = 0; i < gains.size(); ++i)
            if (std::ranges::find(tried, i) == tried.end() && (!step.next || gains[i] > gains[*step.next])) step.next = i;
        step.stops = best_run && tried.size() >= settings_.least_trials && gains[*step.next] < settings_.least_gain * best;
        return step;
    }

private:
    [[nodiscard]] std::optional<std::size_t> untried(std::span<const std::size_t> tried) const {
        for (const std::size_t i : first_)
            if (std::ranges::find(tried, i) == tried.end()) return i;
        return std::nullopt;
    }
    [[nodiscard]] double dearest(std::span<const std::size_t> tried) const {
        double most = 0;
        for (const std::size_t i : tried) most = (std::max)(most, search_.runs[i].cost());
        return most;
    }

    [[nodiscard]] std::vector<double> expected_gains(std::span<const std::size_t> tried, double best) const {
        std::vector<double> log_runtimes;
        for (const std::size_t i : tried) log_runtimes.push_back(std::log(search_.runs[i].run.runtime_s));
        std::vector<double> gains;
        for (const auto& [mean, sd] : regression_(tried, log_runtimes)) {
            const double price_per_s = search_.runs[gains.size()].price_per_s;
            const double limit_s = (std::min)(best / price_per_s, search_.limit_s);
            const double z = (std::log(limit_s) - mean) / sd;
            gains.push_back(best * bellamy::detail::normal_cdf(z) -
                            price_per_s * std::exp(mean + sd * sd / 2) * bellamy::detail::normal_cdf(z - sd));
        }
        return gains;
    }

    const cluster_search& search_;
    runtime_regression regression_;
    optimisation_settings settings_;
    std::vector<std::size_t> first_;
};

/// Settings of CherryPick's rule.
struct cherrypick_settings {
    /// Length of the Matern 5/2 kernel, in standard deviations of each feature.
    double length = 2;
    /// Standard deviation of the noise of the log-runtime.
    double noise = 0.05;
};

/// A Gaussian process, whose mean and variance are those of the runs so far (Alipourfard et al. 2017).
class gaussian_process_regression {
public:
    gaussian_process_regression(const cluster_search& search, cherrypick_settings settings)
        : settings_(settings), features_(features_of(search)) {
        for (std::size_t k = 0; k < features_.front().size(); ++k) {
            double sum = 0;
            double squares = 0;
            const auto count = static_cast<double>(features_.size());
            for (const auto& each : features_) sum += each[k];
            for (const auto& each : features_) squares += (each[k] - sum / count) * (each[k] - sum / count);
            for (auto& each : features_) each[k] /= std::sqrt(squares / count);
        }
    }

    [[nodiscard]] std::vector<predicted_runtime> operator()(std::span<const std::size_t> tried,
                                                            std::span<const double> log_runtimes) const {
        const std::size_t n = tried.size();
        const double mean = mean_of(log_runtimes);
        double variance = 0;
        for (const double each : log_runtimes) variance += (each - mean) * (each - mean) / static_cast<double>(n - 1);
        variance = (std::max)(variance, settings_.noise * settings_.noise);
        bellamy::detail::matrix factor(n, n);
        std::vector<double> residuals(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) factor(i, j) = variance * kernel(tried[i], tried[j]);
            factor(i, i) += settings_.noise * settings_.noise;
            residuals[i] = log_runtimes[i] - mean;
        }
        (void)bellamy::detail::factorise(factor);
        bellamy::detail::solve_transposed(factor, std::span(residuals));
        std::vector<predicted_runtime> predicted;
        std::vector<double> shared(n);
        for (std::size_t j = 0; j < features_.size(); ++j) {
            for (std::size_t i = 0; i < n; ++i) shared[i] = variance * kernel(tried[i], j);
            bellamy::detail::solve_transposed(factor, std::span(shared));
            const double left = variance - bellamy::detail::dot(shared.data(), shared.data(), n);
            predicted.push_back({.mean = mean + bellamy::detail::dot(shared.data(), residuals.data(), n),
                                 .sd = std::sqrt((std::max)(left, 1e-9))});
        }
        return predicted;
    }

private:
    [[nodiscard]] double kernel(std::size_t i, std::size_t j) const {
        double squares = 0;
        for (std::size_t k = 0; k < features_[i].size(); ++k)
            squares += (features_[i][k] - features_[j][k]) * (features_[i][k] - features_[j][k]);
        return bellamy::detail::matern(std::sqrt(squares) / settings_.length);
    }

    cherrypick_settings settings_;
    std::vector<cluster_features> features_;
};

[[nodiscard]] inline search_rule cherrypick(const cluster_search& search, cherrypick_settings settings, std::uint64_t seed) {
    return bayesian_optimisation(search, gaussian_process_regression(search, settings), {}, seed);
}

/// Settings of the search by extra trees.
struct tree_search_settings {
    extra_trees_settings trees{};
    /// Standard deviation that is added to that between the trees.
    double noise = 0.3;
    optimisation_settings optimisation{.least_gain = 0.05};
};

/// Arrow (Hsu et al. 2018) without its low-level metrics: mean and variance of the log-runtime over extra trees.
[[nodiscard]] inline search_rule by_extra_trees(const cluster_search& search, tree_search_settings settings,
                                                std::uint64_t seed) {
    auto regression = [settings, seed, features = features_of(search)](std::span<const std::size_t> tried,
                                                                       std::span<const double> log_runtimes) {
        std::vector<cluster_features> rows;
        for (const std::size_t i : tried) rows.push_back(features[i]);
        const extra_trees<std::tuple_size_v<cluster_features>> trees(rows, log_runtimes, settings.trees, seed);
        std::vector<predicted_runtime> predicted;
        for (const auto& each : features) {
            const auto by_tree = trees.predict(each);
            const double mean = mean_of(by_tree);
            double variance = settings.noise * settings.noise;
            for (const double one : by_tree) variance += (one - mean) * (one - mean) / static_cast<double>(by_tree.size());
            predicted.push_back({.mean = mean, .sd = std::sqrt(variance)});
        }
        return predicted;
    };
    return bayesian_optimisation(search, std::move(regression), settings.optimisation, seed);
}

}  // namespace bench

#endif
