package io.github.bellamy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A runtime model of one algorithm: learning returns a new one, and any number of threads may share one. Holds native memory until
 * closed or garbage-collected; curves that were bound live on without it.
 */
public final class RuntimeModel extends NativeHandle {
  /** What the native side tells about a model. */
  private static final class Description {
    final Schema schema;
    final String algorithm;
    final int runs;
    final int contexts;
    final int observedRuns;
    final int smallestSeenScaleOut;
    final int largestSeenScaleOut;
    final String kind;

    Description(ByteBuffer from) {
      schema = new Schema(from);
      algorithm = Wire.text(from);
      runs = from.getInt();
      contexts = from.getInt();
      observedRuns = from.getInt();
      smallestSeenScaleOut = from.getInt();
      largestSeenScaleOut = from.getInt();
      kind = Wire.text(from);
    }
  }

  private final Description about;

  RuntimeModel(long address) {
    super(address, Native::modelFree);
    about = new Description(ByteBuffer.wrap(Native.modelDescribe(address)));
  }

  private RuntimeModel(long address, Description about) {
    super(address, Native::modelFree);
    this.about = about;
  }

  /** The same model, to be closed by itself. Error: CLOSED. */
  RuntimeModel share() {
    return use(address -> new RuntimeModel(Native.modelRetain(address), about));
  }

  /**
   * Errors: CANNOT_READ, NOT_A_MODEL, UNSUPPORTED_VERSION, TRUNCATED, CORRUPTED, INVALID_MODEL, NATIVE_LIBRARY, and SELF_TEST_FAILED
   * where this machine answers otherwise than the one that saved it.
   */
  public static RuntimeModel load(Path file) {
    Native.require();
    return new RuntimeModel(Native.modelLoad(Wire.utf8(Check.present(file, "a file").toString())));
  }

  /** Nothing in the bytes is trusted. Errors: as those of {@link #load}. */
  public static RuntimeModel fromBytes(byte[] bytes) {
    Native.require();
    return new RuntimeModel(Native.modelFromBytes(Check.present(bytes, "a model's bytes")));
  }

  /**
   * Learns from the runs of at least two contexts; the same runs and seed give the same bytes. Errors: EMPTY_HISTORY,
   * SINGLE_CONTEXT, TRAINING_DIVERGED, and, with the number of the run from 0, what is wrong with it.
   */
  public static RuntimeModel pretrain(List<Run> history, String algorithm, long seed) {
    Native.require();
    return new RuntimeModel(
        Native.modelPretrain(
            Wire.ofRuns(Check.list(history, "runs")), Wire.utf8(Check.present(algorithm, "an algorithm's name")), seed));
  }

  /**
   * A model without any history of its algorithm, for contexts with the properties of the example: it knows the shapes of other
   * jobs' curves, and waits for a first run to condition it on. Errors: what is wrong with the example.
   */
  public static RuntimeModel coldStart(Context example, String algorithm) {
    Native.require();
    return new RuntimeModel(
        Native.modelColdStart(
            Wire.of(Check.present(example, "an example")), Wire.utf8(Check.present(algorithm, "an algorithm's name"))));
  }

  /** Error: CLOSED. */
  public byte[] toBytes() {
    return use(Native::modelToBytes);
  }

  /** A failure leaves the file that was there before. Errors: CLOSED, CANNOT_WRITE. */
  public void save(Path file) {
    byte[] path = Wire.utf8(Check.present(file, "a file").toString());
    long address = acquire();
    try {
      Native.modelSave(address, path);
    } finally {
      release();
    }
  }

  /**
   * A new model that has seen these runs as well. Errors: CLOSED, NOT_CONDITIONABLE for a network, and, with its number from 0,
   * a wrong run's.
   */
  public RuntimeModel condition(List<Run> observed) {
    byte[] bytes = Wire.ofRuns(Check.list(observed, "runs"));
    return use(address -> new RuntimeModel(Native.modelCondition(address, bytes)));
  }

