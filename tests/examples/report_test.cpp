// The report of a fleet: its sums, its page and its metrics say what recommend says, and take any history.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "support/made_up_history.hpp"

using nlohmann::json;
using support::check_refused;
using support::check_succeeds;
using support::check_wrong_usage;
using support::history_table;
using support::run_program;
using support::temporary_directory;
using support::usual_runs;
using support::write_text;
using command_words = std::vector<std::string>;

namespace {

// The rows of several tables of one kind below one line of columns.
std::string together(const std::vector<std::string>& tables) {
    auto text = tables.front();
    for (std::size_t i = 1; i < tables.size(); ++i) text += tables[i].substr(tables[i].find('\n') + 1);
    return text;
}

// Twelve runs each: one that is as it should be, one that took twice as long of late, and one whose every run is at 2.
std::string fleet_table() {
    auto slower = usual_runs(12);
    for (std::size_t i = 8; i < 12; ++i) slower[i].runtime_s *= 2;
    auto small = usual_runs(12);
    for (auto& run : small) {
        run.executors = 2;
        run.runtime_s = 520;
    }
    small[10].outcome = "failed";
    return together(
        {history_table(usual_runs(12), "orders"), history_table(slower, "slower"), history_table(small, "small")});
}

// The table with one more column, which is the same in each row.
std::string with_column(const std::string& name, const std::string& value, const std::string& table) {
    std::istringstream lines(table);
    std::string text;
    std::string line;
    for (bool is_head = true; std::getline(lines, line); is_head = false)
        text += line + "\t" + (is_head ? name : value) + "\n";
    return text;
}

json report_of(const std::string& history, const command_words& more = {}) {
    using support::operator+;
    return json::parse(check_succeeds(command_words{BELLAMY_PROGRAM, "report", history, "--json"} + more));
}

json application_of(const json& report, const std::string& name) {
    for (const auto& one : report.at("applications"))
        if (one.at("application") == name) return one;
    FAIL("no application " << name);
    return {};
}

// Values of the cells of the page's row of an application, in their order; the first is the name.
std::vector<std::string> cells_of(const std::string& page, const std::string& name) {
    const auto row = page.find("data-v=\"" + name + "\"");
    REQUIRE(row != std::string::npos);
    const auto text = page.substr(row, page.find("</tr>", row) - row);
    std::vector<std::string> cells;
    const std::regex value("data-v=\"([^\"]*)\"");
    for (std::sregex_iterator each(text.begin(), text.end(), value), end; each != end; ++each) cells.push_back((*each)[1]);
    return cells;
}

std::string page_of(const std::string& history, const temporary_directory& place, const command_words& more = {}) {
    using support::operator+;
    (void)check_succeeds(command_words{BELLAMY_PROGRAM, "report", history, "--html", place / "page.html"} + more);
    return support::read_text(place / "page.html");
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("runs that start in the future are told once, unless the end of the period is given") {
    const temporary_directory place;
    write_text(place / "own.csv",
               "application,executors,runtime_s,started_at_s\na,4,300,2026-01-01\na,4,310,2026-01-02\n"
               "b,4,310,2097-05-06\na,4,300,2099-01-03T04:05\n");
    const auto made = run_program({BELLAMY_PROGRAM, "report", place / "own.csv", "--json"});
    CHECK(made.exit_code == 0);
    CHECK(made.err ==
          "future        2 runs that start after today, the latest 2099-01-03 04:05 UTC: correct the dates, or end the "
          "period by --at\n");
    CHECK(check_succeeds({BELLAMY_PROGRAM, "report", place / "own.csv", "--at", "2026-02-01"}) != "");
}

TEST_CASE("the figures of a report, in JSON and on its page, are those of recommend") {
    const temporary_directory place;
    write_text(place / "fleet.tsv", fleet_table());
    const command_words limits{"--deadline", "200", "--probability", "0.8"};
    using support::operator+;
    const auto report = report_of(place / "fleet.tsv", limits);
    const auto advice =
        json::parse(check_succeeds(command_words{BELLAMY_PROGRAM, "recommend", place / "fleet.tsv", "--json"} + limits));
    const auto page = page_of(place / "fleet.tsv", place, limits);
    double saved = 0;
    for (const auto& own : advice.at("applications")) {
        const auto name = own.at("application").get<std::string>();
        CAPTURE(name);
        const auto one = application_of(report, name);
        for (const char* key : {"runs", "deadline_s", "probability", "saving", "basis", "warnings"})
            CHECK(one.at(key) == own.at(key));
        for (const char* size : {"present", "proposed"}) {
            CHECK(one.at(size).is_null() == own.at(size).is_null());
            if (own.at(size).is_null()) continue;
            for (const char* key : {"scale_out", "median_s", "probability", "expected_unit_hours", "configuration"})
                CHECK(one.at(size).at(key) == own.at(size).at(key));
        }
        const double runs = one.at("period").at("runs");
        const bool is_proposed = !own.at("proposed").is_null();
        const double gained = is_proposed ? runs * (own.at("present").at("expected_unit_hours").get<double>() -
                                                    own.at("proposed").at("expected_unit_hours").get<double>())
                                          : 0;
        CHECK(one.at("saved_unit_hours").get<double>() == doctest::Approx(gained));
        saved += std::max(0.0, gained);
        // application, runs, hours run, proposal, hours saved, hours saved in %, deadline, in time now, in time proposed
        const auto cells = cells_of(page, name);
        CHECK(std::stod(cells.at(1)) == runs);
        if (is_proposed && one.at("present").at("scale_out") != one.at("proposed").at("scale_out")) {
            CHECK(std::stod(cells.at(4)) == doctest::Approx(gained).epsilon(1e-4));
            CHECK(std::stod(cells.at(5)) == doctest::Approx(own.at("saving").get<double>()).epsilon(1e-4));
        }
        CHECK(std::stod(cells.at(6)) == 200);
        CHECK(std::stod(cells.at(7)) == doctest::Approx(own.at("present").at("probability").get<double>()).epsilon(1e-4));
        CHECK(cells.at(8).empty() == !is_proposed);
        if (is_proposed)
            CHECK(std::stod(cells.at(8)) ==
                  doctest::Approx(own.at("proposed").at("probability").get<double>()).epsilon(1e-4));
    }
    CHECK(report.at("proposals").at("saved_unit_hours").get<double>() == doctest::Approx(saved));
}

TEST_CASE("a report counts the runs of its period, their hours, and those that came to nothing") {
    const temporary_directory place;
    write_text(place / "fleet.tsv", fleet_table());
    const auto all = report_of(place / "fleet.tsv", {"--price", "$0.50/h"});
    const auto small = application_of(all, "small").at("period");
    CHECK(small.at("runs") == 12);
    CHECK(small.at("unsuccessful_runs") == 1);
    CHECK(small.at("unit_hours").get<double>() == doctest::Approx(12 * 2 * 525 / 3600.0));  // 5 s of wait each
    CHECK(small.at("unsuccessful_unit_hours").get<double>() == doctest::Approx(2 * 525 / 3600.0));
    CHECK(small.at("money").get<double>() == doctest::Approx(0.5 * 12 * 2 * 525 / 3600.0));
    CHECK(page_of(place / "fleet.tsv", place).find(">1, 0.3 h</td>") != std::string::npos);
    CHECK(all.at("until_s").get<double>() - all.at("from_s").get<double>() == doctest::Approx(30 * 86400.0));
    // The last two days of a run a day, and three days before them that are asked for by their end.
    const auto last = report_of(place / "fleet.tsv", {"--days", "2"});
    CHECK(application_of(last, "small").at("period").at("runs") == 2);
    const auto before = report_of(place / "fleet.tsv",
                                  {"--days", "3", "--at", fmt::format("{}", support::first_start_s + 2.5 * support::day_s)});
    CHECK(application_of(before, "small").at("period").at("runs") == 3);
    CHECK(before.at("period").at("runs") == 9);
    CHECK(
        report_of(place / "fleet.tsv", {"--days", "10"}).at("answers").at(3).dump().find(" of 15 runs in the first half") !=
        std::string::npos);
}

TEST_CASE("hours of attempts that were made anew are in a line of their own, beside those of the runs") {
    const temporary_directory place;
    write_text(place / "attempts.csv",
               "application,run,attempt,started_at_s,runtime_s,outcome,executors\n"
               "x,r1,1,1760000000,450,failed,4\nx,r1,1,1760000000,300,unfinished,4\n"  // of one attempt
               "x,r1,2,1760001000,900,failed,4\nx,r1,3,1760002000,600,succeeded,4\n"
               "x,r2,1,1760086400,600,succeeded,4\n");
    const auto words = command_words{BELLAMY_PROGRAM, "report", place / "attempts.csv", "--price", "$2"};
    using support::operator+;
    const auto json_of = json::parse(run_program(words + command_words{"--json"}).out);
    for (const auto& period : {json_of.at("period"), json_of.at("applications").at(0).at("period")}) {
        CHECK(period.at("runs") == 2);
        CHECK(period.at("unit_hours").get<double>() == doctest::Approx(4 * 1200 / 3600.0));
        CHECK(period.at("older_attempts") == 2);
        CHECK(period.at("older_attempt_unit_hours").get<double>() == doctest::Approx(1.5));
        CHECK(period.at("older_attempt_money").get<double>() == doctest::Approx(3));
    }
    const std::string sentence =
        "2 attempts that were made anew took 1.50 executor-hours ($3.00), which are not in the hours above";
    const auto text = run_program(words + command_words{"--html", place / "page.html"}).out;
    CHECK_MESSAGE(text.find(sentence) != std::string::npos, text);
    const auto page = support::read_text(place / "page.html");
    CHECK(page.find(sentence) != std::string::npos);
    CHECK(page.find("<dt>hours of older attempts, beside these</dt><dd>1.5 in 2 attempts, $3.00</dd>") != std::string::npos);
    const auto last = run_program({BELLAMY_PROGRAM, "report", place / "attempts.csv", "--json", "--days", "1"});
    CHECK(json::parse(last.out).at("period").at("older_attempts") == 1);  // the first began before
    const command_words report{BELLAMY_PROGRAM, "report", place / "attempts.csv"};
    const auto other_price = run_program(report + command_words{"--json", "--machine", "huge=1,cores=16,memory=64GB"});
    const auto unpriced = json::parse(other_price.out).at("period");
    CHECK(unpriced.at("money").is_null());  // no machine that ran has a price
    CHECK(unpriced.at("older_attempt_money").is_null());
    (void)run_program(report + command_words{"--html", place / "idle.html", "--price", "$2", "--at", "2024-01-01"});
    const auto idle = support::read_text(place / "idle.html");
    CHECK(idle.find("<dt>cost</dt><dd>$0.00</dd>") != std::string::npos);  // no runs, of which none lacks a price
}

TEST_CASE("no label of a picture begins or ends beyond it, whatever its dates and numbers") {
    const temporary_directory place;
    std::string rows = "application,executors,runtime_s,started_at_s\n";
    for (const char* start :
         {"2026-01-01T01:00:00Z", "2026-01-01T12:00:00Z", "2026-01-01T23:55:00Z", "2026-01-02T23:50:00Z"})
        rows += fmt::format("nightly,100000,{},{}\n", 900 + rows.size(), start);
    write_text(place / "own.csv", rows);
    for (const std::string days : {"2", "3", "30"}) {
        const auto page = page_of(place / "own.csv", place, {"--days", days});
        CHECK(page.find(days == "2" ? "03 Jan 00:00" : "Jan</text>") != std::string::npos);
        const std::regex label("<text class=\"([xy])\" x=\"([0-9.]+)\"[^>]*>([^<]*)</text>");
        std::size_t labels = 0;
        for (std::sregex_iterator each(page.begin(), page.end(), label), end; each != end; ++each, ++labels) {
            const double at = std::stod((*each)[2]);
            const double width = 6.5 * static_cast<double>((*each)[3].length());  // of most fonts
            CHECK_MESSAGE(at - ((*each)[1] == "x" ? width / 2 : width) >= 0, (*each)[3].str());
            CHECK_MESSAGE(at + ((*each)[1] == "x" ? width / 2 : 0) <= 360, (*each)[3].str());
        }
        CHECK(labels > 10);
    }
}

TEST_CASE("an interval that goes on beyond the picture of the latest runs ends in an arrow, which its text tells") {
    const temporary_directory place;
    write_text(place / "usual.tsv", history_table(usual_runs(12)));
    const auto picture_of = [&](const std::string& history, const command_words& more) {
        const auto page = page_of(place / history, place, more);
        const auto title = page.find("<title>The latest runs of ");
        REQUIRE(title != std::string::npos);
        return page.substr(title, page.find("</svg>", title) - title);
    };
    const std::regex bar("<path class=\"expected\" d=\"M([0-9.]+) ([0-9.]+)L[0-9.]+ ([0-9.]+)\"");
    for (const int first : {1, 1000}) {  // as long at any size, which none expects
        std::string rows = "application,executors,runtime_s,started_at_s\n";
        for (int day = 1; day <= 6; ++day)
            rows += fmt::format("nightly,{},600,2026-01-0{}\n", day % 2 == 1 ? first : 1001 - first, day);
        write_text(place / "own.csv", rows);
        const auto cut = picture_of("own.csv", {"--backtest", "--deadline", "10m"});
        std::size_t below = 0;
        std::size_t above = 0;
        for (std::sregex_iterator each(cut.begin(), cut.end(), bar), end; each != end; ++each) {
            if ((*each)[2] == "200.0") ++below;  // the axes are at 200 and 22
            if ((*each)[3] == "22.0") ++above;
        }
        CHECK((first == 1 ? below : above) > 0);
        CHECK(count_of(cut, "l4 5 4-5") == below);
        CHECK(count_of(cut, "l4-5 4 5") == above);
        CHECK(cut.find("arrow: goes on beyond the picture") != std::string::npos);
        CHECK_MESSAGE(cut.find(" The picture cuts 90 % intervals, of ") < cut.find("</desc>"), cut);
    }
    const auto whole = picture_of("usual.tsv", {});
    CHECK(whole.find("arrow") == std::string::npos);
    CHECK(whole.find("cuts") == std::string::npos);
    CHECK(whole.find("l4") == std::string::npos);
}

TEST_CASE("hours of each day are those of days in UTC, whenever the last run ended") {
    const temporary_directory place;
    std::string rows = "application,executors,runtime_s,started_at_s\n";
    for (const char* start :
         {"2026-01-01T13:00:00Z", "2026-01-01T23:00:00Z", "2026-01-02T11:00:00Z", "2026-01-03T12:00:00Z"})
        rows += fmt::format("nightly,4,300,{}\n", start);
    write_text(place / "own.csv", rows);
    const auto page = page_of(place / "own.csv", place, {"--days", "3"});
    const auto title = page.find("Hours of each day (UTC)");
    REQUIRE(title != std::string::npos);
    const auto picture = page.substr(title, page.find("</svg>", title) - title);
    const std::regex bar("<rect class=\"bar\"[^>]* height=\"([0-9.]+)\"");
    std::vector<double> heights;
    for (std::sregex_iterator each(picture.begin(), picture.end(), bar), end; each != end; ++each)
        heights.push_back(std::stod((*each)[1]));
    REQUIRE(heights.size() == 4);  // three days back from noon are parts of four
    const auto whole = page_of(place / "own.csv", place, {"--days", "3", "--at", "1767484800"});  // 4 January, midnight
    std::size_t bars = 0;
    const std::regex width("<rect class=\"bar\"[^>]* width=\"([0-9.]+)\"");
    for (std::sregex_iterator each(whole.begin(), whole.end(), width), end; each != end; ++each, ++bars)
        CHECK(std::stod((*each)[1]) > 50);
    CHECK(bars == 3);
    CHECK(heights[0] == 0);
    CHECK(heights[1] == doctest::Approx(2 * heights[2]).epsilon(0.01));
    CHECK(heights[2] == heights[3]);
}

TEST_CASE("a report names the deadlines that the size now does not keep, and no others") {
    const temporary_directory place;
    write_text(place / "fleet.tsv", fleet_table());
    write_text(place / "deadlines.csv", "application,deadline\nsmall,5m\norders,20m\n");
    const auto report = report_of(place / "fleet.tsv", {"--deadlines", place / "deadlines.csv"});
    CHECK(application_of(report, "small").at("at_risk") == true);
    CHECK(application_of(report, "orders").at("at_risk") == false);
    CHECK(application_of(report, "slower").at("at_risk") == false);
    CHECK(application_of(report, "slower").at("deadline_stated") == false);
    CHECK(application_of(report, "slower").at("change_factor").get<double>() == doctest::Approx(2).epsilon(0.15));
    CHECK(application_of(report, "orders").at("change_factor").is_null());
    const auto text = report.at("answers").dump();
    CHECK(text.find("1 of 2 applications with a deadline") != std::string::npos);
    CHECK(report.at("proposals").at("runs") == 24);  // deadlines that nobody stated are not kept either
    CHECK(text.find("1 application has runtimes") != std::string::npos);
    write_text(place / "deadlines.csv", "application,deadline\nsmall,1s\n");
    const auto hopeless = report_of(place / "fleet.tsv", {"--deadlines", place / "deadlines.csv"});
    CHECK(application_of(hopeless, "small").at("proposed").is_null());
    const auto instead = hopeless.at("answers").at(2).dump();
    CHECK(instead.find("none: no size meets the deadline, the closest, ") != std::string::npos);
    CHECK(instead.find("executors, with 0.0 %") != std::string::npos);
    CHECK(instead.find(" could be met with ") != std::string::npos);
    // It may be in another unit, whether any size meets it or none does.
    const std::string doubt = "s is far from all runtimes";
    CHECK(text.find(doubt) == std::string::npos);
    CHECK(hopeless.at("answers").at(2).dump().find("small: the deadline of 1 " + doubt) != std::string::npos);
    write_text(place / "deadlines.csv", "application,deadline\norders,40h\n");
    const auto easy = report_of(place / "fleet.tsv", {"--deadlines", place / "deadlines.csv"});
    CHECK(easy.at("answers").at(2).dump().find("orders: the deadline of 144000 " + doubt) != std::string::npos);
}

TEST_CASE("a report looks back at a ledger and leaves it as it is") {
    const temporary_directory place;
    write_text(place / "fleet.tsv", fleet_table());
    (void)check_succeeds({BELLAMY_PROGRAM, "recommend", place / "fleet.tsv", "--deadline", "700", "--ledger",
                          place / "ledger", "--at", fmt::format("{:.0f}", support::first_start_s - 1)});
    const auto ledger = support::read_text(place / "ledger");
    const auto report = report_of(place / "fleet.tsv", {"--ledger", place / "ledger"});
    CHECK(report.at("past_proposals").at("proposals") == 3);
    CHECK(report.at("past_proposals").at("applied").get<int>() > 0);
    CHECK(support::read_text(place / "ledger") == ledger);
    check_refused(run_program({BELLAMY_PROGRAM, "report", place / "fleet.tsv", "--ledger", place / "none"}), "cannot_read",
                  {"a ledger"});
}

TEST_CASE("a report back-tests as backtest does, and shows the errors on the page") {
    const temporary_directory place;
    write_text(place / "fleet.tsv", fleet_table());
    const command_words limits{"--deadline", "200", "--probability", "0.8"};
    using support::operator+;
    const auto backtest =
        json::parse(check_succeeds(command_words{BELLAMY_PROGRAM, "backtest", place / "fleet.tsv", "--json"} + limits));
    const auto report = report_of(place / "fleet.tsv", limits + command_words{"--backtest"});
    const auto page = page_of(place / "fleet.tsv", place, limits + command_words{"--backtest"});
    for (const auto& own : backtest.at("applications")) {
        CAPTURE(own.at("application"));
        const auto tested = application_of(report, own.at("application")).at("backtest");
        CHECK(tested.at("predicted").get<int>() > 8);
        for (const char* key : {"predicted", "not_predicted", "within_interval", "within_p90", "proposals"})
            CHECK(tested.at(key) == own.at(key));
        for (const char* method : {"bellamy", "size_known", "ernest", "last_run"})
            CHECK(tested.at("median_error").at(method) == own.at("median_error").at(method));
        const auto percent = [&](const char* method) {
            return fmt::format("{:.1f} %", 100 * own.at("median_error").at(method).get<double>());
        };
        const auto shown = fmt::format("median error {} of {} runs (Ernest {}, the last run {})", percent("bellamy"),
                                       own.at("predicted").get<int>(), percent("ernest"), percent("last_run"));
        CHECK_MESSAGE(page.find(shown) != std::string::npos, shown);
    }
    CHECK(count_of(page, "predicted before each run") == 3);
    (void)check_succeeds(command_words{BELLAMY_PROGRAM, "backtest", place / "fleet.tsv", "--html", place / "own.html"} +
                         limits);
    const auto own_page = support::read_text(place / "own.html");
    CHECK(own_page.find("36 runs that began from 2023-11-14 to 2023-11-25 (UTC).") != std::string::npos);
    const auto& all = backtest.at("all");
    CHECK(own_page.find(fmt::format(
              "{:.1f} % of {} runs were within their 90 % interval: ", 100 * all.at("within_interval").get<double>(),
              all.at("predicted").get<int>())) != std::string::npos);
    CHECK(own_page.find(fmt::format("Half of the runs were predicted to within {:.1f} %, by Ernest {:.1f} %",
                                    100 * all.at("median_error").at("bellamy").get<double>(),
                                    100 * all.at("median_error").at("ernest").get<double>())) != std::string::npos);
    CHECK(page.find("median error of predictions (%)") != std::string::npos);
    CHECK(report_of(place / "fleet.tsv").at("applications").at(0).at("backtest").is_null());
    CHECK(page_of(place / "fleet.tsv", place).find("predicted before each run") == std::string::npos);
}

TEST_CASE("a report counts late runs at the size now beside its odds, and dates what it shows") {
    const temporary_directory place;
    auto runs = usual_runs(12);
    for (auto& run : runs) run.executors = 4;
    runs[3].executors = 8;  // another size
    runs[5].runtime_s = 900;
    runs[7].outcome = "failed";  // before the deadline: nobody knows
    runs[9].outcome = "failed";
    runs[9].runtime_s = 900;
    write_text(place / "late.tsv", history_table(runs));
    const auto report = report_of(place / "late.tsv", {"--deadline", "700"});
    const auto& one = report.at("applications").at(0);
    CHECK(one.at("late_runs").at("runs") == 10);
    CHECK(one.at("late_runs").at("late") == 2);
    const auto page = page_of(place / "late.tsv", place, {"--deadline", "700"});
    const double expected = 10 * (1 - one.at("present").at("probability").get<double>());
    CHECK(page.find(fmt::format("2 of the last 10 at the size now, where its odds state {:.1f}", expected)) !=
          std::string::npos);
    CHECK(page.find(">2 of 10</td>") != std::string::npos);
    CHECK(report_of(place / "late.tsv").at("applications").at(0).at("late_runs").is_null());
    for (const std::string date : {">30 Oct<", ">20 Nov<", ">19 Nov<"})  // Mondays of the period, and a day of the runs
        CHECK_MESSAGE(page.find(date) != std::string::npos, date);
}

TEST_CASE("a back-test that odds failed is told where a deadline or a change of the size rests on them, and nowhere else") {
    const temporary_directory place;
    std::vector<support::recorded_run> runs;
    // The slowdown grows, so that each run is beyond what those before tell, with a drift that is seen too.
    for (int i = 0; i < 20; ++i) runs.push_back({.executors = 4, .runtime_s = 270 * std::pow(1.01, i * i)});
    write_text(place / "slower.tsv", together({history_table(runs, "stated"), history_table(runs, "other")}));
    write_text(place / "deadlines.csv", "application,deadline\nstated,10h\n");
    const auto report = report_of(place / "slower.tsv", {"--backtest", "--deadlines", place / "deadlines.csv"});
    REQUIRE(application_of(report, "other").at("saved_unit_hours") == 0);
    const auto safety = report.at("answers").at(1).dump();
    CHECK(safety.find("stated: only ") != std::string::npos);
    CHECK(safety.find("its odds cannot be relied on") != std::string::npos);
    CHECK(safety.find("other: only ") == std::string::npos);
}

TEST_CASE("up to the data size that a report states, the proposal meets the deadline, and beyond it no longer") {
    const temporary_directory place;
    auto runs = usual_runs(15);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const double grown = 1 + 0.1 * static_cast<double>((7 * i) % 11);
        runs[i].data_mb = static_cast<int>(1000 * grown);
        runs[i].runtime_s *= grown;
    }
    write_text(place / "growing.tsv", history_table(runs));
    const command_words limits{"--deadline", "450"};
    const auto report = report_of(place / "growing.tsv", limits);
    const auto& one = report.at("applications").at(0);
    const auto& held = one.at("held_data_size");
    REQUIRE(!held.at("no_larger_tried").get<bool>());
    const int up_to = static_cast<int>(std::lround(held.at("up_to").get<double>()));
    CHECK(up_to > held.at("next").get<double>());
    const int proposed = one.at("proposed").at("scale_out");
    const auto probability_with = [&](int data_mb) {
        using support::operator+;
        const auto record = support::advised_record(
            place / "growing.tsv",
            limits + command_words{"--application", "daily", "--data-size", fmt::format("{}", data_mb)});
        for (const auto& row : record.at("table"))
            if (row.at("scale_out") == proposed) return row.at("probability").get<double>();
        return 0.0;
    };
    CHECK(probability_with(up_to) >= 0.9);
    CHECK(probability_with(up_to + up_to / 20) < 0.9);
    CHECK(page_of(place / "growing.tsv", place, limits).find(fmt::format("with data up to {} MB", up_to)) !=
          std::string::npos);
}

TEST_CASE("a machine type is compared, and its settings are written, with the executors that its own runs had") {
    const temporary_directory place;
    // On "large" executors have four times the cores and memory, and take a third of the time; the last run was on "small".
    std::string text =
        "application\tstarted_at_s\truntime_s\toutcome\texecutors\texecutor_cores\texecutor_memory_MB\tmachine_type\n";
    const auto runs = usual_runs(24);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const bool is_large = (i / 3) % 2 == 0;
        text += fmt::format("etl\t{:.0f}\t{}\tsucceeded\t{}\t{}\t{}\t{}\n",
                            support::first_start_s + support::day_s * static_cast<double>(i),
                            runs[i].runtime_s / (is_large ? 3 : 1), runs[i].executors, is_large ? 8 : 2,
                            is_large ? 32000 : 8000, is_large ? "large" : "small");
    }
    write_text(place / "types.tsv", text);
    const command_words prices{"--machine", "large=0.1", "--machine", "small=0.1", "--deadline", "700"};
    const auto machines = report_of(place / "types.tsv", prices).at("applications").at(0).at("machines");
    const auto& large = machines.at(0);
    REQUIRE(large.at("machine") == "large");
    CHECK(large.at("configuration").at("executor_cores") == 8);
    CHECK(large.at("configuration").at("executor_memory_MB") == 32000);
    CHECK(machines.at(1).at("configuration").at("executor_cores") == 2);
    const double runtime_s = (20 + 1000 / large.at("scale_out").get<double>()) / 3;
    CHECK(large.at("median_s").get<double>() ==
          doctest::Approx(runtime_s).epsilon(0.2));  // no size was recorded to learn from
    const auto page = page_of(place / "types.tsv", place, prices);
    const auto at = page.find("Settings on the cheaper large");
    REQUIRE(at != std::string::npos);
    CHECK(page.find("spark.executor.cores 8", at) < page.find("</pre>", at));
    CHECK(page.find("spark.executor.memory 32000m", at) < page.find("</pre>", at));
}

