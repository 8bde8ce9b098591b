// How right a model is on contexts that it did not learn from.
#ifndef BELLAMY_EXAMPLES_LEFT_OUT_HPP
#define BELLAMY_EXAMPLES_LEFT_OUT_HPP

#include <bellamy/pretrain.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace tools {

/// Of the runs that succeeded, each predicted by a model that learned from the contexts of the other folds.
struct left_out_score {
    std::size_t runs = 0;
    std::size_t contexts = 0;
    double median_error = 0;  // of |predicted - measured| / measured
    double covered = 0;       // share within the central 90 %
};

/// Cross-validation by context: contexts are dealt to the folds in turn. Empty with fewer than three contexts, for which
/// nothing can be learned without one of them. Costs a training per fold. Errors: those of `pretrain`.
[[nodiscard]] inline std::optional<left_out_score> cross_validate(const std::vector<bellamy::run>& runs,
                                                                  bellamy::pretrain_options options, std::size_t folds) {
    const auto numbers = bellamy::context_numbers(runs);
    if (numbers.empty() || folds < 2) return std::nullopt;
    left_out_score made{.contexts = std::size_t{1} + *std::max_element(numbers.begin(), numbers.end())};
    if (made.contexts < 3) return std::nullopt;
    folds = std::min(folds, made.contexts);
    options.progress = nullptr;
    std::vector<double> errors;
    double covered = 0;
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<bellamy::run> known;
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (numbers[i] % folds != fold) known.push_back(runs[i]);
        const auto learnt = bellamy::pretrain(known, options).value();
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (numbers[i] % folds != fold || runs[i].censored) continue;
            const auto predicted = learnt.model.bind(runs[i].context).value().at(runs[i].scale_out);
            const auto range = predicted.interval_s(0.9);
            errors.push_back(std::abs(predicted.median_s - runs[i].runtime_s) / runs[i].runtime_s);
            covered += range.low_s <= runs[i].runtime_s && runs[i].runtime_s <= range.high_s ? 1 : 0;
        }
    }
    if (errors.empty()) return std::nullopt;
    made.runs = errors.size();
    made.covered = covered / static_cast<double>(errors.size());
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    made.median_error = *middle;
    return made;
}

}  // namespace tools

#endif
