#include <bellamy/placement/enumerated_plans.hpp>

#include "support/compare.hpp"
#include "support/golden_placement.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::placement;
using support::close;
using support::json;

namespace {

/// Counts in all data centres.
[[nodiscard]] std::vector<int> dense(const strategies& list, std::size_t k, std::size_t data_centres) {
    std::vector<int> counts(data_centres, 0);
    for (const auto& each : list.counts(k)) counts[each.data_centre] = each.tasks;
    return counts;
}

void check_same(const placement::detail::problem& subject, const placement::detail::assignment& found,
                const json& expected) {
    std::vector<int> choice;
    for (const auto k : found.choice()) choice.push_back(k == placement::detail::none ? -1 : static_cast<int>(k));
    CHECK(choice == expected.at("choice").get<std::vector<int>>());
    CHECK(std::vector<int>(found.load().begin(), found.load().end()) == expected.at("load").get<std::vector<int>>());
    CHECK(close(found.cost(), expected.at("cost")));
    CHECK(found.unplaced() == expected.at("unplaced").get<std::size_t>());
    CHECK(subject.jobs() == choice.size());
}

[[nodiscard]] std::uint64_t tasks_of(const std::vector<job_graph>& jobs) {
    std::uint64_t sum = 0;
    for (const auto& each : jobs) sum += each.tasks();
    return sum;
}

}  // namespace

TEST_CASE("orders of tasks are the golden ones") {
    support::for_each_golden_instance(
        [](const json& instance, const placement::network&, const std::vector<job_graph>& jobs) {
            CAPTURE(instance.at("name").get<std::string>());
            for (std::size_t job = 0; job < jobs.size(); ++job) {
                const auto order = jobs[job].order();
                CHECK(std::vector<std::uint32_t>(order.begin(), order.end()) ==
                      instance.at("order")
                          .at(instance.at("type_of_job").at(job).get<std::size_t>())
                          .get<std::vector<std::uint32_t>>());
            }
        });
}

TEST_CASE("strategies are the golden ones, with their placements") {
    support::for_each_golden_instance(
        [](const json& instance, const placement::network& net, const std::vector<job_graph>& jobs) {
            CAPTURE(instance.at("name").get<std::string>());
            const auto subject = placement::detail::enumerate_all(net, jobs, {}).value();
            CHECK(subject.type_of_job == instance.at("type_of_job").get<std::vector<std::size_t>>());
            REQUIRE(subject.types.size() == instance.at("strategies").size());
            for (std::size_t type = 0; type < subject.types.size(); ++type) {
                const auto& list = subject.types[type].list;
                const auto& expected = instance.at("strategies").at(type);
                REQUIRE(list.size() == expected.at("count").get<std::size_t>());
                std::vector<int> sum(net.size(), 0);
                for (std::size_t k = 0; k < list.size(); ++k)
                    for (const auto& each : list.counts(k)) sum[each.data_centre] += each.tasks;
                CHECK(sum == expected.at("sum").get<std::vector<int>>());
                if (expected.contains("all"))
                    for (std::size_t k = 0; k < list.size(); ++k)
                        CHECK(dense(list, k, net.size()) == expected.at("all").at(k).get<std::vector<int>>());
                if (expected.contains("where"))
                    for (std::size_t k = 0; k < list.size(); ++k)
                        CHECK(std::vector<std::uint32_t>(list.where(k).begin(), list.where(k).end()) ==
                              expected.at("where").at(k).get<std::vector<std::uint32_t>>());
                if (expected.contains("traffic"))
                    for (std::size_t k = 0; k < list.size(); ++k)
                        CHECK(close(list.traffic(k), expected.at("traffic").at(k)));
                if (expected.contains("first")) {
                    CHECK(dense(list, 0, net.size()) == expected.at("first").get<std::vector<int>>());
                    CHECK(dense(list, list.size() - 1, net.size()) == expected.at("last").get<std::vector<int>>());
                    CHECK(dense(list, list.size() / 2, net.size()) == expected.at("middle").get<std::vector<int>>());
                }
            }
        });
}

TEST_CASE("greedy choices and moves are the golden ones") {
    support::for_each_golden_instance(
        [](const json& instance, const placement::network& net, const std::vector<job_graph>& jobs) {
            CAPTURE(instance.at("name").get<std::string>());
            const auto subject = placement::detail::enumerate_all(net, jobs, {}).value();
            const auto greedy = placement::detail::greedy(subject, placement::detail::given_order(subject));
            check_same(subject, greedy, instance.at("greedy"));
            check_same(subject, placement::detail::greedy(subject, placement::detail::largest_first(subject)),
                       instance.at("greedy_largest_first"));
            auto single = greedy;
            placement::detail::assignment_search(subject, single).run(false);
            check_same(subject, single, instance.at("single_moves"));
            auto pairs = greedy;
            placement::detail::assignment_search(subject, pairs).run(true);
            check_same(subject, pairs, instance.at("pair_moves"));
            if (instance.contains("small_plan"))
                check_same(subject, placement::detail::best_of_three(subject).solution, instance.at("small_plan"));
        });
}

