#include "support/golden.hpp"
#include "support/made_up_job.hpp"

#include <bellamy/serialize.hpp>

#include <doctest/doctest.h>

using namespace bellamy;

TEST_CASE("models that released versions saved are read, and give the answers they gave") {
    for (const std::string version : {"1.0"}) {
        std::size_t asked = 0;
        for (const auto& row : support::golden_table("models/" + version + "/answers.csv")) {
            const auto path = BELLAMY_GOLDEN_DIR "/models/" + version + "/" + row.at("model") + ".bellamy";
            CAPTURE(path);
            const auto subject = load(path);
            REQUIRE(subject);
            CHECK(subject->basis().algorithm == "made-up");
            const auto answer = subject->bind(support::made_up_context(30))->at(std::stoi(row.at("scale_out")));
            // The tolerance of the self-test, which load has run too.
            const auto close = [](const std::string& number) {
                return doctest::Approx(std::stod(number)).epsilon(detail::self_test_tolerance);
            };
            CHECK(answer.median_s == close(row.at("median_s")));
            CHECK(answer.quantile_s(0.9) == close(row.at("quantile_90_s")));
            ++asked;
        }
        CHECK(asked == 12);
    }
}
