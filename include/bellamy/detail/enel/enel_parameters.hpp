// Where the parts of Enel's network (IPCCC 2021) stand in the flat array of its parameters, and their start values.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_PARAMETERS_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_PARAMETERS_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/network/parameters.hpp>

#include <cmath>
#include <string_view>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline constexpr std::size_t enel_metrics_count = 5;

/// Widths of Enel's auto-encoder. It has no network of the scale-out and no head, so that the auto-encoder's parameters come
/// first.
inline constexpr dimensions enel_widths{
    .encoding = 33, .encoder_hidden = 16, .code = 8, .scale_out_hidden = 0, .scale_out_code = 0, .head_hidden = 0};

/// Linear, SELU, Linear with biases; the hidden layer is half as wide as the input.
template <std::size_t In, std::size_t Out>
struct enel_two_layers {
    static constexpr std::size_t inputs = In;
    static constexpr std::size_t hidden = In / 2;
    static constexpr std::size_t outputs = Out;
    static constexpr std::size_t first_size = (In + 1) * hidden;
    static constexpr std::size_t size = first_size + (hidden + 1) * Out;
};

/// Sizes and places; weights stand input by input, a bias after its weights.
struct enel_layout {
    static constexpr std::size_t code = enel_widths.code;
    /// Codes of a row: means of the required, the optional and the stage's own rows.
    static constexpr std::size_t context = 3 * code;
    /// What attention looks at: start scale-out, codes, end scale-out.
    static constexpr std::size_t state = context + 2 * scale_out_features_count;
    using overhead_layers = enel_two_layers<context + enel_metrics_count + 2 * scale_out_features_count + 1, 1>;
    using runtime_layers = enel_two_layers<context + enel_metrics_count + scale_out_features_count + 1, 1>;
    using combine_layers = enel_two_layers<state + enel_metrics_count, enel_metrics_count>;

    static constexpr std::size_t encoder = parameter_layout<enel_widths>::encoder;
    static constexpr std::size_t decoder = parameter_layout<enel_widths>::decoder;
    static constexpr std::size_t overhead = parameter_layout<enel_widths>::head;
    static constexpr std::size_t runtime = overhead + overhead_layers::size;
    static constexpr std::size_t source = runtime + runtime_layers::size;
    static constexpr std::size_t target = source + (state + 1) * state;
    static constexpr std::size_t attention = target + (state + 1) * state;
    static constexpr std::size_t combine = attention + state;
    static constexpr std::size_t bias = combine + combine_layers::size;
    static constexpr std::size_t size = bias + enel_metrics_count;
};
static_assert(enel_layout::encoder == 0 && enel_layout::size == 5155);

/// One array of weights or biases, by name.
struct enel_block {
    std::string_view name;
    std::size_t first = 0;
    std::size_t outputs = 0;
    std::size_t inputs = 0;  // 0: a bias, or the attention's vector

    [[nodiscard]] constexpr std::size_t size() const noexcept { return outputs * (inputs == 0 ? 1 : inputs); }
};

inline constexpr auto enel_blocks = [] {
    using at = enel_layout;
    constexpr std::size_t wide = enel_widths.encoding;
    constexpr std::size_t hidden = enel_widths.encoder_hidden;
    using overhead = at::overhead_layers;
    using runtime = at::runtime_layers;
    using combine = at::combine_layers;
    return std::array{
        enel_block{"encoder.0.weight", at::encoder, hidden, wide},
        enel_block{"encoder.1.weight", at::encoder + wide * hidden, at::code, hidden},
        enel_block{"decoder.0.weight", at::decoder, hidden, at::code},
        enel_block{"decoder.1.weight", at::decoder + hidden * at::code, wide, hidden},
        enel_block{"overhead.0.weight", at::overhead, overhead::hidden, overhead::inputs},
        enel_block{"overhead.0.bias", at::overhead + overhead::inputs * overhead::hidden, overhead::hidden, 0},
        enel_block{"overhead.1.weight", at::overhead + overhead::first_size, 1, overhead::hidden},
        enel_block{"overhead.1.bias", at::runtime - 1, 1, 0},
        enel_block{"runtime.0.weight", at::runtime, runtime::hidden, runtime::inputs},
        enel_block{"runtime.0.bias", at::runtime + runtime::inputs * runtime::hidden, runtime::hidden, 0},
        enel_block{"runtime.1.weight", at::runtime + runtime::first_size, 1, runtime::hidden},
        enel_block{"runtime.1.bias", at::source - 1, 1, 0},
        enel_block{"metrics.source.weight", at::source, at::state, at::state},
        enel_block{"metrics.source.bias", at::source + at::state * at::state, at::state, 0},
        enel_block{"metrics.target.weight", at::target, at::state, at::state},
        enel_block{"metrics.target.bias", at::target + at::state * at::state, at::state, 0},
        enel_block{"metrics.attention", at::attention, at::state, 0},
        enel_block{"metrics.combine.0.weight", at::combine, combine::hidden, combine::inputs},
        enel_block{"metrics.combine.0.bias", at::combine + combine::inputs * combine::hidden, combine::hidden, 0},
        enel_block{"metrics.combine.1.weight", at::combine + combine::first_size, combine::outputs, combine::hidden},
        enel_block{"metrics.combine.1.bias", at::bias - combine::outputs, combine::outputs, 0},
        enel_block{"metrics.bias", at::bias, enel_metrics_count, 0},
    };
}();

/// Weights normal with standard deviation 0.75 / sqrt(fan-in), biases 0, attention uniform in +-sqrt(6 / (1 + its width)).
[[nodiscard]] inline std::vector<double> random_enel_parameters(random_generator& random) {
    std::vector<double> parameters(enel_layout::size, 0.0);
    for (const auto& block : enel_blocks) {
        const auto values = std::span(parameters).subspan(block.first, block.size());
        const double deviation = block.inputs == 0 ? 0 : 0.75 / std::sqrt(static_cast<double>(block.inputs));
        const bool attention = block.first == enel_layout::attention;
        const double bound = std::sqrt(6 / (1 + static_cast<double>(enel_layout::state)));
        for (double& each : values)
            each = attention ? bound * (2 * random.uniform() - 1) : deviation > 0 ? deviation * random.normal() : 0;
    }
    return parameters;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
