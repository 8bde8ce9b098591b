// What a scheduler includes that only predicts: neither training nor Eigen may come along.
#include <bellamy/choose.hpp>
#include <bellamy/curve.hpp>
#include <bellamy/model.hpp>
#include <bellamy/serialize.hpp>

#include <doctest/doctest.h>

namespace {

#if defined(EIGEN_WORLD_VERSION)
constexpr bool includes_eigen = true;
#else
constexpr bool includes_eigen = false;
#endif
#if defined(BELLAMY_TRAINING_HPP) || defined(BELLAMY_PRETRAIN_HPP) || defined(BELLAMY_FINE_TUNE_HPP)
constexpr bool includes_training = true;
#else
constexpr bool includes_training = false;
#endif

}  // namespace

TEST_CASE("a unit that only predicts includes neither Eigen nor training") {
    CHECK_FALSE(includes_eigen);
    CHECK_FALSE(includes_training);
}
