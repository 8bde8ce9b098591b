// Any bytes as Enel's network: refused with a reason, or a network that forecasts and can be saved.
#ifndef BELLAMY_TESTS_FUZZ_ENEL_HPP
#define BELLAMY_TESTS_FUZZ_ENEL_HPP

#include <bellamy/enel_file.hpp>

#include "../support/made_up_application.hpp"
#include "../support/model_bytes.hpp"
#include "input.hpp"

namespace fuzz {

/// The sections of the network that a released version saved: to train one takes too long here.
[[nodiscard]] inline const std::vector<std::vector<support::section>>& enel_seed_sections() {
    static const std::vector<std::vector<support::section>> all{support::sections_of(
        *bellamy::detail::read_file(BELLAMY_GOLDEN_DIR "/models/1.0/enel.bellamy", bellamy::largest_model_bytes))};
    return all;
}

/// Gives the self-test the answers of what the sections hold now, where it can be asked: any altered number would fail it.
inline void answer_again(std::vector<support::section>& sections) {
    using namespace bellamy::detail;
    std::optional<stored_enel_network> network;
    std::optional<std::vector<enel_run>> runs;
    for (const auto& each : sections) {
        const byte_reader content(each.content);
        if (each.name == "ENEL")
            if (auto read = read_section<stored_enel_network>(content, "ENEL")) network = *std::move(read);
        if (each.name == "RUNS")
            if (auto read = read_packed_section<std::vector<enel_run>>(content, "RUNS")) runs = *std::move(read);
    }
    if (!network || !runs || network->parameters.size() != enel_layout::size || !enel_runs_check::check(*runs)) return;
    for (auto& each : sections) {
        if (each.name != "SELF") continue;
        const auto made = content_of(enel_self_test({.runs = *runs, .scaler = network->scaler}, network->parameters));
        each.content.assign(made.bytes().begin(), made.bytes().end());
    }
}

inline void try_enel(bytes all) {
    const auto loaded = bellamy::enel_from_bytes(std::as_bytes(all));
    if (!is_loaded_for_good(loaded, bellamy::enel_from_bytes)) return;
    const auto run = support::made_up_trace(3, 1500, 4, 1.2);
    const std::array scale_outs{1, 4, 64};
    for (std::size_t jobs = 0; jobs <= run.jobs.size(); ++jobs) {
        const auto found =
            loaded->forecast(support::first_jobs(run, jobs), scale_outs, {.scale_out = 4, .fine_tune = jobs == 1});
        if (!found) {
            require(!found.error().message().empty(), "what is refused is explained");
            continue;
        }
        for (std::size_t job = 0; job < found->jobs(); ++job)
            require(found->stage_s(0, job).size() == found->stages(job), "every stage has its time");
    }
}

}  // namespace fuzz

#endif
