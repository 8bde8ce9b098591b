#include <bellamy/cold_start.hpp>
#include <bellamy/model_store.hpp>

#include "support/altered_blend.hpp"
#include "support/compare.hpp"
#include "support/made_up_blend.hpp"
#include "support/model_bytes.hpp"
#include "support/temporary_directory.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#endif

using namespace bellamy;
using support::check_refused;
using support::random_model;
using support::temporary_directory;

namespace {

/// A model of which every version answers otherwise; the number can be read from it.
[[nodiscard]] model version_number(std::uint32_t number) {
    const auto like = random_model(number + 1);
    auto basis = like.basis();
    basis.runs = number;
    return {like.schema(), basis, like.parameters()};
}
[[nodiscard]] std::uint32_t number_of(const model& subject) { return subject.basis().runs; }

/// What is put in the folder by others than a store.
void put(const temporary_directory& folder, const std::string& name, const model& subject) {
    REQUIRE(save(subject, folder / (name + ".bellamy")));
}

[[nodiscard]] double answer_of(const model& subject, int scale_out = 4) {
    return subject.bind(support::made_up_context(30))->at(scale_out).median_s;
}

[[nodiscard]] bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Asks a model from several threads at once.
void check_answers_of_threads(const model& subject, double expected) {
    std::vector<double> answers(6);
    std::vector<std::thread> threads;
    threads.reserve(answers.size());
    for (auto& each : answers) threads.emplace_back([&] { each = answer_of(subject); });
    for (auto& each : threads) each.join();
    for (const double each : answers) CHECK(same_bits(each, expected));
}

[[nodiscard]] std::size_t bytes_of_one() { return detail::memory_of(version_number(0)); }

}  // namespace

TEST_CASE("a model store loads a model when it is asked for, once, and hands out what it holds") {
    const temporary_directory folder;
    put(folder, "sort", version_number(7));
    model_store store(folder / "");
    CHECK(store.counters().loads == 0);
    const auto first = store.get("sort");
    REQUIRE(first);
    CHECK(number_of(**first) == 7);
    CHECK(*store.get("sort") == *first);
    const auto now = store.counters();
    CHECK(now.loads == 1);
    CHECK(now.hits == 1);
    CHECK(now.models == 1);
    CHECK(now.bytes == detail::memory_of(**first));
}

TEST_CASE("no name leads out of a model store's folder") {
    const temporary_directory folder;
    put(folder, "outside", version_number(1));
    std::filesystem::create_directory(folder / "inner");
    model_store store(folder / "inner");
    const std::string longest(128, 'x');
    const std::string too_long = longest + "x";
    for (const std::string_view name :
         {std::string_view("../outside"), std::string_view(".."), std::string_view("."), std::string_view(),
          std::string_view("/etc/passwd"), std::string_view("a/b"), std::string_view("a\\b"),
          std::string_view("out\0side", 8), std::string_view("c:x"), std::string_view(".hidden"),
          std::string_view("line\nbreak"), std::string_view("\xff\xfe"), std::string_view(too_long)}) {
        CAPTURE(name);
        check_refused(store.get(name), errc::invalid_option);
        check_refused(store.exchange(name, version_number(1)), errc::invalid_option);
        check_refused(store.roll_back(name), errc::invalid_option);
    }
    CHECK(store.exchange("Größe 2.0 (new)", version_number(2)));
    CHECK(store.get("Größe 2.0 (new)"));
    CHECK(store.exchange(longest, version_number(2)));
    CHECK(store.exchange(longest, version_number(3)));
}

TEST_CASE("a file that is none or broken is an answer of the model store, and takes no memory") {
    const temporary_directory folder;
    model_store store(folder / "");
    check_refused(store.get("nobody"), errc::model_not_found, {"nobody"});
    put(folder, "torn", version_number(1));
    auto bytes = support::read_text(folder / "torn.bellamy");
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    support::write_text(folder / "torn.bellamy", bytes);
    check_refused(store.get("torn"), errc::corrupted, {"model torn: "});
    support::write_text(folder / "text.bellamy", "no model");
    check_refused(store.get("text"), errc::not_a_model);
    std::filesystem::create_directory(folder / "folder.bellamy");
    check_refused(store.get("folder"), errc::cannot_read);
    CHECK(store.counters().failures == 4);
    CHECK(store.counters().bytes == 0);
    put(folder, "torn", version_number(2));
    CHECK(store.get("torn"));
}

