package io.github.bellamy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** The best of some candidates, whether it meets the limit, and the whole table why. It never executes anything. */
public final class Decision {
  private static final int ROW_NUMBERS = 3 + Native.PREDICTION_NUMBERS;

  private final Outcome outcome;
  private final Assessment best;
  private final List<Assessment> table;

  private Decision(Outcome outcome, Assessment best, List<Assessment> table) {
    this.outcome = outcome;
    this.best = best;
    this.table = table;
  }

  /** The smallest or cheapest of the candidates that meets a deadline with a probability. Errors: as {@link #choose}. */
  public static Decision withinDeadline(Goal goal, List<Candidate> candidates, double deadlineSeconds, double probability) {
    return choose(goal, candidates, deadlineSeconds, 0, probability);
  }

  /** The fastest of the candidates that meets a budget with a probability. Errors: as {@link #choose}. */
  public static Decision withinBudget(List<Candidate> candidates, double budget, double probability) {
    return choose(Goal.FASTEST_WITHIN_BUDGET, candidates, 0, budget, probability);
  }

  /**
   * The candidate of least expected cost, where missing the deadline has one, too (above 0, in the currency of the prices). The probability
   * only tells how the outcome is called. Errors: as {@link #choose}.
   */
  public static Decision leastCost(
      List<Candidate> candidates, double deadlineSeconds, double costOfMissing, double probability) {
    return choose(Goal.LEAST_EXPECTED_COST, candidates, deadlineSeconds, 0, probability, costOfMissing);
  }

  /**
   * The best of the candidates; ties go to the smaller scale-out, then to the earlier one. A limit that the goal does not have
   * must be 0. Errors: INVALID_DEADLINE, INVALID_BUDGET, INVALID_PROBABILITY, EMPTY_CANDIDATES, INVALID_PRICE, INVALID_SCALE_OUT,
   * CLOSED.
   */
  public static Decision choose(
      Goal goal, List<Candidate> candidates, double deadlineSeconds, double budget, double probability) {
    return choose(goal, candidates, deadlineSeconds, budget, probability, 0);
  }

  private static Decision choose(
      Goal goal, List<Candidate> candidates, double deadlineSeconds, double budget, double probability, double costOfMissing) {
    Check.present(goal, "a goal");
    List<Candidate> all = Check.list(candidates, "candidates");
    Native.require();
    long[] curves = new long[all.size()];
    int[] scaleOuts = new int[all.size()];
    double[] prices = new double[all.size() * Price.NUMBERS];
    double[] answer = new double[2 + all.size() * ROW_NUMBERS];
    int acquired = 0;
    try {
      for (; acquired < all.size(); acquired++) {
        Candidate each = all.get(acquired);
        curves[acquired] = each.runtimes.acquire();
        scaleOuts[acquired] = each.scaleOut;
        each.price.write(prices, acquired * Price.NUMBERS);
      }
      Native.choose(curves, scaleOuts, prices, goal.ordinal(), deadlineSeconds, budget, probability, costOfMissing, answer);
    } finally {
      for (int i = 0; i < acquired; i++) {
        all.get(i).runtimes.release();
      }
    }
    return read(answer, scaleOuts);
  }

  private static Decision read(double[] answer, int[] scaleOuts) {
    List<Assessment> table = new ArrayList<>();
    for (int i = 0; i < scaleOuts.length; i++) {
      int at = 2 + i * ROW_NUMBERS;
      double[] prediction = new double[Native.PREDICTION_NUMBERS];
      System.arraycopy(answer, at + 3, prediction, 0, prediction.length);
      table.add(
          new Assessment(
              scaleOuts[i],
              new Prediction(prediction),
              answer[at],
              answer[at + 1],
              Verdict.values()[(int) answer[at + 2]]));
    }
    int best = (int) answer[1];
    return new Decision(
        Outcome.values()[(int) answer[0]], best < 0 ? null : table.get(best), Collections.unmodifiableList(table));
  }

  /** Whether the choice is predicted to meet the limit, or costs least, in whatever context. */
  public boolean meetsLimit() {
    return outcome != Outcome.INFEASIBLE;
  }

  /**
   * The same, in a context that the model can know: a misspelled machine type, which no run had, is false. What may be
   * started without a look.
   */
  public boolean feasible() {
    return meetsLimit()
        && outcome != Outcome.MEETS_DEADLINE_UNLIKE_ANY_SEEN
        && outcome != Outcome.COSTS_LEAST_UNLIKE_ANY_SEEN;
  }

  public Outcome outcome() {
    return outcome;
  }

  /** The chosen candidate or, when infeasible, the best effort; empty when no prediction was usable. */
  public Optional<Assessment> best() {
    return Optional.ofNullable(best);
  }

  /** One row per candidate, in their order. */
  public List<Assessment> table() {
    return table;
  }

  @Override
  public String toString() {
    StringBuilder words = new StringBuilder(outcome.toString());
    table.forEach(row -> words.append("\n  ").append(row));
    return words.toString();
  }
}
