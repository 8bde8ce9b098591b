#include <bellamy/error.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

using namespace bellamy;

namespace {

template <class Value, class Other>
concept has_other = requires(const result<Value>& subject, Other other) {
    subject.value_or(other);
};
// Only what the value may be written as, not what a constructor would make something else of: five strings.
static_assert(has_other<int, int> && has_other<std::string, const char*>);
static_assert(!has_other<std::vector<std::string>, int>);
// What a temporary hands out is a value of its own.
static_assert(std::is_same_v<decltype(std::declval<result<std::string>>().value()), std::string>);
static_assert(std::is_same_v<decltype(*std::declval<result<std::string>>()), std::string>);

}  // namespace

TEST_CASE("every error code has a spelled name of its own") {
    std::set<std::string_view> names;
    int named = 0;
    for (int code = 0; code < 256; ++code) {
        const auto name = to_string(static_cast<errc>(code));
        if (name == "unknown") continue;
        ++named;
        names.insert(name);
    }
    CHECK(named >= 27);
    CHECK(static_cast<std::size_t>(named) == names.size());
}

TEST_CASE("the numbers of error codes never change") {
    CHECK(static_cast<int>(errc::ok) == 0);
    CHECK(static_cast<int>(errc::empty_history) == 1);
    CHECK(static_cast<int>(errc::too_many_properties) == 10);
    CHECK(static_cast<int>(errc::essential_count_mismatch) == 20);
    CHECK(static_cast<int>(errc::unit_mismatch) == 23);
    CHECK(static_cast<int>(errc::invalid_deadline) == 30);
    CHECK(static_cast<int>(errc::invalid_option) == 33);
    CHECK(static_cast<int>(errc::training_diverged) == 40);
    CHECK(static_cast<int>(errc::worker_lost) == 41);
    CHECK(static_cast<int>(errc::cannot_read) == 50);
    CHECK(static_cast<int>(errc::invalid_model) == 56);
}

TEST_CASE("an error keeps its code and text and cuts a text that is too long") {
    const error short_one(errc::invalid_weight, "expected this, found that");
    CHECK(short_one.code() == errc::invalid_weight);
    CHECK(short_one.message() == "expected this, found that");
    const std::string long_text(1000, 'x');
    CHECK(error(errc::invalid_weight, long_text).message() == long_text.substr(0, error::capacity));
}

TEST_CASE("a result is a value or an error") {
    const result<int> value = 7;
    CHECK(value.has_value());
    CHECK(static_cast<bool>(value));
    CHECK(*value == 7);
    CHECK(value.value() == 7);

    const result<int> refused = error(errc::empty_history, "expected one, found none");
    CHECK_FALSE(refused.has_value());
    CHECK_FALSE(static_cast<bool>(refused));
    CHECK(refused.error().code() == errc::empty_history);

    const result<void> done;
    CHECK(done.has_value());
    const result<void> not_done = error(errc::cannot_write, "expected space, found none");
    CHECK_FALSE(not_done.has_value());
    CHECK(not_done.error().message() == "expected space, found none");
}

TEST_CASE("a result gives another value where it has none") {
    const result<int> value = 7;
    const result<int> refused = error(errc::empty_history, "expected one, found none");
    CHECK(value.value_or(8) == 7);
    CHECK(refused.value_or(8) == 8);
    result<std::unique_ptr<int>> owner = std::make_unique<int>(9);
    CHECK(*std::move(owner).value_or(nullptr) == 9);
    CHECK(result<std::string>(error(errc::empty_history, "none")).value_or("other") == "other");
}

TEST_CASE("an error is written to any stream as its code and message") {
    const error cause(errc::empty_history, "expected one, found none");
    std::ostringstream text;
    text << cause << '!';
    CHECK(text.str() == "empty_history: expected one, found none!");
    struct {
        std::string all{};
        auto& operator<<(std::string_view words) { return all += words, *this; }
    } own;
    own << cause << std::string_view("!");
    CHECK(own.all == text.str());
}

TEST_CASE("a result hands out values that can only be moved") {
    result<std::unique_ptr<int>> first = std::make_unique<int>(1);
    CHECK(**first == 1);
    const auto moved = *std::move(first);
    CHECK(*moved == 1);
    const auto from_value = result<std::unique_ptr<int>>(std::make_unique<int>(2)).value();
    CHECK(*from_value == 2);

    result<std::string> words = std::string("ab");
    *words += 'c';
    words.value() += 'd';
    CHECK(words->size() == 4);
}

TEST_CASE("a reference to the value of a temporary result does not dangle") {
    const auto make = [](int number) { return result<std::shared_ptr<int>>(std::make_shared<int>(number)); };
    const auto& from_value = make(1).value();
    const auto& from_star = *make(2);
    CHECK(from_value.use_count() == 1);
    CHECK(*from_value == 1);
    CHECK(*from_star == 2);
    const auto fail = [] { return result<int>(error(errc::corrupted, "expected one, found another")); };
    const auto& cause = fail().error();
    CHECK(cause.message() == "expected one, found another");
    static_assert(std::is_same_v<decltype(fail().error()), error>);
    static_assert(std::is_same_v<decltype(result<void>().error()), error>);
    const auto words = [] { return result<std::vector<std::string>>(std::vector<std::string>{"a", "b"}); };
    std::string all;
    for (const auto& each : words().value()) all += each;
    CHECK(all == "ab");
}