TEST_CASE("a file of a foreign machine is refused by a model store, and the test is not repeated after an eviction") {
    const temporary_directory folder;
    auto sections = support::sections_of(version_number(1));
    auto& own = support::named(sections, "SELF").content;
    auto questions = *detail::read_section<std::vector<detail::self_test_question>>(detail::byte_reader(own), "SELF");
    questions.at(0).answers[0].median_s *= 2;
    const auto altered = detail::content_of(questions);
    own.assign(altered.bytes().begin(), altered.bytes().end());
    const auto foreign = support::assembled(sections);
    REQUIRE(detail::write_file(folder / "foreign.bellamy", foreign));
    model_store store(folder / "", {.most_bytes = 1});
    check_refused(store.get("foreign"), errc::self_test_failed);
    put(folder, "own", version_number(2));
    REQUIRE(store.get("own"));
    put(folder, "other", version_number(3));
    REQUIRE(store.get("other"));
    REQUIRE(store.counters().evictions == 1);
    // The same name with other bytes is tested again.
    REQUIRE(detail::write_file(folder / "own.bellamy", foreign));
    check_refused(store.get("own"), errc::self_test_failed);
}

TEST_CASE("a file none of whose experts can answer is refused by a model store, and the version before stays") {
    const temporary_directory folder;
    REQUIRE(save(support::made_up_blend(), folder / "blend.bellamy"));
    model_store store(folder / "");
    const auto before = answer_of(**store.get("blend"));
    const auto silent = support::altered_blend([](detail::blend_data& data) {
        for (auto& each : data.components) each.weight = 0;
    });
    check_refused(from_bytes(silent), errc::invalid_model, {"expert"});
    REQUIRE(detail::write_file(folder / "blend.bellamy", silent));
    const auto found = store.refresh();
    REQUIRE(found.refused.size() == 1);
    CHECK(found.refused.front().cause.code() == errc::invalid_model);
    CHECK(same_bits(answer_of(**store.get("blend")), before));
}

TEST_CASE("a model store drops the least recently used, within its bound, and a snapshot outlives that") {
    const temporary_directory folder;
    for (std::uint32_t i = 0; i < 4; ++i) put(folder, std::to_string(i), version_number(i));
    model_store store(folder / "", {.most_bytes = 3 * bytes_of_one() + 100});
    const auto zero = *store.get("0");
    const auto before = answer_of(*zero);
    for (const auto* name : {"1", "2", "0", "3"}) REQUIRE(store.get(name));  // 1 is the least recently used
    auto now = store.counters();
    CHECK(now.evictions == 1);
    CHECK(now.models == 3);
    CHECK(now.bytes <= 3 * bytes_of_one() + 100);
    REQUIRE(store.get("0"));
    CHECK(store.counters().loads == now.loads);
    REQUIRE(store.get("1"));
    CHECK(store.counters().loads == now.loads + 1);
    for (const auto* name : {"2", "3", "1"}) REQUIRE(store.get(name));
    CHECK(same_bits(answer_of(*zero), before));
    CHECK(same_bits(answer_of(**store.get("0")), before));
}

TEST_CASE("the model asked for stays in a model store whose bound is too small for it") {
    const temporary_directory folder;
    for (std::uint32_t i = 0; i < 2; ++i) put(folder, std::to_string(i), version_number(i));
    model_store store(folder / "", {.most_bytes = 1});
    for (int repeat = 0; repeat < 3; ++repeat) {
        REQUIRE(store.get("0"));
        REQUIRE(store.get("0"));
        CHECK(store.counters().models == 1);
        REQUIRE(store.get("1"));
    }
    CHECK(store.counters().hits == 3);
}

