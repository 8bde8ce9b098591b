// Definitions of what plan.hpp declares.
#ifndef BELLAMY_DETAIL_PLACEMENT_PLAN_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_PLAN_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/placement/plan.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

BELLAMY_PUBLIC_INLINE result<void> check(const network& net, std::span<const job_graph> jobs, const plan& subject) {
    using bellamy::detail::fail;
    if (subject.where.size() != jobs.size())
        return fail(errc::invalid_job_graph, "expected placements of ", jobs.size(), " jobs, found ", subject.where.size());
    std::vector<bool> left_out(jobs.size(), false);
    for (std::size_t i = 0; i < subject.unplaced.size(); ++i) {
        const auto job = subject.unplaced[i];
        if (job >= jobs.size() || (i > 0 && subject.unplaced[i - 1] >= job) || !subject.where[job].empty())
            return fail(errc::invalid_job_graph, "expected unplaced jobs ascending and without placements, found job ", job);
        left_out[job] = true;
    }
    std::vector<std::int64_t> taken(net.size());
    for (std::size_t i = 0; i < net.size(); ++i) taken[i] = net[i].load;
    double traffic = 0;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        const auto& where = subject.where[job];
        if (left_out[job]) continue;
        if (where.size() != jobs[job].tasks())
            return fail(errc::invalid_job_graph, "expected ", jobs[job].tasks(), " placed tasks of job ", job, ", found ",
                        where.size());
        for (const auto dc : where) {
            if (dc >= net.size())
                return fail(errc::invalid_job_graph, "expected job ", job, " in data centres below ", net.size(), ", found ",
                            dc);
            ++taken[dc];
        }
        for (const auto& edge : jobs[job].edges()) {
            const auto from = where[edge.a];
            const auto to = where[edge.b];
            if (!net.may_talk(from, to))
                return fail(errc::invalid_link, "expected a link for edge ", edge.a, "-", edge.b, " of job ", job,
                            ", found none between ", from, " and ", to);
            traffic += edge.traffic * net.traffic_price(from, to);
        }
    }
    if (subject.load.size() != net.size())
        return fail(errc::invalid_data_centre, "expected loads of ", net.size(), " data centres, found ",
                    subject.load.size());
    for (std::size_t i = 0; i < net.size(); ++i) {
        if (taken[i] > net[i].slots)
            return fail(errc::invalid_data_centre, "expected at most ", net[i].slots, " slots of data centre ", i,
                        ", found ", taken[i]);
        if (taken[i] != subject.load[i])
            return fail(errc::invalid_data_centre, "expected the load ", taken[i], " of data centre ", i, ", found ",
                        subject.load[i]);
    }
    const double cost = net.cost_rate(subject.load) + traffic;
    const double tolerance = 1e-9 * (1 + std::abs(cost));
    if (!(std::abs(subject.cost_rate - cost) <= tolerance))
        return fail(errc::invalid_price, "expected the cost rate ", cost, ", found ", subject.cost_rate);
    if (!(std::abs(subject.added_rate - (cost - net.base_cost_rate())) <= tolerance))
        return fail(errc::invalid_price, "expected the added rate ", cost - net.base_cost_rate(), ", found ",
                    subject.added_rate);
    if (!(subject.lower_bound <= cost + tolerance))
        return fail(errc::invalid_price, "expected a lower bound of at most ", cost, ", found ", subject.lower_bound);
    return {};
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
