// What answering and training cost, on made-up runs of the published data's shape, beside what the machine could do.
#include <bellamy/batch.hpp>
#include <bellamy/bellamy.hpp>
#include <bellamy/model_store.hpp>

#include "support/encoded_batch.hpp"
#include "support/made_up.hpp"
#include "support/workload.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace bellamy;
using bench::context_number;
using bench::encoded_contexts;
using bench::keep;
using bench::made_up_network;
using bench::workload;

// Multiply-adds of the published network: what a layer multiplies, and six for every power of two that an activation takes.
constexpr double full_prediction = 3256 + 6 * 129;
constexpr double known_context = 248 + 6 * 33;

/// Runs of `contexts` contexts at six scale-outs, `repetitions` each.
[[nodiscard]] std::vector<run> made_up_history(int contexts, int repetitions) {
    std::vector<run> history;
    for (int c = 0; c < contexts; ++c)
        for (int x = 2; x <= 12; x += 2)
            for (int r = 0; r < repetitions; ++r)
                history.push_back(
                    {.context = context_number(c), .scale_out = x, .runtime_s = 40 + (900.0 + 31 * c) / x + 3 * x + r});
    return history;
}

[[nodiscard]] const model& made_up_model() {
    static const auto history = made_up_history(26, 1);
    static const model result(
        *schema_of(history), {.algorithm = "made-up", .seen_scale_outs = {.smallest = 2, .largest = 12}}, made_up_network());
    return result;
}

/// The same, up to 5 % shorter or longer.
[[nodiscard]] std::vector<run> noisy_history(int contexts, int repetitions) {
    auto history = made_up_history(contexts, repetitions);
    detail::random_generator random(1);
    for (auto& each : history) each.runtime_s *= 0.95 + 0.1 * random.uniform();
    return history;
}

/// As many runs as the published data has of one job, of a model that learns from all of them.
[[nodiscard]] const std::vector<run>& best_history() {
    static const auto result = noisy_history(27, 5);
    return result;
}

[[nodiscard]] const model& best_mode_model() {
    static const auto result = pretrain(best_history()).value().model;
    return result;
}

/// Runs of a context that no history has, at scale-outs 2, 4, ...
[[nodiscard]] std::vector<run> observed_runs(int count) {
    std::vector<run> observed;
    for (int i = 1; i <= count; ++i)
        observed.push_back({.context = context_number(40), .scale_out = 2 * i, .runtime_s = 60 + 1500.0 / (2 * i)});
    return observed;
}

/// A whole curve of one context.
void add_curves(std::vector<workload>& all) {
    constexpr std::size_t scale_outs = 1024;
    const auto source = std::make_shared<const detail::prepared_network>(made_up_network());
    const auto runtimes = std::make_shared<std::vector<float>>(scale_outs);
    const detail::network_curve fixed(*source, context_number(40, false));
    const detail::network_curve scaling(*source, context_number(40));
    all.push_back({"curve_direct_1024", scale_outs,
                   [=] {
                       fixed(1, *runtimes);
                       keep(runtimes->front());
                   },
                   known_context});
    all.push_back({"curve_scaling_properties_1024", scale_outs, [=] {
                       scaling(1, *runtimes);
                       keep(runtimes->front());
                   }});
}

/// Different contexts.
void add_batches(std::vector<workload>& all) {
    const detail::prepared_network prepared(made_up_network());
    for (const std::size_t count : {16U, 256U, 4096U}) {
        const auto encoded = std::make_shared<const std::vector<float>>(encoded_contexts(count));
        std::vector<float> scale_outs(count);
        for (std::size_t i = 0; i < count; ++i) scale_outs[i] = static_cast<float>(1 + i % 12);
        all.push_back({"batch_" + std::to_string(count), count,
                       [=, found = std::vector<float>(count)]() mutable {
                           bench::predict_encoded(prepared, encoded->data(), 3, scale_outs.data(), found.data(), count);
                           keep(found.front());
                       },
                       full_prediction});
    }
    constexpr std::size_t count = 256;
    const auto contexts = std::make_shared<std::vector<context>>();
    for (std::size_t i = 0; i < count; ++i) contexts->push_back(context_number(static_cast<int>(i)));
    std::vector<question> questions;
    for (const auto& each : *contexts) questions.push_back({.context = &each, .scale_out = 4});
    all.push_back({"batch_contexts_256", count, [=, owner = contexts, found = std::vector<prediction>(count)]() mutable {
                       if (!predict(made_up_model(), questions, found)) std::abort();
                       keep(found.front());
                   }});
}

