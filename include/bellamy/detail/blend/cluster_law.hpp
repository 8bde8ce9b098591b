// Configurations of a job as the numbers that a search compares, and the prior of how runtimes depend on them.
#ifndef BELLAMY_DETAIL_BLEND_CLUSTER_LAW_HPP
#define BELLAMY_DETAIL_BLEND_CLUSTER_LAW_HPP

#include <bellamy/detail/blend/shape_prior.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// What the runtime follows: a coefficient for each, in this order; the last enumerator is their number.
enum cluster_term : size_t { level, slots, squared_slots, cores, memory, data_size, cliff, cluster_term_count };

/// One value of each term.
using cluster_row = std::array<double, cluster_term_count>;

/// A context and scale-out as numbers.
struct cluster_point {
    /// All but `cliff`, which depends on where the cliff is.
    cluster_row terms{};
    /// ln of the cluster's memory over the data; NaN where the memory is not known.
    double log_memory = not_a_number;
    /// Numbers of the values of all properties without a role, and of the machine type.
    size_t others = 0;
    size_t machine = 0;
};

/// Where the square of the slots' logarithm is 0: some 32 slots.
inline constexpr double log_usual_slots = 3.5;

/// Turns contexts into points. Sizes are counted relative to the first size that is known.
class cluster_point_maker {
public:
    cluster_point operator()(const context& where, int scale_out) {
        cluster_point point;
        const double unit_cores = cores_of_unit(where);
        const double log_slots = std::log(scale_out * unit_cores) - log_usual_slots;
        const double memory_mb = positive_or_nan(number_with_role(where, property_role::memory_per_node));
        const double size = positive_or_nan(number_with_role(where, property_role::data_size));
        if (std::isfinite(size) && !std::isfinite(first_log_size_)) first_log_size_ = std::log(size);
        const double log_size = std::isfinite(size) ? std::log(size) - first_log_size_ : 0.0;
        const double log_memory_per_core = std::log(memory_mb / (unit_cores * usual_memory_mb));
        point.terms = {1,
                       log_slots,
                       log_slots * log_slots,
                       std::log(unit_cores / usual_unit_cores),
                       std::isfinite(log_memory_per_core) ? log_memory_per_core : 0.0,
                       log_size,
                       0};
        point.log_memory = std::log(memory_mb * scale_out) - log_size;
        auto others = where;
        take_away(others, property_role::data_size);
        take_away(others, property_role::memory_per_node);
        take_away(others, property_role::cores_per_node);
        point.machine = place_among(machine_names_, name_of_machine(where));
        take_away(others, property_role::machine_type);
        point.others = place_among(other_values_, identity_of(others));
        return point;
    }

private:
    static constexpr double usual_unit_cores = 4;
    /// Of a core.
    static constexpr double usual_memory_mb = 4000;

    static double positive_or_nan(double value) noexcept { return value > 0 && std::isfinite(value) ? value : not_a_number; }
    static void take_away(context& from, property_role role) {
        for (auto* list : {&from.essential, &from.optional})
            std::erase_if(*list, [&](const property& each) { return each.role == role; });
    }
    static std::string name_of_machine(const context& where) {
        const auto* named = property_with_role(where, property_role::machine_type);
        const auto* text = named == nullptr ? nullptr : named->value.text();
        return text == nullptr ? std::string() : *text;
    }
    double first_log_size_ = not_a_number;
    std::vector<std::string> machine_names_;
    std::vector<std::string> other_values_;
};

/// A run of the search. Of a killed one, the runtime is expected beyond its lower bound.
struct cluster_run {
    cluster_point at{};
    double log_runtime = 0;
    /// Of the run's noise.
    double variance = 0;
    /// Whether it may tell nothing of others, as a killed one that was stuck.
    bool is_doubtful = false;
};

/// Standard deviation of the logarithm of repeated runs, and of what a killed run would have taken over its bound, with that
/// logarithm's mean.
inline constexpr double cluster_noise_sd = 0.05;
inline constexpr double killed_sd = 0.4;
inline constexpr double killed_log_excess = 0.4;

