// Cold start: a model for a job without history, whose prior is the shapes of other jobs' runtime curves.
#ifndef BELLAMY_COLD_START_HPP
#define BELLAMY_COLD_START_HPP

#include <bellamy/model.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

/// A model without history, for contexts with the properties of `example`. Its intervals are wide until it is conditioned on
/// a first run, whose level it then extrapolates along typical curves over the cores of the cluster (scale-out times
/// `cores_per_node`, 8 where no property has that role): those of the public records of four Spark jobs, or of `other_jobs`
/// (one span of runs for each) where given. Observed runs of contexts that differ in their data size alone, or in it and in
/// a machine of known cores, count too, those of the nearest size: runtimes are assumed to grow with its power of 0.6
/// to 1.2. Where there are none, those that differ otherwise count, up to a factor of about 1.6.
///
/// Takes microseconds, with other jobs milliseconds per hundred runs. Allocates; thread-safe. Errors: those of `validate`
/// for the example and the other jobs' runs, unknown_value, empty_history for a job without runs.
result<model> cold_start(const context& example, std::string algorithm = {},
                         std::span<const std::span<const run>> other_jobs = {});

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/models/cold_start_impl.hpp>  // IWYU pragma: export
#endif

#endif
