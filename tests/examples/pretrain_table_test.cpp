// The tables that pretrain reads: those of the C3O experiments, any others, and those with a defect.
#include "../../examples/support/units.hpp"
#include "support/made_up_table.hpp"

using support::c3o_columns;
using support::c3o_line;
using support::c3o_table;
using support::check_refused;
using support::check_succeeds;
using support::pretrain_command;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::write_text;

namespace {

using words = std::vector<std::string>;
using support::operator+;

// The first occurrence replaced.
std::string with(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), by);
}

std::string with_crlf(const std::string& text) {
    std::string made;
    for (const char c : text) made += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return made;
}

// Commas, a quoted field with a comma, totals of the cluster, a quantity.
const std::string other_table =
    "executors,machine,size_gb,load,memory_total,seconds\n"
    "2,\"large, old\",10,0.5,64,40\n4,\"large, old\",10,0.5,128,30\n2,small,20,1.25,32,90\n4,small,20,1.25,64,60\n";

words other_command(const temporary_directory& place, const words& more = {}) {
    return words{BELLAMY_PROGRAM, "pretrain",
                 "--table",       place / "runs.csv",
                 "--scale-out",   "executors",
                 "--runtime",     "seconds",
                 "--essential",   "machine,size_gb",
                 "--optional",    "load",
                 "--optional",    "memory_total",
                 "--natural",     "size_gb",
                 "--quantity",    "load",
                 "--scaling",     "memory_total",
                 "--role",        "machine=machine_type",
                 "--role",        "size_gb=data_size",
                 "--unit",        "executor",
                 "--mode",        "paper",
                 "--epochs",      "3",
                 "--out",         place / "model"} +
           more;
}

}  // namespace

TEST_CASE("a history with a defect is refused with its line, and the old model stays") {
    const auto good = c3o_table();
    const std::string row = c3o_line(8000, 4, "60");  // line 3
    const auto runtime = [&](const std::string& value) { return with(good, row, c3o_line(8000, 4, value)); };
    struct one {
        std::string what;
        std::string table;
        std::string code;
        words said;
    };
    const std::vector<one> table{
        {"an empty file", "", "empty_table", {"sort.tsv"}},
        {"names only", c3o_columns, "empty_history", {"at least one run"}},
        {"one context", c3o_columns + c3o_line(8000, 2, "10") + c3o_line(8000, 4, "9"), "single_context", {"2", "found 1"}},
        {"no machine type", with(good, row, with(row, "m4.xlarge", "")), "unknown_machine_type", {"machine_type, line 3"}},
        {"runtime zero", runtime("0"), "invalid_runtime", {"line 3", "found 0"}},
        {"runtime negative", runtime("-60"), "invalid_runtime", {"line 3", "found -60"}},
        {"runtime NaN", runtime("nan"), "invalid_runtime", {"line 3", "found nan"}},
        {"runtime infinite", runtime("inf"), "invalid_runtime", {"line 3", "found inf"}},
        {"runtime a word", runtime("soon"), "not_a_number", {"gross_runtime, line 3", "\"soon\""}},
        {"runtime missing", runtime(""), "not_a_number", {"gross_runtime, line 3", "\"\""}},
        {"scale-out zero", with(good, row, "0" + row.substr(1)), "invalid_scale_out", {"line 3", "from 1", "found 0"}},
        {"scale-out negative", with(good, row, "-" + row), "invalid_scale_out", {"line 3", "found -4"}},
        {"scale-out a fraction",
         with(good, row, "4.5" + row.substr(1)),
         "not_a_number",
         {"instance_count, line 3", "\"4.5\""}},
        {"a column missing", with(good, "machine_type", "machine"), "unknown_column", {"data_size_MB", "\"machine_type\""}},
        {"a column twice", with(good, "slots", "memory"), "duplicate_column", {"\"memory\" twice"}},
        {"a field too few", with(good, row, with(row, "m4.xlarge\t", "")), "ragged_row", {"8 fields", "line 3", "found 7"}},
        {"a field too many", with(good, row, "x\t" + row), "ragged_row", {"8 fields", "line 3", "found 9"}},
        {"a last line that is cut off", good.substr(0, good.rfind('\t')), "ragged_row", {"8 fields", "found 7", "cut off"}},
        {"the same with the line ends of Windows", with_crlf(with(good, row, "x\t" + row)), "ragged_row", {"line 3"}},
        {"the same after a field of two lines",
         with(with(good, row, "x\t" + row), "m4.xlarge", "\"m4\nxlarge\""),
         "ragged_row",
         {"line 4"}},
        {"a stray quote", with(good, row, with(row, "m4", "m\"4")), "misplaced_quote", {"line 3"}},
        {"40 bits",
         with(good, "\t8000\t", "\t549755813888\t"),
         "number_too_large",
         {"line 2", "549755813887", "data_size_MB", "found 549755813888"}},
        {"65 bits",
         with(good, "\t8000\t", "\t18446744073709551616\t"),
         "number_too_large",
         {"line 2", "data_size_MB", "found 18446744073709551616", "in a larger unit"}},
        {"40 bits as a total", with(good, "\t32000\t", "\t1099511627776\t"), "number_too_large", {"line 2", "memory"}},
        {"a total that is no multiple",
         with(good, "\t32000\t", "\t32001\t"),
         "not_divisible",
         {"memory, line 2", "scale-out 2", "found 32001"}},
        {"Latin-1", with(good, row, with(row, "m4", "m\xE9")), "invalid_text", {"UTF-8", "line 3"}},
        {"zero bytes", std::string(100, '\0'), "invalid_text", {"UTF-8", "line 1"}},
    };
    for (const auto& each : table) {
        CAPTURE(each.what);
        const temporary_directory place;
        write_text(place / "sort.tsv", each.table);
        write_text(place / "model", "old");
        check_refused(run_program(pretrain_command(place) + words{"--out", place / "model"}), each.code, each.said);
        CHECK(read_text(place / "model") == "old");
        CHECK(place.listing().find(".partial") == std::string::npos);
    }
    const temporary_directory place;
    check_refused(run_program(pretrain_command(place) + words{"--out", place / "model"}), "cannot_read",
                  {place / "sort.tsv"});
    CHECK(place.listing() == "");
}

