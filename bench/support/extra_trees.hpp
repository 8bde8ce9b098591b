// Extremely randomised trees (Geurts, Ernst and Wehenkel 2006): a regression whose splits are the best of random ones.
#ifndef BELLAMY_BENCH_EXTRA_TREES_HPP
#define BELLAMY_BENCH_EXTRA_TREES_HPP

#include <bellamy/detail/base/random.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace bench {

struct extra_trees_settings {
    std::size_t trees = 100;
    /// A node of fewer rows is a leaf.
    std::size_t least_to_split = 2;
};

/// Every tree sees all rows. At each node, a threshold is drawn for each feature, uniformly over the node's rows; that of
/// the least variance below it is taken.
template <std::size_t Features>
class extra_trees {
public:
    using row = std::array<double, Features>;

    /// Precondition: as many targets as rows, at least one; both outlive the trees.
    extra_trees(std::span<const row> rows, std::span<const double> targets, extra_trees_settings settings,
                std::uint64_t seed)
        : rows_(rows), targets_(targets), settings_(settings), random_(seed) {
        std::vector<std::size_t> members(rows.size());
        for (std::size_t i = 0; i < settings.trees; ++i) {
            std::iota(members.begin(), members.end(), std::size_t{0});
            roots_.push_back(grow(members));
        }
    }

    /// What each tree predicts.
    [[nodiscard]] std::vector<double> predict(const row& at) const {
        std::vector<double> predicted;
        predicted.reserve(roots_.size());
        for (std::size_t number : roots_) {
            while (nodes_[number].split) {
                const auto& at_node = nodes_[number];
                number = at[at_node.split->feature] <= at_node.split->threshold ? at_node.below : at_node.above;
            }
            predicted.push_back(nodes_[number].mean);
        }
        return predicted;
    }

private:
    struct random_split {
        std::size_t feature = 0;
        double threshold = 0;
        double score = 0;
    };
    struct node {
        std::optional<random_split> split{};
        std::size_t below = 0;
        std::size_t above = 0;
        double mean = 0;
    };

    /// Adds the node of these rows and all below it; gives its number.
    std::size_t grow(std::span<std::size_t> members) {
        node made;
        for (const std::size_t i : members) made.mean += targets_[i] / static_cast<double>(members.size());
        if (members.size() >= settings_.least_to_split) made.split = best_split(members);
        if (made.split) {
            const auto middle = std::partition(members.begin(), members.end(), [&](std::size_t i) {
                return rows_[i][made.split->feature] <= made.split->threshold;
            });
            const auto count = static_cast<std::size_t>(middle - members.begin());
            made.below = grow(members.first(count));
            made.above = grow(members.subspan(count));
        }
        nodes_.push_back(made);
        return nodes_.size() - 1;
    }

    /// None where the rows or the targets are alike.
    std::optional<random_split> best_split(std::span<const std::size_t> members) {
        const auto [least, most] = std::ranges::minmax(members, {}, [&](std::size_t i) { return targets_[i]; });
        if (!(targets_[least] < targets_[most])) return std::nullopt;
        std::optional<random_split> best;
        for (std::size_t feature = 0; feature < Features; ++feature) {
            const auto [first, last] = std::ranges::minmax(members, {}, [&](std::size_t i) { return rows_[i][feature]; });
            const double low = rows_[first][feature];
            const double high = rows_[last][feature];
            random_split drawn{.feature = feature, .threshold = low + random_.uniform() * (high - low)};
            if (!(low < high) || drawn.threshold >= high) continue;
            // The less variance is left, the larger are the squared sums over the counts.
            std::array<double, 2> sums{};
            std::array<double, 2> counts{};
            for (const std::size_t i : members) {
                const std::size_t side = rows_[i][feature] <= drawn.threshold ? 0 : 1;
                sums[side] += targets_[i];
                ++counts[side];
            }
            drawn.score = sums[0] * sums[0] / counts[0] + sums[1] * sums[1] / counts[1];
            if (!best || drawn.score > best->score) best = drawn;
        }
        return best;
    }

    std::span<const row> rows_;
    std::span<const double> targets_;
    extra_trees_settings settings_;
    bellamy::detail::random_generator random_;
    std::vector<node> nodes_{};
    std::vector<std::size_t> roots_{};
};

}  // namespace bench

#endif
