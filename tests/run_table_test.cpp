#include <bellamy/run_table.hpp>

#include "support/compare.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using support::check_refused;

namespace {

const schema layout{
    .essential = {{.name = "machine"},
                  {.name = "size_gb", .kind = property_kind::quantity, .role = property_role::data_size}},
    .optional = {{.name = "memory", .kind = property_kind::natural, .scales_with_scale_out = true}, {.name = "arguments"}}};

}  // namespace

TEST_CASE("a history is read from CSV as a spreadsheet or another program writes it") {
    const auto read = history_from_csv(
        "\xEF\xBB\xBFjob,machine,size_gb,scale_out,runtime_s,outcome,memory,arguments,started_at_s\r\n"
        "17,m5.large,15.5,4,298.25,succeeded,64000,\"k=5, \"\"fast\"\"\nsecond line\",1700000000\r\n"
        "\r\n"
        "18,m5.large,2e1,8,226,killed,128000.0,,\r\n",
        layout);
    REQUIRE(read);
    REQUIRE(read->size() == 2);
    const auto& first = read->front();
    CHECK(first.scale_out == 4);
    CHECK(first.runtime_s == 298.25);
    CHECK(first.timestamp_s == 1700000000);
    CHECK_FALSE(first.censored);
    CHECK(first.context.essential ==
          std::vector{text("machine", "m5.large"), quantity("size_gb", 15.5).with_role(property_role::data_size)});
    CHECK(first.context.optional ==
          std::vector{natural("memory", 16000).per_scale_out_unit(), text("arguments", "k=5, \"fast\"\nsecond line")});
    const auto& second = read->back();
    CHECK(second.censored);
    CHECK_FALSE(second.timestamp_s.has_value());
    CHECK(second.context.optional == std::vector{natural("memory", 16000).per_scale_out_unit()});
}

TEST_CASE("what is written as a line of CSV is read as the same run, whatever its texts and numbers are") {
    std::vector<run> history{
        {.context = {.essential = {text("machine", "a;\"b\",\n\tc"),
                                   quantity("size_gb", 0.1 + 0.2).with_role(property_role::data_size)},
                     .optional = {text("arguments", "x"), natural("memory", 4096).per_scale_out_unit()}},
         .scale_out = 3,
         .runtime_s = 1.0 / 3,
         .weight = 0.7,
         .timestamp_s = 1.7e9 + 0.123},
        {.context = {.essential = {text("machine", ""), quantity("size_gb", 1e300).with_role(property_role::data_size)}},
         .scale_out = 1,
         .runtime_s = 5,
         .censored = true}};
    auto written = csv_header(layout);
    for (const auto& each : history) written += to_csv_line(each, layout).value();
    const auto read = history_from_csv(written, layout);
    REQUIRE(read);
    REQUIRE(read->size() == history.size());
    for (std::size_t i = 0; i < history.size(); ++i) {
        const auto& expected = history[i];
        const auto& found = (*read)[i];
        CHECK(found.scale_out == expected.scale_out);
#if defined(__cpp_lib_to_chars)  // else the last digit may differ
        CHECK(found.context == expected.context);
        CHECK(found.runtime_s == expected.runtime_s);
        CHECK(found.weight == expected.weight);
        CHECK(found.timestamp_s == expected.timestamp_s);
#endif
        CHECK(found.censored == expected.censored);
    }
}

TEST_CASE("commas, semicolons and tabs separate cells, and columns may have other names") {
    const run_columns named{.scale_out = "nodes", .runtime_s = "seconds"};
    for (const char separator : {',', ';', '\t'}) {
        std::string table = "machine,size_gb,nodes,seconds\na,1,2,30\n";
        std::replace(table.begin(), table.end(), ',', separator);
        const auto read = history_from_csv(table, layout, named);
        REQUIRE(read);
        CHECK(read->front().scale_out == 2);
        CHECK(read->front().runtime_s == 30);
    }
}

