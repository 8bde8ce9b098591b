// Definition of `cold_start`: checks the properties and the other jobs' runs, and takes or fits the prior of shapes.
#ifndef BELLAMY_DETAIL_MODELS_COLD_START_IMPL_HPP
#define BELLAMY_DETAIL_MODELS_COLD_START_IMPL_HPP

#include <bellamy/cold_start.hpp>
#include <bellamy/detail/blend/shape_prior_fit.hpp>
#include <bellamy/detail/context/checks.hpp>
#include <bellamy/detail/models/shapes_kind.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

BELLAMY_PUBLIC_INLINE result<model> cold_start(const context& example, std::string algorithm,
                                               std::span<const std::span<const run>> other_jobs) {
    const run example_run{.context = example, .scale_out = 1, .runtime_s = 1};
    auto properties = schema_of(std::span(&example_run, 1));
    if (!properties) return properties.error();
    if (auto valid = detail::validate_label("an algorithm name", algorithm); !valid) return valid.error();
    for (size_t i = 0; i < other_jobs.size(); ++i)
        if (auto job = schema_of(other_jobs[i]); !job) return detail::with_subject(job.error(), "job ", i);
    auto prior = other_jobs.empty() ? detail::default_shape_prior() : detail::fit_shape_prior(other_jobs);
    return detail::model_access::make(*std::move(properties), {.algorithm = std::move(algorithm)},
                                      detail::shapes_kind{.prior = detail::shared(std::move(prior))});
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
