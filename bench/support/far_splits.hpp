// Questions beyond the largest data size or scale-out of a history, by how many doublings they lie beyond it.
#ifndef BELLAMY_BENCH_FAR_SPLITS_HPP
#define BELLAMY_BENCH_FAR_SPLITS_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/schema.hpp>

#include "far_laws.hpp"
#include "grid_splits.hpp"

namespace bench {

/// Cores of the whole cluster where they are known, else the scale-out.
[[nodiscard]] inline double units_of(const bellamy::run& run) noexcept {
    const double cores = total_cores(run.context, run.scale_out);
    return std::isnan(cores) ? run.scale_out : cores;
}

/// Draws histories from the runs of one application, and asks its other runs of them.
class far_splits {
public:
    static constexpr std::array<std::size_t, 3> contexts{4, 12, 30};
    /// Of one bin and history.
    static constexpr std::size_t most_tests = 8;

    far_splits(std::string part, std::string source, std::uint64_t seed)
        : part_(std::move(part)), source_(std::move(source)), random_(seed) {}

    /// Histories of runs up to each size and each scale-out, but the least and the largest.
    void add_recorded(std::vector<bellamy::run> runs, int draws, std::vector<history_case>& cases) {
        std::erase_if(runs, [](const auto& run) { return run.censored; });
        const auto size_of = [](const bellamy::run& run) { return data_size_of(run.context); };
        for (int draw = 0; draw < draws; ++draw)
            for (const std::size_t count : contexts) {
                for (const double most : thresholds(runs, size_of))
                    add_drawn(
                        runs, count, [&](const auto& run) { return size_of(run) <= most; }, cases);
                for (const double most : thresholds(runs, units_of))
                    add_drawn(
                        runs, count, [&](const auto& run) { return units_of(run) <= most; }, cases);
            }
    }

    /// Sizes over three doublings, at one scale-out each or at all; asked are up to four doublings beyond.
    void add_made_up(const growth_law& law, int draws, std::vector<history_case>& cases) {
        for (const auto laid_out : {layout::one_scale_out, layout::grid})
            for (const std::size_t count : contexts)
                for (int draw = 0; draw < draws; ++draw) {
                    auto multiples = law.multiples;
                    for (double& each : multiples) each *= std::exp2(2 * random_.uniform() - 1);
                    std::vector<bellamy::run> history;
                    double most = 0;
                    for (std::size_t c = 0; c < count; ++c) {
                        const double size = least_size_mb * std::exp2(3 * random_.uniform());
                        most = (std::max)(most, size);
                        for (const int x : made_up_scale_outs)
                            if (laid_out == layout::grid || x == any_scale_out_of(c))
                                history.push_back(run_of(law, multiples, size, x));
                    }
                    std::vector<bellamy::run> asked;
                    for (int i = 0; i < 16; ++i) {
                        const double beyond = std::exp2((i + random_.uniform()) / 4);
                        const auto x = made_up_scale_outs[random_.below(made_up_scale_outs.size())];
                        asked.push_back(run_of(law, multiples, most * beyond, x));
                        const double size = data_size_of(history[random_.below(history.size())].context);
                        asked.push_back(run_of(law, multiples, size, x));
                        asked.push_back(
                            run_of(law, multiples, size, static_cast<int>(std::ceil(made_up_scale_outs.back() * beyond))));
                    }
                    add(std::move(history), asked, cases);
                }
    }

private:
    // Values with at least one below and one above, no more than four.
    template <class Value>
    [[nodiscard]] static std::vector<double> thresholds(std::span<const bellamy::run> runs, const Value& value) {
        std::set<double> distinct;
        for (const auto& run : runs) distinct.insert(value(run));
        const std::vector<double> sorted(distinct.begin(), distinct.end());
        std::set<double> chosen;
        for (std::size_t i = 1; i < 5; ++i)
            if (const std::size_t at = i * sorted.size() / 5; at > 0 && at + 1 < sorted.size()) chosen.insert(sorted[at]);
        return {chosen.begin(), chosen.end()};
    }

