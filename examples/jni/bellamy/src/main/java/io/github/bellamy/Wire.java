package io.github.bellamy;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** Contexts, runs and traces as bytes for the native side: numbers big-endian, texts in UTF-8 between their length and a zero byte. */
final class Wire {
  private byte[] bytes = new byte[256];
  private int size;

  static byte[] of(Context context) {
    return new Wire().put(context).toBytes();
  }

  static byte[] ofContexts(Collection<Context> contexts) {
    Wire all = new Wire();
    contexts.forEach(all::put);
    return all.toBytes();
  }

  static byte[] ofRuns(List<Run> runs) {
    return new Wire().putRuns(runs).toBytes();
  }

  static byte[] ofJobs(List<List<Run>> jobs) {
    Wire all = new Wire().putInt(jobs.size());
    jobs.forEach(all::putRuns);
    return all.toBytes();
  }

  private Wire putRuns(List<Run> runs) {
    putInt(runs.size());
    for (Run each : runs) {
      put(each.context())
          .putInt(each.scaleOut())
          .putDouble(each.runtimeSeconds())
          .putByte(each.censored() ? 1 : 0)
          .putDouble(each.weight())
          .putDouble(each.startedAtSeconds());
    }
    return this;
  }

  static byte[] ofProperties(List<Property> properties) {
    return new Wire().put(properties).toBytes();
  }

  static byte[] of(ApplicationTrace trace) {
    return new Wire().put(trace).toBytes();
  }

  static byte[] ofTraces(List<ApplicationTrace> traces) {
    Wire all = new Wire().putInt(traces.size());
    traces.forEach(all::put);
    return all.toBytes();
  }

  /** Not {@code getBytes}, which would repair what is no text. A zero character is refused: it ends a text of C. */
  static byte[] utf8(String text) {
    if (text.indexOf('\0') >= 0) {
      throw new BellamyException(ErrorCode.INVALID_TEXT, "expected text without zero characters, found one");
    }
    try {
      ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      return copy;
    } catch (CharacterCodingException unpaired) {
      throw new BellamyException(ErrorCode.INVALID_TEXT, "expected Unicode text, found an unpaired surrogate", unpaired);
    }
  }

  static String text(ByteBuffer from) {
    byte[] bytes = new byte[from.getInt()];
    from.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private Wire put(Context context) {
    for (List<Property> list : List.of(context.essential(), context.optional())) {
      put(list);
    }
    return putByte(context.unit().ordinal());
  }

  private Wire put(List<Property> properties) {
    putInt(properties.size());
    properties.forEach(this::put);
    return this;
  }

  private Wire put(ApplicationTrace trace) {
    putText(trace.application()).putText(trace.run()).putByte(trace.unit().ordinal()).put(trace.properties());
    putInt(trace.scaleOut().size());
    trace.scaleOut().forEach(each -> putDouble(each.atSeconds()).putInt(each.scaleOut()));
    putInt(trace.jobs().size());
    trace.jobs().forEach(this::put);
    return putDouble(trace.runtimeSeconds()).putByte(trace.outcome().ordinal());
  }

  private void put(JobTrace job) {
    putLong(job.id()).putDouble(job.submittedSeconds()).putDouble(job.completedSeconds()).putByte(job.outcome().ordinal());
    putInt(job.stages().size());
    job.stages().forEach(this::put);
  }

  private void put(StageTrace stage) {
    putLong(stage.id).putLong(stage.attempt).putText(stage.name).putInt(stage.parents.length);
    for (long each : stage.parents) {
      putLong(each);
    }
    putLong(stage.tasks).putDouble(stage.submittedSeconds).putDouble(stage.completedSeconds).putByte(stage.outcome.ordinal());
    putInt(stage.startScaleOut).putInt(stage.endScaleOut).putInt(stage.taskSeconds.length);
    for (double each : stage.taskSeconds) {
      putDouble(each);
    }
    putLong(stage.firstWave);
  }

  private void put(Property property) {
    putText(property.name()).putByte(property.kind().ordinal());
    switch (property.kind()) {
      case TEXT:
        putText((String) property.value());
        break;
      case NATURAL:
        putLong((Long) property.value());
        break;
      case QUANTITY:
        putDouble((Double) property.value());
        break;
      default:
        break;
    }
    putByte(property.role().ordinal()).putByte(property.scalesWithScaleOut() ? 1 : 0);
  }

  private Wire putText(String text) {
    byte[] utf8 = utf8(text);
    putInt(utf8.length);
    int at = grow(utf8.length);
    System.arraycopy(utf8, 0, bytes, at, utf8.length);
    return putByte(0);
  }

  private Wire putByte(int value) {
    int at = grow(1);
    bytes[at] = (byte) value;
    return this;
  }

  private Wire putInt(int value) {
    int at = grow(Integer.BYTES);
    for (int i = 0; i < Integer.BYTES; i++) {
      bytes[at + i] = (byte) (value >>> 8 * (Integer.BYTES - 1 - i));
    }
    return this;
  }

  private Wire putLong(long value) {
    return putInt((int) (value >>> 32)).putInt((int) value);
  }

  private Wire putDouble(double value) {
    return putLong(Double.doubleToRawLongBits(value));
  }

  /** Returns where so many bytes begin. */
  private int grow(int by) {
    int at = size;
    size = Math.addExact(size, by);
    if (size > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.max(size, Math.min(2L * bytes.length, Integer.MAX_VALUE - 8)));
    }
    return at;
  }

  private byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }
}
