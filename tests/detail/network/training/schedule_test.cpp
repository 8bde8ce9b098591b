#include "support/compare.hpp"
#include "support/golden.hpp"

#include <bellamy/detail/network/training/schedule.hpp>

using namespace bellamy::detail;

TEST_CASE("the learning rate of fine-tuning follows the golden schedule") {
    const auto expected = support::numbers(support::golden("cyclic_learning_rate.json").at("learning_rate"));
    std::vector<double> found;
    for (int epoch = 0; epoch < static_cast<int>(expected.size()); ++epoch) found.push_back(cyclic_learning_rate(epoch));
    CHECK(support::largest_difference(found, expected) <= 1e-12);  // demanded of double
}

TEST_CASE("the scale-out network joins after 7.5 times 2 to the number of runs") {
    constexpr int never = (std::numeric_limits<int>::max)();
    CHECK(unfreeze_epoch(0) == never);
    CHECK(unfreeze_epoch(1) == never);
    CHECK(unfreeze_epoch(2) == 30);
    CHECK(unfreeze_epoch(3) == 60);
    CHECK(unfreeze_epoch(8) == 1920);
    CHECK(unfreeze_epoch(9) == 3840);  // beyond the 2500 epochs of the paper
    CHECK(unfreeze_epoch(1000) == never);
}
