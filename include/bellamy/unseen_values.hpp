// Lists the values of a context that are not in a model's history.
#ifndef BELLAMY_UNSEEN_VALUES_HPP
#define BELLAMY_UNSEEN_VALUES_HPP

#include <bellamy/model.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

/// A text that is not in the history, and the texts that are, sorted; empty where texts are compared as numbers.
struct unseen_value {
    std::string property{};
    std::string value{};
    std::vector<std::string> known{};
};

/// The texts of a context that are not in the history, for properties that every run had: predictions then use the known
/// values instead, and are as wide as those differ (`prediction::unlike_any_seen_context`). Texts that are numbers
/// throughout are compared as numbers, and named only where their count differs. Empty for a network and for `cold_start`,
/// which keep no values. Allocates; may be called by any number of threads. Errors: those of `schema::check`.
result<std::vector<unseen_value>> unseen_values(const model& general, const context& target);

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/models/unseen_values_impl.hpp>  // IWYU pragma: export
#endif

#endif
