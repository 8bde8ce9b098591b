#include <bellamy/batch.hpp>
#include <bellamy/choose.hpp>
#include <bellamy/shared_model.hpp>
#include <bellamy/training.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace bellamy;

namespace {

template <class Type>
constexpr bool nothrow_value =
    std::conjunction_v<std::is_nothrow_copy_constructible<Type>, std::is_nothrow_move_constructible<Type>,
                       std::is_nothrow_destructible<Type>>;

// The hot path: asking and choosing.
static_assert(noexcept(std::declval<const curve&>().at(1)));
static_assert(noexcept(std::declval<const curve&>().medians_s(1, std::span<float>{})));
static_assert(noexcept(std::declval<const curve&>().largest_valid_scale_out()));
static_assert(noexcept(std::declval<const curve&>().seen_scale_outs()));
static_assert(noexcept(choose(std::declval<const curve&>(), std::span<const int>{}, 1.0)));
static_assert(noexcept(choose(std::declval<const curve&>(), scale_out_range{}, 1.0, std::span<assessment>{})));
static_assert(noexcept(prediction{}.usable()));
static_assert(noexcept(prediction{}.quantile_s(0.9)));
static_assert(noexcept(prediction{}.probability_within(1)));
static_assert(noexcept(prediction{}.interval_s(0.9)));
static_assert(noexcept(prediction{}.spread()));
static_assert(noexcept(choose(std::span<const candidate>{}, request{})));
static_assert(noexcept(cost_of(price{}, 1, 1.0)));
static_assert(noexcept(worth_changing(1.0, 1.0, 1.0)));
static_assert(noexcept(decision{}.feasible()));
static_assert(noexcept(scale_out_range{}.size()));

static_assert(noexcept(std::declval<const curve&>().observed_runs()));
static_assert(noexcept(choose(std::declval<const curve&>(), std::span<const int>{}, 1.0, 0.5)));
static_assert(noexcept(choose(std::declval<const curve&>(), scale_out_range{}, 1.0, 0.5)));
static_assert(noexcept(scale_out_range{}[0]));
static_assert(noexcept(time_to_result_s(price{}, 1.0)) && noexcept(runtime_within_s(price{}, 1.0)));
static_assert(noexcept(validate(price{})) && noexcept(validate_scale_out(1)));
static_assert(noexcept(std::declval<const detail::batch_predictor&>().predict(std::span<const question>{},
                                                                              std::span<float>{})));
static_assert(noexcept(std::declval<const detail::batch_predictor&>().predict({}, {}, std::declval<detail::code_cache&>())));
static_assert(noexcept(encode(std::declval<const property&>(), 1, std::declval<std::span<float, 40>>())));
static_assert(
    noexcept(std::declval<const network<>&>().runtime({}, 1.0F)) && noexcept(std::declval<const network<>&>().fold({}, {})));

// What a model says of itself, and all names of values.
static_assert(noexcept(std::declval<const model&>().kind()) && noexcept(std::declval<const model&>().schema()) && noexcept(
    std::declval<const model&>().basis()) && noexcept(std::declval<const model&>().observed()));
static_assert(
    noexcept(to_string(errc{})) && noexcept(to_string(verdict{})) && noexcept(to_string(outcome{})) && noexcept(to_string(model_kind{})) && noexcept(
        to_string(
            stop_reason{})) && noexcept(to_string(property_kind{})) && noexcept(to_string(property_role{})) && noexcept(to_string(scale_out_unit{})));

// Threads share one holder; nobody copies it by accident.
static_assert(!std::is_copy_constructible_v<shared_model> && !std::is_copy_assignable_v<shared_model>);

// Its values own no memory: they can be copied like numbers, into shared memory for example.
static_assert(std::is_trivially_copyable_v<curve>);
static_assert(std::is_trivially_copyable_v<prediction>);
static_assert(std::is_trivially_copyable_v<assessment>);
static_assert(nothrow_value<decision>);
static_assert(std::is_trivially_copyable_v<error>);
static_assert(nothrow_value<result<decision>>);
static_assert(nothrow_value<result<void>>);

// A model only moves without throwing: a copy allocates.
static_assert(std::is_nothrow_move_constructible_v<model>);
static_assert(std::is_nothrow_move_constructible_v<result<model>>);
static_assert(std::is_nothrow_move_constructible_v<trained>);

// There is no model and no curve without numbers, and no result without a value or an error.
static_assert(!std::is_default_constructible_v<model>);
static_assert(!std::is_default_constructible_v<curve>);
static_assert(!std::is_default_constructible_v<result<int>>);

// A result is checked before it is used, never by accident.
static_assert(!std::is_convertible_v<result<int>, int>);
static_assert(!std::is_convertible_v<result<int>, bool>);
static_assert(noexcept(static_cast<bool>(std::declval<const result<int>&>())));
static_assert(noexcept(std::declval<const result<int>&>().error()));
static_assert(noexcept(*std::declval<const result<int>&>()));

// Only floating-point scalars make a network.
template <class Scalar>
concept makes_network = requires {
    typename network<Scalar>;
};
static_assert(makes_network<float> && makes_network<double>);
static_assert(!makes_network<int>);

}  // namespace

TEST_CASE("the hot path promises not to throw and its values are plain") {
    CHECK(true);  // the promises above are kept when this compiles
}
