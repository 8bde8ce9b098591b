// Any text through the encoders and what else reads text.
#ifndef BELLAMY_TESTS_FUZZ_TEXT_HPP
#define BELLAMY_TESTS_FUZZ_TEXT_HPP

#include <bellamy/detail/base/decimal.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/encoding.hpp>
#include <bellamy/schema.hpp>

#include <vector>

#include "../support/murmur3.hpp"
#include "input.hpp"

namespace fuzz {

/// The encoding of text as the paper says it: collect the grams, hash each, count, normalise.
[[nodiscard]] inline std::vector<double> encoded_naively(std::string_view value, std::size_t size) {
    std::string kept;
    for (char c : value) {
        const bool capital = c >= 'A' && c <= 'Z';
        if (capital) c = static_cast<char>(c - 'A' + 'a');
        if (bellamy::detail::text_letters.find(c) != std::string_view::npos) kept += c;
    }
    std::vector<double> out(size);
    if (kept.empty()) return out;
    kept = " " + kept + " ";
    std::vector<double> counts(size - 1);
    for (std::size_t length = 1; length <= 3; ++length)
        for (std::size_t at = 0; at + length <= kept.size(); ++at) {
            const auto hash = support::murmur3(std::string_view(kept).substr(at, length));
            const auto as_signed = static_cast<std::int64_t>(static_cast<std::int32_t>(hash));
            const auto magnitude = static_cast<std::size_t>(as_signed < 0 ? -as_signed : as_signed);
            counts[magnitude % counts.size()] += as_signed < 0 ? -1 : 1;
        }
    double squares = 0;
    for (const double each : counts) squares += each * each;
    if (squares <= 0) return out;
    for (std::size_t i = 0; i < counts.size(); ++i) out[i + 1] = counts[i] / std::sqrt(squares);
    return out;
}

template <std::size_t Size>
void try_encoding(std::string_view value) {
    std::array<double, Size> out{};
    bellamy::encode_text(value, std::span(out));
    const auto expected = encoded_naively(value, Size);
    // Both round a number up to 1 a few times.
    for (std::size_t i = 0; i < Size; ++i)
        require(std::abs(out[i] - expected[i]) <= 1e-14, "text is encoded as the paper says");
}

inline void try_text(bytes all) {
    input from(all);
    const auto number = from.number<std::uint64_t>();
    const double real = from.any_real();
    const int scale_out = static_cast<int>(1 + from.below(bellamy::largest_scale_out));
    const auto words = from.rest();

    try_encoding<40>(words);
    try_encoding<2>(words);
    try_encoding<257>(words);

    const bool valid = bellamy::detail::is_utf8(words);
    const auto as_property = bellamy::text("name", words);
    require(bellamy::validate(bellamy::context{.essential = {as_property}}).has_value() == valid, "UTF-8 is what is valid");
    for (std::size_t cut = 0; cut <= words.size(); ++cut)
        if (!bellamy::detail::is_utf8(std::string_view(words).substr(0, cut)) &&
            bellamy::detail::is_utf8(std::string_view(words).substr(cut)))
            require(!valid, "what is not UTF-8 stays so, whatever follows");

    const auto told = bellamy::detail::fail(bellamy::errc::invalid_text, "expected ", words, ", found ", number, real);
    require(told.message().size() <= bellamy::error::capacity && bellamy::detail::is_utf8(told.message()),
            "a message is UTF-8 and fits");

    if (const auto decimal = bellamy::detail::decimal_of(words))
        require(std::isfinite(*decimal), "a decimal is a finite number");

    for (const auto& each :
         {bellamy::natural("n", number), bellamy::natural("n", number).per_scale_out_unit(), bellamy::quantity("q", real),
          bellamy::quantity("q", real).per_scale_out_unit(), as_property, bellamy::unknown("u")}) {
        const bellamy::run one{.context = {.essential = {each}}, .scale_out = scale_out, .runtime_s = 1};
        const auto checked = bellamy::validate(one);
        require(checked || !checked.error().message().empty(), "what is refused is explained");
        if (!checked) continue;
        std::array<float, 40> out{};
        bellamy::encode(each, scale_out, std::span(out));
        for (const float number_of : out)
            require(number_of >= -1.000001F && number_of <= 1.000001F, "an encoding has numbers from -1 to 1");
    }
    (void)bellamy::schema_of(
        std::vector<bellamy::run>{
            {.context = {.essential = {bellamy::text(words, words)}}, .scale_out = scale_out, .runtime_s = real}})
        .has_value();
}

}  // namespace fuzz

#endif
