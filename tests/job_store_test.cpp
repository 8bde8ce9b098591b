#include <bellamy/job_store.hpp>

#include "support/compare.hpp"
#include "support/temporary_directory.hpp"

#include <bellamy/run_table.hpp>

#include <cmath>
#include <thread>

using namespace bellamy;
using support::check_refused;
using support::read_text;
using support::temporary_directory;
using support::write_text;

namespace {

[[nodiscard]] schema properties() {
    schema of;
    of.essential = {{.name = "machine", .kind = property_kind::text, .role = property_role::machine_type},
                    {.name = "size_gb", .kind = property_kind::quantity, .role = property_role::data_size}};
    return of;
}

[[nodiscard]] context job_on(const std::string& machine, double size_gb) {
    return properties().context({{"machine", machine}, {"size_gb", size_gb}}).value();
}

// Two machines, four sizes and seven scale-outs take turns; what scatters repeats after 99 runs.
[[nodiscard]] run run_number(int number, double slowdown = 1) {
    const double size_gb = 100 * (1 + number / 2 % 4);
    const int scale_out = 2 + number % 7;
    const double law_s = 20 + 3 * size_gb / scale_out / (1 + number % 2);
    const double scatter = 0.05 * std::sin(number * number % 99);
    return {.context = job_on(number % 2 == 0 ? "small" : "large", size_gb),
            .scale_out = scale_out,
            .runtime_s = slowdown * law_s * std::exp(scatter)};
}

[[nodiscard]] std::vector<run> runs_from(int first, int count, double slowdown = 1) {
    std::vector<run> runs;
    for (int i = 0; i < count; ++i) runs.push_back(run_number(first + i, slowdown));
    return runs;
}

[[nodiscard]] double median_s(job_store& store, const run& like) {
    return store.get("report", like.context).value()->bind(like.context)->at(like.scale_out).median_s;
}

// Written with all digits, a run is read as it was.
[[nodiscard]] bool same(std::span<const run> a, std::span<const run> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const run& one, const run& other) {
        return one.context == other.context && one.scale_out == other.scale_out && one.runtime_s == other.runtime_s;
    });
}

[[nodiscard]] std::size_t runs_in(const model& of) { return of.basis().runs + of.observed().size(); }

}  // namespace

TEST_CASE("a job without history gets a cold start, and its first run moves it") {
    const temporary_directory folder;
    job_store store(folder / "", properties());
    const auto first = run_number(0);
    const auto start = store.get("report", first.context);
    REQUIRE(start);
    CHECK((*start)->kind() == model_kind::shapes);
    CHECK((*start)->basis().algorithm == "report");
    CHECK(store.history("report")->empty());
    CHECK(folder.listing().empty());

    const auto change = store.record("report", {first});
    REQUIRE(change);
    CHECK_FALSE(*change);
    CHECK(median_s(store, first) == doctest::Approx(first.runtime_s).epsilon(0.1));
    CHECK(folder.listing() == "report.csv report.learned ");
}

TEST_CASE("each recorded run is learned once, and a restart changes answers by less than the noise") {
    const temporary_directory folder;
    const auto history = runs_from(0, 40);
    const auto next = runs_from(40, 20);
    job_store store(folder / "", properties());
    REQUIRE(store.record("report", history));
    CHECK(store.get("report", next[0].context).value()->basis().runs == 40);
    for (const auto& each : next) REQUIRE(store.record("report", {each}));

    job_store restarted(folder / "", properties());
    for (auto* const each : {&store, &restarted}) {
        const auto model = each->get("report", next[0].context).value();
        CHECK(model->basis().runs == 56);
        CHECK(model->observed().size() == 4);  // since it was learned
    }
    auto all = history;
    all.insert(all.end(), next.begin(), next.end());
    CHECK(same(restarted.history("report").value(), all));
    for (int i = 60; i < 76; ++i) {
        const auto asked = run_number(i);
        // The restarted one is learned from the same runs, with hyper-parameters fitted to all of them.
        CHECK(median_s(store, asked) == doctest::Approx(median_s(restarted, asked)).epsilon(0.02));
        CHECK(median_s(store, asked) == doctest::Approx(asked.runtime_s).epsilon(0.12));
    }
}

