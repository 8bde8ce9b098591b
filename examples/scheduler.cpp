// A small custom scheduler around bellamy: jobs arrive, the model is asked, the cheapest cluster that meets the deadline
// with probability 0.9 is taken, and the run is recorded, from which the model learns. Other threads keep asking meanwhile.
#include <fmt/format.h>
#include <bellamy/candidates.hpp>
#include <bellamy/job_store.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/made_up_workload.hpp"

namespace {

constexpr double probability = 0.9;
constexpr int job_count = 160;
constexpr int jobs_per_block = 20;  // each a line of what is printed

using clock_type = std::chrono::steady_clock;

[[nodiscard]] double milliseconds_since(clock_type::time_point began) {
    return std::chrono::duration<double, std::milli>(clock_type::now() - began).count();
}

// A cluster: so many machines of one type.
struct cluster {
    std::size_t type = 0;
    int scale_out = 1;
};

struct answer {
    cluster chosen;
    bellamy::assessment why;
    bool feasible = false;
};

// Asks the job's model about every machine type and scale-out.
[[nodiscard]] answer ask(bellamy::job_store& store, const std::vector<workload::machine_type>& types,
                         const workload::job& job) {
    bellamy::candidate_list candidates;
    for (std::size_t i = 0; i < types.size(); ++i) {
        const auto context = workload::context_of(job.data, types[i]);
        const auto model = store.get("report", context).value();
        candidates.add(*model, context, workload::scale_outs, types[i].costs, i).value();
    }
    const auto decision = bellamy::choose(candidates, {.goal = bellamy::goal::cheapest_within_deadline,
                                                       .deadline_s = job.deadline_s,
                                                       .probability = probability})
                              .value();
    // Where no cluster is likely enough to make it, the likeliest is the best effort.
    const auto& row = decision.candidate.value();
    return {.chosen = {.type = row.tag, .scale_out = row.scale_out}, .why = row, .feasible = decision.feasible()};
}

// What became of some jobs.
struct tally {
    int jobs = 0;
    int met = 0;
    double cost = 0;

    void add(const workload::job& job, const workload::machine_type& type, int scale_out, double runtime_s) {
        ++jobs;
        if (bellamy::time_to_result_s(type.costs, runtime_s) <= job.deadline_s) ++met;
        cost += bellamy::cost_of(type.costs, scale_out, runtime_s);
    }
};

struct mean {
    double sum = 0;
    int count = 0;
    double largest = 0;

    void add(double value) {
        sum += value;
        ++count;
        largest = std::max(largest, value);
    }
    [[nodiscard]] double value() const { return count == 0 ? 0 : sum / count; }
};

// The truth, which only running a job reveals.
[[nodiscard]] double run_on(const workload::machine_type& type, int scale_out, const workload::job& job) {
    return job.luck * workload::usual_runtime_s(job.data, type, scale_out);
}

// The runs of some weeks in which clusters were picked by hand, over half of the data sets that there will be.
[[nodiscard]] std::vector<bellamy::run> past_runs(workload::generator& random, std::span<const workload::data_set> known,
                                                  const std::vector<workload::machine_type>& types) {
    std::vector<bellamy::run> table;
    for (int i = 0; i < 60; ++i) {
        const auto& type = random.one_of(types);
        const auto& data = random.one_of(known);
        const int x = random.one_of(workload::scale_outs);
        table.push_back({.context = workload::context_of(data, type),
                         .scale_out = x,
                         .runtime_s = random.luck() * workload::usual_runtime_s(data, type, x)});
    }
    return table;
}

// Where the histories are kept; a real scheduler's outlives it.
class folder {
public:
    folder() { std::filesystem::create_directory(path_); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
    ~folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] std::string path() const { return path_.string(); }

private:
    const std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / fmt::format("bellamy-scheduler-{}", std::random_device()());
};

// The strongest static policy: of the clusters that meet 90 % of the deadlines, or as many as any does, the cheapest. Only
// hindsight knows it.
[[nodiscard]] std::pair<cluster, tally> best_static_policy(const std::vector<workload::machine_type>& types,
                                                           const std::vector<workload::job>& jobs) {
    std::pair<cluster, tally> best;
    const auto kept = [&](const tally& one) { return std::min(one.met, static_cast<int>(std::ceil(0.9 * job_count))); };
    for (std::size_t i = 0; i < types.size(); ++i) {
        for (const int x : workload::scale_outs) {
            tally all;
            for (const auto& job : jobs) all.add(job, types[i], x, run_on(types[i], x, job));
            const auto& found = best.second;
            if (found.jobs == 0 || kept(all) > kept(found) || (kept(all) == kept(found) && all.cost < found.cost))
                best = {{.type = i, .scale_out = x}, all};
        }
    }
    return best;
}

void print_policy(const std::string& name, const tally& all) {
    fmt::print("{:<48} {:>3} of {}  {:>8.2f}\n", name, all.met, all.jobs, all.cost);
}

// It takes no options; whoever asks is told what it does.
int help(bool asked) {
    fmt::print(
        asked ? stdout : stderr,
        "Usage: scheduler [--help]\n\n"
        "Runs a made-up workload of {} jobs through a small custom scheduler (examples/scheduler.cpp), which learns as it "
        "goes,\nand prints deadlines met, costs and errors beside the best fixed choice. Takes seconds.\n",
        job_count);
    return asked ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) return help(argc == 2 && std::string_view(argv[1]) == "--help");
    workload::generator random(1);
    const auto types = workload::machine_types();
    const auto data = random.data_sets(12);
    const auto past = past_runs(random, std::span(data).first(6), types);
    std::vector<workload::job> jobs;
    for (int i = 0; i < job_count; ++i) jobs.push_back(random.next_job(data));

