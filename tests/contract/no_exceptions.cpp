// Compiled without exceptions and without run-time type information: everything but result::value() works.
#include <bellamy/bellamy.hpp>

#include <cstdio>
#include <vector>

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "this unit is meant to be compiled without exceptions and run-time type information"
#endif

namespace {

bellamy::run run_of(std::uint64_t size_gb, int scale_out) {
    return {.context = {.essential = {bellamy::natural("size_gb", size_gb)}},
            .scale_out = scale_out,
            .runtime_s = 20 + 4 * static_cast<double>(size_gb) / scale_out};
}

const char* first_failure() {
    const std::vector history{run_of(10, 2), run_of(10, 8), run_of(20, 2), run_of(20, 8)};
    const auto best = bellamy::pretrain(history);
    if (!best) return "pretrain in best mode";
    const auto wiser = best->model.condition(std::vector{run_of(30, 4), run_of(30, 6)});
    if (!wiser || !(wiser->bind(run_of(30, 1).context)->at(5).quantile_s(0.9) > 0)) return "condition";
    const auto general = bellamy::pretrain(history, {.mode = bellamy::training_mode::paper, .epochs = 5});
    if (!general) return "pretrain";
    if (bellamy::pretrain({}).has_value()) return "pretrain on nothing";
    const auto tuned = bellamy::fine_tune(general->model, std::vector{run_of(30, 4), run_of(30, 6)}, {.epochs = 300});
    if (!tuned) return "fine_tune";
    const auto bytes = bellamy::to_bytes(tuned->model);
    const auto loaded = bellamy::from_bytes(bytes);
    if (!loaded || bellamy::to_bytes(*loaded) != bytes) return "round trip";
    const auto runtimes = loaded->bind(run_of(30, 1).context);
    if (!runtimes) return "bind";
    const auto answer = bellamy::choose(*runtimes, {2, 4, 8, 12}, 1e6);
    if (!answer || !answer->feasible()) return "choose";
    return nullptr;
}

}  // namespace

int main() {
    const char* failure = first_failure();
    if (failure != nullptr) std::fprintf(stderr, "failed: %s\n", failure);
    return failure == nullptr ? 0 : 1;
}
