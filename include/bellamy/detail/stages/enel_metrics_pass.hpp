// Forward and backward through Enel's prediction of metrics: attention over the predecessors whose metrics are known.
#ifndef BELLAMY_DETAIL_STAGES_ENEL_METRICS_PASS_HPP
#define BELLAMY_DETAIL_STAGES_ENEL_METRICS_PASS_HPP

#include <bellamy/detail/maths/dense.hpp>
#include <bellamy/detail/stages/enel_context.hpp>
#include <bellamy/detail/stages/enel_layers.hpp>

#include <limits>

namespace bellamy::inline BELLAMY_ABI::detail {

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
    static constexpr auto state = static_cast<Eigen::Index>(layout::state);
    static constexpr auto metrics = static_cast<Eigen::Index>(enel_metrics_count);
    using metrics_columns = columns<double, enel_metrics_count>;
    using state_columns = columns<double, layout::state>;

public:
    enel_metrics_pass(Eigen::Index rows, Eigen::Index edges)
        : state_(state, rows),
          source_(state, rows),
          target_(state, rows),
          source_gradient_(state, rows),
          target_gradient_(state, rows),
          used_(metrics, rows),
          predicted_(metrics, rows),
          used_gradient_(metrics, rows),
          predicted_gradient_(metrics, rows),
          known_(static_cast<std::size_t>(rows)),
          filled_(static_cast<std::size_t>(rows)),
          has_predecessor_(static_cast<std::size_t>(rows)),
          attention_(static_cast<std::size_t>(edges)),
          active_(static_cast<std::size_t>(edges)),
          hidden_(state, edges),
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
        const auto rows = static_cast<Eigen::Index>(batch.rows());
        source_gradient_.leftCols(rows).setZero();
        target_gradient_.leftCols(rows).setZero();
        std::fill_n(gradient + layout::attention, layout::state, 0.0);
        std::fill_n(gradient + layout::bias, enel_metrics_count, 0.0);
        for (std::size_t edge = 0; edge < batch.edges(); ++edge)
            if (!active_[edge]) combine_.clear(static_cast<Eigen::Index>(edge));
        for (std::size_t graph = batch.graphs(); graph-- > 0;) {
            const auto order = batch.order_of(graph);
            for (std::size_t i = order.size(); i-- > 0;) predict_backward(parameters, gradient, batch, order[i], dropout);
            if (filled_[batch.first_row[graph]]) fill_summary_backward(batch, graph);
        }
        combine_.backward_parameters(gradient + layout::combine, static_cast<Eigen::Index>(batch.edges()));
        look_backward(parameters, gradient, rows, contexts_gradient);
    }

