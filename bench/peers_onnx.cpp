// The exported network of peers.py in ONNX Runtime, called through its C interface as a scheduler would.
#include <dlfcn.h>
#include <onnxruntime_c_api.h>

#include "support/clock.hpp"

#include <array>
#include <cstdio>
#include <limits>
#include <vector>

namespace {

// Of the library that the Python package carries.
[[nodiscard]] const OrtApi* runtime(const char* library) {
    void* opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) return nullptr;
    const auto base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(opened, "OrtGetApiBase"));
    return base == nullptr ? nullptr : base()->GetApi(ORT_API_VERSION);
}

}  // namespace

extern "C" {

void peers_inputs(int what, int count, float* encoded, float* features);

/// Like `peers_ours`, from the file that peers.py writes: task 0 takes features, task 1 encoded properties before them. NaN
/// where the runtime refuses.
double peers_onnx(const char* library, const char* path, int what, int count, int repeats, float* out) {
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    const OrtApi* api = runtime(library);
    if (api == nullptr) return nothing;
    bool good = true;
    const auto check = [&](OrtStatus* status) {
        if (status == nullptr) return;
        std::fprintf(stderr, "ONNX Runtime: %s\n", api->GetErrorMessage(status));
        api->ReleaseStatus(status);
        good = false;
    };

    OrtEnv* environment = nullptr;
    OrtSessionOptions* options = nullptr;
    OrtSession* session = nullptr;
    OrtMemoryInfo* memory = nullptr;
    check(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "peers", &environment));
    check(api->CreateSessionOptions(&options));
    check(api->SetIntraOpNumThreads(options, 1));
    check(api->SetInterOpNumThreads(options, 1));
    check(api->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
    check(api->CreateSession(environment, path, options, &session));
    check(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));

    std::vector<float> encoded(static_cast<std::size_t>(count) * 320);
    std::vector<float> features(static_cast<std::size_t>(count) * 3);
    peers_inputs(what, count, encoded.data(), features.data());
    const auto tensor = [&](float* data, std::size_t size, const std::vector<int64_t>& shape) {
        OrtValue* value = nullptr;
        check(api->CreateTensorWithDataAsOrtValue(memory, data, size * sizeof(float), shape.data(), shape.size(),
                                                  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
        return value;
    };
    double passed_ns = nothing;
    if (good) {
        const std::array<OrtValue*, 2> inputs{tensor(encoded.data(), encoded.size(), {count, 8, 40}),
                                              tensor(features.data(), features.size(), {count, 3})};
        OrtValue* output = tensor(out, static_cast<std::size_t>(count), {count, 1});
        const std::array<const char*, 2> names{"encoded", "features"};
        const char* output_name = "runtime_s";
        const std::size_t from = what == 1 ? 0 : 1;
        const auto run = [&] {
            check(api->Run(session, nullptr, names.data() + from, inputs.data() + from, inputs.size() - from, &output_name,
                           1, &output));
        };
        for (int i = 0; i < 20 && good; ++i) run();
        const double begin = bench::now_ns();
        for (int i = 0; i < repeats && good; ++i) run();
        passed_ns = bench::now_ns() - begin;
        for (OrtValue* each : inputs) api->ReleaseValue(each);
        api->ReleaseValue(output);
    }
    api->ReleaseMemoryInfo(memory);
    api->ReleaseSession(session);
    api->ReleaseSessionOptions(options);
    api->ReleaseEnv(environment);
    return good ? passed_ns / repeats / count : nothing;
}

}  // extern "C"
