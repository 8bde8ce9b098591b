// The program `bellamy` around its commands: help, names, options of other commands, completion, and what to do next.
#include <filesystem>
#include <sstream>

#include "support/made_up_log.hpp"
#include "support/made_up_table.hpp"

using support::check_succeeds;
using support::check_wrong_usage;
using support::run_program;
using support::temporary_directory;
using support::write_text;
using words = std::vector<std::string>;

namespace {

const std::vector<std::string> command_names{"import",  "backtest", "recommend", "report",   "pretrain",
                                             "inspect", "allocate", "explore",   "forecast", "place"};

void check_fits_a_screen(const std::string& text, std::size_t most_lines) {
    std::istringstream lines(text);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) CHECK_MESSAGE(line.size() <= 80, line);
    CHECK_MESSAGE(count <= most_lines, text);
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// What is said then on standard error.
std::string check_finds_nothing(const std::string& path) {
    const auto finished = run_program({BELLAMY_PROGRAM, path});
    CAPTURE(finished.command);
    CHECK(finished.exit_code == 1);
    CHECK(finished.out == "");
    CHECK_MESSAGE(mentions(finished.err, "No event logs, history or model found"), finished.err);
    return finished.err;
}

}  // namespace

TEST_CASE("the program's help fits a screen and names every command and where to go on") {
    const auto help = check_succeeds({BELLAMY_PROGRAM, "--help"});
    check_fits_a_screen(help, 24);
    for (const auto& name : command_names) CHECK_MESSAGE(mentions(help, "\n  " + name + " "), name);
    for (const std::string part : {"COMMAND --help", "--version", "completion", "10m", "32GB", "Exit codes", "README"})
        CHECK_MESSAGE(mentions(help, part), part);
    for (const std::string word : {"-h", "help"}) CHECK(check_succeeds({BELLAMY_PROGRAM, word}) == help);
    for (const std::string option : {"--help", "-h", "--help-all"})
        CHECK(check_succeeds({BELLAMY_PROGRAM, "help", option}) == help);
    const auto version = check_succeeds({BELLAMY_PROGRAM, "--version"});
    CHECK(version.starts_with("bellamy 0."));
    CHECK(help.starts_with(version.substr(0, version.size() - 1) + ":"));
}

TEST_CASE("each command's help shows the options used most, and all of them by --help-all") {
    for (const auto& name : command_names) {
        CAPTURE(name);
        const auto help = check_succeeds({BELLAMY_PROGRAM, name, "--help"});
        check_fits_a_screen(help, 24);
        CHECK(mentions(help, "Usage: bellamy " + name));
        const auto all = check_succeeds({BELLAMY_PROGRAM, name, "--help-all"});
        check_fits_a_screen(all, 200);
        CHECK(all.size() >= help.size());
        CHECK(mentions(all, "--json"));
        CHECK(check_succeeds({BELLAMY_PROGRAM, "help", name}) == help);
        CHECK(check_succeeds({BELLAMY_PROGRAM, "help", name, "--help-all"}) == all);
        CHECK(check_succeeds({BELLAMY_PROGRAM, "help", "--help-all", name}) == all);
        if (name != "inspect") CHECK(mentions(help, "All options: bellamy " + name + " --help-all"));
    }
}

TEST_CASE("the help of recommend says all that its exit code 4 stands for") {
    const auto help = check_succeeds({BELLAMY_PROGRAM, "recommend", "--help-all"});
    const auto code = help.find("4 where nothing is proposed for --application");
    REQUIRE(code != std::string::npos);
    for (const std::string why : {"no size meets", "no run\nsucceeded", "--ledger stops"})
        CHECK_MESSAGE(help.find(why, code) != std::string::npos, why);
}

