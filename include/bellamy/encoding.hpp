// Encodes properties as vectors (paper, section III-B) and scale-outs as features (section III-C).
#ifndef BELLAMY_ENCODING_HPP
#define BELLAMY_ENCODING_HPP

#include <bellamy/run.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

// MurmurHash3_x86_32 (Austin Appleby, public domain algorithm) for grams of at most three bytes.
[[nodiscard]] constexpr std::uint32_t murmur3_scramble(std::uint32_t block) noexcept {
    return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U;
}

[[nodiscard]] constexpr std::uint32_t murmur3_finish(std::uint32_t hash) noexcept {
    hash = (hash ^ (hash >> 16U)) * 0x85ebca6bU;
    hash = (hash ^ (hash >> 13U)) * 0xc2b2ae35U;
    return hash ^ (hash >> 16U);
}

/// Hash, with seed 0, of 1 to 3 bytes packed little-endian: only the tail of the general algorithm is left of it.
[[nodiscard]] constexpr std::uint32_t murmur3_gram(std::uint32_t packed, std::uint32_t size) noexcept {
    return murmur3_finish(murmur3_scramble(packed) ^ size);
}

inline constexpr std::string_view text_letters = "abcdefghijklmnopqrstuvwxyz0123456789.:,;_-+#@";
// Number 0 is no letter, the last one the blank around a text.
inline constexpr size_t blank_number = text_letters.size() + 1;
inline constexpr size_t letter_numbers = blank_number + 1;

// Vocabulary of the text encoder: the number of every character, capitals being those of their small letters; what is not
// in it is dropped.
inline constexpr auto vocabulary = [] {
    std::array<std::uint8_t, 256> table{};
    for (size_t i = 0; i < text_letters.size(); ++i)
        table[static_cast<unsigned char>(text_letters[i])] = static_cast<std::uint8_t>(i + 1);
    for (size_t c = 'A'; c <= 'Z'; ++c) table[c] = table[c - 'A' + 'a'];
    return table;
}();

// The characters that the numbers stand for.
inline constexpr auto letter_codes = [] {
    std::array<std::uint32_t, letter_numbers> codes{};
    for (size_t i = 0; i < text_letters.size(); ++i) codes[i + 1] = static_cast<unsigned char>(text_letters[i]);
    codes[blank_number] = ' ';
    return codes;
}();

// The bucket that a gram is hashed to, and the sign of its count.
struct gram_place {
    std::uint8_t bucket = 0;
    std::int8_t sign = 0;
};

template <size_t Buckets>
[[nodiscard]] constexpr gram_place place_of(std::uint32_t hash) noexcept {
    // As a signed number; the magnitude of the least one fits too.
    const bool negative = hash >> 31U != 0;
    const std::uint32_t magnitude = negative ? 0U - hash : hash;
    return {.bucket = static_cast<std::uint8_t>(magnitude % Buckets), .sign = static_cast<std::int8_t>(negative ? -1 : 1)};
}

// Precomputed buckets of all grams of one and two letters.
template <size_t Buckets>
struct short_grams {
    std::array<gram_place, letter_numbers> ones{};
    std::array<std::array<gram_place, letter_numbers>, letter_numbers> twos{};
};
template <size_t Buckets>
inline constexpr auto short_gram_places = [] {
    short_grams<Buckets> table;
    for (size_t i = 1; i < letter_numbers; ++i) {
        table.ones[i] = place_of<Buckets>(murmur3_gram(letter_codes[i], 1));
        for (size_t k = 1; k < letter_numbers; ++k)
            table.twos[i][k] = place_of<Buckets>(murmur3_gram(letter_codes[i] | letter_codes[k] << 8U, 2));
    }
    return table;
}();

// Signed counts of hashed grams (feature hashing). Grams of three are gathered and hashed sixteen at a time, in a loop that
// compilers turn into vector instructions; each length has its own counts, so that no gram waits for another of the same
// place.
template <size_t Buckets>
requires(Buckets <= 256) class gram_counter {
public:
    void add_one(size_t letter) noexcept { count(0, short_gram_places<Buckets>.ones[letter]); }
    void add_two(size_t first, size_t second) noexcept { count(1, short_gram_places<Buckets>.twos[first][second]); }
    void add_three(std::uint32_t packed) noexcept {
        gathered_[gathered_count_++] = packed;
        if (gathered_count_ == at_once) count_gathered();
    }
    /// The counts of all added grams.
    [[nodiscard]] std::array<std::int32_t, Buckets> finish() noexcept {
        count_gathered();
        std::array<std::int32_t, Buckets> sums{};
        for (size_t i = 0; i < Buckets; ++i) sums[i] = counts_[0][i] + counts_[1][i] + counts_[2][i];
        return sums;
    }

private:
    static constexpr size_t at_once = 16;

    void count(size_t copy, gram_place place) noexcept { counts_[copy][place.bucket] += place.sign; }

    void count_gathered() noexcept {
        std::array<std::uint32_t, at_once> hashes;
        for (size_t i = 0; i < at_once; ++i) hashes[i] = murmur3_gram(gathered_[i], 3);
        std::array<std::uint32_t, at_once> signs;
        for (size_t i = 0; i < at_once; ++i) signs[i] = 0U - (hashes[i] >> 31U);
        for (size_t i = 0; i < at_once; ++i) hashes[i] = ((hashes[i] ^ signs[i]) - signs[i]) % Buckets;
        for (size_t i = 0; i < gathered_count_; ++i) counts_[2][hashes[i]] += static_cast<std::int32_t>(signs[i] | 1U);
        gathered_count_ = 0;
    }

    std::array<std::uint32_t, at_once> gathered_{};
    std::array<std::array<std::int32_t, Buckets>, 3> counts_{};
    size_t gathered_count_ = 0;
};

