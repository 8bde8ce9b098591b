// Memory runs out at every single allocation in turn: what was there is untouched, nothing leaks, and the next attempt
// succeeds. Linked so that Eigen's calls of malloc count as well.
#include "../support/made_up_blend.hpp"
#include "../support/made_up_curve.hpp"
#include "../support/temporary_directory.hpp"
#include "allocation_counter.hpp"

#include <bellamy/choose.hpp>
#include <bellamy/cold_start.hpp>
#include <bellamy/fine_tune.hpp>
#include <bellamy/job_store.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>
#include <bellamy/shared_model.hpp>

#include <doctest/doctest.h>

#include <new>

using namespace bellamy;

extern "C" {
void* __real_malloc(std::size_t size);  // NOLINT(bugprone-reserved-identifier): the linker's name
void* __wrap_malloc(std::size_t size);  // NOLINT(bugprone-reserved-identifier)
void* __wrap_malloc(std::size_t size) { return support::fails_now() ? nullptr : __real_malloc(size); }
}

namespace {

/// Lets allocation 1, 2, 3, ... fail until none is left to; `attempt` must then have succeeded. Returns how many failed.
template <class Attempt, class Untouched>
std::size_t survive_every_failure(const Attempt& attempt, const Untouched& untouched) {
    REQUIRE(attempt());  // once before, so that what is made only once is there
    for (std::size_t failing = 1;; ++failing) {
        CAPTURE(failing);
        const std::size_t live = support::live_allocations;
        bool succeeded = false;
        support::failing_allocation = failing;
        try {
            succeeded = attempt();
        } catch (const std::bad_alloc&) {
            succeeded = false;
        }
        const bool none_left = support::failing_allocation.exchange(0) > 0;
        REQUIRE(support::live_allocations == live);
        REQUIRE(untouched());
        if (!none_left) continue;
        CHECK(succeeded);
        return failing - 1;
    }
}

std::vector<run> small_history() {
    std::vector<run> history;
    for (const std::uint64_t size : {10U, 40U})
        for (const int x : {2, 8}) history.push_back(support::made_up_run(size, x));
    return history;
}

const auto always = [] { return true; };

void report(const std::string& what, std::size_t faults) { MESSAGE(what << ": " << faults << " injected faults survived"); }

}  // namespace

TEST_CASE("memory that runs out during pre-training leaks nothing and the next attempt succeeds") {
    const auto history = small_history();
    for (const auto mode : {training_mode::best, training_mode::paper}) {
        const auto faults = survive_every_failure(
            [&] { return pretrain(history, {.mode = mode, .algorithm = "sort", .epochs = 2}).has_value(); }, always);
        report("pretrain", faults);
        CHECK(faults > 100);
    }
}

TEST_CASE("memory that runs out during conditioning, binding and fine-tuning leaves the model as it was") {
    const std::vector more{support::made_up_run(30, 4), support::made_up_run(30, 8)};
    const auto job = support::made_up_context(30);
    const auto blend = support::blend_of(small_history());
    const auto cold = *cold_start(job);
    for (const auto* subject : {&blend, &cold}) {
        const auto before = to_bytes(*subject);
        const auto untouched = [&] { return to_bytes(*subject) == before; };
        report("condition", survive_every_failure([&] { return subject->condition(more).has_value(); }, untouched));
        const auto wiser = *subject->condition(more);
        report("bind", survive_every_failure([&] { return wiser.bind(job).has_value(); }, always));
    }
    const auto network = support::random_model();
    const auto before = to_bytes(network);
    const auto untouched = [&] { return to_bytes(network) == before; };
    report("bind a network", survive_every_failure([&] { return network.bind(job).has_value(); }, untouched));
    report("fine_tune",
           survive_every_failure([&] { return fine_tune(network, more, {.epochs = 2}).has_value(); }, untouched));
    report("cold_start", survive_every_failure([&] { return cold_start(job, "sort").has_value(); }, always));
}

TEST_CASE("memory that runs out while a shared model learns leaves it as it was, and it can learn again") {
    const std::vector more{support::made_up_run(30, 4)};
    shared_model subject(support::random_model());
    const auto before = subject.snapshot();
    const auto learned = [&] {
        const auto wiser = subject.update([](const model& now) -> result<model> { return now; });
        subject.replace(*before);
        return wiser.has_value();
    };
    const auto faults = survive_every_failure(learned, [&] { return subject.snapshot()->basis() == before->basis(); });
    report("shared_model", faults);
    CHECK(faults > 0);
}

TEST_CASE("memory that runs out while a model is loaded leaks nothing, and while one is saved leaves the old file") {
    const support::temporary_directory place;
    const auto path = place / "job.bellamy";
    const auto blend = *support::blend_of(small_history()).condition(std::vector{support::made_up_run(30, 4)});
    const auto network = support::random_model();
    for (const auto* subject : {&blend, &network}) {
        const auto bytes = to_bytes(*subject);
        REQUIRE(save(*subject, path));
        report("from_bytes", survive_every_failure([&] { return from_bytes(bytes).has_value(); }, always));
        report("load", survive_every_failure([&] { return load(path).has_value(); }, always));
        const auto content = support::read_text(path);
        report("save", survive_every_failure([&] { return save(*subject, path).has_value(); },
                                             [&] { return support::read_text(path) == content; }));
        CHECK(place.listing() == "job.bellamy ");
        report("to_header", survive_every_failure([&] { return to_header(*subject, "job").has_value(); }, always));
    }
}

TEST_CASE("memory that runs out while a job store records counts no run twice, and none that is not on disk") {
    const support::temporary_directory place;
    const auto history = small_history();
    const auto job = history.front().context;
    const auto properties = schema_of(history).value();
    bellamy::job_store store(place / "", properties);
    REQUIRE(store.record("sort", history));
    std::size_t recorded = history.size();
    // The first is conditioned on, and so are the next; the last lets the model be learned anew.
    for (const int x : {4, 6, 10, 12}) {
        std::size_t faults = 0;
        for (std::size_t failing = 1;; failing += 1 + failing / 4) {
            CAPTURE(failing);
            bool succeeded = false;
            support::failing_allocation = failing;
            try {
                succeeded = store.record("sort", {support::made_up_run(10, x)}).has_value();
            } catch (const std::bad_alloc&) {
                ++faults;
            }
            const bool none_left = support::failing_allocation.exchange(0) > 0;
            recorded += succeeded ? 1 : 0;
            REQUIRE(store.history("sort")->size() == recorded);
            if (none_left || succeeded) {
                CHECK(succeeded);
                break;
            }
        }
        CHECK(faults > 10);
    }
    bellamy::job_store restarted(place / "", properties);
    CHECK(restarted.history("sort")->size() == recorded);
    for (auto* const each : {&store, &restarted}) {
        const auto model = each->get("sort", job).value();
        CHECK(model->basis().runs + model->observed().size() == recorded);
    }
}

TEST_CASE("work is done by the threads that there are where no more can be started") {
    std::array<std::atomic<int>, 64> done{};
    // The list of threads is the first allocation; each thread needs another.
    for (const std::size_t failing : {2U, 3U, 4U}) {
        detail::thread_pool pool;
        support::failing_allocation = failing;
        detail::for_each_index(
            done.size(), 4, [&](std::size_t i) { ++done[i]; }, pool);
        CHECK(support::failing_allocation.exchange(0) == 0);
    }
    for (const auto& each : done) CHECK(each == 3);
}