TEST_CASE("refresh loads files that have changed, keeps models whose file is broken, and drops those without a file") {
    const temporary_directory folder;
    for (const auto* name : {"changed", "broken", "gone", "same", "touched"}) put(folder, name, version_number(1));
    model_store store(folder / "");
    const auto snapshot = *store.get("changed");
    for (const auto* name : {"broken", "gone", "same", "touched"}) REQUIRE(store.get(name));
    CHECK(store.refresh().renewed == 0);
    put(folder, "changed", version_number(2));
    put(folder, "touched", version_number(1));
    support::write_text(folder / "broken.bellamy", "no model");
    std::filesystem::remove(folder / "gone.bellamy");
    CHECK(number_of(**store.get("changed")) == 1);  // not looked at until asked to
    const auto found = store.refresh();
    CHECK(found.renewed == 1);
    CHECK(found.removed == 1);
    REQUIRE(found.refused.size() == 1);
    CHECK(found.refused.front().name == "broken");
    CHECK(found.refused.front().cause.code() == errc::not_a_model);
    CHECK(number_of(**store.get("changed")) == 2);
    CHECK(number_of(*snapshot) == 1);
    CHECK(number_of(**store.get("broken")) == 1);
    check_refused(store.get("gone"), errc::model_not_found);
    CHECK(store.counters().loads == 6);
    CHECK(store.counters().models == 4);
}

TEST_CASE("a file that was broken and is again what it was renews nothing, and another one does") {
    const temporary_directory folder;
    for (const auto* name : {"same", "other"}) put(folder, name, version_number(1));
    model_store store(folder / "");
    const auto snapshot = *store.get("same");
    REQUIRE(store.get("other"));
    for (const auto* name : {"same", "other"}) support::write_text(folder / (std::string(name) + ".bellamy"), "no model");
    CHECK(store.refresh().refused.size() == 2);
    put(folder, "same", version_number(1));
    put(folder, "other", version_number(2));
    const auto found = store.refresh();
    CHECK(found.renewed == 1);
    CHECK(found.refused.empty());
    CHECK(*store.get("same") == snapshot);
    CHECK(number_of(**store.get("other")) == 2);
    CHECK(store.counters().loads == 3);
    CHECK(store.refresh().renewed == 0);
}

TEST_CASE("an exchanged version is on the disk, and rolling back returns to the version before") {
    const temporary_directory folder;
    model_store store(folder / "");
    check_refused(store.roll_back("sort"), errc::model_not_found, {"model sort", "no file"});
    REQUIRE(store.exchange("sort", version_number(1)));
    check_refused(store.roll_back("sort"), errc::model_not_found, {"model sort", "version before"});
    const auto first = *store.get("sort");
    REQUIRE(store.exchange("sort", version_number(2)));
    REQUIRE(store.exchange("sort", version_number(3)));
    REQUIRE(store.exchange("sort", version_number(3)));  // the same again is no other version
    CHECK(number_of(**store.get("sort")) == 3);
    CHECK(number_of(*first) == 1);
    CHECK(store.counters().loads == 0);
    CHECK(store.refresh().renewed == 0);
    CHECK(number_of(*load(folder / "sort.bellamy")) == 3);
    REQUIRE(store.roll_back("sort"));
    CHECK(number_of(**store.get("sort")) == 2);
    model_store another(folder / "");
    CHECK(number_of(**another.get("sort")) == 2);
    REQUIRE(another.roll_back("sort"));
    CHECK(number_of(**another.get("sort")) == 3);
    CHECK(store.refresh().renewed == 1);
    CHECK(number_of(**store.get("sort")) == 3);
    // One file of each version, and nothing of those that were written on the way.
    const auto files = folder.listing();
    CHECK(std::count(files.begin(), files.end(), ' ') == 2);
}