TEST_CASE("where proposals are stopped no other machine type is proposed either") {
    const temporary_directory place;
    // Every other three runs on "fast", which take half the time; later ones on "slow", as proposed, which take three times
    // it.
    auto runs = usual_runs(12);
    const auto is_fast = [](std::size_t i) { return i < 12 && (i / 3) % 2 == 0; };
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].runtime_s /= is_fast(i) ? 2 : 1;
    const auto write_history = [&] {
        std::istringstream lines(history_table(runs));
        std::string text;
        std::string line;
        for (std::size_t i = 0; std::getline(lines, line); ++i)
            text += line + (i == 0 ? "\tmachine_type\n" : is_fast(i - 1) ? "\tfast\n" : "\tslow\n");
        write_text(place / "types.tsv", text);
    };
    write_history();
    for (int day = 12; day < 17; ++day)
        (void)check_succeeds({BELLAMY_PROGRAM, "recommend", place / "types.tsv", "--deadline", "300", "--ledger",
                              place / "ledger", "--at",
                              fmt::format("{:.0f}", support::first_start_s + support::day_s * day - 3600)});
    const auto lines = support::read_text(place / "ledger");
    const auto entry = json::parse(lines.substr(0, lines.find('\n')));
    const int proposed = entry.at("proposed").at("scale_out");
    for (int day = 12; day < 17; ++day) runs.push_back({.executors = proposed, .runtime_s = 3 * (20 + 1000.0 / proposed)});
    write_history();
    const command_words prices{"--machine", "fast=0.1", "--machine", "slow=0.1", "--deadline", "2000"};
    using support::operator+;
    CHECK(report_of(place / "types.tsv", prices).at("answers").at(0).dump().find("another machine type") !=
          std::string::npos);
    const auto stopped = report_of(place / "types.tsv", prices + command_words{"--ledger", place / "ledger"});
    REQUIRE(stopped.at("answers").at(4).dump().find("Proposals for daily stop") != std::string::npos);
    CHECK(stopped.at("answers").at(0).dump().find("another machine type") == std::string::npos);
    // Nor is the size that was stopped told as one that comes close.
    const auto risky = report_of(place / "types.tsv", {"--deadline", "300", "--ledger", place / "ledger"});
    const auto at_risk = risky.at("answers").at(2).dump();
    REQUIRE(at_risk.find("daily") != std::string::npos);
    CHECK(at_risk.find("the closest") == std::string::npos);
    CHECK(at_risk.find("could be met") == std::string::npos);
}

