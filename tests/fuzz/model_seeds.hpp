// One small model of every kind, made when the fuzzer starts: a new model format needs no new seeds.
#ifndef BELLAMY_TESTS_FUZZ_MODEL_SEEDS_HPP
#define BELLAMY_TESTS_FUZZ_MODEL_SEEDS_HPP

#include <bellamy/cold_start.hpp>

#include <vector>

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

}  // namespace fuzz

#endif