TEST_CASE("a table may have commas, line ends of Windows, empty lines and a mark of its encoding") {
    const temporary_directory place;
    const auto model_of = [&](const std::string& content) {
        write_text(place / "sort.tsv", content);
        check_succeeds(pretrain_command(place) + words{"--out", place / "model"});
        return read_text(place / "model");
    };
    const auto expected = model_of(c3o_table());
    auto commas = c3o_table();
    std::replace(commas.begin(), commas.end(), '\t', ',');
    CHECK(model_of(commas) == expected);
    CHECK(model_of(with_crlf(c3o_table())) == expected);
    CHECK(model_of("\xEF\xBB\xBF" + c3o_table()) == expected);
    CHECK(model_of(c3o_table() + "\n\n") == expected);
    CHECK(model_of(c3o_table().substr(0, c3o_table().size() - 1)) == expected);
}

TEST_CASE("a column of a C3O table that means nothing is named and not used") {
    const temporary_directory place;
    write_text(place / "sort.tsv", with(with(c3o_table(), "slots", "owner"), "memory", "mood"));
    const auto printed = check_succeeds(pretrain_command(place) + words{"--out", place / "model"});
    CHECK(printed.find("owner, mood") != std::string::npos);
    CHECK(check_succeeds({BELLAMY_PROGRAM, "inspect", place / "model"}).find("optional properties: 1\n") !=
          std::string::npos);
}

TEST_CASE("a column of any table that no option names is named and not used") {
    const temporary_directory place;
    auto table = std::string("owner,mood,") + other_table;
    for (std::size_t at = table.find('\n'); at + 1 < table.size(); at = table.find('\n', at + 1))
        table.insert(at + 1, "me,,");
    write_text(place / "runs.csv", table);
    CHECK(check_succeeds(other_command(place)).find("not used      column owner, mood\n") != std::string::npos);
    write_text(place / "runs.csv", other_table);
    CHECK(check_succeeds(other_command(place)).find("not used") == std::string::npos);
}