TEST_CASE("the page tells what was left out of the history, and a redacted page how much alone") {
    const temporary_directory place;
    auto table = history_table(usual_runs(12));
    table += table.substr(table.rfind('\n', table.size() - 2) + 1);  // the last run again
    write_text(place / "twice.tsv", table);
    const auto page_of_twice = [&](const command_words& more) {
        using support::operator+;
        const auto words =
            command_words{BELLAMY_PROGRAM, "report", place / "twice.tsv", "--html", place / "page.html"} + more;
        REQUIRE(run_program(words).exit_code == 0);
        return support::read_text(place / "page.html");
    };
    CHECK(page_of_twice({}).find("<summary>Left out of the history: 1 note</summary><ul><li>1 run that is there already") !=
          std::string::npos);
    const auto redacted = page_of_twice({"--redact", place / "names"});
    CHECK(redacted.find("<p>Left out of the history: 1 note.</p>") != std::string::npos);
    CHECK(redacted.find("there already") == std::string::npos);
    write_text(place / "once.tsv", history_table(usual_runs(12)));
    CHECK(page_of(place / "once.tsv", place).find("Left out") == std::string::npos);
}

TEST_CASE("a report prices runs by their machine types, and compares types as recommend does") {
    const temporary_directory place;
    // Twice as fast on "fast", in turn; and an application whose runs name none.
    std::string text = "application\tstarted_at_s\truntime_s\toutcome\texecutors\tdata_size_MB\tmachine_type\n";
    const auto runs = usual_runs(24);
    double hours_fast = 0;
    double hours_slow = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const bool is_fast = (i / 3) % 2 == 0;
        const double runtime_s = runs[i].runtime_s / (is_fast ? 2 : 1);
        (is_fast ? hours_fast : hours_slow) += runs[i].executors * runtime_s / 3600;
        text += fmt::format("etl\t{:.0f}\t{}\tsucceeded\t{}\t{}\t{}\n",
                            support::first_start_s + support::day_s * static_cast<double>(i), runtime_s, runs[i].executors,
                            runs[i].data_mb, is_fast ? "fast" : "slow");
    }
    text += fmt::format("plain\t{:.0f}\t3600\tsucceeded\t2\t100\t\n", support::first_start_s);
    write_text(place / "types.tsv", text);
    const command_words prices{"--machine", "fast=$0.30/h", "--machine", "slow=0.2", "--price", "0.1", "--deadline", "400"};
    const auto report = report_of(place / "types.tsv", prices);
    const auto etl = application_of(report, "etl");
    CHECK(etl.at("period").at("money").get<double>() == doctest::Approx(0.3 * hours_fast + 0.2 * hours_slow));
    CHECK(application_of(report, "plain").at("period").at("money").get<double>() == doctest::Approx(0.2));
    CHECK(application_of(report, "plain").at("machines").empty());
    REQUIRE(etl.at("machines").size() == 2);
    const auto& fast = etl.at("machines").at(0);
    const auto& slow = etl.at("machines").at(1);
    CHECK(fast.at("machine") == "fast");
    CHECK(fast.at("runs") == 12);
    CHECK(slow.at("now") == true);
    CHECK(fast.at("money").get<double>() == doctest::Approx(0.3 * fast.at("expected_unit_hours").get<double>()));
    CHECK(fast.at("money").get<double>() < slow.at("money").get<double>());
    CHECK(fast.at("probability").get<double>() >= 0.9);
    // What saves most stands first, whether it is a size or a machine.
    const auto largest = report.at("answers").at(0).at("answer").at(0).get<std::string>();
    CHECK_MESSAGE(largest.starts_with("etl: another machine type, fast with"), largest);
    const auto safe = report.at("answers").at(1).at("answer").at(0).get<std::string>();
    CHECK_MESSAGE(safe.starts_with("etl on fast: the next run is in time with "), safe);
    CHECK_MESSAGE(safe.ends_with("; based on 12 runs there."), safe);
    const auto page = page_of(place / "types.tsv", place, prices);
    CHECK(page.find(
              "Price per executor and hour, whatever cores it has: fast $0.30, slow $0.20, on other machine types $0.10.") !=
          std::string::npos);
    CHECK(page.find(fmt::format(">{} x fast: saves $", fast.at("scale_out").get<int>())) != std::string::npos);
    CHECK(page.find("slow, now</bdi>") != std::string::npos);
    CHECK(count_of(page, "aria-label=\"Machine types of etl\"") == 1);
    CHECK(
        application_of(report_of(place / "types.tsv"), "etl").at("machines").empty());  // hours of two types do not compare
    using support::operator+;
    const auto advice =
        json::parse(check_succeeds(command_words{BELLAMY_PROGRAM, "recommend", place / "types.tsv", "--json"} + prices));
    CHECK(advice.at("applications").at(0).at("machines") == etl.at("machines"));
    const auto printed =
        check_succeeds(command_words{BELLAMY_PROGRAM, "recommend", place / "types.tsv", "--application", "etl"} + prices);
    CHECK(printed.find("machine type") != std::string::npos);
    const auto partly = report_of(place / "types.tsv", {"--machine", "fast=0.3"});
    CHECK(application_of(partly, "etl").at("saved_money").is_null());  // its last run was on a type without a price
    const auto own = page_of(place / "types.tsv", place, {"--machine", "huge=1,cores=16,memory=64GB"});
    CHECK(own.find("0.00") == std::string::npos);  // nothing that ran has a price
    CHECK(own.find("(no price)") != std::string::npos);
    CHECK(partly.at("answers").at(0).dump().find("Money leaves out 13 runs on machine types without a price.") !=
          std::string::npos);
    CHECK(report.at("answers").dump().find("Money leaves out") == std::string::npos);
    // Of a machine on which nothing ran, what it has must be known.
    const auto try_machine = [&](const std::string& machine) {
        return run_program(
            {BELLAMY_PROGRAM, "report", place / "types.tsv", "--machine", machine, "--deadline", "1h", "--json"});
    };
    check_refused(try_machine("huge=1"), "unknown_machine", {"fast, slow", "huge"});
    const auto with_new = try_machine("huge=1,cores=16,memory=64GB");
    REQUIRE(with_new.exit_code == 0);
    const auto huge = application_of(json::parse(with_new.out), "etl").at("machines").at(2);
    CHECK(huge.at("runs") == 0);
    CHECK(huge.at("configuration").at("executor_cores") == 16);
    CHECK(huge.at("configuration").at("executor_memory_MB") == 64 * 1024);
    CHECK(huge.at("configuration").at("executors") == huge.at("scale_out"));
    for (const std::string wrong : {"fast=0", "fast", "fast=1,cores=0", "fast=1,disks=2", "fast=1,cores=2,cores=2"})
        check_wrong_usage(try_machine(wrong), {"--machine"});
    check_refused(
        run_program({BELLAMY_PROGRAM, "report", place / "types.tsv", "--machine", "fast=1", "--machine", "fast=2"}),
        "duplicate_machine");
}

