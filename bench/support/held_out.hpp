// A held-out context as the replay of decisions knows it: all its measured runs, and what a choice would have led to.
#ifndef BELLAMY_BENCH_HELD_OUT_HPP
#define BELLAMY_BENCH_HELD_OUT_HPP

#include <bellamy/price.hpp>

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "records.hpp"
#include "summary.hpp"

namespace bench {

/// All measured runs of one scale-out.
struct measured_configuration {
    int scale_out = 0;
    std::vector<std::size_t> rows{};
    double median_s = 0;
};

/// What a choice led to.
struct consequence {
    double hit = 0;     // share of the runs within the deadline
    double regret = 0;  // mean cost over the oracle's, as a share of the oracle's
};

class held_out {
public:
    /// Precondition: the table has runs of the context.
    held_out(const record_table& records, std::uint32_t context, const bellamy::price& costs)
        : records_(&records), costs_(costs) {
        std::map<int, std::vector<std::size_t>> rows;
        for (std::size_t i = 0; i < records.runs.size(); ++i)
            if (records.has(i, context)) rows[records.runs[i].scale_out].push_back(i);
        for (auto& [scale_out, own] : rows) {
            std::vector<double> runtimes;
            for (const auto row : own) runtimes.push_back(records.runs[row].runtime_s);
            configurations_.push_back(
                {.scale_out = scale_out, .rows = std::move(own), .median_s = median_of(std::move(runtimes))});
        }
    }

    /// By ascending scale-out: the candidates.
    [[nodiscard]] const std::vector<measured_configuration>& configurations() const noexcept { return configurations_; }
    [[nodiscard]] const bellamy::price& costs() const noexcept { return costs_; }
    [[nodiscard]] const bellamy::context& context() const noexcept {
        return records_->runs[configurations_.front().rows.front()].context;
    }

    /// The least median runtime.
    [[nodiscard]] double best_median_s() const noexcept {
        double best = configurations_.front().median_s;
        for (const auto& each : configurations_) best = (std::min)(best, each.median_s);
        return best;
    }

    /// The cost at its median of the cheapest configuration whose median keeps the deadline: what one who knows the medians
    /// pays. Precondition: some median does.
    [[nodiscard]] double oracle_cost(double deadline_s) const noexcept {
        double least = (std::numeric_limits<double>::max)();
        for (const auto& each : configurations_)
            if (each.median_s <= deadline_s) least = (std::min)(least, cost(each.scale_out, each.median_s));
        return least;
    }

    /// Share of a configuration's runs that keep the deadline, those that the rule has observed left out (unless all were).
    [[nodiscard]] double hit_rate(std::size_t choice, double deadline_s, std::span<const std::size_t> observed) const {
        double hits = 0;
        const auto fresh = fresh_runtimes_s(choice, observed);
        for (const double each : fresh) hits += each <= deadline_s ? 1 : 0;
        return hits / static_cast<double>(fresh.size());
    }

    /// A run that misses the deadline is paid, and after it one of the oracle's choice.
    [[nodiscard]] consequence choose(std::size_t choice, double deadline_s, std::span<const std::size_t> observed) const {
        const double oracle = oracle_cost(deadline_s);
        const auto fresh = fresh_runtimes_s(choice, observed);
        double paid = 0;
        for (const double each : fresh)
            paid += cost(configurations_[choice].scale_out, each) + (each <= deadline_s ? 0 : oracle);
        return {.hit = hit_rate(choice, deadline_s, observed),
                .regret = paid / static_cast<double>(fresh.size()) / oracle - 1};
    }

private:
    [[nodiscard]] double cost(int scale_out, double runtime_s) const noexcept {
        return bellamy::cost_of(costs_, scale_out, runtime_s);
    }
    [[nodiscard]] std::vector<double> fresh_runtimes_s(std::size_t choice, std::span<const std::size_t> observed) const {
        std::vector<double> fresh;
        std::vector<double> all;
        for (const auto row : configurations_[choice].rows) {
            all.push_back(records_->runs[row].runtime_s);
            if (std::ranges::find(observed, row) == observed.end()) fresh.push_back(all.back());
        }
        return fresh.empty() ? all : fresh;
    }

    const record_table* records_;
    bellamy::price costs_;
    std::vector<measured_configuration> configurations_{};
};

}  // namespace bench

#endif
