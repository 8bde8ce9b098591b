package io.github.bellamy;

import java.nio.ByteBuffer;

/** An outlier among runs, improbable with a probability of 0.95: a straggler, or a wrong record. Immutable. */
public final class ImprobableRun {
  private final int run;
  private final double foundSeconds;
  private final double expectedSeconds;

  ImprobableRun(ByteBuffer from) {
    run = from.getInt();
    foundSeconds = from.getDouble();
    expectedSeconds = from.getDouble();
  }

  /** Its number, from 0. */
  public int run() {
    return run;
  }

  public double foundSeconds() {
    return foundSeconds;
  }

  /** Median of what the other runs let expect. */
  public double expectedSeconds() {
    return expectedSeconds;
  }

  @Override
  public String toString() {
    return String.format(
        java.util.Locale.ROOT, "run %d: expected about %.4g s, found %.4g s", run, expectedSeconds, foundSeconds);
  }
}