TEST_CASE("a new job is learned when its runs have doubled") {
    const temporary_directory folder;
    job_store store(folder / "", properties());
    std::vector<std::size_t> observed;
    for (int i = 0; i < 17; ++i) {
        REQUIRE(store.record("report", {run_number(3 * i)}));
        const auto model = store.get("report", run_number(0).context).value();
        observed.push_back(model->kind() == model_kind::shapes ? 99 : model->observed().size());
    }
    CHECK(observed == std::vector<std::size_t>{99, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1});
}

TEST_CASE("a job that became slower is told within a few runs, and answers follow; its history stays") {
    const temporary_directory folder;
    job_store store(folder / "", properties());
    REQUIRE(store.record("report", runs_from(0, 48)));
    for (int i = 48; i < 112; ++i) CHECK_FALSE(store.record("report", {run_number(i)}).value());

    // Contexts of one machine alone run again, and the process is restarted before there are enough of them to tell.
    for (int i = 112; i < 118; i += 2) CHECK_FALSE(store.record("report", {run_number(i, 1.5)}).value());
    job_store restarted(folder / "", properties());
    const auto change = restarted.record("report", {run_number(118, 1.5)}).value();
    REQUIRE(change);
    CHECK(change->runs == 4);
    CHECK(change->factor == doctest::Approx(1.5).epsilon(0.05));
    const auto recorded = restarted.history("report").value();
    CHECK(recorded.size() == 116);
    CHECK(same(std::span(recorded).first(112), runs_from(0, 112)));
    for (int i = 120; i < 144; i += 2) REQUIRE(restarted.record("report", {run_number(i, 1.5)}));

    job_store restarted_again(folder / "", properties());
    for (int i = 200; i < 216; ++i) {  // on both machines
        const auto asked = run_number(i, 1.5);
        CHECK(median_s(restarted, asked) == doctest::Approx(asked.runtime_s).epsilon(0.15));
        CHECK(median_s(restarted_again, asked) == doctest::Approx(median_s(restarted, asked)).epsilon(0.02));
    }
}

TEST_CASE("a change is told soon, after however many runs of before, also where it is small") {
    for (const double factor : {1.6, 0.625, 1.15})
        for (int before = 0; before < 16; before += 5) {
            CAPTURE(factor);
            CAPTURE(before);
            const temporary_directory folder;
            job_store store(folder / "", properties());
            REQUIRE(store.record("report", runs_from(0, 48)));
            for (int i = 48; i < 48 + before; ++i) CHECK_FALSE(store.record("report", {run_number(i)}).value());
            std::optional<drift> change;
            int runs = 0;
            for (; !change && runs < 32; ++runs)
                change = store.record("report", {run_number(48 + before + runs, factor)}).value();
            REQUIRE(change);
            CHECK(runs <= (factor == 1.15 ? 20 : 6));
            CHECK(change->factor == doctest::Approx(factor).epsilon(0.1));
        }
}

TEST_CASE("a new machine type is no change of the job") {
    const temporary_directory folder;
    job_store store(folder / "", properties());
    REQUIRE(store.record("report", runs_from(0, 48)));
    for (int i = 48; i < 80; ++i) {
        auto on_new = run_number(i, 2.5);
        on_new.context.essential.front().value = "slow";
        CHECK_FALSE(store.record("report", {on_new}).value());
    }
    CHECK(median_s(store, run_number(81)) == doctest::Approx(run_number(81).runtime_s).epsilon(0.12));
}

