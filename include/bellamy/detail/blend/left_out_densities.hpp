// How well the parts of best mode's mixture explain contexts that were left out.
#ifndef BELLAMY_DETAIL_BLEND_LEFT_OUT_DENSITIES_HPP
#define BELLAMY_DETAIL_BLEND_LEFT_OUT_DENSITIES_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/blend/expert_weights_fit.hpp>
#include <bellamy/detail/blend/experts_fit.hpp>

#include <numeric>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace blend_fitting {

// 0, 1, .. in random order.
[[nodiscard]] inline std::vector<std::size_t> shuffled_indices(std::size_t count, std::uint64_t seed) {
    std::vector<std::size_t> indices(count);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    random_generator random(seed);
    random.shuffle(std::span(indices));
    return indices;
}

// ln densities of every context's points (rows) under every component (columns), the context left out, with
// growth trend and hyper-parameters fitted to the other folds. To save time these fits start from the one to all contexts,
// so that they are not quite independent of the fold; hence the stronger prior between the experts.
class left_out_densities {
public:
    left_out_densities(const history_data& data, const feature_map& features, const fitted& whole,
                       const std::vector<blend_component>& components, const blend_options& options)
        : data_(data),
          features_(features),
          slope_(features.pressure_slope()),
          whole_(whole),
          components_(components),
          options_(options),
          order_(shuffled_indices(data.contexts.size(), options.seed)),
          folds_((std::min)(options.folds, data.contexts.size())) {}

    [[nodiscard]] matrix operator()() const {
        matrix densities(order_.size(), components_.size());
        for_each_index(folds_, options_.threads, [&](std::size_t fold) { fill(fold, densities); });
        return densities;
    }

private:
    // Rows of the fold's contexts.
    void fill(std::size_t fold, matrix& densities) const {
        const auto others = all_but(fold);
        const auto trend = fit_growth_trend(features_, others);
        const detrended_history rest(others, trend);
        const detrended_history all(data_, trend);
        std::array<std::vector<expert_answer>, process_kinds> answers;
        for (std::size_t k = 0; k < process_kinds; ++k) {
            if (!whole_.processes[k]) continue;
            const auto& to_all = *whole_.processes[k];
            const auto fit = fit_gaussian_process(
                rest.of(k), slope_, to_all.objective, to_all.packed,
                {.iterations = options_.fold_iterations, .prior_amplitudes = prior_amplitudes_of(k, rest)});
            answers[k] = process_fit(all.of(k), slope_, to_all.objective).without_each(fit.parameters);
        }
        constexpr auto ernest_kind = expert_kind::hierarchical_ernest;
        const hierarchical_ernest ernest(
            fit_hierarchical_ernest(rest.of(ernest_kind), slope_, whole_.ernest, options_.fold_ernest_rounds),
            all.of(ernest_kind), slope_);
        for (std::size_t i = fold; i < order_.size(); i += folds_) {
            const auto& own = data_.contexts[order_[i]];
            const auto log_scale_outs = data_.log_scale_outs_of(own);
            const auto ernest_answer =
                ernest.without(all.of(ernest_kind), order_[i], question_about(own, slope_, log_scale_outs));
            for (std::size_t j = 0; j < components_.size(); ++j) {
                const auto kind = static_cast<std::size_t>(components_[j].expert);
                const bool process = kind < process_kinds;
                const auto* answer = !process ? &ernest_answer : answers[kind].empty() ? nullptr : &answers[kind][order_[i]];
                densities(order_[i], j) =
                    answer == nullptr ? -1e6 : log_density_of_points(all.of(kind), own, components_[j], *answer);
            }
        }
    }

    [[nodiscard]] history_data all_but(std::size_t fold) const {
        std::vector<std::size_t> others;
        for (std::size_t i = 0; i < order_.size(); ++i)
            if (i % folds_ != fold) others.push_back(order_[i]);
        std::sort(others.begin(), others.end());
        return select_contexts(data_, others);
    }

    const history_data& data_;
    const feature_map& features_;
    double slope_;
    const fitted& whole_;
    const std::vector<blend_component>& components_;
    const blend_options& options_;
    std::vector<std::size_t> order_;
    std::size_t folds_;
};

}  // namespace blend_fitting

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
