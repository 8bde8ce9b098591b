// What it costs to serve many tenants from one process: memory per model, latency to the tail under mixed load, what one
// tenant's learning or noise does to the others, and whether processes of their own would do better.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>

#include "../examples/support/child_program.hpp"
#include "../examples/support/output_file.hpp"
#include "../examples/support/program.hpp"
#include "support/tenant_load.hpp"
#include "support/tenant_memory.hpp"
#include "support/tenant_models.hpp"
#include "support/tenant_peers.hpp"

namespace {

thread_local std::size_t allocations = 0;

void* allocate(std::size_t size) {
    ++allocations;
    void* const made = std::malloc(size);
    if (made == nullptr) throw std::bad_alloc();
    return made;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace bellamy;
using bench::heap_bytes;
using bench::load_outcome;
using bench::request_class;
using bench::run_load;
using bench::tenant_fleet;
using nlohmann::json;

struct settings {
    std::vector<std::size_t> models{1, 10, 100, 1000};
    std::vector<int> batches{1, 33, 1000};
    int threads = 2;
    int contexts = 20;
    double seconds = 0.25;
    std::size_t bound_mb = 1024;
    std::size_t processes = 8;
    double price_per_hour = 0.20;
    double hour_at = 0;
    std::string onnx_library{};
    std::string json_file{};
    std::string plot_file{};
};

constexpr double ask_limit_us = 1000;
constexpr double learn_limit_us = 100'000;
/// Histories that the tenants' models were learned from.
constexpr std::size_t kinds = 3;

[[nodiscard]] double milliseconds_of(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Serves requests from a store, and compares the bits of what was answered with those of a single thread.
class service {
public:
    service(const tenant_fleet& fleet, model_store& store, int batch) : fleet_(fleet), store_(store), batch_(batch) {}

    /// What the first tenants are answered by models of their own files, by one thread without a store.
    void expect_of(std::size_t tenants) {
        for (std::size_t i = 0; i < tenants; ++i)
            expected_.push_back(bench::ask(load(fleet_.folder() + "/" + tenant_fleet::name_of(i) + ".bellamy").value(),
                                           fleet_.asked(), batch_));
    }
    void operator()(const bench::tenant_request& asked) {
        const auto held = store_.get(tenant_fleet::name_of(asked.tenant)).value();
        if (asked.what == request_class::condition) {
            const auto wiser = held->condition(fleet_.own_runs(asked.tenant, 5)).value();
            (void)bench::ask(wiser, fleet_.asked(), 1);
            return;
        }
        const double answer = bench::ask(*held, fleet_.asked(), batch_);
        if (asked.tenant < expected_.size() &&
            std::bit_cast<std::uint64_t>(answer) != std::bit_cast<std::uint64_t>(expected_[asked.tenant]))
            ++wrong_;
    }
    [[nodiscard]] std::size_t wrong() const noexcept { return wrong_; }

private:
    const tenant_fleet& fleet_;
    model_store& store_;
    int batch_;
    std::vector<double> expected_{};
    std::atomic<std::size_t> wrong_{0};
};

[[nodiscard]] double share_within(const std::vector<double>& us, double limit_us) {
    const auto within = std::count_if(us.begin(), us.end(), [&](double each) { return each <= limit_us; });
    return us.empty() ? 1 : static_cast<double>(within) / static_cast<double>(us.size());
}

[[nodiscard]] json quantiles_of(const std::vector<double>& us, double limit_us) {
    return {{"requests", us.size()},
            {"p50_us", bench::latency_quantile(us, 0.5)},
            {"p95_us", bench::latency_quantile(us, 0.95)},
            {"p99_us", bench::latency_quantile(us, 0.99)},
            {"p999_us", bench::latency_quantile(us, 0.999)},
            {"within_limit", share_within(us, limit_us)}};
}

[[nodiscard]] json described(const load_outcome& from) {
    json made{
        {"requests_per_s", from.requests_per_s()},
        {"cpu_us_per_request", 1e6 * from.cpu_s / static_cast<double>(std::max<std::size_t>(from.latencies.size(), 1))},
        {"worst_over_median_tenant", bench::worst_over_median_tenant(from)}};
    for (std::size_t what = 0; what < bench::request_class_names.size(); ++what)
        if (const auto us = bench::latencies_of(from, static_cast<request_class>(what)); !us.empty())
            made[bench::request_class_names[what]] =
                quantiles_of(us, static_cast<request_class>(what) == request_class::ask ? ask_limit_us : learn_limit_us);
    return made;
}

void print_row(const std::string& name, const json& row, request_class what = request_class::ask) {
    const char* const kind = bench::request_class_names[static_cast<std::size_t>(what)];
    if (!row.contains(kind)) return;
    const auto& us = row.at(kind);
    fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.1f} % |\n", name, kind,
               row.at("requests_per_s").get<double>(), us.at("p50_us").get<double>(), us.at("p95_us").get<double>(),
               us.at("p99_us").get<double>(), us.at("p999_us").get<double>(), 100 * us.at("within_limit").get<double>());
    std::fflush(stdout);
}

void print_head(const char* title) {
    fmt::print(
        "\n{}\n\n| load | class | requests/s | p50, us | p95 | p99 | p99.9 | within 1 ms, learning: 100 ms "
        "|\n|---|---|---|---|---|---|---|---|\n",
        title);
}

constexpr std::size_t checked_tenants = 100;
constexpr std::size_t drawn_requests = 1U << 15U;

class comparison {
public:
    comparison(const settings& given, const tenant_fleet& fleet) : given_(given), fleet_(fleet) {}