TEST_CASE("a command that there is not is answered with the nearest, and an old program's name with the new one") {
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "recomend"}), {"\"recomend\"", "did you mean bellamy recommend?"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "back"}), {"did you mean bellamy backtest?"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "import_logs", "logs"}), {"its new name is bellamy import"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "bellamy-allocate"}), {"its new name is bellamy allocate"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "pretrain_mpi"}), {"a program of its own"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "RECOMMEND"}), {"did you mean bellamy recommend?"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "zzz"}), {"unknown command \"zzz\""});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, ""}), {"unknown command \"\""});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "help", "zzz"}), {"zzz"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "help", "--zzz"}), {"unknown option --zzz"});
    support::check_refused(run_program({BELLAMY_PROGRAM, "/no/such/folder"}), "cannot_read",
                           {"a file or folder", "nothing at /no/such/folder"});
    support::check_refused(run_program({BELLAMY_PROGRAM, "no-such-history.csv"}), "cannot_read",
                           {"a file or folder", "nothing at no-such-history.csv"});
}

TEST_CASE("a number and its unit that are two words are answered with the one word") {
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "recommend", "history", "--deadline", "10", "minutes"}),
                      {"as one word, such as 10m", "\"minutes\" by itself"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "recommend", "history", "--data-size", "32", "GB"}),
                      {"as one word", "\"GB\" by itself"});
}

TEST_CASE("logs are found by what they hold where their names tell nothing, and other files are not taken for logs") {
    const temporary_directory place;
    for (const std::string folder : {"compressed", "others"}) std::filesystem::create_directory(place / folder);
    const auto pack = [&](const std::string& text, const std::string& into) {
        write_text(place / "text", text);
        check_succeeds({"/bin/sh", "-c", "gzip < \"$1\" > \"$2\"", "sh", place / "text", place / into});
    };
    pack(support::made_up_log{}.text(), "compressed/daily");
    CHECK(mentions(check_succeeds({BELLAMY_PROGRAM, place / "compressed"}), "Logs of Spark or Flink in"));
    write_text(place / "others/local-extract", "a text");
    write_text(place / "others/archive.tar.gz", "\x1F\x8B and more");
    write_text(place / "others/damaged", "\x28\xB5\x2F\xFD and more");
    pack("a text of several\nlines", "others/notes.txt.gz");
    write_text(place / "others/ledger.jsonl", "{\"proposed_at_s\": 1}\n");
    check_finds_nothing(place / "others");
    check_finds_nothing(place / "others/local-extract");
    check_finds_nothing(place / "others/notes.txt.gz");
}

TEST_CASE("an option that a command has not is answered with the nearest, or with the command that has it") {
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "recommend", "history", "--dedline", "600"}),
                      {"unknown option --dedline; did you mean --deadline?"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "recommend", "history", "--html=page.html"}),
                      {"--html is an option of bellamy backtest, bellamy report, not of bellamy recommend"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "import", "--html", "page.html"}), {"bellamy backtest"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "--traces", "t.jsonl"}), {"--traces is an option of bellamy import"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "--zzz"}), {"unknown option --zzz"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "--hlep"}), {"unknown option --hlep; did you mean --help?"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "--verison"}), {"did you mean --version?"});
    for (const std::string print : {"--print-sites", "--print-jobs", "--print-arrivals", "--print-prices"})
        check_wrong_usage(run_program({BELLAMY_PROGRAM, "place", "--json", print}), {"--json", print});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "inspect", "model", "--zzz"}), {"unknown option --zzz"});
}