TEST_CASE("a column of the role machine_type has no empty cell, in any table") {
    const temporary_directory place;
    write_text(place / "runs.csv", with(other_table, "4,small", "4,"));
    check_refused(run_program(other_command(place)), "unknown_machine_type",
                  {"column machine, line 5", "other runs have one", "--skip-invalid"});
    CHECK(check_succeeds(other_command(place, {"--skip-invalid"})).find("skipped       1 row") != std::string::npos);
    write_text(place / "own.csv", "application,executors,machine_type,runtime_s\na,2,large,60\na,4,,40\n");
    check_refused(run_program({BELLAMY_PROGRAM, "pretrain", "--table", place / "own.csv", "--out", place / "model"}),
                  "unknown_machine_type", {"machine_type, line 3", "other runs of a have one"});
}

TEST_CASE("an empty cell of an optional column is a property that the run has not, of an essential one an error") {
    const temporary_directory place;
    std::string table = "executors,machine,load,seconds\n";
    for (int i = 0; i < 24; ++i) {
        const int executors = 2 << (i % 3);
        const bool has_load = i % 2 == 0;
        table += fmt::format("{},m{},{},{}\n", executors, i / 6, has_load ? "0.5" : "", 20 + 600.0 / executors + i % 5);
    }
    write_text(place / "runs.csv", table);
    const words learn{BELLAMY_PROGRAM, "pretrain",  "--table",   place / "runs.csv",
                      "--scale-out",   "executors", "--runtime", "seconds",
                      "--quantity",    "load",      "--out",     place / "model"};
    check_succeeds(learn + words{"--essential", "machine", "--optional", "load"});
    for (const words& more : {words{}, words{"--property", "load=0.5"}}) {
        const auto answer = check_succeeds(words{BELLAMY_PROGRAM, "allocate", "--model", place / "model", "--property",
                                                 "machine=m1", "--scale-outs", "4", "--deadline", "1000"} +
                                           more);
        CHECK_MESSAGE(answer.find("Choose 4 nodes") != std::string::npos, answer);
    }
    check_refused(run_program(learn + words{"--essential", "machine,load"}), "not_a_number", {"line 3"});
}

TEST_CASE("any table is read by the names and kinds of its columns") {
    const temporary_directory place;
    write_text(place / "runs.csv", other_table);
    check_succeeds(other_command(place));
    const auto printed = check_succeeds({BELLAMY_PROGRAM, "inspect", place / "model"});
    for (const std::string line :
         {"algorithm    runs\n", "learned from 4 runs in 2 contexts, scale-outs 2 to 4, 30 to 90 s\n",
          "scale-out    counts executors\n", "essential properties: 2\n",
          "  machine               text            machine_type\n", "  size_gb               natural number  data_size\n",
          "optional properties: 2\n", "  load                  quantity\n",
          "  memory_total          natural number  per executor\n"})
        CHECK_MESSAGE(printed.find(line) != std::string::npos, line, " is not in ", printed);

    const auto answer = check_succeeds({BELLAMY_PROGRAM, "allocate", "--model", place / "model", "--property",
                                        "machine=large, old", "--property", "size_gb=15", "--property", "load=0.75",
                                        "--property", "memory_total=32", "--deadline", "1e6"});
    CHECK(answer.find("scale-out (executors)") != std::string::npos);
    check_refused(run_program({BELLAMY_PROGRAM, "allocate", "--model", place / "model", "--property", "machine=small",
                               "--property", "size_gb=15", "--property", "load=0", "--deadline", "1e6"}),
                  "invalid_quantity", {"load", "found 0"});
}