TEST_CASE("a run with an optional property that no run before had is taken in, and can be asked for") {
    const temporary_directory folder;
    auto with_user = properties();
    with_user.optional = {{.name = "user", .kind = property_kind::text}};
    for (const int before : {1, 7, 40}) {
        CAPTURE(before);
        job_store store(folder / "", with_user);
        const auto job = "report " + std::to_string(before);
        REQUIRE(store.record(job, runs_from(0, before)));
        auto late = run_number(before);
        late.context.optional = {text("user", "ann")};
        REQUIRE(store.record(job, {late}));
        CHECK(store.history(job)->size() == static_cast<std::size_t>(before) + 1);
        CHECK(store.get(job, late.context).value()->bind(late.context));
        CHECK(store.get(job, late.context).value()->bind(run_number(0).context));
    }
}

TEST_CASE("a change by however large a factor is read again, as where seconds become nanoseconds") {
    for (const double factor : {2e9, 5e-10, 1e40}) {
        CAPTURE(factor);
        const temporary_directory folder;
        job_store store(folder / "", properties());
        REQUIRE(store.record("report", runs_from(0, 48)));
        std::optional<drift> change;
        for (int i = 48; !change && i < 64; ++i) change = store.record("report", {run_number(i, factor)}).value();
        REQUIRE(change);
        CHECK(change->factor == doctest::Approx(factor).epsilon(0.1));
        job_store restarted(folder / "", properties());
        const auto asked = run_number(70, factor);
        REQUIRE(restarted.get("report", asked.context));
        CHECK(median_s(restarted, asked) == doctest::Approx(asked.runtime_s).epsilon(0.2));
    }
}

TEST_CASE("runs of before a change have a runtime and a weight, never more than they had, after however many changes") {
    auto history = runs_from(0, 4);
    history[1].weight = 1e-5;
    history[2].weight = 1.5e-3;
    const auto once =
        detail::current_runs(history, std::vector<detail::learning_step>{{.runs = 3}, {.runs = 4, .factor = 1.5}});
    CHECK(once[0].runtime_s == doctest::Approx(1.5 * history[0].runtime_s));
    CHECK(once[0].weight == 0.5);
    CHECK(once[1].weight == 1e-5);
    CHECK(once[2].weight == 1e-3);
    CHECK(once[3].weight == 1);
    CHECK(once[3].runtime_s == history[3].runtime_s);
    for (const double factor : {1e200, 1e-200, 1e308}) {
        std::vector<detail::learning_step> steps{{.runs = 3}};
        for (int i = 0; i < 2000; ++i) steps.push_back({.runs = 4, .factor = factor});
        for (const auto& each : detail::current_runs(history, steps)) CHECK(validate(each));
    }
    // Such steps are learned from.
    const temporary_directory folder;
    write_text(folder / "report.csv", csv_header(properties()));
    for (const auto& each : runs_from(0, 20))
        write_text(folder / "report.csv", read_text(folder / "report.csv") + to_csv_line(each, properties()).value());
    write_text(folder / "report.learned", "4,1\n8,1e300\n12,1e300\n");
    CHECK(job_store(folder / "", properties()).get("report", history[0].context));
}

TEST_CASE("what could not be read again is refused before anything is written") {
    const temporary_directory folder;
    for (const std::string name : {"weight", "outcome", "scale_out", "runtime_s", "started_at_s"}) {
        CAPTURE(name);
        const schema essential{.essential = {{.name = name}}};
        job_store store(folder / "", essential);
        const run done{.context = {.essential = {text(name, "a")}}, .scale_out = 4, .runtime_s = 30};
        check_refused(store.record("report", {done}), errc::duplicate_property, {"job report", "could not be read", name});
        job_store optional(folder / "", {.optional = {{.name = name}}});
        check_refused(optional.record("report", {run{.scale_out = 4, .runtime_s = 30}}), errc::duplicate_property, {name});
    }
    auto memory = properties();
    memory.essential.push_back({.name = "memory_gb", .kind = property_kind::quantity, .scales_with_scale_out = true});
    job_store store(folder / "", memory);
    auto done = run_number(0);
    done.context.essential.push_back(quantity("memory_gb", 16 / 3.0).per_scale_out_unit());
    check_refused(store.record("report", {done}), errc::invalid_quantity, {"job report: run 0", "memory_gb"});
    CHECK(folder.listing().empty());
    // Names that are quoted in a table.
    for (const std::string name : {"disks; type; size; speed; age; place; maker; price", "\xEF\xBB\xBFname"}) {
        const schema quoted{.essential = {{.name = name}}};
        const run one{.context = {.essential = {text(name, "a")}}, .scale_out = 4, .runtime_s = 30};
        REQUIRE(job_store(folder / "", quoted).record("report", {one}));
        job_store restarted(folder / "", quoted);
        REQUIRE(restarted.record("report", {one}));
        const auto history = restarted.history("report").value();
        CHECK(history.size() == 2);
        CHECK(history.front().context == one.context);
        std::filesystem::remove(folder / "report.csv");
        std::filesystem::remove(folder / "report.learned");
    }
}

