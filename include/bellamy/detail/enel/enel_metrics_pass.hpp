// Prediction of a stage's metrics by attention over its predecessors: forward pass and backpropagation.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_METRICS_PASS_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_METRICS_PASS_HPP

#include <bellamy/detail/enel/enel_batch.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Edge dropout of a training step: which edges are kept. Empty: all.
struct enel_edge_dropout {
    std::span<const std::uint8_t> keep{};
    double probability = 0;
};

/// Imputes the metrics of stages that are not observed, parents first and job by job: a metric counts as known for the
/// stages after it once it is predicted.
class enel_metrics_pass {
    using layout = enel_layout;
    static constexpr size_t width = layout::node;
    static constexpr size_t metrics = enel_metrics_count;
    static constexpr size_t features = scale_out_features_count;
    using metrics_columns = columns<double, metrics>;
    using node_columns = columns<double, width>;
    using layer = linear_layer<double, width, width, true>;

public:
    enel_metrics_pass(size_t rows, size_t edges)
        : nodes_(rows),
          source_projection_(rows),
          target_projection_(rows),
          source_gradient_(rows),
          target_gradient_(rows),
          completed_(rows),
          predicted_(rows),
          completed_gradient_(rows),
          predicted_gradient_(rows),
          known_(rows),
          imputed_(rows),
          has_predecessor_(rows),
          attention_(edges),
          active_(edges),
          hidden_(edges),
          combine_(edges) {}

    void forward(const double* parameters, const enel_batch& batch, const enel_contexts& contexts,
                 const enel_edge_dropout& dropout) {
        project(parameters, batch, contexts);
        start(batch);
        for (size_t graph = 0; graph < batch.graphs(); ++graph) {
            if (batch.previous_in_batch[graph] != 0 && !known_[batch.first_row[graph]]) impute_summary(batch, graph);
            for (const std::uint32_t row : batch.order_of(graph)) predict(parameters, batch, row, dropout);
        }
    }

    /// After `forward`: observed metrics, imputed where they are not known; and predicted ones (where no predecessor is
    /// known, the observed ones).
    const metrics_columns& completed() const noexcept { return completed_; }
    const metrics_columns& predicted() const noexcept { return predicted_; }
    std::span<const double> attention() const noexcept { return attention_; }
    bool has_predecessor(size_t row) const noexcept { return has_predecessor_[row] != 0; }

    /// Written by the caller (the rows of the batch) before `backward`.
    metrics_columns& completed_gradient() noexcept { return completed_gradient_; }
    metrics_columns& predicted_gradient() noexcept { return predicted_gradient_; }

    /// Writes the gradient of the attention's parameters and adds to that of the contexts.
    void backward(const double* parameters, double* gradient, const enel_batch& batch, const enel_edge_dropout& dropout,
                  enel_contexts& contexts_gradient) {
        fill_zeros(source_gradient_.first(batch.rows()));
        fill_zeros(target_gradient_.first(batch.rows()));
        std::fill_n(gradient + layout::attention, width, 0.0);
        std::fill_n(gradient + layout::bias, enel_metrics_count, 0.0);
        for (size_t edge = 0; edge < batch.edges(); ++edge)
            if (!active_[edge]) combine_.clear(edge);
        for (size_t graph = batch.graphs(); graph-- > 0;) {
            const auto order = batch.order_of(graph);
            for (size_t i = order.size(); i-- > 0;) predict_backward(parameters, gradient, batch, order[i], dropout);
            if (imputed_[batch.first_row[graph]]) impute_summary_backward(batch, graph);
        }
        combine_.backward_parameters(gradient + layout::combine, batch.edges());
        project_backward(parameters, gradient, batch.rows(), contexts_gradient);
    }

private:
    // Projections of every node, its context between its scale-outs at start and end: as source and as target of an edge.
    void project(const double* parameters, const enel_batch& batch, const enel_contexts& contexts) {
        const size_t rows = batch.rows();
        for (size_t row = 0; row < rows; ++row) {
            copy_to(nodes_[row].first<features>(), batch.start_scale_out[row]);
            copy_to(nodes_[row].subspan<features, layout::context>(), contexts[row]);
            copy_to(nodes_[row].last<features>(), batch.end_scale_out[row]);
        }
        layer().forward(parameters + layout::source, nodes_.first(rows), source_projection_.first(rows));
        layer().forward(parameters + layout::target, nodes_.first(rows), target_projection_.first(rows));
    }

