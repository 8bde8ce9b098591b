// Loads the native library of the jar as a JVM does, and a model by it, on processors for which no JVM is at hand:
// fake_jvm <library> <version> <model>. What loads a model asks it again what it answered when it was saved.
#include <jni.h>

#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace {

// An array of bytes or of stack frames; also stands for what is never looked into.
struct object {
    std::string bytes;
};
std::map<std::string, void*> natives;

jobject as_reference(object& made) { return reinterpret_cast<jobject>(&made); }
std::string& bytes_of(jobject reference) { return reinterpret_cast<object*>(reference)->bytes; }

// A stack of one frame, that of the class with the native methods.
object frames{"1"};
object anything;

[[noreturn]] void refuse(const char* what) {
    std::printf("expected %s\n", what);
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): one thread
}

JNINativeInterface_ functions() {
    JNINativeInterface_ made{};
    made.FindClass = [](JNIEnv*, const char*) { return static_cast<jclass>(as_reference(anything)); };
    made.GetMethodID = [](JNIEnv*, jclass, const char*, const char*) { return reinterpret_cast<jmethodID>(&anything); };
    made.GetStaticMethodID = made.GetMethodID;
    made.NewObjectV = [](JNIEnv*, jclass, jmethodID, va_list) { return as_reference(anything); };
    made.CallObjectMethodV = [](JNIEnv*, jobject, jmethodID, va_list) { return as_reference(frames); };
    made.ExceptionCheck = [](JNIEnv*) { return jboolean{JNI_FALSE}; };
    made.GetArrayLength = [](JNIEnv*, jarray array) { return static_cast<jsize>(bytes_of(array).size()); };
    made.GetObjectArrayElement = [](JNIEnv*, jobjectArray, jsize) { return as_reference(anything); };
    made.GetStringUTFChars = [](JNIEnv*, jstring, jboolean*) { return "io.github.bellamy.Native"; };
    made.ReleaseStringUTFChars = [](JNIEnv*, jstring, const char*) {};
    made.DeleteLocalRef = [](JNIEnv*, jobject) {};
    made.NewByteArray = [](JNIEnv*, jsize size) {
        return static_cast<jbyteArray>(as_reference(*new object{std::string(static_cast<std::size_t>(size), ' ')}));
    };
    made.GetByteArrayRegion = [](JNIEnv*, jbyteArray array, jsize first, jsize count, jbyte* to) {
        std::memcpy(to, bytes_of(array).data() + first, static_cast<std::size_t>(count));
    };
    made.SetByteArrayRegion = [](JNIEnv*, jbyteArray array, jsize first, jsize count, const jbyte* from) {
        std::memcpy(bytes_of(array).data() + first, from, static_cast<std::size_t>(count));
    };
    made.CallStaticObjectMethodV = [](JNIEnv*, jclass, jmethodID, va_list arguments) -> jobject {
        va_arg(arguments, jint);
        refuse(("no refusal, found: " + bytes_of(va_arg(arguments, jobject))).c_str());
    };
    made.RegisterNatives = [](JNIEnv*, jclass, const JNINativeMethod* methods, jint count) {
        for (jint i = 0; i < count; ++i) natives[methods[i].name] = methods[i].fnPtr;
        return jint{JNI_OK};
    };
    return made;
}

template <class Function>
Function* native(const char* name) {
    if (!natives.contains(name)) refuse(name);
    return reinterpret_cast<Function*>(natives[name]);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) refuse("a library, a version and a model");
    static const JNINativeInterface_ table = functions();
    static JNIEnv env{&table};
    JNIInvokeInterface_ invocation{};
    invocation.GetEnv = [](JavaVM*, void** found, jint) {
        *found = &env;
        return jint{JNI_OK};
    };
    JavaVM machine{&invocation};

    void* const library = dlopen(arguments[1], RTLD_NOW);
    if (library == nullptr) refuse(dlerror());  // NOLINT(concurrency-mt-unsafe)
    auto* const load = reinterpret_cast<jint (*)(JavaVM*, void*)>(dlsym(library, "JNI_OnLoad"));
    if (load == nullptr || load(&machine, nullptr) != JNI_VERSION_1_8) refuse("JNI_OnLoad to accept this JVM");

    const auto version = bytes_of(native<jbyteArray(JNIEnv*, jclass)>("version")(&env, nullptr));
    if (version != arguments[2]) refuse(("version " + std::string(arguments[2]) + ", found " + version).c_str());
    object path{arguments[3]};
    const jlong model =
        native<jlong(JNIEnv*, jclass, jbyteArray)>("modelLoad")(&env, nullptr, static_cast<jbyteArray>(as_reference(path)));
    object bytes{bytes_of(native<jbyteArray(JNIEnv*, jclass, jlong)>("modelToBytes")(&env, nullptr, model))};
    native<void(JNIEnv*, jclass, jlong)>("modelFree")(&env, nullptr, model);
    std::printf("version %s, %zu native methods, a model of %zu bytes\n", version.c_str(), natives.size(),
                bytes.bytes.size());
}
