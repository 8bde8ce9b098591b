// The program itself, on a handful of small models.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "../../bench/support/boosting.hpp"
#include "../../bench/support/tenant_load.hpp"
#include "../../bench/support/tenant_memory.hpp"
#include "../examples/support/run_program.hpp"

using nlohmann::json;
using support::check_succeeds;
using support::temporary_directory;

namespace {

void check_flat(const json& memory, std::size_t rounds, int requests) {
    CAPTURE(memory.dump());
    const auto& all = memory.at("rounds");
    REQUIRE(all.size() == rounds);
    for (std::size_t i = 0; i < rounds; ++i) CHECK(all[i].at("requests") == static_cast<int>(i + 1) * requests);
    CHECK(all.back().at("heap_mb").get<double>() <= 1.1 * all[1].at("heap_mb").get<double>() + 0.2);
    CHECK(memory.at("evictions").get<int>() > 0);
    CHECK(memory.at("hits").get<int>() > 0);
}

}  // namespace

TEST_CASE("tenants are drawn by Zipf's law, and an open loop's requests are scheduled as a Poisson process") {
    const auto requests = bench::draw_requests(bench::zipf(4), 40000, 0.1, 1000, 1);
    std::array<double, 4> asked{};
    double conditioning = 0;
    double squares = 0;
    double last_s = 0;
    for (const auto& each : requests) {
        asked.at(each.tenant) += 1;
        conditioning += each.what == bench::request_class::condition ? 1 : 0;
        squares += (each.scheduled_s - last_s) * (each.scheduled_s - last_s);
        last_s = each.scheduled_s;
    }
    for (std::size_t i = 0; i < 4; ++i)
        CHECK(asked[0] / asked.at(i) == doctest::Approx(static_cast<double>(i + 1)).epsilon(0.06));
    CHECK(conditioning / 40000 == doctest::Approx(0.1).epsilon(0.06));
    CHECK(last_s == doctest::Approx(40).epsilon(0.03));
    CHECK(squares / 40000 == doctest::Approx(2e-6).epsilon(0.06));  // of exponential gaps: twice the squared mean
}

TEST_CASE("the latency of an open loop counts from the scheduled time, that of a closed loop from when it is served") {
    std::vector<bench::tenant_request> requests(5);  // all scheduled at once
    const auto slow = [](const bench::tenant_request&) { std::this_thread::sleep_for(std::chrono::milliseconds(4)); };
    const auto open = bench::run_load(requests, 1, 0, true, slow);
    REQUIRE(open.latencies.size() == 5);
    CHECK(open.latencies.back().us >= 5 * 4000);
    const auto closed = bench::run_load(requests, 1, 0.02, false, slow);
    CHECK(closed.latencies.size() <= 5);
    CHECK(bench::latency_quantile(bench::latencies_of(open, bench::request_class::ask), 0.5) >= 3 * 4000);
}

TEST_CASE("the worst tenant is told from the median one") {
    bench::load_outcome outcome{.elapsed_s = 1};
    for (std::size_t tenant = 0; tenant < 3; ++tenant)
        for (int i = 0; i < 20; ++i) outcome.latencies.push_back({.tenant = tenant, .us = tenant == 1 ? 50.0 : 10.0});
    outcome.latencies.push_back({.tenant = 9, .us = 1e6});  // asked too seldom to have a tail
    CHECK(bench::worst_over_median_tenant(outcome) == doctest::Approx(5));
}

TEST_CASE("tenants measures every kind of load, with the bits of a single thread and memory that stays flat") {
    const temporary_directory place;
    const auto printed = check_succeeds({BELLAMY_TENANTS, "--models", "2,5", "--contexts", "4", "--seconds", "0.05",
                                         "--processes", "2", "--batches", "1,33", "--json", place / "found.json"});
    const auto found = json::parse(support::read_text(place / "found.json"));
    CHECK(found.at("wrong_answers") == 0);
    const auto check_asked = [](const json& row) {
        CAPTURE(row.dump());
        CHECK(row.at("requests_per_s").get<double>() > 0);
        const auto& ask = row.at("ask");
        CHECK(ask.at("requests").get<int>() > 0);
        CHECK(ask.at("p50_us").get<double>() > 0);
        CHECK(ask.at("p50_us").get<double>() <= ask.at("p99_us").get<double>());
        CHECK(ask.at("p99_us").get<double>() <= ask.at("p999_us").get<double>());
    };
    for (const auto* name : {"models", "batches", "open", "mixes"})
        for (const auto& row : found.at(name)) check_asked(row);
    check_asked(found.at("noisy").at("with"));
    check_asked(found.at("noisy").at("alone"));
    check_asked(found.at("processes"));
    check_asked(found.at("processes").at("consolidated"));
    REQUIRE(found.at("models").size() == 2);
    CHECK(found.at("models")[1].at("models_in_memory") == 5);
    const auto& one = found.at("one_model");
    if (bench::heap_bytes() > 0) {  // else the system does not tell
        // Its file holds the questions and answers of the self-test as well, which are not kept.
        CHECK(one.at("cold_bytes").get<double>() <= 2 * found.at("file_bytes").get<double>());
        CHECK(one.at("cold_bytes").get<double>() > found.at("file_bytes").get<double>() / 4);
        CHECK(one.at("cold_bytes").get<double>() < one.at("hot_bytes").get<double>());
    }
    CHECK(found.at("mixes")[2].contains("condition"));
    CHECK(found.at("mixes")[3].at("learn").at("requests").get<int>() > 0);
    CHECK(found.at("batches")[1].at("allocations_per_prediction").get<double>() <
          found.at("batches")[0].at("allocations_per_prediction").get<double>());
    check_flat(found.at("memory"), 6, 500);
    CHECK(printed.find("p99.9") != std::string::npos);

    REQUIRE(found.at("peers").size() == 2 * (bench::boosting_missing.empty() ? 3 : 2));
    for (const auto& row : found.at("peers")) {
        CAPTURE(row.dump());
        CHECK(row.at("load_us").get<double>() > 0);
        REQUIRE(row.at("batches").size() == 2);
        for (const auto& batch : row.at("batches")) {
            CHECK(batch.at("requests").get<int>() >= 1);
            CHECK(batch.at("p50_us").get<double>() <= batch.at("p99_us").get<double>());
        }
        CHECK(row.at("batches")[0].at("p50_us").get<double>() > 0);
    }
    CHECK(printed.find("ONNX Runtime skipped: ") != std::string::npos);
}

TEST_CASE("tenants serves an hour's requests at a rate, and tells the memory after every five minutes of them") {
    const temporary_directory place;
    const auto printed = check_succeeds(
        {BELLAMY_TENANTS, "--models", "4", "--contexts", "3", "--hour-at", "0.5", "--json", place / "found.json"});
    const auto found = json::parse(support::read_text(place / "found.json"));
    CHECK(found.at("wrong_answers") == 0);
    check_flat(found.at("memory"), 12, 150);
    CHECK(printed.find("| 1800 |") != std::string::npos);
}
