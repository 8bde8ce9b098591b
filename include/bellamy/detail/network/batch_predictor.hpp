// A network's answers to many different contexts at once.
#ifndef BELLAMY_DETAIL_NETWORK_BATCH_PREDICTOR_HPP
#define BELLAMY_DETAIL_NETWORK_BATCH_PREDICTOR_HPP

#include <bellamy/detail/network/kernels/dispatch.hpp>

#include <cassert>
#include <functional>

namespace bellamy::inline BELLAMY_ABI {

/// One question of a batch. The context is not copied and must outlive the call.
struct question {
    const bellamy::context* context = nullptr;
    int scale_out = 1;
};

namespace detail {

/// Codes of properties that were asked about before, so that a value is not encoded twice; bounded, and off unless given to
/// `batch_predictor::predict`. A value takes the place of an older one where there is no room; longer texts than
/// `longest_text` are never kept. It serves one network at a time: another one starts it afresh. Not for more than one
/// thread at a time.
class code_cache {
public:
    static constexpr std::size_t longest_text = 46;

    /// Room for `entries` values, rounded up to a power of two; 64 bytes each, allocated here and never again.
    explicit code_cache(std::size_t entries) : entries_(std::bit_ceil((std::max)(entries, std::size_t{1}))) {}

    [[nodiscard]] std::size_t capacity() const noexcept { return entries_.size(); }

private:
    friend class batch_predictor;

    struct key {
        // Length and kind, then the bytes; a kind that no property has marks what is empty.
        std::uint8_t kind = 255;
        std::uint8_t size = 0;
        std::array<char, longest_text> bytes{};

        friend bool operator==(const key&, const key&) = default;
    };
    struct entry {
        key value;
        std::array<float, prepared_encoder::code> code{};
    };

    [[nodiscard]] static key key_of(property_kind kind, std::string_view bytes) noexcept {
        key result{.kind = static_cast<std::uint8_t>(kind), .size = static_cast<std::uint8_t>(bytes.size())};
        std::copy(bytes.begin(), bytes.end(), result.bytes.begin());
        return result;
    }
    [[nodiscard]] entry& place_of(const key& value) noexcept {
        const auto hash = std::hash<std::string_view>()({value.bytes.data(), value.size});
        return entries_[(hash ^ value.kind) & (entries_.size() - 1)];
    }
    void serve(std::uint64_t network) noexcept {
        if (network == network_) return;
        std::fill(entries_.begin(), entries_.end(), entry{});
        network_ = network;
    }

    std::vector<entry> entries_;
    std::uint64_t network_ = 0;
};

/// A network made ready for batches: predicts 16 contexts at a time, several times faster each than one by one. An immutable
/// value that owns its numbers: const means safe to share between threads. Only its constructor allocates.
class batch_predictor {
public:
    /// Takes microseconds. Precondition: at most `most_properties` essential properties.
    explicit batch_predictor(const network<>& source) : network_(source) {
        assert(source.essential_count() <= most_properties);
    }

    /// Predicted seconds for each question, properties encoded on the way. A question that is not valid gets NaN: no
    /// context, another number of essential properties than the network's, too many optional ones, a scale-out that is out
    /// of range or at which a scaling number does not fit its 39 bits. Precondition: as many results as questions; the
    /// contexts fit the schema of the network's model (see `schema::check`).
    void predict(std::span<const question> questions, std::span<float> runtime_s) const noexcept {
        predict(questions, runtime_s, nullptr);
    }
    /// The same, with the codes of values that were seen before.
    void predict(std::span<const question> questions, std::span<float> runtime_s, code_cache& seen) const noexcept {
        seen.serve(network_.encoder.fingerprint);
        predict(questions, runtime_s, &seen);
    }

private:
    static constexpr std::size_t encoding_size = prepared_encoder::inputs;
    static constexpr std::size_t code_size = prepared_encoder::code;

    /// Collects encoded properties until there are enough for the kernel, then writes their codes where they belong.
    class encoding_queue {
    public:
        encoding_queue(const prepared_encoder& network, code_cache* seen) noexcept : network_(network), seen_(seen) {}

        void add(const property& subject, int scale_out, float* code) noexcept {
            auto& waiting = waiting_[count_];
            waiting = {.code = code};
            if (seen_ != nullptr && find(subject, scale_out, waiting)) return;
            encode(subject, scale_out, std::span(encoded_[count_]));
            if (++count_ == waiting_.size()) flush();
        }
        void flush() noexcept {
            if (count_ == 0) return;
            std::array<float, rows_padding * code_size> codes;
            simd::encode_rows(network_, encoded_.data()->data(), count_, codes.data());
            for (std::size_t i = 0; i < count_; ++i) {
                const float* code = codes.data() + i * code_size;
                std::copy_n(code, code_size, waiting_[i].code);
                if (waiting_[i].keep == nullptr) continue;
                waiting_[i].keep->value = waiting_[i].value;
                std::copy_n(code, code_size, waiting_[i].keep->code.begin());
            }
            count_ = 0;
        }

