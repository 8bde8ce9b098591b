// Forward and backward through Enel's network from codes of the context to metrics and times.
#ifndef BELLAMY_DETAIL_STAGES_ENEL_PASS_HPP
#define BELLAMY_DETAIL_STAGES_ENEL_PASS_HPP

#include <bellamy/detail/stages/enel_metrics_pass.hpp>
#include <bellamy/detail/stages/enel_times_pass.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// The largest batch a pass has room for.
struct enel_capacity {
    std::size_t rows = 0;
    std::size_t edges = 0;
    std::size_t graphs = 0;
    std::size_t encodings = 0;

    [[nodiscard]] static enel_capacity of(std::span<const enel_batch> batches) noexcept {
        enel_capacity most;
        for (const auto& each : batches) {
            most.rows = (std::max)(most.rows, each.rows());
            most.edges = (std::max)(most.edges, each.edges());
            most.graphs = (std::max)(most.graphs, each.graphs());
            most.encodings = (std::max)(most.encodings, static_cast<std::size_t>(each.encodings.cols()));
        }
        return most;
    }
};

/// Codes of the batch's encodings without dropout, for a frozen encoder and for answers.
inline void encode_all(const double* parameters, const enel_batch& batch, enel_codes& codes) {
    property_encoder<double, enel_widths> encoder;
    const double* at = parameters + enel_layout::encoder;
    encoder.layers.for_each_block(encoder.layers, [&](auto block, std::size_t) {
        std::copy_n(at, block.size(), block.data());
        at += block.size();
    });
    for (Eigen::Index i = 0; i < batch.encodings.cols(); ++i) {
        const auto code =
            encoder(std::span<const double, enel_widths.encoding>(batch.encodings.col(i).data(), enel_widths.encoding));
        std::copy(code.begin(), code.end(), codes.col(i).data());
    }
}

/// Working storage, allocated once, in the constructor; forward and backward allocate nothing.
class enel_pass {
public:
    explicit enel_pass(const enel_capacity& most)
        : codes_(enel_layout::code, static_cast<Eigen::Index>(most.encodings)),
          contexts_(enel_layout::context, static_cast<Eigen::Index>(most.rows)),
          contexts_gradient_(enel_layout::context, static_cast<Eigen::Index>(most.rows)),
          metrics_(static_cast<Eigen::Index>(most.rows), static_cast<Eigen::Index>(most.edges)),
          times_(static_cast<Eigen::Index>(most.rows), most.graphs) {}

    /// Codes of the batch's encodings, to be filled in before `forward`.
    [[nodiscard]] enel_codes& codes() noexcept { return codes_; }

    void forward(const double* parameters, const enel_batch& batch, enel_teaching teaching,
                 const enel_edge_dropout& dropout = {}) {
        mean_codes(batch, codes_, contexts_);
        metrics_.forward(parameters, batch, contexts_, teaching, dropout);
        times_.forward(parameters, batch, contexts_, metrics_.used());
    }

    [[nodiscard]] const enel_contexts& contexts() const noexcept { return contexts_; }
    [[nodiscard]] enel_metrics_pass& metrics() noexcept { return metrics_; }
    [[nodiscard]] enel_times_pass& times() noexcept { return times_; }

    /// From the gradients that stand in `metrics()` and `times()`: that of all parameters but the auto-encoder's, and,
    /// added, that of the codes.
    template <class CodesGradient>
    void backward(const double* parameters, double* gradient, const enel_batch& batch, const enel_edge_dropout& dropout,
                  CodesGradient&& codes_gradient) {
        const auto rows = static_cast<Eigen::Index>(batch.rows());
        contexts_gradient_.leftCols(rows).setZero();
        metrics_.used_gradient().leftCols(rows).setZero();
        times_.backward(parameters, gradient, batch);
        times_.add_input_gradients(batch, contexts_gradient_, metrics_.used_gradient());
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

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
