#include <bellamy/detail/context/features_fit.hpp>

#include <doctest/doctest.h>

using namespace bellamy;

namespace {

run run_of(std::vector<property> essential, int scale_out, std::vector<property> optional = {}) {
    return {.context = {.essential = std::move(essential), .optional = std::move(optional)},
            .scale_out = scale_out,
            .runtime_s = 1};
}

const detail::feature_column* column_of(const detail::feature_map& map, std::string_view name, std::size_t skip = 0) {
    for (const auto& each : map.columns)
        if (each.property == name && skip-- == 0) return &each;
    return nullptr;
}

std::vector<run> sizes_and_machines() {
    const auto of = [](std::uint64_t size, std::string machine, int scale_out) {
        return run_of(
            {natural("size", size).with_role(property_role::data_size), text("machine", std::move(machine)),
             text("numbers", std::to_string(size % 7) + " 0.5"), quantity("offset", 0.5 * static_cast<double>(size) - 5)},
            scale_out, {natural("memory", 4).with_role(property_role::memory_per_node)});
    };
    return {of(4, "m", 2), of(4, "m", 4), of(4, "m", 8), of(16, "c", 2), of(64, "m", 4), of(64, "m", 4)};
}

}  // namespace

TEST_CASE("numbers become logarithms where all are positive, standardised over contexts and scale-outs") {
    const auto history = sizes_and_machines();
    const auto map = detail::make_feature_map(detail::group_runs(history));
    const auto* size = column_of(map, "size");
    REQUIRE(size != nullptr);
    CHECK(size->logarithm);
    // Three scale-outs of 4, one of 16, one of 64, which was run twice there.
    const std::vector<double> logs{std::log(4), std::log(4), std::log(4), std::log(16), std::log(64)};
    double mean = 0;
    double variance = 0;
    for (const double each : logs) mean += each / 5;
    for (const double each : logs) variance += (each - mean) * (each - mean) / 5;
    CHECK(size->mean == doctest::Approx(mean));
    CHECK(size->deviation == doctest::Approx(std::sqrt(variance)));
    CHECK(size->lowest == doctest::Approx(std::log(4)));
    CHECK(size->highest == doctest::Approx(std::log(64)));
    const auto* offset = column_of(map, "offset");
    REQUIRE(offset != nullptr);
    CHECK_FALSE(offset->logarithm);
    CHECK(offset->lowest == -3);
    CHECK(offset->highest == 27);

    const auto features = map(history[3].context);
    CHECK_FALSE(features.unlike_any_seen);
    const auto index = static_cast<std::size_t>(size - map.columns.data());
    CHECK(features.values[index] == doctest::Approx((std::log(16) - mean) / std::sqrt(variance)));
}

TEST_CASE("a text becomes its numbers where every one has as many, else categories, and what is constant goes") {
    const auto map = detail::make_feature_map(detail::group_runs(sizes_and_machines()));
    const auto* first = column_of(map, "numbers");
    REQUIRE(first != nullptr);
    CHECK(first->source == detail::feature_source::token);
    CHECK(first->token == 0);
    // The second number is 0.5 everywhere, and so is the memory.
    CHECK(column_of(map, "numbers", 1) == nullptr);
    CHECK(column_of(map, "memory") == nullptr);
    const auto* c = column_of(map, "machine");
    const auto* m = column_of(map, "machine", 1);
    REQUIRE(c != nullptr);
    REQUIRE(m != nullptr);
    CHECK(c->source == detail::feature_source::category);
    CHECK(c->value == "c");
    CHECK(m->value == "m");
    CHECK(c->mean == doctest::Approx(0.2));
    CHECK(m->mean == doctest::Approx(0.8));
}

TEST_CASE("the pressure is data size over memory of one unit of scale-out") {
    const auto history = sizes_and_machines();
    const auto map = detail::make_feature_map(detail::group_runs(history));
    REQUIRE(map.has_pressure());
    CHECK(map.data_size == "size");
    CHECK(map.memory_per_node == "memory");
    CHECK(map.pressure_slope() == -1);
    CHECK(map(history[3].context).pressure == doctest::Approx(std::log(4)));
    // Sizes per unit of scale-out grow with it as the memory does.
    std::vector<run> per_unit{run_of({natural("size", 4).with_role(property_role::data_size).per_scale_out_unit(),
                                      natural("memory", 2).with_role(property_role::memory_per_node)},
                                     2)};
    CHECK(detail::make_feature_map(detail::group_runs(per_unit)).pressure_slope() == 0);
    // Named, but never positive.
    std::vector<run> zero{run_of({natural("size", 0).with_role(property_role::data_size),
                                  natural("memory", 2).with_role(property_role::memory_per_node)},
                                 2)};
    CHECK_FALSE(detail::make_feature_map(detail::group_runs(zero)).has_pressure());
}

