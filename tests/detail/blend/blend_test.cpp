#include <bellamy/detail/blend/blend_fit.hpp>

#include <doctest/doctest.h>

#include "support/made_up_job.hpp"

using namespace bellamy;
using support::made_up_context;
using support::made_up_history;
using support::made_up_run;
using support::made_up_runtime_s;
using support::on_two_machines;

namespace {

// A size between and beside those of the history, at scale-outs that it has and one that it has not.
constexpr std::uint64_t asked_gb = 55;
constexpr std::array<int, 4> asked_scale_outs{2, 5, 8, 12};

const detail::fitted_blend& fitted() {
    static const auto model = detail::fit_blend(made_up_history(10, 3));
    return model;
}

// With a process without a trend, which few contexts of one machine have not.
const detail::fitted_blend& fitted_on_two_machines() {
    static const auto model = detail::fit_blend(on_two_machines(made_up_history(10, 3)));
    return model;
}

double quantile_s(const detail::blend_curve& curve, int scale_out, double p) {
    return std::exp(detail::quantile_at(curve.table.at(scale_out), detail::normal_quantile(p)));
}

}  // namespace

TEST_CASE("the blend predicts an unseen context of a smooth job without any of its runs") {
    const auto curve = fitted().bind(made_up_context(asked_gb), {});
    CHECK_FALSE(curve.unlike_any_seen);
    for (const int x : asked_scale_outs) {
        const double truth_s = made_up_runtime_s(asked_gb, x);
        // The job is exact, so what is left is the smoothing between ten sizes; 5 % is far below the 3 to 30 % of real jobs.
        CHECK(quantile_s(curve, x, 0.5) == doctest::Approx(truth_s).epsilon(0.05));
        CHECK(quantile_s(curve, x, 0.01) < truth_s);
        CHECK(quantile_s(curve, x, 0.99) > truth_s);
    }
}

TEST_CASE("observed runs draw the blend's curve towards them and make it surer") {
    // A context that is twice as slow as the history would have it.
    auto slow = made_up_run(asked_gb, 4);
    slow.runtime_s *= 2;
    const auto before = fitted().bind(slow.context, {});
    const auto after = fitted().bind(slow.context, std::array{slow, slow});
    const auto width = [](const detail::blend_curve& curve) {
        return quantile_s(curve, 4, 0.75) / quantile_s(curve, 4, 0.25);
    };
    CHECK(quantile_s(after, 4, 0.5) > quantile_s(before, 4, 0.5));
    CHECK(std::abs(quantile_s(after, 4, 0.5) - slow.runtime_s) < std::abs(quantile_s(before, 4, 0.5) - slow.runtime_s));

    const auto usual = made_up_run(asked_gb, 4);
    CHECK(width(fitted().bind(usual.context, std::array{usual, usual, usual})) < width(before));
}

TEST_CASE("runs that agree with each other are believed, however far from what the history has and however many") {
    for (const double factor : {0.4, 1.3, 2.0, 5.0}) {
        CAPTURE(factor);
        std::vector<run> observed;
        for (int count = 1; count <= 15; ++count) {
            auto each = made_up_run(asked_gb, asked_scale_outs[static_cast<std::size_t>(count) % 3]);
            each.runtime_s *= factor * (1 + 0.01 * (count % 3 - 1));
            observed.push_back(each);
            if (count < 4) continue;
            CAPTURE(count);
            const auto after = fitted().bind(observed.front().context, observed);
            for (const int x : asked_scale_outs)
                CHECK(quantile_s(after, x, 0.5) == doctest::Approx(factor * made_up_runtime_s(asked_gb, x)).epsilon(0.1));
        }
    }
}

TEST_CASE("a censored run is a lower bound") {
    auto killed = made_up_run(asked_gb, 4);
    killed.censored = true;
    const auto before = fitted().bind(killed.context, {});
    // Killed long before its end it says nothing; killed after the expected end it says that the job is slower.
    killed.runtime_s = 0.2 * made_up_runtime_s(asked_gb, 4);
    CHECK(quantile_s(fitted().bind(killed.context, std::array{killed}), 4, 0.5) ==
          doctest::Approx(quantile_s(before, 4, 0.5)).epsilon(0.01));
    killed.runtime_s = 1.2 * made_up_runtime_s(asked_gb, 4);
    CHECK(quantile_s(fitted().bind(killed.context, std::array{killed}), 4, 0.9) > quantile_s(before, 4, 0.9));
}