private:
    // What every row shows to its successors and to its predecessors.
    void look(const double* parameters, const enel_batch& batch, const enel_contexts& contexts) {
        constexpr auto code = static_cast<Eigen::Index>(layout::context);
        const auto rows = static_cast<Eigen::Index>(batch.rows());
        auto x = state_.leftCols(rows);
        x.topRows<3>() = batch.start;
        x.middleRows<code>(3) = contexts.leftCols(rows);
        x.bottomRows<3>() = batch.end;
        layer_.forward(parameters + layout::source, x, source_.leftCols(rows));
        layer_.forward(parameters + layout::target, x, target_.leftCols(rows));
    }

    void start(const enel_batch& batch, enel_teaching teaching) {
        used_.leftCols(batch.metrics.cols()) = batch.metrics;
        if (teaching == enel_teaching::none_but_history) {
            for (std::size_t graph = 0; graph < batch.graphs(); ++graph) {
                if (batch.previous_in_batch[graph] != 0) used_.col(column(batch.first_row[graph])).setZero();
                for (const std::uint32_t row : batch.order_of(graph)) used_.col(column(row)).setZero();
            }
        }
        predicted_.leftCols(batch.metrics.cols()) = used_.leftCols(batch.metrics.cols());
        for (std::size_t row = 0; row < batch.rows(); ++row) {
            known_[row] = (used_.col(column(row)).array() != 0).any();
            filled_[row] = has_predecessor_[row] = false;
        }
        std::fill_n(attention_.begin(), batch.edges(), 0.0);
        std::fill_n(active_.begin(), batch.edges(), std::uint8_t{0});
    }

    // The summary of a previous job of the batch: the mean over those of its stages whose metrics are known by now.
    void fill_summary(const enel_batch& batch, std::size_t graph) {
        const auto row = batch.first_row[graph];
        auto mean = used_.col(column(row));
        double count = 0;
        for (const std::uint32_t stage : batch.order_of(graph - 1)) {
            if (!known_[stage]) continue;
            mean += used_.col(column(stage));
            ++count;
        }
        if (count == 0) return;
        mean /= count;
        predicted_.col(column(row)) = mean;
        known_[row] = filled_[row] = true;
    }

    void fill_summary_backward(const enel_batch& batch, std::size_t graph) {
        const auto stages = batch.order_of(graph - 1);
        const auto count = std::count_if(stages.begin(), stages.end(), [&](auto row) { return known_[row] != 0; });
        for (const std::uint32_t stage : stages)
            if (known_[stage])
                used_gradient_.col(column(stage)) +=
                    used_gradient_.col(column(batch.first_row[graph])) / static_cast<double>(count);
    }

    // Metrics of one row from those of its predecessors.
    void predict(const double* parameters, const enel_batch& batch, std::uint32_t row, const enel_edge_dropout& dropout) {
        const Eigen::Map<const Eigen::Matrix<double, metrics, 1>> bias(parameters + layout::bias);
        double highest = -std::numeric_limits<double>::infinity();
        for (const std::uint32_t edge : batch.incoming_of(row)) {
            const std::uint32_t from = batch.source[edge];
            if (!known_[from] || (!dropout.keep.empty() && dropout.keep[edge] == 0)) continue;
            active_[edge] = true;
            auto h = hidden_.col(column(edge));
            h = source_.col(column(from)) + target_.col(column(row));
            selu_forward<double>({h.data(), layout::state});
            attention_[edge] = dot(parameters + layout::attention, h.data(), state) / (1 - dropout.probability);
            highest = (std::max)(highest, attention_[edge]);
            auto input = combine_.input(column(edge));
            input.head<state>() = h;
            input.tail<metrics>() = used_.col(column(from));
            combine_.forward(parameters + layout::combine, column(edge), 1);
            has_predecessor_[row] = true;
        }
        if (!has_predecessor_[row]) return;
        double sum = 0;
        for_each_active(batch, row, [&](std::uint32_t edge) { sum += std::exp(attention_[edge] - highest); });
        auto y = predicted_.col(column(row));
        y = bias;
        for_each_active(batch, row, [&](std::uint32_t edge) {
            attention_[edge] = std::exp(attention_[edge] - highest) / sum;
            y += attention_[edge] * combine_.output(column(edge));
        });
        y = (1 / (1 + (-y.array()).exp())).matrix();
        if (known_[row]) return;
        used_.col(column(row)) = y;
        known_[row] = filled_[row] = true;
    }

    void predict_backward(const double* parameters, double* gradient, const enel_batch& batch, std::uint32_t row,
                          const enel_edge_dropout& dropout) {
        if (!has_predecessor_[row]) return;
        const Eigen::Map<const Eigen::Matrix<double, state, 1>> attends(parameters + layout::attention);
        Eigen::Map<Eigen::Matrix<double, state, 1>> attends_gradient(gradient + layout::attention);
        Eigen::Map<Eigen::Matrix<double, metrics, 1>> bias_gradient(gradient + layout::bias);
        Eigen::Matrix<double, metrics, 1> dy = predicted_gradient_.col(column(row));
        if (filled_[row]) dy += used_gradient_.col(column(row));
        const auto y = predicted_.col(column(row)).array();
        dy.array() *= y * (1 - y);
        bias_gradient += dy;
        double mean = 0;
        for_each_active(batch, row,
                        [&](std::uint32_t edge) { mean += attention_[edge] * dy.dot(combine_.output(column(edge))); });
        for_each_active(batch, row, [&](std::uint32_t edge) {
            const auto at = column(edge);
            const double score_gradient =
                attention_[edge] * (dy.dot(combine_.output(at)) - mean) / (1 - dropout.probability);
            combine_.output_gradient(at) = attention_[edge] * dy;
            combine_.backward_inputs(parameters + layout::combine, at, 1);
            const std::uint32_t from = batch.source[edge];
            used_gradient_.col(column(from)) += combine_.input_gradient(at).tail<metrics>();
            attends_gradient += score_gradient * hidden_.col(at);
            Eigen::Matrix<double, state, 1> dh = combine_.input_gradient(at).head<state>() + score_gradient * attends;
            selu_backward<double>({hidden_.col(at).data(), layout::state}, {dh.data(), layout::state});
            source_gradient_.col(column(from)) += dh;
            target_gradient_.col(column(row)) += dh;
        });
    }

    void look_backward(const double* parameters, double* gradient, Eigen::Index rows, enel_contexts& contexts_gradient) {
        constexpr auto code = static_cast<Eigen::Index>(layout::context);
        const auto x = state_.leftCols(rows);
        layer_.backward_parameters(gradient + layout::source, x, source_gradient_.leftCols(rows));
        layer_.backward_parameters(gradient + layout::target, x, target_gradient_.leftCols(rows));
        // What they showed is not needed any more: its place takes the gradient of the state.
        layer_.backward_input(parameters + layout::source, source_gradient_.leftCols(rows), source_.leftCols(rows));
        layer_.backward_input(parameters + layout::target, target_gradient_.leftCols(rows), target_.leftCols(rows));
        contexts_gradient.leftCols(rows) +=
            source_.leftCols(rows).middleRows<code>(3) + target_.leftCols(rows).middleRows<code>(3);
    }

    template <class Visit>
    void for_each_active(const enel_batch& batch, std::uint32_t row, const Visit& visit) const {
        for (const std::uint32_t edge : batch.incoming_of(row))
            if (active_[edge]) visit(edge);
    }

    [[nodiscard]] static Eigen::Index column(std::uint32_t i) noexcept { return static_cast<Eigen::Index>(i); }
    [[nodiscard]] static Eigen::Index column(std::size_t i) noexcept { return static_cast<Eigen::Index>(i); }

    linear_layer<double, static_cast<int>(layout::state), static_cast<int>(layout::state), true, batch_size::few> layer_;
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

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