TEST_CASE("the program alone, or with a path, says what to do next with what is there") {
    const temporary_directory place;
    const auto here = [&](const std::string& folder) {
        return check_succeeds({"/bin/sh", "-c", "cd \"$1\" && \"$2\"", "sh", place / folder, BELLAMY_PROGRAM});
    };
    CHECK(mentions(here(""), "Usage: bellamy COMMAND"));
    CHECK(mentions(here(""), "No event logs, history or model found"));
    std::filesystem::create_directory(place / "spark logs");
    write_text(place / "spark logs/one", support::made_up_log{}.text());
    CHECK(mentions(here(""), "bellamy recommend 'spark logs' --deadline"));
    CHECK(mentions(here("spark logs"), "bellamy recommend . --deadline"));
    const auto next = [&](const std::string& path) { return check_succeeds({BELLAMY_PROGRAM, place / path}); };
    std::filesystem::create_directory(place / "spark\x01logs");
    std::filesystem::copy(place / "spark logs/one", place / "spark\x01logs/one");
    CHECK(mentions(next("spark\x01logs"), "Rename it"));
    CHECK_FALSE(mentions(next("spark\x01logs"), "bellamy recommend"));
    std::filesystem::remove_all(place / "spark\x01logs");
    CHECK(mentions(next("spark logs"), "Logs of Spark or Flink"));
    check_succeeds(
        {BELLAMY_PROGRAM, "import", place / "spark logs", "--table", place / "t.tsv", "--traces", place / "t.jsonl"});
    for (const std::string history : {"t.tsv", "t.jsonl"})
        CHECK(mentions(next(history), "bellamy backtest " + (place / history)));
    support::make_model(place);
    CHECK(mentions(next("sort.tsv"), "bellamy pretrain --table"));
    CHECK(mentions(next("sort.tsv"), "instance_count,machine_type"));
    CHECK(mentions(next("sort.tsv"), "If its rows are runs, rename "));
    CHECK(mentions(next("sort.bellamy"), "bellamy inspect"));
    write_text(place / "own.csv", "runtime_s;application;executors\n90;report;4\n");
    CHECK(mentions(next("own.csv"), "bellamy recommend " + (place / "own.csv")));
}

TEST_CASE("the program with a path finds what its commands read, however deep, and says of the rest what was found") {
    const temporary_directory place;
    const auto next = [](const std::string& path) { return check_succeeds({BELLAMY_PROGRAM, path}); };
    CHECK(mentions(next(BELLAMY_FLINK_ARCHIVES "/2.3.0"), "bellamy recommend " BELLAMY_FLINK_ARCHIVES "/2.3.0/"));
    for (const std::string day : {"2026/01/30", "2026/01/31", "2027/01/01"}) {
        std::filesystem::create_directories(place / ("days/" + day));
        write_text(place / ("days/" + day + "/one"), support::made_up_log{}.text());
    }
    CHECK(mentions(next(place / "days"), "bellamy recommend " + (place / "days") + " --deadline"));
    for (int cluster = 0; cluster < 1001; ++cluster) {
        const auto name = fmt::format("many/clusters/{}/eventlog", cluster);
        std::filesystem::create_directories(place / name);
    }
    CHECK(mentions(check_finds_nothing(place / "many"), "found among the first files and folders here"));
    for (int cluster = 0; cluster < 1001; ++cluster)
        write_text(place / fmt::format("many/clusters/{}/eventlog/one", cluster), "{\"Event\":\"SparkListenerLogStart\"}\n");
    CHECK(mentions(next(place / "many"), "Logs of Spark or Flink in"));
    const std::string limit = "Only the first files and folders here were looked at.\n";
    CHECK_FALSE(mentions(next(place / "many"), limit));
    CHECK_FALSE(mentions(next(place / "days"), limit));
    std::filesystem::create_directory(place / "nights");
    for (int night = 0; night < 1001; ++night)
        write_text(place / fmt::format("nights/{}.jsonl", night), "{\"format\": 1}\n");
    CHECK(mentions(next(place / "nights"), "A history of runs in"));
    CHECK(next(place / "nights").ends_with(limit));
    for (int team = 0; team < 101; ++team) std::filesystem::create_directories(place / fmt::format("teams/{}", team));
    write_text(place / "teams/0/one", support::made_up_log{}.text());
    CHECK(next(place / "teams").ends_with(limit));
    std::filesystem::remove(place / "teams/100");
    CHECK_FALSE(mentions(next(place / "teams"), limit));
    const std::string zip = BELLAMY_SPARK_LOGS "/server.zip";
    CHECK(mentions(next(zip), "bellamy recommend " + zip));
    CHECK(mentions(check_succeeds({BELLAMY_PROGRAM, "recommend", zip, "--deadline", "30m"}), "1800 s"));
    write_text(place / "first", support::made_up_log{.id = "first"}.text());
    write_text(place / "second", support::made_up_log{.id = "second"}.text());
    check_succeeds({BELLAMY_PROGRAM, "import", place / "first", place / "second", "--traces", place / "t.jsonl"});
    check_succeeds({BELLAMY_PROGRAM, "forecast", place / "t.jsonl", "--run", "first", "--after", "0", "--history",
                    place / "t.jsonl", "--save", place / "stages.bellamy"});
    CHECK(mentions(next(place / "stages.bellamy"), "bellamy forecast RUNNING --model"));
    CHECK_FALSE(mentions(next(place / "stages.bellamy"), "inspect"));
    write_text(place / "quoted.csv", "\"Job\",\"Duration (min)\",\"Input GB\"\nreport,2,3\n");
    CHECK(mentions(next(place / "quoted.csv"),
                   "rename Job to application; Duration (min) to runtime_s, times 60, in seconds; Input GB to "
                   "data_size_MB, times 1024, in whole MB; COLUMN to executors"));
    write_text(place / "none.csv", "application,executors,a\n");
    CHECK(mentions(next(place / "none.csv"), "rename COLUMN to runtime_s, in seconds"));
    write_text(place / "size.csv", "application,executors,runtime_s,data_size_GB\n");
    CHECK(mentions(next(place / "size.csv"), "rename data_size_GB to data_size_MB, times 1024"));
    write_text(place / "empty.csv", "");
    support::check_refused(run_program({BELLAMY_PROGRAM, place / "empty.csv"}), "empty_table", {"expected column names in"});
}