TEST_CASE("what is quoted in the line of column names separates no cells, and a byte order mark in a name is a part of it") {
    const std::vector<std::string> names{"disks; type; size; speed; age; place; maker; price", "a\tb\tc\td\te\tf\tg\th",
                                         "two\nlines; of; names; with; many; more; separators; than; commas",
                                         "\xEF\xBB\xBFname"};
    for (const auto& name : names) {
        CAPTURE(name);
        const schema essential{.essential = {{.name = name}}};
        const run done{.context = {.essential = {text(name, "a")}}, .scale_out = 4, .runtime_s = 30};
        const auto read = history_from_csv(csv_header(essential) + to_csv_line(done, essential).value(), essential);
        REQUIRE(read);
        CHECK(read->front().context == done.context);
        // An optional one would be lost without an error.
        const schema optional{.optional = {{.name = name}}};
        const run other{.context = {.optional = {text(name, "a")}}, .scale_out = 4, .runtime_s = 30};
        const auto reread = history_from_csv(csv_header(optional) + to_csv_line(other, optional).value(), optional);
        REQUIRE(reread);
        CHECK(reread->front().context == other.context);
    }
    const auto by_semicolon =
        history_from_csv("\"a,b,c,d,e\";scale_out;runtime_s\nx;4;30\n", {.essential = {{.name = "a,b,c,d,e"}}});
    REQUIRE(by_semicolon);
    CHECK(by_semicolon->front().runtime_s == 30);
}

TEST_CASE("a table that is no history is refused with the line and what was found there") {
    const auto refused = [](const std::string& rows, errc code, const std::vector<std::string>& words) {
        check_refused(history_from_csv("machine,size_gb,scale_out,runtime_s,outcome,weight,memory\n" + rows, layout), code,
                      words);
    };
    check_refused(history_from_csv("", layout), errc::empty_history, {"empty text"});
    check_refused(history_from_csv("machine,size,scale_out,runtime_s\n", layout), errc::unknown_property,
                  {"column size_gb", "machine, size, scale_out"});
    check_refused(history_from_csv("machine,size_gb,scale_out,runtime_s,machine\n", layout), errc::duplicate_property,
                  {"machine twice"});
    for (const std::string slip : {"outcom", "Outcome", "OUTCOME", "outcomes"})
        check_refused(history_from_csv("machine,size_gb,scale_out,runtime_s," + slip + "\na,1,4,30,killed\n", layout),
                      errc::unknown_property, {"line 2", "column outcome", "in " + slip + ";", "run_columns"});
    REQUIRE(history_from_csv("machine,size_gb,scale_out,runtime_s,output\na,1,4,30,killed\n", layout));
    schema own = layout;
    own.optional.push_back({.name = "outcomes", .kind = property_kind::text});
    REQUIRE(history_from_csv("machine,size_gb,scale_out,runtime_s,outcomes\na,1,4,30,many\n", own));
    // What the caller names is no slip.
    const auto named = history_from_csv("machine,size_gb,scale_out,runtime_s,outcome_w,outcomes\na,1,4,30,2,1700000000\n",
                                        layout, {.weight = "outcome_w", .started_at_s = "outcomes"});
    REQUIRE(named);
    CHECK(named->front().weight == 2);
    CHECK(named->front().timestamp_s == 1700000000);
    check_refused(history_from_csv("machine,size_gb,scale_out,runtime_s,x\n", layout, {.outcome = "x", .weight = "x"}),
                  errc::duplicate_property, {"two for x", "run_columns"});
    refused("", errc::empty_history, {"column names alone"});
    refused("a,1,4,30,,,\nb,1,4,30,,,\"60\nc,1,8,20,,,\n", errc::invalid_option, {"line 3 (", "quote"});
    refused("a,1,4,30,,,\nb,1,4,30,,,60,\"70\nc,1,8,20,,,\n", errc::invalid_option, {"line 3 (", "quote"});
    const schema heavy{.optional = {{.name = "weight", .kind = property_kind::natural}}};
    check_refused(history_from_csv("weight,scale_out,runtime_s\n70,4,30\n", heavy), errc::duplicate_property,
                  {"weight", "run_columns"});
    refused("a,1,4,30,,,\na,1,4\n", errc::invalid_option, {"line 3: ", "7 cells", "found 3"});
    refused("a,1,four,30,,,\n", errc::invalid_quantity, {"line 2: ", "scale_out", "four"});
    refused("a,1,4.5,30,,,\n", errc::invalid_scale_out, {"line 2: ", "4.5"});
    refused("a,1,4,,,,\n", errc::invalid_quantity, {"runtime_s"});
    refused("a,1,4,-30,,,\n", errc::invalid_runtime, {"-30"});
    refused("a,15 GB,4,30,,,\n", errc::invalid_quantity, {"line 2: ", "size_gb", "alone", "15 GB"});
    refused("a,,4,30,,,\n", errc::essential_count_mismatch, {"size_gb"});
    refused("a,1,4,30,crashed,,\n", errc::invalid_option, {"outcome", "crashed"});
    refused("a,1,4,30,,heavy,\n", errc::invalid_quantity, {"weight", "heavy"});
    refused("a,1,4,30,,,6\n", errc::property_mismatch, {"memory", "1.5"});  // a natural number for each unit
    // An essential text may be empty, but every machine has a type.
    schema typed = layout;
    typed.essential[0].role = property_role::machine_type;
    typed.essential.push_back({.name = "options"});
    const std::string columns = "machine,size_gb,options,scale_out,runtime_s\n";
    REQUIRE(history_from_csv(columns + "a,1,,4,30\n", typed));
    check_refused(history_from_csv(columns + "a,1,,4,30\n,1,,4,30\n", typed), errc::essential_count_mismatch,
                  {"line 3: ", "values of machine"});
    const run nameless{
        .context = {.essential = {text("machine", "").with_role(property_role::machine_type),
                                  quantity("size_gb", 1).with_role(property_role::data_size), text("options", "")}},
        .scale_out = 1,
        .runtime_s = 1};
    check_refused(to_csv_line(nameless, typed), errc::unknown_value, {"machine"});
    run unknown_size{
        .context = {.essential = {text("machine", "a"), unknown("size_gb").with_role(property_role::data_size)}},
        .scale_out = 1,
        .runtime_s = 1};
    check_refused(to_csv_line(unknown_size, layout), errc::unknown_value, {"size_gb"});
}

