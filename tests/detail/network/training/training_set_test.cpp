#include "support/compare.hpp"
#include "support/made_up_job.hpp"

#include <bellamy/detail/network/training/training_set.hpp>

using namespace bellamy;
using detail::make_training_set;

TEST_CASE("every distinct property value is encoded once and found by its number") {
    auto history = support::made_up_history(3);
    history[5].context.optional.clear();
    history[6].weight = 2.5;
    history[7].censored = true;
    const auto set = make_training_set<double, dimensions{}>(history);
    REQUIRE(set.size() == history.size());
    CHECK(set.essential_count == 2);
    // 1 machine, 3 sizes, memory at 6 scale-outs.
    CHECK(set.encodings.size() == 1 + 3 + 6);
    for (std::size_t i = 0; i < history.size(); ++i) {
        CAPTURE(i);
        auto properties = history[i].context.essential;
        for (const auto& each : history[i].context.optional) properties.push_back(each);
        REQUIRE(set.ids_of(i).size() == properties.size());
        for (std::size_t k = 0; k < properties.size(); ++k) {
            std::array<double, 40> expected{};
            encode(properties[k], history[i].scale_out, std::span(expected));
            CHECK(support::largest_difference(set.encodings[set.ids_of(i)[k]], expected) == 0);
        }
        CHECK(set.scale_outs[i] == history[i].scale_out);
        CHECK(set.runtimes_s[i] == history[i].runtime_s);
        CHECK(set.weights[i] == history[i].weight);
        CHECK(set.censored[i] == history[i].censored);
    }
}

TEST_CASE("digits as text and the same number are two values") {
    const std::vector history{run{
        .context = {.essential = {text("a", "25"), natural("b", 25), quantity("c", 25)}}, .scale_out = 1, .runtime_s = 1}};
    CHECK(make_training_set<double, dimensions{}>(history).encodings.size() == 3);
}