TEST_CASE("a context is unlike any seen by a text never seen, another count of numbers, or a number half the range beyond") {
    const auto map = detail::make_feature_map(detail::group_runs(sizes_and_machines()));
    const auto asked = [&](std::uint64_t size, std::string machine, std::string numbers, double offset = 3) {
        return map({.essential = {natural("size", size), text("machine", std::move(machine)),
                                  text("numbers", std::move(numbers)), quantity("offset", offset)},
                    .optional = {natural("memory", 4)}});
    };
    CHECK_FALSE(asked(16, "m", "3 0.5").unlike_any_seen);
    CHECK(asked(16, "x", "3 0.5").unlike_any_seen);
    CHECK(asked(16, "x", "3 0.5").unseen_text);
    CHECK(asked(16, "m", "3").unlike_any_seen);
    CHECK(asked(16, "m", "words").unlike_any_seen);
    // From 4 to 64 is a factor of 16: half of that beyond is a factor of 4.
    CHECK_FALSE(asked(2, "m", "3 0.5").unlike_any_seen);
    CHECK_FALSE(asked(16, "m", "3 0.5", -3 - 15).unlike_any_seen);
    CHECK(asked(16, "m", "3 0.5", -3 - 15.1).unlike_any_seen);
    CHECK_FALSE(asked(4, "m", "3 0.5").outside_seen_sizes);
    CHECK_FALSE(asked(64, "m", "3 0.5").outside_seen_sizes);
    CHECK(asked(3, "m", "3 0.5").outside_seen_sizes);
    CHECK(asked(65, "m", "3 0.5").outside_seen_sizes);
    CHECK_FALSE(asked(16, "m", "3 0.5", -100).outside_seen_sizes);
    CHECK_FALSE(asked(255, "m", "3 0.5").unlike_any_seen);
    CHECK(asked(257, "m", "3 0.5").unlike_any_seen);
    CHECK_FALSE(asked(257, "m", "3 0.5").unseen_text);
    // All categories of a text never seen stand at their mean, and numbers end at ten deviations.
    const auto strange = asked(std::uint64_t{1} << 38U, "x", "3 0.5");
    double largest = 0;
    for (std::size_t i = 0; i < map.columns.size(); ++i) {
        if (map.columns[i].property == "machine") CHECK(strange.values[i] == 0);
        largest = (std::max)(largest, strange.values[i]);
    }
    CHECK(largest == 10);
}

