// The tenants' models beside what else could serve them: best mode and the published network from a store, the same network
// as sessions of ONNX Runtime, and boosted trees of the same runs.
#ifndef BELLAMY_BENCH_SUPPORT_TENANT_PEERS_HPP
#define BELLAMY_BENCH_SUPPORT_TENANT_PEERS_HPP

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "boosting.hpp"
#include "clock.hpp"
#include "tenant_load.hpp"
#include "tenant_memory.hpp"
#include "tenant_models.hpp"
#if defined(BELLAMY_HAS_ONNXRUNTIME)
#include "onnx_file.hpp"
#include "onnx_runtime.hpp"
#endif

namespace bench {

/// What a request asks: as many scale-outs, 1, 2, ..., of each of several contexts, at most 33.
struct peer_question {
    std::vector<context> contexts{};
    /// The same without properties that scale with the scale-out: of the networks, as peers cannot know of scaling.
    std::vector<context> fixed{};
    int scale_outs = 1;

    explicit peer_question(int predictions) {
        int count = (predictions + 32) / 33;
        while (predictions % count != 0) ++count;
        scale_outs = predictions / count;
        for (int c = 0; c < count; ++c) {
            contexts.push_back(context_number(40 + c));
            fixed.push_back(context_number(40 + c, false));
        }
    }
    [[nodiscard]] std::size_t predictions() const { return contexts.size() * static_cast<std::size_t>(scale_outs); }
};

/// Models of one kind. `load` takes the next tenant's into memory; `ask` returns the sum of what it predicts, in seconds.
class tenant_peer {
public:
    tenant_peer() = default;
    tenant_peer(const tenant_peer&) = delete;
    tenant_peer& operator=(const tenant_peer&) = delete;
    virtual ~tenant_peer() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    virtual void load() = 0;
    [[nodiscard]] virtual double ask(std::size_t tenant, const peer_question& of) = 0;
};

/// Models of a store.
class bellamy_peer final : public tenant_peer {
public:
    bellamy_peer(std::string name, const std::string& folder, std::string prefix, bool scaling)
        : name_(std::move(name)),
          prefix_(std::move(prefix)),
          scaling_(scaling),
          store_(folder, {.most_bytes = std::size_t{1} << 40U}) {}
    [[nodiscard]] std::string name() const override { return name_; }
    void load() override { (void)store_.get(prefix_ + std::to_string(loaded_++)).value(); }
    [[nodiscard]] double ask(std::size_t tenant, const peer_question& of) override {
        const auto held = store_.get(prefix_ + std::to_string(tenant)).value();
        std::array<float, 33> medians_s{};
        double sum = 0;
        for (const auto& each : scaling_ ? of.contexts : of.fixed) {
            const auto part = std::span(medians_s).first(static_cast<std::size_t>(of.scale_outs));
            held->bind(each).value().medians_s(1, part);
            for (const float seconds : part) sum += static_cast<double>(seconds);
        }
        return sum;
    }

private:
    std::string name_;
    std::string prefix_;
    bool scaling_;
    model_store store_;
    std::size_t loaded_ = 0;
};

[[nodiscard]] inline network<> tenant_network(std::size_t tenant) {
    bellamy::detail::random_generator random(tenant + 1);
    auto made = bellamy::detail::random_network<float, dimensions{}>(5, random);
    made.runtime.scaler = min_max_scaler<float>::of(std::vector{2, 4, 6, 8, 10, 12});
    return made;
}

/// Writes the networks of all tenants, as models and, where this is built with ONNX Runtime, as ONNX files.
inline void write_networks(const std::string& folder, std::size_t tenants) {
    const run like{.context = context_number(0, false), .scale_out = 4, .runtime_s = 100};
    for (std::size_t i = 0; i < tenants; ++i) {
        const auto own = tenant_network(i);
        const auto place = folder + "/network-" + std::to_string(i);
        save(model(schema_of(std::span(&like, 1)).value(), {.seen_scale_outs = {.smallest = 2, .largest = 12}}, own),
             place + ".bellamy")
            .value();
#if defined(BELLAMY_HAS_ONNXRUNTIME)
        std::ofstream(place + ".onnx", std::ios::binary) << onnx_graph::of(own);
#endif
    }
}

#if defined(BELLAMY_HAS_ONNXRUNTIME)
inline constexpr std::string_view onnx_missing{};

/// A session for each tenant. Properties are encoded by ours, for every request, as our models do.
class onnx_peer final : public tenant_peer {
public:
    onnx_peer(const std::string& library, std::string folder) : runtime_(library), folder_(std::move(folder)) {}
    [[nodiscard]] std::string name() const override { return "ONNX Runtime, the same network"; }
    void load() override {
        sessions_.push_back(runtime_.load(folder_ + "/network-" + std::to_string(sessions_.size()) + ".onnx"));
    }
    [[nodiscard]] double ask(std::size_t tenant, const peer_question& of) override {
        encoded_.clear();
        features_.clear();
        for (const auto& each : of.fixed) {
            for (const auto* list : {&each.essential, &each.optional})
                for (const auto& property : *list) {
                    encoded_.resize(encoded_.size() + 40);
                    encode(property, 1, std::span<float, 40>(encoded_.data() + encoded_.size() - 40, 40));
                }
            for (int x = 1; x <= of.scale_outs; ++x)
                for (const float feature : scaler_(static_cast<float>(x))) features_.push_back(feature);
        }
        answers_.resize(of.predictions());
        const auto contexts = static_cast<std::int64_t>(of.contexts.size());
        runtime_.run(sessions_[tenant].get(), encoded_, {contexts, 8, 40}, features_, {contexts, of.scale_outs, 3},
                     answers_);
        return std::accumulate(answers_.begin(), answers_.end(), 0.0);
    }

private:
    onnx_runtime runtime_;
    std::string folder_;
    min_max_scaler<float> scaler_ = tenant_network(0).runtime.scaler;
    std::vector<onnx_runtime::session> sessions_{};
    std::vector<float> encoded_{}, features_{}, answers_{};
};
#else
inline constexpr std::string_view onnx_missing =
    "expected onnxruntime_c_api.h when this was built, found none (-DONNXRUNTIME_INCLUDE_DIR=...)";
#endif

#if defined(BELLAMY_HAS_XGBOOST)
/// A booster for each tenant, from files of eight that were trained on the history and a tenant's own run.
class boosting_peer final : public tenant_peer {
public:
    boosting_peer(const tenant_fleet& fleet, int contexts, std::size_t kinds) : folder_(fleet.folder()) {
        for (std::size_t i = 0; i < trained; ++i) {
            auto runs = tenant_history(i % kinds, contexts);
            const auto own = fleet.own_runs(i, 1);
            runs.insert(runs.end(), own.begin(), own.end());
            features_.push_back(std::make_unique<boosting_features>(runs));
            boosting_rows rows;
            features_.back()->append(runs, rows);
            const boosted_trees trees(*features_.back(), rows, 1);
            trees.save(file_of(i));
            means_.push_back(trees.mean());
            load();
            const peer_question question(1);
            const double expected = trees(question.contexts[0], 1);
            if (!(std::abs(ask(i, question) - expected) <= 1e-5 * expected))
                throw tools::tool_error("peer_differs",
                                        "expected the answer of the trees before they were saved, found another");
        }
        boosters_.clear();
    }
    [[nodiscard]] std::string name() const override { return "xgboost"; }
    void load() override {
        BoosterHandle made = nullptr;
        boosted_trees::check(XGBoosterCreate(nullptr, 0, &made));
        boosters_.push_back({made, &XGBoosterFree});
        boosted_trees::check(XGBoosterLoadModel(made, file_of((boosters_.size() - 1) % trained).c_str()));
        boosted_trees::check(XGBoosterSetParam(made, "nthread", "1"));
    }
    [[nodiscard]] double ask(std::size_t tenant, const peer_question& of) override {
        rows_.clear();
        std::array<int, 33> scale_outs{};
        std::iota(scale_outs.begin(), scale_outs.end(), 1);
        const auto asked = std::span(scale_outs).first(static_cast<std::size_t>(of.scale_outs));
        for (const auto& each : of.contexts) features_[tenant % trained]->append(each, asked, rows_);
        const auto given =
            fmt::format(R"({{"data":[{},true],"shape":[{},{}],"typestr":"<f4","version":3}})",
                        reinterpret_cast<std::uintptr_t>(rows_.data()), of.predictions(), rows_.size() / of.predictions());
        const bst_ulong* shape = nullptr;
        bst_ulong dimensions = 0;
        const float* predicted = nullptr;
        boosted_trees::check(XGBoosterPredictFromDense(
            boosters_[tenant].get(), given.c_str(),
            R"({"type":0,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false,"cache_id":0,"missing":NaN})",
            nullptr, &shape, &dimensions, &predicted));
        double sum = 0;
        for (std::size_t i = 0; i < of.predictions(); ++i)
            sum += std::exp(static_cast<double>(means_[tenant % trained] + predicted[i]));
        return sum;
    }

private:
    static constexpr std::size_t trained = 8;
    [[nodiscard]] std::string file_of(std::size_t number) const {
        return folder_ + "/trees-" + std::to_string(number) + ".ubj";
    }
    std::string folder_;
    std::vector<std::unique_ptr<boosting_features>> features_{};
    std::vector<float> means_{};
    std::vector<std::unique_ptr<void, int (*)(void*)>> boosters_{};
    std::vector<float> rows_{};
};
#endif

/// Those that there are; what is absent is told why.
[[nodiscard]] inline std::vector<std::unique_ptr<tenant_peer>> tenant_peers(
    const tenant_fleet& fleet, [[maybe_unused]] int contexts, [[maybe_unused]] std::size_t kinds,
    [[maybe_unused]] const std::string& onnx_library) {
    std::vector<std::unique_ptr<tenant_peer>> all;
    all.push_back(std::make_unique<bellamy_peer>("bellamy, best mode", fleet.folder(), "job-", true));
    all.push_back(std::make_unique<bellamy_peer>("bellamy, the network", fleet.folder(), "network-", false));
#if defined(BELLAMY_HAS_ONNXRUNTIME)
    if (!onnx_library.empty()) all.push_back(std::make_unique<onnx_peer>(onnx_library, fleet.folder()));
#endif
#if defined(BELLAMY_HAS_XGBOOST)
    all.push_back(std::make_unique<boosting_peer>(fleet, contexts, kinds));
#endif
    return all;
}

/// Loads models of every peer, and asks each once, after which all they need is in memory.
[[nodiscard]] inline nlohmann::json load_peer(tenant_peer& peer, std::size_t models) {
    std::vector<double> load_us;
    const double heap = heap_bytes();
    const double resident = resident_bytes();
    const peer_question question(1);
    for (std::size_t i = 0; i < models; ++i) {
        const double begin = now_ns();
        peer.load();
        load_us.push_back((now_ns() - begin) / 1e3);
        (void)peer.ask(i, question);
    }
    return {{"name", peer.name()},
            {"models", models},
            {"load_us", latency_quantile(load_us, 0.5)},
            {"heap_bytes_per_model", (heap_bytes() - heap) / static_cast<double>(models)},
            {"resident_bytes_per_model", (resident_bytes() - resident) / static_cast<double>(models)}};
}

/// One thread asks the peers in turns, of tenants by Zipf's law. CPU time, so that what else the machine does is not in it.
[[nodiscard]] inline std::vector<std::vector<double>> ask_peers(std::span<const std::unique_ptr<tenant_peer>> peers,
                                                                std::size_t models, int batch, double seconds) {
    const auto requests = draw_requests(zipf(models), 4096, 0, 0, 3);
    const peer_question question(batch);
    std::vector<std::vector<double>> us(peers.size());
    constexpr int rounds = 8;
    for (int round = 0; round < rounds; ++round)
        for (std::size_t p = 0; p < peers.size(); ++p)
            for (const double begin = now_ns(); now_ns() - begin < 1e9 * seconds / rounds || us[p].empty();) {
                const double from = now_ns();
                double answer = peers[p]->ask(requests[us[p].size() % requests.size()].tenant, question);
                keep(answer);
                us[p].push_back((now_ns() - from) / 1e3);
            }
    return us;
}

/// Memory, time to load and latency of every peer, for every number of models. Error: peer_differs.
[[nodiscard]] inline nlohmann::json compare_tenant_peers(const tenant_fleet& fleet, [[maybe_unused]] int contexts,
                                                         std::size_t kinds, std::span<const std::size_t> numbers,
                                                         std::span<const int> batches, double seconds,
                                                         const std::string& onnx_library) {
    write_networks(fleet.folder(), *std::max_element(numbers.begin(), numbers.end()));
    nlohmann::json rows = nlohmann::json::array();
    for (const std::size_t models : numbers) {
        const auto peers = tenant_peers(fleet, contexts, kinds, onnx_library);
        const std::size_t first = rows.size();
        for (const auto& each : peers) rows.push_back(load_peer(*each, models));
#if defined(BELLAMY_HAS_ONNXRUNTIME)
        if (!onnx_library.empty())
            for (const int batch : batches) {
                const double ours = peers[1]->ask(models - 1, peer_question(batch));
                if (!(std::abs(peers[2]->ask(models - 1, peer_question(batch)) - ours) <= 1e-4 * std::abs(ours)))
                    throw tools::tool_error("peer_differs",
                                            "expected the network's predictions of ONNX Runtime, found others");
            }
#endif
        for (const int batch : batches) {
            const auto us = ask_peers(peers, models, batch, seconds);
            for (std::size_t p = 0; p < peers.size(); ++p)
                rows[first + p]["batches"].push_back({{"batch", batch},
                                                      {"requests", us[p].size()},
                                                      {"p50_us", latency_quantile(us[p], 0.5)},
                                                      {"p99_us", latency_quantile(us[p], 0.99)}});
        }
    }
    return rows;
}

}  // namespace bench

#endif
