#include <bellamy/placement/choose_variants.hpp>
#include <bellamy/placement/selection.hpp>

#include "support/golden_placement.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>

using namespace bellamy;
using namespace bellamy::placement;

namespace {

template <class Value>
[[nodiscard]] std::string code_of(const result<Value>& answer) {
    return std::string(to_string(answer ? errc::ok : answer.error().code()));
}

[[nodiscard]] std::string site(const data_centre& one) {
    return code_of(placement::network::make(std::vector<data_centre>{one}, {}));
}
[[nodiscard]] std::string linked(const std::vector<placement::link>& links) {
    return code_of(placement::network::make(std::vector<data_centre>(2, {.slots = 4}), links));
}
[[nodiscard]] std::string graph(const std::vector<task_edge>& edges) { return code_of(job_graph::make(3, edges)); }

[[nodiscard]] std::string asked(const request& wanted, bool usable = true) {
    const auto net = placement::network::make(std::vector<data_centre>(2, {.slots = 4}), {}).value();
    std::vector<variant> variants(2);
    variants[0].runtime.median_s = 10;
    if (usable) variants[1].runtime.median_s = 20;
    return code_of(choose_variant(net, net.load(), variants, wanted));
}

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// Each input of the golden list, as a call.
[[nodiscard]] std::map<std::string, std::function<std::string()>> calls() {
    const auto limited = [] {
        const auto net = placement::network::make(std::vector<data_centre>(4, {.slots = 4}), {}).value();
        return code_of(enumerate(net, job_graph::make(4, {}).value(), {.strategies = 3}));
    };
    const auto no_walks = [] { return code_of(crawl(placement::network::make({}, {}).value(), {}, {.walks = 0})); };
    return {{"slots -1", [] { return site({.slots = -1}); }},
            {"load 5 of 4 slots", [] { return site({.slots = 4, .load = 5}); }},
            {"price NaN", [] { return site({.slots = 4, .price_per_kwh = no_number}); }},
            {"price -1", [] { return site({.slots = 4, .price_per_kwh = -1}); }},
            {"pue 0.9", [] { return site({.slots = 4, .pue = 0.9}); }},
            {"exponent 0.5", [] { return site({.slots = 4, .exponent = 0.5}); }},
            {"dynamic infinite",
             [] { return site({.slots = 4, .dynamic_kw_per_slot = std::numeric_limits<double>::infinity()}); }},
            {"switch_on -1", [] { return site({.slots = 4, .switch_on_kw = -1}); }},
            {"link 0-0", [] { return linked({{.a = 0, .b = 0}}); }},
            {"link to a data centre that does not exist", [] { return linked({{.a = 0, .b = 2}}); }},
            {"the same link twice",
             [] {
                 return linked({{.a = 0, .b = 1}, {.a = 1, .b = 0}});
             }},
            {"link traffic price -1", [] { return linked({{.a = 0, .b = 1, .traffic_price = -1}}); }},
            {"job edge 0-0", [] { return graph({{.a = 0, .b = 0}}); }},
            {"job edge to a task that does not exist", [] { return graph({{.a = 0, .b = 3}}); }},
            {"the same job edge twice, also reversed",
             [] {
                 return graph({{.a = 0, .b = 1}, {.a = 1, .b = 0}});
             }},
            {"-1 tasks", [] { return code_of(job_graph::make(static_cast<std::uint32_t>(-1), {})); }},
            {"traffic rate NaN", [] { return graph({{.a = 0, .b = 1, .traffic = no_number}}); }},
            {"more strategies than the limit", limited},
            {"walks 0", no_walks},
            {"probability 1", [] { return asked({.deadline_s = 15, .probability = 1}); }},
            {"deadline 0", [] { return asked({.deadline_s = 0}); }},
            {"variant without a usable prediction: left out, not an error", [] { return asked({.deadline_s = 15}, false); }},
            {"hedge with 0 strategies", [] { return code_of(hedge::make(0)); }},
            {"cost 1.5 in a selection round", [] {
                 return code_of(hedge::make(2).value().update(std::vector{0.5, 1.5}));
             }}};
}

}  // namespace

TEST_CASE("every bad input of the golden list has the error that it says") {
    const auto known = calls();
    for (const auto& each : support::golden_placement().at("invalid")) {
        const std::string input = each.at("input");
        CAPTURE(input);
        REQUIRE(known.contains(input));
        CHECK(known.at(input)() == each.at("error").get<std::string>());
    }
}