TEST_CASE("no update of a model store is lost, whatever other threads publish") {
    const temporary_directory folder;
    model_store store(folder / "");
    const auto add_one = [](const model& now) { return result<model>(version_number(number_of(now) + 1)); };
    check_refused(store.update("counts", add_one), errc::model_not_found);
    REQUIRE(store.exchange("counts", version_number(0)));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 10; ++k) (void)store.update("counts", add_one);
        });
    for (auto& each : threads) each.join();
    CHECK(number_of(**store.get("counts")) == 40);
    CHECK(number_of(*load(folder / "counts.bellamy")) == 40);
    const auto refuse = [](const model&) { return result<model>(error(errc::empty_history, "expected a run, found none")); };
    check_refused(store.update("counts", refuse), errc::empty_history, {"model counts", "expected a run"});
    CHECK(number_of(**store.get("counts")) == 40);
}

TEST_CASE("of threads that bring the first runs of a job to a model store none loses them") {
    const temporary_directory folder;
    model_store store(folder / "");
    const auto add_one = [](const model& now) { return now.condition({support::made_up_run(55, 4)}); };
    for (const char* const job : {"a", "b", "c"}) {
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                const auto begin = [] { return cold_start(support::made_up_context(55)); };
                CHECK(store.update(job, add_one, begin));
            });
        for (auto& thread : threads) thread.join();
        CHECK((*store.get(job))->observed().size() == 4);
    }
    const auto refuse = [] { return result<model>(error(errc::empty_history, "expected a run, found none")); };
    check_refused(store.update("d", add_one, refuse), errc::empty_history, {"model d"});
    CHECK_FALSE(store.contains("d"));
}

TEST_CASE("a model store tells which models there are, and removes one with its versions") {
    const temporary_directory folder;
    put(folder, "by hand", version_number(1));
    support::write_text(folder / ".hidden.bellamy", "no model");
    support::write_text(folder / "notes.txt", "no model");
    model_store store(folder / "");
    REQUIRE(store.exchange("sort", version_number(2)));
    REQUIRE(store.exchange("sort", version_number(3)));
    std::filesystem::create_directory(folder / "no file.bellamy");
    CHECK(*store.names() == std::vector<std::string>{"by hand", "sort"});
    CHECK(store.contains("by hand"));
    CHECK_FALSE(store.contains("nobody"));
    CHECK_FALSE(store.contains("../sort"));
    const auto held = *store.get("sort");
    support::write_text(folder / "sort.bellamy", "damaged, so that it does not tell which version was before");
    REQUIRE(store.remove("sort"));
    CHECK_FALSE(store.contains("sort"));
    check_refused(store.get("sort"), errc::model_not_found);
    check_refused(store.remove("sort"), errc::model_not_found, {"sort"});
    check_refused(store.remove("../sort"), errc::invalid_option);
    CHECK(number_of(*held) == 3);
    CHECK(store.counters().models == 0);
    const auto files = folder.listing();
    CHECK(files.find("sort") == std::string::npos);
    CHECK(*store.names() == std::vector<std::string>{"by hand"});
}

TEST_CASE("a disk that fails drops no model from memory, and a model removed by others is forgotten") {
    const temporary_directory folder;
    std::filesystem::create_directory(folder / "models");
    model_store store(folder / "models");
    REQUIRE(store.exchange("sort", version_number(1)));
    std::filesystem::remove(folder / "models/sort.bellamy");
    std::filesystem::create_directory(folder / "models/sort.bellamy");  // neither a file nor nothing
    const auto found = store.refresh();
    CHECK(found.removed == 0);
    REQUIRE(found.refused.size() == 1);
    CHECK(found.refused.front().cause.code() == errc::cannot_read);
    CHECK(number_of(**store.get("sort")) == 1);
    // A folder that is out of reach is no folder whose models were removed.
    std::filesystem::rename(folder / "models", folder / "elsewhere");
    const auto nothing = store.refresh();
    CHECK(nothing.removed == 0);
    REQUIRE(nothing.refused.size() == 1);
    CHECK(nothing.refused.front().cause.code() == errc::cannot_read);
    CHECK(number_of(**store.get("sort")) == 1);
    std::filesystem::rename(folder / "elsewhere", folder / "models");
    std::filesystem::remove(folder / "models/sort.bellamy");
    check_refused(store.remove("sort"), errc::model_not_found);
    check_refused(store.get("sort"), errc::model_not_found);
}