TEST_CASE("runtimes in another unit are told so, and a column named by one is refused until its unit is given") {
    const temporary_directory place;
    const auto learn = [&](const std::string& runtime) {
        return run_program({BELLAMY_PROGRAM, "pretrain", "--table", place / "runs.csv", "--scale-out", "executors",
                            "--runtime", runtime, "--essential", "machine", "--out", place / "job.model"});
    };
    write_text(place / "runs.csv", "executors,machine,took,took_minutes\n2,a,90,1.5\n4,a,60,1\n2,b,120,2\n4,b,75,1.25\n");
    const auto in_seconds = learn("took");
    CHECK(in_seconds.exit_code == 0);
    CHECK(in_seconds.out.find("runtimes      60 to 120 s") != std::string::npos);
    CHECK(learn("took_minutes=min").out.find("runtimes      60 to 120 s") != std::string::npos);
    support::check_wrong_usage(learn("took_minutes"), {"--runtime", "took_minutes=min", "took_minutes=s"});
    support::check_wrong_usage(learn("took_minutes=fortnights"), {"a unit of time such as s, min or ms", "fortnights"});
    for (const std::string name : {"duration_ms", "elapsedMillis", "Hours", "run time (min)"})
        CHECK_MESSAGE(tools::names_other_unit_of_time(name), name);
    for (const std::string name : {"runtime_s", "seconds", "gross_runtime", "terms", "time_s2"})
        CHECK_MESSAGE(!tools::names_other_unit_of_time(name), name);
}

TEST_CASE("a layout that does not fit the table is refused by name") {
    const temporary_directory place;
    write_text(place / "runs.csv", other_table);
    for (const auto& [more, code, said] : std::vector<std::tuple<words, std::string, words>>{
             {{"--essential", "colour"}, "unknown_column", {"\"colour\"", "size_gb"}},
             {{"--scaling", "seconds"}, "unknown_column", {"\"seconds\"", "memory_total"}},
             {{"--role", "executors=cores_per_node"}, "unknown_column", {"\"executors\""}},
             {{"--natural", "machine"}, "not_a_number", {"machine, line 2", "\"large, old\""}},
             {{"--role", "load=data_size"}, "duplicate_property", {"data_size", "size_gb", "load"}}}) {
        check_refused(run_program(other_command(place, more)), code, said);
    }
    for (const auto& [more, said] : std::vector<std::pair<words, words>>{
             {{"--natural", "load"}, {"load", "two"}},
             {{"--optional", "machine"}, {"machine", "essential property and optional property"}},
             {{"--optional", "seconds"}, {"seconds", "runtime and optional property"}},
             {{"--weight", "executors"}, {"executors", "scale-out and weight"}},
             {{"--role", "machine=cores_per_node"}, {"machine", "cores_per_node", "found text"}}}) {
        support::check_wrong_usage(run_program(other_command(place, more)), said);
    }
    support::check_wrong_usage(run_program(other_command(place, {"--natural", "size_gb,,load"})), {"size_gb,,load"});
    CHECK(place.listing() == "runs.csv ");
}

TEST_CASE("outcomes in a column that is not named are refused, and other values in a column of such a name are not") {
    const temporary_directory place;
    const auto learned = [&](const std::string& column, const std::string& cell, const words& more = {}) {
        auto table = with(other_table, ",seconds\n", ",seconds," + column + "\n");
        for (const char* seconds : {",40\n", ",30\n", ",90\n"})
            table = with(table, seconds, with(seconds, "\n", ",SUCCEEDED\n"));
        write_text(place / "runs.csv", with(table, ",60\n", ",60," + cell + "\n"));
        return run_program(other_command(place, more));
    };
    for (const std::string column : {"status", "final_status", "State", "job_result", "outcome"})
        check_refused(learned(column, "FAILED"), "unknown_layout", {"--outcome " + column, "how runs ended in " + column});
    CHECK(learned("status", "FAILED", {"--outcome", "status"}).exit_code == 0);
    CHECK(learned("status", "FAILED", {"--optional", "status"}).exit_code == 0);
    CHECK(learned("comment", "FAILED").exit_code == 0);
    check_refused(learned("status", "lost", {"--outcome", "status"}), "unknown_outcome", {"lost"});
    write_text(
        place / "runs.csv",
        with(with(with(with(with(other_table, "seconds\n", "seconds,state\n"), ",40\n", ",40,OK\n"), ",30\n", ",30,TX\n"),
                  ",90\n", ",90,5\n"),
             ",60\n", ",60,\n"));
    CHECK(run_program(other_command(place)).exit_code == 0);
}

