// What a history answers: a back-test that looks back only, and a size for the next run of every application.
#include <filesystem>

#include "support/made_up_log.hpp"
#include "support/run_program.hpp"

using support::check_refused;
using support::check_succeeds;
using support::made_up_log;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::write_text;

namespace {

// A day between runs; 48 tasks of a second each, more or fewer executors.
void write_history(const temporary_directory& place) {
    std::filesystem::create_directory(place / "logs");
    for (int i = 0; i < 8; ++i)
        write_text(place / fmt::format("logs/report-{}", i), made_up_log{.name = fmt::format("report 2026-01-0{}", i + 1),
                                                                         .id = fmt::format("app-{}", i),
                                                                         .start = support::log_start + 86'400'000LL * i,
                                                                         .executors = 2 + 2 * (i % 4),
                                                                         .tasks = 48}
                                                                 .text());
    write_text(place / "logs/once", made_up_log{.name = "once & <only>", .id = "app-once"}.text());
}

// The line that begins so.
std::string line_of(const std::string& text, const std::string& start) {
    const auto at = ("\n" + text).find("\n" + start);
    REQUIRE(at != std::string::npos);
    return text.substr(at, text.find('\n', at) - at);
}

}  // namespace

TEST_CASE("the back-test predicts every run but the first of an application, and its page stands alone") {
    const temporary_directory place;
    write_history(place);
    const auto out = check_succeeds({BELLAMY_BACKTEST, place / "logs", "--html", place / "page.html"});
    CHECK(line_of(out, "report ").find("8         7") != std::string::npos);
    CHECK(line_of(out, "once & <only>").find("1         0") != std::string::npos);
    const auto page = read_text(place / "page.html");
    CHECK(page.find("once &amp; &lt;only&gt;") != std::string::npos);
    CHECK(page.find("<svg") != std::string::npos);
    for (const auto* elsewhere : {"http", "src=", "href=", "url("}) CHECK(page.find(elsewhere) == std::string::npos);

    // From the table and the traces that the importer makes of the logs, the same.
    (void)check_succeeds(
        {BELLAMY_IMPORT_LOGS, place / "logs", "--table", place / "t.tsv", "--traces", place / "t.jsonl.zst"});
    CHECK(check_succeeds({BELLAMY_BACKTEST, place / "t.tsv"}) == out);
    CHECK(check_succeeds({BELLAMY_BACKTEST, place / "t.jsonl.zst"}) == out);
}

TEST_CASE("every application gets a size, those with one run too, and a shorter deadline a larger one") {
    const temporary_directory place;
    write_history(place);
    const auto calm = check_succeeds({BELLAMY_RECOMMEND, place / "logs"});
    CHECK(line_of(calm, "once & <only>").find("%") != std::string::npos);
    // 48 tasks of a second: 25 s and more on two executors, 13 s on four, 7 s on eight.
    const auto proposed = [&](const std::string& deadline) {
        const auto out = check_succeeds(
            {BELLAMY_RECOMMEND, place / "logs", "--application", "report", "--deadline", deadline, "--probability", "0.8"});
        const auto chosen = out.find("chosen");
        REQUIRE(chosen != std::string::npos);
        return std::stoi(out.substr(out.rfind('\n', chosen) + 1));
    };
    CHECK(proposed("30") == 2);
    CHECK(proposed("11") > 4);
    check_refused(run_program({BELLAMY_RECOMMEND, place / "logs", "--application", "nobody"}), "unknown_application");
    write_text(place / "other.csv", "a,b\n1,2\n");
    check_refused(run_program({BELLAMY_RECOMMEND, place / "other.csv"}), "unknown_layout");
}
