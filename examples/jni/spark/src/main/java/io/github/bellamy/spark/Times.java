package io.github.bellamy.spark;

import java.util.Arrays;
import java.util.Locale;

/** What the plugin costs its driver: how long questions took, and CPU time of preparations, questions and callbacks. */
final class Times {
  /** The last so many questions count for the quantiles. */
  private static final int MOST = 10_000;

  private final long[] tookNanos = new long[MOST];
  private int questions;
  long preparingCpuNanos;
  long threadCpuNanos; // without preparations
  long callbackCpuNanos;

  void question(long nanos) {
    tookNanos[questions++ % MOST] = nanos;
  }

  int questions() {
    return questions;
  }

  /** Smallest that so many in a hundred did not exceed; NaN without questions. */
  double quantileMillis(double p) {
    long[] sorted = Arrays.copyOf(tookNanos, Math.min(questions, MOST));
    Arrays.sort(sorted);
    return sorted.length == 0 ? Double.NaN : sorted[Math.min(sorted.length - 1, (int) (p * sorted.length))] / 1e6;
  }

  String words(long driverCpuNanos) {
    double all = (preparingCpuNanos + threadCpuNanos + callbackCpuNanos) / 1e9;
    return String.format(
        Locale.ROOT,
        "%d questions, each %.2f ms (median) and %.2f ms (99%%); CPU: learning and binding %.3f s, questions %.3f s,"
            + " callbacks %.3f s, together %.2f %% of the driver's %.1f s",
        questions,
        quantileMillis(0.5),
        quantileMillis(0.99),
        preparingCpuNanos / 1e9,
        threadCpuNanos / 1e9,
        callbackCpuNanos / 1e9,
        100 * all * 1e9 / driverCpuNanos,
        driverCpuNanos / 1e9);
  }
}
