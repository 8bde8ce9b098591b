// The whole implementation of bellamy/c.h, for the one unit that defines BELLAMY_C_IMPLEMENTATION.
#ifndef BELLAMY_DETAIL_C_C_IMPL_HPP
#define BELLAMY_DETAIL_C_C_IMPL_HPP

#include <bellamy/detail/c/application_functions.hpp>
#include <bellamy/detail/c/training_functions.hpp>

#endif
