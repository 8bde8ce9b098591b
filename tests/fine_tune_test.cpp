#include <bellamy/fine_tune.hpp>

#include "support/compare.hpp"
#include "support/made_up_job.hpp"

#include <bellamy/serialize.hpp>

using namespace bellamy;
using support::check_refused;
using support::made_up_run;
using support::random_model;

namespace {

using enum reuse_strategy;
constexpr std::array all_strategies{partial_unfreeze, full_unfreeze, partial_reset, full_reset, local};

/// Two runs far from what the random model says, so that a strategy has something to learn.
std::vector<run> two_runs() { return {made_up_run(50, 4), made_up_run(50, 8)}; }

trained tuned(const fine_tune_options& options, const std::vector<run>& observed = two_runs()) {
    auto answer = fine_tune(random_model(), observed, options);
    REQUIRE(answer);
    return *std::move(answer);
}

std::vector<float> scale_out_part(const model& source) {
    auto all = source.parameters().parameters();
    all.resize(detail::parameter_layout<dimensions{}>::encoder);
    return all;
}
std::vector<float> autoencoder_part(const model& source) {
    const auto all = source.parameters().parameters();
    using layout = detail::parameter_layout<dimensions{}>;
    return {all.begin() + layout::encoder, all.begin() + layout::head};
}
std::vector<float> head_part(const model& source) {
    const auto all = source.parameters().parameters();
    return {all.begin() + detail::parameter_layout<dimensions{}>::head, all.end()};
}

}  // namespace

TEST_CASE("without runs the model comes back unchanged and the report says why") {
    const auto general = random_model();
    for (const auto strategy : all_strategies) {
        const auto answer = fine_tune(general, {}, {.strategy = strategy});
        REQUIRE(answer);
        CHECK(to_bytes(answer->model) == to_bytes(general));
        CHECK(answer->report.stopped == stop_reason::nothing_to_learn);
        CHECK(answer->report.epochs == 0);
        CHECK(std::isnan(answer->report.error_after_s));
    }
}

TEST_CASE("fine-tuning brings the observed runs within the target error") {
    for (const auto strategy : all_strategies) {
        CAPTURE(to_string(strategy));
        const auto [learned, report] = tuned({.strategy = strategy, .seed = 3});
        CHECK(report.stopped == stop_reason::target_error_reached);
        CHECK(report.best_epoch == report.epochs);
        CHECK(report.error_before_s > 10);
        // The target is 5 s of error before the last step and with the noise of that epoch.
        CHECK(report.error_after_s <= 6);
        double error_s = 0;
        for (const auto& each : two_runs())
            error_s += std::abs(learned.bind(each.context)->at(each.scale_out).median_s - each.runtime_s) / 2;
        // Float sums of seconds up to 70 in two orders.
        CHECK(report.error_after_s == doctest::Approx(error_s).epsilon(1e-4));
    }
}

TEST_CASE("the general model stays as it was") {
    const auto general = random_model();
    const auto before = to_bytes(general);
    const auto observed = two_runs();
    for (const auto strategy : all_strategies) REQUIRE(fine_tune(general, observed, {.strategy = strategy, .epochs = 40}));
    CHECK(to_bytes(general) == before);
}

TEST_CASE("every strategy starts from what it says") {
    const auto general = random_model();
    struct row {
        reuse_strategy strategy;
        bool keeps_autoencoder, keeps_scale_out, keeps_head;
    };
    for (const auto& each :
         {row{partial_unfreeze, true, true, true}, row{full_unfreeze, true, true, true},
          row{partial_reset, true, true, false}, row{full_reset, true, false, false}, row{local, false, false, false}}) {
        CAPTURE(to_string(each.strategy));
        detail::random_generator random(1);
        const model start(general.schema(), general.basis(),
                          detail::starting_network(general.parameters(), each.strategy, std::vector{4, 8}, random));
        CHECK((autoencoder_part(start) == autoencoder_part(general)) == each.keeps_autoencoder);
        CHECK((scale_out_part(start) == scale_out_part(general)) == each.keeps_scale_out);
        CHECK((head_part(start) == head_part(general)) == each.keeps_head);
    }
}

TEST_CASE("fine-tuning leaves frozen what every strategy says") {
    const auto general = random_model();
    struct row {
        reuse_strategy strategy;
        bool keeps_autoencoder, keeps_scale_out;
    };
    for (const auto& each : {row{partial_unfreeze, true, true}, row{full_unfreeze, true, false},
                             row{partial_reset, true, true}, row{full_reset, true, false}, row{local, false, false}}) {
        CAPTURE(to_string(each.strategy));
        // For two runs, the scale-out network joins after 30 epochs.
        const auto learned = tuned({.strategy = each.strategy, .epochs = 30, .target_noise_s = 0}).model;
        CHECK((autoencoder_part(learned) == autoencoder_part(general)) == each.keeps_autoencoder);
        CHECK((scale_out_part(learned) == scale_out_part(general)) == each.keeps_scale_out);
        CHECK(head_part(learned) != head_part(general));
    }
}

TEST_CASE("only local mode scales to the observed scale-outs and forgets what it did not see") {
    const std::vector observed{made_up_run(50, 4), made_up_run(50, 40)};
    const auto general = random_model();
    for (const auto strategy : all_strategies) {
        CAPTURE(to_string(strategy));
        const auto learned = tuned({.strategy = strategy, .epochs = 5}, observed).model;
        const auto& scaler = learned.parameters().runtime.scaler;
        const auto& basis = learned.basis();
        CHECK(basis.algorithm == "made-up");
        CHECK(basis.observed_runs == 2);
        CHECK(learned.schema() == general.schema());
        if (strategy == local) {
            CHECK(scaler == min_max_scaler<float>::of(std::vector{4, 40}));
            CHECK(basis.seen_scale_outs == scale_out_interval{.smallest = 4, .largest = 40});
            CHECK(basis.shortest_runtime_s == (std::min)(observed[0].runtime_s, observed[1].runtime_s));
            CHECK(basis.runs == 0);
            CHECK(basis.contexts == 0);
        } else {
            CHECK(scaler == general.parameters().runtime.scaler);
            CHECK(basis.seen_scale_outs == scale_out_interval{.smallest = 2, .largest = 40});
            CHECK(basis.runs == general.basis().runs);
        }
    }
}

