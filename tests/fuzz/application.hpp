// Any bytes as an application model: refused with a reason, or a model that binds, answers, learns from progress and can be
// saved.
#ifndef BELLAMY_TESTS_FUZZ_APPLICATION_HPP
#define BELLAMY_TESTS_FUZZ_APPLICATION_HPP

#include <bellamy/application_file.hpp>

#include <cmath>

#include "../support/made_up_application.hpp"
#include "input.hpp"

namespace fuzz {

inline void require_distribution(const bellamy::prediction& answer) {
    if (!answer.usable()) return;
    require(answer.quantile_s(0.1) <= answer.quantile_s(0.5) && answer.quantile_s(0.5) <= answer.quantile_s(0.9),
            "quantiles are ordered");
    const double within = answer.probability_within(10);
    require(within >= 0 && within <= 1, "a probability lies between 0 and 1");
}

inline void require_answers(const bellamy::forecast& of) {
    for (const int x : {0, 1, 3, 64, bellamy::largest_scale_out}) {
        require_distribution(of.run(x));
        require_distribution(of.remaining(x));
        for (std::size_t job = 0; job < of.jobs() && job < 8; ++job) {
            require_distribution(of.job(job, x));
            for (std::size_t i = 0; i < of.stages(job) && i < 8; ++i) require_distribution(of.stage(job, i, x));
        }
    }
}

inline void try_application(bytes all) {
    const auto loaded = bellamy::application_from_bytes(std::as_bytes(all));
    if (!is_loaded_for_good(loaded, bellamy::application_from_bytes)) return;
    const auto run = support::made_up_trace(3, 1500, 4, 1.2);
    for (const auto& properties : {run.properties, std::vector<bellamy::property>{}}) {
        const auto predicted = loaded->bind(properties);
        if (!predicted) {
            require(!predicted.error().message().empty(), "what is refused is explained");
            continue;
        }
        require_answers(*predicted);
        for (std::size_t jobs = 1; jobs <= run.jobs.size(); ++jobs)
            if (const auto now = predicted->observe(support::first_jobs(run, jobs))) require_answers(*now);
    }
}

}  // namespace fuzz

#endif