TEST_CASE("a model that another process removes between a look and an act is not found, which is no fault of the disk") {
    using clock = std::chrono::steady_clock;
    const temporary_directory folder;
    model_store store(folder / "");
    const auto next = version_number(1);
    constexpr std::size_t rounds = 900;
    std::array<std::chrono::nanoseconds, 3> removed_after{};  // for each of the acts below
    clock::time_point begin;
    std::atomic<std::size_t> begun = 0;
    std::atomic<std::size_t> ended = 0;
    std::thread other([&] {
        for (std::size_t i = 0; i < rounds; ++i) {
            while (begun <= i) std::this_thread::yield();
            while (clock::now() < begin + removed_after[i % 3]) continue;
            std::filesystem::remove(folder / (std::to_string(i) + ".bellamy"));
            ++ended;
        }
    });
    std::set<errc> found;
    const auto code_of = [](const auto& done) { return done ? errc::ok : done.error().code(); };
    for (std::size_t i = 0; i < rounds; ++i) {
        const auto name = std::to_string(i);
        support::write_text(folder / (name + ".bellamy"), "no model");
        begin = clock::now() + std::chrono::microseconds(20);
        ++begun;
        while (clock::now() < begin) continue;
        const auto code = i % 3 == 0   ? code_of(store.remove(name))
                          : i % 3 == 1 ? code_of(store.get(name))
                                       : code_of(store.exchange(name, next));
        while (ended <= i) std::this_thread::yield();
        found.insert(code);
        // The other comes sooner after an act that found the file, else later: so it meets the act in its middle.
        if (i % 3 < 2) removed_after[i % 3] += std::chrono::nanoseconds(code == errc::model_not_found ? 200 : -200);
        removed_after[2] = removed_after[1];
    }
    other.join();
    for (const auto code : found) CHECK((code == errc::ok || code == errc::model_not_found || code == errc::not_a_model));
}

TEST_CASE("rolling back from a damaged file writes the model in memory") {
    const temporary_directory folder;
    model_store store(folder / "");
    REQUIRE(store.exchange("sort", version_number(1)));
    REQUIRE(store.exchange("sort", version_number(2)));
    support::write_text(folder / "sort.bellamy", "no model");
    CHECK(store.refresh().refused.size() == 1);
    REQUIRE(store.roll_back("sort"));
    CHECK(number_of(*load(folder / "sort.bellamy")) == 2);
    REQUIRE(store.roll_back("sort"));
    CHECK(number_of(**store.get("sort")) == 1);
}

TEST_CASE("an exchange that cannot be written leaves the version before, in memory and on the disk") {
    const temporary_directory folder;
    model_store store(folder / "");
    REQUIRE(store.exchange("sort", version_number(1)));
    model_store nowhere(folder / "missing");
    check_refused(nowhere.exchange("sort", version_number(2)), errc::cannot_write,
                  {"model sort", "a folder that exists", "found none at"});
    check_refused(nowhere.get("sort"), errc::cannot_read, {"model sort", "a folder that exists", "missing"});
    check_refused(nowhere.remove("sort"), errc::cannot_read, {"model sort", "a folder that exists", "missing"});
    check_refused(nowhere.roll_back("sort"), errc::cannot_read, {"model sort", "a folder that exists", "missing"});
    // A job's first run does not start a model where the folder of all others is out of reach.
    const auto learn = [](const model& now) -> result<model> { return now; };
    check_refused(nowhere.update("sort", learn, [] { return result<model>(version_number(1)); }), errc::cannot_read);
    check_refused(nowhere.names(), errc::cannot_read, {"missing"});
    std::filesystem::rename(folder / "sort.bellamy", folder / "aside");
    std::filesystem::create_directory(folder / "sort.bellamy");  // no file can take its place
    check_refused(store.exchange("sort", version_number(2)), errc::cannot_write);
    CHECK(number_of(**store.get("sort")) == 1);
}

