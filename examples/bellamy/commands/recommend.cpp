// For every application of a history: how large its next run should be, and how probably it then meets its deadline.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../../support/advice_details.hpp"
#include "../../support/advice_files.hpp"
#include "../../support/advice_record.hpp"
#include "../../support/advice_table.hpp"
#include "../../support/advised.hpp"
#include "../../support/answer_plot.hpp"
#include "../../support/input_size.hpp"
#include "../../support/json_record.hpp"
#include "../../support/ledger_text.hpp"
#include "../../support/machine_text.hpp"
#include "../../support/printable.hpp"
#include "../../support/program.hpp"
#include "../../support/progress_bar.hpp"
#include "../../support/recommend_arguments.hpp"
#include "../command.hpp"

namespace {

using tools::advised;

struct team_advice {
    std::vector<advised> applications{};
    tools::price_list prices{};
    std::string currency{};
};

[[nodiscard]] nlohmann::ordered_json record_of(const advised& one, double price_per_hour, const tools::price_list& prices) {
    if (!one.advice)
        return {{"application", one.of->name}, {"runs", one.of->runs.size()}, {"error", one.advice.error().message()}};
    auto record = tools::to_json(*one.of, *one.advice, price_per_hour);
    const auto machines = tools::compare_machines(*one.of, *one.advice, prices);
    record["machines"] = tools::to_json(machines);
    const auto why = tools::why_not_compared(machines, *one.of, *one.advice, prices);
    record["machines_not_compared"] = why.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(why);
    record["past_proposals"] = one.past ? tools::to_json(one.past->sums, price_per_hour) : nlohmann::ordered_json(nullptr);
    return record;
}

void print_recommend_json(const team_advice& advice, const tools::recommend_arguments& given) {
    const auto& all = advice.applications;
    auto records = nlohmann::ordered_json::array();
    for (const auto& one : all) records.push_back(record_of(one, given.price_per_hour, advice.prices));
    tools::print_record("recommend",
                        {{"applications", std::move(records)},
                         {"past_proposals", given.keeps_ledger() ? tools::to_json(sums_of(all), given.price_per_hour)
                                                                 : nlohmann::ordered_json(nullptr)}});
}

[[nodiscard]] std::vector<advised> advise_all(const tools::team_history& history, const tools::advice_request& wanted,
                                              const tools::recommend_arguments& given) {
    const auto deadlines = given.deadlines.empty() ? tools::deadline_file{} : tools::read_deadlines(given.deadlines);
    tools::require_a_deadline_applies(history, deadlines, given.deadlines);
    std::vector<const tools::application_history*> applications;
    if (given.is_of_one()) {
        applications.push_back(&history.application(given.application));
    } else {
        for (const auto& application : history.applications) applications.push_back(&application);
    }
    tools::progress_bar bar("learning");
    std::vector<advised> all;
    all.reserve(applications.size());
    for (const auto* application : applications) {
        const auto asked = tools::request_for(application->name, wanted, deadlines);
        all.push_back(
            {.of = application, .advice = tools::advise(*application, asked), .has_deadline = asked.deadline_s > 0});
        bar.advance(static_cast<double>(all.size()) / static_cast<double>(applications.size()),
                    fmt::format("{} of {} applications", all.size(), applications.size()));
    }
    return all;
}

void write_down(const std::vector<advised>& all, const tools::recommend_arguments& given) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const double now_s = given.at_s.value_or(std::chrono::duration<double>(now).count());
    std::vector<tools::ledger_entry> entries;
    for (const auto& one : all)
        if (one.advice) entries.push_back(tools::to_entry(*one.of, *one.advice, now_s));
    tools::append_to_ledger(given.ledger, entries);
}

[[nodiscard]] tools::team_history read_history(const tools::recommend_arguments& given) {
    auto read = tools::read_history(given.history, given.skip_invalid, tools::to_name_rule(given.name_rules));
    tools::tell_skipped(read);
    if (given.is_configuration() && given.out.empty() && !given.is_of_one() && read.applications.size() > 1)
        throw CLI::ValidationError(
            fmt::format("--format {} of {} applications needs --out FOLDER, for a file each, or --application", given.format,
                        read.applications.size()));
    return read;
}

void print_advice(const team_advice& advice, const tools::recommend_arguments& given) {
    const auto& all = advice.applications;
    if (given.format == "json") return print_recommend_json(advice, given);
    if (!given.out.empty()) return tools::write_configurations(all, given.format, given.out);
    if (given.is_configuration()) {
        for (const auto& one : all) tools::print_configuration(one, given.format);
        return;
    }
    if (given.is_of_one()) {
        const auto& one = all.front();
        tools::print_advice(one, given.price());
        const auto machines = tools::compare_machines(*one.of, *one.advice, advice.prices);
        if (!machines.empty()) tools::print_machines(machines, *one.advice, advice.currency);
        const auto why = tools::why_not_compared(machines, *one.of, *one.advice, advice.prices);
        if (!why.empty()) fmt::print("\n{}\n", tools::printable(why));
    } else {
        tools::print_advice_table(all, given.price());
    }
    if (given.keeps_ledger()) tools::print_ledger(all, given.price());
}

[[nodiscard]] int run_recommend(const tools::recommend_arguments& given) {
    auto wanted = tools::request_of(given);
    tools::require_outputs(given);
    const auto history = read_history(given);
    if (given.size_mb || !given.input.empty()) tools::require_bytes(history.application(given.application));
    if (!given.input.empty()) wanted.size = tools::size_of_files(history.application(given.application), given.input);
    const auto entries = given.keeps_ledger() ? tools::read_ledger(given.ledger) : std::vector<tools::ledger_entry>();
    auto money = given.currency_of_price;
    team_advice advice{
        .prices = {.otherwise = given.price_per_hour, .machines = tools::to_priced_machines(given.machines, money)}};
    advice.currency = money.name();
    tools::require_known_machines(history, advice.prices);
    advice.applications = advise_all(history, wanted, given);
    auto& all = advice.applications;
    if (given.is_of_one()) (void)all.front().advice.value();
    if (given.keeps_ledger())
        for (auto& one : all) tools::look_back_at(entries, one);
    print_advice(advice, given);
    if (given.keeps_ledger()) write_down(all, given);
    if (!given.plot.empty()) tools::write_plot(tools::to_answer(all.front()), given.plot);
    return !given.is_of_one() || all.front().advice->proposal ? 0 : tools::infeasible;
}

}  // namespace

tools::command_body tools::declare_recommend(CLI::App& app) {
    app.description("Recommends a size for the next run of every application of a history.");
    const auto given = std::make_shared<tools::recommend_arguments>();
    declare(app, *given);
    return [given] { return run_recommend(*given); };
}
