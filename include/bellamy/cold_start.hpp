// A model for a job whose algorithm has never run: other jobs' curves tell which shapes to expect.
#ifndef BELLAMY_COLD_START_HPP
#define BELLAMY_COLD_START_HPP

#include <bellamy/model.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

/// A model without any history of its algorithm, for contexts with the properties of `example`. It knows next to nothing of
/// runtimes until it is conditioned on a first run, and then how runtimes usually change with the scale-out: prior shapes
/// of the public records of four Spark jobs, or learned from `other_jobs` (one span of runs for each) where given. Observed
/// runs of contexts that differ in their data size alone count too, those of the nearest size: runtimes are taken to grow
/// with its power of 0.6 to 1.2.
///
/// Takes microseconds, with other jobs milliseconds per hundred runs; allocates; touches nothing shared. Errors: those of
/// `validate` for the example and the other jobs' runs, unknown_value, empty_history for a job without runs.
[[nodiscard]] result<model> cold_start(const context& example, std::string algorithm = {},
                                       std::span<const std::span<const run>> other_jobs = {});

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/models/cold_start_impl.hpp>  // IWYU pragma: export
#endif

#endif
