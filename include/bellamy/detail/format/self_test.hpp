// Self-test of a model file: predictions stored when it was saved, and compared when it is loaded, so that a build or
// machine that predicts something else reports an error.
#ifndef BELLAMY_DETAIL_FORMAT_SELF_TEST_HPP
#define BELLAMY_DETAIL_FORMAT_SELF_TEST_HPP

#include <bellamy/detail/format/envelope.hpp>
#include <bellamy/detail/models/blend_kind.hpp>
#include <bellamy/detail/models/network_kind.hpp>
#include <bellamy/detail/models/shapes_kind.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct self_test_answer {
    std::uint32_t scale_out = 1;
    double median_s = 0;
    double quantile_s = 0;
};

struct self_test_question {
    /// Predicts the context of this observed run, counted from 1; 0 for the context of `values`.
    std::uint32_t observed_run = 0;
    /// One per property of the schema, the essential ones first.
    std::vector<property_value> values{};
    std::array<self_test_answer, 2> answers{};
};

inline constexpr size_t most_self_test_questions = 16;
/// Of the answer. Rounding, which differs between builds and machines, stays below a thousandth of it, and runs of the same
/// job in the same context differ by hundred times as much.
inline constexpr double self_test_tolerance = 1e-4;
inline constexpr double self_test_probability = 0.9;

/// A number within what the column has seen, a standard deviation above its mean for every step.
inline double typical_number(const feature_column& column, int step) noexcept {
    const double value = (std::min)((std::max)(column.mean + step * column.deviation, column.lowest), column.highest);
    return column.logarithm ? std::exp(value) : value;
}

/// A text seen, or as many numbers as those seen consist of: 1 where they are the same everywhere and so have no column.
inline std::string typical_text(const feature_map& features, std::string_view name, int step) {
    std::string words;
    for (const auto& known : features.known) {
        if (known.property != name) continue;
        if (!known.values.empty()) return known.values[static_cast<size_t>(step) % known.values.size()];
        for (std::uint32_t token = 0; token < known.numbers_per_value && token < most_feature_columns; ++token) {
            long number = 1;
            for (const auto& column : features.columns)
                if (column.property == name && column.source == feature_source::token && column.token == token)
                    number = std::lround(typical_number(column, step));
            if (token > 0) words += ' ';
            words += std::to_string(number);
        }
    }
    return words.empty() ? "self-test" : words;
}

/// Like the values that the features were made from, where there are any.
inline property_value typical_value(const property_definition& definition, const feature_map& features, int step) {
    if (definition.kind == property_kind::text) return typical_text(features, definition.name, step);
    double number = 100.0 * (1 + step);
    for (const auto& column : features.columns) {
        if (column.property != definition.name) continue;
        if (column.source == feature_source::number || column.source == feature_source::cores)
            number = typical_number(column, step);
        if (column.source == feature_source::per_core) number = typical_number(column, step) * features.least_cores;
    }
    if (definition.kind == property_kind::natural) return static_cast<std::uint64_t>(std::clamp(number, 0.0, 1e6));
    return number > 0 && number < 1e12 ? number : 1.0;
}

/// The target context of a question; nothing where the question does not fit the model.
inline std::optional<context> target_of(const self_test_question& question, const model& tested) {
    if (question.observed_run > tested.observed().size()) return std::nullopt;
    if (question.observed_run > 0) return tested.observed()[question.observed_run - 1].context;
    const auto& properties = tested.schema();
    if (question.values.size() != properties.essential.size() + properties.optional.size()) return std::nullopt;
    context target{.unit = properties.unit};
    size_t next = 0;
    for_each_property(properties, [&](const property_definition& defined) {
        auto& list = next < properties.essential.size() ? target.essential : target.optional;
        list.push_back({.name = defined.name,
                        .value = question.values[next++],
                        .role = defined.role,
                        .scales_with_scale_out = defined.scales_with_scale_out});
    });
    return target;
}