TEST_CASE("a run of the history that was killed long before its end makes no prediction shorter") {
    std::vector<run> history;
    const auto add = [&](std::uint64_t size_gb, int scale_out, double runtime_s) {
        history.push_back({.context = made_up_context(size_gb), .scale_out = scale_out, .runtime_s = runtime_s});
    };
    for (const auto& [scale_out, runtime_s] :
         {std::pair{6, 731.4}, {8, 556.2}, {12, 559.8}, {4, 894.6}, {8, 584.4}, {8, 544.8}})
        add(40, scale_out, runtime_s);
    for (const auto& [scale_out, runtime_s] : {std::pair{6, 921.0}, {4, 1326.6}, {4, 1159.2}, {12, 565.8}, {8, 711.6}})
        add(60, scale_out, runtime_s);
    for (const double runtime_s : {691.2, 771.6}) add(80, 12, runtime_s);
    const auto median_s = [&] { return quantile_s(detail::fit_blend(history).bind(made_up_context(80), {}), 4, 0.5); };
    const double without_s = median_s();
    add(70, 4, 0);
    history.back().censored = true;
    for (const double killed_after_s : {100.0, 180.0, 200.0, 250.0, 400.0}) {
        CAPTURE(killed_after_s);
        history.back().runtime_s = killed_after_s;
        CHECK(median_s() > 0.98 * without_s);  // folds of other runs move it by less
    }
}

TEST_CASE("far below the scale-outs seen the blend follows the work of a node, less and less sure") {
    std::vector<run> history;
    for (std::uint64_t size_gb = 50; size_gb <= 1000; size_gb += 50)
        for (const int x : {32, 48, 64}) history.push_back(made_up_run(size_gb, x));
    const auto curve = detail::fit_blend(history).bind(made_up_context(420), {});
    double width = 1;
    for (const int x : {32, 16, 8, 4, 2}) {
        CAPTURE(x);
        const double truth_s = made_up_runtime_s(420, x);
        CHECK(quantile_s(curve, x, 0.5) == doctest::Approx(truth_s).epsilon(0.3));
        CHECK(quantile_s(curve, x, 0.05) < truth_s);
        CHECK(quantile_s(curve, x, 0.95) > truth_s);
        CHECK(quantile_s(curve, x, 0.95) / quantile_s(curve, x, 0.05) > width);
        width = quantile_s(curve, x, 0.95) / quantile_s(curve, x, 0.05);
    }
}

