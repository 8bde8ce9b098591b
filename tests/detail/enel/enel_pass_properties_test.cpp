#include <bellamy/detail/enel/enel_pass.hpp>

#include <doctest/doctest.h>

#include <numeric>

using namespace bellamy;

namespace {

// Jobs of random graphs: parents stand before their children, some metrics are not known, some stages rescale.
class enel_random_jobs {
public:
    explicit enel_random_jobs(std::uint64_t seed) : random_(seed), parameters_(detail::random_enel_parameters(random_)) {
        // Positive and negative times alike.
        for (double& each : parameters_) each *= 2;
    }

    [[nodiscard]] detail::enel_job_graph job(std::size_t stages, bool in_batch) {
        detail::enel_job_graph graph{.time_s = 5, .previous_in_batch = in_batch};
        if (!in_batch) graph.previous = node();
        graph.history = node();
        graph.required = {encoding(), encoding()};
        for (std::size_t i = 0; i < stages; ++i) {
            graph.stages.push_back(node());
            auto& parents = graph.parents.emplace_back();
            for (std::size_t parent = 0; parent < i; ++parent)
                if (random_.uniform() < 2.0 / static_cast<double>(stages)) parents.push_back(parent);
        }
        return graph;
    }

    [[nodiscard]] std::vector<detail::enel_job_graph> jobs(std::size_t count, std::size_t most_stages) {
        std::vector<detail::enel_job_graph> result;
        for (std::size_t i = 0; i < count; ++i) result.push_back(job(1 + random_.below(most_stages), i > 0));
        return result;
    }

    [[nodiscard]] detail::random_generator& random() noexcept { return random_; }
    [[nodiscard]] const std::vector<double>& parameters() const noexcept { return parameters_; }

    /// Times and metrics of a batch.
    void forward(detail::enel_pass& pass, const detail::enel_batch& batch) const {
        detail::encode_all(parameters_.data(), batch, pass.codes());
        pass.forward(parameters_.data(), batch);
    }

private:
    [[nodiscard]] detail::enel_encoding encoding() {
        detail::enel_encoding row{};
        for (double& each : row) each = random_.uniform() - 0.5;
        return row;
    }

    [[nodiscard]] detail::enel_node node() {
        detail::enel_node made{.rescaling_share = random_.uniform(), .rescales = random_.uniform() < 0.3, .time_s = 3};
        if (random_.uniform() < 0.6)
            for (double& each : made.metrics) each = random_.uniform();
        for (double& each : made.start) each = random_.uniform();
        for (double& each : made.end) each = random_.uniform();
        made.context = {encoding(), detail::enel_encoding{}, encoding()};
        return made;
    }

    detail::random_generator random_;
    std::vector<double> parameters_;
};

// Longest sum of times over all paths that end in a stage, each of them walked.
[[nodiscard]] double longest_walk_s(const detail::enel_job_graph& graph, std::span<const double> time_s, std::size_t stage) {
    double longest = graph.parents[stage].empty() ? 0 : -std::numeric_limits<double>::infinity();
    for (const auto parent : graph.parents[stage]) longest = (std::max)(longest, longest_walk_s(graph, time_s, parent));
    return longest + time_s[stage];
}

}  // namespace

TEST_CASE("a job's time is the longest path over its stages on random graphs, and never negative") {
    enel_random_jobs made(1);
    std::size_t negative = 0;
    for (int round = 0; round < 1000; ++round) {
        const auto jobs = made.jobs(1, 9);
        const auto batch = detail::enel_batch_builder::build(jobs);
        detail::enel_pass pass(detail::enel_capacity::covering({&batch, 1}));
        made.forward(pass, batch);
        const auto time_s = pass.times().stage_s().subspan(2, jobs[0].stages.size());
        double longest = 0;
        for (std::size_t i = 0; i < time_s.size(); ++i) {
            longest = (std::max)(longest, longest_walk_s(jobs[0], time_s, i));
            if (time_s[i] < 0) ++negative;
        }
        CHECK(std::abs(pass.times().job_s()[0] - longest) <= 1e-12 * (1 + longest));
    }
    CHECK(negative > 100);
}

