// Turns a property into numbers (paper, section III-B) and a scale-out into features (section III-C).
#ifndef BELLAMY_ENCODING_HPP
#define BELLAMY_ENCODING_HPP

#include <bellamy/detail/murmur3.hpp>
#include <bellamy/run.hpp>

#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <span>

namespace bellamy::inline BELLAMY_ABI {

/// What happens to 'A'..'Z' in text: made lower-case, as the paper says, or deleted, as its prototype does.
enum class capitals : std::uint8_t { lower, delete_them };

namespace detail {

inline constexpr std::uint8_t no_character = 0;

// Vocabulary of the text encoder; what is not in it is dropped.
[[nodiscard]] constexpr std::array<std::uint8_t, 256> vocabulary(capitals rule) noexcept {
    std::array<std::uint8_t, 256> table{};
    for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyz0123456789.:,;_-+#@"))
        table[static_cast<unsigned char>(c)] = static_cast<std::uint8_t>(c);
    if (rule == capitals::lower)
        for (std::size_t c = 'A'; c <= 'Z'; ++c) table[c] = static_cast<std::uint8_t>(c - 'A' + 'a');
    return table;
}

inline constexpr auto vocabulary_lower = vocabulary(capitals::lower);
inline constexpr auto vocabulary_without_capitals = vocabulary(capitals::delete_them);

// Signed counts of hashed grams in `Buckets` buckets.
template <std::size_t Buckets>
class gram_counter {
public:
    void add(std::uint32_t packed, std::uint32_t size) noexcept {
        const auto hash = static_cast<std::int32_t>(murmur3_gram(packed, size));
        // In 64 bits, so that the magnitude of the smallest 32-bit integer exists.
        const auto magnitude = static_cast<std::uint64_t>(hash < 0 ? -std::int64_t{hash} : std::int64_t{hash});
        counts_[magnitude % Buckets] += hash < 0 ? -1 : 1;
    }
    [[nodiscard]] const std::array<std::int64_t, Buckets>& counts() const noexcept { return counts_; }

private:
    std::array<std::int64_t, Buckets> counts_{};
};

}  // namespace detail

/// Text as [0, hashed character 1- to 3-grams of the blank-padded text, normalised to length 1]; no letters, all zeros.
/// Does not allocate. Linear in the text's length.
template <std::floating_point Scalar, std::size_t Size>
requires(Size > 1) void encode_text(std::string_view value, std::span<Scalar, Size> out,
                                    capitals rule = capitals::lower) noexcept {
    const auto& keep = rule == capitals::lower ? detail::vocabulary_lower : detail::vocabulary_without_capitals;
    detail::gram_counter<Size - 1> grams;
    constexpr std::uint32_t blank = ' ';
    std::uint32_t before = 0;  // character two back; 0 while there is none
    std::uint32_t last = blank;
    const auto add = [&](std::uint32_t c) {
        grams.add(c, 1);
        grams.add(last | c << 8U, 2);
        if (before != 0) grams.add(before | last << 8U | c << 16U, 3);
        before = last;
        last = c;
    };
    bool any = false;
    for (const char raw : value) {
        const std::uint8_t c = keep[static_cast<unsigned char>(raw)];
        if (c == detail::no_character) continue;
        if (!any) grams.add(blank, 1);
        any = true;
        add(c);
    }
    if (any) add(blank);
    double squares = 0;
    for (const auto count : grams.counts()) squares += static_cast<double>(count) * static_cast<double>(count);
    const double norm = squares > 0 ? 1 / std::sqrt(squares) : 0;
    out[0] = 0;
    for (std::size_t i = 1; i < Size; ++i) out[i] = static_cast<Scalar>(static_cast<double>(grams.counts()[i - 1]) * norm);
}

/// A natural number as [1, its binary digits, most significant first]; only the last Size - 1 digits are kept.
template <std::floating_point Scalar, std::size_t Size>
requires(Size > 1 && Size <= 65) void encode_natural(std::uint64_t value, std::span<Scalar, Size> out) noexcept {
    out[0] = 1;
    for (std::size_t i = 1; i < Size; ++i) out[i] = static_cast<Scalar>((value >> (Size - 1 - i)) & 1U);
}

/// A quantity as the text of its shortest decimal.
template <std::floating_point Scalar, std::size_t Size>
void encode_quantity(double value, std::span<Scalar, Size> out) noexcept {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    encode_text(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())), out);
}

/// A property as the job sees it at `scale_out`; all zeros where its value is not known, which the encoder maps to the code
/// zero. Precondition: it is valid at this scale-out (see `validate`).
template <std::floating_point Scalar, std::size_t Size>
void encode(const property& subject, int scale_out, std::span<Scalar, Size> out) noexcept {
    const int times = subject.scales_with_scale_out ? scale_out : 1;
    if (const auto* words = std::get_if<std::string>(&subject.value)) {
        encode_text(*words, out);
    } else if (const auto* number = std::get_if<std::uint64_t>(&subject.value)) {
        encode_natural(*number * static_cast<std::uint64_t>(times), out);
    } else if (const auto* real = std::get_if<double>(&subject.value)) {
        encode_quantity(*real * times, out);
    } else {
        std::fill(out.begin(), out.end(), Scalar(0));
    }
}

/// Number of features that describe a scale-out.
inline constexpr std::size_t scale_out_features_count = 3;

/// A scale-out x as [1/(x + 1e-6), ln x, x], not yet scaled.
template <std::floating_point Scalar>
[[nodiscard]] std::array<Scalar, scale_out_features_count> scale_out_features(Scalar scale_out) noexcept {
    return {1 / (scale_out + Scalar(1e-6)), std::log(scale_out), scale_out};
}

/// Scales features to [0, 1] over the scale-outs it was made from; beyond them it extrapolates, it does not clip.
template <std::floating_point Scalar>
struct min_max_scaler {
    std::array<Scalar, scale_out_features_count> minimum{};
    std::array<Scalar, scale_out_features_count> span{1, 1, 1};

    /// Precondition: at least one scale-out, all >= 1. A feature that is constant is divided by 1.
    [[nodiscard]] static min_max_scaler of(std::span<const int> scale_outs) noexcept {
        min_max_scaler scaler;
        std::array<Scalar, scale_out_features_count> maximum{};
        scaler.minimum.fill(std::numeric_limits<Scalar>::infinity());
        maximum.fill(-std::numeric_limits<Scalar>::infinity());
        for (const int x : scale_outs) {
            const auto features = scale_out_features(static_cast<Scalar>(x));
            for (std::size_t i = 0; i < features.size(); ++i) {
                scaler.minimum[i] = features[i] < scaler.minimum[i] ? features[i] : scaler.minimum[i];
                maximum[i] = features[i] > maximum[i] ? features[i] : maximum[i];
            }
        }
        for (std::size_t i = 0; i < maximum.size(); ++i)
            scaler.span[i] = maximum[i] > scaler.minimum[i] ? maximum[i] - scaler.minimum[i] : Scalar(1);
        return scaler;
    }

    [[nodiscard]] std::array<Scalar, scale_out_features_count> operator()(Scalar scale_out) const noexcept {
        auto features = scale_out_features(scale_out);
        for (std::size_t i = 0; i < features.size(); ++i) features[i] = (features[i] - minimum[i]) / span[i];
        return features;
    }

    friend bool operator==(const min_max_scaler&, const min_max_scaler&) = default;
};

}  // namespace bellamy::inline BELLAMY_ABI

#endif
