#include <bellamy/detail/network/training/pretraining.hpp>

#include <doctest/doctest.h>

using namespace bellamy::detail;

TEST_CASE("a fifth of every context and scale-out is held out") {
    struct row {
        std::size_t members, held;
    };
    for (const auto& each : {row{1, 0}, row{2, 1}, row{3, 1}, row{5, 1}, row{7, 1}, row{8, 2}, row{10, 2}, row{13, 3}}) {
        CAPTURE(each.members);
        // Between two other strata: the same scale-out in another context, the same context at another scale-out.
        std::vector<std::uint32_t> contexts{0};
        std::vector<int> scale_outs{4};
        contexts.insert(contexts.end(), each.members, 1);
        scale_outs.insert(scale_outs.end(), each.members, 4);
        contexts.push_back(1);
        scale_outs.push_back(6);
        random_generator random(3);
        const auto split = stratified_holdout(contexts, scale_outs, 0.2, random);
        CHECK(split.validation.size() == each.held);
        // Every run is on exactly one side.
        std::vector<std::uint32_t> all = split.training;
        all.insert(all.end(), split.validation.begin(), split.validation.end());
        std::ranges::sort(all);
        REQUIRE(all.size() == each.members + 2);
        for (std::uint32_t i = 0; i < all.size(); ++i) CHECK(all[i] == i);
        for (const auto run : split.validation) CHECK((run > 0 && run <= each.members));
    }
}

TEST_CASE("something is left to train on whatever the share held out") {
    for (const double share : {0.0, 0.5, 0.9, 0.999}) {
        CAPTURE(share);
        const std::vector<std::uint32_t> contexts{0, 1, 1, 2, 2, 2};
        const std::vector<int> scale_outs(contexts.size(), 4);
        random_generator random(3);
        const auto split = stratified_holdout(contexts, scale_outs, share, random);
        CHECK(split.training.size() >= 3);  // one of each
        CHECK(split.validation.empty() == (share == 0));
    }
}

TEST_CASE("the seed decides which runs are held out") {
    const std::vector<std::uint32_t> contexts(40, 0);
    const std::vector<int> scale_outs(40, 4);
    const auto held_out = [&](std::uint64_t seed) {
        random_generator random(seed);
        return stratified_holdout(contexts, scale_outs, 0.2, random).validation;
    };
    CHECK(held_out(1) == held_out(1));
    CHECK(held_out(1) != held_out(2));
}