    [[nodiscard]] json hour() {
        auto memory = memory_over_time();
        return {{"memory", memory}, {"wrong_answers", wrong_}};
    }

    [[nodiscard]] json all() {
        json made{{"threads", given_.threads},
                  {"cores", std::thread::hardware_concurrency()},
                  {"runs_per_model", given_.contexts * 30},
                  {"file_bytes", fleet_.file_bytes()}};
        made["models"] = sizes();
        made["one_model"] = one_model();
        made["batches"] = batches();
        made["open"] = open_loop();
        made["mixes"] = mixes();
        made["noisy"] = noisy();
        made["processes"] = processes();
        made["memory"] = memory_over_time();
        made["generator_share"] = generator_share();
        made["peers"] = peers();
        made["wrong_answers"] = wrong_;
        return made;
    }

private:
    [[nodiscard]] model_store_options bound() const { return {.most_bytes = given_.bound_mb << 20U}; }
    [[nodiscard]] std::size_t usual_models() const {
        return std::min<std::size_t>(100, *std::max_element(given_.models.begin(), given_.models.end()));
    }
    // Loads what most requests are about, so that a load begins warm.
    static void warm(model_store& store, std::size_t models) {
        for (std::size_t i = std::min<std::size_t>(models, 1000); i-- > 0;)
            (void)store.get(tenant_fleet::name_of(i)).value();
    }
    [[nodiscard]] load_outcome closed(service& of, std::size_t models, double conditioning = 0) const {
        return run_load(bench::draw_requests(bench::zipf(models), drawn_requests, conditioning, 0, 1), given_.threads,
                        given_.seconds, false, of);
    }
    [[nodiscard]] load_outcome at_rate(service& of, std::size_t models, double per_second, double conditioning = 0) const {
        const auto count = static_cast<std::size_t>(std::max(20.0, per_second * given_.seconds));
        return run_load(bench::draw_requests(bench::zipf(models), count, conditioning, per_second, 2), given_.threads, 0,
                        true, of);
    }

