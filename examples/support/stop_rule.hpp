// When proposals stop: where fewer of them were in time than stated, by more than chance allows.
#ifndef BELLAMY_EXAMPLES_STOP_RULE_HPP
#define BELLAMY_EXAMPLES_STOP_RULE_HPP

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

namespace tools {

/// A run that had a stated probability to be in time.
struct stated_outcome {
    double stated = 0;
    bool kept = false;
};

/// How likely as few or fewer are in time if they are independent and stated rightly (Poisson-binomial distribution).
[[nodiscard]] inline double probability_of_as_few(const std::deque<stated_outcome>& runs, std::size_t latest) {
    std::vector<double> of_count(latest + 1, 0.0);  // probabilities of 0, 1, ... in time
    of_count[0] = 1;
    std::size_t kept = 0;
    for (std::size_t i = runs.size() - latest, seen = 1; i < runs.size(); ++i, ++seen) {
        for (std::size_t count = seen; count > 0; --count)
            of_count[count] = of_count[count] * (1 - runs[i].stated) + of_count[count - 1] * runs[i].stated;
        of_count[0] *= 1 - runs[i].stated;
        if (runs[i].kept) ++kept;
    }
    double sum = 0;
    for (std::size_t count = 0; count <= kept; ++count) sum += of_count[count];
    return sum;
}

/// Takes runs in their order. Stops where the latest one to ten, whichever tells most, are so seldom in time with a
/// probability of at most 1 in 9,000: four of four that were missed at 90 % each. Of a hundred healthy applications with 60
/// proposals each, fewer than one is stopped. Goes on where, of at least five runs since, as few are in time with 1 in 10.
class stop_rule {
public:
    void add(const stated_outcome& run) {
        recent_.push_back({.stated = std::min(run.stated, surest), .kept = run.kept});
        if (recent_.size() > most) recent_.pop_front();
        if (stopped_) {
            const bool would_hold = recent_.size() >= fewest_again && probability_of_as_few(recent_, recent_.size()) >= 0.1;
            if (would_hold) begin(false);
            return;
        }
        for (std::size_t latest = 1; latest <= recent_.size(); ++latest) {
            if (probability_of_as_few(recent_, latest) > 1.0 / 9000) continue;
            missed_.assign(recent_.end() - static_cast<std::ptrdiff_t>(latest), recent_.end());
            begin(true);
            return;
        }
    }

    [[nodiscard]] bool stopped() const noexcept { return stopped_; }
    /// The runs for which proposals stopped; empty where they did not.
    [[nodiscard]] const std::deque<stated_outcome>& missed() const noexcept { return missed_; }

private:
    static constexpr std::size_t most = 10;
    static constexpr double surest = 0.99;  // no history tells more: one miss alone stops nothing
    static constexpr std::size_t fewest_again = 5;

    void begin(bool stopped) {
        stopped_ = stopped;
        recent_.clear();
        if (!stopped) missed_.clear();
    }

    bool stopped_ = false;
    std::deque<stated_outcome> recent_{};
    std::deque<stated_outcome> missed_{};
};

}  // namespace tools

#endif
