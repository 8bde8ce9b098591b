// Includes everything under hard conditions: forward declarations first, then macros of other headers, windows.h among them.
#include <bellamy/fwd.hpp>

namespace {

// What a scheduler's own header can say with the forward declarations.
struct scheduler {
    const bellamy::model* model;
    bellamy::outcome last;
    bellamy::result<bellamy::decision> (*place)(const bellamy::context&, const bellamy::curve&);
};

}  // namespace

// The standard library and Eigen have their own ways with such macros: they come before them.
#include <bellamy/detail/base/eigen.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <numeric>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define small char
#define near
#define far
#define IN
#define OUT
#define ERROR 0
#define interface struct

#include "everything.hpp"

#include <bellamy/bellamy.hpp>

#if !defined(min) || !defined(max) || ERROR != 0
#error "bellamy touches macros of others"
#endif

namespace {

template <class... Types>
constexpr bool all_defined = ((sizeof(Types) > 0) && ...);

static_assert(
    all_defined<bellamy::errc, bellamy::error, bellamy::result<int>, bellamy::property_kind, bellamy::property_role,
                bellamy::scale_out_unit, bellamy::property, bellamy::context, bellamy::run, bellamy::schema>);
static_assert(all_defined<bellamy::model, bellamy::training_basis, bellamy::curve, bellamy::prediction, bellamy::outcome,
                          bellamy::verdict, bellamy::assessment, bellamy::decision, bellamy::pretrain_options,
                          bellamy::fine_tune_options, bellamy::trained>);

// The version is part of every name, so that two versions can live in one program.
static_assert(std::is_same_v<bellamy::model, bellamy::BELLAMY_ABI::model>);

}  // namespace

TEST_CASE("forward declarations agree with the definitions") {
    const scheduler mine{.model = nullptr, .last = bellamy::outcome::infeasible, .place = nullptr};
    CHECK(mine.last == bellamy::decision{}.outcome);
}

TEST_CASE("everything compiles after headers that define min and max as macros") {
    CHECK(min(1, 2) == 1);  // kept when this compiles
}

TEST_CASE("two units that include everything link and exchange values") {
    const auto elsewhere = model_of_another_unit();
    CHECK(elsewhere.basis().algorithm == "made elsewhere");
    CHECK(bellamy::from_bytes(bellamy::to_bytes(elsewhere)).has_value());
}

TEST_CASE("the version is the same wherever it stands") {
    const auto numbers = [](const char* separator) {
        return std::to_string(BELLAMY_VERSION_MAJOR) + separator + std::to_string(BELLAMY_VERSION_MINOR);
    };
    CHECK(std::string(BELLAMY_VERSION) == numbers(".") + '.' + std::to_string(BELLAMY_VERSION_PATCH));
    CHECK(std::string(BELLAMY_VERSION) == BELLAMY_CMAKE_VERSION);
#define BELLAMY_TESTS_SPELLED_AFTER_EXPANSION(name) #name
#define BELLAMY_TESTS_SPELLED(name) BELLAMY_TESTS_SPELLED_AFTER_EXPANSION(name)
    CHECK(std::string(BELLAMY_TESTS_SPELLED(BELLAMY_ABI)) == 'v' + numbers("_"));
}
