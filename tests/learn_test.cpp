#include <bellamy/pretrain.hpp>

#include "support/compare.hpp"
#include "support/made_up_blend.hpp"
#include "support/sample_fits.hpp"

#include <bellamy/serialize.hpp>

using namespace bellamy;
using support::check_refused;
using support::made_up_context;

namespace {

/// Forty sizes at six scale-outs, so that hyper-parameters are fitted to some of them.
[[nodiscard]] std::vector<run> long_history() { return support::on_two_machines(support::made_up_history(40)); }

[[nodiscard]] model quickly_fitted(const std::vector<run>& history) {
    return detail::model_access::make(
        schema_of(history).value(), {.algorithm = "made-up", .runs = 1, .date = "today"},
        detail::blend_kind{.blend = detail::shared(detail::fit_blend(history, support::quick_fit))});
}

[[nodiscard]] const model& general() {
    static const auto fitted = quickly_fitted(long_history());
    return fitted;
}

[[nodiscard]] const detail::blend_data& data_of(const model& of) {
    return detail::model_access::get_if<detail::blend_kind>(of)->blend->data();
}

[[nodiscard]] double median_s(const model& of, std::uint64_t size_gb, int scale_out = 4) {
    return of.bind(made_up_context(size_gb)).value().at(scale_out).median_s;
}

}  // namespace

TEST_CASE("runs of any context are learned without a new fit of the hyper-parameters") {
    auto history = long_history();
    for (const std::uint64_t size_gb : {790U, 810U})
        for (const int x : {2, 4, 8, 12}) history.push_back(support::made_up_run(size_gb, x));
    const auto learned = learn(general(), history).value();
    CHECK(general().bind(made_up_context(800))->at(4).outside_seen_data_sizes);
    CHECK_FALSE(learned.bind(made_up_context(800))->at(4).outside_seen_data_sizes);
    for (const std::uint64_t size_gb : {200U, 800U})
        CHECK(median_s(learned, size_gb) == doctest::Approx(support::made_up_runtime_s(size_gb, 4)).epsilon(0.03));

    CHECK(learned.basis().algorithm == "made-up");
    CHECK(learned.basis().date == "today");
    CHECK(learned.basis().runs == history.size());
    CHECK(learned.basis().contexts == 42);
    const auto& before = data_of(general());
    const auto& after = data_of(learned);
    CHECK(after.history.contexts.size() == 42);
    CHECK(after.processes[0]->level_lengths == before.processes[0]->level_lengths);
    CHECK(after.features.columns[0].mean == before.features.columns[0].mean);
    CHECK(after.features.columns[0].deviation == before.features.columns[0].deviation);
    for (std::size_t i = 0; i < after.components.size(); ++i)
        CHECK(after.components[i].weight == before.components[i].weight);
    // A file of it is another start.
    CHECK(to_bytes(learn(from_bytes(to_bytes(learned)).value(), history).value()) == to_bytes(learned));
}

TEST_CASE("what is learned is what pre-training anew gives, within noise") {
    auto history = long_history();
    for (std::size_t i = 0; i < history.size(); ++i)
        history[i].runtime_s *= 0.97 + 0.03 * static_cast<double>(i * 7 % 5) / 2;
    const std::vector first(history.begin(), history.begin() + 32 * 6);
    const auto learned = learn(quickly_fitted(first), history).value();
    const auto anew = quickly_fitted(history);
    for (const std::uint64_t size_gb : {45U, 215U, 385U})
        for (const int x : {3, 8})
            CHECK(median_s(learned, size_gb, x) == doctest::Approx(median_s(anew, size_gb, x)).epsilon(0.03));
}

TEST_CASE("a wrong record among the new runs moves no prediction, and an anomalous context stays one") {
    auto history = long_history();
    const auto before = learn(general(), history).value();
    history.push_back(support::made_up_run(405, 4));
    history.back().runtime_s *= 5;
    const auto learned = learn(general(), history).value();
    for (const std::uint64_t size_gb : {395U, 400U})
        CHECK(median_s(learned, size_gb) == doctest::Approx(median_s(before, size_gb)).epsilon(0.02));

    auto data = data_of(general());
    data.history.contexts[7].anomaly_variance = 0.25;
    const auto hash = data.context_hashes[7];
    const auto updated = detail::update_blend(data, history).value();
    for (std::size_t c = 0; c < updated.data().context_hashes.size(); ++c)
        CHECK(updated.data().history.contexts[c].anomaly_variance == (updated.data().context_hashes[c] == hash ? 0.25 : 0));
}

TEST_CASE("learning fits all anew where there was too little to fit, or where there is another feature") {
    const auto few = support::made_up_history(4);
    const auto small = support::blend_of(few);
    const pretrain_options as_small{.algorithm = "made-up"};
    const auto more = support::made_up_history(5);
    CHECK(to_bytes(learn(small, more).value()) == to_bytes(pretrain(more, as_small).value().model));

    CHECK(detail::update_blend(data_of(general()), long_history()));
    auto elsewhere = long_history();
    for (std::size_t i = 0; i < 6; ++i) elsewhere[i].context = made_up_context(10, "c5.large");
    CHECK_FALSE(detail::update_blend(data_of(general()), elsewhere));
    CHECK_FALSE(detail::update_blend(data_of(small), more));
}

TEST_CASE("what cannot be learned is refused, and observed runs count only where the history has them") {
    check_refused(learn(support::random_model(), long_history()), errc::not_conditionable, {"network", "fine_tune"});
    check_refused(learn(general(), {}), errc::empty_history, {});
    check_refused(learn(general(), support::made_up_history(1)), errc::single_context,
                  {"2 contexts", "condition a cold_start"});
    auto wrong = long_history();
    wrong[3].runtime_s = -1;
    check_refused(learn(general(), wrong), errc::invalid_runtime, {"run 3"});
    const auto observed = general().condition({support::made_up_run(800, 4)}).value();
    CHECK(learn(observed, long_history())->observed().empty());
}
