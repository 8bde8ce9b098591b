#include <bellamy/batch.hpp>
#include <bellamy/choose.hpp>
#include <bellamy/enel.hpp>
#include <bellamy/rescale.hpp>
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

template <class Scalar>
concept makes_network = requires {
    typename network<Scalar>;
};

}  // namespace

TEST_CASE("asking a curve and choosing a scale-out promise not to throw") {
    CHECK(noexcept(std::declval<const curve&>().at(1)));
    CHECK(noexcept(std::declval<const curve&>().medians_s(1, std::span<float>{})));
    CHECK(noexcept(std::declval<const curve&>().largest_valid_scale_out()));
    CHECK(noexcept(std::declval<const curve&>().seen_scale_outs()));
    CHECK(noexcept(choose(std::declval<const curve&>(), std::span<const int>{}, 1.0)));
    CHECK(noexcept(choose(std::declval<const curve&>(), {1, 2}, 1.0, 0.5, std::span<assessment>{})));
    CHECK(noexcept(prediction{}.usable()));
    CHECK(noexcept(prediction{}.quantile_s(0.9)));
    CHECK(noexcept(prediction{}.probability_within(1)));
    CHECK(noexcept(prediction{}.interval_s(0.9)));
    CHECK(noexcept(prediction{}.spread()));
    CHECK(noexcept(choose(std::span<const candidate>{}, request{})));
    CHECK(noexcept(cost_of(price{}, 1, 1.0)));
    CHECK(noexcept(rescale(std::span<const rescale_candidate>{}, rescale_request{})));
    CHECK(noexcept(decision{}.feasible()));
    CHECK(noexcept(std::declval<const curve&>().observed_runs()));
    CHECK(noexcept(time_to_result_s(price{}, 1.0)));
    CHECK(noexcept(runtime_within_s(price{}, 1.0)));
    CHECK(noexcept(validate(price{})));
    CHECK(noexcept(validate_scale_out(1)));
    CHECK(noexcept(encode(std::declval<const property&>(), 1, std::declval<std::span<float, 40>>())));
    CHECK(noexcept(std::declval<const network<>&>().runtime({}, 1.0F)));
    CHECK(noexcept(std::declval<const network<>&>().fold({}, {})));
}

TEST_CASE("what a model says of itself and all names of values promise not to throw") {
    CHECK(noexcept(std::declval<const model&>().kind()));
    CHECK(noexcept(std::declval<const model&>().schema()));
    CHECK(noexcept(std::declval<const model&>().basis()));
    CHECK(noexcept(std::declval<const model&>().observed()));
    CHECK(noexcept(to_string(errc{})));
    CHECK(noexcept(to_string(verdict{})));
    CHECK(noexcept(to_string(outcome{})));
    CHECK(noexcept(to_string(model_kind{})));
    CHECK(noexcept(to_string(stop_reason{})));
    CHECK(noexcept(to_string(property_kind{})));
    CHECK(noexcept(to_string(property_role{})));
    CHECK(noexcept(to_string(scale_out_unit{})));
}

TEST_CASE("a shared model cannot be copied") {
    CHECK(!std::is_copy_constructible_v<shared_model>);
    CHECK(!std::is_copy_assignable_v<shared_model>);
}

TEST_CASE("values of the hot path own no memory: they can be copied like numbers, into shared memory for example") {
    CHECK(std::is_trivially_copyable_v<curve>);
    CHECK(std::is_trivially_copyable_v<prediction>);
    CHECK(std::is_trivially_copyable_v<assessment>);
    CHECK(nothrow_value<decision>);
    CHECK(std::is_trivially_copyable_v<error>);
    CHECK(nothrow_value<result<decision>>);
    CHECK(nothrow_value<result<void>>);
}

TEST_CASE("a model moves without throwing") {
    CHECK(std::is_nothrow_move_constructible_v<model>);
    CHECK(std::is_nothrow_move_constructible_v<result<model>>);
    CHECK(std::is_nothrow_move_constructible_v<trained>);
}

TEST_CASE("there is no model and no curve without numbers, and no result without a value or an error") {
    CHECK(!std::is_default_constructible_v<model>);
    CHECK(!std::is_default_constructible_v<curve>);
    CHECK(!std::is_default_constructible_v<result<int>>);
}

TEST_CASE("a result is checked before it is used, never by accident") {
    CHECK(!std::is_convertible_v<result<int>, int>);
    CHECK(!std::is_convertible_v<result<int>, bool>);
    CHECK(noexcept(static_cast<bool>(std::declval<const result<int>&>())));
    CHECK(noexcept(std::declval<const result<int>&>().error()));
    CHECK(noexcept(*std::declval<const result<int>&>()));
}

TEST_CASE("only floating-point scalars make a network") {
    CHECK(makes_network<float>);
    CHECK(makes_network<double>);
    CHECK(!makes_network<int>);
}
