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

  @Override
  public String toString() {
    return String.format(
        java.util.Locale.ROOT, "%d runs, mean deviate %.2f, probability %.3g", runs(), meanDeviate(), probability());
  }
}
