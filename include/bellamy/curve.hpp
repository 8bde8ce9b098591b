// The curve of a bound context: predicted runtime as a function of the scale-out. The hot path of a scheduler.
#ifndef BELLAMY_CURVE_HPP
#define BELLAMY_CURVE_HPP

#include <bellamy/limits.hpp>
#include <bellamy/prediction.hpp>

#include <cassert>
#include <concepts>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>

namespace bellamy { inline namespace BELLAMY_ABI {

/// The scale-outs that a model has seen.
struct scale_out_interval {
    int smallest = 1;
    int largest = 1;

    [[nodiscard]] constexpr bool contains(int scale_out) const noexcept {
        return scale_out >= smallest && scale_out <= largest;
    }
    bool operator==(const scale_out_interval&) const = default;
};

/// What a curve can be made of: a small value that answers a scale-out with seconds (a point) or with a prediction, and that
/// can be copied as bytes, because curves hold it inline. It may have `largest_valid_scale_out()`, and a call
/// (first scale-out, span of float) that writes the medians of many at once.
template <class Source>
concept runtime_source = std::is_trivially_copyable_v<Source> && std::is_trivially_destructible_v<Source> &&
    requires(const Source& source, int scale_out) {
    { source(scale_out) }
    noexcept;
    requires std::floating_point<decltype(source(scale_out))> || std::same_as<decltype(source(scale_out)), prediction>;
};

/// Runtime over scale-outs for one context. An immutable value that owns its numbers and needs no model behind it; made by
/// `model::bind`, or from a predictor of your own. Every member is noexcept, allocates nothing, locks nothing and may be
/// called by any number of threads.
class curve {
public:
    /// The largest source that a curve holds.
    static constexpr size_t capacity_bytes = 6656;

    /// A curve that answers what `runtime_of` answers. Precondition: `seen` is not backwards.
    template <runtime_source Source>
    curve(const Source& runtime_of, scale_out_interval seen, std::uint32_t observed_runs = 0) noexcept
        : ask_(&ask<Source>), ask_many_(&ask_many<Source>), seen_(seen), observed_runs_(observed_runs) {
        static_assert(sizeof(Source) <= capacity_bytes);
        static_assert(alignof(Source) <= alignment);
        assert(seen.smallest <= seen.largest);
        ::new (static_cast<void*>(source_)) Source(runtime_of);
        if constexpr (requires { runtime_of.largest_valid_scale_out(); })
            largest_valid_scale_out_ = runtime_of.largest_valid_scale_out();
    }

    /// Prediction for one scale-out from 1 to `largest_valid_scale_out()`; beyond that the median is NaN.
    [[nodiscard]] prediction at(int scale_out) const noexcept {
        const bool valid = scale_out >= 1 && scale_out <= largest_valid_scale_out_;
        auto answer = valid ? ask_(source_, scale_out) : prediction{};
        answer.outside_seen_scale_outs = valid && !seen_.contains(scale_out);
        answer.observed_runs = observed_runs_;
        return answer;
    }

    // It would be truncated.
    template <std::floating_point Number>
    prediction at(Number scale_out) const = delete;

    /// Medians in seconds at scale-outs first, first + 1, ..., as `at` would give one by one; a network answers many
    /// together several times faster each.
    void medians_s(int first, std::span<float> runtime_s) const noexcept {
        const auto last = static_cast<long long>(first) + static_cast<long long>(runtime_s.size()) - 1;
        if (runtime_s.empty()) return;
        if (first >= 1 && last <= largest_valid_scale_out_) return ask_many_(source_, first, runtime_s);
        for (size_t i = 0; i < runtime_s.size(); ++i) {
            const auto x = static_cast<long long>(first) + static_cast<long long>(i);
            runtime_s[i] = x <= largest_scale_out ? static_cast<float>(at(static_cast<int>(x)).median_s)
                                                  : std::numeric_limits<float>::quiet_NaN();
        }
    }

    /// Largest scale-out that can be asked about: beyond it, a property that scales would not fit its 39 bits.
    [[nodiscard]] int largest_valid_scale_out() const noexcept { return largest_valid_scale_out_; }

    /// Runs of this very context that the answers rest on.
    [[nodiscard]] std::uint32_t observed_runs() const noexcept { return observed_runs_; }

    /// The scale-outs that the model has seen.
    [[nodiscard]] scale_out_interval seen_scale_outs() const noexcept { return seen_; }

private:
    static constexpr size_t alignment = alignof(std::max_align_t);

    template <class Source>
    [[nodiscard]] static const Source& source_in(const std::byte* place) noexcept {
        return *std::launder(reinterpret_cast<const Source*>(place));
    }
    template <class Source>
    [[nodiscard]] static prediction ask(const std::byte* place, int scale_out) noexcept {
        const auto& source = source_in<Source>(place);
        if constexpr (std::is_same_v<decltype(source(scale_out)), prediction>) {
            return source(scale_out);
        } else {
            return {.median_s = static_cast<double>(source(scale_out))};
        }
    }
    template <class Source>
    static void ask_many(const std::byte* place, int first, std::span<float> runtime_s) noexcept {
        const auto& source = source_in<Source>(place);
        if constexpr (requires { source(first, runtime_s); }) {
            source(first, runtime_s);
        } else {
            for (size_t i = 0; i < runtime_s.size(); ++i)
                runtime_s[i] = static_cast<float>(ask<Source>(place, first + static_cast<int>(i)).median_s);
        }
    }

    prediction (*ask_)(const std::byte*, int) noexcept;
    void (*ask_many_)(const std::byte*, int, std::span<float>) noexcept;
    scale_out_interval seen_;
    std::uint32_t observed_runs_;
    int largest_valid_scale_out_ = largest_scale_out;
    alignas(alignment) std::byte source_[capacity_bytes];
};

}}  // namespace bellamy::BELLAMY_ABI

#endif
