// Runtimes of all candidates of a search given its runs so far: a mixture of log-normal distributions.
#ifndef BELLAMY_DETAIL_DECISION_SEARCH_POSTERIOR_HPP
#define BELLAMY_DETAIL_DECISION_SEARCH_POSTERIOR_HPP

#include <bellamy/detail/decision/search_law.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The log-runtimes of all candidates if one law holds and the cliff is in one place.
struct search_component {
    double weight = 0;
    std::vector<double> means{};
    /// Standard deviations of the next run, its noise included.
    std::vector<double> sds{};
};

/// Each law with each place of the cliff is a Gaussian process, which is conditioned exactly; the runs weight them.
class search_posterior {
public:
    search_posterior(std::span<const weighted_law> laws, std::span<const search_point> candidates)
        : laws_(laws), candidates_(candidates), cliffs_(possible_cliffs(candidates)) {}

    /// Allocates for components that matter, runs times candidates for one at a time.
    std::vector<search_component> given(std::span<const search_run> runs) const {
        const size_t n = runs.size();
        const size_t m = candidates_.size();
        matrix deviations(n, n + m);
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n + m; ++j)
                deviations(i, j) = deviation_of_search(runs[i].at, j < n ? runs[j].at : candidates_[j - n]);
        std::vector<matrix> covariances;
        for (const auto& each : laws_) covariances.push_back(covariance_under(each.law, runs, deviations));
        std::vector<hypothesis> all;
        for (size_t law = 0; law < laws_.size(); ++law) {
            add(laws_[law], covariances[law], runs, std::nullopt, all);
            for (const double place : cliffs_) add(laws_[law], covariances[law], runs, place, all);
        }
        return components_of(all, runs);
    }

private:
    struct hypothesis {
        const search_law* law = nullptr;
        /// Of runs with each other and with all candidates, cliff excluded.
        const matrix* covariance = nullptr;
        std::optional<double> place{};
        double log_weight = 0;
        /// Cholesky factor of the runs' covariance, and the runs' deviations from their means, whitened.
        matrix factor{};
        std::vector<double> whitened{};
    };

    static double beyond(std::optional<double> place, const search_point& point) noexcept {
        return place ? is_beyond(*place, point) : 0.0;
    }

    matrix covariance_under(const search_law& law, std::span<const search_run> runs, const matrix& deviations) const {
        auto covariance = deviations;
        for (size_t i = 0; i < runs.size(); ++i)
            for (size_t j = 0; j < covariance.columns(); ++j)
                covariance(i, j) += law.covariance_of(
                    runs[i].at.terms, j < runs.size() ? runs[j].at.terms : candidates_[j - runs.size()].terms);
        return covariance;
    }

    void add(const weighted_law& under, const matrix& covariance, std::span<const search_run> runs,
             std::optional<double> place, std::vector<hypothesis>& all) const {
        const size_t n = runs.size();
        const double has_cliff = cliffs_.empty() ? 0 : under.law.cliff_probability;
        hypothesis made{.law = &under.law,
                        .covariance = &covariance,
                        .place = place,
                        .log_weight = std::log(under.weight) +
                                      (place ? std::log(has_cliff / count_of(cliffs_)) : std::log1p(-has_cliff))};
        matrix own(n, n);
        made.whitened.resize(n);
        for (size_t i = 0; i < n; ++i) {
            const double step = beyond(place, runs[i].at);
            for (size_t j = 0; j < n; ++j)
                own(i, j) = covariance(i, j) + under.law.cliff_variance() * step * beyond(place, runs[j].at);
            own(i, i) += runs[i].variance;
            made.whitened[i] = runs[i].log_runtime - under.law.mean_of(runs[i].at.terms) - under.law.mean[cliff] * step;
        }
        (void)factorise_with_jitter(own, made.factor);
        solve_transposed(made.factor, std::span(made.whitened));
        made.log_weight -= 0.5 * dot(made.whitened.data(), made.whitened.data(), n);
        for (size_t i = 0; i < n; ++i) made.log_weight -= std::log(made.factor(i, i));
        all.push_back(std::move(made));
    }

    /// Those of negligible weight are left out.
    std::vector<search_component> components_of(std::span<const hypothesis> all, std::span<const search_run> runs) const {
        constexpr double least_weight = 0.003;
        const double log_sum = log_sum_exp(values_of(all, &hypothesis::log_weight));
        std::vector<search_component> components;
        double kept = 0;
        for (const auto& each : all) {
            const double weight = std::exp(each.log_weight - log_sum);
            if (weight < least_weight) continue;
            kept += weight;
            components.push_back(predict(each, weight, runs));
        }
        for (auto& each : components) each.weight /= kept;
        return components;
    }

    search_component predict(const hypothesis& under, double weight, std::span<const search_run> runs) const {
        const size_t n = runs.size();
        const size_t m = candidates_.size();
        const auto& law = *under.law;
        matrix shared(n, m);
        for (size_t i = 0; i < n; ++i) {
            const double step = beyond(under.place, runs[i].at);
            for (size_t j = 0; j < m; ++j)
                shared(i, j) =
                    (*under.covariance)(i, n + j) + law.cliff_variance() * step * beyond(under.place, candidates_[j]);
        }
        solve_transposed(under.factor, shared);
        search_component made{.weight = weight, .means = std::vector<double>(m), .sds = std::vector<double>(m)};
        for (size_t j = 0; j < m; ++j) {
            const auto& at = candidates_[j];
            const double step = beyond(under.place, at);
            double mean = law.mean_of(at.terms) + law.mean[cliff] * step;
            double variance =
                law.covariance_of(at.terms, at.terms) + law.cliff_variance() * step + deviation_of_search(at, at);
            for (size_t i = 0; i < n; ++i) {
                mean += shared(i, j) * under.whitened[i];
                variance -= shared(i, j) * shared(i, j);
            }
            made.means[j] = mean;
            made.sds[j] = std::sqrt((std::max)(variance, 0.0) + search_noise_sd * search_noise_sd);
        }
        return made;
    }

    std::span<const weighted_law> laws_;
    std::span<const search_point> candidates_;
    std::vector<double> cliffs_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