TEST_CASE("rounding the golden shares gives the golden plans") {
    support::for_each_golden_instance(
        [](const json& instance, const placement::network& net, const std::vector<job_graph>& jobs) {
            if (!instance.contains("rounding")) return;
            CAPTURE(instance.at("name").get<std::string>());
            const auto subject = placement::detail::enumerate_all(net, jobs, {}).value();
            std::vector<std::vector<double>> shares;
            for (std::size_t type = 0; type < subject.types.size(); ++type) {
                auto& own = shares.emplace_back(subject.types[type].size(), 0.0);
                for (const auto& [k, share] : instance.at("rounding").at("x").at(type).items())
                    own.at(std::stoul(k)) = share;
            }
            auto chosen = placement::detail::rounded(subject, shares);
            check_same(subject, chosen, instance.at("rounding").at("result"));
            placement::detail::assignment_search(subject, chosen).run(true);
            check_same(subject, chosen, instance.at("rounding").at("after_pair_moves"));
        });
}

TEST_CASE("exact plans have the golden optimum") {
    support::for_each_golden_instance(
        [](const json& instance, const placement::network& net, const std::vector<job_graph>& jobs) {
            const std::string name = instance.at("name");
            CAPTURE(name);
            if (name == "abilene") return;  // eleven data centres are beyond it
            const auto plan = place_exactly(net, jobs).value();
            CHECK(check(net, jobs, plan).has_value());
            if (instance.at("optimum").is_null()) {
                CHECK_FALSE(plan.unplaced.empty());
                return;
            }
            CHECK(plan.unplaced.empty());
            CHECK(close(plan.cost_rate, instance.at("optimum").at("cost")));
            CHECK(plan.gap() == 0);
        });
}

TEST_CASE("pooled bounds are the golden ones") {
    support::for_each_golden_instance(
        [](const json& instance, const placement::network& net, const std::vector<job_graph>& jobs) {
            CAPTURE(instance.at("name").get<std::string>());
            const double bound = pooled_bound(net, tasks_of(jobs));
            if (instance.at("pooled_bound").is_null())
                CHECK(std::isinf(bound));
            else
                CHECK(close(bound, instance.at("pooled_bound")));
        });
}

TEST_CASE("the dual at the start and its ascent follow the golden trace") {
    support::for_each_golden_instance(
        [](const json& instance, const placement::network& net, const std::vector<job_graph>& jobs) {
            if (!instance.contains("dual_ascent")) return;
            CAPTURE(instance.at("name").get<std::string>());
            const auto subject = placement::detail::enumerate_all(net, jobs, {}).value();
            const auto& expected = instance.at("dual_ascent");
            const auto counts = placement::detail::jobs_per_type(subject);
            placement::detail::dual_ascent ascent(subject, counts, expected.at("upper"));
            const auto& start = instance.at("dual_at_start");
            const auto at_start = placement::detail::dual(subject, counts, ascent.prices());
            CHECK(close(at_start.value, start.at("value")));
            CHECK(at_start.supergradient == start.at("supergradient").get<std::vector<int>>());
            CHECK(support::largest_difference(ascent.prices(), start.at("prices").get<std::vector<double>>()) <= 1e-9);
            for (const auto& round : expected.at("rounds")) {
                CHECK(support::largest_difference(ascent.prices(), round.at("prices").get<std::vector<double>>()) <= 1e-9);
                const bool goes_on = ascent.step();
                CHECK(close(ascent.value(), round.at("value")));
                if (!goes_on) break;
            }
            placement::detail::dual_ascent whole(subject, counts, expected.at("upper"));
            whole.run();
            const double hull = instance.at("hull_bound");
            CHECK(whole.best() >= ascent.best());
            CHECK(whole.best() <= hull + 1e-9);
            // Ascents zigzag on rounding after many steps, and where they end depends on it.
            const double best =
                placement::detail::dual_bound(subject, counts, expected.at("upper"), best_of_three(subject).prices);
            CHECK(close(best, expected.at("best"), 1e-6));
            CHECK(best >= whole.best());
            CHECK(close(std::max({best, whole.best(), pooled_bound(net, tasks_of(jobs))}), hull, 1e-6));
        });
}

TEST_CASE("relaxations have the golden value and load") {
    support::for_each_golden_instance(
        [](const json& instance, const placement::network& net, const std::vector<job_graph>& jobs) {
            if (!instance.contains("relaxation")) return;
            CAPTURE(instance.at("name").get<std::string>());
            const auto subject = placement::detail::enumerate_all(net, jobs, {}).value();
            const auto counts = placement::detail::jobs_per_type(subject);
            placement::detail::relaxation_solver solver(subject, counts);
            const auto& expected = instance.at("relaxation");
            CHECK(solver.run());
            CHECK(close(solver.value(), expected.at("value"), 1e-6));
            // Where all prices tie, so do many loads.
            if (instance.at("name") != "ties")
                CHECK(support::largest_difference(solver.load(), expected.at("load").get<std::vector<double>>()) <= 1e-3);
        });
}