TEST_CASE("a new machine type is a guess at the speed of the present one where all runs had one type or none") {
    const temporary_directory place;
    const auto table = history_table(usual_runs(24));  // executors of one core
    write_text(place / "one.tsv", with_column("machine_type", "m5", table));
    write_text(place / "none.tsv", table);
    using support::operator+;
    const command_words prices{"--price", "0.10", "--machine", "c6=0.12,cores=2,memory=8GB", "--deadline", "300"};
    for (const std::string history : {"one.tsv", "none.tsv"}) {
        CAPTURE(history);
        const auto one = report_of(place / history, prices).at("applications").at(0);
        REQUIRE(one.at("machines").size() == 2);
        const auto& now = one.at("machines").at(0);
        const auto& guess = one.at("machines").at(1);
        CHECK(now.at("machine") == (history == "one.tsv" ? "m5" : ""));
        CHECK(now.at("now") == true);
        CHECK(now.at("runs") == 24);
        CHECK(now.at("scale_out") == 4);
        CHECK(guess.at("machine") == "c6");
        CHECK(guess.at("runs") == 0);
        CHECK(guess.at("scale_out") == 2);  // half as many of twice the cores take as long
        CHECK(guess.at("median_s") == now.at("median_s"));
        CHECK(guess.at("money").get<double>() == doctest::Approx(0.6 * now.at("money").get<double>()));
        CHECK(guess.at("configuration").at("executor_cores") == 2);
        CHECK(guess.at("configuration").at("executor_memory_MB") == 8 * 1024);
        CHECK(one.at("machines_not_compared").is_null());
        const auto page = page_of(place / history, place, prices);
        const std::string words = "a guess, as fast as the present machine";
        CHECK(page.find("c6, never ran</bdi>") != std::string::npos);
        CHECK(count_of(page, words) >= 2);  // in the answers, and in the section
        const auto advice =
            json::parse(check_succeeds(command_words{BELLAMY_PROGRAM, "recommend", place / history, "--json"} + prices));
        CHECK(advice.at("applications").at(0).at("machines") == one.at("machines"));
        CHECK(check_succeeds(command_words{BELLAMY_PROGRAM, "recommend", place / history, "--application", "daily"} + prices)
                  .find(words) != std::string::npos);
    }
}

