#include "support/enel_golden.hpp"

#include <bellamy/detail/enel/enel_training_set.hpp>

#include <doctest/doctest.h>

using namespace bellamy;
using support::enel_golden;

TEST_CASE("Enel's validation runs are the golden ones") {
    for (const auto& each : enel_golden().at("validation_positions"))
        CHECK(detail::enel_validation_positions(each.at("runs")) == each.at("positions").get<std::vector<std::size_t>>());
}

TEST_CASE("noise leaves what is not known as it is, and a rescaling row of zeros too") {
    const support::enel_world world;
    const auto clean = detail::batch_of(world.history, world.now, world.history.size(), world.scaler);
    auto noisy = clean;
    detail::random_generator random(3);
    detail::enel_noise{}.apply(clean, noisy, random);
    for (std::size_t i = 0; i < clean.metrics.size(); ++i) {
        CHECK(std::ranges::equal(noisy.metrics[i], clean.metrics[i]) != detail::any_not_zero(clean.metrics[i]));
        CHECK(std::ranges::all_of(noisy.metrics[i], [](double each) { return each >= 0; }));
    }
    for (std::size_t i = 0; i < clean.rows(); ++i) {
        CHECK((noisy.stage_s[i] != clean.stage_s[i]) == (clean.stage_s[i] != 0));
        CHECK((noisy.rescaling_share[i] != clean.rescaling_share[i]) == (clean.rescaling_share[i] != 0));
    }
    for (std::size_t i = 0; i < clean.encodings.size(); ++i)
        CHECK_FALSE(std::ranges::equal(noisy.encodings[i], clean.encodings[i]));
}

TEST_CASE("the runs of Enel's training are dealt to the workers, each once") {
    detail::random_generator random(1);
    const auto shares = detail::enel_shares(11, 4, random);
    std::vector<std::size_t> all;
    for (const auto& each : shares) {
        CHECK((each.size() == 2 || each.size() == 3));
        CHECK(each.size() <= shares[0].size());
        all.insert(all.end(), each.begin(), each.end());
    }
    std::ranges::sort(all);
    REQUIRE(all.size() == 11);
    for (std::size_t i = 0; i < 11; ++i) CHECK(all[i] == i);
}
