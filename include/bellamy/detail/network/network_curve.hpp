// A network bound to one context: predicts its runtime at any scale-out, from bounded inline storage.
#ifndef BELLAMY_DETAIL_NETWORK_NETWORK_CURVE_HPP
#define BELLAMY_DETAIL_NETWORK_NETWORK_CURVE_HPP

#include <bellamy/detail/base/sort.hpp>
#include <bellamy/detail/network/kernels/dispatch.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Largest scale-out at which numbers that scale can still be encoded: in 39 bits, or in a double.
inline int largest_valid_scale_out(const context& target) noexcept {
    std::uint64_t largest = largest_scale_out;
    for_each_property(target, [&](const property& property) {
        if (!property.scales_with_scale_out) return;
        if (const auto* natural = property.value.natural(); natural != nullptr && *natural > 0)
            largest = (std::min)(largest, largest_natural / *natural);
        if (const auto* quantity = property.value.quantity()) {
            const double most = (std::numeric_limits<double>::max)() / *quantity;
            if (most < static_cast<double>(largest)) largest = static_cast<std::uint64_t>(most);
        }
    });
    return static_cast<int>(largest);
}

/// No member throws or allocates, but the constructor from a network that is not prepared.
class network_curve {
public:
    /// Precondition: the context fits the network's schema. Prepares the network, which allocates and takes microseconds.
    network_curve(const network<>& source, const context& target) : network_curve(prepared_network(source), target) {}

    /// Precondition: the context fits the network's schema.
    network_curve(const prepared_network& source, const context& target) noexcept
        : runtime_(source.runtime),
          encoder_(source.encoder),
          folded_(source.head_bias),
          largest_valid_scale_out_(bellamy::detail::largest_valid_scale_out(target)) {
        const size_t essential = target.essential.size();
        const size_t optional_position = source.essential_count();
        for (size_t i = 0; i < essential; ++i) add(target.essential[i], source.weights_of(i).values, 1.0F);
        // The head reads the mean of the optional codes.
        for (const auto& property : target.optional)
            add(property, source.weights_of(optional_position).values, 1.0F / static_cast<float>(target.optional.size()));
        fill_cache();
    }

    /// Seconds at one scale-out. Precondition: 1 <= scale_out <= largest_valid_scale_out().
    float operator()(int scale_out) const noexcept {
        if (!has_scaling_properties()) return simd::predict_one(runtime_, folded_, static_cast<float>(scale_out));
        head_sums start;
        starts_at({&scale_out, 1}, &start);
        return simd::predict_one(runtime_, start, static_cast<float>(scale_out));
    }

    /// Seconds at each scale-out. Preconditions: as many results; each as above.
    void operator()(std::span<const int> scale_outs, std::span<float> runtime_s) const noexcept {
        assert(scale_outs.size() == runtime_s.size());
        in_chunks(runtime_s, [&](size_t i) { return scale_outs[i]; });
    }

    /// Seconds at scale-outs first, first + 1, ... Precondition: first and last as above.
    void operator()(int first, std::span<float> runtime_s) const noexcept {
        in_chunks(runtime_s, [=](size_t i) { return first + static_cast<int>(i); });
    }

    int largest_valid_scale_out() const noexcept { return largest_valid_scale_out_; }

    /// Whether the context has properties that scale with the scale-out: predictions then cost more.
    bool has_scaling_properties() const noexcept { return scaling_count_ > 0; }

private:
    using encoded_property = std::array<float, prepared_encoder::inputs>;
    using code_weights = std::array<float, prepared_network::weights_per_code>;

    // The head's starts are cached for scale-outs 1 .. cached where the context has properties that scale: encoding those
    // costs more than all the rest.
    static constexpr int cached = 32;

    // A number per unit of scale-out, and its weights in the head. Text cannot scale.
    struct scaling_property {
        std::uint64_t natural = 0;
        double quantity = 0;  // 0 where it is a natural number
        code_weights weights{};

        void encode_at(int scale_out, encoded_property& out) const noexcept {
            if (quantity > 0) {
                encode_quantity(quantity * scale_out, std::span(out));
            } else {
                encode_natural(natural * static_cast<std::uint64_t>(scale_out), std::span(out));
            }
        }
    };