TEST_CASE("no machine type is advised whose memory the heap outgrows, or that has less where no log tells the heap") {
    const temporary_directory place;
    const auto table = history_table(usual_runs(24));  // executors of 4096 MB
    write_text(place / "heap.tsv", with_column("peak_executor_heap_MB", "1500", table));
    write_text(place / "no_heap.tsv", table);
    const auto with = [&](const std::string& history, const std::string& memory) {
        return report_of(place / history, {"--price", "0.5", "--machine", "c6=0.01,cores=1,memory=" + memory});
    };
    const auto advises = [](const json& report) {
        return report.at("answers").at(0).dump().find("another machine type, c6") != std::string::npos;
    };
    CHECK(advises(with("heap.tsv", "3GB")));
    CHECK(advises(with("no_heap.tsv", "4GB")));
    const auto outgrown = with("heap.tsv", "16MB");
    CHECK_FALSE(advises(outgrown));
    CHECK(outgrown.at("applications").at(0).at("machines").at(1).at("scale_out").is_null());
    CHECK_FALSE(advises(with("no_heap.tsv", "16MB")));
    // Where runs tell the types apart, too.
    std::istringstream lines(with_column("machine_type", "m5", with_column("peak_executor_heap_MB", "1500", table)));
    std::string two_types;
    bool is_other = false;
    for (std::string line; std::getline(lines, line); is_other = !is_other)
        two_types += (is_other ? std::regex_replace(line, std::regex("\\bm5\\b"), "r5") : line) + '\n';
    write_text(place / "types.tsv", two_types);
    const auto types = with("types.tsv", "16MB");
    CHECK_FALSE(advises(types));
    for (const auto& each : types.at("applications").at(0).at("machines")) {
        CHECK(each.at("scale_out").is_null() == (each.at("machine") == "c6"));
        CHECK(each.at("advised") == (each.at("machine") != "c6"));
    }
    CHECK(page_of(place / "no_heap.tsv", place, {"--price", "0.5", "--machine", "c6=0.01,cores=1,memory=16MB"})
              .find("it has less memory than the present machine") != std::string::npos);
}

TEST_CASE("where an application is compared on none of the machine types that are given, each output says why") {
    const temporary_directory place;
    write_text(place / "two.tsv", together({with_column("machine_type", "m5", history_table(usual_runs(12), "here")),
                                            with_column("machine_type", "r5", history_table(usual_runs(12), "there"))}));
    const command_words prices{"--machine", "m5=0.1", "--machine", "r5=0.1"};
    const std::string why =
        "machine types are not compared: all runs were on m5, and none of the others given has cores or memory";
    const auto report = report_of(place / "two.tsv", prices);
    CHECK(application_of(report, "here").at("machines").empty());
    CHECK(application_of(report, "here").at("machines_not_compared").get<std::string>().starts_with(why));
    write_text(place / "three.tsv",
               together({support::read_text(place / "two.tsv"),
                         with_column("machine_type", "m5", history_table(usual_runs(12), "here, too"))}));
    const auto page = page_of(place / "three.tsv", place, prices);
    CHECK(page.find("<p class=\"dim\">Of 2 applications, " + why) != std::string::npos);
    CHECK(count_of(page, why) == 1);  // not in each section
    using support::operator+;
    const command_words recommend{BELLAMY_PROGRAM, "recommend", place / "two.tsv", "--application", "here"};
    CHECK(check_succeeds(recommend + prices).find(why) != std::string::npos);
    CHECK(json::parse(check_succeeds(recommend + prices + command_words{"--json"}))
              .at("applications")
              .at(0)
              .at("machines_not_compared")
              .get<std::string>()
              .starts_with(why));
    CHECK(page_of(place / "two.tsv", place, {"--price", "0.1"}).find("not compared") == std::string::npos);
}

