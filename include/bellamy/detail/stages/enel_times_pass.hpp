// Forward and backward through Enel's times: the overhead of rescaling, the time of every stage, and the longest path of a
// job.
#ifndef BELLAMY_DETAIL_STAGES_ENEL_TIMES_PASS_HPP
#define BELLAMY_DETAIL_STAGES_ENEL_TIMES_PASS_HPP

#include <bellamy/detail/stages/enel_context.hpp>
#include <bellamy/detail/stages/enel_layers.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

class enel_times_pass {
    using layout = enel_layout;
    static constexpr auto context = static_cast<Eigen::Index>(layout::context);
    static constexpr auto metrics = static_cast<Eigen::Index>(enel_metrics_count);
    static constexpr auto features = static_cast<Eigen::Index>(scale_out_features_count);
    using metrics_columns = columns<double, enel_metrics_count>;
    static constexpr std::uint32_t none = enel_batch::none;

public:
    enel_times_pass(Eigen::Index rows, std::size_t graphs)
        : overhead_s_(static_cast<std::size_t>(rows)),
          stage_s_(overhead_s_),
          accumulated_s_(overhead_s_),
          stage_gradient_(overhead_s_),
          slowest_parent_(static_cast<std::size_t>(rows)),
          job_s_(graphs),
          job_gradient_(graphs),
          last_row_(graphs),
          overhead_(rows),
          runtime_(rows) {}

    /// Overhead and time of every stage, then the path of every job.
    void forward(const double* parameters, const enel_batch& batch, const enel_contexts& contexts,
                 const metrics_columns& used) {
        forward_overhead(parameters, batch, contexts, used);
        const auto& stages = batch.order;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(stages[i]);
            auto input = runtime_.input(static_cast<Eigen::Index>(i));
            input.head<context>() = contexts.col(row);
            input.segment<metrics>(context) = used.col(row);
            input.segment<features>(context + metrics) = batch.end.col(row);
            input[context + metrics + features] = overhead_s_[stages[i]];
        }
        runtime_.forward(parameters + layout::runtime, 0, static_cast<Eigen::Index>(stages.size()));
        std::fill_n(stage_s_.begin(), batch.rows(), 0.0);
        for (std::size_t i = 0; i < stages.size(); ++i)
            stage_s_[stages[i]] = runtime_.output(static_cast<Eigen::Index>(i))[0];
        forward_paths(batch);
    }

    [[nodiscard]] std::span<const double> overhead_s() const noexcept { return overhead_s_; }
    [[nodiscard]] std::span<const double> stage_s() const noexcept { return stage_s_; }
    [[nodiscard]] std::span<const double> accumulated_s() const noexcept { return accumulated_s_; }
    [[nodiscard]] std::span<const double> job_s() const noexcept { return job_s_; }

    /// Derivatives of the loss, to be filled in by the caller before `backward`; the first is used up.
    [[nodiscard]] std::span<double> stage_gradient() noexcept { return stage_gradient_; }
    [[nodiscard]] std::span<double> job_gradient() noexcept { return job_gradient_; }

    /// Writes the gradient of the overhead's and the runtime's parameters.
    void backward(const double* parameters, double* gradient, const enel_batch& batch) {
        backward_paths(batch);
        const auto& stages = batch.order;
        for (std::size_t i = 0; i < stages.size(); ++i)
            runtime_.output_gradient(static_cast<Eigen::Index>(i))[0] = stage_gradient_[stages[i]];
        const auto count = static_cast<Eigen::Index>(stages.size());
        runtime_.backward_inputs(parameters + layout::runtime, 0, count);
        runtime_.backward_parameters(gradient + layout::runtime, count);
        Eigen::Index rescaled = 0;
        for (Eigen::Index i = 0; i < count; ++i)
            if (batch.rescales[stages[static_cast<std::size_t>(i)]] != 0)
                overhead_.output_gradient(rescaled++)[0] = runtime_.input_gradient(i)[context + metrics + features];
        overhead_.backward_inputs(parameters + layout::overhead, 0, rescaled);
        overhead_.backward_parameters(gradient + layout::overhead, rescaled);
    }

    /// After `backward`: adds to the gradients of the contexts and of the metrics used.
    void add_input_gradients(const enel_batch& batch, enel_contexts& contexts_gradient,
                             metrics_columns& used_gradient) const {
        Eigen::Index rescaled = 0;
        for (std::size_t i = 0; i < batch.order.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(batch.order[i]);
            const auto add = [&](const auto& gradient) {
                contexts_gradient.col(row) += gradient.template head<context>();
                used_gradient.col(row) += gradient.template segment<metrics>(context);
            };
            add(runtime_.input_gradient(static_cast<Eigen::Index>(i)));
            if (batch.rescales[batch.order[i]] != 0) add(overhead_.input_gradient(rescaled++));
        }
    }

