// Enel's network from encodings to metrics, stage times and job times: forward pass, losses and backpropagation.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_PASS_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_PASS_HPP

#include <bellamy/detail/enel/enel_metrics_pass.hpp>
#include <bellamy/detail/network/training/autoencoder_pass.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Times of a batch: the overhead of rescaling, the time of every stage, and the longest path of every job.
class enel_times_pass {
    using layout = enel_layout;
    static constexpr size_t context = layout::context;
    static constexpr size_t metrics = enel_metrics_count;
    static constexpr size_t features = scale_out_features_count;
    using metrics_columns = columns<double, enel_metrics_count>;
    static constexpr std::uint32_t none = enel_batch::none;

public:
    enel_times_pass(size_t rows, size_t graphs)
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

    /// Overhead and time of every stage, then the longest path of every job. `completed`: known and imputed metrics.
    void forward(const double* parameters, const enel_batch& batch, const enel_contexts& contexts,
                 const metrics_columns& completed) {
        forward_overhead(parameters, batch, contexts, completed);
        const auto& stages = batch.order;
        for (size_t i = 0; i < stages.size(); ++i) {
            const std::uint32_t row = stages[i];
            const auto input = runtime_.input(i);
            copy_to(input.first<context>(), contexts[row]);
            copy_to(input.subspan<context, metrics>(), completed[row]);
            copy_to(input.subspan<context + metrics, features>(), batch.end_scale_out[row]);
            input[context + metrics + features] = overhead_s_[row];
        }
        runtime_.forward(parameters + layout::runtime, 0, stages.size());
        std::fill_n(stage_s_.begin(), batch.rows(), 0.0);
        for (size_t i = 0; i < stages.size(); ++i) stage_s_[stages[i]] = runtime_.output(i)[0];
        forward_paths(batch);
    }

    std::span<const double> overhead_s() const noexcept { return overhead_s_; }
    std::span<const double> stage_s() const noexcept { return stage_s_; }
    std::span<const double> accumulated_s() const noexcept { return accumulated_s_; }
    std::span<const double> job_s() const noexcept { return job_s_; }

    /// Gradient of the loss, written by the caller before `backward`, which adds to the first.
    std::span<double> stage_gradient() noexcept { return stage_gradient_; }
    std::span<double> job_gradient() noexcept { return job_gradient_; }

    /// Writes the gradient of the parameters of overhead and runtime.
    void backward(const double* parameters, double* gradient, const enel_batch& batch) {
        backward_paths(batch);
        const auto& stages = batch.order;
        for (size_t i = 0; i < stages.size(); ++i) runtime_.output_gradient(i)[0] = stage_gradient_[stages[i]];
        const auto backward_all = [&](auto& perceptron, size_t offset, size_t columns) {
            perceptron.backward_hidden(parameters + offset, 0, columns);
            perceptron.backward_inputs(parameters + offset, 0, columns);
            perceptron.backward_parameters(gradient + offset, columns);
        };
        backward_all(runtime_, layout::runtime, stages.size());
        size_t rescaled = 0;
        for (size_t i = 0; i < stages.size(); ++i)
            if (batch.rescales[stages[i]] != 0)
                overhead_.output_gradient(rescaled++)[0] = runtime_.input_gradient(i)[context + metrics + features];
        backward_all(overhead_, layout::overhead, rescaled);
    }

    /// After `backward`: adds to the gradients of the contexts and of the metrics.
    void add_input_gradients(const enel_batch& batch, enel_contexts& contexts_gradient,
                             metrics_columns& completed_gradient) const {
        size_t rescaled = 0;
        for (size_t i = 0; i < batch.order.size(); ++i) {
            const std::uint32_t row = batch.order[i];
            const auto add = [&](const auto& gradient) {
                add_to(contexts_gradient[row], gradient.template first<context>());
                add_to(completed_gradient[row], gradient.template subspan<context, metrics>());
            };
            add(runtime_.input_gradient(i));
            if (batch.rescales[row] != 0) add(overhead_.input_gradient(rescaled++));
        }
    }

private:
    // Overhead of the stages that rescale; exactly 0 elsewhere.
    void forward_overhead(const double* parameters, const enel_batch& batch, const enel_contexts& contexts,
                          const metrics_columns& completed) {
        std::fill_n(overhead_s_.begin(), batch.rows(), 0.0);
        size_t rescaled = 0;
        for (const std::uint32_t stage : batch.order) {
            if (batch.rescales[stage] == 0) continue;
            const auto input = overhead_.input(rescaled++);
            copy_to(input.first<context>(), contexts[stage]);
            copy_to(input.subspan<context, metrics>(), completed[stage]);
            copy_to(input.subspan<context + metrics, features>(), batch.start_scale_out[stage]);
            copy_to(input.subspan<context + metrics + features, features>(), batch.end_scale_out[stage]);
            input[context + metrics + 2 * features] = batch.rescaling_share[stage];
        }
        overhead_.forward(parameters + layout::overhead, 0, rescaled);
        rescaled = 0;
        for (const std::uint32_t stage : batch.order)
            if (batch.rescales[stage] != 0) overhead_s_[stage] = overhead_.output(rescaled++)[0];
    }