TEST_CASE("however many threads ask for a model at once, a model store loads it once") {
    const temporary_directory folder;
    REQUIRE(save(support::made_up_blend(), folder / "blend.bellamy"));
    for (int round = 0; round < 5; ++round) {
        model_store store(folder / "");
        std::vector<model_store::snapshot> got(8);
        std::vector<std::thread> threads;
        for (auto& each : got) threads.emplace_back([&] { each = store.get("blend").value(); });
        for (auto& each : threads) each.join();
        for (const auto& each : got) CHECK(each == got.front());
        CHECK(store.counters().loads == 1);
        CHECK(store.counters().hits <= 7);
    }
}

TEST_CASE("a model that was dropped and loaded again answers several threads at once with the bits of before") {
    const temporary_directory folder;
    REQUIRE(save(support::made_up_blend(), folder / "blend.bellamy"));
    put(folder, "other", version_number(1));
    model_store store(folder / "", {.most_bytes = 1});
    const auto before = answer_of(**store.get("blend"));
    REQUIRE(store.get("other"));
    const auto again = *store.get("blend");
    REQUIRE(store.counters().evictions == 2);
    check_answers_of_threads(*again, before);
}

TEST_CASE(
    "beyond its bound a model store first takes from models what they can compute again, and they give the same bits") {
    const temporary_directory folder;
    constexpr std::size_t models = 12;
    const auto hot = detail::memory_of(support::made_up_blend());
    const auto cold = detail::memory_when_cold(support::made_up_blend());
    for (std::size_t i = 0; i < models; ++i)
        REQUIRE(save(support::made_up_blend(), folder / (std::to_string(i) + ".bellamy")));
    constexpr std::size_t asked = 5;  // may have been, and the others are in memory too
    const auto most_bytes = asked * hot + (models - asked) * cold + hot / 2;
    REQUIRE(2 * models * cold < most_bytes);
    model_store store(folder / "", {.most_bytes = most_bytes});
    const auto first = *store.get("0");
    const auto before = answer_of(*first);
    for (int round = 0; round < 3; ++round)
        for (std::size_t i = 0; i < models; ++i) CHECK(same_bits(answer_of(**store.get(std::to_string(i))), before));
    const auto now = store.counters();
    CHECK(now.models == models);
    CHECK(now.loads == models);
    CHECK(now.evictions == 0);
    CHECK(now.cooled == 3 * models - asked);
    CHECK(now.bytes <= most_bytes);
    CHECK(now.bytes > (asked - 1) * hot + (models - asked + 1) * cold);
    CHECK(same_bits(answer_of(*first), before));

    // Several threads that ask a model which was cooled compute its experts at once.
    const auto again = *store.get("5");
    CHECK(again != first);
    check_answers_of_threads(*again, before);
}

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
TEST_CASE("the bytes that a model store counts are about those that its models take on the heap") {
    const auto heap = [] {
        const auto now = mallinfo2();
        return now.uordblks + now.hblkhd;
    };
    if (heap() == 0) return;  // a sanitizer's allocator does not tell
    constexpr std::size_t models = 8;
    const temporary_directory folder;
    for (std::size_t i = 0; i < models; ++i) {
        put(folder, "network-" + std::to_string(i), version_number(1));
        put(folder, "blend-" + std::to_string(i), support::made_up_blend());
    }
    for (const std::string kind : {"network-", "blend-"}) {
        CAPTURE(kind);
        // The second takes from all but two blends what they can compute again.
        const auto cold = detail::memory_when_cold(support::made_up_blend());
        for (const std::size_t most_bytes :
             {std::size_t{1} << 30U, 2 * detail::memory_of(support::made_up_blend()) + (models - 1) * cold}) {
            model_store store(folder / "", {.most_bytes = most_bytes});
            const auto before = heap();
            for (std::size_t i = 0; i < models; ++i) REQUIRE(store.get(kind + std::to_string(i)));
            const auto taken = static_cast<double>(heap() - before);
            CHECK(static_cast<double>(store.counters().bytes) == doctest::Approx(taken).epsilon(0.2));
        }
    }
}
#endif

