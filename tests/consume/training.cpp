// A consumer that learns: it includes everything, Eigen among it, and speaks of it in no more than a few lines.
#include <bellamy/bellamy.hpp>

#include <cstdio>
#include <vector>

#if !defined(BELLAMY_COMPILED)
constexpr int eigen = EIGEN_WORLD_VERSION;
#elif defined(EIGEN_WORLD_VERSION)
#error "expected Eigen to stay within the compiled library"
#else
constexpr int eigen = 0;
#endif

int main() {
    std::vector<bellamy::run> history;
    for (const int scale_out : {2, 4, 8})
        for (const std::uint64_t size_gb : {10U, 20U})
            history.push_back({.context = {.essential = {bellamy::natural("size_gb", size_gb)}},
                               .scale_out = scale_out,
                               .runtime_s = 20 + 4 * static_cast<double>(size_gb) / scale_out});
    const auto learnt = bellamy::pretrain(history);
    if (!learnt) return 2;
    const auto runtimes = learnt->model.bind({.essential = {bellamy::natural("size_gb", 15)}});
    if (!runtimes) return 3;
    std::printf("bellamy %s, Eigen %d: %.0f s\n", BELLAMY_VERSION, eigen, runtimes->at(4).median_s);
    return runtimes->at(4).median_s > 0 ? 0 : 1;
}
