// Sessions of ONNX Runtime, through its C interface as a scheduler would call it. The header is enough to build: the
// library, which its Python package carries, is opened when it is named.
#ifndef BELLAMY_BENCH_SUPPORT_ONNX_RUNTIME_HPP
#define BELLAMY_BENCH_SUPPORT_ONNX_RUNTIME_HPP

#include <dlfcn.h>
#include <onnxruntime_c_api.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "../../examples/support/tool_error.hpp"

namespace bench {

/// One thread, all optimisations, one environment for all sessions. An arena would keep a megabyte for each session and
/// answer no faster. Errors: onnx_runtime_failed.
class onnx_runtime {
public:
    explicit onnx_runtime(const std::string& library) {
        void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (opened == nullptr) fail("expected a library at " + library + ", found none that opens");
        const auto base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(opened, "OrtGetApiBase"));
        if (base != nullptr) api_ = base()->GetApi(ORT_API_VERSION);
        if (api_ == nullptr) fail("expected ONNX Runtime, of the header's version or newer, at " + library);
        check(api_->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "tenants", &environment_));
        check(api_->CreateSessionOptions(&options_));
        check(api_->SetIntraOpNumThreads(options_, 1));
        check(api_->SetInterOpNumThreads(options_, 1));
        check(api_->SetSessionGraphOptimizationLevel(options_, ORT_ENABLE_ALL));
        check(api_->DisableCpuMemArena(options_));
        check(api_->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory_));
    }
    onnx_runtime(const onnx_runtime&) = delete;
    onnx_runtime& operator=(const onnx_runtime&) = delete;
    ~onnx_runtime() {
        api_->ReleaseMemoryInfo(memory_);
        api_->ReleaseSessionOptions(options_);
        api_->ReleaseEnv(environment_);
    }

    struct closing {
        const OrtApi* api;
        void operator()(OrtSession* session) const { api->ReleaseSession(session); }
        void operator()(OrtValue* value) const { api->ReleaseValue(value); }
    };
    using session = std::unique_ptr<OrtSession, closing>;

    [[nodiscard]] session load(const std::string& path) const {
        OrtSession* made = nullptr;
        check(api_->CreateSession(environment_, path.c_str(), options_, &made));
        return {made, closing{api_}};
    }
    /// From `encoded` and `features` to `runtime_s`.
    void run(OrtSession* of, std::span<float> encoded, std::array<std::int64_t, 3> encoded_shape, std::span<float> features,
             std::array<std::int64_t, 3> features_shape, std::span<float> runtime_s) const {
        const auto codes = tensor(encoded, encoded_shape);
        const auto scale_outs = tensor(features, features_shape);
        const auto answers = tensor(runtime_s, {features_shape[0], features_shape[1], 1});
        const std::array<const char*, 2> names{"encoded", "features"};
        const std::array<const OrtValue*, 2> given{codes.get(), scale_outs.get()};
        const char* const answer_name = "runtime_s";
        OrtValue* answer = answers.get();
        check(api_->Run(of, nullptr, names.data(), given.data(), given.size(), &answer_name, 1, &answer));
    }

private:
    using value = std::unique_ptr<OrtValue, closing>;

    [[noreturn]] static void fail(const std::string& why) { throw tools::tool_error("onnx_runtime_failed", why); }
    void check(OrtStatus* status) const {
        if (status == nullptr) return;
        const std::string why = api_->GetErrorMessage(status);
        api_->ReleaseStatus(status);
        fail(why);
    }
    [[nodiscard]] value tensor(std::span<float> numbers, std::array<std::int64_t, 3> shape) const {
        OrtValue* made = nullptr;
        check(api_->CreateTensorWithDataAsOrtValue(memory_, numbers.data(), numbers.size_bytes(), shape.data(), shape.size(),
                                                   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &made));
        return {made, closing{api_}};
    }

    const OrtApi* api_ = nullptr;
    OrtEnv* environment_ = nullptr;
    OrtSessionOptions* options_ = nullptr;
    OrtMemoryInfo* memory_ = nullptr;
};

}  // namespace bench

#endif
