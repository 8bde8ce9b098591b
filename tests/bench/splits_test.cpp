#include "../../bench/support/splits.hpp"

#include <doctest/doctest.h>

#include "../support/temporary_directory.hpp"

using support::temporary_directory;
using support::write_text;

TEST_CASE("splits are read with the rows they observe") {
    const temporary_directory place;
    const auto path = place / "splits.csv";
    write_text(path, "algorithm,context,k,mode,seed,train_rows,test_row\nsort,3,0,zero,7,,151\ngrep,0,2,interp,1,4;17,9\n");
    const auto splits = bench::read_splits(path);
    REQUIRE(splits.size() == 2);
    CHECK(splits[0].algorithm == "sort");
    CHECK(splits[0].context == 3);
    CHECK(splits[0].k == 0);
    CHECK(splits[0].mode == "zero");
    CHECK(splits[0].seed == 7);
    CHECK(splits[0].train_rows.empty());
    CHECK(splits[0].test_row == 151);
    CHECK(splits[1].train_rows == std::vector<std::size_t>{4, 17});
    CHECK(splits[1].test_row == 9);
}

TEST_CASE("splits with a defect are refused with the place") {
    struct row {
        std::string what;
        std::string content;
        std::vector<std::string> words;
    };
    const std::string names = "algorithm,context,k,mode,seed,train_rows,test_row\n";
    const std::vector<row> table{
        {"no such column",
         "algorithm,context,k,mode,seed,test_row\nsort,3,0,zero,7,151\n",
         {"unknown_column", "train_rows"}},
        {"a row that is no number", names + "sort,3,2,interp,7,1;x,151\n", {"not_a_number", "train_rows, line 2", "\"x\""}},
        {"a row below zero", names + "sort,3,2,interp,7,1;-1,151\n", {"not_a_number", "line 2", "\"-1\""}},
        {"a row that is missing", names + "sort,3,2,interp,7,1;;2,151\n", {"not_a_number", "\"\""}},
        {"a test row that is no number", names + "sort,3,0,zero,7,,\n", {"not_a_number", "test_row, line 2"}},
        {"a ragged line", names + "sort,3,0,zero,7,,1\nsort,3,0\n", {"ragged_row", "line 3", "7", "3"}},
    };
    for (const auto& each : table) {
        CAPTURE(each.what);
        const temporary_directory place;
        const auto path = place / "splits.csv";
        write_text(path, each.content);
        std::string message;
        try {
            (void)bench::read_splits(path);
        } catch (const tools::tool_error& refused) {
            message = refused.what();
        }
        for (const auto& word : each.words) CHECK_MESSAGE(message.find(word) != std::string::npos, message);
    }
}