TEST_CASE("where prices are given the largest saving is the one of most money, in the table and the answers") {
    const temporary_directory place;
    auto many_hours = usual_runs(24);
    for (auto& run : many_hours) run.runtime_s *= 4;
    write_text(place / "prices.tsv",
               together({with_column("machine_type", "cheap", history_table(many_hours, "many hours")),
                         with_column("machine_type", "dear", history_table(usual_runs(24), "much money"))}));
    const command_words limits{"--deadline", "2h"};
    const auto hours = report_of(place / "prices.tsv", limits);
    CHECK(hours.at("applications").at(0).at("application") == "many hours");
    using support::operator+;
    const auto prices = limits + command_words{"--machine", "cheap=0.01", "--machine", "dear=3"};
    const auto money = report_of(place / "prices.tsv", prices);
    CHECK(money.at("applications").at(0).at("application") == "much money");
    CHECK(money.at("applications").at(0).at("saved_unit_hours").get<double>() > 0);
    CHECK(money.at("answers").at(0).dump().find("at no known price") == std::string::npos);
    const auto partly = report_of(place / "prices.tsv", limits + command_words{"--machine", "dear=3"});
    CHECK(partly.at("answers").at(0).dump().find("many hours would save more hours, at no known price: ") !=
          std::string::npos);
    const auto unpriced =
        page_of(place / "prices.tsv", place, limits + command_words{"--machine", "huge=1,cores=16,memory=64GB"});
    CHECK(unpriced.find("Those that save most hours first.") != std::string::npos);
    CHECK(application_of(money, "many hours").at("saved_unit_hours").get<double>() >
          application_of(money, "much money").at("saved_unit_hours").get<double>());
    for (const std::size_t answer : {std::size_t{0}, std::size_t{1}})
        CHECK(money.at("answers").at(answer).at("answer").at(0).get<std::string>().starts_with("much money: "));
    const auto page = page_of(place / "prices.tsv", place, prices);
    CHECK(page.find("data-v=\"much money\"") < page.find("data-v=\"many hours\""));
    CHECK(page.find("<th scope=\"col\" class=\"wide\" aria-sort=\"descending\"><button type=\"button\" title=\"Sort by "
                    "it\">saves</button>") != std::string::npos);
    CHECK(page_of(place / "prices.tsv", place, limits)
              .find("aria-sort=\"descending\"><button type=\"button\" title=\"Sort by it\">hours saved</button>") !=
          std::string::npos);
}

TEST_CASE("an application that another machine type alone makes cheaper is among the savings, by its money") {
    const temporary_directory place;
    // Each at the size that costs least, "etl" in turn on a type that takes half the time at the same price.
    auto small = usual_runs(24);
    for (auto& run : small) {
        run.executors = 1;
        run.runtime_s = 520;
    }
    std::istringstream lines(history_table(small, "etl"));
    std::string text;
    std::string line;
    for (std::size_t i = 0; std::getline(lines, line); ++i) {
        if (i > 0 && (i / 3) % 2 == 1) line.replace(line.find("\t520\t"), 5, "\t260\t");
        text += line + (i == 0 ? "\tmachine_type\n" : (i / 3) % 2 == 1 ? "\tfast\n" : "\tslow\n");
    }
    write_text(place / "types.tsv", together({with_column("machine_type", "slow", history_table(small, "as it is")), text,
                                              with_column("machine_type", "slow", history_table(usual_runs(24), "size"))}));
    const command_words prices{"--machine", "fast=1", "--machine", "slow=1", "--deadline", "2h"};
    const auto report = report_of(place / "types.tsv", prices);
    CHECK(application_of(report, "etl").at("saved_unit_hours") == 0);
    CHECK(report.at("applications").at(0).at("application") == "etl");
    CHECK(report.at("applications").at(2).at("application") == "as it is");
    const auto page = page_of(place / "types.tsv", place, prices);
    for (const std::string name : {"etl", "size", "as it is"}) {
        CAPTURE(name);
        const auto row = page.rfind("<tr data-is=\"", page.find("data-v=\"" + name + "\""));
        const auto flags = page.substr(row, page.find('>', row) - row);
        CHECK((flags.find(" saves") != std::string::npos || flags.find("\"saves") != std::string::npos) ==
              (name != "as it is"));
    }
    CHECK(page.find("Those that save most money first, by another size or by another machine type.") != std::string::npos);
}

namespace {

// Relative luminance of a colour such as #1b1d1f or #fff, as WCAG 2 defines it.
double luminance(std::string colour) {
    if (colour.size() == 4) colour = {'#', colour[1], colour[1], colour[2], colour[2], colour[3], colour[3]};
    double sum = 0;
    const double weights[] = {0.2126, 0.7152, 0.0722};
    for (std::size_t i = 0; i < 3; ++i) {
        const double value = std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
        sum += weights[i] * (value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4));
    }
    return sum;
}

double contrast(const std::string& a, const std::string& b) {
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

}  // namespace

TEST_CASE("colours of a page can be told from what is behind them, light and dark, and in print heads repeat") {
    const temporary_directory place;
    write_text(place / "fleet.tsv", fleet_table());
    const auto page = page_of(place / "fleet.tsv", place);
    const std::regex palette(":root\\{(--[^}]*)\\}");
    std::size_t palettes = 0;
    for (std::sregex_iterator each(page.begin(), page.end(), palette), end; each != end; ++each, ++palettes) {
        const auto text = (*each)[1].str();
        const auto colour = [&](const std::string& name) {
            const auto at = text.find("--" + name + ":");
            REQUIRE(at != std::string::npos);
            const auto begin = at + name.size() + 3;
            return text.substr(begin, text.find_first_of(";}", begin) - begin);
        };
        for (const std::string ink : {"text", "dim", "blue", "red", "green"}) {
            CAPTURE(ink);
            for (const std::string paper : {"back", "card"}) CHECK(contrast(colour(ink), colour(paper)) >= 4.5);
            for (const std::string band : {"wide", "near"}) CHECK(contrast(colour(ink), colour(band)) >= 3);
        }
    }
    CHECK(palettes == 2);
    // Chromium repeats the head of a table in print where it does not break, and of its buttons the text alone.
    const auto print = page.substr(page.find("@media print"), page.find("</style>") - page.find("@media print"));
    CHECK(print.find("thead,tr,") != std::string::npos);
    CHECK(print.find("thead button{display:contents;") != std::string::npos);
    CHECK(page.find("Sections that are closed on the screen are not printed.") != std::string::npos);
}

