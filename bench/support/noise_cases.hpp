// Made-up histories of known noise: contexts with one run or more, and targets with runs observed in them.
#ifndef BELLAMY_BENCH_NOISE_CASES_HPP
#define BELLAMY_BENCH_NOISE_CASES_HPP

#include "noise_laws.hpp"

#include <numeric>

namespace bench {

/// One row of the table.
struct noise_cell {
    noise_law noise{};
    /// Runs of every context of the history; 0 for a cold start without a history.
    int runs = 1;
};

inline constexpr std::array<double, 5> noise_scatters{0.03, 0.06, 0.12, 0.2, 0.3};
inline constexpr std::array<int, 4> noise_runs{0, 1, 2, 5};
inline constexpr std::array<std::size_t, 4> noise_observed{0, 2, 8, 30};
inline constexpr std::size_t most_observed = noise_observed.back();

/// A context that is asked about: its law, its noise, and its runs in the order in which they are observed.
struct noise_target {
    bellamy::context context{};
    std::array<double, made_up_scale_outs.size()> median_s{};
    noise_law noise{};
    std::vector<bellamy::run> observed{};
    /// One run of every scale-out.
    std::vector<bellamy::run> tests{};
};

struct noise_history {
    std::vector<bellamy::run> runs{};
    std::vector<noise_target> targets{};
};

/// Draws runs of one law, its multiples varied by up to a factor of two.
class noisy_law {
public:
    noisy_law(const growth_law& law, std::uint64_t seed) : random_(seed), columns_(law.columns), multiples_(law.multiples) {
        for (double& multiple : multiples_) multiple *= std::exp2(2 * random_.uniform() - 1);
    }

    [[nodiscard]] double median_s(double size_mb, int scale_out) const noexcept {
        const auto row = columns_(size_mb, scale_out, cliff_at_mb);
        return std::inner_product(row.begin(), row.end(), multiples_.begin(), 0.0);
    }
    [[nodiscard]] bellamy::run draw(double size_mb, int scale_out, const noise_law& noise) {
        bellamy::run drawn{
            .scale_out = scale_out,
            .runtime_s = median_s(size_mb, scale_out) * std::exp(noise.noise_at(random_.normal(), scale_out))};
        drawn.context.essential = {bellamy::quantity("data_size_MB", size_mb).with_role(bellamy::property_role::data_size)};
        return drawn;
    }
    /// Sizes within four fifths of the two decades for `share` 0.8: targets lie inside the history.
    [[nodiscard]] double draw_size(double share) {
        const double position = 0.5 + share * (random_.uniform() - 0.5);
        return least_size_mb * std::pow(largest_size_mb / least_size_mb, position);
    }
    [[nodiscard]] int draw_scale_out() { return made_up_scale_outs[random_.below(made_up_scale_outs.size())]; }
    [[nodiscard]] bellamy::detail::random_generator& random() noexcept { return random_; }

private:
    bellamy::detail::random_generator random_;
    growth_columns columns_;
    growth_row multiples_;
};

inline constexpr std::size_t noise_contexts = 60;
inline constexpr std::size_t noise_targets = 20;

/// A history of 60 contexts and 20 targets. Even seeds: all runs of a context at one scale-out; odd ones: a scale-out drawn
/// for each. Targets the same, in turns.
[[nodiscard]] inline noise_history draw_noise_history(const growth_law& law, const noise_cell& cell, std::uint64_t seed,
                                                      std::size_t targets = noise_targets) {
    noisy_law drawing(law, seed);
    noise_history drawn;
    for (std::size_t c = 0; c < noise_contexts; ++c) {
        const auto noise = cell.noise.of_context(drawing.random());
        const double size = drawing.draw_size(1);
        int scale_out = drawing.draw_scale_out();
        for (int r = 0; r < cell.runs; ++r) {
            drawn.runs.push_back(drawing.draw(size, scale_out, noise));
            if (seed % 2 == 1) scale_out = drawing.draw_scale_out();
        }
    }
    for (std::size_t t = 0; t < targets; ++t) {
        noise_target target{.noise = cell.noise.of_context(drawing.random())};
        const double size = drawing.draw_size(0.8);
        int scale_out = drawing.draw_scale_out();
        for (std::size_t i = 0; i < most_observed; ++i) {
            target.observed.push_back(drawing.draw(size, scale_out, target.noise));
            if (t % 2 == 1) scale_out = drawing.draw_scale_out();
        }
        for (std::size_t i = 0; i < made_up_scale_outs.size(); ++i) {
            target.median_s[i] = drawing.median_s(size, made_up_scale_outs[i]);
            target.tests.push_back(drawing.draw(size, made_up_scale_outs[i], target.noise));
        }
        target.context = target.tests.front().context;
        drawn.targets.push_back(std::move(target));
    }
    return drawn;
}

}  // namespace bench

#endif
