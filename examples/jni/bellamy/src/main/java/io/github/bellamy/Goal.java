package io.github.bellamy;

/** What is best among the candidates. */
public enum Goal {
  /** Fewest units of scale-out; prices do not matter. */
  SMALLEST_WITHIN_DEADLINE,
  /** Least expected cost. */
  CHEAPEST_WITHIN_DEADLINE,
  /** Least median time to the result. */
  FASTEST_WITHIN_BUDGET,
  /** No budget, and no deadline but one whose missing has a cost. */
  LEAST_EXPECTED_COST
}
