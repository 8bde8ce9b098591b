// Contexts, runs and traces as the Java side writes them: numbers big-endian, texts with their length before them and a zero
// byte behind them.
#ifndef BELLAMY_EXAMPLES_JNI_WIRE_HPP
#define BELLAMY_EXAMPLES_JNI_WIRE_HPP

#include <bellamy/c.h>

#include <bit>
#include <cstddef>
#include <deque>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace jni {

/// Reads what `io.github.bellamy.Wire` wrote into structs of bellamy/c.h, which point into the reader. Throws
/// std::out_of_range where it ends too early.
class wire_reader {
public:
    explicit wire_reader(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), rest_(bytes_) {}
    wire_reader(const wire_reader&) = delete;
    wire_reader& operator=(const wire_reader&) = delete;

    [[nodiscard]] const bellamy_context* context() {
        const auto essential = properties();
        const auto optional = properties();
        auto& made =
            contexts_.emplace_back(bellamy_context_of(essential.data(), essential.size(), optional.data(), optional.size()));
        made.unit = small();
        return &made;
    }
    [[nodiscard]] std::vector<bellamy_run> runs() {
        std::vector<bellamy_run> made;
        for (auto left = natural(4); left > 0; --left) {
            const auto* in = context();
            const auto scale_out = whole();
            auto& one = made.emplace_back(bellamy_run_of(in, scale_out, real()));
            one.censored = small();
            one.weight = real();
            one.timestamp_s = real();
        }
        return made;
    }

    /// Of several jobs.
    [[nodiscard]] std::vector<std::vector<bellamy_run>> jobs_runs() {
        std::vector<std::vector<bellamy_run>> made;
        for (auto left = natural(4); left > 0; --left) made.push_back(runs());
        return made;
    }

    [[nodiscard]] std::span<const bellamy_property> properties() {
        auto& made = properties_.emplace_back();
        for (auto left = natural(4); left > 0; --left) made.push_back(property());
        return made;
    }
    [[nodiscard]] bellamy_application_trace trace() {
        bellamy_application_trace made{};
        made.size = sizeof(made);
        made.application = text();
        made.run = text();
        made.unit = small();
        const auto known = properties();
        made.properties = known.data();
        made.property_count = known.size();
        auto& steps = steps_.emplace_back();
        for (auto left = natural(4); left > 0; --left) {
            const double at_s = real();
            steps.push_back({.size = sizeof(bellamy_scale_out_step), .at_s = at_s, .scale_out = whole()});
        }
        made.steps = steps.data();
        made.step_count = steps.size();
        auto& jobs = jobs_.emplace_back();
        for (auto left = natural(4); left > 0; --left) jobs.push_back(job());
        made.jobs = jobs.data();
        made.job_count = jobs.size();
        made.runtime_s = real();
        made.outcome = small();
        return made;
    }
    [[nodiscard]] std::vector<bellamy_application_trace> traces() {
        std::vector<bellamy_application_trace> made;
        for (auto left = natural(4); left > 0; --left) made.push_back(trace());
        return made;
    }

private:
    [[nodiscard]] std::span<const std::byte> take(std::size_t count) {
        if (count > rest_.size()) throw std::out_of_range("expected more bytes from the Java side");
        const auto taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }
    [[nodiscard]] std::uint64_t natural(std::size_t count) {
        std::uint64_t number = 0;
        for (const auto each : take(count)) number = number << 8U | std::to_integer<std::uint64_t>(each);
        return number;
    }
    [[nodiscard]] std::int32_t small() { return static_cast<std::int32_t>(natural(1)); }
    [[nodiscard]] std::int32_t whole() { return static_cast<std::int32_t>(natural(4)); }
    [[nodiscard]] std::int64_t whole64() { return static_cast<std::int64_t>(natural(8)); }
    [[nodiscard]] double real() { return std::bit_cast<double>(natural(8)); }
    [[nodiscard]] const char* text() {
        return reinterpret_cast<const char*>(take(static_cast<std::size_t>(natural(4)) + 1).data());
    }
    [[nodiscard]] bellamy_property property() {
        auto made = bellamy_unknown(text());
        made.kind = small();
        switch (made.kind) {
            case bellamy_kind_text: made.text = text(); break;
            case bellamy_kind_natural: made.natural = natural(8); break;
            case bellamy_kind_quantity: made.quantity = real(); break;
            default: break;
        }
        made.role = small();
        made.scales_with_scale_out = small();
        return made;
    }
    [[nodiscard]] bellamy_job_trace job() {
        const auto id = whole64();
        const double submitted_s = real();
        auto made = bellamy_job_of(id, submitted_s, real(), nullptr, 0);
        made.outcome = small();
        auto& stages = stages_.emplace_back();
        for (auto left = natural(4); left > 0; --left) stages.push_back(stage());
        made.stages = stages.data();
        made.stage_count = stages.size();
        return made;
    }
    [[nodiscard]] bellamy_stage_trace stage() {
        auto made = bellamy_stage_of(whole64(), 0, 0);
        made.attempt = whole64();
        made.name = text();
        auto& parents = parents_.emplace_back();
        for (auto left = natural(4); left > 0; --left) parents.push_back(whole64());
        made.parents = parents.data();
        made.parent_count = parents.size();
        made.tasks = whole64();
        made.submitted_s = real();
        made.completed_s = real();
        made.outcome = small();
        made.start_scale_out = whole();
        made.end_scale_out = whole();
        auto& task_s = task_s_.emplace_back();
        for (auto left = natural(4); left > 0; --left) task_s.push_back(real());
        made.task_s = task_s.data();
        made.task_count = task_s.size();
        made.first_wave = whole64();
        return made;
    }

    std::vector<std::byte> bytes_;
    std::span<const std::byte> rest_;
    std::deque<std::vector<bellamy_property>> properties_;
    std::deque<bellamy_context> contexts_;
    std::deque<std::vector<bellamy_scale_out_step>> steps_;
    std::deque<std::vector<bellamy_job_trace>> jobs_;
    std::deque<std::vector<bellamy_stage_trace>> stages_;
    std::deque<std::vector<std::int64_t>> parents_;
    std::deque<std::vector<double>> task_s_;
};

/// Writes what `io.github.bellamy.Wire` reads.
class wire_writer {
public:
    void natural(std::uint64_t number, std::size_t count) {
        for (std::size_t left = count; left > 0; --left)
            bytes_.push_back(static_cast<std::byte>(number >> (8 * (left - 1))));
    }
    void real(double number) { natural(std::bit_cast<std::uint64_t>(number), 8); }
    void text(std::string_view words) {
        natural(words.size(), 4);
        const auto bytes = std::as_bytes(std::span(words));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void definitions(std::span<const bellamy_property_definition> list) {
        natural(list.size(), 4);
        for (const auto& each : list) {
            text(each.name);
            for (const int32_t number : {each.kind, each.role, each.scales_with_scale_out})
                natural(static_cast<std::uint64_t>(number), 1);
        }
    }
    [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

}  // namespace jni

#endif
