// Models, predictions and errors mean the same on both sides of an interface.
#include <bellamy/serialize.hpp>

#include "forecast.hpp"

#include <cstdio>

int main() {
    using namespace bellamy;
    const model here({}, {}, network<>(0));
    const auto bytes = to_bytes(here);
    const auto there = restored(bytes);
    if (!there || to_bytes(*there) != bytes) return 2;
    const double same = here.bind({})->at(4).median_s;
    const auto refused = restored({});
    std::printf("bellamy %s: %.3f s\n", BELLAMY_VERSION, same);
    return forecast(*there, 4).median_s == same && !refused && refused.error().code() == errc::truncated ? 0 : 1;
}
