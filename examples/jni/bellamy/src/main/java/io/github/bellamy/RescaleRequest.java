package io.github.bellamy;

/** Where a running application stands and what is wanted of it; immutable. */
public final class RescaleRequest {
  final double deadlineSeconds;
  final double elapsedSeconds;
  final double probability;
  final double costOfChange;
  final double costOfMissing;
  final int scaleOut;

  /**
   * @param deadlineSeconds from the start of the run to its end
   * @param elapsedSeconds since the start of the run
   * @param probability with which the deadline must be met
   * @param scaleOut that it has now
   */
  public RescaleRequest(double deadlineSeconds, double elapsedSeconds, double probability, int scaleOut) {
    this(deadlineSeconds, elapsedSeconds, probability, scaleOut, 0, 0);
  }

  private RescaleRequest(
      double deadlineSeconds, double elapsedSeconds, double probability, int scaleOut, double costOfChange, double costOfMissing) {
    this.deadlineSeconds = deadlineSeconds;
    this.elapsedSeconds = elapsedSeconds;
    this.probability = probability;
    this.scaleOut = scaleOut;
    this.costOfChange = costOfChange;
    this.costOfMissing = costOfMissing;
  }

  /** Beside the price of its delay, in the currency of the price. */
  public RescaleRequest withCostOfChange(double cost) {
    return new RescaleRequest(deadlineSeconds, elapsedSeconds, probability, scaleOut, cost, costOfMissing);
  }

  /**
   * What a missed deadline costs, in the currency of the price. Above 0, the least expected cost decides, this included: the deadline
   * is not kept at any price, and the probability only tells how the outcome is called.
   */
  public RescaleRequest withCostOfMissing(double cost) {
    return new RescaleRequest(deadlineSeconds, elapsedSeconds, probability, scaleOut, costOfChange, cost);
  }
}
