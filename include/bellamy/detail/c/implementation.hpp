// The whole implementation of bellamy/c.h, for the one unit that defines BELLAMY_C_IMPLEMENTATION; and the proof that the
// numbers of C are those of C++.
#ifndef BELLAMY_DETAIL_C_IMPLEMENTATION_HPP
#define BELLAMY_DETAIL_C_IMPLEMENTATION_HPP

#include <bellamy/detail/c/model_functions.hpp>
#include <bellamy/detail/c/prediction_functions.hpp>
#include <bellamy/detail/c/training_functions.hpp>

namespace bellamy::inline BELLAMY_ABI::detail::c {

template <class Enum>
[[nodiscard]] consteval bool same(int number, Enum enumerator) noexcept {
    return number == static_cast<int>(enumerator);
}

static_assert(same(bellamy_errc_ok, errc::ok));
static_assert(same(bellamy_errc_empty_history, errc::empty_history));
static_assert(same(bellamy_errc_single_context, errc::single_context));
static_assert(same(bellamy_errc_invalid_runtime, errc::invalid_runtime));
static_assert(same(bellamy_errc_invalid_scale_out, errc::invalid_scale_out));
static_assert(same(bellamy_errc_invalid_weight, errc::invalid_weight));
static_assert(same(bellamy_errc_invalid_text, errc::invalid_text));
static_assert(same(bellamy_errc_invalid_quantity, errc::invalid_quantity));
static_assert(same(bellamy_errc_number_too_large, errc::number_too_large));
static_assert(same(bellamy_errc_duplicate_property, errc::duplicate_property));
static_assert(same(bellamy_errc_too_many_properties, errc::too_many_properties));
static_assert(same(bellamy_errc_too_many_scale_outs, errc::too_many_scale_outs));
static_assert(same(bellamy_errc_unknown_value, errc::unknown_value));
static_assert(same(bellamy_errc_essential_count_mismatch, errc::essential_count_mismatch));
static_assert(same(bellamy_errc_property_mismatch, errc::property_mismatch));
static_assert(same(bellamy_errc_unknown_property, errc::unknown_property));
static_assert(same(bellamy_errc_unit_mismatch, errc::unit_mismatch));
static_assert(same(bellamy_errc_not_a_blend, errc::not_a_blend));
static_assert(same(bellamy_errc_invalid_deadline, errc::invalid_deadline));
static_assert(same(bellamy_errc_empty_candidates, errc::empty_candidates));
static_assert(same(bellamy_errc_buffer_too_small, errc::buffer_too_small));
static_assert(same(bellamy_errc_invalid_option, errc::invalid_option));
static_assert(same(bellamy_errc_invalid_budget, errc::invalid_budget));
static_assert(same(bellamy_errc_invalid_probability, errc::invalid_probability));
static_assert(same(bellamy_errc_invalid_price, errc::invalid_price));
static_assert(same(bellamy_errc_training_diverged, errc::training_diverged));
static_assert(same(bellamy_errc_cannot_read, errc::cannot_read));
static_assert(same(bellamy_errc_cannot_write, errc::cannot_write));
static_assert(same(bellamy_errc_not_a_model, errc::not_a_model));
static_assert(same(bellamy_errc_unsupported_version, errc::unsupported_version));
static_assert(same(bellamy_errc_truncated, errc::truncated));
static_assert(same(bellamy_errc_corrupted, errc::corrupted));
static_assert(same(bellamy_errc_invalid_model, errc::invalid_model));
static_assert(same(bellamy_errc_self_test_failed, errc::self_test_failed));
static_assert(same(bellamy_kind_text, property_kind::text));
static_assert(same(bellamy_kind_natural, property_kind::natural));
static_assert(same(bellamy_kind_quantity, property_kind::quantity));
static_assert(same(bellamy_kind_unknown, property_kind::unknown));
static_assert(same(bellamy_role_none, property_role::none));
static_assert(same(bellamy_role_data_size, property_role::data_size));
static_assert(same(bellamy_role_memory_per_node, property_role::memory_per_node));
static_assert(same(bellamy_role_cores_per_node, property_role::cores_per_node));
static_assert(same(bellamy_role_machine_type, property_role::machine_type));
static_assert(same(bellamy_unit_node, scale_out_unit::node));
static_assert(same(bellamy_unit_executor, scale_out_unit::executor));
static_assert(same(bellamy_unit_slot, scale_out_unit::slot));
static_assert(same(bellamy_unit_core, scale_out_unit::core));
static_assert(same(bellamy_model_kind_blend, model_kind::blend));
static_assert(same(bellamy_model_kind_network, model_kind::network));
static_assert(same(bellamy_model_kind_shapes, model_kind::shapes));
static_assert(same(bellamy_goal_smallest_within_deadline, goal::smallest_within_deadline));
static_assert(same(bellamy_goal_cheapest_within_deadline, goal::cheapest_within_deadline));
static_assert(same(bellamy_goal_fastest_within_budget, goal::fastest_within_budget));
static_assert(same(bellamy_goal_least_expected_cost, goal::least_expected_cost));
static_assert(same(bellamy_verdict_chosen, verdict::chosen));
static_assert(same(bellamy_verdict_larger_than_needed, verdict::larger_than_needed));
static_assert(same(bellamy_verdict_misses_deadline, verdict::misses_deadline));
static_assert(same(bellamy_verdict_not_usable, verdict::not_usable));
static_assert(same(bellamy_verdict_costs_more, verdict::costs_more));
static_assert(same(bellamy_verdict_exceeds_budget, verdict::exceeds_budget));
static_assert(same(bellamy_verdict_slower, verdict::slower));
static_assert(same(bellamy_outcome_meets_deadline, outcome::meets_deadline));
static_assert(same(bellamy_outcome_meets_deadline_by_extrapolation, outcome::meets_deadline_by_extrapolation));
static_assert(same(bellamy_outcome_infeasible, outcome::infeasible));
static_assert(same(bellamy_mode_best, training_mode::best));
static_assert(same(bellamy_mode_paper, training_mode::paper));
static_assert(same(bellamy_strategy_partial_unfreeze, reuse_strategy::partial_unfreeze));
static_assert(same(bellamy_strategy_full_unfreeze, reuse_strategy::full_unfreeze));
static_assert(same(bellamy_strategy_partial_reset, reuse_strategy::partial_reset));
static_assert(same(bellamy_strategy_full_reset, reuse_strategy::full_reset));
static_assert(same(bellamy_strategy_local, reuse_strategy::local));
static_assert(same(bellamy_stop_all_epochs_done, stop_reason::all_epochs_done));
static_assert(same(bellamy_stop_target_error_reached, stop_reason::target_error_reached));
static_assert(same(bellamy_stop_no_improvement, stop_reason::no_improvement));
static_assert(same(bellamy_stop_cancelled, stop_reason::cancelled));
static_assert(same(bellamy_stop_nothing_to_learn, stop_reason::nothing_to_learn));
static_assert(same(bellamy_stop_time_budget_spent, stop_reason::time_budget_spent));
static_assert(same(bellamy_stop_closed_form, stop_reason::closed_form));

}  // namespace bellamy::inline BELLAMY_ABI::detail::c

#endif