TEST_CASE("the program with a folder that may not be read says so") {
    const temporary_directory place;
    std::filesystem::create_directory(place / "closed");
    std::filesystem::permissions(place / "closed", std::filesystem::perms::none);
    std::filesystem::permissions(place / "", std::filesystem::perms::others_exec, std::filesystem::perm_options::add);
    // Root may read all, and becomes nobody.
    const auto as_nobody = [](const std::string& word) {
        const std::string script =
            "[ \"$(id -u)\" = 0 ] || exec \"$@\"; exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\"";
        return run_program({"/bin/sh", "-c", script, "sh", BELLAMY_PROGRAM, word});
    };
    if (as_nobody("--version").exit_code != 0) {
        MESSAGE("skipped: setpriv (Debian: util-linux) does not run the program as nobody");
        return;
    }
    const auto closed = as_nobody(place / "closed");
    support::check_refused(closed, "cannot_read", {"closed, found: Permission denied"});
}

TEST_CASE("completion knows commands, their options and values, in scripts that the shells read") {
    const temporary_directory place;
    CHECK(mentions(check_succeeds({BELLAMY_PROGRAM, "completion", "--help"}), "source"));
    const auto bash = check_succeeds({BELLAMY_PROGRAM, "completion", "bash"});
    write_text(place / "bash", bash);
    const auto completed = [&](const std::string& line) {
        const std::string script =
            ". \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _bellamy; echo \"${COMPREPLY[*]}\"";
        std::istringstream split(line);
        words command{"/bin/bash", "-c", script, "bash", place / "bash"};
        for (std::string word; split >> word;) command.push_back(word);
        if (line.ends_with(' ')) command.emplace_back("");
        return check_succeeds(command);
    };
    if (std::filesystem::exists("/bin/bash")) {
        CHECK(completed("bellamy rec") == "recommend\n");
        CHECK(completed("bellamy recommend --least") == "--least-saving\n");
        CHECK(mentions(completed("bellamy recommend --format "), "spark-submit"));
        CHECK(completed("bellamy completion z") == "zsh\n");
        CHECK(completed("bellamy help rec") == "recommend\n");
        CHECK(completed("bellamy help comp") == "completion\n");
        CHECK(completed("bellamy allocate --unit ") == "node executor slot core\n");
        CHECK(completed("bellamy pretrain --unit ex") == "executor\n");
        CHECK(completed("bellamy allocate --strategy l") == "local\n");
        // No words: bash offers files.
        CHECK(mentions(bash, "complete -o default"));
        for (const std::string line : {"bellamy recommend ", "bellamy import app", "bellamy allocate --model "})
            CHECK_MESSAGE(completed(line) == "\n", line);
    }
    const auto zsh = check_succeeds({BELLAMY_PROGRAM, "completion", "zsh"});
    CHECK(zsh.starts_with("#compdef bellamy\n"));
    CHECK(mentions(zsh, "'--deadline:"));
    CHECK(mentions(zsh, "'help '*) _describe command commands"));
    CHECK(check_succeeds({BELLAMY_PROGRAM, "help", "completion"}) ==
          check_succeeds({BELLAMY_PROGRAM, "completion", "--help"}));
    CHECK(check_succeeds({BELLAMY_PROGRAM, "help", "help"}) == check_succeeds({BELLAMY_PROGRAM, "--help"}));
    if (run_program({"/bin/sh", "-c", "command -v zsh"}).exit_code == 0) {
        write_text(place / "zsh", zsh);
        check_succeeds({"/bin/sh", "-c", "zsh -n \"$1\"", "sh", place / "zsh"});
    }
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "completion", "fish"}), {"bash", "zsh"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "completion"}), {"bash", "zsh"});
}

