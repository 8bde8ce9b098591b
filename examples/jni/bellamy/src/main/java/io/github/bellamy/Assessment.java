package io.github.bellamy;

/** One row of the table behind a decision; immutable. */
public final class Assessment {
  private final int scaleOut;
  private final Prediction predicted;
  private final double probability;
  private final double expectedCost;
  private final Verdict verdict;

  Assessment(int scaleOut, Prediction predicted, double probability, double expectedCost, Verdict verdict) {
    this.scaleOut = scaleOut;
    this.predicted = predicted;
    this.probability = probability;
    this.expectedCost = expectedCost;
    this.verdict = verdict;
  }

  public int scaleOut() {
    return scaleOut;
  }

  public Prediction predicted() {
    return predicted;
  }

  /** Of meeting the deadline or the budget; 1 where neither is asked for. */
  public double probability() {
    return probability;
  }

  /**
   * The least of many uncertain costs is too low: where candidates of several curves are compared by cost, those below the
   * mean are raised towards it, the more the less sure they are. NaN without a price.
   */
  public double expectedCost() {
    return expectedCost;
  }

  public Verdict verdict() {
    return verdict;
  }

  @Override
  public String toString() {
    return String.format("%d: %s, probability %.3f, cost %.2f, %s", scaleOut, predicted, probability, expectedCost, verdict);
  }
}
