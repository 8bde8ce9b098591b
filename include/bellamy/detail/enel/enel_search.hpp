// Successive halving over pre-trainings of Enel's network in configurations drawn at random.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_SEARCH_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_SEARCH_HPP

#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/detail/enel/enel_pretraining.hpp>
#include <bellamy/detail/network/training/eta.hpp>

#include <numeric>
#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// How much is searched; as published but for the estimator, in place of which configurations are drawn at random.
struct enel_search_plan {
    int trials = 40;
    int epochs = 300;
    std::uint64_t seed = 0;
    std::size_t threads = 1;
    double time_budget_s = 0;  // 0: none
    enel_noise noise{};
    parallel_options parallel{};
};

struct enel_trained {
    std::vector<double> parameters{};  // empty where every trial diverged
    enel_configuration configuration{};
    double validation_loss = std::numeric_limits<double>::infinity();
    int epochs = 0;  // of all trials
    int best_epoch = 0;
    bool lost = false;  // of several workers, another one ended too early
};

class enel_search {
public:
    static constexpr int first_rung = 30;  // epochs
    static constexpr int keep_one_in = 4;

    explicit enel_search(const enel_training_set& set) : set_(set) {}

    /// The same result for any number of threads, as long as no time budget ends it.
    [[nodiscard]] enel_trained run(const enel_search_plan& plan) const {
        const training_pace pace;
        const auto goes_on = [&] { return plan.time_budget_s <= 0 || pace.elapsed_s() < plan.time_budget_s; };
        return search(draw(plan), plan.epochs, [&](auto& trials, const auto& alive, int until) {
            const std::size_t threads = (std::max)(std::size_t{1}, plan.threads / alive.size());
            for_each_index(alive.size(), plan.threads,
                           [&](std::size_t i) { trials[alive[i]].run_until(until, threads, goes_on); });
            return true;
        });
    }

    /// The part of one worker, whose fellows are elsewhere and do the same with their averagers. There is no time budget, on
    /// which they would not agree.
    template <averager<double> Averager>
    [[nodiscard]] enel_trained run_as_worker(const enel_search_plan& plan, std::size_t worker, Averager& averager) const {
        return search(draw(plan, worker), plan.epochs, [&](auto& trials, const auto& alive, int until) {
            return std::all_of(alive.begin(), alive.end(),
                               [&](std::size_t i) { return trials[i].run_with_others(until, averager); });
        });
    }

private:
    // `train(trials, alive, epoch)` trains those alive until an epoch; false where that failed.
    template <class Train>
    [[nodiscard]] static enel_trained search(std::vector<enel_pretraining> trials, int epochs, const Train& train) {
        std::vector<std::size_t> alive(trials.size());
        std::iota(alive.begin(), alive.end(), std::size_t{0});
        for (int rung = first_rung; !alive.empty(); rung *= keep_one_in) {
            const int until = alive.size() == 1 ? epochs : (std::min)(rung, epochs);
            if (!train(trials, alive, until)) return {.lost = true};
            if (until == epochs) break;
            sort_stably(alive, [&](auto a, auto b) { return trials[a].best_loss() < trials[b].best_loss(); });
            alive.resize((alive.size() + keep_one_in - 1) / keep_one_in);
        }
        return best_of(trials);
    }

    [[nodiscard]] static enel_trained best_of(const std::vector<enel_pretraining>& trials) {
        enel_trained best;
        for (const auto& each : trials) {
            best.epochs += each.epoch();
            if (each.best().empty() || best.validation_loss <= each.best_loss()) continue;
            best.parameters = each.best();
            best.configuration = each.configuration();
            best.validation_loss = each.best_loss();
            best.best_epoch = each.best_epoch();
        }
        return best;
    }

    [[nodiscard]] std::vector<enel_pretraining> draw(const enel_search_plan& plan,
                                                     std::optional<std::size_t> only = {}) const {
        constexpr std::array dropouts{.05, .1, .2, .5};
        random_generator random(plan.seed);
        const auto log_uniform = [&](double low, double high) {
            return low * std::exp(random.uniform() * std::log(high / low));
        };
        std::vector<enel_pretraining> trials;
        trials.reserve(static_cast<std::size_t>(plan.trials));
        for (int i = 0; i < plan.trials; ++i) {
            enel_configuration one;
            one.alpha_dropout = dropouts[random.below(dropouts.size())];
            one.edge_dropout = dropouts[random.below(dropouts.size())];
            one.rates.learning_rate = log_uniform(1e-4, 1e-1);
            one.rates.weight_decay = log_uniform(1e-5, 1e-1);
            trials.emplace_back(set_, one, plan.noise, random.bits(), plan.parallel, only);
        }
        return trials;
    }

    const enel_training_set& set_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
