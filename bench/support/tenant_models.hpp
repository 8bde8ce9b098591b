// Tenants of a service: a recurring job each, with a model file of its own.
#ifndef BELLAMY_BENCH_SUPPORT_TENANT_MODELS_HPP
#define BELLAMY_BENCH_SUPPORT_TENANT_MODELS_HPP

#include <bellamy/batch.hpp>
#include <bellamy/choose.hpp>
#include <bellamy/model_store.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "made_up.hpp"

namespace bench {

/// Runs of a made-up job: `contexts` contexts at six scale-outs, five times each, which differ by 5 %.
[[nodiscard]] inline std::vector<run> tenant_history(std::size_t kind, int contexts) {
    std::vector<run> history;
    bellamy::detail::random_generator random(kind + 1);
    for (int c = 0; c < contexts; ++c)
        for (int x = 2; x <= 12; x += 2)
            for (int r = 0; r < 5; ++r)
                history.push_back({.context = context_number(c),
                                   .scale_out = x,
                                   .runtime_s = (40 + (900.0 + 31 * c + 200 * static_cast<double>(kind)) / x + 3 * x) *
                                                (0.95 + 0.1 * random.uniform())});
    return history;
}

/// The files of a fleet, removed at its end. Every tenant has observed a run of its own, so that no two answer the same.
class tenant_fleet {
public:
    tenant_fleet(std::size_t tenants, int contexts, std::size_t kinds) : asked_(context_number(40)) {
        folder_ = std::filesystem::temp_directory_path() /
                  ("bellamy-tenants-" + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()));
        std::filesystem::create_directory(folder_);
        std::vector<model> learned;
        for (std::size_t kind = 0; kind < kinds; ++kind)
            learned.push_back(pretrain(tenant_history(kind, contexts)).value().model);
        for (std::size_t i = 0; i < tenants; ++i) {
            const auto bytes = to_bytes(learned[i % kinds].condition(own_runs(i, 1)).value());
            std::ofstream out(folder_ / (name_of(i) + ".bellamy"), std::ios::binary);
            out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
            file_bytes_ += bytes.size();
        }
        file_bytes_ /= tenants;
    }
    tenant_fleet(const tenant_fleet&) = delete;
    tenant_fleet& operator=(const tenant_fleet&) = delete;
    ~tenant_fleet() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] std::string folder() const { return folder_.string(); }
    [[nodiscard]] std::size_t file_bytes() const noexcept { return file_bytes_; }
    [[nodiscard]] static std::string name_of(std::size_t tenant) { return "job-" + std::to_string(tenant); }
    /// The context that a tenant asks about, which no history has.
    [[nodiscard]] const context& asked() const noexcept { return asked_; }
    [[nodiscard]] std::vector<run> own_runs(std::size_t tenant, int count) const {
        std::vector<run> made;
        for (int i = 1; i <= count; ++i)
            made.push_back({.context = asked_,
                            .scale_out = 2 * i,
                            .runtime_s = (60 + 1500.0 / (2 * i)) * (0.9 + 0.0001 * static_cast<double>(tenant % 2000))});
        return made;
    }

private:
    std::filesystem::path folder_{};
    context asked_;
    std::size_t file_bytes_ = 0;
};

/// As many predictions as a batch has: 33 scale-outs of one context after the other, among which one is chosen.
/// Returns the sum of the predictions, whose bits tell whether any is another.
[[nodiscard]] inline double ask(const model& subject, const context& about, int batch) {
    std::vector<context> subjects{about};
    for (int number = 1; 33 * number < batch; ++number) subjects.push_back(context_number(50 + number));
    const auto bound = bind_each(subject, subjects);
    if (!bound) std::abort();
    double sum = 0;
    int left = batch;
    for (const auto& runtimes : *bound) {
        std::vector<candidate> candidates;
        const int count = std::min(left, 33);
        for (int x = 1; x <= count; ++x) {
            sum += runtimes.at(x).quantile_s(0.9);
            if (count > 1)
                candidates.push_back({.runtimes = &runtimes, .scale_out = x, .costs = {.per_unit_and_hour = 0.4}});
        }
        if (count > 1) {
            const auto best = choose(candidates, {.goal = goal::cheapest_within_deadline, .deadline_s = 300});
            if (!best) std::abort();
            sum += best->candidate ? best->candidate->scale_out : 0;
        }
        left -= count;
    }
    return sum;
}

}  // namespace bench

#endif
