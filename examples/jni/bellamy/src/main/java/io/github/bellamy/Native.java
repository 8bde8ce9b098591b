package io.github.bellamy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The native methods, and how their library is found: the file that the system property {@code bellamy.native.library} names,
 * without any other try, or else the one in the jar. That is copied to the directory {@code bellamy.native.directory}, by default
 * the system's for temporary files, under a name of its own, so that class loaders, processes and versions do not share a file; it
 * is deleted once loaded.
 */
final class Native {
  static final String LIBRARY_PROPERTY = "bellamy.native.library";
  static final String DIRECTORY_PROPERTY = "bellamy.native.directory";
  static final String VERSION = "0.1.0";

  /** Numbers that stand for a prediction. */
  static final int PREDICTION_NUMBERS = 20;

  // Kept, not thrown, so that every later use is refused with the same sentence instead of a NoClassDefFoundError.
  private static final BellamyException FAILURE = load();

  private Native() {}

  /** To be called before any native method. */
  static void require() {
    if (FAILURE != null) {
      throw new BellamyException(FAILURE);
    }
  }

  private static BellamyException load() {
    try {
      String override = System.getProperty(LIBRARY_PROPERTY);
      if (override != null) {
        loadFile(Paths.get(override).toAbsolutePath(), LIBRARY_PROPERTY);
      } else {
        loadFromJar();
      }
      return null;
    } catch (BellamyException failed) {
      return failed;
    } catch (IOException | RuntimeException failed) {
      return new BellamyException(
          ErrorCode.NATIVE_LIBRARY,
          "expected to copy the native library to "
              + directory()
              + ", found: "
              + failed
              + "; -D"
              + DIRECTORY_PROPERTY
              + "=DIRECTORY names another directory",
          failed);
    }
  }

  private static void loadFromJar() throws IOException {
    String platform = platform();
    String resource = resource(platform);
    try (InputStream library = Native.class.getResourceAsStream(resource)) {
      if (library == null) {
        throw new BellamyException(
            ErrorCode.NATIVE_LIBRARY,
            "expected a native library for " + platform + " in the jar, found " + platformsInJar()
                + "; build it there, or name one with -D" + LIBRARY_PROPERTY + "=FILE");
      }
      Path copy = directory().resolve(UUID.randomUUID() + "-" + Paths.get(resource).getFileName());
      try {
        Files.copy(library, copy);
        loadFile(copy, DIRECTORY_PROPERTY);
      } finally {
        delete(copy);
      }
    }
  }

  private static void loadFile(Path file, String property) {
    try {
      // Here and not in a helper class: the library registers its methods with the class that calls this.
      System.load(file.toString());
      String found = text(version());
      if (!found.equals(VERSION)) {
        throw new BellamyException(
            ErrorCode.NATIVE_LIBRARY, "expected a native library of version " + VERSION + " in " + file + ", found " + found);
      }
    } catch (UnsatisfiedLinkError failed) {
      throw new BellamyException(
          ErrorCode.NATIVE_LIBRARY,
          "expected a library that can be loaded in " + file + ", found: " + failed.getMessage()
              + (Files.exists(file) ? " (is its directory mounted noexec?)" : "") + "; -D" + property + " names another place",
          failed);
    }
  }

  private static void delete(Path copy) throws IOException {
    try {
      Files.deleteIfExists(copy);
    } catch (IOException stillLoaded) { // Windows
      copy.toFile().deleteOnExit();
    }
  }

  private static Path directory() {
    return Paths.get(System.getProperty(DIRECTORY_PROPERTY, System.getProperty("java.io.tmpdir")));
  }

  private static String platform() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return (system.startsWith("windows") ? "windows" : system.startsWith("mac") ? "macos" : system)
        + "-"
        + (processor.equals("amd64") ? "x86_64" : processor.equals("arm64") ? "aarch64" : processor);
  }

  /** Where the jar has the library of a platform. */
  private static String resource(String platform) {
    String name = "bellamy_jni-" + VERSION;
    return "native/" + platform + "/"
        + (platform.startsWith("windows") ? name + ".dll" : "lib" + name + (platform.startsWith("macos") ? ".dylib" : ".so"));
  }

  /** Platforms for which a library can be built, as far as the jar has theirs: a jar's folders cannot be listed everywhere. */
  private static String platformsInJar() {
    String found =
        Stream.of("linux-x86_64", "linux-aarch64", "macos-x86_64", "macos-aarch64", "windows-x86_64")
            .filter(platform -> Native.class.getResource(resource(platform)) != null)
            .collect(Collectors.joining(", "));
    return found.isEmpty() ? "none" : found;
  }

  static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /** Called by the native side, which knows no other name of ours. */
  static RuntimeException failure(int code, byte[] message) {
    return new BellamyException(ErrorCode.of(code), text(message));
  }

  static native byte[] version();

  static native byte[] nameOf(int enumeration, int value);

  static native long modelFromBytes(byte[] bytes);

  static native long modelLoad(byte[] path);

  static native byte[] modelToBytes(long model);

  static native void modelSave(long model, byte[] path);

  static native long modelPretrain(byte[] runs, byte[] algorithm, long seed);

  static native long modelColdStart(byte[] example, byte[] algorithm);

  static native long modelCondition(long model, byte[] runs);

  static native long modelLearn(long model, byte[] history);

  static native void modelDrift(long model, byte[] runs, double[] drift);

  static native byte[] modelImprobableRuns(long model);

  static native byte[] modelDescribe(long model);

  static native long modelBind(long model, byte[] context, boolean nonIncreasing);

  static native void modelQuantiles(long model, byte[] contexts, int[] scaleOuts, double probability, double[] runtimeSeconds);

  static native long modelRetain(long model);

  static native void modelFree(long model);

  static native double predictionQuantile(double[] prediction, double probability);

  static native double predictionProbability(double[] prediction, double limitSeconds);

  static native void curveAt(long curve, int scaleOut, double[] prediction);

  static native double curveQuantile(long curve, int scaleOut, double probability);

  static native void curveQuantiles(long curve, int[] scaleOuts, double probability, double[] runtimeSeconds);

  static native void curveMedians(long curve, int first, FloatBuffer direct, int position, int count);

  static native void curveFree(long curve);

  static native void choose(
      long[] curves,
      int[] scaleOuts,
      double[] prices,
      int goal,
      double deadlineSeconds,
      double budget,
      double probability,
      double costOfMissing,
      double[] answer);

  static native long explorationPriorLearn(byte[] jobs);

  static native void explorationPriorFree(long prior);

  static native void explore(
      byte[] contexts,
      int[] scaleOuts,
      double[] prices,
      byte[] runs,
      long prior,
      int goal,
      double[] request,
      int trials,
      double[] answer);

  static native long applicationPretrain(byte[] traces, long seed, int threads);

  static native long applicationLoad(byte[] path);

  static native long applicationFromBytes(byte[] bytes);

  static native byte[] applicationToBytes(long application);

  static native void applicationSave(long application, byte[] path);

  static native byte[] applicationDescribe(long application);

  static native long applicationBind(long application, byte[] properties);

  static native void applicationFree(long application);

  static native long forecastObserve(long forecast, byte[] trace);

  static native byte[] forecastDescribe(long forecast);

  static native void forecastAt(long forecast, int part, int job, int stage, int scaleOut, double[] prediction);

  static native void forecastRescale(
      long forecast, int[] scaleOuts, double[] price, double[] request, int scaleOut, double[] answer);

  static native void forecastFree(long forecast);
}
