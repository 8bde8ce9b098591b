package io.github.bellamy.bench;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.github.bellamy.Context;
import io.github.bellamy.Curve;
import io.github.bellamy.Property;
import io.github.bellamy.Run;
import io.github.bellamy.RuntimeModel;
import io.github.bellamy.ScaleOutUnit;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a call from Java costs, and how that compares with ONNX Runtime's Java API on the same network: contenders take turns, a round
 * is at least 20 ms each, and medians over 31 rounds of the thread's CPU time are printed with the quartiles. Both run in one thread,
 * ONNX Runtime on tensors that were made before and into one that is there already.
 */
public final class OnnxComparison {
  private static final int ROUNDS = 31;
  private static final int BATCH = 1024;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private OnnxComparison() {}

  /** Something to repeat; the sum of its answers keeps the compiler from leaving it out. */
  private interface Call {
    double once(int i) throws OrtException;
  }

  private static double sink;

  public static void main(String[] arguments) throws IOException, OrtException {
    Path folder = Paths.get(arguments[0]);
    FloatBuffer features = direct(3 * BATCH);
    features.put(ByteBuffer.wrap(Files.readAllBytes(folder.resolve("features.bin"))).order(ByteOrder.nativeOrder()).asFloatBuffer());
    features.rewind();
    FloatBuffer ours = direct(BATCH);
    FloatBuffer theirs = direct(BATCH);
    FloatBuffer theirsOne = direct(1);
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    OrtSession.SessionOptions options = new OrtSession.SessionOptions();
    options.setIntraOpNumThreads(1);
    options.setInterOpNumThreads(1);
    try (RuntimeModel network = RuntimeModel.load(folder.resolve("network.bellamy"));
        Curve curve = network.bind(job());
        RuntimeModel general = RuntimeModel.pretrain(history(), "made-up", 0);
        Curve blend = general.bind(context(35));
        OrtSession session = environment.createSession(folder.resolve("folded.onnx").toString(), options);
        OnnxTensor many = OnnxTensor.createTensor(environment, features, new long[] {BATCH, 3});
        OnnxTensor manyAnswers = OnnxTensor.createTensor(environment, theirs, new long[] {BATCH, 1});
        OnnxTensor one = OnnxTensor.createTensor(environment, slice(features, 3), new long[] {1, 3});
        OnnxTensor oneAnswer = OnnxTensor.createTensor(environment, theirsOne, new long[] {1, 1})) {
      Map<String, OnnxTensor> manyIn = Map.of("features", many);
      Map<String, OnnxTensor> manyOut = Map.of("runtime_s", manyAnswers);
      Map<String, OnnxTensor> oneIn = Map.of("features", one);
      Map<String, OnnxTensor> oneOut = Map.of("runtime_s", oneAnswer);
      Map<String, Call> calls = new LinkedHashMap<>();
      FloatBuffer none = direct(0);
      calls.put(
          "crossing over and back",
          i -> {
            curve.mediansSeconds(1, none);
            return 0;
          });
      calls.put("bellamy, network, 1 scale-out", i -> curve.medianSeconds(1 + i % 12));
      calls.put(
          "ONNX Runtime, network, 1 scale-out",
          i -> {
            session.run(oneIn, Set.of(), oneOut).close();
            return theirsOne.get(0);
          });
      calls.put(
          "bellamy, network, 1024 scale-outs",
          i -> {
            curve.mediansSeconds(1, ours);
            return ours.get(i % BATCH);
          });
      calls.put(
          "ONNX Runtime, network, 1024 scale-outs",
          i -> {
            session.run(manyIn, Set.of(), manyOut).close();
            return theirs.get(i % BATCH);
          });
      calls.put("bellamy, best mode, one quantile", i -> blend.quantileSeconds(1 + i % 12, 0.9));
      calls.put("bellamy, best mode, Prediction", i -> blend.at(1 + i % 12).medianSeconds());

      for (Call each : calls.values()) {
        each.once(0);
      }
      requireSameAnswers(ours, theirs);
      print(measure(calls));
    }
    if (Double.isNaN(sink)) {
      throw new IllegalStateException("expected numbers");
    }
  }

