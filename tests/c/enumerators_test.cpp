#include <bellamy/c.h>
#include <bellamy/choose.hpp>
#include <bellamy/explore.hpp>
#include <bellamy/fine_tune.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/rescale.hpp>
#include <bellamy/trace.hpp>

#include <doctest/doctest.h>

using namespace bellamy;

namespace {

// Whether C's enumerators and C++'s, in the same order, have the same numbers: 0, 1, ...
template <class C, class Cpp, std::size_t Count>
[[nodiscard]] constexpr bool same(const C (&c)[Count], const Cpp (&cpp)[Count]) noexcept {
    for (std::size_t i = 0; i < Count; ++i)
        if (static_cast<std::size_t>(c[i]) != i || static_cast<std::size_t>(cpp[i]) != i) return false;
    return true;
}

}  // namespace

TEST_CASE("the numbers of C's enumerators are those of C++") {
    CHECK(same({bellamy_kind_text, bellamy_kind_natural, bellamy_kind_quantity, bellamy_kind_unknown},
               {property_kind::text, property_kind::natural, property_kind::quantity, property_kind::unknown}));
    CHECK(same({bellamy_role_none, bellamy_role_data_size, bellamy_role_memory_per_node, bellamy_role_cores_per_node,
                bellamy_role_machine_type},
               {property_role::none, property_role::data_size, property_role::memory_per_node, property_role::cores_per_node,
                property_role::machine_type}));
    CHECK(same({bellamy_unit_node, bellamy_unit_executor, bellamy_unit_slot, bellamy_unit_core},
               {scale_out_unit::node, scale_out_unit::executor, scale_out_unit::slot, scale_out_unit::core}));
    CHECK(same({bellamy_model_kind_blend, bellamy_model_kind_network, bellamy_model_kind_shapes},
               {model_kind::blend, model_kind::network, model_kind::shapes}));
    CHECK(same({bellamy_goal_smallest_within_deadline, bellamy_goal_cheapest_within_deadline,
                bellamy_goal_fastest_within_budget, bellamy_goal_least_expected_cost},
               {goal::smallest_within_deadline, goal::cheapest_within_deadline, goal::fastest_within_budget,
                goal::least_expected_cost}));
    CHECK(same({bellamy_verdict_chosen, bellamy_verdict_larger_than_needed, bellamy_verdict_misses_deadline,
                bellamy_verdict_not_usable, bellamy_verdict_costs_more, bellamy_verdict_exceeds_budget,
                bellamy_verdict_slower, bellamy_verdict_unlike_any_seen},
               {verdict::chosen, verdict::larger_than_needed, verdict::misses_deadline, verdict::not_usable,
                verdict::costs_more, verdict::exceeds_budget, verdict::slower, verdict::unlike_any_seen}));
    CHECK(same({bellamy_outcome_meets_deadline, bellamy_outcome_meets_deadline_by_extrapolation, bellamy_outcome_infeasible,
                bellamy_outcome_meets_deadline_unlike_any_seen, bellamy_outcome_costs_least,
                bellamy_outcome_costs_least_unlike_any_seen},
               {outcome::meets_deadline, outcome::meets_deadline_by_extrapolation, outcome::infeasible,
                outcome::meets_deadline_unlike_any_seen, outcome::costs_least, outcome::costs_least_unlike_any_seen}));
    CHECK(
        same({bellamy_exploration_verdict_go_on, bellamy_exploration_verdict_costs_more_than_it_gains,
              bellamy_exploration_verdict_below_least_gain, bellamy_exploration_verdict_everything_tried,
              bellamy_exploration_verdict_hopeless},
             {exploration_verdict::go_on, exploration_verdict::costs_more_than_it_gains,
              exploration_verdict::below_least_gain, exploration_verdict::everything_tried, exploration_verdict::hopeless}));
    CHECK(same({bellamy_trace_outcome_succeeded, bellamy_trace_outcome_failed, bellamy_trace_outcome_killed,
                bellamy_trace_outcome_unfinished},
               {trace_outcome::succeeded, trace_outcome::failed, trace_outcome::killed, trace_outcome::unfinished}));
    CHECK(same({bellamy_rescale_verdict_chosen, bellamy_rescale_verdict_misses_deadline, bellamy_rescale_verdict_not_usable,
                bellamy_rescale_verdict_costs_more, bellamy_rescale_verdict_not_worth_the_change},
               {rescale_verdict::chosen, rescale_verdict::misses_deadline, rescale_verdict::not_usable,
                rescale_verdict::costs_more, rescale_verdict::not_worth_the_change}));
    CHECK(same({bellamy_rescale_outcome_meets_deadline, bellamy_rescale_outcome_misses_deadline,
                bellamy_rescale_outcome_deadline_passed, bellamy_rescale_outcome_nothing_to_come,
                bellamy_rescale_outcome_no_usable_prediction, bellamy_rescale_outcome_costs_least},
               {rescale_outcome::meets_deadline, rescale_outcome::misses_deadline, rescale_outcome::deadline_passed,
                rescale_outcome::nothing_to_come, rescale_outcome::no_usable_prediction, rescale_outcome::costs_least}));
    CHECK(same({bellamy_mode_best, bellamy_mode_paper}, {training_mode::best, training_mode::paper}));
    CHECK(same({bellamy_strategy_partial_unfreeze, bellamy_strategy_full_unfreeze, bellamy_strategy_partial_reset,
                bellamy_strategy_full_reset, bellamy_strategy_local},
               {reuse_strategy::partial_unfreeze, reuse_strategy::full_unfreeze, reuse_strategy::partial_reset,
                reuse_strategy::full_reset, reuse_strategy::local}));
    static_assert(same(
        {bellamy_stop_all_epochs_done, bellamy_stop_target_error_reached, bellamy_stop_no_improvement,
         bellamy_stop_cancelled, bellamy_stop_nothing_to_learn, bellamy_stop_time_budget_spent, bellamy_stop_closed_form},
        {stop_reason::all_epochs_done, stop_reason::target_error_reached, stop_reason::no_improvement,
         stop_reason::cancelled, stop_reason::nothing_to_learn, stop_reason::time_budget_spent, stop_reason::closed_form}));
}
