// One small model of every kind, made when the fuzzer starts: a new model format needs no new seeds.
#ifndef BELLAMY_TESTS_FUZZ_MODEL_SEEDS_HPP
#define BELLAMY_TESTS_FUZZ_MODEL_SEEDS_HPP

#include <bellamy/application_file.hpp>
#include <bellamy/cold_start.hpp>

#include <vector>

#include "../support/made_up_application.hpp"
#include "../support/made_up_blend.hpp"
#include "../support/model_bytes.hpp"

namespace fuzz {

[[nodiscard]] inline bellamy::model small_blend() {
    std::vector<bellamy::run> history;
    for (const std::uint64_t size : {10U, 20U, 40U})
        for (const int x : {2, 4, 8}) history.push_back(support::made_up_run(size, x));
    auto killed = support::made_up_run(30, 4);
    killed.censored = true;
    killed.timestamp_s = 1.7e9;
    return *support::blend_of(history).condition(std::vector{killed, support::made_up_run(30, 2)});
}

/// The sections of each.
[[nodiscard]] inline const std::vector<std::vector<support::section>>& seed_sections() {
    static const std::vector<std::vector<support::section>> all{
        support::sections_of(small_blend()),
        support::sections_of(
            *bellamy::cold_start(support::made_up_context(30), "new")->condition(std::vector{support::made_up_run(30, 4)})),
        support::sections_of(support::random_model())};
    return all;
}

/// Of an application: one that knows sizes and scale-outs, one of a single run with tasks, and one that knows neither.
[[nodiscard]] inline const std::vector<std::vector<support::section>>& application_seed_sections() {
    static const auto all = [] {
        auto bare = support::etl_history({1000, 2000});
        for (auto& run : bare) {
            run.scale_out.clear();
            run.properties.clear();
            for (auto& job : run.jobs) job.stages.clear();
        }
        std::vector<std::vector<support::section>> made;
        for (const auto& history : {support::etl_history({1000, 2000}), {support::made_up_trace(5, 1000, 4)}, bare})
            made.push_back(support::sections_of(*bellamy::to_bytes(*support::learned_from(history))));
        return made;
    }();
    return all;
}

}  // namespace fuzz

#endif
