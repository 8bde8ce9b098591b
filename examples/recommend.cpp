// For every application of a history: how large its next run should be, and how probably it then meets its deadline.
#include <fmt/format.h>
#include <bellamy/choose.hpp>
#include <bellamy/schema.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/history.hpp"
#include "support/program.hpp"
#include "support/tool_error.hpp"

namespace {

struct arguments {
    std::string history;
    double deadline_s = 0;
    double probability = 0.9;
    std::string application;
};

// What is asked about one application: its latest context, and a deadline.
struct question {
    const tools::application_history* of = nullptr;
    bellamy::curve runtimes;
    int present = 1;
    double deadline_s = 0;
};

[[nodiscard]] std::vector<int> sizes_to_try(const tools::application_history& history) {
    int largest = 1;
    for (const auto& each : history.runs) largest = std::max(largest, each.scale_out);
    std::vector<int> sizes;
    const int last = std::min(2 * largest, 100);
    for (int size = 1; size <= last; ++size) sizes.push_back(size);
    for (const auto& each : history.runs)  // beyond a hundred the sizes that ran, and the double of the largest
        if (each.scale_out > last) sizes.push_back(each.scale_out);
    if (2 * largest > last) sizes.push_back(2 * largest);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

// Without a deadline: as probably in time as the run is at its present size.
[[nodiscard]] bellamy::result<question> ask(const tools::application_history& history, const arguments& given) {
    const auto model = tools::learn(history.runs, history.name);
    if (!model) return model.error();
    auto runtimes = model->bind(history.runs.back().context);
    if (!runtimes) return runtimes.error();
    const int present = history.runs.back().scale_out;
    const double deadline_s =
        given.deadline_s > 0 ? given.deadline_s : (1 + 1e-6) * runtimes->at(present).quantile_s(given.probability);
    return question{.of = &history, .runtimes = *runtimes, .present = present, .deadline_s = deadline_s};
}

struct advice {
    bellamy::decision decided{};
    std::vector<bellamy::assessment> rows{};
};

[[nodiscard]] bellamy::result<advice> answer(const question& asked, double probability) {
    std::vector<bellamy::candidate> candidates;
    for (const int size : sizes_to_try(*asked.of))
        candidates.push_back({.runtimes = &asked.runtimes, .scale_out = size, .costs = {.per_unit_and_hour = 1}});
    advice made{.rows = std::vector<bellamy::assessment>(candidates.size())};
    const auto decided = bellamy::choose(
        candidates,
        {.goal = bellamy::goal::smallest_within_deadline, .deadline_s = asked.deadline_s, .probability = probability},
        made.rows);
    if (!decided) return decided.error();
    made.decided = *decided;
    return made;
}

void print_line(const question& asked, const advice& made) {
    const auto& history = *asked.of;
    const auto numbers = bellamy::context_numbers(history.runs);
    const auto contexts = 1 + *std::max_element(numbers.begin(), numbers.end());
    fmt::print("{:<32.32} {:>5} {:>8} {:>7} {:>8.0f} s ", history.name, history.runs.size(), contexts, asked.present,
               asked.deadline_s);
    const double today = asked.runtimes.at(asked.present).probability_within(asked.deadline_s);
    const auto& best = made.decided.candidate;
    if (!best) {
        fmt::print("{:>8} {:>8.0f} %  no usable prediction\n", "-", 100 * today);
        return;
    }
    const char* why = !made.decided.feasible() ? ", less than asked for"
                      : made.decided.outcome == bellamy::outcome::meets_deadline_by_extrapolation
                          ? ", beyond the sizes that ran"
                          : "";
    fmt::print("{:>8} {:>8.1f} %  {:.1f} % at the present size; rests on {} runs of this context{}\n", best->scale_out,
               100 * best->probability, 100 * today, best->predicted.observed_runs, why);
}

void print_table(const question& asked, const advice& made) {
    fmt::print("{}, deadline {:.0f} s, last run at {}\n", asked.of->name, asked.deadline_s, asked.present);
    fmt::print("{:>6} {:>10} {:>10} {:>9}\n", "size", "median", "90 %", "in time");
    for (const auto& row : made.rows)
        fmt::print("{:>6} {:>8.1f} s {:>8.1f} s {:>7.1f} %  {}\n", row.scale_out, row.predicted.median_s,
                   row.predicted.quantile_s(0.9), 100 * row.probability, to_string(row.why));
}

void run(const arguments& given) {
    const auto applications = tools::read_history(given.history);
    if (!given.application.empty()) {
        const auto found = std::find_if(applications.begin(), applications.end(),
                                        [&](const auto& each) { return each.name == given.application; });
        if (found == applications.end())
            throw tools::tool_error("unknown_application", fmt::format("expected an application of {}, found \"{}\"",
                                                                       given.history, given.application));
        const auto asked = ask(*found, given).value();
        return print_table(asked, answer(asked, given.probability).value());
    }
    fmt::print("{:<32} {:>5} {:>8} {:>7} {:>10} {:>8} {:>10}\n", "application", "runs", "contexts", "present", "deadline",
               "proposed", "in time");
    for (const auto& each : applications) {
        const auto asked = ask(each, given);
        if (!asked) {
            fmt::print("{:<32.32} {:>5}  no advice: {}\n", each.name, each.runs.size(), asked.error().message());
            continue;
        }
        print_line(*asked, answer(*asked, given.probability).value());
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Recommends a size for the next run of every application of a history.", "recommend");
    arguments given;
    app.add_option("history", given.history,
                   "Folder of Spark event logs or of trace files, a trace file, or a table that import_logs wrote")
        ->required();
    app.add_option(
           "--deadline", given.deadline_s,
           "Seconds from the first executor to the result; by default what the present size keeps with --probability")
        ->check(CLI::PositiveNumber);
    app.add_option("--probability", given.probability, "With which the deadline must be kept")
        ->capture_default_str()
        ->check(CLI::Range(0.01, 0.999));
    app.add_option("--application", given.application, "Show every size for this application alone");
    return tools::run_program(app, argc, argv, [&] { run(given); });
}
