// Prints and draws what placing jobs hour by hour cost, by strategy.
#ifndef BELLAMY_EXAMPLES_PLACEMENT_DAYS_ANSWER_HPP
#define BELLAMY_EXAMPLES_PLACEMENT_DAYS_ANSWER_HPP

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "json_record.hpp"
#include "output_file.hpp"
#include "placement_days.hpp"
#include "plot_style.hpp"
#include "text_table.hpp"

namespace tools {

namespace detail {

[[nodiscard]] inline nlohmann::ordered_json as_json(const days_compared& all, std::size_t k) {
    const auto& totals = all.learned.strategies[k];
    const auto& alone = all.always[k].strategies[k];
    nlohmann::ordered_json record{{"hours", totals.hours},
                                  {"jobs", totals.jobs},
                                  {"cost", totals.cost},
                                  {"always", all.always[k].cost},
                                  {"left_out", all.always[k].left_out},
                                  {"failures", alone.failures}};
    record["why_failed"] = alone.failures > 0 ? nlohmann::ordered_json(alone.why_failed) : nlohmann::ordered_json();
    return record;
}

[[nodiscard]] inline nlohmann::ordered_json as_json(const hour_record& hour) {
    nlohmann::ordered_json record{
        {"hour", hour.hour}, {"arrived", hour.arrived}, {"running", hour.running}, {"cost", hour.cost}};
    record["strategy"] =
        hour.strategy ? nlohmann::ordered_json(placement_strategy_names[*hour.strategy]) : nlohmann::ordered_json();
    record["probabilities"] = hour.probabilities;
    return record;
}

template <class Number>
[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<Number>& number) {
    return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
}

}  // namespace detail

inline void print_days_json(const days_compared& all) {
    nlohmann::ordered_json days{{"rule", learning_rule_names[static_cast<std::size_t>(all.rule)]},
                                {"jobs", all.learned.jobs},
                                {"left_out", all.learned.left_out},
                                {"cost", all.learned.cost},
                                {"best_fixed", placement_strategy_names[all.best()]},
                                {"regret", all.regret()}};
    days["expected_regret"] = detail::or_null(all.learned.expected_regret);
    days["regret_bound"] = detail::or_null(all.learned.regret_bound);
    for (std::size_t k = 0; k < all.always.size(); ++k)
        days["strategies"][std::string(placement_strategy_names[k])] = detail::as_json(all, k);
    days["hours"] = nlohmann::ordered_json::array();
    for (const auto& hour : all.learned.hours) days["hours"].push_back(detail::as_json(hour));
    print_record("place", {{"days", std::move(days)}});
}

inline void print_days(const days_compared& all) {
    fmt::print("{} chose in {} hours in which {} jobs arrived; {} had no room\n\n",
               learning_rule_names[static_cast<std::size_t>(all.rule)], all.learned.rounds, all.learned.jobs,
               all.learned.left_out);
    text_table table;
    table.add_column("strategy", false);
    for (const char* title : {"hours", "jobs", "cost", "cost if always", "no room", "failures"})
        table.add_column(title, true);
    for (std::size_t k = 0; k < all.always.size(); ++k) {
        const auto& totals = all.learned.strategies[k];
        table.add_cell(std::string(placement_strategy_names[k]));
        table.add_cell(std::to_string(totals.hours));
        table.add_cell(std::to_string(totals.jobs));
        table.add_cell(fmt::format("{:.4f}", totals.cost));
        table.add_cell(fmt::format("{:.4f}", all.always[k].cost));
        table.add_cell(std::to_string(all.always[k].left_out));
        table.add_cell(std::to_string(all.always[k].strategies[k].failures));
    }
    fmt::print("{}\n", table.text());
    for (std::size_t k = 0; k < all.always.size(); ++k)
        if (const auto& alone = all.always[k].strategies[k]; alone.failures > 0)
            fmt::print("{} failed in {} hours, and crawlers placed its jobs: {}\n", placement_strategy_names[k],
                       alone.failures, alone.why_failed);
    const auto& best = all.always[all.best()];
    fmt::print("cost {:.4f}; {}, the best fixed strategy in hindsight, {:.4f}: regret {:.4f}", all.learned.cost,
               placement_strategy_names[all.best()], best.cost, all.regret());
    if (best.cost > 0) fmt::print(" ({:.2f} %)", 100 * all.regret() / best.cost);
    if (best.left_out != all.learned.left_out)
        fmt::print(", with {} jobs without room for {}", all.learned.left_out, best.left_out);
    fmt::print("\n");
    if (all.learned.expected_regret)
        fmt::print("learning: expected regret {:.2f} of {} bills, at most {:.2f} whatever the prices\n",
                   *all.learned.expected_regret, all.learned.rounds, *all.learned.regret_bound);
}

namespace detail {

/// The script of three pictures one above the other.
[[nodiscard]] inline std::string days_script(const days_compared& all) {
    const auto& learned = all.learned.hours;
    const auto& best = all.always[all.best()].hours;
    std::string script =
        "set encoding utf8\nset terminal svg noenhanced size 800,820 font 'sans-serif,14' background rgb 'white'\n"
        "set tics nomirror out\nset border 3 lw 1\nset grid y lt 1 lw 1 lc rgb '#E0E0E0'\nset key above\n"
        "set lmargin 10\nset rmargin 3\n$hours << EOD\n";
    double regret = 0;
    std::vector<double> probabilities(placement_strategy_names.size(), 1.0 / placement_strategy_names.size());
    for (std::size_t i = 0; i < learned.size(); ++i) {
        regret += learned[i].cost - best[i].cost;
        if (!learned[i].probabilities.empty()) probabilities = learned[i].probabilities;
        script += fmt::format("{} {} {} {}", learned[i].hour, learned[i].cost, best[i].cost, regret);
        for (const double each : probabilities) script += fmt::format(" {}", each);
        script += '\n';
    }
    const auto name = [](std::size_t k) { return std::string(placement_strategy_names[k]); };
    script += fmt::format(
        "EOD\nset multiplot layout 3,1\nset ylabel 'cost per hour'\nplot $hours using 1:2 with steps lw 2 lc rgb '{}' title "
        "{}, "
        "$hours using 1:3 with steps lw 1 lc rgb '{}' title {}\n",
        colour::black, in_quotes(fmt::format("chosen by {}", learning_rule_names[static_cast<std::size_t>(all.rule)])),
        colour::blue, in_quotes("always " + name(all.best())));
    script += fmt::format("set ylabel 'regret so far'\nplot $hours using 1:4 with lines lw 2 lc rgb '{}' notitle\n",
                          colour::vermilion);
    script += "set ylabel 'probability'\nset yrange [0:1]\nset xlabel 'hour'\nplot ";
    constexpr std::array colours{colour::blue, colour::vermilion, colour::orange};
    for (std::size_t k = 0; k < probabilities.size(); ++k)
        script += fmt::format("{}$hours using 1:{} with steps lw 2 lc rgb '{}' title {}", k > 0 ? ", " : "", 5 + k,
                              colours[k], in_quotes(name(k)));
    return script + "\nunset multiplot\n";
}

}  // namespace detail

/// The cost of every hour, the regret so far, and the probability of each strategy, over time. Errors: missing_program,
/// program_failed, cannot_write.
inline void write_days_plot(const days_compared& all, const std::string& path) {
    write_file(path, detail::with_title(detail::draw(detail::days_script(all)), "Cost of placing jobs hour by hour",
                                        fmt::format("Cost of every hour, regret against {} and probability of each strategy",
                                                    placement_strategy_names[all.best()])));
}

}  // namespace tools

#endif
