// Data and hyperparameters of training Enel's network: training and validation runs, noise, the workers' shares.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_TRAINING_SET_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_TRAINING_SET_HPP

#include <bellamy/detail/enel/enel_graph.hpp>

#include <algorithm>
#include <cmath>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Learning rate and weight decay of Adam.
struct enel_rates {
    double learning_rate = 1e-3;
    double weight_decay = 1e-3;
};

/// Hyperparameters of one trial of the search.
struct enel_configuration {
    double alpha_dropout = 0.05;
    double edge_dropout = 0.05;
    enel_rates rates{};
};

/// Gaussian noise on the training data: standard deviations as published, drawn anew for every number and every step.
struct enel_noise {
    double job_s = 1.5;
    double stage_s = 0.5;
    double ratio = 0.025;  // metrics and rescaling shares
    double context = 0.025;

    static constexpr enel_noise none() noexcept { return {0, 0, 0, 0}; }
    bool any() const noexcept { return job_s > 0 || stage_s > 0 || ratio > 0 || context > 0; }

    /// Overwrites the numbers of `noisy`, a copy of `clean`. Values that are not known (zeros) stay so; an encoding has the
    /// same noise wherever it occurs in the batch.
    void apply(const enel_batch& clean, enel_batch& noisy, random_generator& random) const {
        const auto absolute = [&](double value, double standard_deviation) {
            return value == 0 ? 0 : std::abs(value + standard_deviation * random.normal());
        };
        for (size_t i = 0; i < clean.job_s.size(); ++i) noisy.job_s[i] = absolute(clean.job_s[i], job_s);
        for (size_t i = 0; i < clean.rows(); ++i) {
            noisy.stage_s[i] = absolute(clean.stage_s[i], stage_s);
            noisy.rescaling_share[i] = absolute(clean.rescaling_share[i], ratio);
            if (!any_not_zero(clean.metrics[i])) continue;
            for (size_t k = 0; k < enel_metrics_count; ++k)
                noisy.metrics[i][k] = std::abs(clean.metrics[i][k] + ratio * random.normal());
        }
        const auto numbers = clean.encodings.first(clean.encodings.size());
        const auto noisy_numbers = noisy.encodings.first(clean.encodings.size());
        for (size_t i = 0; i < numbers.size(); ++i) noisy_numbers[i] = numbers[i] + context * random.normal();
    }
};

/// Positions of the validation runs among `count` runs sorted by scale-out: round(linspace(1, count - 2,
/// 1 + ceil(0.2 count))), halves to even, without repetitions. None of fewer than three runs.
inline std::vector<size_t> enel_validation_positions(size_t count) {
    std::vector<size_t> positions;
    if (count < 3) return positions;
    const size_t points = 1 + (count + 4) / 5;
    for (size_t i = 0; i < points; ++i) {
        const double position = 1 + static_cast<double>(i * (count - 3)) / static_cast<double>(points - 1);
        positions.push_back(static_cast<size_t>(std::nearbyint(position)));
    }
    sort_distinct(positions);
    return positions;
}

/// The runs of pre-training, split into training and validation, and their mini-batches.
struct enel_training_set {
    std::vector<enel_run> runs{};  // for training: the history of the validation and of forecasts
    enel_scaler scaler{};
    std::vector<enel_batch> training{};
    std::vector<enel_batch> validation{};

    /// Precondition: at least one run, each with at least one job.
    static enel_training_set split(std::vector<enel_run> all) {
        sort_stably(all, [](const enel_run& a, const enel_run& b) {
            return a.jobs.front().mean_scale_out() < b.jobs.front().mean_scale_out();
        });
        enel_training_set set;
        std::vector<enel_run> held_out;
        const auto positions = enel_validation_positions(all.size());
        for (size_t i = 0; i < all.size(); ++i) {
            const bool validates = contains(positions, i);
            (validates ? held_out : set.runs).push_back(std::move(all[i]));
        }
        set.scaler = enel_scaler::fit(set.runs);
        for (size_t i = 0; i < set.runs.size(); ++i) set.training.push_back(batch_of(set.runs, set.runs[i], i, set.scaler));
        for (const auto& run : held_out) set.validation.push_back(batch_of(set.runs, run, set.runs.size(), set.scaler));
        return set;
    }
};

/// Splits the training runs, sorted by scale-out, among the workers: every group of as many neighbours is shuffled and gives
/// one run to each, so that shares differ by at most one run. Draws nothing for a single worker.
inline std::vector<std::vector<size_t>> enel_shares(size_t runs, size_t workers, random_generator& random) {
    auto order = first_indices(runs);
    if (workers == 1) return {order};
    std::vector<std::vector<size_t>> shares(workers);
    for (size_t first = 0; first < runs; first += workers) {
        const auto neighbours = std::span(order).subspan(first, (std::min)(workers, runs - first));
        random.shuffle(neighbours);
        for (size_t i = 0; i < neighbours.size(); ++i) shares[i].push_back(neighbours[i]);
    }
    return shares;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
