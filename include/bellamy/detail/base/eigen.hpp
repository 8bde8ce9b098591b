// The only include of Eigen, used by training; inference does without it.
#ifndef BELLAMY_DETAIL_BASE_EIGEN_HPP
#define BELLAMY_DETAIL_BASE_EIGEN_HPP

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
#include <Eigen/Cholesky>
#include <Eigen/Core>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

// Eigen's memory layout depends on the instructions, under the same names: a program of units that disagree crashes. Linkers
// refuse a variable that is thread_local in one unit and not in another, and print its name.
#if defined(EIGEN_VECTORIZE_AVX512)
#define BELLAMY_IF_AVX512 thread_local
#else
#define BELLAMY_IF_AVX512
#endif
#if defined(EIGEN_VECTORIZE_AVX)
#define BELLAMY_IF_AVX thread_local
#else
#define BELLAMY_IF_AVX
#endif
#if defined(__ELF__)
[[gnu::used]] inline constinit BELLAMY_IF_AVX char units_that_train_must_agree_on_avx = 0;
[[gnu::used]] inline constinit BELLAMY_IF_AVX512 char units_that_train_must_agree_on_avx512 = 0;
#endif
#undef BELLAMY_IF_AVX
#undef BELLAMY_IF_AVX512

/// A vector aligned for Eigen: alignment decides which elements Eigen computes one by one, and with fused products those
/// may differ in the last bit.
template <class Scalar>
using aligned_vector = std::vector<Scalar, Eigen::aligned_allocator<Scalar>>;

template <class Scalar>
aligned_vector<Scalar> aligned_copy(const std::vector<Scalar>& values) {
    return aligned_vector<Scalar>(values.begin(), values.end());
}

template <class Scalar>
using flat_array = Eigen::Array<Scalar, Eigen::Dynamic, 1>;

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
