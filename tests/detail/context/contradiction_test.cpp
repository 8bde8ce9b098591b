#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/context/contradiction.hpp>

#include <doctest/doctest.h>

#include <set>

#include "support/made_up_job.hpp"

using namespace bellamy;

TEST_CASE("runs contradict each other where two that ended, of one scale-out, are more than a factor of two apart") {
    detail::random_generator random(1);
    int contradictory = 0;
    for (int round = 0; round < 500; ++round) {
        std::vector<run> history;
        std::vector<std::uint32_t> contexts;
        for (int i = 0; i < 10; ++i) {
            contexts.push_back(static_cast<std::uint32_t>(random.below(3)));
            auto one = support::made_up_run(1 + contexts.back(), static_cast<int>(1 + random.below(4)));
            // Exactly a factor of two among them, which is none too many.
            one.runtime_s = std::array{10.0, 12.0, 20.0, 21.0}[random.below(4)];
            one.censored = random.below(4) == 0;
            history.push_back(one);
        }
        std::set<std::pair<std::uint32_t, int>> found;
        for (std::size_t i = 0; i < history.size(); ++i)
            for (std::size_t j = 0; j < history.size(); ++j)
                if (contexts[i] == contexts[j] && history[i].scale_out == history[j].scale_out && !history[i].censored &&
                    !history[j].censored && history[j].runtime_s > 2 * history[i].runtime_s)
                    found.insert({contexts[i], history[i].scale_out});
        CHECK(detail::count_contradictions(history, contexts) == found.size());
        for (std::uint32_t c = 0; c < 3; ++c) {
            std::vector<run> own;
            for (std::size_t i = 0; i < history.size(); ++i)
                if (contexts[i] == c) own.push_back(history[i]);
            const bool expected = std::any_of(found.begin(), found.end(), [&](const auto& each) { return each.first == c; });
            CHECK(detail::contradict_each_other(own) == expected);
            contradictory += expected ? 1 : 0;
        }
    }
    CHECK(contradictory > 100);
    CHECK(contradictory < 1400);
}