TEST_CASE("a step of runs that could not be written does not count later") {
    const temporary_directory folder;
    job_store store(folder / "", properties());
    REQUIRE(store.record("report", runs_from(0, 51)));
    write_text(folder / "report.learned", "51,1\n52,3\n");
    job_store restarted(folder / "", properties());
    REQUIRE(restarted.record("report", {run_number(51)}));
    job_store restarted_again(folder / "", properties());
    CHECK(median_s(restarted_again, run_number(52)) == doctest::Approx(median_s(restarted, run_number(52))));
}

TEST_CASE("within many runs recorded at once no change is told, since it would be taken for a part of them") {
    const temporary_directory folder;
    job_store store(folder / "", properties());
    REQUIRE(store.record("report", runs_from(0, 48)));
    CHECK_FALSE(store.record("report", runs_from(48, 40, 1.5)).value());
    CHECK(store.history("report")->size() == 88);
    // The same runs, sixteen at a time.
    job_store others(folder / "", properties());
    REQUIRE(others.record("train", runs_from(0, 48)));
    CHECK(others.record("train", runs_from(48, 16, 1.5)).value());
}

TEST_CASE("one wrong record is no change of a job") {
    const temporary_directory folder;
    job_store store(folder / "", properties());
    REQUIRE(store.record("report", runs_from(0, 48)));
    auto recent = runs_from(48, 16);
    recent[5].runtime_s /= 1000;
    for (const auto& each : recent) CHECK_FALSE(store.record("report", {each}).value());
    CHECK(median_s(store, run_number(53)) == doctest::Approx(run_number(53).runtime_s).epsilon(0.12));
}

TEST_CASE("of killed runs alone nothing is learned but that the job takes longer") {
    const temporary_directory folder;
    job_store store(folder / "", properties());
    for (int i = 0; i < 8; ++i) {
        auto killed = run_number(i);
        killed.runtime_s = 30;
        killed.censored = true;
        REQUIRE(store.record("report", {killed}));
    }
    const auto model = store.get("report", run_number(0).context).value();
    CHECK(model->kind() == model_kind::shapes);
    CHECK(model->bind(run_number(0).context)->at(4).quantile_s(0.95) > run_number(0).runtime_s);
}

TEST_CASE("runs that several threads record are all there, while others ask") {
    const temporary_directory folder;
    job_store store(folder / "", properties());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&store, t] {
            for (int i = 0; i < 6; ++i) {
                const auto each = run_number(6 * t + i);
                CHECK(store.record(t % 2 == 0 ? "report" : "train", {each}));
                CHECK(store.get(t % 2 == 0 ? "train" : "report", each.context));
            }
        });
    for (auto& each : threads) each.join();
    job_store restarted(folder / "", properties());
    CHECK(restarted.names().value() == std::vector<std::string>{"report", "train"});
    for (const auto* job : {"report", "train"}) {
        CHECK(restarted.history(job)->size() == 12);
        CHECK(runs_in(*store.get(job, run_number(0).context).value()) == 12);
    }
}

