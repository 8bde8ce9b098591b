// The made-up job as C sees it, and handles that close themselves.
#ifndef BELLAMY_TESTS_C_JOB_HPP
#define BELLAMY_TESTS_C_JOB_HPP

#include <bellamy/c.h>

#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "../support/made_up_job.hpp"

namespace support {

struct close_handle {
    void operator()(bellamy_model* model) const noexcept { bellamy_model_release(&model); }
    void operator()(bellamy_curve* curve) const noexcept { bellamy_curve_release(&curve); }
    void operator()(bellamy_exploration_prior* prior) const noexcept { bellamy_exploration_prior_release(&prior); }
    void operator()(bellamy_application* application) const noexcept { bellamy_application_release(&application); }
    void operator()(bellamy_forecast* forecast) const noexcept { bellamy_forecast_release(&forecast); }
};
using c_model = std::unique_ptr<bellamy_model, close_handle>;
using c_curve = std::unique_ptr<bellamy_curve, close_handle>;
using c_prior = std::unique_ptr<bellamy_exploration_prior, close_handle>;

/// Where a function puts a new handle.
template <class Handle>
class into {
public:
    explicit into(std::unique_ptr<Handle, close_handle>& owner) : owner_(owner) {}
    into(const into&) = delete;
    into& operator=(const into&) = delete;
    ~into() { owner_.reset(made_); }
    operator Handle**() noexcept { return &made_; }

private:
    std::unique_ptr<Handle, close_handle>& owner_;
    Handle* made_ = nullptr;
};

template <class Struct>
[[nodiscard]] Struct sized() {
    Struct made{};
    made.size = sizeof(Struct);
    return made;
}

/// Checks a code, and that the message holds some words.
inline void check_code(int32_t code, const bellamy_error& told, int32_t expected, const std::vector<std::string>& words) {
    INFO(told.message);
    CHECK(code == expected);
    CHECK(told.code == expected);
    for (const auto& each : words) CHECK_MESSAGE(std::string(told.message).find(each) != std::string::npos, each);
}

/// Contexts and runs that point to each other.
class c_history {
public:
    c_history() = default;
    c_history(const c_history&) = delete;
    c_history& operator=(const c_history&) = delete;

    const bellamy_context& add_context(std::uint64_t size_gb, const char* machine = "m5.large") {
        auto& essential =
            essentials_.emplace_back(std::array{bellamy_text("machine", machine), bellamy_natural("size_gb", size_gb)});
        essential[0].role = bellamy_role_machine_type;
        essential[1].role = bellamy_role_data_size;
        auto& optional = optionals_.emplace_back(bellamy_natural("memory_gb", 8));
        optional.role = bellamy_role_memory_per_node;
        optional.scales_with_scale_out = 1;
        return contexts_.emplace_back(bellamy_context_of(essential.data(), essential.size(), &optional, 1));
    }
    void add_runs(std::uint64_t size_gb) {
        const auto& context = add_context(size_gb);
        for (const int scale_out : {2, 4, 6, 8, 10, 12})
            runs.push_back(bellamy_run_of(&context, scale_out, made_up_runtime_s(size_gb, scale_out)));
    }

    std::vector<bellamy_run> runs;

private:
    std::deque<std::array<bellamy_property, 2>> essentials_;
    std::deque<bellamy_property> optionals_;
    std::deque<bellamy_context> contexts_;
};

/// The runs of `made_up_history(contexts)`.
inline void fill(c_history& history, std::uint64_t contexts) {
    for (std::uint64_t i = 1; i <= contexts; ++i) history.add_runs(10 * i);
}

[[nodiscard]] inline std::vector<std::byte> bytes_of(const c_model& model) {
    std::size_t size = 0;
    REQUIRE(bellamy_model_to_bytes(model.get(), nullptr, 0, &size, nullptr) == bellamy_errc_ok);
    std::vector<std::byte> bytes(size);
    REQUIRE(bellamy_model_to_bytes(model.get(), bytes.data(), bytes.size(), &size, nullptr) == bellamy_errc_ok);
    return bytes;
}

/// A model of best mode of five contexts.
[[nodiscard]] inline c_model pretrained() {
    c_history history;
    fill(history, 5);
    c_model model;
    auto error = sized<bellamy_error>();
    const auto code = bellamy_pretrain(history.runs.data(), history.runs.size(), nullptr, nullptr, into(model), &error);
    REQUIRE_MESSAGE(code == bellamy_errc_ok, error.message);
    return model;
}

}  // namespace support

#endif
