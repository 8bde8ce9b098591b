package io.github.bellamy;

import java.util.OptionalDouble;

/** A run to make next; immutable. */
public final class ProposedTrial {
  static final int NUMBERS = 6;

  private final TrialCandidate candidate;
  private final double[] numbers;

  ProposedTrial(TrialCandidate candidate, double[] numbers) {
    this.candidate = candidate;
    this.numbers = numbers;
  }

  public TrialCandidate candidate() {
    return candidate;
  }

  public double medianSeconds() {
    return numbers[1];
  }

  /** At the probability of the request. */
  public double quantileSeconds() {
    return numbers[2];
  }

  /** Of meeting the deadline or the budget; 1 where there is neither. */
  public double probability() {
    return numbers[3];
  }

  /** Of this run. */
  public double expectedCost() {
    return numbers[4];
  }

  /** Of each run to come over the best run in the limit so far; empty before there was one. */
  public OptionalDouble expectedGain() {
    return Double.isNaN(numbers[5]) ? OptionalDouble.empty() : OptionalDouble.of(numbers[5]);
  }

  @Override
  public String toString() {
    return String.format("%s: %.1f s, probability %.3f, cost %.2f", candidate, medianSeconds(), probability(), expectedCost());
  }
}
