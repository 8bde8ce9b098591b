#include "support/enel_golden.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using support::enel_golden;
using support::json;

namespace {

template <class Values>
void check_row(const Values& found, const json& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::abs(found[i] - expected[i].get<double>()) <= 1e-12);
}

// Rows of a golden graph: the summaries, then the stages.
[[nodiscard]] std::vector<const detail::enel_node*> nodes_of(const detail::enel_job_graph& graph) {
    std::vector<const detail::enel_node*> rows{&graph.previous, &graph.history};
    for (const auto& each : graph.stages) rows.push_back(&each);
    return rows;
}

void check_job_graph(const detail::enel_job_graph& graph, const json& expected) {
    const auto rows = nodes_of(graph);
    REQUIRE(rows.size() == expected.at("metrics").size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CAPTURE(i);
        check_row(rows[i]->metrics, expected.at("metrics")[i]);
        check_row(rows[i]->start, expected.at("start")[i]);
        check_row(rows[i]->end, expected.at("end")[i]);
        CHECK(std::abs(rows[i]->rescaling_share - expected.at("rescaling_share")[i].get<double>()) <= 1e-12);
        CHECK(rows[i]->rescales == expected.at("rescales")[i].get<bool>());
        CHECK(std::abs(rows[i]->time_s - expected.at("stage_s")[i].get<double>()) <= 1e-12);
        CHECK(rows[i]->context.size() == expected.at("stage_rows")[i].get<std::size_t>());
    }
    CHECK(std::abs(graph.time_s - expected.at("job_s").get<double>()) <= 1e-12);
    CHECK(graph.optional.size() == expected.at("optional_rows").get<std::size_t>());
}

}  // namespace

TEST_CASE("Enel's encodings of texts and numbers are the golden ones") {
    for (const auto& each : enel_golden().at("texts")) {
        detail::enel_encoding row{};
        encode_text(each.at("value").get<std::string>(), std::span(row));
        check_row(row, each.at("encoding"));
    }
    for (const auto& each : enel_golden().at("numbers")) {
        detail::enel_encoding row{};
        encode_natural(each.at("value").get<std::uint64_t>(), std::span(row));
        check_row(row, each.at("encoding"));
    }
}

TEST_CASE("Enel's features of scale-outs and shares of rescaling are the golden ones") {
    const support::enel_world world;
    const auto& golden = enel_golden().at("scale_out");
    check_row(world.scaler.low, golden.at("low"));
    check_row(world.scaler.high, golden.at("high"));
    for (const auto& each : golden.at("cases")) {
        const double x = each.at("scale_out");
        check_row(detail::enel_scaler::features(x), each.at("vector"));
        check_row(world.scaler(x), each.at("scaled"));
    }
    const auto steps = support::steps_of(enel_golden().at("rescaling_share").at("scale_out"));
    for (const auto& each : enel_golden().at("rescaling_share").at("cases")) {
        const double from = each.at("interval")[0];
        const double to = each.at("interval")[1];
        CHECK(std::abs(detail::rescaling_share(steps, from, to) - each.at("share").get<double>()) <= 1e-12);
        CHECK(detail::scale_out_at(steps, from) == each.at("start").get<int>());
        CHECK(detail::scale_out_at(steps, to) == each.at("end").get<int>());
    }
}

TEST_CASE("Enel's graphs with the summaries of the previous job are the golden ones") {
    const support::enel_world world;
    const auto graphs = world.graphs();
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        CAPTURE(i);
        check_job_graph(graphs[i], enel_golden().at("graphs")[i]);
    }
    const auto batch = detail::enel_batch_builder::build(graphs);
    std::size_t edge = 0;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        for (const auto& each : enel_golden().at("graphs")[i].at("edges")) {
            REQUIRE(edge < batch.edges());
            CHECK(batch.source[edge] - batch.first_row[i] == each[0].get<std::uint32_t>());
            CHECK(batch.target[edge] - batch.first_row[i] == each[1].get<std::uint32_t>());
            ++edge;
        }
    }
    CHECK(edge == batch.edges());
}

TEST_CASE("a job whose predecessor was not observed has an empty P, and an H of executions near itself") {
    const support::enel_world world;
    const auto graph = world.grapher().graph(1, false, false);
    const auto& golden = enel_golden().at("without_predecessor");
    const auto rows = nodes_of(graph);
    for (std::size_t i = 0; i < 2; ++i) {
        check_row(rows[i]->metrics, golden.at("metrics")[i]);
        check_row(rows[i]->start, golden.at("start")[i]);
        check_row(rows[i]->end, golden.at("end")[i]);
        CHECK(std::abs(rows[i]->rescaling_share - golden.at("rescaling_share")[i].get<double>()) <= 1e-12);
    }
    CHECK(graph.previous.context.empty());
}

TEST_CASE("Enel's neighbours are the golden ones, of two as near the later one first") {
    const support::enel_world world;
    const auto check = [&](std::size_t job, double scale_out, const json& expected) {
        const auto found = world.grapher().nearest(job, scale_out);
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            const auto at = static_cast<std::size_t>(found[i] - world.history.data());
            CHECK(enel_golden().at("history")[at].at("run") == expected[i]);
        }
    };
    for (std::size_t job = 1; job < 4; ++job)
        check(job - 1, world.now.jobs[job - 1].mean_scale_out(), enel_golden().at("graphs")[job - 1].at("neighbours"));
    check(0, world.now.jobs[1].mean_scale_out(), enel_golden().at("without_predecessor").at("neighbours"));
}
