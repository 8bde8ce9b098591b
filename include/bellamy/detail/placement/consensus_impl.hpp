// Definitions of what consensus.hpp declares.
#ifndef BELLAMY_DETAIL_PLACEMENT_CONSENSUS_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_CONSENSUS_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/placement/agreement.hpp>
#include <bellamy/detail/placement/moves.hpp>
#include <bellamy/detail/placement/rounding.hpp>
#include <bellamy/detail/placement/small_impl.hpp>
#include <bellamy/detail/placement/strategies_impl.hpp>
#include <bellamy/placement/consensus.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

namespace detail {

[[nodiscard]] inline result<void> validate(const consensus_options& options) noexcept {
    using bellamy::detail::fail;
    if (options.rounds < 0 || options.rounds > 1'000'000)
        return fail(errc::invalid_option, "expected 0 to 1,000,000 rounds, found ", options.rounds);
    if (options.threads < 1 || options.threads > 1024)
        return fail(errc::invalid_option, "expected 1 to 1024 threads, found ", options.threads);
    if (options.crawled_plans < 0 || options.crawled_plans > 10'000)
        return fail(errc::invalid_option, "expected 0 to 10,000 crawled plans, found ", options.crawled_plans);
    return {};
}

/// The strategies that crawled plans use: cheap plans and improved ones in turn.
[[nodiscard]] inline result<problem> crawled_strategies(const network& net, std::span<const job_graph> jobs,
                                                        const consensus_options& options) {
    std::vector<plan> plans;
    for (int i = 0; i < options.crawled_plans; ++i) {
        const auto seed = options.seed + static_cast<std::uint64_t>(i);
        auto found = i % 2 == 0 ? crawl(net, jobs, {.seed = seed, .walks = 1, .passes = 0, .rounds = 0})
                                : crawl(net, jobs, {.seed = seed, .walks = 3, .passes = 1, .rounds = 0});
        plans.push_back(*std::move(found));
    }
    return make_problem(net, jobs, [&](std::size_t job) -> result<strategies> {
        strategy_table found(jobs[job].tasks());
        for (std::uint32_t other = 0; other < jobs.size(); ++other) {
            if (!(jobs[other] == jobs[job])) continue;
            for (const auto& each : plans)
                if (each.places(other)) found.add(net, jobs[job], each.where[other]);
        }
        return found.finish();
    });
}

[[nodiscard]] inline result<problem> listed(const network& net, std::span<const job_graph> jobs,
                                            const consensus_options& options, const strategy_limits& limits) {
    if (auto valid = validate(options); !valid) return valid.error();
    return options.crawled_plans > 0 ? crawled_strategies(net, jobs, options) : enumerate_all(net, jobs, limits);
}

[[nodiscard]] inline std::uint64_t tasks_of(const problem& subject, std::span<const std::size_t> jobs_of_type) noexcept {
    std::uint64_t tasks = 0;
    for (std::size_t type = 0; type < jobs_of_type.size(); ++type)
        tasks += jobs_of_type[type] * subject.types[type].list.tasks();
    return tasks;
}

/// After all rounds.
[[nodiscard]] inline agreement agreed(const problem& subject, const std::vector<std::size_t>& jobs_of_type,
                                      const consensus_options& options) {
    agreement all(subject, jobs_of_type);
    for (int round = 0; round < options.rounds; ++round) all.round(static_cast<std::size_t>(options.threads));
    return all;
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<consensus_result> agree(const network& net, std::span<const job_graph> jobs,
                                                     const consensus_options& options, const strategy_limits& limits) {
    const auto subject = detail::listed(net, jobs, options, limits);
    if (!subject) return subject.error();
    const auto counts = detail::jobs_per_type(*subject);
    const auto all = detail::agreed(*subject, counts, options);
    const auto mean = all.mean();
    consensus_result found{
        .load = all.loads(mean), .value = all.value(mean), .disagreement = all.disagreement(mean), .lower_bound = 0};
    found.lower_bound = pooled_bound(net, detail::tasks_of(*subject, counts));
    if (options.crawled_plans == 0) found.lower_bound = (std::max)(found.lower_bound, all.lower_bound(mean));
    return found;
}

BELLAMY_PUBLIC_INLINE result<plan> place_by_consensus(const network& net, std::span<const job_graph> jobs,
                                                      const consensus_options& options, const strategy_limits& limits) {
    const auto subject = detail::listed(net, jobs, options, limits);
    if (!subject) return subject.error();
    const auto counts = detail::jobs_per_type(*subject);
    const auto all = detail::agreed(*subject, counts, options);
    auto chosen = detail::rounded(*subject, all.by_type(all.mean()));
    detail::local_search(*subject, chosen).run(true);
    if (options.crawled_plans == 0) return detail::with_bound(*subject, chosen);
    // The duals know the listed strategies only.
    plan made = chosen.as_plan();
    made.lower_bound =
        (std::min)(made.cost_rate, pooled_bound(net, detail::tasks_of(*subject, detail::placed_per_type(*subject, chosen))));
    // Nor do they hold what fits the plan best: crawlers look for that at the prices of the plan.
    return improve(net, jobs, made, {.seed = options.seed, .walks = 5, .passes = 2, .rounds = 2});
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
