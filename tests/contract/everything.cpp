// A unit that includes everything: links with everything_test.cpp, and is what clang-tidy reads.
#include <bellamy/bellamy.hpp>

#include "everything.hpp"

#include <bellamy/baseline/ernest.hpp>
#include <bellamy/fwd.hpp>

bellamy::model model_of_another_unit() { return {{}, {.algorithm = "made elsewhere"}, bellamy::network<>(0)}; }
