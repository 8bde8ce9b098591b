// Seeded random numbers that are the same with every standard library: xoshiro256++ (Blackman, Vigna 2019), filled by
// splitmix64.
#ifndef BELLAMY_DETAIL_BASE_RANDOM_HPP
#define BELLAMY_DETAIL_BASE_RANDOM_HPP

#include <bellamy/version.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

class random_generator {
public:
    explicit random_generator(std::uint64_t seed) noexcept {
        for (auto& word : state_) {
            seed += 0x9e3779b97f4a7c15U;
            std::uint64_t z = seed;
            z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
            z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
            word = z ^ (z >> 31U);
        }
    }

    /// 64 random bits.
    std::uint64_t bits() noexcept {
        const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17U;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// Uniform in [0, 1), with 53 bits.
    double uniform() noexcept { return static_cast<double>(bits() >> 11U) * 0x1p-53; }

    /// Uniform in [0, bound); bias below 2^-32 for the bounds used here. Precondition: 0 < bound <= 2^32.
    size_t below(size_t bound) noexcept {
        return static_cast<size_t>(((bits() >> 32U) * static_cast<std::uint64_t>(bound)) >> 32U);
    }

    /// An index, drawn by inversion of the cumulative weights, whose sum is given. Precondition: there are weights.
    size_t index(std::span<const double> weights, double sum) noexcept {
        double left = uniform() * sum;
        size_t i = 0;
        while (i + 1 < weights.size() && !((left -= weights[i]) < 0)) ++i;
        return i;
    }

    /// Standard normal, by Marsaglia's polar method.
    double normal() noexcept {
        if (has_spare_) {
            has_spare_ = false;
            return spare_;
        }
        double u = 0;
        double v = 0;
        double s = 0;
        do {
            u = 2 * uniform() - 1;
            v = 2 * uniform() - 1;
            s = u * u + v * v;
        } while (s >= 1 || s == 0);
        const double factor = std::sqrt(-2 * std::log(s) / s);
        spare_ = v * factor;
        has_spare_ = true;
        return u * factor;
    }

    /// Puts the values in random order (Fisher, Yates).
    template <class Value>
    void shuffle(std::span<Value> values) noexcept {
        for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
    }

private:
    std::array<std::uint64_t, 4> state_{};
    double spare_ = 0;
    bool has_spare_ = false;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