TEST_CASE("threads that ask, exchange, roll back, refresh and evict get whole versions, with the bits of a single thread") {
    constexpr std::uint32_t names = 6;
    constexpr std::uint32_t versions = 4;
    const temporary_directory folder;
    std::array<std::array<double, versions>, names> expected{};
    for (std::uint32_t n = 0; n < names; ++n)
        for (std::uint32_t v = 0; v < versions; ++v) expected[n][v] = answer_of(version_number(10 * n + v));
    for (std::uint32_t n = 0; n < names; ++n) put(folder, std::to_string(n), version_number(10 * n));
    model_store store(folder / "", {.most_bytes = 3 * bytes_of_one()});
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    const auto start = [&](auto work) { threads.emplace_back(work); };
    for (std::uint32_t t = 0; t < 4; ++t)
        start([&, t] {
            for (std::uint32_t i = 0; i < 400; ++i) {
                const auto name = (i * (t + 1) + t) % names;
                const auto got = store.get(std::to_string(name));
                if (!got) {
                    ++wrong;
                    continue;
                }
                const auto number = number_of(**got);
                if (number / 10 != name || !same_bits(answer_of(**got), expected[name][number % 10])) ++wrong;
            }
        });
    for (std::uint32_t t = 0; t < 2; ++t)
        start([&, t] {
            for (std::uint32_t i = 0; i < 24; ++i) {
                const auto name = (2 * i + t) % 4;  // both write 0 and 2; nobody writes 4 and 5
                if (!store.exchange(std::to_string(name), version_number(10 * name + i % versions))) ++wrong;
                if (i % 6 == 5 && !store.roll_back(std::to_string(name))) ++wrong;
            }
        });
    start([&] {
        for (int i = 0; i < 50; ++i)
            if (!store.refresh().refused.empty()) ++wrong;
    });
    for (auto& each : threads) each.join();
    CHECK(wrong == 0);
    const auto now = store.counters();
    CHECK(now.failures == 0);
    CHECK(now.evictions > 0);
    CHECK(now.bytes <= 3 * bytes_of_one());
    for (const auto name : {4U, 5U}) CHECK(same_bits(answer_of(**store.get(std::to_string(name))), expected[name][0]));
}

#if defined(__unix__)
TEST_CASE("kill -9 in the middle of an exchange loses neither the valid version nor the one before") {
    const temporary_directory folder;
    std::chrono::nanoseconds one_exchange{};
    {
        model_store store(folder / "");
        REQUIRE(store.exchange("sort", version_number(1)));
        const auto begin = std::chrono::steady_clock::now();
        REQUIRE(store.exchange("sort", version_number(2)));
        one_exchange = std::chrono::steady_clock::now() - begin;
    }
    std::vector<model> versions;
    versions.reserve(64);
    for (std::uint32_t i = 0; i < 64; ++i) versions.push_back(version_number(i));
    std::uint32_t first = 2;
    for (int round = 0; round < 12; ++round) {
        std::array<int, 2> progress{};
        REQUIRE(pipe(progress.data()) == 0);
        const auto child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            model_store store(folder / "");
            for (std::uint32_t i = first + 1; i < versions.size(); ++i)
                if (!store.exchange("sort", versions[i]) || write(progress[1], "x", 1) != 1) break;
            while (true) pause();
        }
        char seen = 0;
        CHECK(read(progress[0], &seen, 1) == 1);  // the first exchange is done; the second is somewhere in between
        std::this_thread::sleep_for(one_exchange * round / 8);
        REQUIRE(kill(child, SIGKILL) == 0);
        REQUIRE(waitpid(child, nullptr, 0) == child);
        (void)close(progress[0]);
        (void)close(progress[1]);

        model_store store(folder / "");
        const auto valid = store.get("sort");
        REQUIRE(valid);
        const auto now = number_of(**valid);
        CHECK(now > first);
        REQUIRE(store.roll_back("sort"));
        CHECK(number_of(**store.get("sort")) == now - 1);
        REQUIRE(store.roll_back("sort"));
        CHECK(number_of(**store.get("sort")) == now);
        first = now;
        if (first + 1 >= versions.size()) break;
    }
}
#endif