    private:
        struct waiting_property {
            float* code = nullptr;
            code_cache::entry* keep = nullptr;
            code_cache::key value{};
        };

        /// Whether the code was known; if not, notes where to keep it.
        [[nodiscard]] bool find(const property& subject, int scale_out, waiting_property& waiting) noexcept {
            const auto bytes_of = [](const auto& number) {
                return std::string_view(reinterpret_cast<const char*>(&number), sizeof number);
            };
            const int times = subject.scales_with_scale_out ? scale_out : 1;
            if (const auto* words = std::get_if<std::string>(&subject.value)) {
                if (words->size() > code_cache::longest_text) return false;
                waiting.value = code_cache::key_of(property_kind::text, *words);
            } else if (const auto* number = std::get_if<std::uint64_t>(&subject.value)) {
                const std::uint64_t total = *number * static_cast<std::uint64_t>(times);
                waiting.value = code_cache::key_of(property_kind::natural, bytes_of(total));
            } else if (const auto* real = std::get_if<double>(&subject.value)) {
                const double total = *real * times;
                waiting.value = code_cache::key_of(property_kind::quantity, bytes_of(total));
            } else {
                return false;
            }
            auto& place = seen_->place_of(waiting.value);
            if (place.value == waiting.value) {
                std::copy(place.code.begin(), place.code.end(), waiting.code);
                return true;
            }
            waiting.keep = &place;
            return false;
        }

        const prepared_encoder& network_;
        code_cache* seen_;
        std::array<std::array<float, encoding_size>, rows_padding> encoded_;
        std::array<waiting_property, rows_padding> waiting_;
        std::size_t count_ = 0;
    };

    [[nodiscard]] bool valid(const question& asked) const noexcept {
        if (asked.context == nullptr || asked.scale_out < 1 || asked.scale_out > largest_scale_out ||
            asked.context->essential.size() != network_.essential_count() ||
            asked.context->optional.size() > most_properties)
            return false;
        const auto fits = [&](const property& each) {
            const auto* number = std::get_if<std::uint64_t>(&each.value);
            const auto times = static_cast<std::uint64_t>(each.scales_with_scale_out ? asked.scale_out : 1);
            return number == nullptr || *number <= largest_natural / times;
        };
        return std::all_of(asked.context->essential.begin(), asked.context->essential.end(), fits) &&
               std::all_of(asked.context->optional.begin(), asked.context->optional.end(), fits);
    }

    void predict(std::span<const question> questions, std::span<float> runtime_s, code_cache* seen) const noexcept {
        assert(questions.size() == runtime_s.size());
        constexpr auto block = batch_block;
        const std::size_t most_codes = network_.essential_count() + most_properties;
        for (std::size_t from = 0; from < questions.size(); from += block) {
            const auto asked = questions.subspan(from, (std::min)(block, questions.size() - from));
            // Essential properties are as few as the optional ones: `validate` refuses more.
            alignas(64) std::array<float, block * 2 * most_properties * code_size> codes;
            coded_question coded[block];
            encoding_queue queue(network_.encoder, seen);
            for (std::size_t q = 0; q < asked.size(); ++q) {
                float* at = codes.data() + q * most_codes * code_size;
                coded[q] = {.codes = at};
                if (!valid(asked[q])) {
                    std::fill_n(at, network_.essential_count() * code_size, 0.0F);
                    continue;
                }
                coded[q].optional_count = asked[q].context->optional.size();
                coded[q].scale_out = static_cast<float>(asked[q].scale_out);
                for (const auto* list : {&asked[q].context->essential, &asked[q].context->optional}) {
                    for (const auto& each : *list) {
                        queue.add(each, asked[q].scale_out, at);
                        at += code_size;
                    }
                }
            }
            queue.flush();
            // What is missing in the last block repeats its last question.
            for (std::size_t q = asked.size(); q < block; ++q) coded[q] = coded[asked.size() - 1];
            alignas(64) std::array<float, block> answers;
            simd::predict_coded(network_, coded, answers.data());
            for (std::size_t q = 0; q < asked.size(); ++q)
                runtime_s[from + q] = valid(asked[q]) ? answers[q] : std::numeric_limits<float>::quiet_NaN();
        }
    }

    prepared_network network_;
};

}  // namespace detail

}  // namespace bellamy::inline BELLAMY_ABI

#endif
