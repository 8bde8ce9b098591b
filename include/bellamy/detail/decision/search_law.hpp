// Prior of a search: how runtimes depend on slots, cores, memory and data size, and what deviates from that.
#ifndef BELLAMY_DETAIL_DECISION_SEARCH_LAW_HPP
#define BELLAMY_DETAIL_DECISION_SEARCH_LAW_HPP

#include <bellamy/detail/decision/search_points.hpp>
#include <bellamy/detail/maths/kernels.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The log-runtime is a linear function of the terms, whose coefficients differ from job to job: their mean and covariance
/// over jobs, and the fraction of jobs with a memory cliff.
struct search_law {
    search_row mean{};
    std::array<search_row, search_terms> covariance{};
    double cliff_probability = 0.5;

    /// Covariance of the linear function, cliff excluded, at two points.
    double covariance_of(const search_row& a, const search_row& b) const noexcept {
        double sum = 0;
        for (size_t i = 0; i < cliff; ++i) {
            double product = 0;
            for (size_t j = 0; j < cliff; ++j) product += covariance[i][j] * b[j];
            sum += a[i] * product;
        }
        return sum;
    }
    double mean_of(const search_row& a) const noexcept {
        double sum = 0;
        for (size_t i = 0; i < cliff; ++i) sum += mean[i] * a[i];
        return sum;
    }
    double cliff_variance() const noexcept { return covariance[cliff][cliff]; }
};

/// What is assumed where no other job is known: nearly perfect scaling, a runtime between seconds and hours, no preference
/// among machine types.
inline search_law law_of_any_job() noexcept {
    search_law law{.mean = {6.5, -0.7, 0, 0, 0, size_exponent_mean, -0.8}};
    constexpr search_row sds{2, 0.35, 0.15, 0.2, 0.2, size_exponent_deviation, 0.5};
    for (size_t i = 0; i < search_terms; ++i) law.covariance[i][i] = sds[i] * sds[i];
    return law;
}

/// A law with its prior probability.
struct weighted_law {
    search_law law{};
    double weight = 1;
};

/// Standard deviation of the log-runtime between machine types of equal cores and memory.
inline constexpr double search_machine_sd = 0.05;

/// Covariance of the deviations from the linear function at two points: Matern 5/2 over slots, cores and memory, and a
/// deviation of each machine type and of each set of other values.
inline double deviation_of_search(const search_point& a, const search_point& b) noexcept {
    constexpr double sd = 0.5;
    constexpr double slots_length = 1;
    constexpr double machine_length = 2;
    const auto squared = [&](search_term term, double length) {
        const double distance = (a.terms[term] - b.terms[term]) / length;
        return distance * distance;
    };
    const double squares = squared(slots, slots_length) + squared(cores, machine_length) + squared(memory, machine_length) +
                           squared(data_size, slots_length);
    return sd * sd * matern(std::sqrt(squares)) + (a.machine == b.machine ? search_machine_sd * search_machine_sd : 0.0) +
           (a.others == b.others ? other_values_deviation * other_values_deviation : 0.0);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