TEST_CASE("all bad rows are told at once, or left out and counted") {
    const temporary_directory place;
    auto table = c3o_table();
    table = with(table, c3o_line(8000, 4, "60"), c3o_line(8000, 4, "soon") + "1\t2\n");
    table = with(table, c3o_line(8000, 8, "40"), c3o_line(8000, 8, "-1"));
    write_text(place / "sort.tsv", table);
    const words command{BELLAMY_PROGRAM, "pretrain", "--c3o", place / "sort.tsv", "--out", place / "model"};
    // Fields that are missing are found before what stands in the others.
    check_refused(run_program(command), "ragged_row", {"line 4", "line 3", "\"soon\"", "found -1", "(3 bad rows)"});
    const auto printed = check_succeeds(command + words{"--skip-invalid"});
    CHECK(printed.find("skipped       3 rows\n") != std::string::npos);
    CHECK(printed.find("10 runs in 3 contexts") != std::string::npos);
}

TEST_CASE("a time that is none is refused by its row, and one that is missing is not") {
    const temporary_directory place;
    const auto write = [&](const std::string& time) {
        write_text(place / "runs.csv",
                   "executors,machine,size_gb,load,memory_total,seconds,start\n2,a,10,0.5,64,40,\n4,a,10,0.5,128,30,1.7e9\n"
                   "2,b,20,1.25,32,90," +
                       time + "\n");
    };
    for (const std::string time : {"yesterday", "nan", "inf", "1/2/2026"}) {
        write(time);
        check_refused(run_program(other_command(place, {"--time", "start"})), "not_a_time",
                      {"seconds since 1970", "start, line 4", time});
    }
    write("1700000060.5");
    (void)check_succeeds(other_command(place, {"--time", "start"}));
}

TEST_CASE("flags of a table are told with the number of runs, and a column that is not there is refused") {
    const temporary_directory place;
    auto table = other_table;
    table = with(table, "seconds\n", "seconds,flags\n");
    table = with(table, "64,40\n", "64,40,rescaled\n");
    table = with(table, "128,30\n", "128,30,\"rescaled,out_of_memory\"\n");
    table = with(table, "32,90\n", "32,90,\n");
    table = with(table, "64,60\n", "64,60,\n");
    write_text(place / "runs.csv", table);
    const auto out = check_succeeds(other_command(place, {"--flags", "flags"}));
    CHECK(out.find("flags         out_of_memory 1 run, rescaled 2 runs\n") != std::string::npos);
    check_refused(run_program(other_command(place, {"--flags", "remarks"})), "unknown_column", {"remarks"});
}

TEST_CASE("marked rows of a table are left out with their number and why, unless they are to be kept") {
    const temporary_directory place;
    auto table = with(other_table, "seconds\n", "seconds,flags\n");
    table = with(table, "64,40\n", "64,40,\n");
    table = with(table, "128,30\n", "128,30,\"rescaled,streaming\"\n");
    table = with(table, "32,90\n", "32,90,lost_events\n");
    table = with(table, "64,60\n", "64,60,rescaled\n");
    write_text(place / "runs.csv", table);
    const auto out = check_succeeds(other_command(place, {"--flags", "flags"}));
    CHECK(out.find("left out      1 run: a stream, whose uptime is no runtime\n") != std::string::npos);
    CHECK(out.find("left out      1 run: events were lost, ") != std::string::npos);
    CHECK(out.find("learned from  2 runs in 2 contexts") != std::string::npos);
    const auto json = run_program(other_command(place, {"--flags", "flags", "--json"}));
    CHECK(json.err.find("left out      1 run: a stream") != std::string::npos);
    const auto kept = check_succeeds(other_command(place, {"--flags", "flags", "--keep-marked"}));
    CHECK(kept.find("left out") == std::string::npos);
    CHECK(kept.find("learned from  4 runs in 2 contexts") != std::string::npos);
    write_text(place / "runs.csv", with(with(table, "64,40,\n", "64,40,server\n"), "64,60,rescaled", "64,60,interactive"));
    check_refused(run_program(other_command(place, {"--flags", "flags"})), "empty_history", {"only marked ones: 1 run: "});
}

