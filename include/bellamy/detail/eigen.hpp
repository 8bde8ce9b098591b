// The one place that includes Eigen; only training does.
#ifndef BELLAMY_DETAIL_EIGEN_HPP
#define BELLAMY_DETAIL_EIGEN_HPP

#include <bellamy/version.hpp>

// Eigen's own headers do not hold themselves to our warnings.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif
#include <Eigen/Core>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace bellamy::inline BELLAMY_ABI::detail {

/// Columns are samples; `Rows` features stand together.
template <class Scalar, std::size_t Rows>
using columns = Eigen::Matrix<Scalar, static_cast<int>(Rows), Eigen::Dynamic>;

template <class Scalar>
using flat_array = Eigen::Array<Scalar, Eigen::Dynamic, 1>;

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
