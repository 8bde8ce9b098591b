// Parameters of Enel's network (IPCCC 2021): their layout and start values.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_LAYERS_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_LAYERS_HPP

#include <bellamy/detail/network/parameters.hpp>
#include <bellamy/detail/network/training/perceptron_pass.hpp>

#include <cmath>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline constexpr size_t enel_metrics_count = 5;

/// Layer widths of Enel's auto-encoder. Without a scale-out network and a head, its parameters come first.
inline constexpr dimensions enel_widths{
    .encoding = 33, .encoder_hidden = 16, .code = 8, .scale_out_hidden = 0, .scale_out_code = 0, .head_hidden = 0};

/// Widths of a two-layer perceptron with biases; its hidden layer is half as wide as its input.
template <size_t In, size_t Out>
struct enel_perceptron {
    static constexpr size_t inputs = In;
    static constexpr size_t hidden = In / 2;
    static constexpr size_t outputs = Out;
    static constexpr size_t first_size = (In + 1) * hidden;
    static constexpr size_t size = first_size + (hidden + 1) * Out;
};

/// Widths of the layers, and the offsets of their weights. Weights stand input by input, a bias after its weights.
struct enel_layout {
    static constexpr size_t code = enel_widths.code;
    /// Codes of a node: means over the required properties, the optional ones, and the stage's own.
    static constexpr size_t context = 3 * code;
    /// Features of a node that attention is computed from: start scale-out, codes, end scale-out.
    static constexpr size_t node = context + 2 * scale_out_features_count;
    /// Codes, metrics and scale-outs; the last input is the share of the stage that rescaling takes, or its overhead.
    using overhead_layers = enel_perceptron<context + enel_metrics_count + 2 * scale_out_features_count + 1, 1>;
    using runtime_layers = enel_perceptron<context + enel_metrics_count + scale_out_features_count + 1, 1>;
    using combine_layers = enel_perceptron<node + enel_metrics_count, enel_metrics_count>;

    static constexpr size_t encoder = parameter_layout<enel_widths>::encoder;
    static constexpr size_t decoder = parameter_layout<enel_widths>::decoder;
    static constexpr size_t overhead = parameter_layout<enel_widths>::head;
    static constexpr size_t runtime = overhead + overhead_layers::size;
    static constexpr size_t source = runtime + runtime_layers::size;
    static constexpr size_t target = source + (node + 1) * node;
    static constexpr size_t attention = target + (node + 1) * node;
    static constexpr size_t combine = attention + node;
    static constexpr size_t bias = combine + combine_layers::size;
    static constexpr size_t size = bias + enel_metrics_count;
};
static_assert(enel_layout::encoder == 0 && enel_layout::size == 5155);

/// Start values: weights normal with standard deviation 0.75 / sqrt(fan-in), biases 0, the attention vector uniform in
/// +-sqrt(6 / (1 + its width)).
inline std::vector<double> random_enel_parameters(random_generator& random) {
    using layout = enel_layout;
    constexpr auto hidden = enel_widths.encoder_hidden;
    std::vector<double> parameters(layout::size, 0.0);
    const auto draw_weights = [&](size_t first, size_t inputs, size_t outputs) {
        const double standard_deviation = 0.75 / std::sqrt(static_cast<double>(inputs));
        for (double& weight : std::span(parameters).subspan(first, inputs * outputs))
            weight = standard_deviation * random.normal();
    };
    const auto draw_perceptron = [&]<class Layers>(size_t first, Layers) {
        draw_weights(first, Layers::inputs, Layers::hidden);
        draw_weights(first + Layers::first_size, Layers::hidden, Layers::outputs);
    };
    draw_weights(layout::encoder, enel_widths.encoding, hidden);
    draw_weights(layout::encoder + enel_widths.encoding * hidden, hidden, layout::code);
    draw_weights(layout::decoder, layout::code, hidden);
    draw_weights(layout::decoder + layout::code * hidden, hidden, enel_widths.encoding);
    draw_perceptron(layout::overhead, layout::overhead_layers{});
    draw_perceptron(layout::runtime, layout::runtime_layers{});
    draw_weights(layout::source, layout::node, layout::node);
    draw_weights(layout::target, layout::node, layout::node);
    const double bound = std::sqrt(6 / (1 + static_cast<double>(layout::node)));
    for (double& weight : std::span(parameters).subspan(layout::attention, layout::node))
        weight = bound * (2 * random.uniform() - 1);
    draw_perceptron(layout::combine, layout::combine_layers{});
    return parameters;
}

/// The pass of a perceptron of these widths.
template <class Perceptron>
using enel_perceptron_pass = perceptron_pass<double, Perceptron::inputs, Perceptron::hidden, Perceptron::outputs>;

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