void fields(auto& archive, is_or_is_const<self_test_answer> auto& of) { archive(of.scale_out, of.median_s, of.quantile_s); }
void fields(auto& archive, is_or_is_const<self_test_question> auto& of) { archive(of.observed_run, of.values, of.answers); }

inline int scale_out_of(const self_test_answer& answer) noexcept {
    return static_cast<int>((std::min)(answer.scale_out, static_cast<std::uint32_t>(largest_scale_out)));
}

inline self_test_answer answer_at(const curve& runtimes, std::uint32_t scale_out) noexcept {
    self_test_answer answer{.scale_out = scale_out};
    const auto predicted = runtimes.at(scale_out_of(answer));
    answer.median_s = predicted.median_s;
    answer.quantile_s = predicted.quantile_s(self_test_probability);
    return answer;
}

/// Two contexts of the schema's, and that of the first observed run. Costs a `bind` each.
inline std::vector<self_test_question> make_self_test(const model& tested) {
    static const feature_map none{};
    const auto* known = features_of(tested);
    const feature_map& features = known != nullptr ? *known : none;
    std::vector<self_test_question> questions;
    for (int step = 0; step < 2; ++step) {
        auto& question = questions.emplace_back();
        for_each_property(tested.schema(), [&](const auto& definition) {
            question.values.push_back(typical_value(definition, features, step));
        });
    }
    if (!tested.observed().empty()) questions.push_back({.observed_run = 1});
    const auto& seen = tested.basis().seen_scale_outs;
    // A schema that no context fits has no answers to compare.
    std::erase_if(questions, [&](self_test_question& question) {
        const auto target = target_of(question, tested);
        const auto bound = target ? tested.bind(*target) : fail(errc::property_mismatch);
        if (!bound) return true;
        question.answers = {answer_at(*bound, static_cast<std::uint32_t>(seen.smallest)),
                            answer_at(*bound, static_cast<std::uint32_t>(seen.largest))};
        return false;
    });
    return questions;
}

inline result<void> compare_answers(const self_test_answer& expected, const self_test_answer& found, double largest_s) {
    const auto same = [&](double a, double b) {
        if (!std::isfinite(a) || !std::isfinite(b)) return std::isnan(a) ? std::isnan(b) : a == b;
        return std::abs(a - b) <= self_test_tolerance * (std::max)(std::abs(a), largest_s);
    };
    if (same(expected.median_s, found.median_s) && same(expected.quantile_s, found.quantile_s)) return {};
    return fail(errc::self_test_failed, "expected the answers that the model gave when it was saved, at scale-out ",
                expected.scale_out, " a median of ", expected.median_s, " s and a quantile of ", expected.quantile_s,
                " s, found ", found.median_s, " s and ", found.quantile_s, " s: learn it again on this machine");
}

/// Whether the model still gives its answers. Errors: self_test_failed; invalid_model where a question is none to it.
[[gnu::cold]] inline result<void> run_self_test(const model& tested, const std::vector<self_test_question>& questions) {
    // A network's outputs may be close to zero, but their rounding is that of its sums.
    double largest_s = 0;
    for (const auto& question : questions)
        for (const auto& answer : question.answers)
            if (std::isfinite(answer.median_s)) largest_s = (std::max)(largest_s, std::abs(answer.median_s));
    for (const auto& question : questions) {
        const auto target = target_of(question, tested);
        std::vector<int> scale_outs;
        for (const auto& answer : question.answers) place_among(scale_outs, scale_out_of(answer));
        const auto bound = target ? model_access::bind_at(tested, *target, scale_outs) : fail(errc::invalid_model);
        if (!bound) return fail(errc::invalid_model, "expected questions for its schema in section SELF, found others");
        for (const auto& expected : question.answers)
            if (auto same = compare_answers(expected, answer_at(*bound, expected.scale_out), largest_s); !same) return same;
    }
    return {};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
