// Compact encoding with variable-length integers and a dictionary: a number or text that occurred before takes one to three
// bytes. For sections with repeated values, such as the parts of an application.
#ifndef BELLAMY_DETAIL_FORMAT_PACKED_HPP
#define BELLAMY_DETAIL_FORMAT_PACKED_HPP

#include <bellamy/detail/format/envelope.hpp>

#include <unordered_map>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Size limits of the dictionaries: the first values stay, whose indices are the shortest.
inline constexpr size_t most_packed_words = 1U << 15U;
inline constexpr size_t most_packed_texts = 1U << 12U;
/// Longer texts are written out each time, so that a few bytes cannot expand to many.
inline constexpr size_t longest_packed_text = 32;
/// Larger integers go through the dictionary: hashes repeat, and are longer as variable-length integers.
inline constexpr std::uint64_t least_integer_word = std::uint64_t{1} << 28U;

/// Numbers take seven bits a byte, the lowest first. Then
///   word     0 and 8 bytes, 1 and 4 bytes (a double that single precision holds), or its place among the words + 2
///   real     its bits as a word
///   integer  itself + 1, or 0 and a word
///   text     0, its size and its bytes, or its place among the texts + 1
/// A word or text that is written out joins its dictionary until that is full.
class packed_encoder : public plain_encoder {
public:
    using plain_encoder::plain_encoder;

    void real(double value) { word(std::bit_cast<std::uint64_t>(value)); }
    void integer(std::uint64_t value) {
        number(value < least_integer_word ? value + 1 : 0);
        if (value >= least_integer_word) word(value);
    }
    void text(const std::string& value) {
        if (const auto known = texts_.find(value); known != texts_.end()) return number(known->second + 1);
        number(0);
        number(value.size());
        out_.text(value);
        if (value.size() <= longest_packed_text && texts_.size() < most_packed_texts) texts_.emplace(value, texts_.size());
    }

private:
    void number(std::uint64_t value) {
        for (; value >= 128; value >>= 7U) out_.number(static_cast<std::uint8_t>(value | 128U));
        out_.number(static_cast<std::uint8_t>(value));
    }
    void word(std::uint64_t value) {
        if (const auto known = words_.find(value); known != words_.end()) return number(known->second + 2);
        const auto real = std::bit_cast<double>(value);
        const bool fits = real >= -(std::numeric_limits<float>::max)() && real <= (std::numeric_limits<float>::max)();
        const float narrow = fits ? static_cast<float>(real) : 0;
        if (fits && std::bit_cast<std::uint64_t>(static_cast<double>(narrow)) == value) {
            number(1);
            out_.number(narrow);
        } else {
            number(0);
            out_.number(value);
        }
        if (words_.size() < most_packed_words) words_.emplace(value, words_.size());
    }

    std::unordered_map<std::uint64_t, std::uint64_t> words_{};
    std::unordered_map<std::string, std::uint64_t> texts_{};
};

/// Decodes the bytes of packed_encoder; nothing is trusted.
class packed_decoder : public plain_decoder {
public:
    using plain_decoder::plain_decoder;

    double real() { return std::bit_cast<double>(word()); }
    std::uint64_t integer() {
        const auto value = number();
        return value == 0 ? word() : value - 1;
    }
    std::string text() {
        if (const auto place = number(); place > 0) {
            if (place <= texts_.size()) return texts_[static_cast<size_t>(place - 1)];
            in_.mark_invalid();
            return {};
        }
        auto value = in_.text(number());
        if (value.size() <= longest_packed_text && texts_.size() < most_packed_texts) texts_.push_back(value);
        return value;
    }

private:
    std::uint64_t number() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto part = in_.number<std::uint8_t>();
            value |= (part & std::uint64_t{127}) << shift;
            if (part < 128) return value;
        }
        in_.mark_invalid();
        return 0;
    }
    std::uint64_t word() {
        const auto kind = number();
        if (kind > 1) {
            if (kind - 2 < words_.size()) return words_[static_cast<size_t>(kind - 2)];
            in_.mark_invalid();
            return 0;
        }
        const auto value =
            kind == 0 ? in_.number<std::uint64_t>() : std::bit_cast<std::uint64_t>(static_cast<double>(in_.real()));
        if (words_.size() < most_packed_words && in_.good()) words_.push_back(value);
        return value;
    }

    std::vector<std::uint64_t> words_;
    std::vector<std::string> texts_;
};

using packed_writer = basic_archive_writer<packed_encoder>;
using packed_reader = basic_archive_reader<packed_decoder>;

/// Rounds every double among the fields to single precision, so that it takes half the bytes. Integers and texts stay.
class single_precision {
public:
    template <class... Values>
    void operator()(Values&... values) {
        (round(values), ...);
    }

private:
    void round(double& value) {
        constexpr double most = (std::numeric_limits<float>::max)();
        if (value >= -most && value <= most) value = static_cast<double>(static_cast<float>(value));
    }
    template <class Value, size_t Size>
    void round(std::array<Value, Size>& values) {
        for (auto& value : values) round(value);
    }
    template <class Value>
    void round(std::vector<Value>& values) {
        for (auto& value : values) round(value);
    }
    template <class Value>
    void round(std::optional<Value>& value) {
        if (value) round(*value);
    }
    void round(std::string&) {}
    template <class Value>
    requires(std::is_integral_v<Value> || std::is_enum_v<Value>) void round(Value&) {}
    template <class Structure>
    requires(std::is_class_v<Structure>) void round(Structure& value) { fields(*this, value); }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
