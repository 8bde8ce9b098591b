// How a row of the C3O experiments becomes a context: the texts are those that the published models were trained on.
#include "../../examples/support/c3o_table.hpp"

#include <doctest/doctest.h>

namespace {

tools::table one_row(const std::vector<std::pair<std::string, std::string>>& cells) {
    tools::table made{.path = "made-up", .rows = {{.line = 2}}};
    for (const auto& [column, value] : cells) {
        made.columns.push_back(column);
        made.rows.front().cells.push_back(value);
    }
    return made;
}

}  // namespace

TEST_CASE("arguments and characteristics of a job are recognised by name") {
    using cells = std::vector<std::pair<std::string, std::string>>;
    struct row {
        std::string algorithm;
        cells more;
        std::string arguments, characteristics;
    };
    const std::vector<row> table{
        {"grep",
         {{"line_length", "100"}, {"lines", "150000000"}, {"p_occurrence", "0.5"}},
         "computer",
         "100.0 150000000.0 0.5"},
        {"grep", {{"p_occurrence", "1e-05"}, {"lines", "7"}, {"line_length", "1"}}, "computer", "1.0 7.0 0.00001"},
        {"sort", {{"line_length", "1000"}, {"lines", "10000000"}}, "", "1000 10000000"},
        {"sgd", {{"features", "5"}, {"observations", "100000000"}, {"iterations", "25"}}, "25", "5 100000000"},
        {"kmeans", {{"features", "5"}, {"observations", "150000000"}, {"k", "3"}}, "3 0.001", "5 150000000"},
        {"pagerank", {{"links", "8000"}, {"pages", "500"}, {"convergence_criterion", "0.01"}}, "0.01", "500 8000"},
    };
    for (const auto& each : table) {
        CAPTURE(each.algorithm);
        cells all{{"instance_count", "4"}, {"machine_type", "c4.2xlarge"}, {"slots", "32"},
                  {"memory", "60000"},     {"data_size_MB", "15150"},      {"gross_runtime", "150.5"}};
        all.insert(all.end(), each.more.begin(), each.more.end());
        const auto runs = tools::read_c3o_runs(one_row(all), each.algorithm);
        REQUIRE(runs.size() == 1);
        using bellamy::property_role;
        const bellamy::context expected{
            .essential = {bellamy::text("machine_type", "c4.2xlarge").with_role(property_role::machine_type),
                          bellamy::text("job_args", each.arguments),
                          bellamy::natural("data_size_MB", 15150).with_role(property_role::data_size),
                          bellamy::text("data_characteristics", each.characteristics),
                          bellamy::text("environment", "public cloud aws emr")},
            .optional = {bellamy::text("job_type", each.algorithm + "-spark"),
                         bellamy::natural("memory", 15000).with_role(property_role::memory_per_node).per_scale_out_unit(),
                         bellamy::natural("slots", 8).with_role(property_role::cores_per_node).per_scale_out_unit()}};
        CHECK(runs.front().context == expected);
        CHECK(runs.front().scale_out == 4);
        CHECK(runs.front().runtime_s == 150.5);
    }
}

TEST_CASE("a table's algorithm is the name of its file") {
    CHECK(tools::algorithm_of("data/c3o/sort.tsv") == "sort");
    CHECK(tools::algorithm_of("grep.spark.csv") == "grep.spark");
}
