// What a scheduler includes that only predicts: neither training nor Eigen may come along.
#include <bellamy/choose.hpp>
#include <bellamy/curve.hpp>
#include <bellamy/model.hpp>
#include <bellamy/serialize.hpp>

#if defined(EIGEN_WORLD_VERSION)
#error "predicting includes Eigen"
#endif
#if defined(BELLAMY_TRAINING_HPP) || defined(BELLAMY_PRETRAIN_HPP) || defined(BELLAMY_FINE_TUNE_HPP)
#error "predicting includes training"
#endif

#include <doctest/doctest.h>

TEST_CASE("a unit that only predicts includes neither Eigen nor training") {
    CHECK(true);  // kept when this compiles
}
