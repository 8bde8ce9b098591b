// Enel's network as a method of bench/stages.
#ifndef BELLAMY_BENCH_ENEL_PREDICTOR_HPP
#define BELLAMY_BENCH_ENEL_PREDICTOR_HPP

#include <bellamy/enel.hpp>

#include "stage_methods.hpp"

namespace bench {

/// Pre-trained on the runs of an application, fine-tuned on the known jobs of the run that it predicts. Runs whose scale-out
/// is not known are asked about at the mean of those learned.
class enel_predictor final : public stage_predictor {
public:
    enel_predictor(const stage_case& subject, const stage_options& options) {
        std::vector<bellamy::application_trace> runs;
        double sum = 0;
        double count = 0;
        for (const auto* each : subject.train) {
            runs.push_back(*each);
            const int scale_out = bellamy::detail::settled_scale_out(each->scale_out);
            if (scale_out < 1) continue;
            sum += scale_out;
            ++count;
        }
        if (count > 0) usual_scale_out_ = static_cast<int>(std::lround(sum / count));
        auto model = bellamy::enel_model::pretrain(
            runs, {.trials = options.enel_trials, .seed = options.seed, .threads = options.threads});
        if (model) model_ = std::move(*model);
    }

    [[nodiscard]] std::vector<stage_answer> before(const bellamy::application_trace& known) const override {
        std::vector<stage_answer> answers;
        const auto forecast = ask(known);
        if (!forecast || forecast->jobs() == 0) return answers;
        for (std::size_t job = 0; job < forecast->jobs(); ++job) {
            const auto stages = forecast->stage_s(0, job);
            for (std::size_t i = 0; i < stages.size(); ++i)
                answers.push_back({.what = stage_quantity::stage,
                                   .job = static_cast<int>(job),
                                   .stage = static_cast<int>(i),
                                   .predicted = {.median_s = stages[i]}});
            answers.push_back({.what = stage_quantity::job,
                               .job = static_cast<int>(job),
                               .predicted = {.median_s = forecast->job_s(0, job)}});
        }
        answers.push_back({.what = stage_quantity::run, .predicted = {.median_s = forecast->rest_s(0)}});
        return answers;
    }

    [[nodiscard]] std::optional<bellamy::prediction> remaining(const bellamy::application_trace& known) const override {
        const auto forecast = ask(known);
        if (!forecast || forecast->jobs() == 0) return std::nullopt;
        return bellamy::prediction{.median_s = forecast->rest_s(0)};
    }

private:
    [[nodiscard]] std::optional<bellamy::enel_forecast> ask(const bellamy::application_trace& known) const {
        if (!model_) return std::nullopt;
        const int asked = asked_scale_out(known);
        const std::array scale_outs{asked > 0 ? asked : usual_scale_out_};
        auto forecast = model_->forecast(known, scale_outs, {.scale_out = scale_outs[0]});
        if (!forecast) return std::nullopt;
        return std::move(*forecast);
    }

    std::optional<bellamy::enel_model> model_{};
    int usual_scale_out_ = 1;
};

[[nodiscard]] inline stage_method enel_method() {
    return {.name = "enel", .learn = [](const stage_case& subject, const stage_options& options) {
                return std::make_unique<enel_predictor>(subject, options);
            }};
}

}  // namespace bench

#endif
