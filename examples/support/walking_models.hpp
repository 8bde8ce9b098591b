// Models of the first runs of a history, as a walk through it in time needs them, of which most differ by a few runs.
#ifndef BELLAMY_EXAMPLES_WALKING_MODELS_HPP
#define BELLAMY_EXAMPLES_WALKING_MODELS_HPP

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "history.hpp"

namespace tools {

/// Of one application: a model is conditioned on a tenth more runs, and learned anew beyond.
class walking_models {
public:
    explicit walking_models(std::string name) : name_(std::move(name)) {}

    /// Errors: those of `learn` and `condition`. Precondition: not empty.
    [[nodiscard]] bellamy::result<bellamy::model> of_first(std::span<const bellamy::run> runs) {
        forget_others(runs);
        auto learnt = learnt_.upper_bound(runs.size());
        if (learnt == learnt_.begin() || 10 * runs.size() >= 11 * std::prev(learnt)->first) {
            const auto made = learn(runs, name_);
            if (made) learnt_.emplace(runs.size(), *made);
            return made;
        }
        const auto& [count, model] = *--learnt;
        const auto more = runs.subspan(count);
        return more.empty() ? bellamy::result<bellamy::model>(model) : model.condition(more);
    }

private:
    // Where runs overlap, one that began earlier may end later and come in between.
    void forget_others(std::span<const bellamy::run> runs) {
        const auto same = [](const bellamy::run& a, const bellamy::run& b) {
            return a.timestamp_s == b.timestamp_s && a.runtime_s == b.runtime_s && a.scale_out == b.scale_out;
        };
        const auto both = std::min(runs.size(), runs_.size());
        if (!std::equal(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(both), runs_.begin(), same)) {
            learnt_.clear();
            runs_.clear();
        }
        for (auto i = runs_.size(); i < runs.size(); ++i) runs_.push_back(runs[i]);
    }

    std::string name_;
    std::map<std::size_t, bellamy::model> learnt_{};  // by their numbers of runs
    std::vector<bellamy::run> runs_{};                // that the models are of
};

}  // namespace tools

#endif
