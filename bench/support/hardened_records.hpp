// The C3O records made as scarce as real histories: few contexts, few scale-outs of each, a machine type or sizes unseen.
#ifndef BELLAMY_BENCH_HARDENED_RECORDS_HPP
#define BELLAMY_BENCH_HARDENED_RECORDS_HPP

#include <bellamy/detail/base/random.hpp>

#include "history_case.hpp"
#include "records.hpp"

#include <fmt/format.h>

#include <map>

namespace bench {

/// Rows of a table by context, then by scale-out.
using rows_by_configuration = std::map<std::uint32_t, std::map<int, std::vector<std::size_t>>>;

[[nodiscard]] inline rows_by_configuration configurations_of(const record_table& records) {
    rows_by_configuration made;
    for (std::size_t i = 0; i < records.runs.size(); ++i) made[records.contexts[i]][records.runs[i].scale_out].push_back(i);
    return made;
}

/// A target context and what it is asked: with none, one and two observed runs, one run of every other scale-out.
inline void ask_of_context(const record_table& records, const std::map<int, std::vector<std::size_t>>& target,
                           const std::string& group, const std::shared_ptr<const std::vector<bellamy::run>>& history,
                           bellamy::detail::random_generator& random, std::vector<history_case>& cases) {
    std::vector<std::size_t> chosen;
    for (const auto& [scale_out, rows] : target) chosen.push_back(rows[random.below(rows.size())]);
    random.shuffle(std::span(chosen));
    for (std::size_t k = 0; k <= 2 && k < chosen.size(); ++k) {
        history_case made{.part = "c3o", .group = fmt::format("{} k={}", group, k), .history = history};
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const auto& one = records.runs[chosen[i]];
            if (i < k) {
                made.observed.push_back(one);
            } else {
                made.tests.push_back({.of = one, .median_s = one.runtime_s});
            }
        }
        cases.push_back(std::move(made));
    }
}

/// A random target; `contexts` other contexts with `scale_outs` scale-outs of each, one run of every configuration.
inline void add_thinned(const record_table& records, const std::string& algorithm, std::size_t contexts,
                        std::size_t scale_outs, std::uint64_t seed, std::vector<history_case>& cases) {
    bellamy::detail::random_generator random(seed);
    const auto all = configurations_of(records);
    std::vector<std::uint32_t> order;
    for (const auto& [context, rows] : all) order.push_back(context);
    random.shuffle(std::span(order));
    std::vector<bellamy::run> history;
    for (std::size_t i = 1; i < order.size() && i <= contexts; ++i) {
        std::vector<std::size_t> rows;
        for (const auto& [scale_out, here] : all.at(order[i])) rows.push_back(here[random.below(here.size())]);
        random.shuffle(std::span(rows));
        rows.resize((std::min)(rows.size(), scale_outs));
        for (const auto row : rows) history.push_back(records.runs[row]);
    }
    ask_of_context(records, all.at(order.front()), fmt::format("{} {} contexts x {}", algorithm, contexts, scale_outs),
                   std::make_shared<const std::vector<bellamy::run>>(std::move(history)), random, cases);
}

/// Every context for which `is_target` holds, asked of the runs of all others.
template <class Predicate>
void add_left_out(const record_table& records, const std::string& group, std::uint64_t seed, const Predicate& is_target,
                  std::vector<history_case>& cases) {
    bellamy::detail::random_generator random(seed);
    std::vector<bellamy::run> history;
    for (const auto& each : records.runs)
        if (!is_target(each.context)) history.push_back(each);
    const auto shared = std::make_shared<const std::vector<bellamy::run>>(std::move(history));
    for (const auto& [context, rows] : configurations_of(records))
        if (is_target(records.runs[rows.begin()->second.front()].context))
            ask_of_context(records, rows, group, shared, random, cases);
}

/// Each machine type left out in turn.
inline void add_unseen_machines(const record_table& records, const std::string& algorithm, std::uint64_t seed,
                                std::vector<history_case>& cases) {
    std::map<std::string, std::size_t> machines;
    const auto machine_of = [](const bellamy::context& subject) {
        for (const auto& each : subject.essential)
            if (each.role == bellamy::property_role::machine_type) return *each.value.text();
        return std::string{};
    };
    for (const auto& each : records.runs) ++machines[machine_of(each.context)];
    if (machines.size() < 2) return;
    for (const auto& each : machines)
        if (2 * each.second < records.runs.size())
            add_left_out(
                records, algorithm + " unseen machine", seed,
                [&](const bellamy::context& subject) { return machine_of(subject) == each.first; }, cases);
}

/// The sizes above the 0.75 quantile of the runs' left out.
inline void add_larger_sizes(const record_table& records, const std::string& algorithm, std::uint64_t seed,
                             std::vector<history_case>& cases) {
    std::vector<double> sizes;
    for (const auto& each : records.runs) sizes.push_back(data_size_of(each.context));
    std::ranges::sort(sizes);
    // Strictly below the largest, so that some are left out.
    const auto last = std::ranges::lower_bound(sizes, sizes.back());
    const auto at = (std::min)(static_cast<std::ptrdiff_t>(sizes.size() * 3 / 4), last - sizes.begin() - 1);
    if (at < 0) return;
    const double largest = sizes[static_cast<std::size_t>(at)];
    add_left_out(
        records, algorithm + " larger sizes", seed,
        [&](const bellamy::context& subject) { return data_size_of(subject) > largest; }, cases);
}

}  // namespace bench

#endif