TEST_CASE("a last line that has lost cells is told to be cut off, and one that has all needs no end") {
    const std::string whole = "machine,size_gb,scale_out,runtime_s,weight\na,1,4,30,2\nb,1,4,400,0.5";
    const auto read = history_from_csv(whole, layout);
    REQUIRE(read);
    CHECK(read->back().runtime_s == 400);
    CHECK(read->back().weight == 0.5);
    CHECK(history_from_csv(whole + "\n", layout)->size() == 2);
    for (std::size_t end = whole.find("\nb") + 2; end <= whole.rfind(','); ++end) {
        CAPTURE(whole.substr(0, end));
        check_refused(history_from_csv(whole.substr(0, end), layout), errc::invalid_option,
                      {"line 3 (cut off, or a quote is open): expected 5 cells"});
    }
    // A number that is cut may be none.
    check_refused(history_from_csv(whole.substr(0, whole.rfind(',') + 1) + "1e", layout), errc::invalid_quantity,
                  {"line 3: ", "weight"});
    // With an end it was written so.
    check_refused(history_from_csv(whole.substr(0, whole.rfind(',')) + "\n", layout), errc::invalid_option,
                  {"line 3: expected 5 cells"});
}

TEST_CASE("an outcome may be a scheduler's word for it") {
    const auto is_censored = [](const std::string& outcome) {
        const auto read =
            history_from_csv("machine,size_gb,scale_out,runtime_s,outcome\na,1,4,30," + outcome + "\n", layout);
        REQUIRE_MESSAGE(read, outcome);
        return read->front().censored;
    };
    for (const std::string ended : {"", "succeeded", "SUCCEEDED", "OK", "Success", "successful", "COMPLETED", "done"})
        CHECK_MESSAGE(!is_censored(ended), ended);
    for (const std::string cut : {"FAILED", "failure", "Error", "KILLED", "cancelled", "CANCELED", "aborted", "TIMEOUT",
                                  "timed_out", "unfinished", "RUNNING"})
        CHECK_MESSAGE(is_censored(cut), cut);
}

