#include "support/altered_blend.hpp"
#include "support/compare.hpp"
#include "support/made_up_blend.hpp"
#include "support/model_bytes.hpp"

#include <bellamy/cold_start.hpp>

using namespace bellamy;
using support::assembled;
using support::check_refused;
using support::named;
using support::overwrite;
using support::section;
using support::sections_of;

namespace {

// Small, so that reading it a thousand times is quick; conditioned on runs that differ in all that is stored.
const model& conditioned() {
    static const auto subject = [] {
        std::vector<run> history;
        for (const std::uint64_t size : {10U, 20U, 40U})
            for (const int x : {2, 4, 8}) history.push_back(support::made_up_run(size, x));
        auto killed = support::made_up_run(30, 4);
        killed.censored = true;
        killed.weight = 0.5;
        auto blank = support::made_up_run(30, 8);
        blank.timestamp_s = 1.7e9;
        blank.context.essential[0] = unknown("machine");
        return *support::blend_of(history).condition(std::vector{killed, blank, support::made_up_run(30, 2)});
    }();
    return subject;
}

const model& cold() {
    static const auto subject =
        *cold_start(support::made_up_context(30), "new")->condition(std::vector{support::made_up_run(30, 4)});
    return subject;
}

void check_same_answers(const model& one, const model& other) {
    const auto job = support::made_up_context(30);
    const auto before = *one.bind(job);
    const auto after = *other.bind(job);
    for (const int x : {1, 2, 3, 8, 50})
        for (const double p : {0.05, 0.5, 0.9}) CHECK(before.at(x).quantile_s(p) == after.at(x).quantile_s(p));
    CHECK(before.at(4).observed_runs == after.at(4).observed_runs);
}

}  // namespace

TEST_CASE("conditioned models of either kind survive the round trip through bytes bit by bit") {
    for (const auto* before : {&conditioned(), &cold()}) {
        const auto written = to_bytes(*before);
        const auto after = from_bytes(written);
        REQUIRE(after);
        CHECK(after->kind() == before->kind());
        CHECK(after->schema() == before->schema());
        CHECK(after->basis() == before->basis());
        CHECK(after->general().basis() == before->general().basis());
        CHECK(to_bytes(*after) == written);
        check_same_answers(*before, *after);
        REQUIRE(after->observed().size() == before->observed().size());
        for (std::size_t i = 0; i < after->observed().size(); ++i) {
            const auto& a = before->observed()[i];
            const auto& b = after->observed()[i];
            CHECK(a.context == b.context);
            CHECK(a.scale_out == b.scale_out);
            CHECK(a.runtime_s == b.runtime_s);
            CHECK(a.censored == b.censored);
            CHECK(a.weight == b.weight);
            CHECK(a.timestamp_s == b.timestamp_s);
        }
    }
}

TEST_CASE("a loaded model can be conditioned further like the one it was saved from") {
    const std::vector more{support::made_up_run(30, 16)};
    check_same_answers(*conditioned().condition(more), *from_bytes(to_bytes(conditioned()))->condition(more));
}

TEST_CASE("best mode fitted to 900 runs takes less than 128 kilobytes") {
    std::vector<run> history;
    for (std::uint64_t size = 1; size <= 30; ++size)
        for (const int x : {2, 4, 6, 8, 10, 12})
            for (int repeat = 0; repeat < 5; ++repeat) {
                auto one = support::made_up_run(10 * size, x);
                // As many properties as the public records have.
                one.context.essential.push_back(text("arguments", std::to_string(size % 7) + " 0.5"));
                one.context.essential.push_back(text("characteristics", "uniform-" + std::to_string(size)));
                one.context.essential.push_back(text("environment", "public cloud"));
                one.context.optional.push_back(natural("cores", 2 + size % 3).per_scale_out_unit());
                history.push_back(std::move(one));
            }
    CHECK(to_bytes(support::blend_of(history)).size() < 128 * 1024);
}

TEST_CASE("sections of best mode that are missing or do not belong are refused") {
    const auto blend = sections_of(conditioned());
    for (const char* name : {"BLND", "OBSV"}) {
        CAPTURE(name);
        auto missing = blend;
        std::erase_if(missing, [&](const section& each) { return each.name == name; });
        check_refused(from_bytes(assembled(missing)), errc::invalid_model);
    }
    auto both = blend;
    both.push_back(named(both, "OBSV"));
    check_refused(from_bytes(assembled(both)), errc::invalid_model, {"twice"});
    auto mixed = blend;
    auto network = sections_of(support::random_model());
    mixed.push_back(named(network, "NETW"));
    check_refused(from_bytes(assembled(mixed)), errc::invalid_model);
    auto shapes = sections_of(cold());
    mixed = blend;
    mixed.push_back(named(shapes, "SHAP"));
    check_refused(from_bytes(assembled(mixed)), errc::invalid_model);
}

