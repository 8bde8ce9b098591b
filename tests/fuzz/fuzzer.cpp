// One libFuzzer program for each body: BELLAMY_FUZZ_BODY names it, BELLAMY_FUZZ_HEADER has it.
#include BELLAMY_FUZZ_HEADER

#if defined(BELLAMY_FUZZ_MODEL)
#include "model_mutator.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t room);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed) {
    const auto alter = [](support::bytes& content) {
        const auto before = content.size();
        content.resize(before + before / 4 + 16);
        content.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(content.data()), before, content.size()));
    };
    const auto made = fuzz::mutated_model(std::as_bytes(std::span(data, size)), seed, alter, fuzz::BELLAMY_FUZZ_MODEL());
    if (made.empty() || made.size() > room) return LLVMFuzzerMutate(data, size, room);
    std::memcpy(data, made.data(), made.size());
    return made.size();
}
#endif

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::BELLAMY_FUZZ_BODY({data, size});
    return 0;
}