    // Folds the code of a property into the head's start, or keeps the property where it scales.
    void add(const property& source, const code_weights& weights, float factor) noexcept {
        code_weights scaled{};
        std::transform(weights.begin(), weights.end(), scaled.begin(), [=](float w) { return w * factor; });
        if (source.scales_with_scale_out && source.kind() != property_kind::unknown) {
            auto& slot = scaling_[scaling_count_++];
            slot.weights = scaled;
            if (const auto* natural = source.value.natural()) slot.natural = *natural;
            if (const auto* quantity = source.value.quantity()) slot.quantity = *quantity;
        } else {
            encoded_property encoded{};
            encode(source, 1, std::span(encoded));
            std::array<float, prepared_encoder::code> codes;
            simd::encode_rows(encoder_, encoded.data(), 1, codes.data());
            simd::add_codes(scaled.data(), codes.data(), &folded_, 1);
        }
    }

    void fill_cache() noexcept {
        if (!has_scaling_properties()) return;
        const int known = (std::min)(cached, largest_valid_scale_out_);
        for (int first = 0; first < known; first += static_cast<int>(batch_block)) {
            std::array<int, batch_block> scale_outs{};
            for (int i = 0; i < static_cast<int>(batch_block); ++i)
                scale_outs[static_cast<size_t>(i)] = (std::min)(first + i + 1, known);
            compute_starts(scale_outs, starts_.data() + first);
        }
        cached_starts_ = known;
    }

    /// The head's starts at up to `batch_block` scale-outs, cached or computed.
    void starts_at(std::span<const int> scale_outs, head_sums* starts) const noexcept {
        const auto is_cached = [&](int x) { return x <= cached_starts_; };
        if (!all_of(scale_outs, is_cached)) return compute_starts(scale_outs, starts);
        for (const int x : scale_outs) *starts++ = starts_[static_cast<size_t>(x - 1)];
    }

    void compute_starts(std::span<const int> scale_outs, head_sums* starts) const noexcept {
        std::fill_n(starts, scale_outs.size(), folded_);
        std::array<encoded_property, batch_block> encoded;
        std::array<float, batch_block * prepared_encoder::code> codes;
        for (size_t p = 0; p < scaling_count_; ++p) {
            for (size_t i = 0; i < scale_outs.size(); ++i) scaling_[p].encode_at(scale_outs[i], encoded[i]);
            simd::encode_rows(encoder_, encoded.data()->data(), scale_outs.size(), codes.data());
            simd::add_codes(scaling_[p].weights.data(), codes.data(), starts, scale_outs.size());
        }
    }

    void in_chunks(std::span<float> runtime_s, auto scale_out_at) const noexcept {
        if (has_scaling_properties()) return in_blocks_with_starts(runtime_s, scale_out_at);
        constexpr size_t chunk = 256;
        for (size_t i = 0; i < runtime_s.size(); i += chunk) {
            const auto part = runtime_s.subspan(i, (std::min)(chunk, runtime_s.size() - i));
            for (size_t k = 0; k < part.size(); ++k) part[k] = static_cast<float>(scale_out_at(i + k));
            simd::predict_curve(runtime_, folded_, part.data(), part.data(), part.size());
        }
    }

    void in_blocks_with_starts(std::span<float> runtime_s, auto scale_out_at) const noexcept {
        for (size_t i = 0; i < runtime_s.size(); i += batch_block) {
            const size_t count = (std::min)(batch_block, runtime_s.size() - i);
            std::array<int, batch_block> scale_outs;
            std::array<float, batch_block> x;
            // The last block is padded with its last scale-out.
            for (size_t k = 0; k < batch_block; ++k) {
                scale_outs[k] = scale_out_at(i + (std::min)(k, count - 1));
                x[k] = static_cast<float>(scale_outs[k]);
            }
            std::array<head_sums, batch_block> starts;
            starts_at(scale_outs, starts.data());
            simd::predict_started(runtime_, starts.data(), x.data(), x.data());
            std::copy_n(x.begin(), count, runtime_s.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

    prepared_runtime runtime_;
    prepared_encoder encoder_;
    head_sums folded_;
    std::array<head_sums, cached> starts_{};
    std::array<scaling_property, most_scaling_properties> scaling_{};
    size_t scaling_count_ = 0;
    int cached_starts_ = 0;
    int largest_valid_scale_out_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