inline cluster_run to_cluster_run(const run& of, const cluster_point& at) noexcept {
    constexpr double noise = cluster_noise_sd * cluster_noise_sd;
    if (!of.censored) return {.at = at, .log_runtime = std::log(of.runtime_s), .variance = noise};
    return {.at = at, .log_runtime = std::log(of.runtime_s) + killed_log_excess, .variance = noise + killed_sd * killed_sd};
}

/// Where a memory cliff may be: between the amounts of memory over data that occur, at most `most_cliffs` places.
inline std::vector<double> possible_cliffs(const std::vector<cluster_point>& points) {
    constexpr size_t most_cliffs = 16;
    constexpr double least_log_ratio = 0.15;
    std::vector<double> amounts;
    for (const auto& point : points)
        if (std::isfinite(point.log_memory)) amounts.push_back(point.log_memory);
    sort(amounts);
    std::vector<double> between;
    for (size_t i = 1; i < amounts.size(); ++i)
        if (amounts[i] - amounts[i - 1] > least_log_ratio) between.push_back(0.5 * (amounts[i] + amounts[i - 1]));
    if (between.size() <= most_cliffs) return between;
    for (size_t i = 0; i < most_cliffs; ++i) between[i] = between[i * between.size() / most_cliffs];
    between.resize(most_cliffs);
    return between;
}

/// 1 beyond the cliff, where the data fit into memory. Memory that is not known counts as too little.
inline double is_beyond(double cliff, const cluster_point& point) noexcept { return point.log_memory > cliff ? 1 : 0; }

/// The log-runtime is a linear function of the terms, whose coefficients differ from job to job: their mean and covariance
/// over jobs, and the fraction of jobs with a memory cliff.
struct cluster_law {
    cluster_row mean{};
    std::array<cluster_row, cluster_term_count> covariance{};
    double cliff_probability = 0.5;
    /// Prior probability of the law among several.
    double weight = 1;

    /// Covariance of the linear function, cliff excluded, at two points.
    double covariance_of(const cluster_row& a, const cluster_row& b) const noexcept {
        double sum = 0;
        for (size_t i = 0; i < cliff; ++i) sum += a[i] * dot(covariance[i].data(), b.data(), cliff);
        return sum;
    }
    double mean_of(const cluster_row& a) const noexcept { return dot(mean.data(), a.data(), cliff); }
    double cliff_variance() const noexcept { return covariance[cliff][cliff]; }
};

/// What is assumed where no other job is known: nearly perfect scaling, a runtime between seconds and hours, no preference
/// among machine types.
inline cluster_law law_of_any_job() noexcept {
    cluster_law law{.mean = {6.5, -0.7, 0, 0, 0, size_exponent_mean, -0.8}};
    constexpr cluster_row sds{2, 0.35, 0.15, 0.2, 0.2, size_exponent_deviation, 0.5};
    for (size_t i = 0; i < cluster_term_count; ++i) law.covariance[i][i] = sds[i] * sds[i];
    return law;
}

/// Standard deviation of the log-runtime between machine types of equal cores and memory.
inline constexpr double cluster_machine_sd = 0.05;

/// Covariance of the deviations from the linear function at two points: Matern 5/2 over slots, cores and memory, and a
/// deviation of each machine type and of each set of other values.
inline double cluster_deviation_covariance(const cluster_point& a, const cluster_point& b) noexcept {
    constexpr double sd = 0.5;
    constexpr double slots_length = 1;
    constexpr double machine_length = 2;
    const auto squared = [&](cluster_term term, double length) {
        const double distance = (a.terms[term] - b.terms[term]) / length;
        return distance * distance;
    };
    const double squares = squared(slots, slots_length) + squared(cores, machine_length) + squared(memory, machine_length) +
                           squared(data_size, slots_length);
    return sd * sd * matern(std::sqrt(squares)) + (a.machine == b.machine ? cluster_machine_sd * cluster_machine_sd : 0.0) +
           (a.others == b.others ? other_values_deviation * other_values_deviation : 0.0);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
