// What a consumer does: a model from bytes, a job's curve, and the smallest scale-out that meets a deadline. It is compiled
// in every way there is, so it gets by without exceptions.
#include <bellamy/baseline/ernest.hpp>
#include <bellamy/choose.hpp>
#include <bellamy/serialize.hpp>

#include <cstdio>
#include <vector>

#if !__has_include(<Eigen/Core>)
#error "expected Eigen, which learning needs, to come along with bellamy"
#endif

int main() {
    using namespace bellamy;
    const std::vector<run> observed{{.scale_out = 2, .runtime_s = 340},  // 40 s and 600 s shared
                                    {.scale_out = 5, .runtime_s = 160},
                                    {.scale_out = 10, .runtime_s = 100}};
    const auto runtimes = baseline::ernest(observed);
    if (!runtimes) return 2;
    const auto answer = choose(*runtimes, {2, 4, 5, 6, 8, 12}, 150.0);
    if (!answer || !answer->feasible()) return 3;

    // A network that says 7 whatever it is asked.
    network<> constant(0);
    constant.runtime.head_second.bias[0] = 7 / static_cast<float>(detail::selu_scale);
    const auto same = from_bytes(to_bytes(model({}, {}, constant)));
    if (!same) return 4;
    const double seven = same->bind({})->at(4).median_s;

    std::printf("bellamy %s: %d nodes, %.3f s\n", BELLAMY_VERSION, answer->candidate->scale_out, seven);
    return answer->candidate->scale_out == 6 && seven > 6.999 && seven < 7.001 ? 0 : 1;
}
