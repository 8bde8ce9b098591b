#include <bellamy/application_file.hpp>
#include <bellamy/detail/format/self_test.hpp>

#include <doctest/doctest.h>

#include "support/compare.hpp"
#include "support/golden.hpp"
#include "support/made_up_application.hpp"
#include "support/made_up_job.hpp"
#include "support/model_bytes.hpp"
#include "support/temporary_directory.hpp"

namespace {

using bellamy::application_from_bytes;
using bellamy::errc;
using support::bytes;
using support::check_refused;
using support::etl_history;
using support::first_jobs;
using support::learned_from;
using support::named;

const bellamy::application_model& saved_model() {
    static const auto model = learned_from(etl_history()).value();
    return model;
}
const bytes& saved_bytes() {
    static const auto made = bellamy::to_bytes(saved_model()).value();
    return made;
}

// Without properties, scale-outs and stages, and with a job more in half of the runs: two shapes, nothing but samples.
[[nodiscard]] bellamy::application_model bare_model() {
    auto history = etl_history();
    for (std::size_t i = 0; i < history.size(); ++i) {
        history[i].scale_out.clear();
        history[i].properties.clear();
        for (auto& job : history[i].jobs) job.stages.clear();
        if (i % 2 == 0) history[i].jobs.pop_back();
    }
    return learned_from(history).value();
}

void check_same(const bellamy::prediction& a, const bellamy::prediction& b) {
    CHECK(std::bit_cast<std::uint64_t>(a.median_s) == std::bit_cast<std::uint64_t>(b.median_s));
    CHECK(a.log_quantiles == b.log_quantiles);
    CHECK(a.observed_runs == b.observed_runs);
}

void check_same(const bellamy::application_model& a, const bellamy::application_model& b,
                const bellamy::application_trace& run) {
    CHECK(a.application() == b.application());
    CHECK(a.seen_scale_outs() == b.seen_scale_outs());
    const auto before = a.bind(run.properties).value();
    const auto after = b.bind(run.properties).value();
    REQUIRE(before.jobs() == after.jobs());
    for (const int x : {0, 1, 3, 4, 50}) {
        check_same(before.run(x), after.run(x));
        for (std::size_t job = 0; job < before.jobs(); ++job) {
            check_same(before.job(job, x), after.job(job, x));
            for (std::size_t i = 0; i < before.stages(job); ++i) check_same(before.stage(job, i, x), after.stage(job, i, x));
            const auto progress = first_jobs(run, job + 1);
            check_same(before.observe(progress)->remaining(x), after.observe(progress)->remaining(x));
        }
    }
}

[[nodiscard]] std::size_t size_for(const std::vector<bellamy::application_trace>& history) {
    return bellamy::to_bytes(learned_from(history).value())->size();
}

}  // namespace

TEST_CASE("an application model survives the round trip through bytes and files bit by bit") {
    const auto loaded = application_from_bytes(saved_bytes()).value();
    check_same(saved_model(), loaded, support::made_up_trace(9, 1500, 4, 1.3));
    CHECK(bellamy::to_bytes(loaded).value() == saved_bytes());

    const support::temporary_directory directory;
    const auto path = directory / "etl.bellamy";
    REQUIRE(bellamy::save(saved_model(), path).has_value());
    check_same(saved_model(), bellamy::load_application(path).value(), support::made_up_trace(9, 800, 2));
    CHECK(bellamy::load_application(path + "x").error().code() == errc::cannot_read);

    const auto bare = bare_model();
    check_same(bare, application_from_bytes(*bellamy::to_bytes(bare)).value(), etl_history()[1]);
}

TEST_CASE("the model of one run with tasks, and of one context, survives the round trip") {
    const auto one = learned_from({support::made_up_trace(5, 1000, 4)}).value();
    check_same(one, application_from_bytes(*bellamy::to_bytes(one)).value(), support::made_up_trace(6, 1000, 4));
}

