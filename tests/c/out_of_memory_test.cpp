// Memory runs out at every place where the library asks for some: that is a code, and nothing is lost.
#include <bellamy/detail/parallel.hpp>

#include <cstdlib>
#include <new>

#include "job.hpp"

using support::c_curve;
using support::c_history;
using support::c_model;
using support::into;
using support::sized;

namespace {

// Of this thread: how many allocations succeed before one fails; negative is no failure at all. And what is not yet freed.
thread_local long until_failure = -1;
thread_local long living = 0;

void* allocate_or_null(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    if (until_failure == 0) return nullptr;
    if (until_failure > 0) --until_failure;
    // aligned_alloc takes multiples of the alignment only.
    void* memory = std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
    if (memory != nullptr) ++living;
    return memory;
}
void* allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
    void* memory = allocate_or_null(size, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void deallocate(void* memory) noexcept {
    if (memory != nullptr) --living;
    std::free(memory);
}

/// Calls with ever more memory until it is enough; returns how often it was not.
template <class Call>
int failures_before_success(Call call) {
    auto error = sized<bellamy_error>();
    for (int allowed = 0;; ++allowed) {
        const long before = living;
        until_failure = allowed;
        const int32_t code = call(&error);
        until_failure = -1;
        if (code == bellamy_errc_ok) return allowed;
        REQUIRE_MESSAGE(code == bellamy_errc_out_of_memory, error.message);
        REQUIRE(std::string(error.message).find("memory") != std::string::npos);
        REQUIRE(living == before);
    }
}

}  // namespace

// Every form, because a sanitizer brings its own of those that are missing, and they must match.
void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void* operator new(std::size_t size, std::align_val_t to) { return allocate(size, static_cast<std::size_t>(to)); }
void* operator new[](std::size_t size, std::align_val_t to) { return allocate(size, static_cast<std::size_t>(to)); }
void operator delete(void* memory) noexcept { deallocate(memory); }
void operator delete[](void* memory) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::size_t) noexcept { deallocate(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { deallocate(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { deallocate(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { deallocate(memory); }

TEST_CASE("memory that runs out is a code, at every place where some is needed, and what was taken is given back") {
    c_history history;
    support::fill(history, 3);
    // Its texts fit into short strings: the variant of libstdc++ 12 is undefined where the copy of a long one throws.
    const auto& context = history.add_context(30);
    const auto model = support::pretrained();
    const auto bytes = support::bytes_of(model);
    std::vector<unsigned char> buffer(bytes.size());
    bellamy_model* made = nullptr;
    bellamy_curve* curve = nullptr;
    const auto* runs = history.runs.data();

    CHECK(failures_before_success(
              [&](bellamy_error* error) { return bellamy_model_from_bytes(bytes.data(), bytes.size(), &made, error); }) > 5);
    bellamy_model_release(&made);
    CHECK(failures_before_success([&](bellamy_error* error) {
              std::size_t size = 0;
              return bellamy_model_to_bytes(model.get(), buffer.data(), buffer.size(), &size, error);
          }) > 0);
    CHECK(failures_before_success(
              [&](bellamy_error* error) { return bellamy_model_bind(model.get(), &context, nullptr, &curve, error); }) > 5);
    CHECK(failures_before_success(
              [&](bellamy_error* error) { return bellamy_model_condition(model.get(), runs, 3, &made, error); }) > 5);
    bellamy_model_release(&made);
    CHECK(failures_before_success([&](bellamy_error* error) { return bellamy_cold_start(&context, "a", &made, error); }) >
          5);
    bellamy_model_release(&made);
    const bellamy_question question{sizeof(question), &context, 4};
    auto row = sized<bellamy_prediction>();
    CHECK(failures_before_success([&](bellamy_error* error) {
              return bellamy_model_predict(model.get(), &question, 1, 0.9, 30, &row, error);
          }) > 5);
    const bellamy_candidate candidate{sizeof(candidate), curve, nullptr, 4};
    const bellamy_request request{sizeof(request), 100, 0, 0.9, bellamy_goal_smallest_within_deadline};
    auto decision = sized<bellamy_decision>();
    auto assessed = sized<bellamy_assessment>();
    CHECK(failures_before_success([&](bellamy_error* error) {
              return bellamy_choose(&candidate, 1, &request, &decision, &assessed, 1, error);
          }) > 0);
    bellamy_curve_release(&curve);

    auto options = sized<bellamy_pretrain_options>();
    REQUIRE(bellamy_default_pretrain_options(&options, nullptr) == bellamy_errc_ok);
    for (const int mode : {bellamy_mode_best, bellamy_mode_paper}) {
        options.mode = mode;
        options.epochs = 2;
        constexpr long plenty = 1'000'000'000;
        until_failure = plenty;
        REQUIRE(bellamy_pretrain(runs, history.runs.size(), &options, nullptr, &made, nullptr) == bellamy_errc_ok);
        const long needed = plenty - until_failure;
        until_failure = -1;
        bellamy_model_release(&made);
        // To try every allocation would take as many trainings: these fail early, in the middle and at the last.
        for (const long allowed : {0L, 1L, needed / 10, needed / 2, needed * 9 / 10, needed - 1}) {
            auto error = sized<bellamy_error>();
            const long before = living;
            until_failure = allowed;
            const auto code = bellamy_pretrain(runs, history.runs.size(), &options, nullptr, &made, &error);
            until_failure = -1;
            CHECK_MESSAGE(code == bellamy_errc_out_of_memory, error.message);
            CHECK(living == before);
        }
    }
}

TEST_CASE("work goes on with the threads that can be started") {
    std::atomic<int> done = 0;
    until_failure = 1;  // for their list; what each of them needs fails
    bellamy::detail::for_each_index(10, 4, [&](std::size_t) { ++done; });
    until_failure = -1;
    CHECK(done == 10);
}
