// The picture that allocate draws through gnuplot.
#include "support/made_up_table.hpp"

using support::check_refused;
using support::check_succeeds;
using support::contains;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::write_text;

namespace {

using words = std::vector<std::string>;
using support::operator+;

bool has_gnuplot() {
    if (run_program({"/bin/sh", "-c", "command -v gnuplot"}).exit_code == 0) return true;
    MESSAGE("skipped: no gnuplot here (Debian: apt-get install gnuplot-nox)");
    return false;
}

// A model of best mode of the made-up table, and a job for it.
words job(const temporary_directory& place) {
    write_text(place / "sort.tsv", support::c3o_table());
    check_succeeds({BELLAMY_PROGRAM, "pretrain", "--c3o", place / "sort.tsv", "--out", place / "sort.bellamy"});
    words command{BELLAMY_PROGRAM, "allocate", "--model", place / "sort.bellamy"};
    for (const std::string property : {"job_args=", "data_size_MB=16000", "data_characteristics=100 1000",
                                       "environment=public cloud aws emr", "job_type=sort-spark", "memory=16000", "slots=4"})
        command = command + words{"--property", property};
    return command;
}
const words one_machine{"--property", "machine_type=m4.xlarge"};

}  // namespace

TEST_CASE("the picture names its axes with units, and its legend what is drawn") {
    if (!has_gnuplot()) return;
    const temporary_directory place;
    const auto plot = place / "curve.svg";
    check_succeeds(job(place) + one_machine + words{"--deadline", "500", "--observe", "4=99", "--plot", plot});
    const auto svg = read_text(plot);
    CHECK(svg.starts_with("<?xml"));
    CHECK(svg.ends_with("</svg>\n\n"));
    for (const std::string text : {"runtime (s)", "scale-out (nodes)", "90 % of runs", "50 % of runs", "median",
                                   "deadline: 500 s", "observed run", "choice: ", "sort on m4.xlarge: the model and 1 run"})
        CHECK_MESSAGE(contains(svg, text), text);
    CHECK(!contains(svg, "outside the scale-outs seen"));
    CHECK(!contains(svg, "measured"));
    CHECK(place.listing().find(".partial") == std::string::npos);
}

TEST_CASE("the axis is in seconds as the table is, and what was never seen is marked") {
    if (!has_gnuplot()) return;
    const temporary_directory place;
    const auto plot = place / "curve.svg";
    check_succeeds(job(place) + one_machine +
                   words{"--deadline", "1800", "--observe", "2=3000", "--range", "2:20", "--plot", plot});
    const auto svg = read_text(plot);
    CHECK(contains(svg, "runtime (s)"));
    CHECK(contains(svg, "deadline: 1800 s"));
    CHECK(contains(svg, "outside the scale-outs seen"));
}

TEST_CASE("kinds of machine are curves of one panel with their prices, and any name can be drawn") {
    if (!has_gnuplot()) return;
    const temporary_directory place;
    const auto plot = place / "curve.svg";
    check_succeeds(job(place) + words{"--machine", "m4.xlarge=0.2", "--machine", "it's <a> & `b`_{c}=0.3", "--deadline",
                                      "500", "--plot", plot});
    const auto svg = read_text(plot);
    CHECK(contains(svg, "median, m4.xlarge: the model alone, 0.2 per node and hour"));
    CHECK(contains(svg, "median, it's &lt;a> &amp; `b`_{c}: the model, unlike its runs, 0.3 per node and hour"));
    const auto axis = svg.find("scale-out (nodes)");
    CHECK(axis != svg.npos);
    CHECK(svg.find("scale-out (nodes)", axis + 1) == svg.npos);
}

TEST_CASE("the picture is well-formed XML whatever the algorithm is called") {
    if (!has_gnuplot()) return;
    const temporary_directory place;
    const auto plot = place / "curve.svg";
    const auto command = job(place);
    check_succeeds({BELLAMY_PROGRAM, "pretrain", "--c3o", place / "sort.tsv", "--out", place / "sort.bellamy", "--folds",
                    "0", "--algorithm", "so\x1b[1m\x07rt\n<b>"});
    check_succeeds(command + one_machine + words{"--deadline", "500", "--plot", plot});
    const auto svg = read_text(plot);
    CHECK(contains(svg, "<title>Runtime of so [1m rt &lt;b&gt; over its scale-out, deadline: 500 s</title>"));
    for (const char* control : {"\x1b", "\x07"}) CHECK(!contains(svg, control));
}

