// What a file holds of Enel's network: its parameters, and the runs that it compares with.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_FIELDS_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_FIELDS_HPP

#include <bellamy/detail/context/checks.hpp>
#include <bellamy/detail/enel/enel_run.hpp>
#include <bellamy/detail/enel/enel_steps.hpp>
#include <bellamy/detail/format/sections.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct stored_enel_network {
    std::vector<double> parameters{};
    enel_configuration configuration{};
    enel_scaler scaler{};
};

template <class Archive, is_or_is_const<stored_enel_network> Data>
void fields(Archive& archive, Data& of) {
    archive(of.parameters, of.configuration.alpha_dropout, of.configuration.edge_dropout,
            of.configuration.rates.learning_rate, of.configuration.rates.weight_decay, of.scaler.low, of.scaler.high);
}
template <class Archive, is_or_is_const<enel_stage> Data>
void fields(Archive& archive, Data& of) {
    archive(of.metrics, of.context, of.start, of.end, of.rescaling_share, of.time_s);
}
template <class Archive, is_or_is_const<enel_job> Data>
void fields(Archive& archive, Data& of) {
    archive(of.stages, of.parents, of.shape, of.start, of.end, of.rescaling_share, of.time_s, of.gap_s);
}
/// Runs of a model have ended.
template <class Archive, is_or_is_const<enel_run> Data>
void fields(Archive& archive, Data& of) {
    archive(of.application, of.attempt, of.properties, of.data_size_mb, of.jobs, of.tail_s);
}

/// Checks runs that a file held.
class enel_runs_check {
public:
    /// Error: invalid_model.
    [[nodiscard]] static result<void> check(std::span<const enel_run> runs) {
        if (runs.empty()) return malformed("RUNS", "at least one run");
        for (const auto& run : runs) {
            if (run.application.size() > longest_name_bytes || run.attempt < 1 || run.jobs.empty() ||
                run.data_size_mb.value_or(0) > enel_largest_number || !is_within(run.tail_s, 0, longest_s) ||
                !are_valid(run.properties))
                return malformed("RUNS", "an application with valid properties and jobs");
            if (!std::all_of(run.jobs.begin(), run.jobs.end(), [](const enel_job& job) { return is_valid(job); }))
                return malformed("RUNS", "jobs of known stages without cycles");
        }
        return {};
    }

private:
    static constexpr double longest_s = 1e12;

    [[nodiscard]] static bool is_within(double value, double low, double high) noexcept {
        return value >= low && value <= high;
    }
    [[nodiscard]] static bool are_within(std::span<const double> values, double low, double high) noexcept {
        return std::all_of(values.begin(), values.end(), [&](double each) { return is_within(each, low, high); });
    }
    // Enumerators before anything asks for their names.
    [[nodiscard]] static bool are_valid(const std::vector<property>& properties) {
        return std::all_of(properties.begin(), properties.end(),
                           [](const property& each) { return each.role <= property_role::machine_type; }) &&
               validate(context{.optional = properties});
    }

    [[nodiscard]] static bool is_valid(const enel_job& job) {
        const auto count = job.stages.size();
        if (count == 0 || job.parents.size() != count) return false;
        for (const auto& parents : job.parents)
            if (std::any_of(parents.begin(), parents.end(), [&](std::size_t each) { return each >= count; }) ||
                std::adjacent_find(parents.begin(), parents.end(), [](std::size_t a, std::size_t b) { return a >= b; }) !=
                    parents.end())
                return false;
        if (topological_order(job.parents).size() != count) return false;
        return is_timed(job) && is_within(job.gap_s, 0, longest_s) &&
               std::all_of(job.stages.begin(), job.stages.end(), [](const enel_stage& stage) {
                   return is_timed(stage) && are_within(stage.metrics, 0, 1e9) &&
                          std::all_of(stage.context.begin(), stage.context.end(),
                                      [](const enel_encoding& row) { return are_within(row, -1, 1); });
               });
    }
    template <class JobOrStage>
    [[nodiscard]] static bool is_timed(const JobOrStage& of) noexcept {
        return is_within(of.start, 0, largest_scale_out) && is_within(of.end, 0, largest_scale_out) &&
               is_within(of.rescaling_share, 0, 1) && is_within(of.time_s, 0, longest_s);
    }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