    void start(const enel_batch& batch) {
        const auto observed = batch.metrics.first(batch.rows());
        copy_to(completed_.first(batch.rows()), observed);
        copy_to(predicted_.first(batch.rows()), observed);
        for (size_t row = 0; row < batch.rows(); ++row) {
            known_[row] = any_not_zero(completed_[row]);
            imputed_[row] = has_predecessor_[row] = false;
        }
        // `predict` activates the edges whose source has known metrics, unless dropout takes them out.
        std::fill_n(attention_.begin(), batch.edges(), 0.0);
        std::fill_n(active_.begin(), batch.edges(), std::uint8_t{0});
    }

    // The first row sums up the previous job: the mean over its stages whose metrics are known by now.
    void impute_summary(const enel_batch& batch, size_t graph) {
        const auto row = batch.first_row[graph];
        const auto mean = completed_[row];
        double count = 0;
        for (const std::uint32_t stage : batch.order_of(graph - 1)) {
            if (!known_[stage]) continue;
            add_to(mean, completed_[stage]);
            ++count;
        }
        if (count == 0) return;
        divide(mean, count);
        copy_to(predicted_[row], mean);
        known_[row] = imputed_[row] = true;
    }

    void impute_summary_backward(const enel_batch& batch, size_t graph) {
        const auto stages = batch.order_of(graph - 1);
        const auto count = count_if(stages, [&](auto row) { return known_[row] != 0; });
        for (const std::uint32_t stage : stages)
            if (known_[stage])
                add_to(completed_gradient_[stage], completed_gradient_[batch.first_row[graph]],
                       1 / static_cast<double>(count));
    }

    // Attention-weighted mean of the messages from predecessors whose metrics are known, through a sigmoid.
    void predict(const double* parameters, const enel_batch& batch, std::uint32_t row, const enel_edge_dropout& dropout) {
        double highest = -infinite;
        for (const std::uint32_t edge : batch.incoming_of(row)) {
            const std::uint32_t source = batch.source[edge];
            if (!known_[source] || (!dropout.keep.empty() && dropout.keep[edge] == 0)) continue;
            active_[edge] = true;
            const auto h = hidden_[edge];
            copy_to(h, source_projection_[source]);
            add_to(h, target_projection_[row]);
            selu_forward<double>(h);
            attention_[edge] = dot_of<width>(parameters + layout::attention, h.data()) / (1 - dropout.probability);
            highest = (std::max)(highest, attention_[edge]);
            copy_to(combine_.input(edge).first<width>(), h);
            copy_to(combine_.input(edge).last<metrics>(), completed_[source]);
            combine_.forward(parameters + layout::combine, edge, 1);
            has_predecessor_[row] = true;
        }
        if (!has_predecessor_[row]) return;
        double sum = 0;
        for_each_active(batch, row, [&](std::uint32_t edge) { sum += std::exp(attention_[edge] - highest); });
        const auto y = predicted_[row];
        std::copy_n(parameters + layout::bias, metrics, y.begin());
        for_each_active(batch, row, [&](std::uint32_t edge) {
            attention_[edge] = std::exp(attention_[edge] - highest) / sum;
            add_to(y, combine_.output(edge), attention_[edge]);
        });
        for (double& metric : y) metric = 1 / (1 + std::exp(-metric));
        if (known_[row]) return;
        copy_to(completed_[row], y);
        known_[row] = imputed_[row] = true;
    }

