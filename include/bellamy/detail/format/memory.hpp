// How much memory a model takes, counted from what it consists of.
#ifndef BELLAMY_DETAIL_FORMAT_MEMORY_HPP
#define BELLAMY_DETAIL_FORMAT_MEMORY_HPP

#include <bellamy/detail/format/sections.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Adds up what values have on the heap, field by field as an archive sees them.
class heap_counter {
public:
    template <class... Values>
    void operator()(const Values&... values) {
        (add(values), ...);
    }
    void block(std::size_t size) noexcept {
        if (size > 0) bytes_ += size + allocator_overhead;
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    // What usual allocators add to a block.
    static constexpr std::size_t allocator_overhead = 16;

    void add(std::monostate) noexcept {}
    void add(const std::string& value) {
        if (value.capacity() > std::string().capacity()) block(value.capacity() + 1);
    }
    template <class Value>
    requires(std::is_arithmetic_v<Value> || std::is_enum_v<Value>) void add(const Value&) noexcept {}
    template <class Value, std::size_t Size>
    void add(const std::array<Value, Size>& values) {
        for (const auto& each : values) add(each);
    }
    template <class Value>
    void add(const std::vector<Value>& values) {
        block(values.capacity() * sizeof(Value));
        for (const auto& each : values) add(each);
    }
    template <class Value>
    void add(const std::optional<Value>& value) {
        if (value) add(*value);
    }
    template <class... Alternatives>
    void add(const std::variant<Alternatives...>& value) {
        std::visit([&](const auto& alternative) { add(alternative); }, value);
    }
    template <class Structure>
    requires(std::is_class_v<Structure>) void add(const Structure& value) { fields(*this, value); }

    std::size_t bytes_ = 0;
};

template <class Value>
[[nodiscard]] std::size_t heap_bytes(const Value& value) {
    heap_counter counter;
    counter(value);
    return counter.bytes();
}

/// What best mode computes from its data: half a matrix of the points per process and two matrices of the coefficients.
[[nodiscard]] inline std::size_t computed_bytes(const blend_data& from) {
    std::size_t points = 0;
    for (std::size_t c = 0; c < from.process_contexts; ++c) points += from.history.contexts[c].count;
    std::size_t processes = 0;
    for (const auto& each : from.processes) processes += each ? std::size_t{1} : 0;
    const std::size_t coefficients = ernest_term_count * (from.history.features() + 2);
    return (processes * (points * (points + 1) / 2 + points) + 2 * coefficients * (coefficients + 1)) * sizeof(double);
}

/// What best mode keeps for as long as its experts have not been asked.
[[nodiscard]] inline std::size_t memory_of_data(const blend_kind& kind) {
    return sizeof(fitted_blend) + sizeof(blend_data) + heap_bytes(stored(kind));
}
[[nodiscard]] inline std::size_t memory_of(const blend_kind& kind) {
    return memory_of_data(kind) + sizeof(blend_experts) + computed_bytes(stored(kind));
}
// The weights of each essential property's code stand on the heap, those of the optional ones with them; the rest is in
// place.
[[nodiscard]] inline std::size_t memory_of(const network_kind& kind) {
    const std::size_t codes = kind.parameters.essential_count() + 1;
    return sizeof(prepared_network) + 2 * codes * sizeof(prepared_network::code_weights);
}
[[nodiscard]] inline std::size_t memory_of(const shapes_kind& kind) {
    return sizeof(shape_prior) + heap_bytes(stored(kind));
}

/// Bytes that a model keeps besides what answers, those on the heap included.
[[nodiscard]] inline std::size_t memory_around(const model& subject) {
    heap_counter counter;
    counter(subject.schema(), subject.basis());
    for (const auto& each : subject.observed()) counter(each);
    counter.block(subject.observed().size_bytes());
    counter.block(sizeof(answering));
    return sizeof(model) + counter.bytes();
}

/// Bytes that a model keeps, those on the heap included. An estimate: what a library of the system adds is not known.
[[nodiscard]] inline std::size_t memory_of(const model& subject) {
    return memory_around(subject) +
           std::visit([](const auto& kind) { return memory_of(kind); }, model_access::kind_of(subject));
}

/// The same of a model without what it can compute again.
[[nodiscard]] inline std::size_t memory_when_cold(const model& subject) {
    const auto* const blend = std::get_if<blend_kind>(&model_access::kind_of(subject));
    return blend != nullptr ? memory_around(subject) + memory_of_data(*blend) : memory_of(subject);
}

/// The same model, which gives the same bits, without what it can compute again and will when it is asked.
[[nodiscard]] inline model cooled(const model& subject) {
    const auto* const blend = std::get_if<blend_kind>(&model_access::kind_of(subject));
    if (blend == nullptr) return subject;
    return model_access::make(subject.schema(), subject.basis(),
                              blend_kind{.experts = shared(blend->experts->without_factors())},
                              {subject.observed().begin(), subject.observed().end()});
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
