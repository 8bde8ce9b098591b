// Links units that are compiled for different instructions; each must predict, by its own.
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <string_view>

const char* predict_sse2(std::span<float> runtime_s);
const char* predict_avx2(std::span<float> runtime_s);
const char* predict_avx512(std::span<float> runtime_s);

int main() {
    struct unit {
        std::string_view isa;
        const char* (*predict)(std::span<float>);
    };
    std::array<float, 20> expected{};
    predict_sse2(expected);
    for (const auto& [isa, predict] :
         {unit{"sse2", predict_sse2}, unit{"avx2", predict_avx2}, unit{"avx512", predict_avx512}}) {
        std::array<float, 20> found{};
        const std::string_view used = predict(found);
        if (used != isa) {
            std::printf("expected a unit that predicts with %s, found %s\n", isa.data(), used.data());
            return 1;
        }
        for (std::size_t i = 0; i < found.size(); ++i) {
            // Two kernels, each within two parts in a million of the truth, of numbers around 1.
            if (!(std::abs(found[i] - expected[i]) <= 1e-5F * (1 + std::abs(expected[i])))) {
                std::printf("%s predicts %g where SSE2 predicts %g\n", isa.data(), static_cast<double>(found[i]),
                            static_cast<double>(expected[i]));
                return 1;
            }
        }
    }
}
