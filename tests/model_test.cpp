#include "support/compare.hpp"
#include "support/made_up_job.hpp"

using namespace bellamy;
using support::check_refused;

TEST_CASE("a model binds only contexts that fit its schema") {
    const auto subject = support::random_model();
    CHECK(subject.bind(support::made_up_context(10, "a machine it has never seen")).has_value());

    struct row {
        const char* what;
        void (*spoil)(context&);
        errc code;
        std::vector<std::string> words;
    };
    const row table[] = {
        {"fewer essential properties",
         [](context& c) { c.essential.pop_back(); },
         errc::essential_count_mismatch,
         {"2", "1"}},
        {"more essential properties",
         [](context& c) { c.essential.push_back(text("z", "")); },
         errc::essential_count_mismatch,
         {"2", "3"}},
        {"another unit", [](context& c) { c.unit = scale_out_unit::slot; }, errc::unit_mismatch, {"node", "slot"}},
        {"another name", [](context& c) { c.essential[1].name = "bytes"; }, errc::property_mismatch, {"size_gb", "bytes"}},
        {"another kind",
         [](context& c) { c.essential[1].value = 1.5; },
         errc::property_mismatch,
         {"natural number", "quantity"}},
        {"one that no longer scales",
         [](context& c) { c.optional[0].scales_with_scale_out = false; },
         errc::property_mismatch,
         {"scaling"}},
        {"an unknown optional property",
         [](context& c) { c.optional.push_back(text("zone", "a")); },
         errc::unknown_property,
         {"zone"}},
        {"over 39 bits",
         [](context& c) { c.essential[1].value = largest_natural + 1; },
         errc::number_too_large,
         {"size_gb"}},
        {"not UTF-8", [](context& c) { c.essential[0].value = std::string("\xFF"); }, errc::invalid_text, {"machine"}},
    };
    for (const auto& each : table) {
        CAPTURE(each.what);
        auto context = support::made_up_context(10);
        each.spoil(context);
        check_refused(subject.bind(context), each.code, each.words);
    }
}

TEST_CASE("a copied model predicts the same") {
    const auto subject = support::random_model();
    const model copy = subject;
    CHECK(copy.schema() == subject.schema());
    CHECK(copy.basis() == subject.basis());
    CHECK(copy.parameters().parameters() == subject.parameters().parameters());
}