TEST_CASE("times, sizes, prices and probabilities may have units, of one currency, and mean the same as plain numbers") {
    const temporary_directory place;
    support::make_model(place);
    const auto job = support::sort_job(place / "sort.bellamy");
    using support::operator+;
    const auto plain = check_succeeds(
        job + words{"--observe", "4=100", "--deadline", "600", "--price", "0.4", "--start-up", "90", "--json"});
    CHECK(check_succeeds(job + words{"--observe", "4=1m40s", "--deadline", "10m", "--price", "$0.40/h", "--start-up",
                                     "1.5 min", "--probability", "90%", "--json"}) == plain);
    auto gigabytes = job;
    std::replace(gigabytes.begin(), gigabytes.end(), std::string("data_size_MB=16000"),
                 std::string("data_size_MB=15.625GB"));
    CHECK(check_succeeds(gigabytes + words{"--observe", "4=100", "--deadline", "600", "--price", "0.4", "--start-up", "90",
                                           "--json"}) == plain);
    for (const std::string bad : {"10x", "m", "1m1h", "10 m m", "-5m", "0", "nan"})
        check_wrong_usage(run_program(job + words{"--deadline", bad}), {"--deadline", "found \"" + bad + "\""});
    for (const std::string bad : {"cheap", "0.4/parsec", "1 2"})
        check_wrong_usage(run_program(job + words{"--deadline", "9", "--price", bad}), {"--price", bad});
    check_wrong_usage(run_program(job + words{"--goal", "fastest", "--price", "$1", "--budget", "EUR 5"}), {"one currency"});
}