  private static void requireSameAnswers(FloatBuffer ours, FloatBuffer theirs) {
    for (int i = 0; i < BATCH; i++) {
      // Sums in another order, of numbers of 24 bits.
      if (!(Math.abs(ours.get(i) - theirs.get(i)) <= 1e-4 * (1 + Math.abs(theirs.get(i))))) {
        throw new IllegalStateException("at " + (1 + i) + ": ours " + ours.get(i) + ", theirs " + theirs.get(i));
      }
    }
  }

  private static Map<String, double[]> measure(Map<String, Call> calls) throws OrtException {
    Map<String, double[]> nanoseconds = new LinkedHashMap<>();
    Map<String, Integer> repeats = new LinkedHashMap<>();
    for (Map.Entry<String, Call> each : calls.entrySet()) {
      nanoseconds.put(each.getKey(), new double[ROUNDS]);
      repeats.put(each.getKey(), repeatsOf(each.getValue()));
    }
    for (int round = 0; round < ROUNDS; round++) {
      for (Map.Entry<String, Call> each : calls.entrySet()) {
        int times = repeats.get(each.getKey());
        nanoseconds.get(each.getKey())[round] = (double) cpuNanoseconds(each.getValue(), times) / times;
      }
    }
    return nanoseconds;
  }

  // As many as take 20 ms, once the JIT compilers are done.
  private static int repeatsOf(Call call) throws OrtException {
    for (int i = 0; i < 20; i++) {
      cpuNanoseconds(call, 1000);
    }
    int repeats = 64;
    while (cpuNanoseconds(call, repeats) < 20_000_000) {
      repeats *= 2;
    }
    return repeats;
  }

  private static long cpuNanoseconds(Call call, int repeats) throws OrtException {
    long begin = THREADS.getCurrentThreadCpuTime();
    double sum = 0;
    for (int i = 0; i < repeats; i++) {
      sum += call.once(i);
    }
    sink += sum;
    return THREADS.getCurrentThreadCpuTime() - begin;
  }

  private static void print(Map<String, double[]> nanoseconds) {
    nanoseconds.forEach((name, found) -> System.out.printf("%-40s %s ns%n", name, quartiles(found)));
    for (String size : List.of("1 scale-out", "1024 scale-outs")) {
      double[] ratios = new double[ROUNDS];
      Arrays.setAll(
          ratios,
          i -> nanoseconds.get("ONNX Runtime, network, " + size)[i] / nanoseconds.get("bellamy, network, " + size)[i]);
      System.out.printf("%-40s %s%n", "ONNX Runtime / bellamy, " + size, quartiles(ratios));
    }
  }

  private static String quartiles(double[] found) {
    double[] sorted = found.clone();
    Arrays.sort(sorted);
    int n = sorted.length;
    return String.format("%10.1f (%.1f to %.1f)", sorted[n / 2], sorted[n / 4], sorted[3 * n / 4]);
  }

  private static FloatBuffer direct(int count) {
    return ByteBuffer.allocateDirect(4 * count).order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  private static FloatBuffer slice(FloatBuffer from, int count) {
    FloatBuffer part = from.duplicate();
    part.limit(count);
    return part.slice();
  }

  // As export_network.cpp has it.
  private static Context job() {
    long size = 9000 + 977 * 13;
    return new Context(
        List.of(
            Property.text("machine_type", "m4.2xlarge"),
            Property.text("job_args", "25"),
            Property.natural("data_size_MB", size),
            Property.text("data_characteristics", "100 " + size * 10),
            Property.text("environment", "public cloud aws emr")),
        List.of(Property.text("job_type", "sort-spark"), Property.natural("memory", 30000), Property.natural("slots", 8)),
        ScaleOutUnit.NODE);
  }

  private static Context context(long sizeGb) {
    return new Context(List.of(Property.natural("size_gb", sizeGb)), List.of(), ScaleOutUnit.NODE);
  }

  private static List<Run> history() {
    List<Run> runs = new ArrayList<>();
    for (int size = 10; size <= 60; size += 10) {
      for (int x = 2; x <= 12; x += 2) {
        runs.add(new Run(context(size), x, 20 + 4.0 * size / x));
      }
    }
    return runs;
  }
}
