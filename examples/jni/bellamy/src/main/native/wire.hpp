// Contexts and runs as the Java side writes them: numbers big-endian, texts with their length before them.
#ifndef BELLAMY_EXAMPLES_JNI_WIRE_HPP
#define BELLAMY_EXAMPLES_JNI_WIRE_HPP

#include <bellamy/run.hpp>
#include <bellamy/schema.hpp>

#include <bit>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace jni {

/// Reads what `io.github.bellamy.Wire` wrote; throws std::out_of_range where it ends too early.
class wire_reader {
public:
    explicit wire_reader(std::span<const std::byte> bytes) : rest_(bytes) {}

    [[nodiscard]] std::uint64_t natural(std::size_t bytes) {
        std::uint64_t number = 0;
        for (const auto each : take(bytes)) number = number << 8U | std::to_integer<std::uint64_t>(each);
        return number;
    }
    [[nodiscard]] int whole() { return static_cast<int>(static_cast<std::int32_t>(natural(4))); }
    [[nodiscard]] bool flag() { return natural(1) != 0; }
    [[nodiscard]] double real() { return std::bit_cast<double>(natural(8)); }
    [[nodiscard]] std::string text() {
        const auto bytes = take(static_cast<std::size_t>(natural(4)));
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    [[nodiscard]] bellamy::property property() {
        bellamy::property made{.name = text()};
        switch (static_cast<bellamy::property_kind>(natural(1))) {
            case bellamy::property_kind::text: made.value = text(); break;
            case bellamy::property_kind::natural: made.value = natural(8); break;
            case bellamy::property_kind::quantity: made.value = real(); break;
            case bellamy::property_kind::unknown: made.value = std::monostate{}; break;
        }
        made.role = static_cast<bellamy::property_role>(natural(1));
        made.scales_with_scale_out = flag();
        return made;
    }
    [[nodiscard]] bellamy::context context() {
        bellamy::context made;
        for (auto* list : {&made.essential, &made.optional})
            for (auto left = natural(4); left > 0; --left) list->push_back(property());
        made.unit = static_cast<bellamy::scale_out_unit>(natural(1));
        return made;
    }
    [[nodiscard]] bellamy::run run() {
        bellamy::run made{.context = context()};
        made.scale_out = whole();
        made.runtime_s = real();
        made.censored = flag();
        made.weight = real();
        return made;
    }
    [[nodiscard]] std::vector<bellamy::run> runs() {
        std::vector<bellamy::run> made;
        for (auto left = natural(4); left > 0; --left) made.push_back(run());
        return made;
    }

private:
    [[nodiscard]] std::span<const std::byte> take(std::size_t bytes) {
        if (bytes > rest_.size()) throw std::out_of_range("expected more bytes from the Java side");
        const auto taken = rest_.first(bytes);
        rest_ = rest_.subspan(bytes);
        return taken;
    }

    std::span<const std::byte> rest_;
};

/// Writes what `io.github.bellamy.Wire` reads.
class wire_writer {
public:
    void natural(std::uint64_t number, std::size_t bytes) {
        for (std::size_t left = bytes; left > 0; --left)
            bytes_.push_back(static_cast<std::byte>(number >> (8 * (left - 1))));
    }
    void text(std::string_view words) {
        natural(words.size(), 4);
        const auto bytes = std::as_bytes(std::span(words));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void schema(const bellamy::schema& properties) {
        for (const auto* list : {&properties.essential, &properties.optional}) {
            natural(list->size(), 4);
            for (const auto& each : *list) {
                text(each.name);
                natural(static_cast<std::uint64_t>(each.kind), 1);
                natural(static_cast<std::uint64_t>(each.role), 1);
                natural(each.scales_with_scale_out ? 1 : 0, 1);
            }
        }
        natural(static_cast<std::uint64_t>(properties.unit), 1);
    }
    [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

}  // namespace jni

#endif