TEST_CASE("an error of a job store names the job, and loses nothing") {
    const temporary_directory folder;
    job_store store(folder / "", properties());
    const auto one = run_number(0);
    check_refused(store.get("../report", one.context), errc::invalid_option, {"a name of 1 to"});
    check_refused(store.record("", {one}), errc::invalid_option);
    check_refused(store.history("a/b"), errc::invalid_option);

    job_store nowhere(folder / "absent", properties());
    check_refused(nowhere.get("report", one.context), errc::cannot_read, {"job report", "a folder that exists", "absent"});
    check_refused(nowhere.record("report", {one}), errc::cannot_read, {"job report", "a folder that exists"});
    check_refused(nowhere.history("report"), errc::cannot_read, {"job report", "a folder that exists"});
    check_refused(nowhere.names(), errc::cannot_read, {"absent"});

    auto other = one;
    other.context.essential.pop_back();
    check_refused(store.record("report", {one, other}), errc::essential_count_mismatch, {"job report: run 1"});
    CHECK(store.history("report")->empty());
    CHECK(folder.listing().empty());

    // A folder in place of the table: root may write anywhere else.
    std::filesystem::create_directory(folder / "report.csv");
    check_refused(store.record("report", {one}), errc::cannot_read, {"job report"});
    std::filesystem::remove(folder / "report.csv");
    REQUIRE(store.record("report", runs_from(0, 3)));
    std::filesystem::remove(folder / "report.csv");
    std::filesystem::create_directory(folder / "report.csv");
    check_refused(store.record("report", {one}), errc::cannot_write, {"job report", "report.csv"});
    CHECK(store.history("report")->size() == 3);
    CHECK(runs_in(*store.get("report", one.context).value()) == 3);
    std::filesystem::remove(folder / "report.csv");
    REQUIRE(store.record("report", {one}));
    CHECK(history_from_csv(read_text(folder / "report.csv"), properties())->size() == 4);
}

TEST_CASE("files that cannot be appended to are refused") {
    const temporary_directory folder;
    const auto one = run_number(0);
    const auto get_from = [&](const std::string& table, const std::string& changes = {}) {
        write_text(folder / "report.csv", table);
        if (!changes.empty()) write_text(folder / "report.learned", changes);
        return job_store(folder / "", properties()).get("report", one.context);
    };
    const auto header = csv_header(properties());
    const auto line = to_csv_line(one, properties()).value();
    CHECK(get_from(header + line));
    check_refused(get_from("job," + header + "report," + line), errc::unknown_property, {"machine,size_gb,", "report.csv"});
    check_refused(get_from(header + line.substr(0, line.size() - 1)), errc::truncated, {"last line", "report.csv"});
    check_refused(get_from(header), errc::empty_history, {"job report"});
    check_refused(get_from(header + "small,many,2,9,succeeded,1,\n"), errc::invalid_quantity, {"job report: line 2"});
    CHECK(get_from(header + line, "1,1\n"));
    CHECK(get_from(header + line, "1,1\n17,1.4\n"));  // of runs that could not be written
    check_refused(get_from(header + line, "rubbish"), errc::invalid_option, {"job report", "line 1 of what was learned"});
    for (const auto* step : {"-1,2", "0,1", "1,0", "1,-2", "1,1e309", "1,inf", "1,x", "1", "1,2,3", "\"1,1"})
        check_refused(get_from(header + line, "1,1\n" + std::string(step) + "\n"), errc::invalid_option,
                      {"job report", "line 2 of what was learned"});
}

TEST_CASE("a table that comes after a job was asked for is read") {
    const temporary_directory folder;
    job_store store(folder / "", properties());
    const auto one = run_number(0);
    CHECK(store.get("report", one.context).value()->kind() == model_kind::shapes);
    CHECK(store.history("report")->empty());
    write_text(folder / "report.csv", csv_header(properties()) + to_csv_line(one, properties()).value());
    CHECK(store.history("report")->size() == 1);
    CHECK(runs_in(*store.get("report", one.context).value()) == 1);
}