// The digits of each number of four bits.
template <std::floating_point Scalar>
inline constexpr auto binary_digits = [] {
    std::array<std::array<Scalar, 4>, 16> table{};
    for (size_t number = 0; number < table.size(); ++number)
        for (size_t i = 0; i < 4; ++i) table[number][i] = static_cast<Scalar>(number >> (3 - i) & 1U);
    return table;
}();

}  // namespace detail

/// Text as [0, hashed character 1- to 3-grams of the blank-padded text, normalised to length 1]; no letters, all zeros.
/// Does not allocate. Linear in the text's length.
template <std::floating_point Scalar, size_t Size>
requires(Size > 1) void encode_text(std::string_view value, std::span<Scalar, Size> out) noexcept {
    detail::gram_counter<Size - 1> grams;
    size_t last = detail::blank_number;
    std::uint32_t three = 0;  // the last three characters, of which the first is there from the second on
    size_t letters = 0;
    const auto add = [&](size_t letter) {
        grams.add_one(letter);
        grams.add_two(last, letter);
        three = three >> 8U | detail::letter_codes[letter] << 16U;
        if (letters > 0) grams.add_three(three);
        ++letters;
        last = letter;
    };
    for (const char raw : value) {
        const size_t letter = detail::vocabulary[static_cast<unsigned char>(raw)];
        if (letter == 0) continue;
        if (letters == 0) {
            grams.add_one(detail::blank_number);
            three = detail::letter_codes[detail::blank_number] << 16U;
        }
        add(letter);
    }
    if (letters > 0) add(detail::blank_number);
    const auto counts = grams.finish();
    std::int64_t squares = 0;
    for (const std::int64_t count : counts) squares += count * count;
    const double norm = squares > 0 ? 1 / std::sqrt(static_cast<double>(squares)) : 0;
    out[0] = 0;
    for (size_t i = 1; i < Size; ++i) out[i] = static_cast<Scalar>(static_cast<double>(counts[i - 1]) * norm);
}

/// A natural number as [1, its binary digits, most significant first]; only the last Size - 1 digits are kept.
template <std::floating_point Scalar, size_t Size>
requires(Size > 1 && Size <= 65) void encode_natural(std::uint64_t value, std::span<Scalar, Size> out) noexcept {
    constexpr size_t odd = (Size - 1) % 4;
    out[0] = 1;
    for (size_t i = 1; i <= odd; ++i) out[i] = static_cast<Scalar>((value >> (Size - 1 - i)) & 1U);
    for (size_t i = 1 + odd; i < Size; i += 4)
        std::copy_n(detail::binary_digits<Scalar>[(value >> (Size - 4 - i)) & 15U].begin(), 4, out.data() + i);
}

/// A quantity as the text of its shortest decimal.
template <std::floating_point Scalar, size_t Size>
void encode_quantity(double value, std::span<Scalar, Size> out) noexcept {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    encode_text(std::string_view(digits.data(), static_cast<size_t>(end - digits.data())), out);
}

/// Encodes a property at this scale-out, by which its value is multiplied where it scales. All zeros for an unknown value,
/// which the encoder maps to the code zero. Precondition: it is valid at this scale-out (see `validate`).
template <std::floating_point Scalar, size_t Size>
void encode(const property& source, int scale_out, std::span<Scalar, Size> out) noexcept {
    const int times = source.scales_with_scale_out ? scale_out : 1;
    if (const auto* words = source.value.text()) {
        encode_text(*words, out);
    } else if (const auto* number = source.value.natural()) {
        encode_natural(*number * static_cast<std::uint64_t>(times), out);
    } else if (const auto* real = source.value.quantity()) {
        encode_quantity(*real * times, out);
    } else {
        std::fill(out.begin(), out.end(), Scalar(0));
    }
}

/// Number of features that describe a scale-out.
inline constexpr size_t scale_out_features_count = 3;

/// A scale-out x as [1/(x + 1e-6), ln x, x], not yet scaled.
template <std::floating_point Scalar>
[[nodiscard]] std::array<Scalar, scale_out_features_count> scale_out_features(Scalar scale_out) noexcept {
    return {1 / (scale_out + Scalar(1e-6)), std::log(scale_out), scale_out};
}

/// Scales features to [0, 1] over the scale-outs it was fitted to; extrapolates beyond them without clipping.
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
            for (size_t i = 0; i < features.size(); ++i) {
                scaler.minimum[i] = features[i] < scaler.minimum[i] ? features[i] : scaler.minimum[i];
                maximum[i] = features[i] > maximum[i] ? features[i] : maximum[i];
            }
        }
        for (size_t i = 0; i < maximum.size(); ++i)
            scaler.span[i] = maximum[i] > scaler.minimum[i] ? maximum[i] - scaler.minimum[i] : Scalar(1);
        return scaler;
    }

    [[nodiscard]] std::array<Scalar, scale_out_features_count> operator()(Scalar scale_out) const noexcept {
        auto features = scale_out_features(scale_out);
        for (size_t i = 0; i < features.size(); ++i) features[i] = (features[i] - minimum[i]) / span[i];
        return features;
    }

    bool operator==(const min_max_scaler&) const = default;
};

}}  // namespace bellamy::BELLAMY_ABI

#endif