TEST_CASE("an application file grows by at most 64 bytes for each part and run") {
    const auto few = etl_history({500, 1000, 2000, 4000});
    const auto many = etl_history({500, 700, 1000, 1300, 2000, 2600, 4000, 5200});
    // Three jobs, three stages beside others, the run and what is outside of jobs.
    constexpr std::size_t parts = 8;
    CHECK(size_for(many) - size_for(few) <= 64 * parts * (many.size() - few.size()));
    CHECK(size_for(many) <= 64 * parts * many.size() + 1024 * parts);
    // With task durations, each run counts three times.
    auto replayed = few;
    for (std::size_t i = 0; i < replayed.size(); ++i)
        replayed[i] = support::made_up_trace(i, 500 * (1 + i % 4), replayed[i].scale_out.back().scale_out);
    CHECK(size_for(replayed) <= 64 * parts * few.size() + 1024 * parts);
}

TEST_CASE("every truncation and every flipped bit of an application file is refused") {
    const auto& whole = saved_bytes();
    for (std::size_t size = 0; size < whole.size(); size += size < 64 ? 1 : 37) {
        const auto answer = application_from_bytes(std::span(whole).first(size));
        REQUIRE_MESSAGE(!answer.has_value(), size);
        REQUIRE(answer.error().code() == (size < 8 ? errc::not_a_model : errc::truncated));
    }
    for (std::size_t at = 0; at < whole.size(); at += at < 64 ? 1 : 41) {
        auto flipped = whole;
        flipped[at] ^= std::byte{4};
        REQUIRE_MESSAGE(!application_from_bytes(flipped).has_value(), at);
    }
}

TEST_CASE("the file of an application and that of an algorithm are told apart by name") {
    check_refused(bellamy::from_bytes(saved_bytes()), errc::invalid_model, {"an algorithm", "an application's stages"});
    const auto other = bellamy::to_bytes(support::random_model());
    check_refused(application_from_bytes(other), errc::invalid_model, {"an application's stages", "an algorithm"});
}

TEST_CASE("sections that are missing, twice, unknown or cut are refused though the checksum is right") {
    const auto sections = support::sections_of(saved_bytes());
    REQUIRE(support::assembled(sections) == saved_bytes());
    for (const auto* name : {"APPL", "STGS", "SELF"}) {
        auto without = sections;
        std::erase_if(without, [&](const auto& each) { return each.name == name; });
        check_refused(application_from_bytes(support::assembled(without)), errc::invalid_model, {"APPL, STGS and SELF"});
        auto twice = sections;
        twice.push_back(named(twice, name));
        check_refused(application_from_bytes(support::assembled(twice)), errc::invalid_model, {"once", "twice"});
        auto cut = sections;
        named(cut, name).content.pop_back();
        check_refused(application_from_bytes(support::assembled(cut)), errc::invalid_model, {"complete data", name});
    }
    auto newer = sections;
    newer.push_back({.name = "NEWS", .flags = bellamy::detail::must_be_understood});
    check_refused(application_from_bytes(support::assembled(newer)), errc::unsupported_version, {"newer"});
    newer.back().flags = 0;
    CHECK(application_from_bytes(support::assembled(newer)).has_value());
}

TEST_CASE("a file whose answers are not those that it was saved with is refused") {
    using namespace bellamy::detail;
    auto sections = support::sections_of(saved_bytes());
    auto& own = named(sections, "SELF").content;
    auto questions = *read_section<application_self_test, packed_reader>(byte_reader(own), "SELF");
    const auto rewrite = [&] {
        byte_writer content;
        packed_writer archive(content);
        archive(questions);
        own.assign(content.bytes().begin(), content.bytes().end());
        return application_from_bytes(support::assembled(sections));
    };
    REQUIRE(rewrite().has_value());
    for (const auto& part : questions) CHECK_FALSE(part.empty());
    questions.back().front().answers[1].median_s *= 2;
    check_refused(rewrite(), errc::self_test_failed, {"when it was saved"});
    questions.pop_back();
    check_refused(rewrite(), errc::invalid_model, {"questions to each part"});
}