TEST_CASE("of one size, and of sizes that hardly differ, another is unlike them beyond a factor of two") {
    const auto of = [](std::uint64_t size) {
        return run_of({natural("size", size).with_role(property_role::data_size)}, 4);
    };
    for (const auto& history : {std::vector{of(1000), of(1000)}, std::vector{of(1000), of(1010)}}) {
        const auto map = detail::make_feature_map(detail::group_runs(history));
        for (const std::uint64_t size : {505U, 1100U, 1990U}) {
            CAPTURE(size);
            CHECK_FALSE(map(of(size).context).unlike_any_seen);
            CHECK(map(of(size).context).outside_seen_sizes);
        }
        CHECK(map(of(490).context).unlike_any_seen);
        CHECK(map(of(20'000).context).unlike_any_seen);
        CHECK(map(of(0).context).unlike_any_seen);
        CHECK(map(of(0).context).outside_seen_sizes);
        auto unknown = of(1).context;
        unknown.essential[0].value = std::nullopt;
        CHECK_FALSE(map(unknown).unlike_any_seen);
        CHECK_FALSE(map(unknown).outside_seen_sizes);
    }
}

TEST_CASE("a size of 0 lies below every size seen, and is not taken for one that is not known") {
    const auto map = detail::make_feature_map(detail::group_runs(sizes_and_machines()));
    auto subject = sizes_and_machines().front().context;
    const auto asked = [&](property_value size) {
        subject.essential[0].value = std::move(size);
        return map(subject);
    };
    const auto at = static_cast<std::size_t>(column_of(map, "size") - map.columns.data());
    const auto none = asked(std::uint64_t{0});
    CHECK(none.unlike_any_seen);
    CHECK(none.outside_seen_sizes);
    CHECK(none.values[at] < asked(std::uint64_t{1}).values[at]);
    CHECK(std::isfinite(none.values[at]));
    CHECK_FALSE(asked(std::nullopt).outside_seen_sizes);
    CHECK(asked(std::nullopt).values[at] == 0);
}

TEST_CASE("of many texts the most frequent are told apart, but all of them are known") {
    std::vector<run> history;
    for (std::size_t i = 0; i < detail::most_categories + 6; ++i)
        for (int x = 1; x <= (i < 6 ? 1 : 2); ++x)
            history.push_back(run_of({text("name", std::string("n") + static_cast<char>('A' + i))}, x));
    const auto map = detail::make_feature_map(detail::group_runs(history));
    REQUIRE(map.columns.size() == detail::most_categories);
    for (std::size_t i = 0; i < map.columns.size(); ++i)
        CHECK(map.columns[i].value == std::string("n") + static_cast<char>('A' + i + 6));
    CHECK_FALSE(map(history[0].context).unlike_any_seen);
}

namespace {

run on_machine(std::string name, std::uint64_t cores, std::uint64_t memory, std::uint64_t size = 8) {
    return run_of({text("machine", std::move(name)).with_role(property_role::machine_type),
                   natural("cores", cores).with_role(property_role::cores_per_node),
                   natural("memory", memory).with_role(property_role::memory_per_node),
                   natural("size", size).with_role(property_role::data_size)},
                  4);
}

}  // namespace

TEST_CASE("where every context has its cores, experts see slots, and memory is that of a core") {
    const std::vector history{on_machine("a", 2, 4), on_machine("b", 4, 32), on_machine("c", 8, 16)};
    const auto map = detail::make_feature_map(detail::group_runs(history));
    CHECK(map.cores_per_node == "cores");
    CHECK(map.machine_type == "machine");
    const auto* memory = column_of(map, "memory");
    REQUIRE(memory != nullptr);
    CHECK(memory->source == detail::feature_source::per_core);
    CHECK(memory->lowest == doctest::Approx(std::log(2)));
    CHECK(memory->highest == doctest::Approx(std::log(8)));
    CHECK(map(history[1].context).relative_cores == 2);
    // Of sixteen slots of the smallest machine and four of the third, both have 2 of memory for each core.
    CHECK(map(history[0].context).pressure == doctest::Approx(map(history[2].context).pressure));

    auto unknown_type = on_machine("d", 4, 32);
    CHECK(map(unknown_type.context).unlike_any_seen);
    CHECK_FALSE(map(unknown_type.context).unseen_text);
}

TEST_CASE("machines of as many cores are told apart by their memory, where nothing but clusters and sizes differs") {
    const std::vector history{on_machine("a", 4, 8), on_machine("b", 4, 32, 16), on_machine("c", 4, 16)};
    const auto map = detail::make_feature_map(detail::group_runs(history));
    CHECK(map.machine_type == "machine");
    const auto* memory = column_of(map, "memory");
    REQUIRE(memory != nullptr);
    CHECK(memory->source == detail::feature_source::per_core);
    // Another machine has half the cores, and as much memory for each of them as one that is known.
    CHECK(map(on_machine("d", 2, 4).context).values == map(on_machine("d", 4, 8).context).values);
    CHECK_FALSE(map(on_machine("d", 2, 4).context).unseen_text);

    const auto machine_type_beside = [&](const char* first, const char* other) {
        auto runs = history;
        for (auto& each : runs) each.context.essential.push_back(text("algorithm", other));
        runs[0].context.essential.back() = text("algorithm", first);
        return detail::make_feature_map(detail::group_runs(runs)).machine_type;
    };
    CHECK(machine_type_beside("sort", "sort") == "machine");
    CHECK(machine_type_beside("sort", "grep").empty());
    const std::vector alike{on_machine("a", 4, 8), on_machine("b", 4, 8, 16), on_machine("c", 4, 8)};
    CHECK(detail::make_feature_map(detail::group_runs(alike)).machine_type.empty());
}

TEST_CASE("a machine type never seen is what its cores and memory say, unless no other has about its memory of a core") {
    for (const std::uint64_t other_memory : {32U, 8U}) {
        CAPTURE(other_memory);
        const std::vector history{on_machine("a", 2, 4), on_machine("b", 4, other_memory), on_machine("c", 8, 16)};
        const auto map = detail::make_feature_map(detail::group_runs(history));
        CHECK_FALSE(map(on_machine("d", 16, 32).context).unseen_text);
        const auto half_the_memory = map(on_machine("d", 16, 4).context);
        CHECK(half_the_memory.unseen_text);
        CHECK(half_the_memory.unlike_any_seen);
        // A name that is known needs no description.
        CHECK_FALSE(map(on_machine("a", 16, 4).context).unseen_text);
    }
}

TEST_CASE(
    "cores that a context lacks, of a scale-out in cores, beside a size that scales or a thousandfold change no scale-out") {
    const std::vector history{on_machine("a", 2, 4), on_machine("b", 4, 32), on_machine("c", 8, 16)};
    const auto check_nodes = [](std::vector<run> runs) {
        const auto map = detail::make_feature_map(detail::group_runs(runs));
        for (auto& each : runs) CHECK(map(each.context).relative_cores == 1);
        const auto* memory = column_of(map, "memory");
        REQUIRE(memory != nullptr);
        CHECK(memory->source == detail::feature_source::number);
        for (auto& each : runs)
            for (auto& property : each.context.essential)
                if (property.role == property_role::cores_per_node) property.role = property_role::none;
        const auto without_role = detail::make_feature_map(detail::group_runs(runs));
        for (const auto& each : runs) {
            CHECK(map(each.context).values == without_role(each.context).values);
            CHECK(map(each.context).pressure == without_role(each.context).pressure);
        }
    };
    auto some_lack = history;
    some_lack[1].context.essential.erase(some_lack[1].context.essential.begin() + 1);
    check_nodes(some_lack);
    auto in_cores = history;
    for (auto& each : in_cores) each.context.unit = scale_out_unit::core;
    check_nodes(in_cores);
    auto scaling = history;
    for (auto& each : scaling) each.context.essential[3].scales_with_scale_out = true;
    check_nodes(scaling);
    const std::vector no_cores{on_machine("a", 2, 4), on_machine("b", 4, 32), on_machine("c", 2001, 16)};
    check_nodes(no_cores);
}

TEST_CASE("the size of a history that has one is known beside none, and a rare size is not far from all others") {
    const std::vector one_size{on_machine("a", 2, 4), on_machine("b", 4, 32)};
    const auto map = detail::make_feature_map(detail::group_runs(one_size));
    const auto larger = map(on_machine("a", 2, 4, 32).context);
    CHECK(larger.log_size_ratio == doctest::Approx(std::log(4)));
    CHECK(larger.outside_seen_sizes);
    CHECK_FALSE(map(one_size[0].context).outside_seen_sizes);

    std::vector<run> rare;
    for (std::uint64_t cores = 1; cores <= 40; ++cores) rare.push_back(on_machine("a", cores, 4));
    rare.push_back(on_machine("a", 2, 4, 16));
    const auto with_rare = detail::make_feature_map(detail::group_runs(rare));
    CHECK(with_rare(rare.back().context).log_size_ratio == 0);
    const auto* size = column_of(with_rare, "size");
    REQUIRE(size != nullptr);
    CHECK(size->deviation == doctest::Approx(0.5 * std::log(2)));

    // Rare sizes on both sides of the usual one leave the standard deviation.
    for (auto& run : rare) run.context.essential[3].value = std::uint64_t{8};
    rare.front().context.essential[3].value = std::uint64_t{4};
    rare.back().context.essential[3].value = std::uint64_t{16};
    const auto with_two = detail::make_feature_map(detail::group_runs(rare));
    CHECK(column_of(with_two, "size")->deviation == doctest::Approx(std::log(2) * std::sqrt(2.0 / 41)));
}

TEST_CASE("names of few machine types keep their part unless each has one context, of many types they have a tenth") {
    const auto deviation_of_name = [](std::span<const run> history) {
        const auto map = detail::make_feature_map(detail::group_runs(history));
        const auto* name = column_of(map, "machine");
        REQUIRE(name != nullptr);
        // Of a category that a share p of the points has, the deviation is the root of p (1 - p).
        return name->deviation / std::sqrt(name->mean * (1 - name->mean));
    };
    std::vector history{on_machine("a", 2, 4), on_machine("b", 4, 32), on_machine("c", 8, 16)};
    CHECK(deviation_of_name(history) == doctest::Approx(10));
    history.push_back(on_machine("a", 2, 4, 16));
    CHECK(deviation_of_name(history) == doctest::Approx(1));
    history.push_back(on_machine("d", 16, 16));
    CHECK(deviation_of_name(history) == doctest::Approx(10));
}