TEST_CASE("what is extrapolated in two ways is said in one clause") {
    const temporary_directory place;
    auto command = job(place);
    for (auto& word : command)
        if (word == "data_size_MB=16000") word = "data_size_MB=900000";
    const auto printed = check_succeeds(command + one_machine + words{"--deadline", "1e9", "--scale-outs", "20"});
    CHECK(contains(printed,
                   "; but that extrapolates, since only scale-outs 2 to 12 were seen and its data size, or the data for "
                   "its memory, lies outside what was seen"));
    const auto at = printed.find("extrapolates");
    CHECK(printed.find("extrapolates", at + 1) == printed.npos);
}

TEST_CASE("the picture has a title and a text for those who cannot see it, and the choice its numbers") {
    if (!has_gnuplot()) return;
    const temporary_directory place;
    const auto plot = place / "curve.svg";
    check_succeeds(job(place) + one_machine +
                   words{"--deadline", "200", "--price", "1", "--observe", "4=99", "--plot", plot});
    const auto svg = read_text(plot);
    CHECK(contains(svg, "<title>Runtime of sort over its scale-out, deadline: 200 s</title>"));
    CHECK(contains(svg, "aria-label=\"Runtime of sort over its scale-out, deadline: 200 s\""));
    const auto from = svg.find("<desc>");
    const auto text = svg.substr(from, svg.find("</desc>") - from);
    CHECK(contains(text, "Median runtime in seconds for 2 to 12 nodes"));
    for (const std::string part : {"choice: ", "median ", "p90 ", "% in time", "cost "}) {
        CHECK_MESSAGE(contains(text, part), part);
        CHECK_MESSAGE(contains(svg.substr(svg.find("</desc>")), part), part);
    }
}

TEST_CASE("a network without observed runs, a single candidate and a goal without a deadline are drawn as well") {
    if (!has_gnuplot()) return;
    const temporary_directory place;
    support::make_model(place);
    const auto plot = place / "curve.svg";
    check_succeeds(support::sort_job(place / "sort.bellamy") +
                   words{"--scale-outs", "4", "--goal", "least-cost", "--price", "1", "--plot", plot});
    const auto svg = read_text(plot);
    CHECK(contains(svg, "median"));
    CHECK(contains(svg, "choice: 4 nodes"));
    CHECK(!contains(svg, "of runs"));  // a network has no bands
    CHECK(!contains(svg, "deadline"));
}

TEST_CASE("without gnuplot the answer is printed, the message says what to install, and the old picture stays") {
    const temporary_directory place;
    const auto plot = place / "curve.svg";
    write_text(plot, "old");
    const auto command = job(place) + one_machine + words{"--deadline", "100", "--plot", plot};
    const auto finished = run_program(words{"/usr/bin/env", "PATH="} + command);
    check_refused(finished, "missing_program", {"gnuplot", "gnuplot-nox"});
    CHECK(contains(finished.out, "No candidate meets ") != contains(finished.out, "Choose "));
    CHECK(read_text(plot) == "old");
    CHECK(place.listing().find(".partial") == std::string::npos);
}

TEST_CASE("a gnuplot that fails leaves the old picture, and its complaint is shown") {
    const temporary_directory place;
    const auto plot = place / "curve.svg";
    write_text(plot, "old");
    write_text(place / "gnuplot", "#!/bin/sh\necho half a picture\necho broken today >&2\nexit 3\n");
    std::filesystem::permissions(place / "gnuplot", std::filesystem::perms::owner_all);
    const auto command = job(place) + one_machine + words{"--deadline", "100", "--plot", plot};
    check_refused(run_program(words{"/usr/bin/env", "PATH=" + place / ""} + command), "program_failed", {"broken today"});
    CHECK(read_text(plot) == "old");
}

TEST_CASE("a picture that cannot be written is refused before any work") {
    const temporary_directory place;
    const auto finished =
        run_program(job(place) + one_machine + words{"--deadline", "100", "--plot", place / "none/curve.svg"});
    check_refused(finished, "cannot_write", {place / "none/curve.svg"});
    CHECK(finished.out == "");
}
