// Forward and backward through Enel's prediction of metrics: attention over the predecessors whose metrics are known.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_METRICS_PASS_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_METRICS_PASS_HPP

#include <bellamy/detail/enel/enel_context.hpp>
#include <bellamy/detail/enel/enel_layers.hpp>

#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Which metrics of a batch the pass sees.
enum class enel_teaching { observed, none_but_history };

/// Edges left out in training. Empty: none is.
struct enel_edge_dropout {
    std::span<const std::uint8_t> keep{};
    double probability = 0;
};

/// Known metrics stay; unknown ones are filled parents first, job by job, so that filled ones count as known after it.
class enel_metrics_pass {
    using layout = enel_layout;
    static constexpr std::size_t state = layout::state;
    static constexpr std::size_t metrics = enel_metrics_count;
    static constexpr std::size_t features = scale_out_features_count;
    using metrics_columns = columns<double, metrics>;
    using state_columns = columns<double, state>;
    using layer = linear_layer<double, state, state, true>;

public:
    enel_metrics_pass(std::size_t rows, std::size_t edges)
        : state_(rows),
          source_(rows),
          target_(rows),
          source_gradient_(rows),
          target_gradient_(rows),
          used_(rows),
          predicted_(rows),
          used_gradient_(rows),
          predicted_gradient_(rows),
          known_(rows),
          filled_(rows),
          has_predecessor_(rows),
          attention_(edges),
          active_(edges),
          hidden_(edges),
          combine_(edges) {}

    void forward(const double* parameters, const enel_batch& batch, const enel_contexts& contexts, enel_teaching teaching,
                 const enel_edge_dropout& dropout) {
        look(parameters, batch, contexts);
        start(batch, teaching);
        for (std::size_t graph = 0; graph < batch.graphs(); ++graph) {
            if (batch.previous_in_batch[graph] != 0 && !known_[batch.first_row[graph]]) fill_summary(batch, graph);
            for (const std::uint32_t row : batch.order_of(graph)) predict(parameters, batch, row, dropout);
        }
    }

    /// After `forward`: the metrics that the rest of the network uses, and the predicted ones (of a row without a known
    /// predecessor: its own).
    [[nodiscard]] const metrics_columns& used() const noexcept { return used_; }
    [[nodiscard]] const metrics_columns& predicted() const noexcept { return predicted_; }
    [[nodiscard]] std::span<const double> attention() const noexcept { return attention_; }
    [[nodiscard]] bool has_predecessor(std::size_t row) const noexcept { return has_predecessor_[row] != 0; }

    /// To be filled in (the rows of the batch) before `backward`.
    [[nodiscard]] metrics_columns& used_gradient() noexcept { return used_gradient_; }
    [[nodiscard]] metrics_columns& predicted_gradient() noexcept { return predicted_gradient_; }

    /// Writes the gradient of this part's parameters and adds to that of the contexts.
    void backward(const double* parameters, double* gradient, const enel_batch& batch, const enel_edge_dropout& dropout,
                  enel_contexts& contexts_gradient) {
        fill_zeros(source_gradient_.piece(0, batch.rows()));
        fill_zeros(target_gradient_.piece(0, batch.rows()));
        std::fill_n(gradient + layout::attention, layout::state, 0.0);
        std::fill_n(gradient + layout::bias, enel_metrics_count, 0.0);
        for (std::size_t edge = 0; edge < batch.edges(); ++edge)
            if (!active_[edge]) combine_.clear(edge);
        for (std::size_t graph = batch.graphs(); graph-- > 0;) {
            const auto order = batch.order_of(graph);
            for (std::size_t i = order.size(); i-- > 0;) predict_backward(parameters, gradient, batch, order[i], dropout);
            if (filled_[batch.first_row[graph]]) fill_summary_backward(batch, graph);
        }
        combine_.backward_parameters(gradient + layout::combine, batch.edges());
        look_backward(parameters, gradient, batch.rows(), contexts_gradient);
    }

private:
    // What every row shows to its successors and to its predecessors.
    void look(const double* parameters, const enel_batch& batch, const enel_contexts& contexts) {
        const std::size_t rows = batch.rows();
        for (std::size_t row = 0; row < rows; ++row) {
            copy_to(state_[row].first<features>(), batch.start[row]);
            copy_to(state_[row].subspan<features, layout::context>(), contexts[row]);
            copy_to(state_[row].last<features>(), batch.end[row]);
        }
        layer().forward(parameters + layout::source, state_.piece(0, rows), source_.piece(0, rows));
        layer().forward(parameters + layout::target, state_.piece(0, rows), target_.piece(0, rows));
    }

    void start(const enel_batch& batch, enel_teaching teaching) {
        const auto given = batch.metrics.piece(0, batch.rows());
        const auto used = used_.piece(0, batch.rows());
        std::copy(given.begin(), given.end(), used.begin());
        if (teaching == enel_teaching::none_but_history) {
            for (std::size_t graph = 0; graph < batch.graphs(); ++graph) {
                if (batch.previous_in_batch[graph] != 0) fill_zeros(used_[batch.first_row[graph]]);
                for (const std::uint32_t row : batch.order_of(graph)) fill_zeros(used_[row]);
            }
        }
        std::copy(used.begin(), used.end(), predicted_.piece(0, batch.rows()).begin());
        for (std::size_t row = 0; row < batch.rows(); ++row) {
            known_[row] = any_not_zero(used_[row]);
            filled_[row] = has_predecessor_[row] = false;
        }
        std::fill_n(attention_.begin(), batch.edges(), 0.0);
        std::fill_n(active_.begin(), batch.edges(), std::uint8_t{0});
    }

