package io.github.bellamy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * What is learned of one application, stage by stage; any number of threads may share one. Holds native memory until closed or
 * garbage-collected; forecasts live on without it.
 */
public final class ApplicationModel extends NativeHandle {
  private final String application;
  private final int smallestSeenScaleOut;
  private final int largestSeenScaleOut;

  private ApplicationModel(long address) {
    super(address, Native::applicationFree);
    ByteBuffer about = ByteBuffer.wrap(Native.applicationDescribe(address));
    application = Wire.text(about);
    smallestSeenScaleOut = about.getInt();
    largestSeenScaleOut = about.getInt();
  }

  /**
   * Learns from the runs that succeeded; others are passed over. Takes about 0.1 s for 50 runs and each stage, on each of so many
   * threads, on which the result does not depend. Errors: EMPTY_HISTORY, INVALID_OPTION, and with the number of the run from 0
   * INVALID_TRACE and those of bad properties.
   */
  public static ApplicationModel pretrain(List<ApplicationTrace> history, long seed, int threads) {
    byte[] bytes = Wire.ofTraces(Check.list(history, "traces"));
    Native.require();
    return new ApplicationModel(Native.applicationPretrain(bytes, seed, threads));
  }

  /** Errors: as those of {@link RuntimeModel#load}, and NUMBER_TOO_LARGE. */
  public static ApplicationModel load(Path file) {
    Native.require();
    return new ApplicationModel(Native.applicationLoad(Wire.utf8(Check.present(file, "a file").toString())));
  }

  /** Nothing in the bytes is trusted. Errors: as those of {@link #load}. */
  public static ApplicationModel fromBytes(byte[] bytes) {
    Native.require();
    return new ApplicationModel(Native.applicationFromBytes(Check.present(bytes, "an application's bytes")));
  }

  /** Error: CLOSED. */
  public byte[] toBytes() {
    return use(Native::applicationToBytes);
  }

  /** A failure leaves the file that was there before. Errors: CLOSED, CANNOT_WRITE. */
  public void save(Path file) {
    byte[] path = Wire.utf8(Check.present(file, "a file").toString());
    long address = acquire();
    try {
      Native.applicationSave(address, path);
    } finally {
      release();
    }
  }

  /**
   * The forecast of a run with these properties: one that no run had is left out, one that is missing is not known. Takes up to some
   * milliseconds for each stage. Errors: CLOSED, and those of bad properties.
   */
  public Forecast bind(List<Property> properties) {
    byte[] bytes = Wire.ofProperties(Check.list(properties, "properties"));
    return use(address -> new Forecast(Native.applicationBind(address, bytes)));
  }

  public String application() {
    return application;
  }

  /** Of the runs whose scale-out was known; 1 to 1 where it never was. */
  public int smallestSeenScaleOut() {
    return smallestSeenScaleOut;
  }

  public int largestSeenScaleOut() {
    return largestSeenScaleOut;
  }
}