    // How throughput, tail and memory change with the number of models.
    [[nodiscard]] json sizes() {
        print_head("Closed loop, one prediction per request, by number of models");
        json rows = json::array();
        for (const std::size_t models : given_.models) {
            model_store store(fleet_.folder(), bound());
            std::vector<double> load_ms;
            const double empty = heap_bytes();
            for (std::size_t i = models; i-- > 0;)
                load_ms.push_back(milliseconds_of([&] { (void)store.get(tenant_fleet::name_of(i)).value(); }));
            const double loaded = heap_bytes() - empty;
            const auto held = store.counters();
            service served(fleet_, store, 1);
            served.expect_of(std::min(models, checked_tenants));
            const auto outcome = closed(served, models);
            wrong_ += served.wrong();
            const auto after = store.counters();
            auto row = described(outcome);
            row["models"] = models;
            row["load_ms"] = bench::latency_quantile(load_ms, 0.5);
            row["loaded_bytes"] = loaded;
            row["counted_bytes"] = held.bytes;
            row["hits"] = after.hits;
            row["cooled"] = after.cooled;
            row["evictions"] = after.evictions;
            row["models_in_memory"] = after.models;
            rows.push_back(row);
            print_row(fmt::format("{} models", models), row);
            if (models == usual_models()) capacity_ = outcome.requests_per_s();
        }
        fmt::print(
            "\n| models | in memory | load, ms | heap, MB | counted by the store, MB | cooled, times | worst tenant's p95 "
            "over "
            "the median one's |\n|---|---|---|---|---|---|---|\n");
        for (const auto& row : rows)
            fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {} | {:.2f} |\n", row.at("models").get<std::size_t>(),
                       row.at("models_in_memory").get<std::size_t>(), row.at("load_ms").get<double>(),
                       row.at("loaded_bytes").get<double>() / 1e6, row.at("counted_bytes").get<double>() / 1e6,
                       row.at("cooled").get<std::size_t>(), row.at("worst_over_median_tenant").get<double>());
        if (capacity_ <= 0) capacity_ = rows.back().at("requests_per_s").get<double>();
        return rows;
    }

    // What a model takes after it was asked, and as it is after it was dropped and loaded again: its experts are not
    // conditioned before it is asked.
    [[nodiscard]] json one_model() const {
        const std::size_t models = std::max<std::size_t>(usual_models(), 2);
        model_store small_store(fleet_.folder(), {.most_bytes = 1});
        const auto load_all = [&](std::vector<model_store::snapshot>& held) {
            std::vector<double> ms;
            for (std::size_t i = 0; i < models; ++i)
                ms.push_back(milliseconds_of([&] { held.push_back(small_store.get(tenant_fleet::name_of(i)).value()); }));
            return bench::latency_quantile(ms, 0.5);
        };
        std::vector<model_store::snapshot> held;
        held.reserve(models);
        const double load_ms = load_all(held);
        held.clear();
        (void)small_store.get(tenant_fleet::name_of(0)).value();  // cold from now on, in place of the last one, which is hot
        const double with_first = heap_bytes();
        const double reload_ms = load_all(held);
        const double loaded = heap_bytes();
        const double cold = (loaded - with_first) / static_cast<double>(models - 1);
        for (const auto& each : held) (void)each->bind(fleet_.asked()).value();
        const double hot = cold + (heap_bytes() - loaded) / static_cast<double>(models);
        fmt::print(
            "\n| load, ms | load again, ms | file, KB | KB of a cold model | times its file | KB of a hot one "
            "|\n|---|---|---|---|---|---|\n| {:.2f} | {:.2f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n",
            load_ms, reload_ms, static_cast<double>(fleet_.file_bytes()) / 1e3, cold / 1e3,
            cold / static_cast<double>(fleet_.file_bytes()), hot / 1e3);
        return {{"load_ms", load_ms}, {"reload_ms", reload_ms}, {"cold_bytes", cold}, {"hot_bytes", hot}};
    }

    [[nodiscard]] json batches() {
        print_head("Closed loop, by predictions per request");
        json rows = json::array();
        for (const int batch : given_.batches) {
            model_store store(fleet_.folder(), bound());
            warm(store, usual_models());
            service served(fleet_, store, batch);
            served.expect_of(std::min(usual_models(), checked_tenants) / (batch > 33 ? 10 : 1));
            const auto before = allocations;
            served({.tenant = 0});
            const auto allocated = static_cast<double>(allocations - before);
            const auto outcome = closed(served, usual_models());
            wrong_ += served.wrong();
            auto row = described(outcome);
            row["batch"] = batch;
            row["allocations_per_prediction"] = allocated / batch;
            row["cost_per_million_predictions"] = given_.price_per_hour / 3600 / (outcome.requests_per_s() * batch) * 1e6;
            rows.push_back(row);
            print_row(fmt::format("{} predictions", batch), row);
        }
        fmt::print(
            "\n| predictions per request | allocations per prediction | cost of a million, machine at {} per hour "
            "|\n|---|---|---|\n",
            given_.price_per_hour);
        for (const auto& row : rows)
            fmt::print("| {} | {:.1f} | {:.4f} |\n", row.at("batch").get<int>(),
                       row.at("allocations_per_prediction").get<double>(),
                       row.at("cost_per_million_predictions").get<double>());
        return rows;
    }