TEST_CASE("the self-test asks each of up to three parts of a kind, and no part twice") {
    using indices = std::vector<std::size_t>;
    using bellamy::detail::first_middle_last;
    CHECK(first_middle_last(0) == indices{});
    CHECK(first_middle_last(1) == indices{0});
    CHECK(first_middle_last(2) == indices{0, 1});
    CHECK(first_middle_last(3) == indices{0, 1, 2});
    CHECK(first_middle_last(8) == indices{0, 3, 7});
}

TEST_CASE("parts that ask for more memory than an application may have are refused before they get it") {
    using namespace bellamy::detail;
    auto sections = support::sections_of(saved_bytes());
    auto& own = named(sections, "STGS").content;
    auto shapes = *read_section<std::vector<stored_shape>, packed_reader>(byte_reader(own), "STGS");
    auto& stored = shapes[0].parts.run->over_scale_outs;
    REQUIRE(stored.has_value());
    // A context of 64 KB for each of 100,000 runs.
    stored->contexts = {{.essential = {bellamy::text("name", std::string(65536, 'x'))}}};
    stored->observed.assign(100'000, {.runtime_s = 1});
    byte_writer content;
    packed_writer archive(content);
    archive(shapes);
    own.assign(content.bytes().begin(), content.bytes().end());
    check_refused(application_from_bytes(support::assembled(sections)), errc::invalid_model, {"fit into memory"});
}

TEST_CASE("names of 64 KB are learned, saved and loaded") {
    auto history = etl_history({1000});
    for (auto& run : history) {
        run.application.assign(bellamy::longest_name_bytes, 'a');
        run.properties.push_back(bellamy::text(std::string(bellamy::longest_name_bytes, 'p'), run.run));
        for (auto& job : run.jobs)
            for (auto& stage : job.stages) stage.name.assign(bellamy::longest_name_bytes, 's');
    }
    const auto model = learned_from(history).value();
    check_same(model, application_from_bytes(*bellamy::to_bytes(model)).value(), history[0]);
    history[0].jobs[0].stages[0].name += 's';
    check_refused(learned_from(history), errc::invalid_trace, {"65536"});
}

TEST_CASE("applications that released versions saved are read, and give the answers they gave") {
    for (const std::string version : {"1.0"}) {
        const auto model =
            bellamy::load_application(BELLAMY_GOLDEN_DIR "/models/" + version + "/application.bellamy").value();
        CHECK(model.application() == "etl");
        const auto run = support::made_up_trace(9, 1500, 4, 1.3);
        const auto whole = model.bind(run.properties).value();
        const auto ask = [&](const std::string& what, std::size_t job, int x) {
            if (what == "run") return whole.run(x);
            if (what == "stage") return whole.stage(job, 0, x);
            if (what == "job") return whole.job(job, x);
            return whole.observe(first_jobs(run, job + 1)).value().remaining(x);
        };
        std::size_t asked = 0;
        for (const auto& row : support::golden_table("models/" + version + "/application_answers.csv")) {
            CAPTURE(row.at("what"));
            CAPTURE(row.at("scale_out"));
            const auto answer = ask(row.at("what"), std::stoul(row.at("job")), std::stoi(row.at("scale_out")));
            const auto close = [](const std::string& number) {
                return doctest::Approx(std::stod(number)).epsilon(bellamy::detail::self_test_tolerance);
            };
            CHECK(answer.median_s == close(row.at("median_s")));
            CHECK(answer.quantile_s(0.9) == close(row.at("quantile_90_s")));
            ++asked;
        }
        CHECK(asked == 27);
    }
}

TEST_CASE("a part of a network, or of a kind that is none, is refused") {
    for (const auto kind : {std::byte{1}, std::byte{3}}) {
        const bytes held(1, kind);
        bellamy::detail::stored_model part;
        bellamy::detail::archive_reader reader{bellamy::detail::byte_reader(held)};
        reader(part.kind);
        check_refused(bellamy::detail::restored(std::move(part)), errc::invalid_model, {"parts with quantiles"});
    }
}
