#include <bellamy/detail/network/log_network.hpp>

#include "support/networks.hpp"

#include <doctest/doctest.h>

using namespace bellamy;

namespace {

const context sized_job{.essential = {natural("size", 1000).with_role(property_role::data_size)},
                        .optional = {natural("memory", 100).with_role(property_role::memory_per_node)}};

detail::log_network network_of(std::uint64_t seed) {
    detail::log_network made{.parameters = network<>(0), .target = {.lowest_log_runtime = 3, .highest_log_runtime = 5}};
    made.features.columns = {{.property = "size", .logarithm = true, .mean = 6, .deviation = 1, .lowest = 5, .highest = 8}};
    made.features.data_size = "size";
    made.features.memory_per_node = "memory";
    made.parameters = support::random_network<float>(1 + made.slots(), seed);
    return made;
}

detail::log_network_curve curve_of(const detail::log_network& source, const context& subject) {
    return {source, detail::prepared_network(source.parameters), subject};
}

}  // namespace

TEST_CASE("a network in log mode answers within a factor of four of the runtimes seen, whatever its parameters are") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        auto wild = network_of(seed);
        for (float& each : wild.parameters.runtime.head_second.weights) each *= 1e6F;
        const auto curve = curve_of(wild, sized_job);
        for (const int x : {1, 7, 1000, 1'000'000}) {
            const double runtime_s = curve(x);
            CHECK(runtime_s >= std::exp(3.0) / 4.0001);
            CHECK(runtime_s <= std::exp(5.0) * 4.0001);
        }
    }
}

TEST_CASE("the target of a runtime turns back into the runtime") {
    const detail::log_target target{.lowest_log_runtime = 1, .highest_log_runtime = 7};
    for (const double runtime_s : {1.0, 3.5, 1000.0, 4000.0})
        CHECK(target.to_runtime_s(target.of_runtime(runtime_s)) == doctest::Approx(runtime_s).epsilon(1e-12));
    CHECK(std::isnan(target.to_runtime_s(std::nan(""))));
}

TEST_CASE("the pressure falls with the scale-out and stands before the other numbers") {
    const auto made = network_of(1);
    const detail::number_slots slots(made.features);
    REQUIRE(slots.slots() == 1);
    const auto numbers = slots.of(sized_job);
    REQUIRE(numbers.size() == 4);
    CHECK(numbers[0] == doctest::Approx(std::log(10.0)));
    CHECK(numbers[1] == doctest::Approx(std::log(1000.0) - 6));
    CHECK(numbers[2] == 0);
    CHECK(slots.pressure_at(8) == doctest::Approx(-std::log(8.0)));

    // A network that sees nothing but the pressure: twice the data on twice the nodes takes as long.
    auto blind = network_of(4);
    blind.parameters.encoder = {};
    blind.parameters.runtime.scale_out = {};
    blind.features.columns.clear();
    blind.parameters.runtime.head_second.bias[0] = 40;  // amid the bounds
    auto twice = sized_job;
    twice.essential[0].value = std::uint64_t{2000};
    const double once_s = curve_of(blind, sized_job)(4);
    CHECK(curve_of(blind, twice)(8) == doctest::Approx(once_s).epsilon(1e-5));
    CHECK(curve_of(blind, sized_job)(8) != doctest::Approx(once_s).epsilon(1e-5));
}

TEST_CASE("numbers that are not known stand at their mean") {
    auto blank = sized_job;
    blank.essential[0] = unknown("size");
    const auto made = network_of(1);
    for (const double each : detail::number_slots(made.features).of(blank)) CHECK(each == 0);
}