    const folder histories;
    bellamy::job_store store(histories.path(), bellamy::schema_of(past).value());
    (void)store.record("report", past).value();
    // Others ask as well, for example a dashboard: here two threads do nothing else.
    std::atomic<long> others_asked = 0;
    const auto keep_asking = [&](const std::stop_token& stop) {
        std::size_t next = 0;
        do {
            (void)ask(store, types, jobs[next++ % jobs.size()]);
            ++others_asked;
        } while (!stop.stop_requested());
    };
    std::vector<std::jthread> others;
    for (int i = 0; i < 2; ++i) others.emplace_back(keep_asking);

    fmt::print("jobs       deadlines met      cost  mean error  stated probability\n");
    tally all;
    tally block;
    mean error;
    mean stated;
    mean asking_ms;
    mean recording_ms;
    int infeasible = 0;
    int changes = 0;
    for (int i = 0; i < job_count; ++i) {
        const auto& job = jobs[static_cast<std::size_t>(i)];
        auto began = clock_type::now();
        const auto answer = ask(store, types, job);
        asking_ms.add(milliseconds_since(began));

        const auto& type = types[answer.chosen.type];
        const int x = answer.chosen.scale_out;
        const double runtime_s = run_on(type, x, job);
        all.add(job, type, x, runtime_s);
        block.add(job, type, x, runtime_s);
        error.add(100 * std::abs(answer.why.predicted.median_s - runtime_s) / runtime_s);
        stated.add(100 * answer.why.probability);
        if (!answer.feasible) ++infeasible;

        began = clock_type::now();
        const bellamy::run ended{.context = workload::context_of(job.data, type), .scale_out = x, .runtime_s = runtime_s};
        if (store.record("report", {ended}).value()) ++changes;
        recording_ms.add(milliseconds_since(began));
        if ((i + 1) % jobs_per_block != 0) continue;
        fmt::print("{:>3} to {:>3} {:>7} of {:>2} {:>12.2f} {:>8.1f} % {:>17.1f} %\n", i + 2 - jobs_per_block, i + 1,
                   block.met, block.jobs, block.cost, error.value(), stated.value());
        block = {};
        error = {};
        stated = {};
    }
    for (auto& each : others) each.request_stop();
    others.clear();

    const auto [fixed, of_fixed] = best_static_policy(types, jobs);
    fmt::print("\n{:<48} {:>10}  {:>8}\n", "policy", "met", "cost");
    print_policy("bellamy, cheapest with probability 0.9", all);
    print_policy(fmt::format("always {} x {}, the best in hindsight", fixed.scale_out, types[fixed.type].name), of_fixed);
    fmt::print("\n{} jobs had no cluster likely enough and got the best effort.\n", infeasible);
    fmt::print("Drift was seen {} times.\n", changes);
    fmt::print("time: asking took {:.2f} ms per job, at most {:.2f}; recording {:.2f}, at most {:.0f}\n", asking_ms.value(),
               asking_ms.largest, recording_ms.value(), recording_ms.largest);
    fmt::print("time: meanwhile 2 other threads asked {} times\n", others_asked.load());
}
