// Properties, contexts and runs: from Python's values to the structs of the C interface. Everything is copied, so that it
// stays valid while Python's other threads run.
#ifndef BELLAMY_PYTHON_RECORDS_HPP
#define BELLAMY_PYTHON_RECORDS_HPP

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "handle.hpp"

namespace python {

/// Texts that end with a zero byte and stay where they are.
class texts {
public:
    [[nodiscard]] const char* keep(nb::handle text) {
        Py_ssize_t size = 0;
        const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
        if (bytes == nullptr) throw nb::python_error();
        // The interface would see the part before it.
        if (std::memchr(bytes, 0, static_cast<size_t>(size)) != nullptr)
            throw refusal{bellamy_errc_invalid_text, "expected text without a zero character, found one"};
        return kept_.emplace_back(bytes, static_cast<size_t>(size)).c_str();
    }

private:
    std::deque<std::string> kept_;
};

/// A property by the type of its value: str is text, int a natural number, float a quantity, None is not known.
[[nodiscard]] inline bellamy_property property_of(texts& kept, nb::handle name, nb::handle value) {
    const char* spelled = kept.keep(name);
    if (value.is_none()) return bellamy_unknown(spelled);
    if (PyUnicode_Check(value.ptr())) return bellamy_text(spelled, kept.keep(value));
    if (PyFloat_Check(value.ptr())) return bellamy_quantity(spelled, PyFloat_AsDouble(value.ptr()));
    if (!PyLong_Check(value.ptr()))
        throw refusal{bellamy_errc_invalid_argument, "expected str, int, float or None as the value of property " +
                                                         std::string(spelled) + ", found " +
                                                         nb::cast<std::string>(nb::str(value.type().attr("__name__")))};
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (number < 0 && overflow <= 0)
        throw refusal{bellamy_errc_invalid_quantity, "expected a number >= 0 as the value of property " +
                                                         std::string(spelled) + ", found " +
                                                         nb::cast<std::string>(nb::str(value))};
    return bellamy_natural(spelled, overflow > 0 ? UINT64_MAX : static_cast<uint64_t>(number));
}

/// A property without its value: name, role, whether it scales with the scale-out.
using definition = std::tuple<std::string, int, bool>;

/// Contexts and what they point to. Does not move, since they point into it.
class contexts {
public:
    contexts() = default;
    contexts(const contexts&) = delete;
    contexts& operator=(const contexts&) = delete;

    /// By definitions: a value that is missing is unknown where it is essential, and left out where it is optional.
    contexts(const std::vector<definition>& essential, const std::vector<definition>& optional, int unit,
             const std::vector<nb::dict>& rows) {
        for (const auto& row : rows) {
            auto& properties = properties_.emplace_back();
            for (const auto& each : essential) add(properties, each, row, true);
            const size_t first = properties.size();
            for (const auto& each : optional) add(properties, each, row, false);
            auto made = bellamy_context_of(properties.data(), first, properties.data() + first, properties.size() - first);
            made.unit = unit;
            all_.push_back(made);
        }
    }

    /// By name, as a model knows them.
    contexts(const bellamy_model* known, const std::vector<nb::dict>& rows) {
        std::vector<bellamy_property> values;
        for (const auto& row : rows) {
            values.clear();
            for (const auto& [name, value] : row) values.push_back(property_of(texts_, name, value));
            auto& properties = properties_.emplace_back(values.size(), sized<bellamy_property>());
            auto made = sized<bellamy_context>();
            call(bellamy_model_context, known, values.data(), values.size(), properties.data(), properties.size(), &made);
            all_.push_back(made);
        }
    }

    [[nodiscard]] const std::vector<bellamy_context>& all() const noexcept { return all_; }

private:
    void add(std::vector<bellamy_property>& properties, const definition& each, const nb::dict& row, bool is_essential) {
        const auto& [name, role, scales] = each;
        const nb::str key(name.c_str(), name.size());
        const bool is_there = row.contains(key);
        if (!is_there && !is_essential) return;
        auto made = property_of(texts_, key, is_there ? nb::object(row[key]) : nb::none());
        made.role = role;
        made.scales_with_scale_out = scales ? 1 : 0;
        properties.push_back(made);
    }

    texts texts_;
    std::deque<std::vector<bellamy_property>> properties_;
    std::vector<bellamy_context> all_;
};

/// What a run has beside its context: scale-out, seconds, weight, seconds since the Unix epoch, whether it is censored.
using outcome = std::tuple<int, double, double, double, bool>;

[[nodiscard]] inline std::vector<bellamy_run> runs_of(const contexts& of, const std::vector<outcome>& outcomes) {
    if (of.all().size() != outcomes.size())
        throw refusal{bellamy_errc_invalid_argument, "expected one outcome for each context"};
    std::vector<bellamy_run> runs;
    runs.reserve(outcomes.size());
    for (size_t i = 0; i < outcomes.size(); ++i) {
        const auto& [scale_out, runtime_s, weight, timestamp_s, censored] = outcomes[i];
        auto made = bellamy_run_of(&of.all()[i], scale_out, runtime_s);
        made.weight = weight;
        made.timestamp_s = timestamp_s;
        made.censored = censored ? 1 : 0;
        runs.push_back(made);
    }
    return runs;
}

/// A property that was kept by the library, as the value that `property_of` reads.
[[nodiscard]] inline nb::object value_of(const bellamy_property& property) {
    switch (property.kind) {
        case bellamy_kind_text: return nb::str(property.text);
        case bellamy_kind_natural: return nb::int_(property.natural);
        case bellamy_kind_quantity: return nb::float_(property.quantity);
        default: return nb::none();
    }
}

}  // namespace python

#endif