    // The summary of a previous job of the batch: the mean over those of its stages whose metrics are known by now.
    void fill_summary(const enel_batch& batch, std::size_t graph) {
        const auto row = batch.first_row[graph];
        const auto mean = used_[row];
        double count = 0;
        for (const std::uint32_t stage : batch.order_of(graph - 1)) {
            if (!known_[stage]) continue;
            add_to(mean, used_[stage]);
            ++count;
        }
        if (count == 0) return;
        divide(mean, count);
        copy_to(predicted_[row], mean);
        known_[row] = filled_[row] = true;
    }

    void fill_summary_backward(const enel_batch& batch, std::size_t graph) {
        const auto stages = batch.order_of(graph - 1);
        const auto count = std::count_if(stages.begin(), stages.end(), [&](auto row) { return known_[row] != 0; });
        for (const std::uint32_t stage : stages)
            if (known_[stage])
                add_to(used_gradient_[stage], used_gradient_[batch.first_row[graph]], 1 / static_cast<double>(count));
    }

    // Metrics of one row from those of its predecessors.
    void predict(const double* parameters, const enel_batch& batch, std::uint32_t row, const enel_edge_dropout& dropout) {
        double highest = -std::numeric_limits<double>::infinity();
        for (const std::uint32_t edge : batch.incoming_of(row)) {
            const std::uint32_t from = batch.source[edge];
            if (!known_[from] || (!dropout.keep.empty() && dropout.keep[edge] == 0)) continue;
            active_[edge] = true;
            const auto h = hidden_[edge];
            copy_to(h, source_[from]);
            add_to(h, target_[row]);
            selu_forward<double>(h);
            attention_[edge] = dot_of<state>(parameters + layout::attention, h.data()) / (1 - dropout.probability);
            highest = (std::max)(highest, attention_[edge]);
            copy_to(combine_.input(edge).first<state>(), h);
            copy_to(combine_.input(edge).last<metrics>(), used_[from]);
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
        for (double& each : y) each = 1 / (1 + std::exp(-each));
        if (known_[row]) return;
        copy_to(used_[row], y);
        known_[row] = filled_[row] = true;
    }

    void predict_backward(const double* parameters, double* gradient, const enel_batch& batch, std::uint32_t row,
                          const enel_edge_dropout& dropout) {
        if (!has_predecessor_[row]) return;
        std::array<double, metrics> dy{};
        for (std::size_t i = 0; i < metrics; ++i) {
            const double y = predicted_[row][i];
            dy[i] = (predicted_gradient_[row][i] + (filled_[row] ? used_gradient_[row][i] : 0)) * (y * (1 - y));
            gradient[layout::bias + i] += dy[i];
        }
        double mean = 0;
        for_each_active(batch, row, [&](std::uint32_t edge) {
            mean += attention_[edge] * dot_of<metrics>(dy.data(), combine_.output(edge).data());
        });
        for_each_active(batch, row, [&](std::uint32_t edge) {
            const double score_gradient = attention_[edge] *
                                          (dot_of<metrics>(dy.data(), combine_.output(edge).data()) - mean) /
                                          (1 - dropout.probability);
            for (std::size_t i = 0; i < metrics; ++i) combine_.output_gradient(edge)[i] = attention_[edge] * dy[i];
            combine_.backward_inputs(parameters + layout::combine, edge, 1);
            const std::uint32_t from = batch.source[edge];
            const auto input_gradient = combine_.input_gradient(edge);
            add_to(used_gradient_[from], input_gradient.last<metrics>());
            add_to(std::span<double, state>(gradient + layout::attention, state), hidden_[edge], score_gradient);
            std::array<double, state> dh{};
            for (std::size_t i = 0; i < state; ++i)
                dh[i] = input_gradient[i] + score_gradient * parameters[layout::attention + i];
            selu_backward<double>(hidden_[edge], dh);
            add_to(source_gradient_[from], dh);
            add_to(target_gradient_[row], dh);
        });
    }

    void look_backward(const double* parameters, double* gradient, std::size_t rows, enel_contexts& contexts_gradient) {
        const auto x = state_.piece(0, rows);
        const auto from_source = source_gradient_.piece(0, rows);
        const auto from_target = target_gradient_.piece(0, rows);
        layer().backward_parameters(gradient + layout::source, x, from_source);
        layer().backward_parameters(gradient + layout::target, x, from_target);
        // What they showed is not needed any more: its place takes the gradient of the state.
        layer().backward_input(parameters + layout::source, from_source, source_.piece(0, rows));
        layer().backward_input(parameters + layout::target, from_target, target_.piece(0, rows));
        constexpr std::size_t context = layout::context;
        for (std::size_t row = 0; row < rows; ++row) {
            add_to(contexts_gradient[row], source_[row].subspan<features, context>());
            add_to(contexts_gradient[row], target_[row].subspan<features, context>());
        }
    }

    template <class Visit>
    void for_each_active(const enel_batch& batch, std::uint32_t row, const Visit& visit) const {
        for (const std::uint32_t edge : batch.incoming_of(row))
            if (active_[edge]) visit(edge);
    }

    state_columns state_;
    state_columns source_;
    state_columns target_;
    state_columns source_gradient_;
    state_columns target_gradient_;
    metrics_columns used_;
    metrics_columns predicted_;
    metrics_columns used_gradient_;
    metrics_columns predicted_gradient_;
    std::vector<std::uint8_t> known_;
    std::vector<std::uint8_t> filled_;
    std::vector<std::uint8_t> has_predecessor_;
    std::vector<double> attention_;
    std::vector<std::uint8_t> active_;
    state_columns hidden_;
    enel_layers_pass<layout::combine_layers> combine_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