TEST_CASE("observed runs of another schema are refused") {
    auto sections = sections_of(conditioned());
    auto foreign = sections_of(
        *cold_start(context{.essential = {text("a", "b")}})
             ->condition(std::vector<run>{{.context = {.essential = {text("a", "b")}}, .scale_out = 2, .runtime_s = 3}}));
    named(sections, "OBSV") = named(foreign, "OBSV");
    check_refused(from_bytes(assembled(sections)), errc::invalid_model, {"observed"});
}

// What an editor with a checksum tool could do: the model is refused, or it answers, but nothing else happens.
TEST_CASE("numbers overwritten in a section are refused or answered for, never a crash") {
    const auto job = support::made_up_context(30);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    std::size_t refused = 0;
    std::size_t accepted = 0;
    for (const auto* subject : {&conditioned(), &cold()}) {
        const auto clean = sections_of(*subject);
        for (std::size_t s = 0; s < clean.size(); ++s) {
            // A prime step meets every alignment and field in time.
            for (std::size_t at = 0; at + 8 <= clean[s].content.size(); at += 23) {
                for (const double value : {nan, infinity, -1.0, 0.0, 1e300, -1e300, 1e-300}) {
                    auto sections = clean;
                    overwrite(sections[s].content, at, value);
                    const auto loaded = from_bytes(assembled(sections));
                    ++(loaded ? accepted : refused);
                    if (!loaded) continue;
                    const auto runtimes = loaded->bind(job);
                    if (!runtimes) continue;
                    for (const int x : {1, 4, 1000}) {
                        const auto answer = runtimes->at(x);
                        REQUIRE_FALSE(std::isnan(answer.median_s));
                        REQUIRE(answer.quantile_s(0.9) >= answer.quantile_s(0.1));
                    }
                }
            }
        }
    }
    CHECK(refused > 100);
    CHECK(accepted > 100);
}

TEST_CASE("a mean of logarithms that is no logarithm of a number is refused") {
    const auto with_mean = [](double mean) {
        return from_bytes(support::altered_blend([&](detail::blend_data& data) {
            const auto size = std::find_if(data.features.columns.begin(), data.features.columns.end(),
                                           [](const auto& each) { return each.logarithm; });
            REQUIRE(size != data.features.columns.end());
            size->mean = mean;
        }));
    };
    check_refused(with_mean(-700), errc::self_test_failed);  // it is one, but another
    for (const double mean : {-1e190, 1e190, 800.0}) check_refused(with_mean(mean), errc::invalid_model, {"BLND"});
}

TEST_CASE("a best mode without a context to complete unknown values by is refused") {
    for (const std::size_t contexts : {std::size_t{0}, std::size_t{1000}})
        check_refused(
            from_bytes(support::altered_blend([&](detail::blend_data& data) { data.process_contexts = contexts; })),
            errc::invalid_model, {"BLND"});
}

TEST_CASE("every truncation of a section of best mode is refused") {
    for (const auto* subject : {&conditioned(), &cold()}) {
        const auto clean = sections_of(*subject);
        for (const char* name : {"BLND", "SHAP", "OBSV"}) {
            for (std::size_t s = 0; s < clean.size(); ++s) {
                if (clean[s].name != name) continue;
                for (std::size_t size = 0; size < clean[s].content.size(); size += 7) {
                    auto sections = clean;
                    sections[s].content.resize(size);
                    REQUIRE_FALSE(from_bytes(assembled(sections)).has_value());
                }
            }
        }
    }
}

TEST_CASE("no flipped bit and no truncation of a released model is accepted") {
    for (const std::string name : {"best", "network", "shapes"}) {
        auto read = detail::read_file(BELLAMY_GOLDEN_DIR "/models/1.0/" + name + ".bellamy", 1 << 20);
        REQUIRE(read);
        auto& bytes = *read;
        REQUIRE(from_bytes(bytes));
        for (std::size_t size = 0; size < bytes.size(); ++size) REQUIRE_FALSE(from_bytes(std::span(bytes).first(size)));
        for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
            const auto mask = std::byte{1} << (bit % 8);
            bytes[bit / 8] ^= mask;
            REQUIRE_FALSE(from_bytes(bytes));
            bytes[bit / 8] ^= mask;
        }
        MESSAGE(name << ": " << bytes.size() << " truncations and " << 8 * bytes.size() << " flipped bits refused");
    }
}
