// The jobs to come of a running application at candidate scale-outs, as Enel's network foretells them.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_FORECASTING_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_FORECASTING_HPP

#include <bellamy/baseline/bell.hpp>
#include <bellamy/detail/enel/enel_pretraining.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The earlier run that a running one is laid out like.
struct enel_layout_of_rest {
    const enel_run* run = nullptr;  // null: none has jobs beyond the finished ones
    bool alike = true;              // its jobs begin like the finished ones
    std::vector<double> gaps_s{};   // medians before every job, and of the tail
};

class enel_forecaster {
public:
    /// The share of the next job's time during which executors come or go.
    static constexpr double assumed_share = 0.9;

    /// Everything must outlive the forecaster. `finished` holds the finished jobs alone.
    enel_forecaster(const enel_training_set& set, enel_run finished, int scale_out)
        : set_(set), observed_(finished.jobs.size()), scale_out_(scale_out), future_(std::move(finished)) {
        future_.finished = false;
        if (!future_.has_scale_outs())
            for (auto& each : future_.jobs) set_scale_out(each, scale_out, scale_out, 0);
        lay_out();
    }

    [[nodiscard]] std::size_t jobs() const noexcept { return future_.jobs.size() - observed_; }
    [[nodiscard]] const enel_layout_of_rest& layout() const noexcept { return layout_; }
    [[nodiscard]] std::size_t stages(std::size_t job) const noexcept { return future_.jobs[observed_ + job].stages.size(); }

    /// Parameters fitted to the finished jobs; as pre-trained where there are none.
    [[nodiscard]] std::vector<double> fine_tune(std::span<const double> parameters, const enel_rates& rates,
                                                const enel_noise& noise, std::uint64_t seed) const {
        if (observed_ == 0) return {parameters.begin(), parameters.end()};
        const auto grapher = make_grapher();
        std::vector<enel_job_graph> graphs;
        graphs.reserve(observed_);
        for (std::size_t job = 0; job < observed_; ++job) graphs.push_back(grapher.graph(job, true, job > 0));
        const auto batch = enel_batch_maker::make(graphs);
        enel_fine_tuning tuning(parameters, batch, rates, noise, seed);
        tuning.run();
        return {tuning.best().begin(), tuning.best().end()};
    }

    /// Jobs before the `first` to come keep the present scale-out, that one changes to x, all later ones have x; before the
    /// start all have x. Calls visit(job to come, seconds, seconds of its stages).
    template <class Visit>
    void forecast(std::span<const double> parameters, int x, std::size_t first, const Visit& visit) {
        for (std::size_t job = 0; job < jobs(); ++job) {
            auto& each = future_.jobs[observed_ + job];
            if (observed_ == 0 || job > first) {
                set_scale_out(each, x, x, 0);
            } else if (job < first) {
                set_scale_out(each, scale_out_, scale_out_, 0);
            } else {
                set_scale_out(each, scale_out_, x, assumed_share);
            }
        }
        const auto grapher = make_grapher();
        std::vector<enel_job_graph> graphs;
        graphs.reserve(jobs());
        // Before the start, the first job is no predecessor: the second one knows it from the history alone.
        const std::size_t known_from = observed_ > 0 ? 1 : 2;
        for (std::size_t job = 0; job < jobs(); ++job)
            graphs.push_back(grapher.graph(observed_ + job, observed_ > 0 || job > 1, job >= known_from));
        const auto batch = enel_batch_maker::make(graphs);
        enel_pass pass(enel_capacity::of({&batch, 1}));
        encode_all(parameters.data(), batch, pass.codes());
        pass.forward(parameters.data(), batch, enel_teaching::observed);
        for (std::size_t job = 0; job < jobs(); ++job)
            visit(job, first_job_ && job == 0 ? first_job_->at(x).median_s : pass.times().job_s()[job],
                  pass.times().stage_s().subspan(batch.first_row[job] + 2, batch.order_of(job).size()));
    }

private:
    [[nodiscard]] enel_grapher make_grapher() const {
        return {set_.runs, future_, set_.runs.size(), observed_, set_.scaler};
    }

