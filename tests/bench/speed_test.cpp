// The program itself, one round of it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "../examples/support/run_program.hpp"

using nlohmann::json;
using support::check_succeeds;
using support::temporary_directory;

namespace {

using words = std::vector<std::string>;

void check_positive(const json& number) {
    REQUIRE(number.is_number());
    CHECK(number.get<double>() > 0);
}

}  // namespace

TEST_CASE("speed writes a record of every workload, in nanoseconds, cycles and multiples of the roofline") {
    const temporary_directory place;
    const auto printed = check_succeeds({BELLAMY_SPEED, "--rounds", "1", "--json", place / "speed.json"});
    const auto all = json::parse(support::read_text(place / "speed.json"));
    words names;
    for (const auto& each : all) {
        CAPTURE(each.dump());
        CHECK(each.size() == 5);
        names.push_back(each.at("name"));
        check_positive(each.at("ns_per_item"));
        check_positive(each.at("cycles_per_item"));
        check_positive(each.at("items"));
        const bool bounded_by_arithmetic = names.back().starts_with("batch_") || names.back().starts_with("curve_");
        const auto& ratio = each.at("roofline_ratio");
        if (!ratio.is_null()) check_positive(ratio);
        CHECK_MESSAGE((bounded_by_arithmetic || ratio.is_null()), "what else could bound it is not in the roofline");
        CHECK_MESSAGE(printed.find(names.back()) != std::string::npos, names.back());
    }
    for (const auto* name :
         {"curve_direct_1024", "batch_16", "batch_256", "batch_4096", "single_known_context", "fine_tune_5",
          "pretrain_epoch_200", "encode_text", "encode_number", "best_fit_810", "learn_1012", "learn_10002",
          "best_bind_1002", "best_condition_5", "best_curve_100", "load", "load_best", "load_again"})
        CHECK_MESSAGE(std::count(names.begin(), names.end(), name) == 1, name);
}

TEST_CASE("speed times only the workloads that are asked for, and none that it does not know") {
    const temporary_directory place;
    check_succeeds({BELLAMY_SPEED, "--only", "load,encode_text", "--rounds", "1", "--json", place / "speed.json"});
    CHECK(json::parse(support::read_text(place / "speed.json")).size() == 2);
    const auto refused = support::run_program({BELLAMY_SPEED, "--only", "luck"});
    CHECK(refused.exit_code == 2);
    CHECK(refused.err == "expected the names of workloads, found none that is known\n");
}