    // NaN counts as longest, so that no path hides it.
    static bool is_longer(double value, double longest) noexcept { return value > longest || std::isnan(value); }

    void forward_paths(const enel_batch& batch) {
        std::fill_n(accumulated_s_.begin(), batch.rows(), 0.0);
        std::fill_n(slowest_parent_.begin(), batch.rows(), none);
        for (size_t graph = 0; graph < batch.graphs(); ++graph) {
            double longest = 0;  // the summaries take no time
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

    // A job's gradient reaches the stages of its longest path alone.
    void backward_paths(const enel_batch& batch) {
        for (size_t graph = 0; graph < batch.graphs(); ++graph)
            for (std::uint32_t row = last_row_[graph]; row != none; row = slowest_parent_[row])
                stage_gradient_[row] += job_gradient_[graph];
    }

    std::vector<double> overhead_s_;
    std::vector<double> stage_s_;
    std::vector<double> accumulated_s_;  // longest path up to the start of a stage
    std::vector<double> stage_gradient_;
    enel_indices slowest_parent_;  // on the longest path to a stage
    std::vector<double> job_s_;
    std::vector<double> job_gradient_;
    enel_indices last_row_;  // last stage of the longest path of a job
    enel_perceptron_pass<layout::overhead_layers> overhead_;
    enel_perceptron_pass<layout::runtime_layers> runtime_;
};

/// Largest batch that a pass can hold.
struct enel_capacity {
    size_t rows = 0;
    size_t edges = 0;
    size_t graphs = 0;
    size_t encodings = 0;

    static enel_capacity covering(std::span<const enel_batch> batches) noexcept {
        enel_capacity most;
        for (const auto& batch : batches) {
            most.rows = (std::max)(most.rows, batch.rows());
            most.edges = (std::max)(most.edges, batch.edges());
            most.graphs = (std::max)(most.graphs, batch.graphs());
            most.encodings = (std::max)(most.encodings, batch.encodings.size());
        }
        return most;
    }
};

/// Codes of the batch's encodings by the encoder alone, without dropout: for fine-tuning and forecasts.
inline void encode_all(const double* parameters, const enel_batch& batch, enel_codes& codes) {
    property_encoder<double, enel_widths> encoder;
    const double* weights = parameters + enel_layout::encoder;
    encoder.layers.for_each_block(encoder.layers, [&](auto block, size_t) {
        std::copy_n(weights, block.size(), block.data());
        weights += block.size();
    });
    for (size_t i = 0; i < batch.encodings.size(); ++i) {
        const auto code = encoder(batch.encodings[i]);
        copy_to(codes[i], std::span(code));
    }
}

/// Forward pass and backpropagation from codes to metrics and times. Allocates in the constructor only.
class enel_pass {
public:
    explicit enel_pass(const enel_capacity& most)
        : codes_(most.encodings),
          contexts_(most.rows),
          contexts_gradient_(most.rows),
          metrics_(most.rows, most.edges),
          times_(most.rows, most.graphs) {}

    /// Codes of the batch's encodings, written before `forward`.
    enel_codes& codes() noexcept { return codes_; }

    void forward(const double* parameters, const enel_batch& batch, const enel_edge_dropout& dropout = {}) {
        mean_codes(batch, codes_, contexts_);
        metrics_.forward(parameters, batch, contexts_, dropout);
        times_.forward(parameters, batch, contexts_, metrics_.completed());
    }

    const enel_contexts& contexts() const noexcept { return contexts_; }
    enel_metrics_pass& metrics() noexcept { return metrics_; }
    enel_times_pass& times() noexcept { return times_; }

    /// From the gradients written to `metrics()` and `times()`: writes that of all parameters but the auto-encoder's, and
    /// adds to that of the codes.
    void backward(const double* parameters, double* gradient, const enel_batch& batch, const enel_edge_dropout& dropout,
                  std::span<double> codes_gradient) {
        fill_zeros(contexts_gradient_.first(batch.rows()));
        fill_zeros(metrics_.completed_gradient().first(batch.rows()));
        times_.backward(parameters, gradient, batch);
        times_.add_input_gradients(batch, contexts_gradient_, metrics_.completed_gradient());
        metrics_.backward(parameters, gradient, batch, dropout, contexts_gradient_);
        mean_codes_backward(batch, contexts_gradient_, codes_gradient);
    }

private:
    enel_codes codes_;
    enel_contexts contexts_;
    enel_contexts contexts_gradient_;
    enel_metrics_pass metrics_;
    enel_times_pass times_;
};

/// Parts of the loss of pre-training.
struct enel_losses {
    double times = 0;
    double metrics = 0;
    double reconstruction = 0;

    double total() const noexcept { return times + metrics + reconstruction; }
};

/// Loss and mean absolute error of the times.
struct enel_time_loss {
    double loss = 0;
    double error_s = 0;
};

/// Smooth L1 loss in seconds, one mean over all stages and jobs whose time is known. Writes its gradient to the pass.
inline enel_time_loss compare_times(const enel_batch& batch, enel_times_pass& pass) noexcept {
    double count = 0;
    for (const double observed_s : batch.stage_s) count += observed_s > 0 ? 1 : 0;
    for (const double observed_s : batch.job_s) count += observed_s > 0 ? 1 : 0;
    enel_time_loss mean;
    const auto compare = [&](std::span<const double> observed, std::span<const double> predicted,
                             std::span<double> gradient) {
        for (size_t i = 0; i < observed.size(); ++i) {
            gradient[i] = 0;
            if (!(observed[i] > 0)) continue;
            const double residual = predicted[i] - observed[i];
            mean.loss += smooth_l1(residual) / count;
            mean.error_s += std::abs(residual) / count;
            gradient[i] = smooth_l1_derivative(residual) / count;
        }
    };
    compare(batch.stage_s, pass.stage_s(), pass.stage_gradient());
    compare(batch.job_s, pass.job_s(), pass.job_gradient());
    return mean;
}

/// Mean squared error of the predicted metrics over all stages whose metrics are observed; a stage without a known
/// predecessor counts with error 0. Writes its gradient to the pass.
inline double compare_metrics(const enel_batch& batch, enel_metrics_pass& pass) noexcept {
    double count = 0;
    const auto is_observed = [&](std::uint32_t row) { return any_not_zero(batch.metrics[row]); };
    for (const std::uint32_t row : batch.order)
        if (is_observed(row)) count += enel_metrics_count;
    fill_zeros(pass.predicted_gradient().first(batch.rows()));
    double mean = 0;
    for (const std::uint32_t row : batch.order) {
        if (!pass.has_predecessor(row) || !is_observed(row)) continue;
        for (size_t i = 0; i < enel_metrics_count; ++i) {
            const double residual = pass.predicted()[row][i] - batch.metrics[row][i];
            mean += residual * residual / count;
            pass.predicted_gradient()[row][i] = 2 / count * residual;
        }
    }
    return mean;
}

/// Forward pass and backpropagation of the whole network with its auto-encoder: the loss of pre-training and its gradient.
class enel_joint_pass {
public:
    /// Encodings of zeros bypass the auto-encoder, so that their code is zero under dropout too.
    enel_joint_pass(const enel_capacity& capacity, double alpha_dropout)
        : encodings_(capacity.encodings),
          autoencoder_(encodings_, capacity.encodings, alpha_dropout),
          ids_(capacity.encodings),
          pass_(capacity) {
        std::uint32_t next = 0;
        for (auto& id : ids_) id = next++;
    }
    enel_joint_pass(const enel_joint_pass&) = delete;  // the auto-encoder refers to the encodings
    enel_joint_pass& operator=(const enel_joint_pass&) = delete;
    ~enel_joint_pass() = default;

    enel_losses forward(const double* parameters, const enel_batch& batch, const enel_edge_dropout& dropout,
                        random_generator& random) {
        const size_t count = batch.encodings.size();
        copy_to(encodings_.first(count), batch.encodings.first(count));
        autoencoder_.forward(parameters, std::span(ids_).first(count), random);
        copy_to(pass_.codes().first(count), autoencoder_.codes().first(count));
        pass_.forward(parameters, batch, dropout);
        encoding_weights_ = occurrences(batch);
        const double rows = sum_of(encoding_weights_);
        enel_losses losses;
        for (size_t i = 0; i < encoding_weights_.size(); ++i) {
            encoding_weights_[i] /= rows * static_cast<double>(enel_widths.encoding);
            losses.reconstruction += encoding_weights_[i] * autoencoder_.squared_error(i);
        }
        losses.times = compare_times(batch, pass_.times()).loss;
        losses.metrics = compare_metrics(batch, pass_.metrics());
        return losses;
    }

    /// After `forward` of the same batch: the gradient of the sum of the losses.
    void backward(const double* parameters, double* gradient, const enel_batch& batch, const enel_edge_dropout& dropout) {
        const size_t count = batch.encodings.size();
        const auto codes_gradient = autoencoder_.codes_gradient().first(count);
        fill_zeros(codes_gradient);
        pass_.backward(parameters, gradient, batch, dropout, codes_gradient);
        autoencoder_.backward(parameters, gradient, encoding_weights_);
    }

    enel_pass& pass() noexcept { return pass_; }

private:
    columns<double, enel_widths.encoding> encodings_;  // zeros where the batch has fewer
    autoencoder_pass<double, enel_widths> autoencoder_;
    enel_indices ids_;
    std::vector<double> encoding_weights_;  // of the reconstruction loss
    enel_pass pass_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