    void predict_backward(const double* parameters, double* gradient, const enel_batch& batch, std::uint32_t row,
                          const enel_edge_dropout& dropout) {
        if (!has_predecessor_[row]) return;
        std::array<double, metrics> dy{};
        for (size_t i = 0; i < metrics; ++i) {
            const double y = predicted_[row][i];
            dy[i] = (predicted_gradient_[row][i] + (imputed_[row] ? completed_gradient_[row][i] : 0)) * (y * (1 - y));
            gradient[layout::bias + i] += dy[i];
        }
        // Derivative of the softmax: each score's gradient is relative to the attention-weighted mean.
        double mean = 0;
        for_each_active(batch, row, [&](std::uint32_t edge) {
            mean += attention_[edge] * dot_of<metrics>(dy.data(), combine_.output(edge).data());
        });
        for_each_active(batch, row, [&](std::uint32_t edge) {
            const double score_gradient = attention_[edge] *
                                          (dot_of<metrics>(dy.data(), combine_.output(edge).data()) - mean) /
                                          (1 - dropout.probability);
            for (size_t i = 0; i < metrics; ++i) combine_.output_gradient(edge)[i] = attention_[edge] * dy[i];
            combine_.backward_hidden(parameters + layout::combine, edge, 1);
            combine_.backward_inputs(parameters + layout::combine, edge, 1);
            const std::uint32_t source = batch.source[edge];
            const auto input_gradient = combine_.input_gradient(edge);
            add_to(completed_gradient_[source], input_gradient.last<metrics>());
            add_to(std::span<double, width>(gradient + layout::attention, width), hidden_[edge], score_gradient);
            std::array<double, width> dh{};
            for (size_t i = 0; i < width; ++i)
                dh[i] = input_gradient[i] + score_gradient * parameters[layout::attention + i];
            selu_backward<double>(hidden_[edge], dh);
            add_to(source_gradient_[source], dh);
            add_to(target_gradient_[row], dh);
        });
    }

    void project_backward(const double* parameters, double* gradient, size_t rows, enel_contexts& contexts_gradient) {
        const auto x = nodes_.first(rows);
        const auto by_source = source_gradient_.first(rows);
        const auto by_target = target_gradient_.first(rows);
        layer().backward_parameters(gradient + layout::source, x, by_source);
        layer().backward_parameters(gradient + layout::target, x, by_target);
        // The projections are not needed any more: their buffers take the gradients of the nodes' features.
        layer().backward_input(parameters + layout::source, by_source, source_projection_.first(rows));
        layer().backward_input(parameters + layout::target, by_target, target_projection_.first(rows));
        constexpr size_t context = layout::context;
        for (size_t row = 0; row < rows; ++row) {
            add_to(contexts_gradient[row], source_projection_[row].subspan<features, context>());
            add_to(contexts_gradient[row], target_projection_[row].subspan<features, context>());
        }
    }

    void for_each_active(const enel_batch& batch, std::uint32_t row, const auto& visit) const {
        for (const std::uint32_t edge : batch.incoming_of(row))
            if (active_[edge]) visit(edge);
    }

    node_columns nodes_;
    node_columns source_projection_;
    node_columns target_projection_;
    node_columns source_gradient_;
    node_columns target_gradient_;
    metrics_columns completed_;
    metrics_columns predicted_;
    metrics_columns completed_gradient_;
    metrics_columns predicted_gradient_;
    std::vector<std::uint8_t> known_;  // observed or imputed by now
    std::vector<std::uint8_t> imputed_;
    std::vector<std::uint8_t> has_predecessor_;  // one whose metrics are known
    std::vector<double> attention_;              // weight of every edge, after the softmax
    std::vector<std::uint8_t> active_;           // edges that were used
    node_columns hidden_;                        // SELU of the sum of both projections, of every edge
    enel_perceptron_pass<layout::combine_layers> combine_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
