// Finds the smallest scale-out that is predicted to meet a deadline, and shows why.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/choose.hpp>
#include <bellamy/fine_tune.hpp>
#include <bellamy/serialize.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/grep.hpp"
#include "models/kmeans.hpp"
#include "models/sgd.hpp"
#include "models/sort.hpp"
#include "support/arguments.hpp"
#include "support/parse.hpp"
#include "support/program.hpp"
#include "support/terminal_curve.hpp"

namespace {

struct arguments {
    std::optional<std::string> model;
    std::string embedded = "sort";
    std::vector<std::string> properties;
    std::vector<std::string> observed;
    std::vector<std::string> measured;
    double deadline_s = 0;
    std::optional<std::string> range;
    std::vector<int> scale_outs;
    std::uint64_t seed = 0;
    std::string strategy = "partial_unfreeze";
};

void declare(CLI::App& app, arguments& given) {
    auto* model = app.add_option("--model", given.model, "Model file, as written by pretrain");
    app.add_option("--embedded", given.embedded, "Model that this program carries")
        ->capture_default_str()
        ->check(CLI::IsMember({"grep", "kmeans", "sgd", "sort"}))
        ->excludes(model);
    tools::add_repeatable(
        app, "--property", given.properties,
        "Property of the job's context, as NAME=VALUE; what scales is given per unit of scale-out; repeatable");
    tools::add_repeatable(app, "--observe", given.observed, "Run of this job so far, as SCALE_OUT=SECONDS; repeatable");
    tools::add_repeatable(app, "--measured", given.measured,
                          "Known runtime to compare a prediction with, as SCALE_OUT=SECONDS; repeatable");
    app.add_option("--deadline", given.deadline_s, "Seconds that the job may take")->required();
    auto* range =
        app.add_option("--range", given.range,
                       "Scale-outs to choose from, as FIRST:LAST or FIRST:LAST:STEP; by default those seen in training");
    app.add_option("--scale-outs", given.scale_outs, "Scale-outs to choose from, as a list 2,4,8")
        ->delimiter(',')
        ->excludes(range);
    tools::add_seed(app, given.seed);
    app.add_option("--strategy", given.strategy,
                   "How fine-tuning reuses the model: partial_unfreeze, full_unfreeze, partial_reset, full_reset or local")
        ->capture_default_str();
}

[[nodiscard]] bellamy::model load_model(const arguments& given) {
    if (given.model) return bellamy::load(*given.model).value();
    const std::map<std::string_view, std::span<const unsigned char>> carried{{"grep", bellamy_models::grep},
                                                                             {"kmeans", bellamy_models::kmeans},
                                                                             {"sgd", bellamy_models::sgd},
                                                                             {"sort", bellamy_models::sort}};
    return bellamy::from_bytes(carried.at(given.embedded)).value();
}

// The context in the schema's order; optional properties that are not given are left out.
[[nodiscard]] bellamy::context to_context(const bellamy::schema& schema, const std::vector<std::string>& properties) {
    std::map<std::string, std::string> values;
    for (const auto& each : properties) {
        const auto [name, value] = tools::name_and_value("--property", each);
        if (!values.emplace(name, value).second)
            throw tools::tool_error("duplicate_property", fmt::format("expected every property once, found {} twice", name));
    }
    bellamy::context made{.unit = schema.unit};
    std::vector<std::string> missing;
    std::vector<std::string> known;
    const auto take = [&](const bellamy::property_definition& meaning, std::vector<bellamy::property>& into) {
        known.push_back(meaning.name);
        const auto value = values.extract(meaning.name);
        if (value) into.push_back(tools::to_property(meaning, value.mapped(), "property " + meaning.name));
        return !value.empty();
    };
    for (const auto& each : schema.essential)
        if (!take(each, made.essential)) missing.push_back(each.name);
    for (const auto& each : schema.optional) take(each, made.optional);
    if (!values.empty())
        throw tools::tool_error("unknown_property", fmt::format("expected one of the model's properties {}, found \"{}\"",
                                                                fmt::join(known, ", "), values.begin()->first));
    if (!missing.empty())
        throw tools::tool_error("missing_property", fmt::format("expected every essential property, found no value of {}",
                                                                fmt::join(missing, ", ")));
    return made;
}

[[nodiscard]] std::vector<bellamy::run> to_runs(const bellamy::context& job, const std::vector<std::string>& observed) {
    std::vector<bellamy::run> runs;
    for (const auto& each : observed) {
        const auto [scale_out, runtime_s] = tools::to_measured_runtime("--observe", each);
        runs.push_back({.context = job, .scale_out = scale_out, .runtime_s = runtime_s});
    }
    return runs;
}

[[nodiscard]] bellamy::scale_out_range to_range(const std::string& text) {
    std::vector<std::optional<int>> parts;
    for (std::size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
        end = text.find(':', begin);
        parts.push_back(tools::parse_number<int>(text.substr(begin, end == text.npos ? end : end - begin)));
    }
    const bool numbers = std::all_of(parts.begin(), parts.end(), [](const auto& each) { return each.has_value(); });
    if (!numbers || parts.size() < 2 || parts.size() > 3)
        throw tools::wrong_usage("--range", "FIRST:LAST or FIRST:LAST:STEP such as 2:12", text);
    return {.first = *parts[0], .last = *parts[1], .step = parts.size() == 3 ? *parts[2] : 1};
}

[[nodiscard]] std::vector<int> candidates(const arguments& given, const bellamy::scale_out_interval& seen) {
    if (!given.scale_outs.empty()) return given.scale_outs;
    const auto range =
        given.range ? to_range(*given.range) : bellamy::scale_out_range{.first = seen.smallest, .last = seen.largest};
    if (range.size() == 0)
        throw tools::tool_error("empty_candidates",
                                fmt::format("expected a range with FIRST <= LAST and STEP >= 1, found {}", *given.range));
    // Checked here, so that a slip of the pen does not become a list of millions.
    bellamy::validate_scale_out(range.first).value();
    bellamy::validate_scale_out(range.last).value();
    std::vector<int> all;
    for (std::size_t i = 0; i < range.size(); ++i) all.push_back(range[i]);
    return all;
}

// Measured seconds by scale-out.
using measurements = std::map<int, double>;

[[nodiscard]] measurements to_measurements(const std::vector<std::string>& measured, const std::vector<int>& scale_outs) {
    measurements found;
    for (const auto& each : measured) {
        const auto [scale_out, runtime_s] = tools::to_measured_runtime("--measured", each);
        if (!(runtime_s > 0) || !std::isfinite(runtime_s))
            throw tools::tool_error("invalid_runtime",
                                    fmt::format("expected a finite measured runtime > 0 seconds, found {}", runtime_s));
        if (std::find(scale_outs.begin(), scale_outs.end(), scale_out) == scale_outs.end())
            throw tools::tool_error(
                "invalid_scale_out",
                fmt::format("expected a measured runtime of a candidate, found scale-out {}", scale_out));
        if (!found.emplace(scale_out, runtime_s).second)
            throw tools::wrong_usage("--measured", "every scale-out once", each);
    }
    return found;
}

[[nodiscard]] std::string count(std::size_t number, std::string_view unit) {
    return fmt::format("{} {}{}", number, unit, number == 1 ? "" : "s");
}

void print_basis(const bellamy::model& general, const bellamy::training_report& report, std::size_t observed,
                 const std::string& strategy) {
    const auto& basis = general.basis();
    fmt::print("model        {}, learnt from {} in {}, scale-outs {} to {}\n",
               basis.algorithm.empty() ? "not named" : basis.algorithm, count(basis.runs, "run"),
               count(basis.contexts, "context"), basis.seen_scale_outs.smallest, basis.seen_scale_outs.largest);
    if (observed == 0) {
        fmt::print("fine-tuning  none, since no run of this context was observed\n\n");
        return;
    }
    fmt::print("fine-tuning  {} ({}), {}: mean error {:.1f} s before, {:.1f} s after\n\n", count(observed, "observed run"),
               strategy, count(static_cast<std::size_t>(report.epochs), "epoch"), report.error_before_s,
               report.error_after_s);
}

void print_table(const std::vector<bellamy::assessment>& table, const measurements& measured,
                 const std::vector<bellamy::run>& observed) {
    fmt::print("scale-out  predicted s{}  verdict\n", measured.empty() ? "" : "  measured s  difference");
    double sum = 0;
    std::size_t compared = 0;
    for (const auto& row : table) {
        fmt::print("{:>9}  {:>11.1f}", row.scale_out, row.predicted.median_s);
        if (const auto truth = measured.find(row.scale_out); truth != measured.end()) {
            const double percent = 100 * (row.predicted.median_s - truth->second) / truth->second;
            fmt::print("  {:>10.1f}  {:>+8.1f} %", truth->second, percent);
            // Only what fine-tuning did not see says how good the prediction is.
            const auto same = [&](const auto& each) { return each.scale_out == row.scale_out; };
            if (std::none_of(observed.begin(), observed.end(), same)) {
                sum += std::abs(percent);
                ++compared;
            }
        } else if (!measured.empty()) {
            fmt::print("  {:>10}  {:>10}", "", "");
        }
        fmt::print("  {}{}\n", to_string(row.why),
                   row.predicted.outside_seen_scale_outs ? " (outside the scale-outs seen)" : "");
    }
    if (compared > 0)
        fmt::print("\nMean difference at {} that fine-tuning did not see: {:.1f} %\n", count(compared, "measured scale-out"),
                   sum / static_cast<double>(compared));
}

void print_curve(const std::vector<bellamy::assessment>& table, const std::vector<bellamy::run>& observed,
                 const bellamy::decision& answer, double deadline_s, std::string_view unit) {
    tools::curve_drawing drawing{.deadline_s = deadline_s, .unit = std::string(unit)};
    for (const auto& row : table)
        if (row.predicted.usable()) drawing.predicted.push_back({row.scale_out, row.predicted.median_s});
    for (const auto& each : observed) drawing.observed.push_back({each.scale_out, each.runtime_s});
    if (answer.feasible()) drawing.chosen = {answer.candidate->scale_out, answer.candidate->predicted.median_s};
    fmt::print("\n{}\n", tools::draw_curve(drawing));
}

void print_choice(const bellamy::decision& answer, const bellamy::curve& runtimes, double deadline_s,
                  std::string_view unit) {
    if (!answer.candidate) {
        fmt::print("No choice: none of the candidates has a usable prediction.\n");
        return;
    }
    const auto nodes = count(static_cast<std::size_t>(answer.candidate->scale_out), unit);
    const double predicted_s = answer.candidate->predicted.median_s;
    if (!answer.feasible()) {
        fmt::print(
            "Infeasible: no candidate is predicted to meet the deadline of {:g} s; the best effort is {} with {:.0f} s.\n",
            deadline_s, nodes, predicted_s);
        return;
    }
    fmt::print("Choose {}: predicted to take {:.0f} s, within the deadline of {:g} s", nodes, predicted_s, deadline_s);
    if (answer.outcome == bellamy::outcome::meets_deadline_by_extrapolation)
        fmt::print("; but that extrapolates, since only scale-outs {} to {} were seen", runtimes.seen_scale_outs().smallest,
                   runtimes.seen_scale_outs().largest);
    fmt::print(".\n");
}

void allocate(const arguments& given) {
    const auto strategy = tools::to_enumerator<bellamy::reuse_strategy::local>("--strategy", given.strategy);
    const auto general = load_model(given);
    const auto job = to_context(general.schema(), given.properties);
    const auto observed = to_runs(job, given.observed);
    const auto scale_outs = candidates(given, general.basis().seen_scale_outs);
    const auto measured = to_measurements(given.measured, scale_outs);

    const auto tuned = bellamy::fine_tune(general, observed, {.strategy = strategy, .seed = given.seed}).value();
    const auto runtimes = tuned.model.bind(job).value();
    std::vector<bellamy::assessment> table(scale_outs.size());
    const auto answer = bellamy::choose(runtimes, scale_outs, given.deadline_s, table).value();

    const auto unit = to_string(general.schema().unit);
    print_basis(general, tuned.report, observed.size(), given.strategy);
    print_table(table, measured, observed);
    print_curve(table, observed, answer, given.deadline_s, unit);
    print_choice(answer, runtimes, given.deadline_s, unit);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Finds the smallest scale-out that is predicted to meet a deadline, and shows why.", "allocate");
    arguments given;
    declare(app, given);
    return tools::run_program(app, argc, argv, [&] { allocate(given); });
}
