// Forward and backward through Enel's network from codes of the context to metrics and times.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_PASS_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_PASS_HPP

#include <bellamy/detail/enel/enel_metrics_pass.hpp>
#include <bellamy/detail/enel/enel_times_pass.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

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
            most.encodings = (std::max)(most.encodings, each.encodings.size());
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
    for (std::size_t i = 0; i < batch.encodings.size(); ++i) {
        const auto code = encoder(batch.encodings[i]);
        copy_to(codes[i], std::span(code));
    }
}

/// Working storage, allocated once, in the constructor; forward and backward allocate nothing.
class enel_pass {
public:
    explicit enel_pass(const enel_capacity& most)
        : codes_(most.encodings),
          contexts_(most.rows),
          contexts_gradient_(most.rows),
          metrics_(most.rows, most.edges),
          times_(most.rows, most.graphs) {}

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
    void backward(const double* parameters, double* gradient, const enel_batch& batch, const enel_edge_dropout& dropout,
                  std::span<double> codes_gradient) {
        fill_zeros(contexts_gradient_.piece(0, batch.rows()));
        fill_zeros(metrics_.used_gradient().piece(0, batch.rows()));
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

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