    [[nodiscard]] json open_loop() {
        print_head("Open loop (Poisson), one prediction per request, latency from the scheduled time");
        json rows = json::array();
        for (const int percent : {50, 80, 95}) {
            model_store store(fleet_.folder(), bound());
            warm(store, usual_models());
            service served(fleet_, store, 1);
            served.expect_of(std::min(usual_models(), checked_tenants));
            auto row = described(at_rate(served, usual_models(), capacity_ * percent / 100));
            wrong_ += served.wrong();
            row["percent_of_capacity"] = percent;
            rows.push_back(row);
            print_row(fmt::format("{} % of capacity", percent), row);
        }
        return rows;
    }

    // The last tenant learns anew and exchanges its model until told to stop.
    class learner {
    public:
        learner(const settings& given, model_store& store, std::size_t tenant)
            : worker_([&given, &store, tenant, this](const std::stop_token& stop) {
                  for (std::size_t kind = 0; !stop.stop_requested(); ++kind)
                      us_.push_back(
                          1e3 * milliseconds_of([&] {
                              auto fresh = pretrain(bench::tenant_history(kind % 7, given.contexts));
                              store.exchange(tenant_fleet::name_of(tenant), std::move(fresh).value().model).value();
                          }));
              }) {}
        [[nodiscard]] std::vector<double> stop() {
            worker_.request_stop();
            worker_.join();
            return us_;
        }

    private:
        std::vector<double> us_{};
        std::jthread worker_;
    };

    [[nodiscard]] json mixes() {
        print_head("Mixes in an open loop at 50 % of capacity");
        struct mix {
            const char* name;
            double conditioning;
            bool learns;
        };
        json rows = json::array();
        for (const auto& [name, conditioning, learns] :
             {mix{"predictions only", 0, false}, mix{"1 % condition", 0.01, false}, mix{"10 % condition", 0.1, false},
              mix{"one tenant learns anew", 0, true}}) {
            if (learns && usual_models() < 2) continue;
            model_store store(fleet_.folder(), bound());
            const std::size_t asked = learns ? usual_models() - 1 : usual_models();
            warm(store, asked);
            service served(fleet_, store, 1);
            served.expect_of(std::min(asked, checked_tenants));
            std::optional<learner> learning;
            if (learns) learning.emplace(given_, store, asked);
            auto row = described(at_rate(served, asked, capacity_ / 2, conditioning));
            wrong_ += served.wrong();
            row["mix"] = name;
            print_row(name, row);
            print_row(name, row, request_class::condition);
            if (learning) {
                row["learn"] = quantiles_of(learning->stop(), learn_limit_us);
                fmt::print("\nlearning anew and exchanging: {} times, median {:.0f} ms, {:.0f} % within 100 ms\n",
                           row["learn"]["requests"].get<std::size_t>(), row["learn"]["p50_us"].get<double>() / 1e3,
                           100 * row["learn"]["within_limit"].get<double>());
            }
            rows.push_back(row);
        }
        return rows;
    }

    // One tenant asks without pause, a thousand predictions at a time, while the others send a tenth of what the machine
    // could serve.
    [[nodiscard]] json noisy() {
        if (usual_models() < 2) return nullptr;
        print_head("Open loop at 10 % of capacity, with and without a noisy tenant");
        json made;
        for (const bool with : {false, true}) {
            model_store store(fleet_.folder(), bound());
            warm(store, usual_models());
            service served(fleet_, store, 1);
            served.expect_of(std::min(usual_models() - 1, checked_tenants));
            std::jthread noise;
            if (with)
                noise = std::jthread([&](const std::stop_token& stop) {
                    const auto name = tenant_fleet::name_of(usual_models() - 1);
                    while (!stop.stop_requested()) (void)bench::ask(*store.get(name).value(), fleet_.asked(), 1000);
                });
            auto row = described(at_rate(served, usual_models() - 1, capacity_ / 10));
            wrong_ += served.wrong();
            print_row(with ? "with it" : "alone", row);
            made[with ? "with" : "alone"] = row;
        }
        made["interference_p99"] =
            made["with"]["ask"]["p99_us"].get<double>() / made["alone"]["ask"]["p99_us"].get<double>();
        fmt::print("\ninterference: p99 with it {:.2f} times that alone\n", made["interference_p99"].get<double>());
        return made;
    }

