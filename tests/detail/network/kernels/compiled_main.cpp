// Whether the compiled kernels are those of the best instructions that the processor says it has.
#include <array>
#include <cstdio>
#include <span>
#include <string_view>

const char* predict_compiled(std::span<float> runtime_s);

int main() {
    std::array<float, 20> runtime_s{};
    const std::string_view used = predict_compiled(runtime_s);
    const std::string_view best = __builtin_cpu_supports("avx512vl") ? "avx512"
                                  : __builtin_cpu_supports("avx2")   ? "avx2"
                                                                     : "sse2";
    if (used == best) return 0;
    std::printf("expected kernels for %s, found %s\n", best.data(), used.data());
    return 1;
}