/// One prediction after the other, each of which waits for the one before.
void add_singles(std::vector<workload>& all) {
    constexpr std::size_t chain = 64;
    const detail::prepared_network prepared(made_up_network());
    const auto add = [&](const char* name, const auto& predict) {
        all.push_back({name, chain, [=] {
                           int x = 4;
                           for (std::size_t i = 0; i < chain; ++i) x = 4 + static_cast<int>(1e-30F * predict(x));
                           keep(x);
                       }});
    };
    const detail::network_curve fixed(prepared, context_number(40, false));
    const detail::network_curve scaling(prepared, context_number(40));
    add("single_known_context", [=](int x) { return fixed(x); });
    add("single_known_context_scaling_properties", [=](int x) { return scaling(x); });
    const auto job = context_number(40);
    all.push_back({"bind_context", 1, [=] {
                       auto bound = made_up_model().bind(job);
                       keep(bound);
                   }});
}

void add_encodings(std::vector<workload>& all) {
    const std::vector<std::string> texts{
        "m4.2xlarge",           "c4.xlarge", "wallynode", "sgd-spark",    "100 1.0", "25 1000000", "public cloud aws emr",
        "private cluster yarn", "computer",  "0.0001",    "kmeans-spark", "50 0.001"};
    all.push_back({"encode_text", texts.size(), [=] {
                       std::array<float, 40> encoded;
                       for (const auto& each : texts) {
                           encode_text(std::string_view(each), std::span(encoded));
                           keep(encoded);
                       }
                   }});
    all.push_back({"encode_number", 16, [] {
                       std::array<float, 40> encoded;
                       for (std::uint64_t i = 0; i < 16; ++i) {
                           encode_natural(16000 + 977 * i, std::span(encoded));
                           keep(encoded);
                       }
                   }});
}

/// The epoch of 200 samples that train, none that validate but they.
template <class Scalar>
[[nodiscard]] workload pretrain_epoch(const char* name) {
    using samples = detail::training_set<Scalar, dimensions{}>;
    using trained = detail::pretraining<Scalar, dimensions{}>;
    struct state {
        std::vector<run> history = [] {
            auto all = made_up_history(7, 5);
            all.resize(200, all.back());
            return all;
        }();
        // In brackets, or clang takes the comma for the end of the initialiser.
        samples set = (detail::make_training_set<Scalar, dimensions{}>(history));
        detail::random_generator random{1};
        detail::holdout split = detail::stratified_holdout(context_numbers(history), set.scale_outs, 0, random);
        min_max_scaler<Scalar> scaler = min_max_scaler<Scalar>::of(set.scale_outs);
        trained training{set, split, scaler, {.tuned = {.dropout = 0.1}}, 1};
    };
    return {name, 1, [all = std::make_shared<state>()] { all->training.run_epoch(); }};
}

void add_training(std::vector<workload>& all) {
    all.push_back({"fine_tune_5", 1, [observed = observed_runs(5)] {
                       auto tuned = fine_tune(made_up_model(), observed, {.early_stopping = false});
                       keep(tuned);
                   }});
    all.push_back(pretrain_epoch<float>("pretrain_epoch_200"));
    all.push_back(pretrain_epoch<double>("pretrain_epoch_200_double"));
}

/// Statistical experts instead of the network.
void add_best_mode(std::vector<workload>& all) {
    all.push_back({"best_fit_810", 1, [] {
                       auto fitted = pretrain(best_history());
                       keep(fitted);
                   }});
    // From the first 1,002 runs, with 10 more.
    static const auto long_history = noisy_history(1667, 1);
    static const auto general = pretrain(std::span(long_history).first(1002)).value().model;
    for (const auto& [name, runs] : {std::pair("learn_1012", 1012U), std::pair("learn_10002", 10002U)})
        all.push_back({name, 1, [count = runs] {
                           auto learned = learn(general, std::span(long_history).first(count));
                           keep(learned);
                       }});
    all.push_back({"best_bind_1002", 1, [] {
                       auto bound = general.bind(long_history.front().context);
                       keep(bound);
                   }});
    const auto observed = observed_runs(5);
    all.push_back({"best_condition_5", 1, [=] {
                       auto bound = best_mode_model().condition(observed).value().bind(observed.front().context);
                       keep(bound);
                   }});
    constexpr int scale_outs = 100;
    const auto bound = best_mode_model().condition(observed).value().bind(observed.front().context).value();
    all.push_back({"best_curve_100", scale_outs, [=] {
                       for (int x = 1; x <= scale_outs; ++x) {
                           double runtime_s = bound.at(x).quantile_s(0.9);
                           keep(runtime_s);
                       }
                   }});
}

/// A store with room for one of two models: each that is asked for was dropped before.
class crowded_store {
public:
    crowded_store() {
        for (const auto* name : {"one", "other"})
            if (!store_.exchange(name, best_mode_model())) std::abort();
    }
    crowded_store(const crowded_store&) = delete;
    crowded_store& operator=(const crowded_store&) = delete;
    ~crowded_store() { std::filesystem::remove_all(folder_); }

