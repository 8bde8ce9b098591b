// Runs of a job as a scheduler records them: properties, the context that they describe, and the runs in it.
#ifndef BELLAMY_RUN_HPP
#define BELLAMY_RUN_HPP

#include <bellamy/detail/base/infinity.hpp>
#include <bellamy/error.hpp>
#include <bellamy/limits.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

/// The kind of a property's value: text, a natural number, a positive real quantity, or a value that is not known yet.
enum class property_kind : std::uint8_t { text = 0, natural = 1, quantity = 2, unknown = 3 };

/// What a property means, where that is known; a role occurs at most once in a context. Where every run of a history has
/// `cores_per_node`, and scale-out counts nodes or executors, best mode learns over slots, scale-out times cores; with
/// `memory_per_node` besides, these say what a `machine_type` is, and another name makes little difference. Where scale-out
/// counts cores, memory is that of a core, and `cores_per_node` may be those of its machine. Sizes and memory are in any
/// unit that all runs share; `explore` takes memory for MB.
enum class property_role : std::uint8_t {
    none = 0,
    data_size = 1,
    memory_per_node = 2,
    cores_per_node = 3,
    machine_type = 4
};

/// What one unit of scale-out is.
enum class scale_out_unit : std::uint8_t { node = 0, executor = 1, slot = 2, core = 3 };

namespace detail {

/// Truth values and letters, which C++ would take for the numbers of their codes.
template <class Value>
concept no_number = std::same_as<Value, bool> || std::same_as<Value, char> || std::same_as<Value, wchar_t> ||
    std::same_as<Value, char8_t> || std::same_as<Value, char16_t> || std::same_as<Value, char32_t>;

}  // namespace detail

/// The value of a property: its text, its number, or that it is not known. A class, since std::variant takes 5,000 words to
/// preprocess, and compiles 600 functions more in a program that loads a model.
class property_value {
public:
    /// An empty text; `{}` is no value, since it could as well mean that none is known.
    explicit property_value() = default;
    template <std::convertible_to<std::string_view> Text>
    requires(!std::is_null_pointer_v<Text>) property_value(Text text) : text_(std::move(text)) {}
    /// A natural number; a quantity, which no property may have, where it is negative.
    template <std::integral Number>
    requires(!detail::no_number<Number>) property_value(Number number)
        : kind_(number < 0 ? property_kind::quantity : property_kind::natural),
          natural_(number < 0 ? 0 : static_cast<std::uint64_t>(number)),
          quantity_(static_cast<double>(number)) {}
    template <std::floating_point Number>
    property_value(Number quantity) : kind_(property_kind::quantity), quantity_(static_cast<double>(quantity)) {}
    /// A value that is not known.
    property_value(std::nullopt_t) : kind_(property_kind::unknown) {}

    [[nodiscard]] property_kind kind() const noexcept { return kind_; }
    /// Null where the value is of another kind.
    [[nodiscard]] const std::string* text() const noexcept { return kind_ == property_kind::text ? &text_ : nullptr; }
    [[nodiscard]] const std::uint64_t* natural() const noexcept {
        return kind_ == property_kind::natural ? &natural_ : nullptr;
    }
    [[nodiscard]] const double* quantity() const noexcept { return kind_ == property_kind::quantity ? &quantity_ : nullptr; }
    /// The natural number or the quantity; not a number where the value is neither.
    [[nodiscard]] double number() const noexcept { return natural() || quantity() ? quantity_ : detail::not_a_number; }

    bool operator==(const property_value&) const = default;

private:
    std::string text_{};
    property_kind kind_ = property_kind::text;
    std::uint64_t natural_ = 0;
    double quantity_ = 0;  // of a natural number too
};

[[nodiscard]] constexpr std::string_view to_string(property_kind kind) noexcept {
    return detail::name_at(kind, {"text", "natural number", "quantity", "unknown"});
}
[[nodiscard]] constexpr std::string_view to_string(property_role role) noexcept {
    return detail::name_at(role, {"none", "data_size", "memory_per_node", "cores_per_node", "machine_type"});
}
[[nodiscard]] constexpr std::string_view to_string(scale_out_unit unit) noexcept {
    return detail::name_at(unit, {"node", "executor", "slot", "core"});
}