TEST_CASE("a page needs nothing beside it, and names of any text stay text") {
    const temporary_directory place;
    const std::string odd = "<script>alert('1')</script>&\"<b>";
    const std::string long_name(65536, 'x');
    auto quoted = odd;
    quoted.replace(quoted.find('"'), 1, "\"\"");  // as a table writes a quote
    auto table = together({history_table(usual_runs(6), "NAME"), history_table(usual_runs(6), long_name),
                           history_table(usual_runs(6), long_name.substr(1) + "y")});
    for (auto at = table.find("NAME"); at != std::string::npos; at = table.find("NAME"))
        table.replace(at, 4, "\"" + quoted + "\"");
    write_text(place / "odd.tsv", table);
    const auto page = page_of(place / "odd.tsv", place, {"--deadline", "300"});
    CHECK(page.find("&lt;script&gt;alert('1')&lt;/script&gt;&amp;&quot;&lt;b&gt;") != std::string::npos);
    CHECK(count_of(page, "<script>") == 1);  // our own
    CHECK(page.find("<b>") == std::string::npos);
    CHECK(page.size() < 200'000);
    for (const std::string elsewhere : {"http:", "https:", " src=", "url(", "@import"})
        CHECK_MESSAGE(page.find(elsewhere) == std::string::npos, elsewhere);
    CHECK(page.find("default-src 'none'") != std::string::npos);
    std::set<std::string> ids;
    const std::regex id(" id=\"([^\"]*)\"");
    for (std::sregex_iterator each(page.begin(), page.end(), id), end; each != end; ++each)
        CHECK_MESSAGE(ids.insert((*each)[1]).second, (*each)[1].str());
    CHECK(count_of(page, "<svg role=\"img\"") == count_of(page, "<desc>"));
    CHECK(count_of(page, "<svg role=\"img\"") == 1 + 2 * 3);
}

TEST_CASE("metrics are in Prometheus' text format: each sample once, below its family's type, with the report's figures") {
    const temporary_directory place;
    write_text(place / "fleet.tsv", together({fleet_table(), history_table(usual_runs(4), "a\\b")}));
    const command_words limits{"--deadline", "200"};
    using support::operator+;
    const auto printed =
        check_succeeds(command_words{BELLAMY_PROGRAM, "report", place / "fleet.tsv", "--format", "prometheus"} + limits);
    const auto report = report_of(place / "fleet.tsv", limits);
    std::set<std::string> samples;
    std::string family;
    std::istringstream lines(printed);
    double saved = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("# TYPE ")) family = line.substr(7, line.find(' ', 7) - 7);
        if (line.starts_with('#')) continue;
        const auto end = line.rfind(' ');
        CHECK_MESSAGE(samples.insert(line.substr(0, end)).second, line);
        CHECK(line.substr(0, line.find_first_of("{ ")) == family);
        if (family == "bellamy_saved_unit_seconds") saved += std::max(0.0, std::stod(line.substr(end))) / 3600;
    }
    CHECK(saved == doctest::Approx(report.at("proposals").at("saved_unit_hours").get<double>()));
    CHECK(printed.find("bellamy_runs{application=\"orders\"} 12\n") != std::string::npos);
    CHECK(printed.find("bellamy_runs{application=\"a\\\\b\"} 4\n") != std::string::npos);
    CHECK(printed.find("bellamy_deadline_seconds{application=\"small\"} 200\n") != std::string::npos);
    (void)check_succeeds(command_words{BELLAMY_PROGRAM, "report", place / "fleet.tsv", "--format", "prometheus", "--out",
                                       place / "bellamy.prom"} +
                         limits);
    CHECK(support::read_text(place / "bellamy.prom") == printed);
}

TEST_CASE("cells of money, changes and warnings are those of the JSON, and a section has settings, heap and trends") {
    const temporary_directory place;
    const auto table = with_column("peak_executor_heap_MB", "1500", fleet_table());
    write_text(place / "fleet.tsv", table);
    const command_words asked{"--deadline", "700", "--price", "$0.5/h", "--backtest", "--days", "10"};
    const auto report = report_of(place / "fleet.tsv", asked);
    const auto page = page_of(place / "fleet.tsv", place, asked);
    bool any_change = false;
    std::size_t proposals = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto& one = report.at("applications").at(i);
        const auto cells = cells_of(page, one.at("application"));
        CAPTURE(one.at("application"));
        CHECK(std::stod(cells.at(3)) == doctest::Approx(one.at("period").at("money").get<double>()).epsilon(1e-4));
        const bool changes = one.at("present").at("scale_out") != one.at("proposed").at("scale_out");
        CHECK(cells.at(6).empty() == !changes);
        if (changes) CHECK(std::stod(cells.at(6)) == doctest::Approx(one.at("saved_money").get<double>()).epsilon(1e-4));
        CHECK(cells.at(13).empty() == one.at("change_factor").is_null());
        if (!cells.at(13).empty())
            CHECK(std::stod(cells.at(13)) == doctest::Approx(one.at("change_factor").get<double>()).epsilon(1e-4));
        any_change = any_change || !cells.at(13).empty();
        CHECK(std::stoul(cells.at(15)) == one.at("warnings").size());
        const auto begin = page.find(fmt::format("<details id=\"a{}\"", i + 1));
        const auto section = page.substr(begin, page.find("</details>", begin) - begin);
        const auto instances = fmt::format("spark.executor.instances {}\n", one.at("proposed").at("scale_out").get<int>());
        CHECK_MESSAGE(section.find(instances) != std::string::npos, section);
        CHECK(section.find("<dt>largest heap</dt><dd>1") != std::string::npos);
        proposals += changes ? 1 : 0;
    }
    CHECK(any_change);
    CHECK(proposals > 0);
    const auto changed = report.at("answers").at(3).dump();
    for (const std::string trend : {"Hours: ", "Median error of predictions: "})
        CHECK_MESSAGE(changed.find(trend) != std::string::npos, trend);
}

TEST_CASE("metrics have the hours and money of failed runs, the money saved, late runs and errors, as JSON has them") {
    const temporary_directory place;
    std::istringstream lines(fleet_table());
    std::string text;
    std::string line;
    for (std::size_t i = 0; std::getline(lines, line); ++i)
        text += line + (i == 0 ? "\tmachine_type\n" : (i - 1) % 12 < 6 ? "\tfast\n" : "\tslow\n");
    write_text(place / "fleet.tsv", text);
    const command_words asked{"--deadline", "700", "--machine", "fast=$0.01", "--machine", "slow=$1", "--backtest"};
    using support::operator+;
    const auto metrics =
        check_succeeds(command_words{BELLAMY_PROGRAM, "report", place / "fleet.tsv", "--format", "prometheus"} + asked);
    const auto value_of = [&](const std::string& sample) {
        const auto at = metrics.find("\nbellamy_" + sample + " ");
        CHECK_MESSAGE(at != std::string::npos, sample);
        return at == std::string::npos ? std::nan("") : std::stod(metrics.substr(at + 10 + sample.size()));
    };
    std::size_t cheaper = 0;
    const auto report = report_of(place / "fleet.tsv", asked);
    for (const auto& one : report.at("applications")) {
        const auto label = fmt::format("application=\"{}\"", one.at("application").get<std::string>());
        const auto agrees = [&](const std::string& sample, const json& figure) {
            CHECK_MESSAGE(value_of(sample) == doctest::Approx(figure.get<double>()).epsilon(1e-6), sample);
        };
        const auto in_unit = "{" + label + ",unit=\"executor\"}";
        CHECK(value_of("unsuccessful_unit_seconds" + in_unit) / 3600 ==
              doctest::Approx(one.at("period").at("unsuccessful_unit_hours").get<double>()));
        CHECK(value_of("older_attempt_unit_seconds" + in_unit) == 0);
        const auto in_money = "{" + label + ",currency=\"$\"}";
        agrees("cost" + in_money, one.at("period").at("money"));
        agrees("saved_cost" + in_money, one.at("saved_money"));
        const double failed = value_of("unsuccessful_cost" + in_money);
        CHECK((failed > 0) == (one.at("application") == "small"));
        agrees("late_runs{" + label + "}", one.at("late_runs").at("late"));
        agrees("judged_runs{" + label + "}", one.at("late_runs").at("runs"));
        for (const std::string method : {"bellamy", "ernest", "last_run"})
            agrees("prediction_error{" + label + ",method=\"" + method + "\"}",
                   one.at("backtest").at("median_error").at(method));
        if (metrics.find("bellamy_machine_saved_cost{" + label + ",currency=\"$\",machine=\"fast\"}") != std::string::npos)
            ++cheaper;
    }
    CHECK(cheaper > 0);
}

TEST_CASE("a report takes one run, many applications of one run, and runs without start times") {
    const temporary_directory place;
    write_text(place / "one.tsv", history_table({{.executors = 4, .runtime_s = 100}}));
    CHECK(report_of(place / "one.tsv").at("period").at("runs") == 1);
    CHECK(page_of(place / "one.tsv", place).find("1 run in the period") != std::string::npos);
    std::vector<std::string> tables;
    for (int i = 0; i < 40; ++i)
        tables.push_back(history_table({{.executors = 1 + i % 5, .runtime_s = 100.0 + i}}, fmt::format("single {}", i)));
    write_text(place / "many.tsv", together(tables));
    const auto many = run_program({BELLAMY_PROGRAM, "report", place / "many.tsv", "--json"});
    CHECK(json::parse(many.out).at("applications").size() == 40);
    CHECK(many.err.find("40 that begin with \"single\" have one run each") != std::string::npos);
    write_text(place / "untimed.csv", "application,runtime_s,executors\nreport,100,4\nreport,60,8\n");
    const auto untimed = report_of(place / "untimed.csv");
    CHECK(untimed.at("from_s").is_null());
    CHECK(untimed.at("period").at("runs") == 2);
    CHECK(page_of(place / "untimed.csv", place).find("no start times") != std::string::npos);
}

