// Load on a service of many tenants: who asks when, and how long each answer took.
#ifndef BELLAMY_BENCH_SUPPORT_TENANT_LOAD_HPP
#define BELLAMY_BENCH_SUPPORT_TENANT_LOAD_HPP

#include <bellamy/detail/base/random.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace bench {

/// Draws tenants by Zipf's law: the i-th most active one asks 1/i as often as the first.
class zipf {
public:
    explicit zipf(std::size_t tenants) {
        double sum = 0;
        for (std::size_t i = 0; i < tenants; ++i) reached_.push_back(sum += 1 / static_cast<double>(i + 1));
        for (auto& each : reached_) each /= sum;
    }
    [[nodiscard]] std::size_t operator()(bellamy::detail::random_generator& random) const {
        const auto at = std::upper_bound(reached_.begin(), reached_.end(), random.uniform());
        return std::min(static_cast<std::size_t>(at - reached_.begin()), reached_.size() - 1);
    }

private:
    std::vector<double> reached_{};
};

enum class request_class : std::uint8_t { ask, condition };
inline constexpr std::array<const char*, 2> request_class_names{"ask", "condition"};

struct tenant_request {
    std::size_t tenant = 0;
    request_class what = request_class::ask;
    /// Seconds after the start; of an open loop alone.
    double scheduled_s = 0;
};

/// Requests in the order in which they are sent, made before anything is timed.
[[nodiscard]] inline std::vector<tenant_request> draw_requests(const zipf& tenants, std::size_t count,
                                                               double conditioning_share, double per_second,
                                                               std::uint64_t seed) {
    bellamy::detail::random_generator random(seed);
    std::vector<tenant_request> made(count);
    double now_s = 0;
    for (auto& each : made) {
        each.tenant = tenants(random);
        each.what = random.uniform() < conditioning_share ? request_class::condition : request_class::ask;
        if (per_second > 0) now_s -= std::log(1 - random.uniform()) / per_second;  // Poisson: exponential gaps
        each.scheduled_s = now_s;
    }
    return made;
}

struct tenant_latency {
    std::size_t tenant = 0;
    request_class what = request_class::ask;
    double us = 0;
};

/// What came of a load.
struct load_outcome {
    std::vector<tenant_latency> latencies{};
    double elapsed_s = 0;
    double cpu_s = 0;

    [[nodiscard]] double requests_per_s() const { return static_cast<double>(latencies.size()) / elapsed_s; }
};

[[nodiscard]] inline double latency_quantile(std::vector<double> values, double p) {
    if (values.empty()) return 0;
    const auto at = static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
    return values[at];
}

[[nodiscard]] inline std::vector<double> latencies_of(const load_outcome& from, request_class what) {
    std::vector<double> us;
    for (const auto& each : from.latencies)
        if (each.what == what) us.push_back(each.us);
    return us;
}

/// The 95 % quantile of the worst tenant over that of the median one, of those who asked 20 times or more.
[[nodiscard]] inline double worst_over_median_tenant(const load_outcome& from) {
    std::map<std::size_t, std::vector<double>> by_tenant;
    for (const auto& each : from.latencies)
        if (each.what == request_class::ask) by_tenant[each.tenant].push_back(each.us);
    std::vector<double> tails;
    for (const auto& [tenant, us] : by_tenant)
        if (us.size() >= 20) tails.push_back(latency_quantile(us, 0.95));
    if (tails.empty()) return 0;
    return *std::max_element(tails.begin(), tails.end()) / latency_quantile(tails, 0.5);
}

/// Serves requests one after the other on several threads. Without a schedule (closed loop) each thread takes the next one
/// when it has ended the one before, and the latency is the service's alone; with one (open loop) a request waits for its
/// time and then for a thread, and the latency counts from the scheduled time, waiting included.
/// Ends after `seconds`, or with the requests where `seconds` is 0.
template <class Serve>
[[nodiscard]] load_outcome run_load(std::span<const tenant_request> requests, int threads, double seconds, bool open,
                                    Serve&& serve) {
    using clock = std::chrono::steady_clock;
    std::atomic<std::size_t> next{0};
    std::vector<std::vector<tenant_latency>> parts(static_cast<std::size_t>(threads));
    const double cpu_begin = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    const auto begin = clock::now();
    const auto since = [&](clock::time_point from, clock::time_point to) {
        return std::chrono::duration<double>(to - from).count();
    };
    {
        std::vector<std::jthread> all;
        for (auto& part : parts)
            all.emplace_back([&] {
                part.reserve(1U << 16U);
                while (true) {
                    const std::size_t i = next++;
                    if (open && i >= requests.size()) return;
                    const auto& asked = requests[i % requests.size()];
                    auto from = clock::now();
                    if (seconds > 0 && since(begin, from) >= seconds) return;
                    if (open) {
                        from = begin +
                               std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(asked.scheduled_s));
                        std::this_thread::sleep_until(from);
                    }
                    serve(asked);
                    part.push_back({asked.tenant, asked.what, 1e6 * since(from, clock::now())});
                }
            });
    }
    load_outcome made{.elapsed_s = since(begin, clock::now()),
                      .cpu_s = static_cast<double>(std::clock()) / CLOCKS_PER_SEC - cpu_begin};
    for (const auto& part : parts) made.latencies.insert(made.latencies.end(), part.begin(), part.end());
    return made;
}

}  // namespace bench

#endif