  /**
   * A model of the whole history, which begins as this one's did and has the runs since then: as {@link #pretrain}, within noise,
   * in a small fraction of its time, since hyper-parameters stay what they were where this model has enough runs and no text has a new
   * value. Errors: those of {@link #pretrain}; CLOSED, NOT_CONDITIONABLE for a network.
   */
  public RuntimeModel learn(List<Run> history) {
    byte[] bytes = Wire.ofRuns(Check.list(history, "runs"));
    return use(address -> new RuntimeModel(Native.modelLearn(address, bytes)));
  }

  /**
   * How far these runs, in the order in which they happened, lie from what the model predicts: whether the job has changed.
   * About a millisecond for each. Errors: those of {@link #condition}.
   */
  public Drift drift(List<Run> recent) {
    byte[] bytes = Wire.ofRuns(Check.list(recent, "runs"));
    double[] numbers = new double[5];
    long address = acquire();
    try {
      Native.modelDrift(address, bytes, numbers);
    } finally {
      release();
    }
    return new Drift(numbers);
  }

  /**
   * Stragglers and wrong records, such as a run in milliseconds: of the history, where {@link #pretrain} returned this very model (one
   * that was loaded does not know) and had three contexts or more (of more than 180 configurations it looks at a sample); of all
   * runs that it was conditioned on, in their order, where there are some. About a millisecond for each of these. Errors: CLOSED,
   * NOT_CONDITIONABLE for a network.
   */
  public List<ImprobableRun> improbableRuns() {
    ByteBuffer from = ByteBuffer.wrap(use(Native::modelImprobableRuns));
    List<ImprobableRun> all = new ArrayList<>();
    while (from.hasRemaining()) {
      all.add(new ImprobableRun(from));
    }
    return Collections.unmodifiableList(all);
  }

  /** The runtimes of a context. Errors: CLOSED, and what does not fit the model's schema. */
  public Curve bind(Context context) {
    return bind(context, false);
  }

  /** The same where median runtimes may not increase with the scale-out, up to the turning point that the data support. */
  public Curve bind(Context context, boolean nonIncreasing) {
    byte[] bytes = Wire.of(Check.present(context, "a context"));
    return use(address -> new Curve(Native.modelBind(address, bytes, nonIncreasing)));
  }

  /**
   * One quantile each, in seconds, of many contexts: the i-th at the i-th scale-out; NaN unless 0 &lt; p &lt; 1. Errors: CLOSED,
   * INVALID_ARGUMENT where the lengths differ, and, with its number from 0, what is wrong with a context or a scale-out.
   */
  public void quantilesSeconds(List<Context> contexts, int[] scaleOuts, double p, double[] runtimeSeconds) {
    List<Context> asked = Check.list(contexts, "contexts");
    Check.sizes(asked.size(), "contexts", Check.present(scaleOuts, "scale-outs").length, "the scale-outs");
    Check.sizes(
        asked.size(), "runtimes", Check.present(runtimeSeconds, "an array for the runtimes").length, "the array");
    byte[] bytes = Wire.ofContexts(asked);
    long address = acquire();
    try {
      Native.modelQuantiles(address, bytes, scaleOuts, p, runtimeSeconds);
    } finally {
      release();
    }
  }

  public Schema schema() {
    return about.schema;
  }

  public String algorithm() {
    return about.algorithm;
  }

  /** Runs of the history that it was trained on. */
  public int runs() {
    return about.runs;
  }

  /** Contexts of that history. */
  public int contexts() {
    return about.contexts;
  }

  /** Runs that it was conditioned on. */
  public int observedRuns() {
    return about.observedRuns;
  }

  public int smallestSeenScaleOut() {
    return about.smallestSeenScaleOut;
  }

  public int largestSeenScaleOut() {
    return about.largestSeenScaleOut;
  }

  /** What answers inside, in words. */
  public String kind() {
    return about.kind;
  }
}
