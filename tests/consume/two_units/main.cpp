// Models, predictions and errors mean the same on both sides of an interface.
#include <bellamy/serialize.hpp>

#include "forecast.hpp"

#include <cstdio>

int main() {
    using namespace bellamy;
    network<> constant(0);  // that says 7 whatever it is asked
    constant.runtime.head_second.bias[0] = 7 / static_cast<float>(detail::selu_scale);
    const model here({}, {}, constant);
    const auto bytes = to_bytes(here);
    const auto there = restored(bytes);
    if (!there || to_bytes(*there) != bytes) return 2;
    const double same = here.bind({})->at(4).median_s;
    const auto refused = restored({});
    std::printf("bellamy %s: %.3f s\n", BELLAMY_VERSION, same);
    return forecast(*there, 4).median_s == same && same > 6.999 && !refused && refused.error().code() == errc::not_a_model
               ? 0
               : 1;
}