    // Tenants in processes of their own: each has a store and one thread.
    [[nodiscard]] json processes() {
        const std::size_t count = std::min(given_.processes, usual_models());
        std::vector<std::array<int, 2>> pipes(count);
        std::vector<pid_t> children;
        for (std::size_t p = 0; p < count; ++p) {
            if (pipe(pipes[p].data()) != 0) throw std::runtime_error("expected a pipe, found none");
            children.push_back(fork());
            if (children.back() == 0) serve_as_process(p, count, pipes[p][1]);
            close(pipes[p][1]);
        }
        double requests_per_s = 0;
        double private_kb = 0;
        std::vector<double> us;
        for (std::size_t p = 0; p < count; ++p) {
            std::string text;
            std::array<char, 65536> part{};
            for (ssize_t got = 0; (got = read(pipes[p][0], part.data(), part.size())) > 0;)
                text.append(part.data(), static_cast<std::size_t>(got));
            close(pipes[p][0]);
            int status = 0;
            if (waitpid(children[p], &status, 0) < 0 || status != 0)
                throw std::runtime_error("a process of a tenant failed");
            const auto told = json::parse(text);
            requests_per_s += told.at("requests_per_s").get<double>();
            private_kb += told.at("private_kb").get<double>();
            for (const double each : told.at("us")) us.push_back(each);
        }
        model_store store(fleet_.folder(), bound());
        const double empty = heap_bytes();
        warm(store, usual_models());
        service served(fleet_, store, 1);
        const auto together = closed(served, usual_models());
        json made{{"count", count},
                  {"models", usual_models()},
                  {"requests_per_s", requests_per_s},
                  {"private_mb", private_kb / 1e3},
                  {"ask", quantiles_of(us, ask_limit_us)},
                  {"consolidated_mb", (heap_bytes() - empty) / 1e6},
                  {"consolidated", described(together)}};
        print_head(fmt::format("{} models in {} processes, or in one", usual_models(), count).c_str());
        print_row(fmt::format("{} processes", count), made);
        print_row(fmt::format("one process, {} threads", given_.threads), made.at("consolidated"));
        fmt::print("\nmemory of their own: {:.0f} MB in processes, {:.0f} MB in one\n", made["private_mb"].get<double>(),
                   made["consolidated_mb"].get<double>());
        return made;
    }

    [[noreturn]] void serve_as_process(std::size_t number, std::size_t count, int out) const {
        model_store store(fleet_.folder(), bound());
        std::vector<bench::tenant_request> requests;
        for (const auto& each : bench::draw_requests(bench::zipf(usual_models()), drawn_requests, 0, 0, 1))
            if (each.tenant % count == number) requests.push_back(each);
        for (std::size_t i = number; i < usual_models(); i += count) (void)store.get(tenant_fleet::name_of(i)).value();
        service served(fleet_, store, 1);
        const auto outcome = run_load(requests, 1, given_.seconds, false, served);
        const auto text = json{{"requests_per_s", outcome.requests_per_s()},
                               {"private_kb", bench::resident_bytes("Private_") / 1e3},
                               {"us", bench::latencies_of(outcome, request_class::ask)}}
                              .dump();
        for (std::size_t at = 0; at < text.size();) {
            const auto written = write(out, text.data() + at, text.size() - at);
            if (written <= 0) _exit(1);
            at += static_cast<std::size_t>(written);
        }
        _exit(0);
    }

    // The last tenant learns anew, and five runs; each time it exchanges its model and returns to the one before.
    void learn_and_exchange(model_store& store) const {
        const auto name = tenant_fleet::name_of(usual_models() - 1);
        for (const bool anew : {true, false}) {
            auto next = anew ? pretrain(bench::tenant_history(kinds, given_.contexts)).value().model
                             : store.get(name).value()->condition(fleet_.own_runs(1, 5)).value();
            store.exchange(name, std::move(next)).value();
            store.roll_back(name).value();
            (void)store.refresh();
        }
    }

