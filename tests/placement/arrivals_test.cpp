#include <bellamy/placement/arrivals.hpp>
#include <bellamy/placement/enumerated_plans.hpp>

#include "support/compare.hpp"
#include "support/golden_placement.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

using namespace bellamy;
using namespace bellamy::placement;
using support::check_refused;
using support::close;
using support::json;

namespace {

[[nodiscard]] job_graph shape_of(const std::string& name) {
    if (name == "path4") return job_graph::path(4).value();
    if (name == "star4") return job_graph::star(4).value();
    if (name == "cycle5") return job_graph::cycle(5).value();
    if (name == "cycle3") return job_graph::cycle(3).value();
    REQUIRE(name == "tree6");
    const std::vector<task_edge> edges{
        {.a = 0, .b = 1}, {.a = 0, .b = 2}, {.a = 1, .b = 3}, {.a = 1, .b = 4}, {.a = 2, .b = 5}};
    return job_graph::make(6, edges).value();
}

// Added cost of the jobs of a plan from their common start until the last has ended; each frees its slots when it ends.
[[nodiscard]] double cost_of_batch(const placement::network& net, const std::vector<job_graph>& jobs, const plan& solution,
                                   const std::vector<double>& durations_s) {
    std::vector<std::size_t> by_end(jobs.size());
    std::iota(by_end.begin(), by_end.end(), std::size_t{0});
    std::sort(by_end.begin(), by_end.end(), [&](auto x, auto y) { return durations_s[x] < durations_s[y]; });
    std::vector<int> load(solution.load);
    double traffic = solution.cost_rate - net.cost_rate(load);
    double cost = 0;
    double now_s = 0;
    for (const std::size_t job : by_end) {
        cost += (net.cost_rate(load) - net.base_cost_rate() + traffic) * (durations_s[job] - now_s) / 3600;
        now_s = durations_s[job];
        const auto& where = solution.where[job];
        for (const auto dc : where) --load[dc];
        for (const auto& edge : jobs[job].edges()) traffic -= edge.traffic * net.traffic_price(where[edge.a], where[edge.b]);
    }
    return cost;
}

}  // namespace

TEST_CASE("arrivals and departures follow the golden trace") {
    const auto& golden = support::golden_placement().at("arrivals");
    const auto net = support::network_of(golden.at("network"));
    data_centre_state state(net);
    std::multimap<double, data_centre_state::ticket> ends;
    const auto depart_until = [&](double now_s) {
        while (!ends.empty() && ends.begin()->first <= now_s) {
            REQUIRE(state.depart(ends.begin()->second, ends.begin()->first).has_value());
            ends.erase(ends.begin());
        }
    };
    double last_s = 0;
    for (const auto& each : golden.at("events")) {
        CAPTURE(each.dump());
        const double now_s = each.at("at_s");
        depart_until(now_s);
        const double rate_before = state.added_rate();
        CHECK(close(state.cost_so_far(now_s), each.at("cost_so_far")));
        const auto accepted = state.place(shape_of(each.at("shape")), now_s).value();
        REQUIRE(accepted.has_value() != each.at("strategy").is_null());
        CHECK(std::vector<int>(state.load().begin(), state.load().end()) == each.at("load_after").get<std::vector<int>>());
        if (!accepted) continue;
        CHECK(close(state.added_rate() - rate_before, each.at("added_rate")));
        std::vector<int> counts(net.size(), 0);
        for (const auto dc : state.where(*accepted)) ++counts[dc];
        CHECK(counts == each.at("strategy").get<std::vector<int>>());
        ends.emplace(now_s + each.at("duration_s").get<double>(), *accepted);
        last_s = std::max(last_s, now_s + each.at("duration_s").get<double>());
    }
    depart_until(last_s);
    CHECK(state.running() == 0);
    CHECK(close(state.cost_so_far(last_s), golden.at("total_cost")));
    CHECK(close(state.cost_so_far(last_s + 1000), golden.at("total_cost")));
}

TEST_CASE("a batch costs what the golden file says, interval by interval") {
    const auto& golden = support::golden_placement().at("batch_energy");
    const auto net = support::network_of(golden.at("network"));
    const auto jobs = support::jobs_of(golden);
    plan subject;
    subject.load.assign(net.load().begin(), net.load().end());
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        const auto list = enumerate(net, jobs[job]).value();
        const auto wanted = golden.at("counts").at(job).get<std::vector<int>>();
        for (std::size_t k = 0; k < list.size(); ++k) {
            std::vector<int> counts(net.size(), 0);
            for (const auto& each : list.counts(k)) counts[each.data_centre] = each.tasks;
            if (counts == wanted) subject.where.emplace_back(list.where(k).begin(), list.where(k).end());
        }
        REQUIRE(subject.where.size() == job + 1);
        for (std::size_t i = 0; i < net.size(); ++i) subject.load[i] += wanted[i];
    }
    subject.cost_rate = net.cost_rate(subject.load);
    subject.added_rate = subject.cost_rate - net.base_cost_rate();
    const auto durations = support::numbers_of(golden.at("duration_s"));
    REQUIRE(check(net, jobs, subject));
    CHECK(close(cost_of_batch(net, jobs, subject, durations), golden.at("cost")));
}

TEST_CASE("variants arrive with their deadline, and what has no room is rejected without taking slots") {
    const auto net = support::network_of(support::golden_placement().at("variants").at("network"));
    data_centre_state state(net);
    const std::vector<variant> variants{{.scale_out = 2, .graph = job_graph::star(2).value(), .runtime = {.median_s = 900}},
                                        {.scale_out = 4, .graph = job_graph::star(4).value(), .runtime = {.median_s = 500}}};
    const auto first = state.place(variants, {.deadline_s = 600}, 0).value();
    REQUIRE(first.accepted.has_value());
    CHECK(first.decision.chosen->variant == 1);
    CHECK(state.where(*first.accepted).size() == 4);
    for (int i = 0; i < 20; ++i) static_cast<void>(state.place(variants, {.deadline_s = 600}, 1).value());
    const std::vector<int> full(state.load().begin(), state.load().end());
    const auto rejected = state.place(std::vector<variant>{variants[1]}, {.deadline_s = 600}, 2).value();
    CHECK_FALSE(rejected.accepted.has_value());
    CHECK_FALSE(rejected.decision.chosen.has_value());
    CHECK(std::vector<int>(state.load().begin(), state.load().end()) == full);
}

TEST_CASE("times that go back and unknown tickets are refused and change nothing") {
    const auto net = support::network_of(support::golden_placement().at("variants").at("network"));
    data_centre_state state(net);
    const auto job = job_graph::path(2).value();
    const auto ticket = state.place(job, 5).value();
    check_refused(state.place(job, 4), errc::invalid_option, {"found 4"});
    check_refused(state.place(job, std::numeric_limits<double>::quiet_NaN()), errc::invalid_option);
    check_refused(state.depart(*ticket, 4), errc::invalid_option);
    check_refused(state.depart(*ticket + 1, 6), errc::invalid_option, {"ticket"});
    CHECK(state.running() == 1);
    REQUIRE(state.depart(*ticket, 6).has_value());
    check_refused(state.depart(*ticket, 7), errc::invalid_option, {"ticket"});
}
