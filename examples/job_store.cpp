// The least that a scheduler does: it asks how many machines a job needs, and records how long it took.
#include <bellamy/candidates.hpp>
#include <bellamy/decision_text.hpp>
#include <bellamy/job_store.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

int main() {
    using namespace bellamy;
    schema properties;  // what is known of a job at submission
    properties.essential = {{.name = "machine", .kind = property_kind::text, .role = property_role::machine_type},
                            {.name = "size_gb", .kind = property_kind::quantity, .role = property_role::data_size}};
    std::filesystem::create_directory("histories");
    job_store jobs("histories", properties);

    const auto job = properties.context({{"machine", "m5.xlarge"}, {"size_gb", 400}}).value();
    const price costs{.per_unit_and_hour = 0.19, .start_up_s = 30};
    candidate_list candidates;  // add contexts of other machines too
    candidates.add(*jobs.get("daily report", job).value(), job, {2, 4, 8, 16}, costs).value();
    const auto decision = choose(candidates, {.deadline_s = 1200}).value();
    std::printf("%s\n", to_json(decision).c_str());
    // Where no run has ended, nothing is known yet, and one must be tried.
    const auto history = jobs.history("daily report").value();
    const bool has_ended = std::any_of(history.begin(), history.end(), [](const run& past) { return !past.censored; });
    if (!decision.feasible() && has_ended) return 1;

    const run ended{.context = job, .scale_out = 4, .runtime_s = 840};  // once it has run on four of them
    const auto change = jobs.record("daily report", {ended}).value();
    if (change) std::printf("the job takes %.2f times as long as before\n", change->factor);
}