    // Memory after each of several rounds of asking, conditioning, learning, exchanging and evicting, with room for a tenth
    // of the models as they answer: an hour's requests in twelve rounds where a rate is given, and learning once a minute of
    // it; else a few short ones.
    [[nodiscard]] json memory_over_time() {
        const std::size_t models = usual_models();
        model_store one(fleet_.folder());
        (void)one.get(tenant_fleet::name_of(0)).value();
        model_store store(fleet_.folder(), {.most_bytes = one.counters().bytes * models / 10});
        service served(fleet_, store, 1);
        served.expect_of(std::min(models - 1, checked_tenants));
        const bool hour = given_.hour_at > 0;
        const auto per_round = hour ? static_cast<std::size_t>(given_.hour_at * 300) : 500;
        json rounds = json::array();
        fmt::print(
            "\nMixed load with evictions and exchanges\n\n| requests served | heap, MB | resident, MB |\n|---|---|---|\n");
        for (std::size_t round = 1; round <= (hour ? 12 : 6); ++round) {
            {
                const std::jthread learning([&] {
                    for (int minute = 0; minute < (hour ? 5 : 1); ++minute) learn_and_exchange(store);
                });
                const auto requests = bench::draw_requests(bench::zipf(models), per_round, 0.01, 0, round);
                (void)run_load(requests, given_.threads, 0, true, served);
            }
            rounds.push_back({{"requests", round * per_round},
                              {"heap_mb", heap_bytes() / 1e6},
                              {"resident_mb", bench::resident_bytes() / 1e6}});
            fmt::print("| {} | {:.2f} | {:.1f} |\n", round * per_round, rounds.back().at("heap_mb").get<double>(),
                       rounds.back().at("resident_mb").get<double>());
            std::fflush(stdout);
        }
        wrong_ += served.wrong();
        const auto now = store.counters();
        fmt::print("\n{} hits, {} loads, {} evictions, {} cooled\n", now.hits, now.loads, now.evictions, now.cooled);
        return {{"rounds", rounds},
                {"hits", now.hits},
                {"loads", now.loads},
                {"evictions", now.evictions},
                {"cooled", now.cooled}};
    }

    // Of what a request with one prediction costs.
    [[nodiscard]] double generator_share() const {
        const auto requests = bench::draw_requests(bench::zipf(usual_models()), drawn_requests, 0, 0, 1);
        const auto empty = run_load(requests, given_.threads, given_.seconds / 4, false, [](const auto&) {});
        const double share = capacity_ / empty.requests_per_s();
        fmt::print("the load generator's own share of a request: {:.3f} %\n", 100 * share);
        return share;
    }

    // What else could serve the tenants; one thread.
    [[nodiscard]] json peers() const {
        std::vector<std::size_t> numbers;
        for (const std::size_t each : given_.models)
            if (each <= 1000) numbers.push_back(each);
        if (numbers.empty()) return nullptr;
        const auto rows = bench::compare_tenant_peers(fleet_, given_.contexts, kinds, numbers, given_.batches,
                                                      given_.seconds, given_.onnx_library);
        fmt::print(
            "\nPeers, one thread, CPU time; memory after every model was asked once\n\n| models | served by | load, ms | KB "
            "per model");
        std::string line = "|---|---|---|---";
        for (const int batch : given_.batches) {
            fmt::print(" | {} predictions, us: p50 | p99", batch);
            line += "|---|---";
        }
        fmt::print(" |\n{}|\n", line);
        for (const auto& row : rows) {
            fmt::print("| {} | {} | {:.2f} | {:.0f}", row.at("models").get<std::size_t>(), row.at("name").get<std::string>(),
                       row.at("load_us").get<double>() / 1e3, row.at("heap_bytes_per_model").get<double>() / 1e3);
            for (const auto& batch : row.at("batches"))
                fmt::print(" | {:.1f} | {:.1f}", batch.at("p50_us").get<double>(), batch.at("p99_us").get<double>());
            fmt::print(" |\n");
        }
        if (!bench::boosting_missing.empty()) fmt::print("xgboost skipped: {}\n", bench::boosting_missing);
        if (!bench::onnx_missing.empty())
            fmt::print("ONNX Runtime skipped: {}\n", bench::onnx_missing);
        else if (given_.onnx_library.empty())
            fmt::print("ONNX Runtime skipped: --onnxruntime names no library (PyPI: onnxruntime, its libonnxruntime.so)\n");
        return rows;
    }

