// What is known of a job's runtimes before its first run, learned from other jobs, for `explore`.
#ifndef BELLAMY_EXPLORATION_PRIOR_HPP
#define BELLAMY_EXPLORATION_PRIOR_HPP

#include <bellamy/detail/blend/cluster_law.hpp>
#include <bellamy/run.hpp>

#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

struct exploration_access;

}  // namespace detail

/// What is assumed of a job's runtimes before its first run. The default assumes nothing but that most jobs scale, and that
/// some have a memory cliff: their runtime jumps where the data no longer fit into memory. The job's own runs in other
/// contexts, such as at another data size, are given to `explore` as runs. An immutable value.
class exploration_prior {
public:
    exploration_prior() : laws_{detail::law_of_any_job()} {}

private:
    friend struct detail::exploration_access;

    std::vector<detail::cluster_law> laws_;
};

namespace detail {

struct exploration_access {
    static auto& laws(auto& of) noexcept { return of.laws_; }
};

}  // namespace detail

/// Learns from the runs of other jobs (one span each) how runtimes depend on slots, cores, memory and data size, how much
/// jobs differ in that, and how many have a memory cliff. To count, the properties need the roles `cores_per_node`,
/// `memory_per_node` (in MB) and `data_size`. Runs of one job that differ in other properties or in their size are taken for
/// jobs of their own.
///
/// Takes milliseconds for each hundred runs, growing with the third power of the runs of a job. Allocates; thread-safe.
/// Errors: those of `validate`; empty_history where there is no job, or a job without runs.
result<exploration_prior> learn_exploration(std::span<const std::span<const run>> other_jobs);

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/decision/exploration_prior_impl.hpp>  // IWYU pragma: export
#endif

#endif
