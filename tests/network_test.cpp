#include "support/compare.hpp"
#include "support/golden.hpp"
#include "support/networks.hpp"

using namespace bellamy;
using support::codes_of;
using support::golden;
using support::largest_difference;
using support::numbers;
using support::relative_difference;

namespace {

// 1e-9 is demanded of double. Float keeps 24 bits and sums up to 40 products of numbers around 1: a few 1e-6.
template <class Scalar>
constexpr double tolerance = std::is_same_v<Scalar, double> ? 1e-9 : 5e-6;

// The encoded property that a code stands for (h).
template <class Network>
[[nodiscard]] auto decoded_of(const Network& subject, const typename Network::code& code) {
    auto decoded = subject.decoder(std::span(code));
    for (auto& each : decoded) each = std::tanh(each);
    return decoded;
}

}  // namespace

TEST_CASE_TEMPLATE("every stage of the forward pass gives the golden numbers", Scalar, double, float) {
    const auto file = golden("forward.json");
    const auto subject = support::golden_network<Scalar>(file);
    for (std::size_t i = 0; i < file.at("contexts").size(); ++i) {
        CAPTURE(i);
        const auto context = support::golden_context(support::all_properties(file.at("contexts")[i]));
        auto codes = codes_of(subject, context.essential, 1);
        for (const auto& code : codes_of(subject, context.optional, 1)) codes.push_back(code);
        REQUIRE(codes.size() == file.at("codes")[i].size());
        for (std::size_t k = 0; k < codes.size(); ++k) {
            CHECK(largest_difference(codes[k], numbers(file.at("codes")[i][k])) <= tolerance<Scalar>);
            CHECK(largest_difference(decoded_of(subject, codes[k]), numbers(file.at("decoded")[i][k])) <= tolerance<Scalar>);
        }
        const auto scale_out = file.at("scale_outs")[i].get<int>();
        CHECK(largest_difference(subject.runtime.code(static_cast<Scalar>(scale_out)),
                                 numbers(file.at("scale_out_code")[i])) <= tolerance<Scalar>);
        const double predicted = static_cast<double>(support::predict(subject, context, scale_out));
        CHECK(std::abs(predicted - file.at("prediction")[i].get<double>()) <= tolerance<Scalar>);
    }
}

TEST_CASE_TEMPLATE("a pre-trained grep network predicts the golden seconds from the recorded properties", Scalar, double,
                   float) {
    network<Scalar> subject(5);
    std::vector<Scalar> parameters;
    for (const auto& row : support::golden_table("grep_weights.csv"))
        parameters.push_back(static_cast<Scalar>(std::stod(row.at("value"))));
    REQUIRE(parameters.size() == 1177);
    subject.set_parameters(parameters);
    subject.runtime.scaler = min_max_scaler<Scalar>::of(std::vector{2, 4, 6, 8, 10, 12});

    const auto rows = support::golden_table("grep_rows.csv");
    const auto predictions = support::golden_table("grep_predictions.csv");
    REQUIRE(rows.size() == predictions.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto value = [&](const char* name) { return rows[i].at(name); };
        const auto expected = [&](const char* name) { return std::stod(predictions[i].at(name)); };
        CAPTURE(value("row"));
        REQUIRE(value("row") == predictions[i].at("row"));
        const context subject_context{
            .essential = {text("machine_type", value("machine_type")), text("job_args", value("job_args")),
                          natural("data_size_MB", std::stoull(value("data_size_MB"))),
                          text("data_characteristics", value("data_characteristics")),
                          text("environment", value("environment"))},
            .optional = {text("job_type", value("job_type")), natural("memory", std::stoull(value("memory"))),
                         natural("slots", std::stoull(value("slots")))}};
        const int scale_out = std::stoi(value("scale_out"));

        const std::vector features{expected("x0"), expected("x1"), expected("x2")};
        CHECK(largest_difference(subject.runtime.scaler(static_cast<Scalar>(scale_out)), features) <= tolerance<Scalar>);

        // Seconds are a hundred times the numbers that the float tolerance is made for.
        const double seconds_tolerance = std::is_same_v<Scalar, double> ? 1e-9 : 100 * tolerance<float>;
        const double predicted = static_cast<double>(support::predict(subject, subject_context, scale_out));
        CHECK(std::abs(predicted - expected("pred")) <= seconds_tolerance);

        double squares = 0;
        for (const auto* list : {&subject_context.essential, &subject_context.optional}) {
            for (const auto& one : *list) {
                std::array<Scalar, 40> encoded{};
                encode(one, 1, std::span(encoded));
                const auto decoded = decoded_of(subject, subject.encoder(encoded));
                for (std::size_t k = 0; k < 40; ++k) squares += std::pow(static_cast<double>(decoded[k] - encoded[k]), 2);
            }
        }
        CHECK(std::abs(squares / (8 * 40) - expected("recon_mean")) <= tolerance<Scalar>);
    }
}

TEST_CASE("the paper's network has 1177 parameters") {
    CHECK(network<>::parameter_count(5) == 1177);
    CHECK(network<>(5).parameters().size() == 1177);
    CHECK(network<>(5).essential_count() == 5);
    CHECK(network<>(0).parameters().size() == network<>::parameter_count(0));
}

TEST_CASE("parameters set are parameters got, for other dimensions too") {
    constexpr dimensions odd{
        .encoding = 12, .encoder_hidden = 5, .code = 3, .scale_out_hidden = 7, .scale_out_code = 4, .head_hidden = 6};
    network<double, odd> subject(2);
    std::vector<double> parameters(network<double, odd>::parameter_count(2));
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] = static_cast<double>(i);
    subject.set_parameters(parameters);
    CHECK(subject.parameters() == parameters);
}

TEST_CASE("the head reads the mean of the optional codes, whatever their order") {
    const auto subject = support::random_network<double>(1, 3);
    const auto seconds = [&](std::vector<property> optional) {
        return support::predict(subject, {.essential = {text("a", "x")}, .optional = std::move(optional)}, 4);
    };
    const auto one = text("one", "1");
    const auto two = natural("two", 2);
    // Rounding differs with the order of summation.
    CHECK(seconds({one, two}) == doctest::Approx(seconds({two, one})).epsilon(1e-12));
    CHECK(seconds({one, one}) == doctest::Approx(seconds({one})).epsilon(1e-12));
    CHECK(relative_difference(seconds({one}), seconds({})) > 1e-6);
    CHECK(relative_difference(seconds({one}), seconds({two})) > 1e-6);
}

TEST_CASE("SELU has its published constants") {
    CHECK(detail::selu(2.0) == doctest::Approx(2 * 1.0507009873554805).epsilon(1e-15));
    CHECK(detail::selu(0.0) == 0);
    CHECK(detail::selu(-1.0) ==
          doctest::Approx(1.0507009873554805 * 1.6732632423543772 * (std::exp(-1.0) - 1)).epsilon(1e-15));
    CHECK(detail::selu(-100.0) == doctest::Approx(-1.7580993408473766).epsilon(1e-15));
}
