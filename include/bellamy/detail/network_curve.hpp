// A network with one context folded into it; holds all it needs inline.
#ifndef BELLAMY_DETAIL_NETWORK_CURVE_HPP
#define BELLAMY_DETAIL_NETWORK_CURVE_HPP

#include <bellamy/network.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

class network_curve {
    static constexpr dimensions default_dimensions{};

public:
    /// Precondition: the context fits the network's schema.
    network_curve(const network<>& source, const context& subject) noexcept
        : runtime_(source.runtime), encoder_(source.encoder), folded_(source.head_bias) {
        for (std::size_t i = 0; i < subject.essential.size(); ++i) add(subject.essential[i], source.code_weights(i), 1.0F);
        // The head reads the mean of the optional codes: each counts one part of their number.
        for (const auto& each : subject.optional)
            add(each, source.code_weights(source.essential_count()), 1.0F / static_cast<float>(subject.optional.size()));
    }

    /// Precondition: 1 <= scale_out <= largest_valid_scale_out().
    [[nodiscard]] float operator()(int scale_out) const noexcept {
        auto sum = folded_;
        const float log_scale_out = std::log(static_cast<float>(scale_out));
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += per_log_scale_out_[i] * log_scale_out;
        for (std::size_t i = 0; i < scaling_count_; ++i) {
            std::array<float, default_dimensions.encoding> encoded{};
            scaling_[i].encode_at(scale_out, std::span(encoded));
            add_code<float, default_dimensions>(sum, scaling_[i].weights, encoder_(encoded));
        }
        return runtime_(sum, static_cast<float>(scale_out));
    }

    [[nodiscard]] int largest_valid_scale_out() const noexcept { return largest_valid_scale_out_; }

    /// Numbers for the head that stand where a code could.
    void add_to_start(std::span<const float, network<>::weights_per_code> weights,
                      const std::array<float, default_dimensions.code>& numbers) noexcept {
        add_code<float, default_dimensions>(folded_, weights, numbers);
    }
    /// One more number for the head, which is `slope` times ln(scale-out).
    void add_per_log_scale_out(std::span<const float, default_dimensions.head_hidden> weights, float slope) noexcept {
        for (std::size_t i = 0; i < weights.size(); ++i) per_log_scale_out_[i] += slope * weights[i];
    }

private:
    // A number per unit of scale-out; text cannot scale.
    struct scaling_property {
        std::uint64_t natural = 0;
        double quantity = 0;  // where it is not a natural number, else 0
        std::array<float, network<>::weights_per_code> weights{};

        void encode_at(int scale_out, std::span<float, default_dimensions.encoding> out) const noexcept {
            if (quantity > 0) {
                encode_quantity(quantity * scale_out, out);
            } else {
                encode_natural(natural * static_cast<std::uint64_t>(scale_out), out);
            }
        }
        [[nodiscard]] int largest_valid_scale_out() const noexcept {
            if (quantity > 0)
                return static_cast<int>(
                    (std::min)((std::numeric_limits<double>::max)() / quantity, 1.0 * largest_scale_out));
            const auto most = natural > 0 ? largest_natural / natural : largest_natural;
            return static_cast<int>((std::min)(most, static_cast<std::uint64_t>(largest_scale_out)));
        }
    };

    void add(const property& subject, std::span<const float, network<>::weights_per_code> weights, float share) noexcept {
        std::array<float, network<>::weights_per_code> scaled{};
        std::transform(weights.begin(), weights.end(), scaled.begin(), [=](float w) { return w * share; });
        if (subject.scales_with_scale_out && subject.kind() != property_kind::unknown) {
            auto& slot = scaling_[scaling_count_++];
            slot.weights = scaled;
            if (const auto* natural = std::get_if<std::uint64_t>(&subject.value)) slot.natural = *natural;
            if (const auto* quantity = std::get_if<double>(&subject.value)) slot.quantity = *quantity;
            largest_valid_scale_out_ = (std::min)(largest_valid_scale_out_, slot.largest_valid_scale_out());
        } else {
            std::array<float, default_dimensions.encoding> encoded{};
            encode(subject, 1, std::span(encoded));
            add_code<float, default_dimensions>(folded_, scaled, encoder_(encoded));
        }
    }

    runtime_network<float, default_dimensions> runtime_;
    property_encoder<float, default_dimensions> encoder_;
    head_start<float, default_dimensions> folded_;
    head_start<float, default_dimensions> per_log_scale_out_{};
    std::array<scaling_property, most_scaling_properties> scaling_{};
    std::size_t scaling_count_ = 0;
    int largest_valid_scale_out_ = largest_scale_out;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
