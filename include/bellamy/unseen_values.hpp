// Names the values of a context that no run of a model's history had.
#ifndef BELLAMY_UNSEEN_VALUES_HPP
#define BELLAMY_UNSEEN_VALUES_HPP

#include <bellamy/model.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

/// A text that the history does not have, and those it has, sorted; none where those are compared as numbers.
struct unseen_value {
    std::string property{};
    std::string value{};
    std::vector<std::string> known{};
};

/// The texts of a context that no run of the history had, where every run had that property: what is predicted for it rests
/// on other values, and is as wide as they differ (`prediction::unlike_any_seen_context`). Texts that are numbers
/// throughout are compared as numbers, and named only where their count differs. Empty for a network and for `cold_start`,
/// which keep no values. Allocates; may be called by any number of threads. Errors: those of `schema::check`.
[[nodiscard]] result<std::vector<unseen_value>> unseen_values(const model& general, const context& subject);

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/models/unseen_values_impl.hpp>  // IWYU pragma: export
#endif

#endif
