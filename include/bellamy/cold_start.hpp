// A model for a job whose algorithm has never run: other jobs' curves tell which shapes to expect.
#ifndef BELLAMY_COLD_START_HPP
#define BELLAMY_COLD_START_HPP

#include <bellamy/detail/blend/shape_prior_fit.hpp>
#include <bellamy/model.hpp>

namespace bellamy::inline BELLAMY_ABI {

/// A model without any history of its algorithm, for contexts with the properties of `example`. It knows next to nothing of
/// runtimes until it is conditioned on a first run, and then how runtimes usually change with the scale-out: prior shapes
/// of the public records of four Spark jobs, or learned from `other_jobs` (one span of runs for each) where given.
///
/// Takes microseconds, with other jobs milliseconds per hundred runs; allocates; touches nothing shared. Errors: those of
/// `validate` for the example and the other jobs' runs, unknown_value, empty_history for a job without runs.
[[nodiscard]] inline result<model> cold_start(const context& example, std::string algorithm = {},
                                              std::span<const std::span<const run>> other_jobs = {}) {
    const run as_run{.context = example, .scale_out = 1, .runtime_s = 1};
    auto properties = schema_of(std::span(&as_run, 1));
    if (!properties) return properties.error();
    if (auto valid = detail::validate_label("an algorithm name", algorithm); !valid) return valid.error();
    for (std::size_t i = 0; i < other_jobs.size(); ++i)
        if (auto job = schema_of(other_jobs[i]); !job)
            return detail::fail(job.error().code(), "job ", i, ": ", job.error().message());
    auto prior = other_jobs.empty() ? detail::usual_shapes() : detail::fit_shape_prior(other_jobs);
    return detail::model_access::make(*std::move(properties), {.algorithm = std::move(algorithm)},
                                      detail::shapes_kind{.prior = detail::shared(std::move(prior))});
}

}  // namespace bellamy::inline BELLAMY_ABI

#endif