    // One run of every configuration of some contexts for which `is_seen` holds.
    template <class Predicate>
    void add_drawn(std::span<const bellamy::run> runs, std::size_t count, const Predicate& is_seen,
                   std::vector<history_case>& cases) {
        std::vector<bellamy::run> shuffled(runs.begin(), runs.end());
        random_.shuffle(std::span(shuffled));
        const auto numbers = bellamy::context_numbers(shuffled);
        std::set<std::uint32_t> taken;
        std::set<std::pair<std::uint32_t, int>> configurations;
        std::set<std::string> machines;
        std::vector<bellamy::run> history;
        std::vector<bellamy::run> others;
        for (std::size_t i = 0; i < shuffled.size(); ++i) {
            const auto& run = shuffled[i];
            if (is_seen(run) && taken.size() < count) taken.insert(numbers[i]);
            if (is_seen(run) && taken.contains(numbers[i])) {
                if (configurations.emplace(numbers[i], run.scale_out).second) history.push_back(run);
                machines.insert(machine_of(run.context));
            } else {
                others.push_back(run);
            }
        }
        std::erase_if(others, [&](const auto& run) { return !machines.contains(machine_of(run.context)); });
        if (taken.size() == count) add(std::move(history), others, cases);
    }

    // Questions beyond in one direction alone, and those inside; a direction that did not vary has no law to be followed.
    void add(std::vector<bellamy::run> history, std::span<const bellamy::run> asked, std::vector<history_case>& cases) {
        std::set<double> sizes;
        std::set<double> units;
        for (const auto& run : history) {
            sizes.insert(data_size_of(run.context));
            units.insert(units_of(run));
        }
        const auto shared = std::make_shared<const std::vector<bellamy::run>>(std::move(history));
        std::map<std::string, history_case> bins;
        for (const auto& run : asked) {
            const double size = data_size_of(run.context);
            const double size_doublings = std::log2(size / *sizes.rbegin());
            const double unit_doublings = std::log2(units_of(run) / *units.rbegin());
            if (size < *sizes.begin() || units_of(run) < *units.begin()) continue;
            if (size_doublings > 0 && (unit_doublings > 0 || sizes.size() < 2)) continue;
            if (unit_doublings > 0 && units.size() < 2) continue;
            const auto name = size_doublings > 0   ? bin_of("size", size_doublings)
                              : unit_doublings > 0 ? bin_of("scale-out", unit_doublings)
                                                   : std::string("inside");
            auto& bin = bins[name];
            if (bin.tests.size() < most_tests) bin.tests.push_back({.of = run, .median_s = run.runtime_s});
        }
        for (auto& [name, bin] : bins) {
            bin.part = part_;
            bin.group = source_ + " " + name;
            bin.history = shared;
            cases.push_back(std::move(bin));
        }
    }

    [[nodiscard]] static std::string bin_of(const char* direction, double doublings) {
        const int most = static_cast<int>(std::ceil(doublings));
        return most > 3 ? fmt::format("{}>3", direction) : fmt::format("{}<={}", direction, most);
    }

    [[nodiscard]] static int any_scale_out_of(std::size_t number) noexcept {
        return made_up_scale_outs[3 * number % made_up_scale_outs.size()];
    }

    [[nodiscard]] bellamy::run run_of(const growth_law& law, const growth_row& multiples, double size, int x) {
        const auto row = law.columns(size, x, cliff_at_mb);
        const double median_s = std::inner_product(row.begin(), row.end(), multiples.begin(), 0.0);
        bellamy::run made{.scale_out = x, .runtime_s = median_s * std::exp(0.05 * random_.normal())};
        made.context.essential = {bellamy::quantity("data_size_MB", size).with_role(bellamy::property_role::data_size)};
        return made;
    }

    std::string part_;
    std::string source_;
    bellamy::detail::random_generator random_;
};

}  // namespace bench

#endif