    static void set_scale_out(enel_job& job, double start, double end, double share) {
        const auto set = [&](auto& each) {
            each.start = start;
            each.end = end;
            each.rescaling_share = share;
        };
        set(job);
        for (auto& each : job.stages) set(each);
    }

    // Whether the graphs of the finished jobs are those that the other run begins with, names apart.
    [[nodiscard]] bool begins_alike(const enel_run& other) const {
        for (std::size_t i = 0; i < observed_; ++i)
            if (other.jobs[i].parents != future_.jobs[i].parents) return false;
        return true;
    }

    // The first neighbour of the next job or, without a history of equal properties, the run of the nearest size.
    void lay_out() {
        const auto grapher = make_grapher();
        const double now = observed_ > 0 ? future_.jobs.back().mean_scale_out() : scale_out_;
        for (const auto* each : grapher.nearest(observed_ > 0 ? observed_ - 1 : 0, now))
            if (layout_.run == nullptr && each->jobs.size() > observed_) layout_.run = each;
        if (layout_.run == nullptr) layout_.run = nearest_of_any_size(now);
        if (layout_.run == nullptr) return;
        layout_.alike = begins_alike(*layout_.run);
        for (std::size_t job = observed_; job < layout_.run->jobs.size(); ++job) {
            future_.jobs.push_back(layout_.run->jobs[job]);
            strip(future_.jobs.back());
        }
        for (std::size_t job = observed_; job <= layout_.run->jobs.size(); ++job)
            layout_.gaps_s.push_back(median_gap_s(job));
    }

    // The network knows nothing of a first job but its stages: Bell learns it from runs of equal properties, where there are
    // some.
    void fit_first_job(std::span<const enel_run* const> alike) {
        std::vector<run> runs;
        for (const auto* each : alike) {
            const auto& job = each->jobs.front();
            if (job.time_s > 0 && job.mean_scale_out() >= 1)
                runs.push_back({.scale_out = static_cast<int>(std::lround(job.mean_scale_out())), .runtime_s = job.time_s});
        }
        if (auto fitted = baseline::bell(runs)) first_job_ = *fitted;
    }

    [[nodiscard]] const enel_run* nearest_of_any_size(double scale_out) const {
        const enel_run* best = nullptr;
        double least = std::numeric_limits<double>::infinity();
        for (const auto& each : set_.runs) {
            if (each.application != future_.application || each.jobs.size() <= observed_) continue;
            const auto size_of = [](const enel_run& run) {
                return std::log(1 + static_cast<double>(run.data_size_mb.value_or(0)));
            };
            // Another shape is further away than any size.
            const double distance = std::abs(size_of(each) - size_of(future_)) + (begins_alike(each) ? 0 : 1e3) +
                                    1e-3 * std::abs(each.jobs[observed_].mean_scale_out() - scale_out);
            if (distance >= least) continue;
            least = distance;
            best = &each;
        }
        return best;
    }

    // No failures, attempts 0, metrics and times not known.
    static void strip(enel_job& job) {
        job.time_s = 0;
        for (auto& each : job.stages) {
            each.metrics = {};
            each.time_s = 0;
            each.context[enel_failure_row].fill(0);
            encode_natural(0, std::span(each.context[enel_attempt_row]));
        }
    }

    // Over the runs that are laid out as long; the tail stands after the last job.
    [[nodiscard]] double median_gap_s(std::size_t job) const {
        std::vector<double> gaps;
        for (const auto& each : set_.runs)
            if (each.application == future_.application && each.jobs.size() == layout_.run->jobs.size())
                gaps.push_back(job < each.jobs.size() ? each.jobs[job].gap_s : each.tail_s);
        std::sort(gaps.begin(), gaps.end());
        return (gaps[(gaps.size() - 1) / 2] + gaps[gaps.size() / 2]) / 2;
    }

    const enel_training_set& set_;
    std::size_t observed_;
    int scale_out_;
    enel_run future_;  // finished jobs, then those to come
    enel_layout_of_rest layout_{};
    std::optional<curve> first_job_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
