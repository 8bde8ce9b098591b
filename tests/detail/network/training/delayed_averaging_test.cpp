#include <bellamy/detail/network/training/delayed_averaging_threads.hpp>

#include "support/compare.hpp"
#include "support/golden.hpp"

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/network/training/adam.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>

using namespace bellamy;
using namespace bellamy::detail;

namespace {

/// What a worker with parameters w may do with the average a of the snapshots, of which its own was s. The library has the
/// first; the golden numbers hold delays to the others as well.
enum class merge_rule { corrected, weighted, overwrite };

void merge(merge_rule rule, std::span<const double> average, std::span<const double> snapshot, std::span<double> values) {
    if (rule == merge_rule::corrected) {
        averaged_state<double>(values, {.slow_momentum = 0}).merge(average, snapshot);
        return;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = rule == merge_rule::weighted ? (values[i] + average[i]) / 2 : average[i];
}

/// Minimises w A w / 2 - b w by plain gradient descent or Adam; an epoch ends after each of the given steps.
class quadratic {
public:
    quadratic(const support::json& file, const support::json& loss, bool uses_adam, merge_rule rule,
              std::vector<int> epoch_ends)
        : a_(loss.at("A").get<std::vector<std::vector<double>>>()),
          b_(support::numbers(loss.at("b"))),
          step_size_(file.at("step_size").get<double>()),
          uses_adam_(uses_adam),
          rule_(rule),
          epoch_ends_(std::move(epoch_ends)),
          parameters_(support::numbers(file.at("start"))),
          adam_(parameters_.size(), 0) {}

    [[nodiscard]] std::vector<double> gradient_at(std::span<const double> at) const {
        std::vector<double> gradient(at.size());
        for (std::size_t i = 0; i < at.size(); ++i)
            gradient[i] = std::inner_product(at.begin(), at.end(), a_[i].begin(), 0.0) - b_[i];
        return gradient;
    }

    bool step() {
        auto gradient = gradient_at(parameters_);
        if (uses_adam_)
            adam_.step(parameters_, gradient, step_size_);
        else
            for (std::size_t i = 0; i < gradient.size(); ++i) parameters_[i] -= step_size_ * gradient[i];
        ++steps_;
        return std::find(epoch_ends_.begin(), epoch_ends_.end(), steps_) != epoch_ends_.end();
    }
    [[nodiscard]] std::size_t state_size() const { return parameters_.size(); }
    void write_state(std::span<double> snapshot) const {
        std::copy(parameters_.begin(), parameters_.end(), snapshot.begin());
    }
    void merge_state(std::span<const double> average, std::span<const double> snapshot) {
        merge(rule_, average, snapshot, parameters_);
        if (on_merge) on_merge();
    }
    void take_epoch(std::span<const double> average) { averages.emplace_back(average.begin(), average.end()); }
    [[nodiscard]] bool stopped() const { return false; }

    [[nodiscard]] std::span<const double> parameters() const { return parameters_; }
    std::vector<std::vector<double>> averages{};  // of every epoch
    std::function<void()> on_merge{};

private:
    std::vector<std::vector<double>> a_;
    std::vector<double> b_;
    double step_size_;
    bool uses_adam_;
    merge_rule rule_;
    std::vector<int> epoch_ends_;
    std::vector<double> parameters_;
    adam<double> adam_;
    int steps_ = 0;
};

/// Workers of one training, stepped by threads of this process.
struct crew {
    std::vector<quadratic> trainings{};
    std::vector<delayed_worker<double, quadratic>> workers{};

    crew(const support::json& file, bool uses_adam, const parallel_options& options, const std::vector<int>& epoch_ends,
         merge_rule rule = merge_rule::corrected) {
        for (const auto& loss : file.at("losses")) trainings.emplace_back(file, loss, uses_adam, rule, epoch_ends);
        for (auto& each : trainings) workers.emplace_back(each, options);
    }
    crew(const crew&) = delete;
    crew& operator=(const crew&) = delete;
    ~crew() = default;

    void run(int epoch, std::size_t threads) {
        thread_averaging<double> averaging(workers.size(), trainings.front().state_size());
        const bool all_there =
            averaging.run(threads, [&](std::size_t i, auto& each) { return workers[i].advance(each, epoch, false); });
        REQUIRE(all_there);
    }

    [[nodiscard]] std::vector<double> mean() const {
        std::vector<double> snapshots;
        for (const auto& each : trainings)
            snapshots.insert(snapshots.end(), each.parameters().begin(), each.parameters().end());
        std::vector<double> result(trainings.front().state_size());
        mean_of_snapshots<double>(snapshots, trainings.size(), result);
        return result;
    }
};

merge_rule rule_named(const std::string& name) {
    if (name == "corrected") return merge_rule::corrected;
    if (name == "weighted") return merge_rule::weighted;
    if (name == "overwrite") return merge_rule::overwrite;
    throw std::runtime_error("unknown rule " + name);
}

constexpr merge_rule all_rules[] = {merge_rule::corrected, merge_rule::weighted, merge_rule::overwrite};

}  // namespace

TEST_CASE("delayed averaging takes the golden steps with every rule, period and delay") {
    const auto file = support::golden("delayed_averaging.json");
    const auto recorded = file.at("recorded_after_steps").get<std::vector<int>>();
    REQUIRE(file.at("runs").size() == 24);
    for (const auto& each : file.at("runs")) {
        const parallel_options options{
            .workers = 3, .period = each.at("period").get<int>(), .delay = each.at("delay").get<int>()};
        CAPTURE(each.at("rule").get<std::string>());
        CAPTURE(options.period);
        CAPTURE(options.delay);
        crew all(file, each.at("optimiser") == "adam", options, recorded, rule_named(each.at("rule").get<std::string>()));
        for (std::size_t i = 0; i < recorded.size(); ++i) {
            all.run(static_cast<int>(i) + 1, 2);
            for (std::size_t worker = 0; worker < 3; ++worker)
                CHECK(support::largest_difference(all.trainings[worker].parameters(),
                                                  support::numbers(each.at("after")[i][worker])) <= 1e-12);
        }
        for (const auto& worker : all.trainings)  // the last full average
            CHECK(support::largest_difference(worker.averages.back(), support::numbers(each.at("mean"))) <= 1e-12);
    }
}

TEST_CASE("period 1 and delay 0 is synchronous gradient descent") {
    const auto file = support::golden("delayed_averaging.json");
    crew all(file, false, {.workers = 3, .period = 1, .delay = 0}, {24});
    auto synchronous = support::numbers(file.at("start"));
    for (int step = 0; step < 24; ++step) {
        std::vector<double> sum(synchronous.size());
        for (const auto& each : all.trainings) {
            const auto gradient = each.gradient_at(synchronous);
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gradient[i];
        }
        for (std::size_t i = 0; i < sum.size(); ++i) synchronous[i] -= .05 * sum[i] / 3;
    }
    all.run(1, 1);
    for (const auto& each : all.trainings) CHECK(support::largest_difference(each.parameters(), synchronous) <= 1e-12);
    CHECK(support::largest_difference(support::numbers(file.at("synchronous").back()), synchronous) <= 1e-12);
}

TEST_CASE("the corrected rule keeps the mean of all workers and the others do not") {
    random_generator random(3);
    constexpr std::size_t workers = 5;
    constexpr std::size_t size = 7;
    std::vector<double> snapshots(workers * size);
    for (auto& each : snapshots) each = random.normal();
    std::vector<double> average(size);
    mean_of_snapshots<double>(snapshots, workers, average);
    for (const auto rule : all_rules) {
        auto now = snapshots;
        for (auto& each : now) each += random.normal();  // the steps since
        std::vector<double> before(size);
        mean_of_snapshots<double>(now, workers, before);
        for (std::size_t i = 0; i < workers; ++i)
            merge(rule, average, std::span(snapshots).subspan(i * size, size), std::span(now).subspan(i * size, size));
        std::vector<double> after(size);
        mean_of_snapshots<double>(now, workers, after);
        if (rule == merge_rule::corrected)
            CHECK(support::largest_difference(before, after) <= 1e-12);
        else
            CHECK(support::largest_difference(before, after) >= 1e-3);
    }
}

TEST_CASE("pauses between epochs and the number of threads do not change a bit") {
    const auto file = support::golden("delayed_averaging.json");
    std::vector<int> epoch_ends(20);
    std::iota(epoch_ends.begin(), epoch_ends.end(), 1);
    for (auto& each : epoch_ends) each *= 5;  // epochs end between averages, and with them
    for (const auto rule : all_rules) {
        const parallel_options options{.workers = 3, .period = 4, .delay = 3};
        crew reference(file, true, options, epoch_ends, rule);
        reference.run(20, 1);
        for (const std::size_t threads : {1U, 2U, 4U}) {
            crew paused(file, true, options, epoch_ends, rule);
            for (int epoch = 1; epoch <= 20; ++epoch) paused.run(epoch, threads);
            for (std::size_t i = 0; i < 3; ++i) {
                CHECK(std::ranges::equal(paused.trainings[i].parameters(), reference.trainings[i].parameters()));
                CHECK(paused.trainings[i].averages == reference.trainings[i].averages);
                CHECK(paused.trainings[i].averages.size() == 20);
            }
        }
    }
}

TEST_CASE("an exception of one worker ends all and is thrown where they were started") {
    const auto file = support::golden("delayed_averaging.json");
    for (const std::size_t threads : {1U, 3U}) {
        crew all(file, false, {.workers = 3, .period = 4, .delay = 2}, {1000});
        all.trainings[1].on_merge = [] { throw std::runtime_error("spoilt"); };
        CHECK_THROWS_WITH(all.run(1, threads), "spoilt");
    }
}

TEST_CASE("a snapshot holds the parameters and the loss, and merging leaves the loss alone") {
    std::vector<double> parameters{1, 2};
    averaged_state<double> state(parameters, {});
    REQUIRE(state.size() == 3);
    std::vector<double> snapshot(3);
    state.write(snapshot, 9);
    CHECK(snapshot == std::vector<double>{1, 2, 9});
    parameters[0] = 1.5;  // a step since
    state.merge(std::vector<double>{3, 4, 7}, snapshot);
    CHECK(parameters == std::vector<double>{3.5, 4});
    CHECK(state.loss_of(snapshot) == 9);
}

TEST_CASE("slow momentum moves on by a part of what the average moved") {
    const std::vector<double> snapshot{1, 0};
    const std::vector<std::vector<double>> averages{{3, 0}, {5, 0}, {5, 0}};
    const std::array ahead{1.0, 2.0, 2.0};
    std::vector<double> with{1};
    std::vector<double> without{1};
    averaged_state<double> slow(with, {.slow_momentum = 0.5});
    averaged_state<double> plain(without, {});
    for (std::size_t i = 0; i < averages.size(); ++i) {
        slow.merge(averages[i], snapshot);
        plain.merge(averages[i], snapshot);
        CHECK(with[0] - without[0] == doctest::Approx(ahead[i]));
    }
    for (const double wrong : {-0.1, 1.0, std::nan("")}) CHECK_FALSE(validate({.workers = 2, .slow_momentum = wrong}));
    CHECK(validate({.workers = 2, .slow_momentum = 0.5}));
}

TEST_CASE("slow momentum is on by default where periods are long, and only there") {
    CHECK(parallel_options{.period = 15}.slow_momentum_or_default() == 0);
    CHECK(parallel_options{.period = 16}.slow_momentum_or_default() == 0.5);
    CHECK(parallel_options{.period = 16, .slow_momentum = 0}.slow_momentum_or_default() == 0);
    CHECK(parallel_options{.period = 4, .slow_momentum = 0.3}.slow_momentum_or_default() == 0.3);
}

TEST_CASE("a worker that trains apart is one of at least two, has a run of its own, and no time budget") {
    const parallel_options two{.workers = 2};
    CHECK(validate_worker(two, 0, 1));
    CHECK(validate_shares(two, 2));
    support::check_refused(validate_shares(two, 1), errc::invalid_option, {"runs to train on, 1, found 2"});
    support::check_refused(validate_worker(two, 0, 2), errc::invalid_option, {"from 0 to 1, found 2"});
    support::check_refused(validate_worker(two, 0, -1), errc::invalid_option, {"found -1"});
    support::check_refused(validate_worker({.workers = 1}, 0, 0), errc::invalid_option, {"found 1 workers and 0 s"});
    support::check_refused(validate_worker(two, 2.5, 0), errc::invalid_option, {"found 2 workers and 2.5 s"});
}

namespace {

/// Seconds that computing a step and an average take, all of them virtual.
struct virtual_times {
    double step_s = 1;
    double average_s = 0;  // with what stragglers add
};

/// Counts the seconds that a worker computes and waits; averages arrive when the slowest worker's snapshot has travelled.
class timed_averager {
public:
    timed_averager(thread_averaging<double>::handle real, std::vector<std::vector<double>>& begun_s, std::size_t worker,
                   const virtual_times& times, double& now_s, std::size_t& finished)
        : real_(real), begun_s_(begun_s), worker_(worker), times_(times), now_s_(now_s), finished_(finished) {}

