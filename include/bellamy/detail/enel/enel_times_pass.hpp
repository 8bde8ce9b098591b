// Forward and backward through Enel's times: the overhead of rescaling, the time of every stage, and the longest path of a
// job.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_TIMES_PASS_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_TIMES_PASS_HPP

#include <bellamy/detail/enel/enel_context.hpp>
#include <bellamy/detail/enel/enel_layers.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

class enel_times_pass {
    using layout = enel_layout;
    static constexpr std::size_t context = layout::context;
    static constexpr std::size_t metrics = enel_metrics_count;
    static constexpr std::size_t features = scale_out_features_count;
    using metrics_columns = columns<double, enel_metrics_count>;
    static constexpr std::uint32_t none = enel_batch::none;

public:
    enel_times_pass(std::size_t rows, std::size_t graphs)
        : overhead_s_(rows),
          stage_s_(overhead_s_),
          accumulated_s_(overhead_s_),
          stage_gradient_(overhead_s_),
          slowest_parent_(rows),
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
            const std::uint32_t row = stages[i];
            const auto input = runtime_.input(i);
            copy_to(input.first<context>(), contexts[row]);
            copy_to(input.subspan<context, metrics>(), used[row]);
            copy_to(input.subspan<context + metrics, features>(), batch.end[row]);
            input[context + metrics + features] = overhead_s_[row];
        }
        runtime_.forward(parameters + layout::runtime, 0, stages.size());
        std::fill_n(stage_s_.begin(), batch.rows(), 0.0);
        for (std::size_t i = 0; i < stages.size(); ++i) stage_s_[stages[i]] = runtime_.output(i)[0];
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
        for (std::size_t i = 0; i < stages.size(); ++i) runtime_.output_gradient(i)[0] = stage_gradient_[stages[i]];
        runtime_.backward_inputs(parameters + layout::runtime, 0, stages.size());
        runtime_.backward_parameters(gradient + layout::runtime, stages.size());
        std::size_t rescaled = 0;
        for (std::size_t i = 0; i < stages.size(); ++i)
            if (batch.rescales[stages[i]] != 0)
                overhead_.output_gradient(rescaled++)[0] = runtime_.input_gradient(i)[context + metrics + features];
        overhead_.backward_inputs(parameters + layout::overhead, 0, rescaled);
        overhead_.backward_parameters(gradient + layout::overhead, rescaled);
    }

    /// After `backward`: adds to the gradients of the contexts and of the metrics used.
    void add_input_gradients(const enel_batch& batch, enel_contexts& contexts_gradient,
                             metrics_columns& used_gradient) const {
        std::size_t rescaled = 0;
        for (std::size_t i = 0; i < batch.order.size(); ++i) {
            const std::uint32_t row = batch.order[i];
            const auto add = [&](const auto& gradient) {
                add_to(contexts_gradient[row], gradient.template first<context>());
                add_to(used_gradient[row], gradient.template subspan<context, metrics>());
            };
            add(runtime_.input_gradient(i));
            if (batch.rescales[row] != 0) add(overhead_.input_gradient(rescaled++));
        }
    }

private:
    // Of the stages that rescale; exactly 0 elsewhere.
    void forward_overhead(const double* parameters, const enel_batch& batch, const enel_contexts& contexts,
                          const metrics_columns& used) {
        std::fill_n(overhead_s_.begin(), batch.rows(), 0.0);
        std::size_t rescaled = 0;
        for (const std::uint32_t stage : batch.order) {
            if (batch.rescales[stage] == 0) continue;
            const auto input = overhead_.input(rescaled++);
            copy_to(input.first<context>(), contexts[stage]);
            copy_to(input.subspan<context, metrics>(), used[stage]);
            copy_to(input.subspan<context + metrics, features>(), batch.start[stage]);
            copy_to(input.subspan<context + metrics + features, features>(), batch.end[stage]);
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

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
