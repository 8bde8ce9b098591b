package io.github.bellamy;

/** Predicted runtime at one scale-out, how sure that is, and what the caller should know about it; an immutable value. */
public final class Prediction {
  private final double[] numbers;

  Prediction(double[] numbers) {
    this.numbers = numbers;
  }

  /** The runtime in seconds that is as likely to be exceeded as not; NaN where the question was not valid. */
  public double medianSeconds() {
    return numbers[0];
  }

  /** The runtime in seconds that is exceeded with probability 1 - p; NaN unless 0 &lt; p &lt; 1. */
  public double quantileSeconds(double p) {
    return Native.predictionQuantile(numbers, p);
  }

  /** Probability that the run takes at most that many seconds. */
  public double probabilityWithin(double limitSeconds) {
    return Native.predictionProbability(numbers, limitSeconds);
  }

  /** Runs of this very context that the answer rests on. */
  public int observedRuns() {
    return (int) numbers[1];
  }

  /** The scale-out lies outside those seen: the answer is an extrapolation. */
  public boolean outsideSeenScaleOuts() {
    return flag(1);
  }

  /** The data size lies below or above every one of the history (best mode, cold start): an extrapolation over data size. */
  public boolean outsideSeenDataSizes() {
    return flag(32);
  }

  /**
   * The context has a text that no run of the history had, or a number far from theirs. After a cold start: no run of it was
   * observed, and of those that ended and differ in their data size alone, none has at least half, or none has at most twice
   * its size.
   */
  public boolean unlikeAnySeenContext() {
    return flag(2);
  }

  /** Runs of this context at one scale-out differ by more than a factor of two. */
  public boolean contradictoryObservedRuns() {
    return flag(4);
  }

  /** Only the median is known, and taken for certain. */
  public boolean isPoint() {
    return flag(8);
  }

  /** Whether this can be a runtime: finite and greater than zero. What is not usable is never chosen. */
  public boolean usable() {
    return numbers[0] > 0 && numbers[0] <= Double.MAX_VALUE;
  }

  @Override
  public String toString() {
    return String.format("%.1f s (90%%: %.1f to %.1f)", medianSeconds(), quantileSeconds(0.05), quantileSeconds(0.95));
  }

  private boolean flag(int bit) {
    return ((int) numbers[2] & bit) != 0;
  }
}