    void begin(std::span<const double> snapshot) {
        begun_s_[worker_].push_back(now_s_);
        real_.begin(snapshot);
    }
    [[nodiscard]] bool arrived() { return real_.arrived(); }
    [[nodiscard]] std::span<const double> finish() {
        const auto average = real_.finish();
        for (const auto& each : begun_s_) now_s_ = (std::max)(now_s_, each[finished_] + times_.average_s);
        ++finished_;
        return average;
    }

private:
    thread_averaging<double>::handle real_;
    std::vector<std::vector<double>>& begun_s_;
    std::size_t worker_;
    virtual_times times_;
    double& now_s_;
    std::size_t& finished_;
};

/// Steps for so many virtual seconds each.
struct timed_training {
    double* now_s;
    double step_s;
    int steps = 0;
    bool step() {
        *now_s += step_s;
        return ++steps == 800;
    }
    [[nodiscard]] std::size_t state_size() const { return 1; }
    void write_state(std::span<double> snapshot) const { snapshot[0] = 0; }
    void merge_state(std::span<const double>, std::span<const double>) const {}
    void take_epoch(std::span<const double>) const {}
    [[nodiscard]] bool stopped() const { return false; }
};

/// Virtual seconds of 800 steps by four workers.
double seconds_of_training(const parallel_options& options, const virtual_times& times) {
    constexpr std::size_t count = 4;
    std::vector<double> now_s(count);
    std::vector<std::size_t> finished(count);
    std::vector<std::vector<double>> begun_s(count);
    std::vector<timed_training> trainings;
    for (auto& each : now_s) trainings.push_back({&each, times.step_s});
    std::vector<delayed_worker<double, timed_training>> workers;
    for (auto& each : trainings) workers.emplace_back(each, options);
    thread_averaging<double> averaging(count, 1);
    REQUIRE(averaging.run(1, [&](std::size_t i, auto& real) {
        timed_averager averager(real, begun_s, i, times, now_s[i], finished[i]);
        return workers[i].advance(averager, 1, false);
    }));
    return *std::max_element(now_s.begin(), now_s.end());
}

}  // namespace

TEST_CASE("averaging and stragglers that fit into the delay cost nothing, and what is longer costs as the theory says") {
    constexpr double steps = 800;
    for (const auto& [period, delay, average_s] :
         {std::tuple{4, 3, 3.0}, std::tuple{4, 2, 1.5}, std::tuple{16, 8, 8.0}, std::tuple{8, 1, 0.25}}) {
        // m + s <= d c: less than 5 % of the throughput is lost, while synchronous training pays in every step.
        const double delayed_s = seconds_of_training({.workers = 4, .period = period, .delay = delay}, {1, average_s});
        CHECK(1 - steps / delayed_s < 0.05);
        const double synchronous_s = seconds_of_training({.workers = 4, .period = 1, .delay = 0}, {1, average_s});
        CHECK(synchronous_s == doctest::Approx(steps * (1 + average_s)));
    }
    // c + max(0, m + s - d c) / P, but for the averages at the end.
    for (const auto& [period, delay, average_s] :
         {std::tuple{4, 0, 2.0}, std::tuple{4, 3, 5.0}, std::tuple{8, 2, 6.0}, std::tuple{16, 8, 9.0}}) {
        const double found_s = seconds_of_training({.workers = 4, .period = period, .delay = delay}, {1, average_s});
        CHECK(found_s == doctest::Approx(steps * (1 + (average_s - delay) / period)).epsilon(0.01));
    }
}
