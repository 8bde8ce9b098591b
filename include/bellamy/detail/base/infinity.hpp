// Infinity and what is not a number, under short names.
#ifndef BELLAMY_DETAIL_BASE_INFINITY_HPP
#define BELLAMY_DETAIL_BASE_INFINITY_HPP

#include <bellamy/version.hpp>

#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