TEST_CASE("the same seed gives the same fine-tuned model and another seed another") {
    for (const auto strategy : all_strategies) {
        CAPTURE(to_string(strategy));
        const auto with_seed = [&](std::uint64_t seed) {
            // Noise as large as the runtimes: a smaller one leaves the sign of the error and, with it, the gradient.
            return to_bytes(tuned({.strategy = strategy, .seed = seed, .epochs = 50, .target_noise_s = 50}).model);
        };
        CHECK(with_seed(4) == with_seed(4));
        CHECK(with_seed(4) != with_seed(5));
    }
}

TEST_CASE("fine-tuning stops for the reason it reports") {
    CHECK(tuned({.epochs = 7}).report.epochs == 7);
    CHECK(tuned({.epochs = 7}).report.stopped == stop_reason::all_epochs_done);

    int calls = 0;
    fine_tune_options options{.seed = 2};
    options.progress = [&](const training_progress& progress) {
        CHECK(progress.epoch == ++calls);
        CHECK(progress.epochs == 2500);
        CHECK(progress.seconds_left > 0);
        return progress.epoch < 9;
    };
    const auto cancelled = tuned(options);
    CHECK(cancelled.report.stopped == stop_reason::cancelled);
    CHECK(cancelled.report.epochs == 9);
    CHECK(to_bytes(cancelled.model) == to_bytes(tuned({.seed = 2, .epochs = 9}).model));

    CHECK(tuned({.epochs = 600, .early_stopping = false}).report.epochs == 600);

    // Two runs that contradict each other: no head can come within 5 s.
    auto contradiction = two_runs();
    contradiction[1] = contradiction[0];
    contradiction[1].runtime_s *= 3;
    const auto patient = tuned({.target_noise_s = 0}, contradiction).report;
    CHECK(patient.stopped == stop_reason::no_improvement);
    CHECK(patient.epochs == patient.best_epoch + 1000);
}

TEST_CASE("a run killed below its prediction is no error and stops at once") {
    auto slow = random_model().parameters();
    slow.runtime.head_second.bias[0] = 100;
    const model general(random_model().schema(), random_model().basis(), slow);
    auto killed = made_up_run(50, 4);
    REQUIRE(general.bind(killed.context)->at(4).median_s > 90);
    killed.runtime_s = 50;
    killed.censored = true;
    const auto answer = fine_tune(general, std::span(&killed, 1));
    REQUIRE(answer);
    CHECK(answer->report.error_before_s == 0);
    CHECK(answer->report.epochs == 1);
    CHECK(answer->report.stopped == stop_reason::target_error_reached);

    killed.runtime_s = 200;
    CHECK(fine_tune(general, std::span(&killed, 1))->report.error_before_s > 90);
}

TEST_CASE("observed runs that do not fit the model are refused by name") {
    struct row {
        const char* what;
        void (*spoil)(run&);
        errc code;
    };
    const row table[] = {
        {"fewer essential properties", [](run& r) { r.context.essential.pop_back(); }, errc::essential_count_mismatch},
        {"another unit", [](run& r) { r.context.unit = scale_out_unit::executor; }, errc::unit_mismatch},
        {"another kind", [](run& r) { r.context.essential[1].value = 1.5; }, errc::property_mismatch},
        {"another role", [](run& r) { r.context.essential[1].role = property_role::none; }, errc::property_mismatch},
        {"unknown property", [](run& r) { r.context.optional.push_back(text("zone", "a")); }, errc::unknown_property},
        {"runtime 0", [](run& r) { r.runtime_s = 0; }, errc::invalid_runtime},
        {"scale-out 0", [](run& r) { r.scale_out = 0; }, errc::invalid_scale_out},
        {"weight that is no number", [](run& r) { r.weight = std::nan(""); }, errc::invalid_weight},
        {"over 39 bits at this scale-out", [](run& r) { r.context.optional[0].value = largest_natural; },
         errc::number_too_large},
        {"not UTF-8", [](run& r) { r.context.essential[0].value = std::string("\xFF"); }, errc::invalid_text},
    };
    for (const auto& each : table) {
        CAPTURE(each.what);
        auto observed = two_runs();
        each.spoil(observed.back());
        check_refused(fine_tune(random_model(), observed), each.code);
    }
}

TEST_CASE("an option of fine-tuning out of its range is refused by name") {
    const auto general = random_model();
    check_refused(fine_tune(general, {}, {.epochs = 0}), errc::invalid_option, {"epochs", "found 0"});
    check_refused(fine_tune(general, {}, {.target_noise_s = -1}), errc::invalid_option, {"target_noise_s", "found -1"});
    check_refused(fine_tune(general, {}, {.target_noise_s = std::nan("")}), errc::invalid_option, {"found nan"});
    check_refused(fine_tune(general, {}, {.strategy = static_cast<reuse_strategy>(5)}), errc::invalid_option, {"found 5"});
}

TEST_CASE("fine-tuning that ends in no number is an error") {
    auto observed = two_runs();
    for (auto& each : observed) each.runtime_s = 1e300;  // beyond float
    check_refused(fine_tune(random_model(), observed, {.epochs = 2}), errc::training_diverged, {"2 epochs"});
}
