package io.github.bellamy;

/**
 * How far runs lie from what a model predicted. Deviates are the normal ones of the predicted probability to take at most as long: of
 * mean 0 and mean square 1 where the model still fits. Immutable.
 */
public final class Drift {
  private final double[] numbers;

  Drift(double[] numbers) {
    this.numbers = numbers;
  }

  /** Runs looked at; those that were killed are left out. */
  public int runs() {
    return (int) numbers[0];
  }

  /** Positive: slower than predicted. */
  public double meanDeviate() {
    return numbers[1];
  }

  public double meanSquareDeviate() {
    return numbers[2];
  }

  /** That runs of a model that fits deviate as much or more. Small: they fit no longer, so learn anew from the runs since. */
  public double probability() {
    return numbers[3];
  }

  /**
   * Median of what the runs took, relative to what the model alone predicts. Where every run is a context of its own, learn from the
   * older runs times this factor and from the recent ones.
   */
  public double factor() {
    return numbers[4];
  }

  @Override
  public String toString() {
    return String.format(
        java.util.Locale.ROOT, "%d runs, on average %+.1f standard deviations off, probability %.3g", runs(), meanDeviate(), probability());
  }
}