TEST_CASE("a semicolon separates too, 4.0 is 4, and a doubled column that nobody uses is no error") {
    const temporary_directory place;
    write_text(place / "runs.csv",
               "executors;machine;size_gb;note;note;load;memory_total;seconds\n2.0;a;10.00;x;y;0.5;64.0;40\n"
               "4.0;a;10;x;y;0.5;128;30\n2;b;20;x;y;1.25;32;90\n4;b;20;x;y;1.25;64;60\n");
    CHECK(check_succeeds(other_command(place)).find("4 runs in 2 contexts, scale-outs 2 to 4") != std::string::npos);
    check_refused(run_program(other_command(place, {"--optional", "note"})), "duplicate_column", {"\"note\" twice"});
    write_text(place / "runs.csv", "executors;machine;size_gb;load;memory_total;seconds\n4.5;a;10;0.5;64;40\n");
    check_refused(run_program(other_command(place)), "not_a_number", {"\"4.5\""});
}

TEST_CASE("a model of one context says that it rests on other jobs, and answers") {
    const temporary_directory place;
    const std::string names = "nodes,machine,size_mb,seconds\n";
    const words command{BELLAMY_PROGRAM, "pretrain",  "--table", place / "runs.csv", "--scale-out",
                        "nodes",         "--runtime", "seconds", "--essential",      "machine,size_mb",
                        "--natural",     "size_mb",   "--out",   place / "model"};
    const words question{BELLAMY_PROGRAM, "allocate",    "--model",      place / "model", "--property", "machine=a",
                         "--property",    "size_mb=100", "--scale-outs", "2,4,8",         "--deadline", "1e9"};
    write_text(place / "runs.csv", names + "2,a,100,200\n4,a,100,110\n");
    CHECK(check_succeeds(command).find("other jobs    2 runs of one context") != std::string::npos);
    CHECK(check_succeeds(question).find("the model and 2 runs") != std::string::npos);
    const auto inspected = check_succeeds({BELLAMY_PROGRAM, "inspect", place / "model"});
    CHECK(inspected.find("learned from other jobs, scale-outs 2 to 4, 110 to 200 s\nobserved     2 runs") !=
          std::string::npos);
    CHECK(inspected.find("method       curves of other jobs, with quantiles") != std::string::npos);
}

TEST_CASE("a table of which no run is left is refused by its name, and the old model stays") {
    const temporary_directory place;
    write_text(place / "model", "old");
    const words command{BELLAMY_PROGRAM, "pretrain",      "--c3o",         place / "sort.tsv",
                        "--out",         place / "model", "--skip-invalid"};
    write_text(place / "sort.tsv", c3o_columns);
    check_refused(run_program(command), "empty_history", {"sort.tsv", "found none"});
    write_text(place / "sort.tsv", c3o_columns + c3o_line(8000, 2, "soon") + c3o_line(8000, 4, "-1"));
    check_refused(run_program(command), "empty_history", {"sort.tsv", "found only 2 rows", "line 2", "\"soon\""});
    write_text(place / "runs.csv", other_table.substr(0, other_table.find('\n') + 1));
    check_refused(run_program(other_command(place)), "empty_history", {"runs.csv", "found none"});
    CHECK(read_text(place / "model") == "old");
}

TEST_CASE("pretrain tells how right it is on contexts left out, and inspect the values that a model knows") {
    const temporary_directory place;
    write_text(place / "sort.tsv", c3o_table());
    const words command{BELLAMY_PROGRAM, "pretrain", "--c3o", place / "sort.tsv", "--out", place / "model"};
    const auto printed = check_succeeds(command);
    const auto at = printed.find("accuracy      on contexts left out (12 runs of 3 contexts): median error ");
    REQUIRE(at != std::string::npos);
    CHECK(std::stod(printed.substr(printed.find("error ", at) + 6)) > 0);
    CHECK(check_succeeds(command + words{"--folds", "0"}).find("accuracy") == std::string::npos);
    const auto inspected = check_succeeds({BELLAMY_PROGRAM, "inspect", place / "model"});
    CHECK(inspected.find("  data_size_MB          8000 to 24000\n") != std::string::npos);
}