    const settings& given_;
    const tenant_fleet& fleet_;
    double capacity_ = 0;
    std::size_t wrong_ = 0;
};

[[nodiscard]] std::string gnuplot_script(const json& found) {
    std::string script =
        "set terminal svg size 900,420 background rgb 'white'\nset multiplot layout 1,2\nset key left top\nset grid y\n"
        "set logscale y\nset xlabel 'load, % of capacity'\nset ylabel 'latency from the scheduled time, us'\n$open << EOD\n";
    for (const auto& row : found.at("open"))
        script +=
            fmt::format("{} {} {} {}\n", row.at("percent_of_capacity").get<int>(), row.at("ask").at("p50_us").get<double>(),
                        row.at("ask").at("p99_us").get<double>(), row.at("ask").at("p999_us").get<double>());
    script +=
        "EOD\nplot $open using 1:2 with linespoints title 'p50', $open using 1:3 with linespoints title 'p99', $open using "
        "1:4 with linespoints title 'p99.9'\nset logscale xy\nset xlabel 'models'\nset ylabel 'latency, closed loop, us'\n"
        "$models << EOD\n";
    for (const auto& row : found.at("models"))
        script += fmt::format("{} {} {}\n", row.at("models").get<std::size_t>(), row.at("ask").at("p50_us").get<double>(),
                              row.at("ask").at("p99_us").get<double>());
    return script +
           "EOD\nplot $models using 1:2 with linespoints title 'p50', $models using 1:3 with linespoints title 'p99'\n";
}

}  // namespace

int main(int argc, char** argv) {
    settings given;
    CLI::App app("Measures what it costs to serve many tenants from one process.", "tenants");
    app.add_option("--models", given.models, "Numbers of models, ascending")->delimiter(',')->check(CLI::Range(1, 100'000));
    app.add_option("--batches", given.batches, "Numbers of predictions per request")
        ->delimiter(',')
        ->check(CLI::Range(1, 100'000));
    app.add_option("--threads", given.threads, "Threads that serve")->check(CLI::Range(1, 256));
    app.add_option("--contexts", given.contexts, "Contexts of a model's history, 30 runs each")->check(CLI::Range(3, 200));
    app.add_option("--seconds", given.seconds, "Of each load")->check(CLI::Range(0.01, 3600.0));
    app.add_option("--bound-mb", given.bound_mb, "Memory that a store may take")->check(CLI::Range(1, 1'000'000));
    app.add_option("--processes", given.processes, "Processes to compare with")->check(CLI::Range(1, 256));
    app.add_option("--price", given.price_per_hour, "Of the machine, per hour")->check(CLI::NonNegativeNumber);
    app.add_option("--hour-at", given.hour_at,
                   "Only serve the requests that come in an hour at this rate per second, without waiting, and tell memory")
        ->check(CLI::PositiveNumber);
    app.add_option("--onnxruntime", given.onnx_library, "Library of ONNX Runtime, to compare with")
        ->check(CLI::ExistingFile);
    app.add_option("--json", given.json_file, "Write all that was measured");
    app.add_option("--plot", given.plot_file, "Draw latencies as an SVG picture; needs gnuplot");
    return tools::run_program(app, argc, argv, [&] {
        for (const auto& path : {given.json_file, given.plot_file})
            if (!path.empty()) tools::require_writable(path);
        const std::size_t most = *std::max_element(given.models.begin(), given.models.end());
        const tenant_fleet fleet(std::max<std::size_t>(most, 2), given.contexts, kinds);
        comparison measured(given, fleet);
        const auto found = given.hour_at > 0 ? measured.hour() : measured.all();
        if (!given.json_file.empty()) tools::write_file(given.json_file, found.dump(2) + "\n");
        if (!given.plot_file.empty() && found.contains("open"))
            tools::write_file(given.plot_file,
                              tools::run_on("gnuplot", gnuplot_script(found), "Debian: apt-get install gnuplot-nox"));
        if (found.at("wrong_answers") != 0)
            throw tools::tool_error("wrong_answers", fmt::format("expected the bits of a single thread, found {} others",
                                                                 found.at("wrong_answers").get<std::size_t>()));
    });
}