    [[nodiscard]] model_store::snapshot next() { return store_.get((one_ = !one_) ? "one" : "other").value(); }

private:
    [[nodiscard]] static std::filesystem::path made() {
        const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
        const auto folder = std::filesystem::temp_directory_path() / ("bellamy-speed-" + std::to_string(now));
        std::filesystem::create_directory(folder);
        return folder;
    }

    std::filesystem::path folder_ = made();
    model_store store_{folder_.string(), {.most_bytes = 1}};
    bool one_ = false;
};

void add_files(std::vector<workload>& all) {
    const auto add = [&](const char* name, const model& saved) {
        all.push_back({name, 1, [bytes = to_bytes(saved)] {
                           auto loaded = from_bytes(std::span(bytes));
                           keep(loaded);
                       }});
    };
    add("load", made_up_model());
    add("load_best", best_mode_model());
    all.push_back({"load_again", 1, [from = std::make_shared<crowded_store>()] {
                       auto bound = from->next()->bind(context_number(40));
                       keep(bound);
                   }});
}

struct arguments {
    std::string json{};
    std::vector<std::string> only{};
    int rounds = 15;
};

[[nodiscard]] bool read(int count, char** values, arguments& given) {
    for (int i = 1; i < count; i += 2) {
        const std::string_view name = values[i];
        if (i + 1 == count) return false;
        const std::string value = values[i + 1];
        if (name == "--json") {
            given.json = value;
        } else if (name == "--only") {
            for (std::size_t from = 0; from <= value.size();) {
                const auto to = (std::min)(value.find(',', from), value.size());
                given.only.push_back(value.substr(from, to - from));
                from = to + 1;
            }
        } else if (name == "--rounds") {
            given.rounds = std::atoi(value.c_str());
        } else {
            return false;
        }
    }
    return given.rounds > 0;
}

}  // namespace

int main(int count, char** values) {
    arguments given;
    if (!read(count, values, given)) {
        std::cerr << "usage: speed [--json FILE] [--only NAME,NAME...] [--rounds N]\n";
        return 2;
    }
    std::vector<workload> all;
    add_curves(all);
    add_batches(all);
    add_singles(all);
    add_encodings(all);
    add_training(all);
    add_best_mode(all);
    add_files(all);
    if (!given.only.empty())
        std::erase_if(
            all, [&](const workload& each) { return std::count(given.only.begin(), given.only.end(), each.name) == 0; });
    if (all.empty()) {
        std::cerr << "expected the names of workloads, found none that is known\n";
        return 2;
    }

    // The clock and the peak are measured again after every round: they change with the machine's load.
    std::vector<double> clocks;
    std::vector<double> peaks;
    bench::multiply_add_peak peak;
    all.push_back({"clock and peak", 1, [&] {
                       clocks.push_back(bench::measured_clock_ghz());
                       peak = bench::measured_multiply_add_peak();
                       peaks.push_back(peak.per_ns);
                   }});
    bench::time_in_turns(all, given.rounds);
    all.pop_back();
    const double clock_ghz = bench::median(clocks);
    peak.per_ns = bench::median(peaks);

    std::printf("kernels of this build: %s lanes of float, %s\n", std::to_string(detail::simd::widest).c_str(),
                detail::simd::isa_name);
    std::printf("clock %.2f GHz; %s: %.1f multiply-adds per ns, %.2f vectors of %d per cycle\n", clock_ghz,
                std::string(peak.instructions).c_str(), peak.per_ns, peak.vectors_per_cycle(clock_ghz), peak.lanes);
    std::printf("CPU time, medians of %d rounds in turns\n\n%-42s %14s %14s %12s\n", given.rounds, "workload", "ns per item",
                "cycles", "x roofline");
    std::string json;
    for (const auto& each : all) {
        const double ns = bench::median(each.ns_per_item);
        std::string ratio = "null";
        if (each.multiply_adds > 0 && peak.per_ns > 0) ratio = std::to_string(ns * peak.per_ns / each.multiply_adds);
        std::printf("%-42s %14.2f %14.1f %12s\n", each.name.c_str(), ns, ns * clock_ghz,
                    ratio == "null" ? "-" : ratio.substr(0, ratio.find('.') + 3).c_str());
        json += (json.empty() ? "[\n" : ",\n");
        json += "  {\"name\": \"" + each.name + "\", \"ns_per_item\": " + std::to_string(ns) +
                ", \"cycles_per_item\": " + std::to_string(ns * clock_ghz) + ", \"items\": " + std::to_string(each.items) +
                ", \"roofline_ratio\": " + ratio + "}";
    }
    if (given.json.empty()) return 0;
    std::ofstream file(given.json);
    file << json << "\n]\n";
    if (!file.flush()) {
        std::cerr << "cannot write " << given.json << '\n';
        return 1;
    }
    return 0;
}