TEST_CASE("a column that tells outcomes by another name is refused, and none that merely has such a name") {
    const auto read = [](const std::string& name, const std::string& cell, const run_columns& columns = {}) {
        return history_from_csv("machine,size_gb,scale_out,runtime_s," + name + "\na,1,4,30,\nb,1,4,30," + cell + "\n",
                                layout, columns);
    };
    for (const std::string name : {"status", "State", "finalStatus", "final_status", "job_result", "final_outcome"})
        for (const std::string cell : {"FAILED", "SUCCEEDED", "killed", "timeout"})
            check_refused(read(name, cell), errc::unknown_property,
                          {"line 3", "column outcome", '"' + cell + "\" in " + name, "run_columns"});
    for (const std::string cell : {"", "17", "OK", "TX", "finished", "none failed", "done ok"})
        CHECK(read("state", cell).has_value());
    CHECK(read("comment", "failed").has_value());
    // Whoever says what the outcome's column is, or that there is none, is believed.
    const auto named = read("status", "FAILED", {.outcome = "status"});
    REQUIRE(named);
    CHECK_FALSE(named->front().censored);
    CHECK(named->back().censored);
    const auto none = read("status", "FAILED", {.outcome = ""});
    REQUIRE(none);
    CHECK_FALSE(none->back().censored);
    const auto indexed = history_from_csv(",machine,size_gb,scale_out,runtime_s\n0,a,1,4,30\n", layout, {.outcome = ""});
    REQUIRE(indexed);  // the column without a name is no outcome
    CHECK(indexed->front().runtime_s == 30);
    const auto both =
        history_from_csv("machine,size_gb,scale_out,runtime_s,outcome,status\na,1,4,30,killed,FINISHED\n", layout);
    REQUIRE(both);
    CHECK(both->front().censored);
    schema own = layout;
    own.optional.push_back({.name = "status", .kind = property_kind::text});
    CHECK(history_from_csv("machine,size_gb,scale_out,runtime_s,status\na,1,4,30,FAILED\n", own).has_value());
}

TEST_CASE("what scales is the same share at every scale-out, and a question finds the context of a table") {
    const schema disks{.essential = {{.name = "disk", .kind = property_kind::quantity, .scales_with_scale_out = true},
                                     {.name = "size", .kind = property_kind::quantity}}};
    std::string written = csv_header(disks);
    const context job{.essential = {quantity("disk", 0.1).per_scale_out_unit(), quantity("size", 917.4239129927009)}};
    for (const int x : {2, 3, 6, 7, 11})
        written += to_csv_line({.context = job, .scale_out = x, .runtime_s = 30}, disks).value();
    const auto read = history_from_csv(written, disks);
    REQUIRE(read);
    const auto asked = disks.context({{"disk", "0.1"}, {"size", "917.4239129927009"}});
    REQUIRE(asked);
    for (const auto& each : *read) {
        CHECK(each.context.essential[0] == job.essential[0]);
        CHECK(each.context == *asked);
    }
}

TEST_CASE("what scales is written where it is read as the same, and else refused") {
    const schema memory{
        .essential = {{.name = "memory_gb", .kind = property_kind::quantity, .scales_with_scale_out = true}}};
    const auto with = [](double share, int scale_out) {
        return run{.context = {.essential = {quantity("memory_gb", share).per_scale_out_unit()}},
                   .scale_out = scale_out,
                   .runtime_s = 30};
    };
    for (const int x : {1, 3, 4, 7})
        check_refused(to_csv_line(with(16 / 3.0, x), memory), errc::invalid_quantity,
                      {"at most 15 digits", "memory_gb", "5.33333333333333"});
    for (const double share : {5.33333333333333, 0.1, 1.1, 15.625, 123456789012345.0, 9.99999999999999, 1e-7, 1e30, 1e-30})
        for (int x = 1; x < 200; ++x) {
            const auto written = to_csv_line(with(share, x), memory);
            REQUIRE(written);
#if defined(__cpp_lib_to_chars)
            CHECK(history_from_csv(csv_header(memory) + *written, memory)->front().context == with(share, x).context);
#endif
        }
    // What does not scale has all its digits.
    const schema plain{.essential = {{.name = "memory_gb", .kind = property_kind::quantity}}};
    CHECK(
        to_csv_line({.context = {.essential = {quantity("memory_gb", 16 / 3.0)}}, .scale_out = 4, .runtime_s = 30}, plain));
}