TEST_CASE("each question has an answer, and nothing is said to be unchanged that too few runs tell") {
    const temporary_directory place;
    const auto one = history_table({{.executors = 4, .runtime_s = 100}}, "once");
    auto failed = usual_runs(1);
    failed[0].outcome = "failed";
    write_text(place / "one.tsv", one);
    auto all_failed = usual_runs(50);
    for (auto& run : all_failed) run.outcome = "failed";
    write_text(place / "failed.tsv", history_table(failed));
    write_text(place / "all_failed.tsv", history_table(all_failed));
    write_text(place / "usual.tsv", history_table(usual_runs(12)));
    write_text(place / "mixed.tsv", together({history_table(usual_runs(12)), one}));
    for (const std::string history : {"one.tsv", "failed.tsv", "all_failed.tsv", "usual.tsv", "mixed.tsv"})
        for (const auto& each : report_of(place / history, {"--least-saving", "0.9"}).at("answers"))
            CHECK_MESSAGE(!each.at("answer").empty(), history, ": ", each.at("question").get<std::string>());
    const auto changes = [&](const std::string& history) { return report_of(place / history).at("answers").at(3).dump(); };
    CHECK(changes("one.tsv").find("Not known: too few runs") != std::string::npos);
    CHECK(changes("one.tsv").find("Nothing") == std::string::npos);
    for (const std::string history : {"failed.tsv", "all_failed.tsv"}) {
        const auto text = changes(history);
        CHECK(text.find("Not known of 1 application without a run that succeeded") != std::string::npos);
        for (const std::string part : {"too few", "explain", "Nothing", "what the runs before"})
            CHECK_MESSAGE(text.find(part) == std::string::npos, text);
    }
    CHECK(changes("mixed.tsv").find("explain all runtimes of 1 application.") != std::string::npos);
    CHECK(changes("mixed.tsv").find("1 application has too few runs to compare") != std::string::npos);
    CHECK(changes("usual.tsv").find("explain all runtimes.") != std::string::npos);
    CHECK(changes("usual.tsv").find("too few") == std::string::npos);
}

TEST_CASE("odds stand beside each saving, marked where nobody stated a deadline, and so does what --backtest would add") {
    const temporary_directory place;
    auto runs = usual_runs(24);
    for (auto& run : runs) run.runtime_s *= 300 / (20 + 1000.0 / run.executors);  // at any size as long
    write_text(place / "two.tsv", together({history_table(runs, "one"), history_table(runs, "two")}));
    const auto report = report_of(place / "two.tsv");
    const auto page = page_of(place / "two.tsv", place);
    for (const auto& one : report.at("applications")) {
        REQUIRE(one.at("saved_unit_hours").get<double>() > 0);
        const auto cells = cells_of(page, one.at("application"));
        CHECK(std::stod(cells.at(7)) == doctest::Approx(one.at("present").at("probability").get<double>()).epsilon(1e-4));
        CHECK(std::stod(cells.at(8)) == doctest::Approx(one.at("proposed").at("probability").get<double>()).epsilon(1e-4));
    }
    CHECK(count_of(page, " % *</td>") == 4);
    CHECK(page.find("with * nobody stated a deadline") != std::string::npos);
    CHECK(report.at("answers").at(1).dump().find("Of 2 proposals that save, the least probable is that for ") !=
          std::string::npos);
    CHECK(count_of(page, "not made: report --backtest") == 2);
    CHECK(page.find("With --backtest, the error of predictions") != std::string::npos);
    const auto tested = page_of(place / "two.tsv", place, {"--backtest", "--deadline", "10m"});
    CHECK(tested.find("--backtest") == std::string::npos);
    CHECK(tested.find(" % *</td>") == std::string::npos);
    CHECK(tested.find("with * nobody stated a deadline") == std::string::npos);
}

TEST_CASE("the section of an application has what its row hides on narrow screens, and how long it has had its size") {
    const temporary_directory place;
    auto runs = usual_runs(24);
    for (std::size_t i = 17; i < 24; ++i) {
        runs[i].runtime_s *= (20 + 1000.0 / 8) / (20 + 1000.0 / runs[i].executors);
        runs[i].executors = 8;
    }
    runs[2].outcome = "failed";
    write_text(place / "daily.tsv", history_table(runs));
    const command_words limits{"--deadline", "2h", "--price", "$0.5/h"};
    const auto one = report_of(place / "daily.tsv", limits).at("applications").at(0);
    REQUIRE(one.at("saved_unit_hours").get<double>() > 0);
    const auto page = page_of(place / "daily.tsv", place, limits);
    const auto section = page.substr(page.find("<details id=\"a1\""));
    const auto& period = one.at("period");
    const auto has = [&](const std::string& words) { CHECK_MESSAGE(section.find(words) != std::string::npos, words); };
    has(fmt::format("24 runs in the period: {:.2f} executor-hours (${:.2f})", period.at("unit_hours").get<double>(),
                    period.at("money").get<double>()));
    has(fmt::format(", of which 1 run that did not succeed took {:.2f} executor-hours",
                    period.at("unsuccessful_unit_hours").get<double>()));
    has(fmt::format("<dt>in as many runs</dt><dd>saves {:.2f} executor-hours (${:.2f}), {:.1f} %</dd>",
                    one.at("saved_unit_hours").get<double>(), one.at("saved_money").get<double>(),
                    100 * one.at("saving").get<double>()));
    has("<dt>size of the last run</dt><dd>8 x 1 core, 4096 MB, for 7 runs in a row</dd>");
}

TEST_CASE("what a report cannot be made of, or cannot be written to, is an error, and nothing stays half-written") {
    const temporary_directory place;
    const auto report = [&](const command_words& more) {
        using support::operator+;
        return run_program(command_words{BELLAMY_PROGRAM, "report"} + more);
    };
    check_refused(report({place / "none.tsv"}), "cannot_read");
    write_text(place / "empty.tsv", history_table({}));
    check_refused(report({place / "empty.tsv"}), "no_runs");
    write_text(place / "fleet.tsv", history_table(usual_runs(4)));
    check_wrong_usage(report({place / "fleet.tsv", "--price", "0"}), {"expected a number > 0"});
    check_refused(report({place / "fleet.tsv", "--html", place / "no folder/page.html"}), "cannot_write");
    check_refused(report({place / "fleet.tsv", "--html", place / "fleet.tsv"}), "output_is_input");
    write_text(place / "page.html", "before");
    write_text(place / "nobody.csv", "application,deadline\nnobody,10m\n");
    check_refused(report({place / "fleet.tsv", "--html", place / "page.html", "--deadlines", place / "nobody.csv"}),
                  "no_deadline_applies", {"nobody"});
    write_text(place / "nobody.csv", "application,deadline\n");
    check_refused(report({place / "fleet.tsv", "--deadlines", place / "nobody.csv"}), "no_deadline_applies",
                  {"found no row in "});
    CHECK(support::read_text(place / "page.html") == "before");
    CHECK(std::distance(std::filesystem::directory_iterator(place / ""), {}) == 4);
}

TEST_CASE("a redacted report shows no name, id or reason, and the same pseudonym for the same name next time") {
    const temporary_directory place;
    auto secret = usual_runs(6);
    secret[5].outcome = "failed";  // a warning names the run
    const auto own = history_table(secret, "payroll");
    write_text(place / "first.tsv", own);
    write_text(place / "next.tsv", together({history_table(usual_runs(6), "audit"), own}));
    const command_words redacted{"--redact", place / "names.json"};
    const auto first = report_of(place / "first.tsv", redacted);
    using std::filesystem::perms;
    CHECK(std::filesystem::status(place / "names.json").permissions() == (perms::owner_read | perms::owner_write));
    CHECK(first.at("applications").at(0).at("application") == "application-1");
    CHECK(support::warns_of(first.at("applications").at(0), "the last run, number 6, failed"));
    const auto next = report_of(place / "next.tsv", redacted);
    CHECK(application_of(next, "application-1").at("warnings") == first.at("applications").at(0).at("warnings"));
    CHECK(application_of(next, "application-2").at("runs") == 6);
    const auto page = page_of(place / "next.tsv", place, redacted);
    using support::operator+;
    const auto metrics =
        check_succeeds(command_words{BELLAMY_PROGRAM, "report", place / "next.tsv", "--format", "prometheus"} + redacted);
    for (const auto& text : {next.dump(), page, metrics})
        for (const std::string name : {"payroll", "audit", "r5"}) CHECK_MESSAGE(text.find(name) == std::string::npos, name);
    // Figures do not depend on it.
    const auto open = application_of(report_of(place / "next.tsv"), "payroll");
    CHECK(application_of(next, "application-1").at("present") == open.at("present"));
    write_text(place / "names.json", "{\"payroll\": \"application-1\", \"audit\": \"application-1\"}");
    check_refused(run_program(command_words{BELLAMY_PROGRAM, "report", place / "next.tsv"} + redacted),
                  "invalid_pseudonyms");
}
