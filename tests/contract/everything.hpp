// What a unit that includes everything hands to another.
#ifndef BELLAMY_TESTS_CONTRACT_EVERYTHING_HPP
#define BELLAMY_TESTS_CONTRACT_EVERYTHING_HPP

#include <bellamy/model.hpp>

[[nodiscard]] bellamy::model model_of_another_unit();

#endif