/// One named fact about a job's context, for example its data size.
struct property {
    std::string name{};
    property_value value{};
    property_role role = property_role::none;
    /// The value is that of one unit of scale-out, and the job sees value times scale-out (a cluster's total memory).
    bool scales_with_scale_out = false;

    [[nodiscard]] property_kind kind() const noexcept { return value.kind(); }
    [[nodiscard]] property with_role(property_role meaning) && {
        role = meaning;
        return std::move(*this);
    }
    [[nodiscard]] property per_scale_out_unit() && {
        scales_with_scale_out = true;
        return std::move(*this);
    }

    bool operator==(const property&) const = default;
};

[[nodiscard]] inline property text(std::string name, std::string value) {
    return {.name = std::move(name), .value = std::move(value)};
}
// A null pointer is no text; 0 would be one.
property text(std::string name, std::nullptr_t value) = delete;
[[nodiscard]] inline property natural(std::string name, std::uint64_t value) {
    return {.name = std::move(name), .value = value};
}
// A real number would be truncated: it is a `quantity`.
template <std::floating_point Number>
property natural(std::string name, Number value) = delete;
template <detail::no_number Value>
property natural(std::string name, Value value) = delete;
[[nodiscard]] inline property quantity(std::string name, double value) { return {.name = std::move(name), .value = value}; }
template <detail::no_number Value>
property quantity(std::string name, Value value) = delete;
/// A property whose value is not known when the question is asked, for example the size of data yet to be written. Stands in
/// for any kind and role; a history to learn from must know its values.
[[nodiscard]] inline property unknown(std::string name) { return {.name = std::move(name), .value = std::nullopt}; }

/// Where and on what a job runs: essential properties in a fixed order, any optional ones, and what scale-out counts.
struct context {
    std::vector<property> essential{};
    std::vector<property> optional{};
    scale_out_unit unit = scale_out_unit::node;
};

/// Whether two contexts are the same: of one unit, with the same names and values; the order counts for essential properties
/// only, and roles do not count. This is what decides whose runs a prediction rests on.
[[nodiscard]] bool operator==(const context& a, const context& b);

/// One recorded execution of a job.
struct run {
    bellamy::context context{};
    int scale_out = 0;
    double runtime_s = 0;
    /// Right-censored: the run was killed after `runtime_s`, a lower bound of its runtime.
    bool censored = false;
    /// Weight of this run in training; 1 by default.
    double weight = 1;
    /// Seconds since the Unix epoch, where recorded: `model::general` leaves runs before a time behind.
    std::optional<double> timestamp_s{};
};

/// An outlier of a history: a straggler, or a wrong record. `run` is its index in the history.
struct improbable_run {
    size_t run = 0;
    double found_s = 0;
    double expected_s = 0;
};

/// One prediction of a batch. The context is not copied and must outlive the call.
struct question {
    const bellamy::context* context = nullptr;
    int scale_out = 1;
};

namespace detail {

/// Visits the properties of a context, or their definitions in a schema: the essential ones first.
void for_each_property(auto& owner, const auto& visit) {
    for (auto& each : owner.essential) visit(each);
    for (auto& each : owner.optional) visit(each);
}

/// The first property that is what is looked for; null where none is.
const property* find_property_if(const context& owner, const auto& is_sought) noexcept {
    for (const auto* list : {&owner.essential, &owner.optional})
        for (const auto& each : *list)
            if (is_sought(each)) return &each;
    return nullptr;
}

}  // namespace detail

/// Checks names, texts (UTF-8), numbers, duplicates and roles. Errors: invalid_text, invalid_quantity, number_too_large,
/// duplicate_property, too_many_properties; invalid_option where a role or the unit is not one of those above.
result<void> validate(const context& context);

/// Checks the context as above, and scale-out, runtime, weight and timestamp. Errors: also invalid_scale_out,
/// invalid_runtime, invalid_weight, number_too_large or invalid_quantity for a scaling number at this run's scale-out, and
/// invalid_quantity for a timestamp that is not finite.
result<void> validate(const run& run);

/// Checks 1 <= scale_out <= largest_scale_out. Error: invalid_scale_out.
result<void> validate_scale_out(int scale_out) noexcept;

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/context/run_impl.hpp>  // IWYU pragma: export
#endif

#endif
