// A request whose goal's own limit is given, since a limit that the goal does not have is refused.
#ifndef BELLAMY_TESTS_SUPPORT_REQUEST_HPP
#define BELLAMY_TESTS_SUPPORT_REQUEST_HPP

#include <bellamy/choose.hpp>

namespace support {

[[nodiscard]] inline bellamy::request request_for(bellamy::goal wanted, double limit) {
    bellamy::request made{.goal = wanted};
    if (wanted == bellamy::goal::fastest_within_budget) {
        made.budget = limit;
    } else if (wanted != bellamy::goal::least_expected_cost) {
        made.deadline_s = limit;
    }
    return made;
}

}  // namespace support

#endif
