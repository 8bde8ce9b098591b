// What a user would do by hand with runs over machine types and cluster sizes.
#ifndef BELLAMY_BENCH_GRID_METHODS_HPP
#define BELLAMY_BENCH_GRID_METHODS_HPP

#include <bellamy/detail/maths/dense.hpp>

#include "grid_splits.hpp"
#include "history_methods.hpp"

namespace bench {

[[nodiscard]] inline std::vector<bellamy::run> ended_runs(std::span<const bellamy::run> runs) {
    std::vector<bellamy::run> ended;
    std::ranges::copy_if(runs, std::back_inserter(ended), [](const auto& run) { return !run.censored; });
    return ended;
}

/// Size-aware Ernest whose scale-out counts cores.
class ernest_over_cores {
public:
    explicit ernest_over_cores(std::span<const bellamy::run> history) : law_(ernest_columns, over_cores(history)) {}

    /// Seconds.
    [[nodiscard]] double operator()(const bellamy::context& asked, int scale_out) const {
        return law_(asked, static_cast<int>(total_cores(asked, scale_out)));
    }

private:
    [[nodiscard]] static std::vector<bellamy::run> over_cores(std::span<const bellamy::run> history) {
        std::vector<bellamy::run> runs(history.begin(), history.end());
        for (auto& run : runs) run.scale_out = static_cast<int>(total_cores(run.context, run.scale_out));
        return runs;
    }
    fitted_law law_;
};

/// The run of the nearest total cores, cores, memory per core and size, on logarithmic scales; its work, size by cores,
/// decides what becomes of its runtime.
class nearest_scaled {
public:
    explicit nearest_scaled(std::span<const bellamy::run> history) : runs_(history.begin(), history.end()) {}

    /// Seconds.
    [[nodiscard]] double operator()(const bellamy::context& asked, int scale_out) const {
        const auto place = place_of(asked, scale_out);
        double least = std::numeric_limits<double>::infinity();
        double runtime_s = std::numeric_limits<double>::quiet_NaN();
        for (const auto& run : runs_) {
            const auto other = place_of(run.context, run.scale_out);
            double squares = 0;
            for (std::size_t i = 0; i < place.size(); ++i) squares += (place[i] - other[i]) * (place[i] - other[i]);
            if (!(squares < least)) continue;
            least = squares;
            runtime_s = run.runtime_s * std::exp(place[1] - other[1] - (place[0] - other[0]));
        }
        return runtime_s;
    }

private:
    [[nodiscard]] static std::array<double, 4> place_of(const bellamy::context& of, int scale_out) noexcept {
        const double cores = number_with_role(of, bellamy::property_role::cores_per_node);
        return {std::log(scale_out * cores), std::log(data_size_of(of)), std::log(cores),
                std::log(number_with_role(of, bellamy::property_role::memory_per_node) / cores)};
    }
    std::vector<bellamy::run> runs_;
};

/// ln t = a + b ln(cores in all) + c ln s + a constant for each machine type, by ridge regression of these constants.
class log_linear_with_machines {
public:
    explicit log_linear_with_machines(std::span<const bellamy::run> history) {
        for (const auto& run : history) machines_.emplace(machine_of(run.context), machines_.size());
        for (const auto& run : history) mean_ += std::log(run.runtime_s) / static_cast<double>(history.size());
        const std::size_t columns = 3 + machines_.size();
        bellamy::detail::matrix products(columns, columns);
        coefficients_.assign(columns, 0.0);
        for (const auto& run : history) {
            const auto row = row_of(run.context, run.scale_out);
            for (std::size_t i = 0; i < columns; ++i) {
                coefficients_[i] += row[i] * (std::log(run.runtime_s) - mean_);
                for (std::size_t j = 0; j < columns; ++j) products(i, j) += row[i] * row[j];
            }
        }
        for (std::size_t i = 0; i < columns; ++i) products(i, i) += i < 3 ? least_ridge : machine_ridge;
        bellamy::detail::matrix factor;
        (void)bellamy::detail::factorise_with_jitter(products, factor);
        bellamy::detail::solve_transposed(factor, std::span(coefficients_));
        bellamy::detail::solve_upper(factor, std::span(coefficients_));
    }

    /// Seconds.
    [[nodiscard]] double operator()(const bellamy::context& asked, int scale_out) const {
        const auto row = row_of(asked, scale_out);
        return std::exp(mean_ + std::inner_product(row.begin(), row.end(), coefficients_.begin(), 0.0));
    }

private:
    static constexpr double least_ridge = 1e-6;
    static constexpr double machine_ridge = 0.1;

    [[nodiscard]] std::vector<double> row_of(const bellamy::context& of, int scale_out) const {
        std::vector<double> row(3 + machines_.size());
        row[0] = 1;
        row[1] = std::log(total_cores(of, scale_out));
        row[2] = std::log(data_size_of(of) / 1000);
        if (const auto known = machines_.find(machine_of(of)); known != machines_.end()) row[3 + known->second] = 1;
        return row;
    }

    std::map<std::string, std::size_t> machines_{};
    double mean_ = 0;
    std::vector<double> coefficients_{};
};

/// Best mode, Ernest over nodes and over cores, the nearest run scaled, log-linear, and boosting.
[[nodiscard]] inline std::vector<method> grid_methods() {
    const auto of_ended = [](auto fit) {
        return line([fit](const std::vector<bellamy::run>& runs) { return fit(ended_runs(runs)); });
    };
    using runs = std::vector<bellamy::run>;
    return {{.name = "best", .learn = learn_best},
            {.name = "ernest", .learn = of_ended([](const runs& known) { return fitted_law(ernest_columns, known); })},
            {.name = "cores", .learn = of_ended([](const runs& known) { return ernest_over_cores(known); })},
            {.name = "nearest", .learn = of_ended([](const runs& known) { return nearest_scaled(known); })},
            {.name = "log-linear", .learn = of_ended([](const runs& known) { return log_linear_with_machines(known); })},
            {.name = "boosting", .learn = learn_boosting, .missing = boosting_missing}};
}

}  // namespace bench

#endif