TEST_CASE("quantiles of the blend never cross and stay finite, far outside of the seen scale-outs too") {
    const auto curve = fitted().bind(made_up_context(1'000'000, "never seen"), {});
    CHECK(curve.unlike_any_seen);
    for (const int x : {1, 2, 3, 7, 100, 100'000}) {
        const auto row = curve.table.at(x);
        for (std::size_t i = 0; i < row.size(); ++i) CHECK(std::isfinite(row[i]));
        CHECK(std::is_sorted(row.begin(), row.end()));
    }
}

TEST_CASE("the experts' learned weights count for contexts of other sizes, but not of a machine never seen") {
    auto data = fitted().data();
    for (auto& each : data.components) each.weight *= each.expert == detail::expert_kind::hierarchical_ernest ? 1e-3 : 0.5;
    const detail::fitted_blend other(std::move(data));
    const auto median = [](const detail::fitted_blend& model, const context& subject) {
        return quantile_s(model.bind(subject, {}), 4, 0.5);
    };
    const auto strange = made_up_context(1'000'000, "never seen");
    CHECK(median(other, strange) == doctest::Approx(median(fitted(), strange)).epsilon(1e-9));
    for (const auto size_gb : {asked_gb, 10 * asked_gb}) {
        const auto usual = made_up_context(size_gb);
        CHECK(fitted().bind(usual, {}).unlike_any_seen == (size_gb > asked_gb));
        CHECK(median(other, usual) != doctest::Approx(median(fitted(), usual)).epsilon(1e-9));
    }
}

TEST_CASE("the learned pressure is doubted for a machine never seen, and for no size") {
    // One model as learned in a direction that adds nothing, and the same without one, which cannot be in doubt.
    const auto with_direction = [](bool learned) {
        auto data = fitted_on_two_machines().data();
        for (auto& each : data.components)
            if (each.expert != detail::expert_kind::process_without_trend) each.weight = 0;
        // By how much machines differ would outweigh it.
        for (auto& each : data.features.known) each.variance = 0;
        auto& process = data.processes[1];
        REQUIRE(process);
        process->pressure_direction.assign(learned ? process->level_lengths.size() : 0, 0.0);
        return detail::fitted_blend(std::move(data));
    };
    const auto width = [&](bool learned, const context& subject) {
        const auto curve = with_direction(learned).bind(subject, {});
        return std::log(quantile_s(curve, 2, 0.95) / quantile_s(curve, 2, 0.05));
    };
    const auto strange = made_up_context(3 * asked_gb, "never seen");
    CHECK(width(true, strange) > 1.01 * width(false, strange));
    for (const auto size_gb : {asked_gb, 10 * asked_gb})
        CHECK(width(true, made_up_context(size_gb)) == doctest::Approx(width(false, made_up_context(size_gb))));
}

TEST_CASE("the same history gives the same blend, and its data alone give it again") {
    const auto again = detail::fit_blend(made_up_history(10, 3));
    const detail::fitted_blend from_data(fitted().data());
    for (const int x : asked_scale_outs) {
        const auto row = fitted().bind(made_up_context(asked_gb), {}).table.at(x);
        CHECK(again.bind(made_up_context(asked_gb), {}).table.at(x) == row);
        CHECK(from_data.bind(made_up_context(asked_gb), {}).table.at(x) == row);
    }
}

TEST_CASE("two contexts and text alone are enough for a blend") {
    std::vector<run> history;
    for (const std::string name : {"one", "other"})
        for (const int x : {2, 4, 8})
            history.push_back(
                {.context = {.essential = {text("name", name)}}, .scale_out = x, .runtime_s = 30.0 + 100.0 / x});
    const auto model = detail::fit_blend(history);
    CHECK_FALSE(model.data().report.left_out);
    const auto curve = model.bind({.essential = {text("name", "third")}}, {});
    CHECK(curve.unlike_any_seen);
    CHECK(quantile_s(curve, 4, 0.05) < 55);
    CHECK(quantile_s(curve, 4, 0.95) > 55);
}

TEST_CASE("a history of long curves is learned from many contexts, of each from its smallest to its largest scale-out") {
    std::vector<run> history;
    for (std::uint64_t i = 1; i <= 20; ++i)
        for (int x = 3; x < 103; ++x) history.push_back(made_up_run(10 * i, x));
    // Which points are chosen does not depend on how long the fit looks.
    const auto model = detail::fit_blend(history, {.process_iterations = {1, 1}, .fold_iterations = 1});
    const auto& kept = model.data().history;
    CHECK(model.data().report.fitted_contexts == 20);
    REQUIRE(kept.points.size() == 20 * 8);
    for (const auto& own : kept.contexts) {
        CHECK(kept.points[own.first].scale_out == 3);
        CHECK(kept.points[own.first + 7].scale_out == 102);
        for (std::size_t i = 1; i < 8; ++i) {
            const double gap = kept.points[own.first + i].scale_out - kept.points[own.first + i - 1].scale_out;
            CHECK((gap == 14 || gap == 15));  // 99 in seven parts
        }
    }
    // The scale-outs in between were seen all the same.
    CHECK(model.data().seen_scale_outs.size() == 100);
}

TEST_CASE("a blend is usable where an expert has a weight and a covariance") {
    const auto with = [](std::size_t kind, bool broken) {
        auto data = fitted_on_two_machines().data();
        for (auto& each : data.components)
            if (each.expert != static_cast<detail::expert_kind>(kind)) each.weight = 0;
        if (broken) data.processes[kind]->amplitude[0] = std::nan("");
        return detail::fitted_blend(std::move(data));
    };
    CHECK(fitted_on_two_machines().usable());
    CHECK_FALSE(with(detail::expert_kinds, false).usable());
    // Without cores the last one, the cluster regression, is not.
    for (std::size_t kind = 0; kind < detail::expert_kinds - 1; ++kind) {
        CAPTURE(kind);
        CHECK(with(kind, false).usable());
        if (kind >= detail::process_kinds) continue;
        const auto broken = with(kind, true);
        CHECK_FALSE(broken.usable());
        for (std::size_t k = 0; k < detail::expert_kinds - 1; ++k) CHECK(broken.data().report.usable[k] == (k != kind));
    }
    auto data = fitted_on_two_machines().data();
    data.processes[1].reset();
    const detail::fitted_blend without(std::move(data));
    CHECK_FALSE(without.data().report.usable[1]);
    CHECK(without.usable());
}

TEST_CASE("the report has the largest jitter of any process") {
    CHECK(fitted_on_two_machines().data().report.jitter == 0);
    auto data = fitted_on_two_machines().data();
    for (auto& each : data.history.points) each.variance = 0;
    for (std::size_t k = 0; k < detail::process_kinds; ++k) data.processes[k]->amplitude[0] = k == 1 ? 1e8 : 1e6;
    double most = 0;
    for (std::size_t k = 0; k < detail::process_kinds; ++k) {
        const detail::gaussian_process process(*data.processes[k], data.history, data.features.pressure_slope());
        REQUIRE(process.usable());
        most = (std::max)(most, process.jitter());
    }
    REQUIRE(most > 0);
    CHECK(detail::fitted_blend(std::move(data)).data().report.jitter == doctest::Approx(most));
}

TEST_CASE("each expert knows the contexts again that it is conditioned on") {
    constexpr std::size_t conditioned = 5;
    // Slower than their sizes say, which only the contexts themselves know.
    const auto bound = [](bool ernest, std::size_t context, bool forgotten) {
        auto data = fitted().data();
        data.process_contexts = conditioned;
        for (auto& each : data.history.points)
            if (each.context == context) each.log_runtime += 0.5;
        for (auto& each : data.components)
            if ((each.expert == detail::expert_kind::hierarchical_ernest) != ernest) each.weight = 0;
        if (forgotten) data.context_hashes[context] ^= 1U;
        return quantile_s(detail::fitted_blend(std::move(data)).bind(made_up_context(10 * (context + 1)), {}), 4, 0.5);
    };
    for (const std::size_t context : {conditioned - 1, conditioned, conditioned + 1}) {
        CAPTURE(context);
        const bool by_processes = context < conditioned;
        CHECK((std::abs(bound(false, context, false) / bound(false, context, true) - 1) > 1e-6) == by_processes);
        CHECK(std::abs(bound(true, context, false) / bound(true, context, true) - 1) > 1e-6);
    }
}

TEST_CASE("an unknown size is integrated out over those of the history, and runs tell which") {
    auto unsized = made_up_context(asked_gb);
    unsized.essential[1] = unknown("size_gb").with_role(property_role::data_size);
    const auto width = [](const detail::blend_curve& curve) {
        return std::log(quantile_s(curve, 4, 0.9) / quantile_s(curve, 4, 0.1));
    };
    const auto before = fitted().bind(unsized, {});
    CHECK(width(before) > 5 * width(fitted().bind(made_up_context(asked_gb), {})));
    CHECK(quantile_s(before, 4, 0.05) < made_up_runtime_s(20, 4));
    CHECK(quantile_s(before, 4, 0.95) > made_up_runtime_s(90, 4));
    for (const std::uint64_t size_gb : {20U, 80U}) {
        const auto seen = made_up_run(size_gb, 8);
        const auto after = fitted().bind(unsized, std::array{seen, seen, seen});
        CHECK(width(after) < 0.3 * width(before));
        CHECK(quantile_s(after, 2, 0.5) == doctest::Approx(made_up_runtime_s(size_gb, 2)).epsilon(0.15));
    }
}

TEST_CASE("asked about some scale-outs alone a blend gives the bits of its whole curve there") {
    auto unsized = made_up_context(asked_gb);
    unsized.essential[1] = unknown("size_gb").with_role(property_role::data_size);
    const std::vector<run> observed{made_up_run(asked_gb, 8), made_up_run(asked_gb, 5)};
    for (const auto& subject : {made_up_context(asked_gb), unsized})
        for (const std::size_t count : {0U, 2U}) {
            const auto own = std::span(observed).first(count);
            const auto whole = fitted().bind(subject, own);
            const std::array<int, 2> ends{2, 12};
            const auto part = fitted().bind(subject, own, ends);
            CHECK(part.table.count() == 2);
            for (const int x : ends) CHECK(part.table.at(x) == whole.table.at(x));
            // A width that is limited by another needs that.
            CHECK(fitted().bind(subject, own, std::array{16 * 12}).table.at(16 * 12) == whole.table.at(16 * 12));
            // An answer that is interpolated needs its neighbours.
            const auto between = fitted().bind(subject, own, std::array{3});
            CHECK(between.table.count() == whole.table.count());
            CHECK(between.table.at(3) == whole.table.at(3));
        }
}

namespace {

// 30 s, and 4000 s shared by all slots, 1 % slower where a core has 4 GB. Memory does not matter else.
run on_cluster(std::uint64_t cores, std::uint64_t gb_per_core, int scale_out, std::uint64_t size_gb = 50) {
    const double slots = static_cast<double>(cores) * scale_out;
    return {.context = {.essential = {text("machine", std::to_string(cores) + "x" + std::to_string(gb_per_core))
                                          .with_role(property_role::machine_type),
                                      natural("cores", cores).with_role(property_role::cores_per_node),
                                      natural("memory_gb", cores * gb_per_core).with_role(property_role::memory_per_node),
                                      natural("size_gb", size_gb).with_role(property_role::data_size)}},
            .scale_out = scale_out,
            .runtime_s = (30 + 4000 / slots) * (gb_per_core == 4 ? 1.01 : 1)};
}

std::vector<run> clusters() {
    std::vector<run> history;
    for (const std::uint64_t cores : {2U, 4U, 8U})
        for (const std::uint64_t gb_per_core : {2U, 4U, 8U})
            for (const int x : {4, 8, 12}) history.push_back(on_cluster(cores, gb_per_core, x));
    return history;
}

std::vector<run> without_machine(std::vector<run> history, const run& left_out) {
    std::erase_if(history, [&](const run& each) { return each.context == left_out.context; });
    return history;
}

}  // namespace

TEST_CASE("eight nodes of two cores are four of four, on a machine never seen too, and with little doubt") {
    const auto asked = on_cluster(4, 4, 8);
    const auto curve = detail::fit_blend(without_machine(clusters(), asked)).bind(asked.context, {});
    CHECK(curve.unlike_any_seen);
    for (const int x : {4, 8, 12}) {
        CHECK(quantile_s(curve, x, 0.5) == doctest::Approx(on_cluster(4, 4, x).runtime_s).epsilon(0.05));
        CHECK(quantile_s(curve, x, 0.95) / quantile_s(curve, x, 0.05) < 1.6);
    }
    // Without a role, cores are one number among others, and another name may be anything.
    auto nameless = without_machine(clusters(), asked);
    auto target = asked.context;
    for (auto& each : nameless) each.context.essential[1].role = property_role::none;
    target.essential[1].role = property_role::none;
    const auto without_role = detail::fit_blend(nameless).bind(target, {});
    CHECK(quantile_s(without_role, 8, 0.95) / quantile_s(without_role, 8, 0.05) >
          quantile_s(curve, 8, 0.95) / quantile_s(curve, 8, 0.05));
}

namespace {

// Takes e times as long where the memory is less than three times the data.
run beside_memory_cliff(std::uint64_t cores, std::uint64_t gb_per_core, int scale_out, std::uint64_t size_gb) {
    auto result = on_cluster(cores, gb_per_core, scale_out, size_gb);
    if (static_cast<double>(cores * gb_per_core) * scale_out < 3 * static_cast<double>(size_gb))
        result.runtime_s *= std::exp(1.0);
    return result;
}

std::vector<run> clusters_beside_memory_cliff() {
    std::vector<run> history;
    for (const std::uint64_t cores : {2U, 4U, 8U})
        for (const std::uint64_t gb_per_core : {2U, 4U, 8U})
            for (const int x : {4, 6, 8, 10, 12, 16, 20, 24, 32})
                for (const std::uint64_t size_gb : {50U, 100U})
                    history.push_back(beside_memory_cliff(cores, gb_per_core, x, size_gb));
    return history;
}

}  // namespace

TEST_CASE("where experts know less of one another's machines, the surest say most of one never seen") {
    auto history = clusters_beside_memory_cliff();
    const auto asked = beside_memory_cliff(4, 4, 24, 50);
    std::erase_if(history, [&](const run& each) { return each.context.essential[0] == asked.context.essential[0]; });
    const auto curve = detail::fit_blend(history).bind(asked.context, {});
    CHECK(quantile_s(curve, 24, 0.5) == doctest::Approx(asked.runtime_s).epsilon(0.03));
    // As mixed from prior weights alone it is 1.28.
    CHECK(quantile_s(curve, 24, 0.95) / quantile_s(curve, 24, 0.05) < 1.22);
}

TEST_CASE("a blend that knows a memory cliff of clusters gives the bits of its whole curve at any scale-out alone") {
    const auto blend = detail::fit_blend(clusters_beside_memory_cliff());
    REQUIRE(detail::growth_trend(blend.data().features, blend.data().growth).has_cliff());
    for (const std::uint64_t size_gb : {20U, 50U, 75U, 400U}) {
        const auto target = beside_memory_cliff(4, 2, 8, size_gb).context;
        const auto whole = blend.bind(target, {});
        for (const int x : {4, 8, 32}) CHECK(blend.bind(target, {}, std::array{x}).table.at(x) == whole.table.at(x));
    }
}

TEST_CASE("less memory for its data than any that ran, and less than twice the data, is outside the data sizes seen") {
    const auto is_outside = [](const std::vector<run>& history, const context& target, std::span<const run> observed,
                               int x) {
        return detail::fit_blend(history).bind(target, observed)(x).outside_seen_data_sizes;
    };
    // The least that ran had 16 GB for 50.
    CHECK(is_outside(clusters(), on_cluster(2, 2, 4).context, {}, 3));
    CHECK_FALSE(is_outside(clusters(), on_cluster(2, 2, 4).context, {}, 4));
    CHECK_FALSE(is_outside(clusters(), on_cluster(8, 8, 4).context, {}, 1));
    // Of those with 128 GB at least, 100 still hold the data twice.
    std::vector<run> ample;
    for (const std::uint64_t gb_per_core : {2U, 4U, 8U})
        for (const int x : {8, 12}) ample.push_back(on_cluster(8, gb_per_core, x));
    const auto target = on_cluster(2, 8, 4).context;
    CHECK(is_outside(ample, target, {}, 6));
    CHECK_FALSE(is_outside(ample, target, {}, 7));
    const std::array observed{on_cluster(2, 8, 5)};
    CHECK(is_outside(ample, target, observed, 4));
    CHECK_FALSE(is_outside(ample, target, observed, 5));
    auto without_memory = ample;
    auto unsaid = target;
    for (auto& each : without_memory) each.context.essential[2].role = property_role::none;
    unsaid.essential[2].role = property_role::none;
    CHECK_FALSE(is_outside(without_memory, unsaid, {}, 1));
}

TEST_CASE("of a history of one size, larger data take longer by a power of their size, with doubt of that power") {
    // 0.8 of work, 0.6 of all else, which is an eighteenth of the runtime on 8 slots and two fifths on 96.
    for (const auto kind : detail::all_experts) {
        detail::blend_options options;
        options.experts = {};
        options.experts[kind] = true;
        const auto alone = detail::fit_blend(clusters(), options);
        const auto growth = [&](std::uint64_t cores, int x) {
            const auto known = alone.bind(on_cluster(cores, 8, x).context, {});
            return std::log(quantile_s(alone.bind(on_cluster(cores, 8, x, 200).context, {}), x, 0.5) /
                            quantile_s(known, x, 0.5)) /
                   std::log(4);
        };
        CAPTURE(static_cast<int>(kind));
        CHECK(growth(2, 4) > 0.75);
        CHECK(growth(2, 4) < 0.81);
        CHECK(growth(8, 12) < growth(2, 4) - 0.03);
        CHECK(growth(8, 12) > 0.59);
    }
    const auto model = detail::fit_blend(clusters());
    const auto known = model.bind(on_cluster(4, 2, 8).context, {});
    const auto larger = model.bind(on_cluster(4, 2, 8, 200).context, {});
    CHECK(larger.outside_seen_sizes);
    CHECK_FALSE(known.outside_seen_sizes);
    const double ratio = quantile_s(larger, 8, 0.5) / quantile_s(known, 8, 0.5);
    CHECK(ratio == doctest::Approx(std::pow(4, 0.766)).epsilon(0.03));
    CHECK(quantile_s(larger, 8, 0.95) / quantile_s(larger, 8, 0.5) > std::pow(4, 0.4));
    // A run of the new size says which power.
    auto observed = on_cluster(4, 2, 12, 200);
    observed.runtime_s *= 4;
    const auto after = model.bind(observed.context, std::array{observed});
    CHECK(quantile_s(after, 8, 0.5) == doctest::Approx(4 * on_cluster(4, 2, 8).runtime_s).epsilon(0.15));
}

namespace {

// The clusters counted in cores, each with its memory.
std::vector<run> in_cores(std::vector<run> runs) {
    for (auto& run : runs) {
        const auto cores = *run.context.essential[1].value.natural();
        run.scale_out *= static_cast<int>(cores);
        run.context.unit = scale_out_unit::core;
        auto& memory = run.context.essential[2].value;
        memory = *memory.natural() / cores;
    }
    return runs;
}

}  // namespace

TEST_CASE("scale-outs in nodes, executors or cores give the same answers, of a machine never seen too") {
    const auto asked = on_cluster(4, 4, 8);
    const auto history = without_machine(clusters(), asked);
    auto executors = history;
    for (auto& run : executors) run.context.unit = scale_out_unit::executor;
    auto executor_context = asked.context;
    executor_context.unit = scale_out_unit::executor;
    const auto by_nodes = detail::fit_blend(history).bind(asked.context, {});
    const auto by_executors = detail::fit_blend(executors).bind(executor_context, {});
    const auto core_context = in_cores({asked}).front().context;
    const auto by_cores = detail::fit_blend(in_cores(history)).bind(core_context, {});
    for (const int x : {4, 8, 12})
        for (const double p : {0.05, 0.5, 0.95}) {
            CHECK(quantile_s(by_executors, x, p) == quantile_s(by_nodes, x, p));
            CHECK(quantile_s(by_cores, 4 * x, p) == doctest::Approx(quantile_s(by_nodes, x, p)).epsilon(0.1));
        }
}

TEST_CASE("cores without memory, memory without cores or cores of some contexts alone mislead nobody") {
    const auto asked = on_cluster(4, 4, 8);
    const auto known = without_machine(clusters(), asked);
    const auto check = [&](auto&& strip) {
        auto history = known;
        for (std::size_t i = 0; i < history.size(); ++i) strip(history[i].context.essential, i);
        auto target = asked.context;
        strip(target.essential, std::size_t{0});
        const auto curve = detail::fit_blend(history).bind(target, {});
        for (const int x : {4, 8, 12}) {
            CHECK(quantile_s(curve, x, 0.05) < on_cluster(4, 4, x).runtime_s);
            CHECK(quantile_s(curve, x, 0.95) > on_cluster(4, 4, x).runtime_s);
            CHECK(quantile_s(curve, x, 0.5) == doctest::Approx(on_cluster(4, 4, x).runtime_s).epsilon(0.3));
        }
    };
    check([](auto& properties, std::size_t) { properties.erase(properties.begin() + 2); });
    check([](auto& properties, std::size_t i) {
        if (i >= 3) properties[1].value = std::nullopt;
    });
}
