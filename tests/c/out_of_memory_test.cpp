// Memory runs out at every place where the library asks for some: that is a code, and nothing is lost.
#include <bellamy/detail/base/parallel.hpp>

#include "../contract/allocation_counter.hpp"
#include "traces.hpp"

using support::c_curve;
using support::c_history;
using support::c_model;
using support::into;
using support::sized;

namespace {

// After so many more allocations all fail, until memory_is_back().
void memory_ends_after(std::size_t allowed) {
    support::memory_stays_out = true;
    support::failing_allocation = allowed + 1;
}
void memory_is_back() { support::failing_allocation = 0; }

/// Calls with ever more memory until it is enough; returns how often it was not.
template <class Call>
std::size_t failures_before_success(Call call) {
    auto error = sized<bellamy_error>();
    for (std::size_t allowed = 0;; ++allowed) {
        const std::size_t before = support::live_allocations;
        memory_ends_after(allowed);
        const int32_t code = call(&error);
        memory_is_back();
        if (code == bellamy_errc_ok) return allowed;
        REQUIRE_MESSAGE(code == bellamy_errc_out_of_memory, error.message);
        REQUIRE(std::string(error.message).find("memory") != std::string::npos);
        REQUIRE(support::live_allocations == before);
    }
}

}  // namespace

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
    CHECK(failures_before_success(
              [&](bellamy_error* error) { return bellamy_model_predict(model.get(), &question, 1, &row, error); }) > 5);
    const bellamy_candidate candidate{sizeof(candidate), curve, nullptr, 4};
    const bellamy_request request{sizeof(request), 100, 0, 0.9, 0, bellamy_goal_smallest_within_deadline};
    auto decision = sized<bellamy_decision>();
    auto assessed = sized<bellamy_assessment>();
    CHECK(failures_before_success([&](bellamy_error* error) {
              return bellamy_choose(&candidate, 1, &request, &decision, &assessed, 1, error);
          }) > 0);
    bellamy_curve_release(&curve);
    const bellamy_other_job other{sizeof(other), runs, 6};
    bellamy_exploration_prior* prior = nullptr;
    CHECK(failures_before_success(
              [&](bellamy_error* error) { return bellamy_learn_exploration(&other, 1, &prior, error); }) > 5);
    const bellamy_trial_candidate trial{sizeof(trial), &context, nullptr, 4};
    const bellamy_exploration_request search{sizeof(search), &request, 100, 0};
    auto answer = sized<bellamy_exploration>();
    auto next = sized<bellamy_proposed_trial>();
    CHECK(failures_before_success([&](bellamy_error* error) {
              return bellamy_explore(&trial, 1, runs, 3, &search, prior, &answer, &next, 1, error);
          }) > 5);
    bellamy_exploration_prior_release(&prior);

    auto options = sized<bellamy_pretrain_options>();
    REQUIRE(bellamy_default_pretrain_options(&options, nullptr) == bellamy_errc_ok);
    for (const int mode : {bellamy_mode_best, bellamy_mode_paper}) {
        options.mode = mode;
        options.epochs = 2;
        const std::size_t before_all = support::allocations;
        REQUIRE(bellamy_pretrain(runs, history.runs.size(), &options, nullptr, &made, nullptr) == bellamy_errc_ok);
        const std::size_t needed = support::allocations - before_all;
        bellamy_model_release(&made);
        // To try every allocation would take as many trainings: these fail early, in the middle and at the last.
        for (const std::size_t allowed :
             {std::size_t{0}, std::size_t{1}, needed / 10, needed / 2, needed * 9 / 10, needed - 1}) {
            auto error = sized<bellamy_error>();
            const std::size_t before = support::live_allocations;
            memory_ends_after(allowed);
            const auto code = bellamy_pretrain(runs, history.runs.size(), &options, nullptr, &made, &error);
            memory_is_back();
            CHECK_MESSAGE(code == bellamy_errc_out_of_memory, error.message);
            CHECK(support::live_allocations == before);
        }
    }
}

TEST_CASE("memory that runs out while applications are loaded, bound and observed is a code") {
    const auto history = support::etl_history({1000, 2000});
    const auto application = support::learned_application(history);
    const auto bytes = support::bytes_of(application);
    const support::c_traces runs({support::first_jobs(history[0], 1)});
    const auto size = bellamy_natural("data_size_MB", 1000);
    bellamy_forecast* forecast = nullptr;
    CHECK(failures_before_success([&](bellamy_error* error) {
              return bellamy_application_bind(application.get(), &size, 1, &forecast, error);
          }) > 5);
    bellamy_forecast* later = nullptr;
    CHECK(failures_before_success([&](bellamy_error* error) {
              return bellamy_forecast_observe(forecast, runs.runs.data(), &later, error);
          }) > 5);
    bellamy_forecast_release(&later);
    bellamy_forecast_release(&forecast);

    // Every allocation of these would take as many loads: some of them, from the first to the last.
    std::vector<unsigned char> buffer(bytes.size());
    bellamy_application* made = nullptr;
    const auto load = [&](bellamy_error* error) {
        return bellamy_application_from_bytes(bytes.data(), bytes.size(), &made, error);
    };
    const auto save = [&](bellamy_error* error) {
        std::size_t written = 0;
        return bellamy_application_to_bytes(application.get(), buffer.data(), buffer.size(), &written, error);
    };
    const auto fails_everywhere = [&](const auto& call, std::size_t tries) {
        const std::size_t before_all = support::allocations;
        REQUIRE(call(nullptr) == bellamy_errc_ok);
        const std::size_t needed = support::allocations - before_all;
        bellamy_application_release(&made);
        for (std::size_t i = 0; i < tries; ++i) {
            auto error = sized<bellamy_error>();
            const std::size_t before = support::live_allocations;
            memory_ends_after(i * (needed - 1) / (tries - 1));
            const auto code = call(&error);
            memory_is_back();
            CHECK_MESSAGE(code == bellamy_errc_out_of_memory, error.message);
            CHECK(support::live_allocations == before);
        }
    };
    fails_everywhere(load, 60);
    fails_everywhere(save, 60);
}

TEST_CASE("work goes on with the threads that can be started") {
    std::atomic<int> done = 0;
    bellamy::detail::thread_pool pool;
    memory_ends_after(1);  // for their list; what each of them needs fails
    bellamy::detail::for_each_index(
        10, 4, [&](std::size_t) { ++done; }, pool);
    memory_is_back();
    CHECK(done == 10);
}
