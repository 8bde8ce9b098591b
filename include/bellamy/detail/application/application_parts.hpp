// What an application model holds: for each shape that its runs had, their parts and what the parts of a run share.
#ifndef BELLAMY_DETAIL_APPLICATION_APPLICATION_PARTS_HPP
#define BELLAMY_DETAIL_APPLICATION_APPLICATION_PARTS_HPP

#include <bellamy/detail/application/common_context.hpp>
#include <bellamy/detail/application/component.hpp>
#include <bellamy/detail/application/run_factor.hpp>

#include <memory>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Parts of the runs of one shape. `Part` is a component, or one bound to a context.
template <class Part>
struct application_parts {
    // By job and position; null: learned as a share of the job's path time.
    std::vector<std::vector<std::unique_ptr<Part>>> stages{};
    std::vector<std::unique_ptr<Part>> paths{};  // path times of jobs; null: learned as a share of `small_paths`
    Part small_paths{};                          // those path times together
    Part run{};
    Part outside{};  // of the path times: driver, scheduling, what a job lost to failed attempts
};

/// Limit of the shapes of an application model, in a fit and in a file.
inline constexpr std::size_t most_shapes = 8;

/// What is learned of the runs of one shape (parents of stages, not their names).
struct shape_parts {
    std::vector<std::uint64_t> shape{};
    std::size_t runs = 0;
    application_parts<component> parts{};
    /// Of `small_paths`, the share of each job: medians; 0 for jobs that are learned by themselves.
    std::vector<double> path_share{};
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
        return scaled(path(job, scale_out), learned->log_share[job][at]);
    }
    [[nodiscard]] prediction path(std::size_t job, int scale_out) const noexcept {
        if (const auto& own = parts.paths[job]) return own->at(scale_out);
        return scaled(parts.small_paths.at(scale_out), std::log(learned->path_share[job]));
    }
    [[nodiscard]] double path_s(std::size_t job, int scale_out) const noexcept {
        if (const auto& own = parts.paths[job]) return own->median_s(scale_out);
        return learned->path_share[job] * parts.small_paths.median_s(scale_out);
    }
    /// Of this job and all after it.
    [[nodiscard]] double paths_s(std::size_t first, int scale_out) const noexcept {
        double sum = 0;
        double share = 0;
        for (std::size_t job = first; job < jobs(); ++job) {
            if (const auto& own = parts.paths[job]) {
                sum += own->median_s(scale_out);
            } else {
                share += learned->path_share[job];
            }
        }
        return share > 0 ? sum + share * parts.small_paths.median_s(scale_out) : sum;
    }
    [[nodiscard]] double sum_s(int scale_out) const noexcept {
        return parts.outside.median_s(scale_out) + paths_s(0, scale_out);
    }
    /// Geometric mean of the run learned as a whole and the sum of its parts.
    [[nodiscard]] double run_s(int scale_out, double sum) const noexcept {
        const double weight = learned->whole_weight;
        return std::exp(weight * std::log(parts.run.median_s(scale_out)) + (1 - weight) * std::log(sum));
    }
    [[nodiscard]] double rest_s(std::size_t finished, int scale_out) const noexcept {
        return outside_after_s(finished, scale_out) + paths_s(finished, scale_out);
    }
    [[nodiscard]] double outside_after_s(std::size_t finished, int scale_out) const noexcept {
        if (finished == 0 || learned->outside_after.empty()) return parts.outside.median_s(scale_out);
        const auto at = (std::min)(finished, learned->outside_after.size()) - 1;
        return learned->outside_after[at] * parts.outside.median_s(scale_out);
    }

private:
    [[nodiscard]] static prediction scaled(prediction of, double log_factor) noexcept {
        of.median_s *= std::exp(log_factor);
        for (double& each : of.log_quantiles) each += log_factor;
        return of;
    }
};

[[nodiscard]] inline bound_application bind_parts(const shape_parts& learned, const context& subject) {
    bound_application made;
    made.learned = &learned;
    const auto bind = [&](const std::unique_ptr<component>& part) {
        return part ? std::make_unique<bound_component>(part->bind(subject)) : nullptr;
    };
    for (const auto& job : learned.parts.stages) {
        auto& own = made.parts.stages.emplace_back();
        for (const auto& each : job) own.push_back(bind(each));
    }
    for (const auto& each : learned.parts.paths) made.parts.paths.push_back(bind(each));
    made.parts.small_paths = learned.parts.small_paths.bind(subject);
    made.parts.run = learned.parts.run.bind(subject);
    made.parts.outside = learned.parts.outside.bind(subject);
    return made;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