TEST_CASE("asking for the value of an error throws the code and the message") {
    const error cause(errc::empty_history, "expected one, found none");
    const auto check = [&](const auto& refused) {
        try {
            (void)refused.value();
            FAIL("no exception");
        } catch (const failure& thrown) {
            CHECK(std::string(thrown.what()) == "empty_history: expected one, found none");
            CHECK(thrown.cause().code() == errc::empty_history);
            CHECK(thrown.cause().message() == "expected one, found none");
        }
    };
    check(result<int>(cause));
    check(result<void>(cause));
}

TEST_CASE("results are chained as the standard's expected is, and the first error ends the chain") {
    const auto half = [](int number) {
        return number % 2 == 0 ? result<int>(number / 2) : error(errc::invalid_option, "expected an even number, found one");
    };
    const auto text = [](int number) { return std::to_string(number); };
    const result<int> eight = 8;
    CHECK(*eight.and_then(half).and_then(half).transform(text) == "2");
    CHECK(eight.or_else([](const error&) { return result<int>(1); }).value_or(0) == 8);
    int asked = 0;
    const auto counted = [&](int number) { return ++asked, half(number); };
    const auto refused = result<int>(6).and_then(half).and_then(counted).and_then(counted).transform(text);
    CHECK(refused.error().code() == errc::invalid_option);
    CHECK(asked == 1);
    CHECK(*result<int>(3).and_then(half).or_else([](const error& cause) {
        return result<int>(static_cast<int>(cause.code()));
    }) == static_cast<int>(errc::invalid_option));
    // What cannot be copied is moved along.
    auto owned = result<std::unique_ptr<int>>(std::make_unique<int>(5)).transform([](std::unique_ptr<int> number) {
        return *number + 1;
    });
    CHECK(*owned == 6);
}

TEST_CASE("a change that returns nothing leaves success or the error, as it does with the standard's expected") {
    int told = 0;
    const auto tell = [&](int number) { told += number; };
    const result<int> three = 3;
    const result<int> refused = error(errc::invalid_option, "expected an option, found none");
    static_assert(std::is_same_v<decltype(three.transform(tell)), result<void>>);
    CHECK(three.transform(tell).has_value());
    CHECK(result<int>(4).transform(tell).has_value());
    CHECK(told == 7);
    CHECK(refused.transform(tell).error().code() == errc::invalid_option);
    CHECK(result<int>(refused).transform(tell).error().code() == errc::invalid_option);
    const auto count = [&] { ++told; };
    static_assert(std::is_same_v<decltype(result<void>().transform(count)), result<void>>);
    CHECK(result<void>().transform(count).transform(count).has_value());
    CHECK(told == 9);
    CHECK(refused.transform(tell).transform(count).error().code() == errc::invalid_option);
    CHECK(told == 9);
    // What refers to something is a value of its own.
    const std::string name = "a";
    static_assert(
        std::is_same_v<decltype(three.transform([&](int) -> const std::string& { return name; })), result<std::string>>);
}

TEST_CASE("copies, moves and assignments of a result keep one value each, and give it back") {
    const auto value = std::make_shared<int>(1);
    using shared = result<std::shared_ptr<int>>;
    const error cause(errc::cannot_read, "none");
    {
        shared first = value;
        shared copy = first;
        CHECK(value.use_count() == 3);
        shared moved = std::move(copy);
        CHECK(value.use_count() == 3);
        CHECK(**moved == 1);
        first = cause;  // a value gives way to an error, and an error to a value
        CHECK(value.use_count() == 2);
        CHECK(first.error().message() == "none");
        first = moved;
        CHECK(value.use_count() == 3);
        const auto& itself = first;
        first = itself;
        CHECK(value.use_count() == 3);
        shared other = cause;
        first = other;
        CHECK(first.error().code() == errc::cannot_read);
        CHECK(value.use_count() == 2);
    }
    CHECK(value.use_count() == 1);
    static_assert(std::is_copy_constructible_v<shared> && !std::is_copy_constructible_v<result<std::unique_ptr<int>>>);
    static_assert(std::is_nothrow_move_assignable_v<result<std::unique_ptr<int>>>);
}

TEST_CASE("results without a value are chained, too") {
    int asked = 0;
    const auto counted = [&] { return ++asked, result<void>(); };
    const auto refuse = [] { return result<void>(error(errc::invalid_option, "expected an option, found none")); };
    CHECK(result<void>().and_then(counted).and_then(counted).has_value());
    CHECK(asked == 2);
    CHECK(result<void>().and_then(refuse).and_then(counted).error().code() == errc::invalid_option);
    CHECK(asked == 2);
    CHECK(*result<void>().and_then([] { return result<int>(4); }) == 4);
    CHECK(*result<void>().transform([] { return 5; }) == 5);
    CHECK(refuse().transform([] { return 5; }).error().code() == errc::invalid_option);
    CHECK(refuse().or_else([](const error&) { return result<void>(); }).has_value());
    CHECK(result<void>().or_else([&](const error&) { return refuse(); }).has_value());
    static_assert(!std::is_convertible_v<std::true_type, result<void>>);
    static_assert(sizeof(result<void>) == sizeof(error) + 1);
}

#if defined(__cpp_lib_expected)
TEST_CASE("a result becomes the standard's expected, where that exists") {
    const std::expected<int, error> value = result<int>(7);
    CHECK(value == 7);
    const result<int> refused = error(errc::empty_history, "expected one, found none");
    const std::expected<int, error> none = refused;
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().code() == errc::empty_history);
}
#endif