TEST_CASE("the order of stages changes no answer of Enel's network") {
    enel_random_jobs made(2);
    for (int round = 0; round < 100; ++round) {
        const auto jobs = made.jobs(3, 8);
        auto renumbered = jobs;
        std::vector<std::vector<std::size_t>> place(jobs.size());
        for (std::size_t j = 0; j < jobs.size(); ++j) {
            place[j].resize(jobs[j].stages.size());
            std::iota(place[j].begin(), place[j].end(), std::size_t{0});
            made.random().shuffle(std::span(place[j]));
            for (std::size_t i = 0; i < place[j].size(); ++i) {
                renumbered[j].stages[place[j][i]] = jobs[j].stages[i];
                auto& parents = renumbered[j].parents[place[j][i]];
                parents.clear();
                for (const auto parent : jobs[j].parents[i]) parents.push_back(place[j][parent]);
            }
        }
        const std::array batches{detail::enel_batch_builder::build(jobs), detail::enel_batch_builder::build(renumbered)};
        detail::enel_pass one(detail::enel_capacity::covering(batches));
        detail::enel_pass other(detail::enel_capacity::covering(batches));
        made.forward(one, batches[0]);
        made.forward(other, batches[1]);
        for (std::size_t j = 0; j < jobs.size(); ++j) {
            CHECK(std::abs(one.times().job_s()[j] - other.times().job_s()[j]) <= 1e-11);
            for (std::size_t i = 0; i < place[j].size(); ++i) {
                const std::size_t row = batches[0].first_row[j] + 2;
                CHECK(std::abs(one.times().stage_s()[row + i] - other.times().stage_s()[row + place[j][i]]) <= 1e-11);
            }
        }
    }
}

TEST_CASE("summary rows have no time in any batch, and stages that do not rescale have no overhead") {
    enel_random_jobs made(3);
    for (int round = 0; round < 50; ++round) {
        const auto batch = detail::enel_batch_builder::build(made.jobs(4, 6));
        detail::enel_pass pass(detail::enel_capacity::covering({&batch, 1}));
        made.forward(pass, batch);
        for (std::size_t row = 0; row < batch.rows(); ++row) {
            if (std::ranges::find(batch.order, row) == batch.order.end()) CHECK(pass.times().stage_s()[row] == 0);
            if (batch.rescales[row] == 0) CHECK(pass.times().overhead_s()[row] == 0);
            if (batch.rescales[row] != 0) CHECK(pass.times().overhead_s()[row] != 0);
        }
    }
}

TEST_CASE("attention sums to one where a predecessor is known, and one whose metrics are not known has no influence") {
    enel_random_jobs made(4);
    std::size_t unknown = 0;
    for (int round = 0; round < 50; ++round) {
        auto jobs = made.jobs(1, 7);
        // Nothing fills the summaries of a job without a known predecessor, so P is not known and stays so.
        jobs[0].previous.metrics = {};
        const auto batch = detail::enel_batch_builder::build(jobs);
        detail::enel_pass pass(detail::enel_capacity::covering({&batch, 1}));
        made.forward(pass, batch);
        for (const auto row : batch.order) {
            double sum = 0;
            for (const auto edge : batch.incoming_of(row)) sum += pass.metrics().attention()[edge];
            CHECK(std::abs(sum - (pass.metrics().has_predecessor(row) ? 1 : 0)) <= 1e-12);
        }
        // Another scale-out of the unknown P leaves every prediction as it is.
        jobs[0].previous.start = {0.9, 0.8, 0.7};
        const auto changed = detail::enel_batch_builder::build(jobs);
        detail::enel_pass again(detail::enel_capacity::covering({&changed, 1}));
        made.forward(again, changed);
        CHECK(again.times().job_s()[0] == pass.times().job_s()[0]);
        if (!pass.metrics().has_predecessor(batch.order[0])) ++unknown;
    }
    CHECK(unknown > 0);
}

TEST_CASE("a row of zeros has the code zero under alpha dropout too, and counts in the mean") {
    enel_random_jobs made(5);
    const auto jobs = made.jobs(1, 1);
    auto without = jobs;
    without[0].stages[0].context.erase(without[0].stages[0].context.begin() + 1);
    const std::array batches{detail::enel_batch_builder::build(jobs), detail::enel_batch_builder::build(without)};
    constexpr std::size_t code = detail::enel_layout::code;
    std::array<std::array<double, code>, 2> contexts{};
    for (std::size_t i = 0; i < 2; ++i) {
        detail::enel_joint_pass joint(detail::enel_capacity::covering(batches), 0.5);
        detail::random_generator random(9);  // the same draws
        (void)joint.forward(made.parameters().data(), batches[i], {}, random);
        detail::copy_to(std::span(contexts[i]), joint.pass().contexts()[2].last<code>());
    }
    // Three rows, one of them zeros, against the same two.
    CHECK(detail::any_not_zero(contexts[0]));
    for (std::size_t k = 0; k < code; ++k) CHECK(std::abs(1.5 * contexts[0][k] - contexts[1][k]) <= 1e-12);
}

TEST_CASE("a time that is not a number is not hidden by a longer path") {
    enel_random_jobs made(7);
    auto jobs = made.jobs(1, 1);
    jobs[0].stages.resize(3, jobs[0].stages[0]);
    jobs[0].parents = {{}, {}, {0, 1}};
    jobs[0].stages[0].end[0] = std::nan("");
    const auto batch = detail::enel_batch_builder::build(jobs);
    detail::enel_pass pass(detail::enel_capacity::covering({&batch, 1}));
    made.forward(pass, batch);
    CHECK(std::isnan(pass.times().job_s()[0]));
}
