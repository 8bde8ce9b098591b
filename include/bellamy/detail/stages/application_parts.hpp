// What an application model holds: for each shape that its runs had, their parts and what the parts of a run share.
#ifndef BELLAMY_DETAIL_STAGES_APPLICATION_PARTS_HPP
#define BELLAMY_DETAIL_STAGES_APPLICATION_PARTS_HPP

#include <bellamy/detail/stages/common_context.hpp>
#include <bellamy/detail/stages/component.hpp>
#include <bellamy/detail/stages/run_factor.hpp>

#include <memory>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Parts of the runs of one shape. `Part` is a component, or one bound to a context.
template <class Part>
struct application_parts {
    std::vector<std::vector<std::unique_ptr<Part>>> stages{};  // by job and position; null: learned as a share of the path
    std::vector<Part> paths{};                                 // path times of jobs
    Part run{};
    Part outside{};  // of the path times: driver, scheduling, what a job lost to failed attempts
};

/// What is learned of the runs of one shape (parents of stages, not their names).
struct shape_parts {
    std::vector<std::uint64_t> shape{};
    std::size_t runs = 0;
    application_parts<component> parts{};
    /// ln(stage / path time of its job), by job and position: medians.
    std::vector<std::vector<double>> log_share{};
    /// Of the time outside of path times, the share that lies after each job: medians.
    std::vector<double> outside_after{};
    /// Weight of the run learned as a whole, beside the sum of its parts.
    double whole_weight = 0.5;
    run_factor factor{};
};

struct application_state {
    std::string application{};
    common_context properties{};
    scale_out_interval seen{};
    /// The largest number of runs first.
    std::vector<shape_parts> shapes{};
};

/// A shape's parts bound to a context, and the medians over scale-outs that follow.
struct bound_application {
    application_parts<bound_component> parts{};
    const shape_parts* learned = nullptr;

    [[nodiscard]] std::size_t jobs() const noexcept { return parts.paths.size(); }

    [[nodiscard]] prediction stage(std::size_t job, std::size_t at, int scale_out) const noexcept {
        if (const auto& own = parts.stages[job][at]) return own->at(scale_out);
        prediction made = parts.paths[job].at(scale_out);
        const double share = learned->log_share[job][at];
        made.median_s *= std::exp(share);
        for (double& each : made.log_quantiles) each += share;
        return made;
    }
    [[nodiscard]] double sum_s(int scale_out) const noexcept {
        double sum = parts.outside.median_s(scale_out);
        for (const auto& each : parts.paths) sum += each.median_s(scale_out);
        return sum;
    }
    /// Geometric mean of the run learned as a whole and the sum of its parts.
    [[nodiscard]] double run_s(int scale_out, double sum) const noexcept {
        const double weight = learned->whole_weight;
        return std::exp(weight * std::log(parts.run.median_s(scale_out)) + (1 - weight) * std::log(sum));
    }
    [[nodiscard]] double rest_s(std::size_t finished, int scale_out) const noexcept {
        double rest = outside_after_s(finished, scale_out);
        for (std::size_t job = finished; job < jobs(); ++job) rest += parts.paths[job].median_s(scale_out);
        return rest;
    }
    [[nodiscard]] double outside_after_s(std::size_t finished, int scale_out) const noexcept {
        if (finished == 0 || learned->outside_after.empty()) return parts.outside.median_s(scale_out);
        const auto at = (std::min)(finished, learned->outside_after.size()) - 1;
        return learned->outside_after[at] * parts.outside.median_s(scale_out);
    }
};

[[nodiscard]] inline bound_application bind_parts(const shape_parts& learned, const context& subject) {
    bound_application made{.learned = &learned};
    for (const auto& job : learned.parts.stages) {
        auto& own = made.parts.stages.emplace_back();
        for (const auto& each : job) own.push_back(each ? std::make_unique<bound_component>(each->bind(subject)) : nullptr);
    }
    for (const auto& each : learned.parts.paths) made.parts.paths.push_back(each.bind(subject));
    made.parts.run = learned.parts.run.bind(subject);
    made.parts.outside = learned.parts.outside.bind(subject);
    return made;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