private:
    // Of the stages that rescale; exactly 0 elsewhere.
    void forward_overhead(const double* parameters, const enel_batch& batch, const enel_contexts& contexts,
                          const metrics_columns& used) {
        std::fill_n(overhead_s_.begin(), batch.rows(), 0.0);
        Eigen::Index rescaled = 0;
        for (const std::uint32_t stage : batch.order) {
            if (batch.rescales[stage] == 0) continue;
            const auto row = static_cast<Eigen::Index>(stage);
            auto input = overhead_.input(rescaled++);
            input.head<context>() = contexts.col(row);
            input.segment<metrics>(context) = used.col(row);
            input.segment<features>(context + metrics) = batch.start.col(row);
            input.segment<features>(context + metrics + features) = batch.end.col(row);
            input[context + metrics + 2 * features] = batch.rescaling_share[stage];
        }
        overhead_.forward(parameters + layout::overhead, 0, rescaled);
        rescaled = 0;
        for (const std::uint32_t stage : batch.order)
            if (batch.rescales[stage] != 0) overhead_s_[stage] = overhead_.output(rescaled++)[0];
    }

    // NaN wins, so that no path hides it.
    [[nodiscard]] static bool is_longer(double value, double longest) noexcept {
        return value > longest || std::isnan(value);
    }

    void forward_paths(const enel_batch& batch) {
        std::fill_n(accumulated_s_.begin(), batch.rows(), 0.0);
        std::fill_n(slowest_parent_.begin(), batch.rows(), none);
        for (std::size_t graph = 0; graph < batch.graphs(); ++graph) {
            double longest = 0;  // of the summary rows
            std::uint32_t last = none;
            for (const std::uint32_t row : batch.order_of(graph)) {
                for (const std::uint32_t edge : batch.incoming_of(row)) {
                    const std::uint32_t parent = batch.source[edge];
                    const double path = stage_s_[parent] + accumulated_s_[parent];
                    if (slowest_parent_[row] != none && !is_longer(path, accumulated_s_[row])) continue;
                    accumulated_s_[row] = path;
                    slowest_parent_[row] = parent;
                }
                const double path = stage_s_[row] + accumulated_s_[row];
                if (!is_longer(path, longest)) continue;
                longest = path;
                last = row;
            }
            job_s_[graph] = longest;
            last_row_[graph] = last;
        }
    }

    // The gradient walks back along the longest path.
    void backward_paths(const enel_batch& batch) {
        for (std::size_t graph = 0; graph < batch.graphs(); ++graph)
            for (std::uint32_t row = last_row_[graph]; row != none; row = slowest_parent_[row])
                stage_gradient_[row] += job_gradient_[graph];
    }

    std::vector<double> overhead_s_;
    std::vector<double> stage_s_;
    std::vector<double> accumulated_s_;
    std::vector<double> stage_gradient_;
    std::vector<std::uint32_t> slowest_parent_;
    std::vector<double> job_s_;
    std::vector<double> job_gradient_;
    std::vector<std::uint32_t> last_row_;
    enel_layers_pass<layout::overhead_layers> overhead_;
    enel_layers_pass<layout::runtime_layers> runtime_;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