TEST_CASE("shares may be percent, days weeks, and moments dates, in every command") {
    const temporary_directory place;
    write_text(place / "own.csv",
               "application,executors,executor_cores,executor_memory_MB,runtime_s,started_at_s\n"
               "report,2,4,8192,600,2026-01-02\nreport,4,4,8192,310,2026-01-20\nreport,8,4,8192,170,2026-01-30\n");
    // The same answer in each of the spellings.
    const auto check_same = [](const std::string& command, const std::vector<words>& spellings) {
        for (const auto& spelling : spellings) {
            CAPTURE(spelling.back());
            const std::string script = "'" BELLAMY_PROGRAM "' " + command + " \"$@\" --json";
            words first{"/bin/sh", "-c", script, "sh"};
            auto other = first;
            first.insert(first.end(), spellings.front().begin(), spellings.front().end());
            other.insert(other.end(), spelling.begin(), spelling.end());
            CHECK(check_succeeds(other) == check_succeeds(first));
        }
    };
    const auto table = "'" + (place / "own.csv") + "'";
    check_same("report " + table + " --at 1769904000", {{"--days", "14"}, {"--days", "14d"}, {"--days", "2w"}});
    check_same("report " + table, {{"--at", "1769817600"}, {"--at", "2026-01-31"}, {"--at", "2026-01-31T01:00+01:00"}});
    check_same("recommend " + table, {{"--least-saving", "0.05"}, {"--least-saving", "5%"}});
    check_same("explore " + table + " --machine small=1,cores=4,memory=8GB --scale-outs 2,4,8",
               {{"--least-gain", "0.5"}, {"--least-gain", "50%"}});
    check_same("allocate --cold-start --scale-outs 2,4 --deadline 1d --probability 0.5 --price 1 --interruptions 0.1",
               {{"--rerun-share", "0.5"}, {"--rerun-share", "50%"}});
    const auto refused = [&](const std::string& command, const std::string& option, const std::string& bad) {
        check_wrong_usage(run_program({BELLAMY_PROGRAM, command, place / "own.csv", option, bad}),
                          {option, " such as ", "found \"" + bad + "\""});
    };
    for (const std::string bad : {"0", "4x", "w", "11y"}) refused("report", "--days", bad);
    for (const std::string bad : {"yesterday", "2026-13-01", "nan", "20260131", "1764000000000", "1e300"})
        refused("report", "--at", bad);
    for (const std::string bad : {"1.01", "-1", "much"}) refused("recommend", "--least-saving", bad);
}

TEST_CASE("what takes longer than a second shows on a terminal how far it is, and nowhere else") {
    if (run_program({"/bin/sh", "-c", "script -qec true /dev/null"}).exit_code != 0) {
        MESSAGE("skipped: script (Debian: util-linux) gets no terminal here (in a chroot: mount -t devpts devpts /dev/pts)");
        return;
    }
    const temporary_directory place;
    std::filesystem::create_directory(place / "logs");
    write_text(place / "logs/first", support::made_up_log{.id = "first"}.text());
    write_text(place / "logs/second", support::made_up_log{.id = "second"}.text());
    check_succeeds({BELLAMY_PROGRAM, "import", place / "logs", "--traces", place / "t.jsonl"});
    // Each input comes slowly, through a pipe.
    const auto check_shows = [](const std::string& input, const std::string& command, const std::string& bar) {
        const auto slowly = "(sleep 2; cat '" + input + "') | '" BELLAMY_PROGRAM "' " + command;
        const auto on_terminal = run_program({"/bin/sh", "-c", "script -qec \"$1\" /dev/null", "sh", slowly});
        CHECK(on_terminal.exit_code == 0);
        CHECK_MESSAGE(mentions(on_terminal.out, "\r" + bar), on_terminal.out);
        const auto elsewhere = run_program({"/bin/sh", "-c", slowly});
        CHECK(elsewhere.exit_code == 0);
        CHECK_FALSE(mentions(elsewhere.out + elsewhere.err, bar));
    };
    check_shows(place / "logs/first", "import /dev/stdin --table '" + (place / "t.tsv") + "'", "0/1 logs, ");
    write_text(place / "own.csv", "application,executors,executor_cores,executor_memory_MB,runtime_s\nreport,2,4,8192,60\n");
    check_shows(place / "own.csv", "recommend /dev/stdin", "reading runs  ");
    check_shows(place / "own.csv", "explore /dev/stdin --machine small=1,cores=4,memory=8GB --scale-outs 2,4",
                "reading runs  ");
    check_shows(place / "own.csv",
                "pretrain --table /dev/stdin --scale-out executors --runtime runtime_s --essential application --out '" +
                    (place / "model") + "'",
                "reading runs  ");
    check_shows(place / "t.jsonl", "forecast '" + (place / "t.jsonl") + "' --run first --after 0 --history /dev/stdin",
                "reading traces  ");
}
