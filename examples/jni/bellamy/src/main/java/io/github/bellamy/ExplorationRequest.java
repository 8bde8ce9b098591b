package io.github.bellamy;

/** What a search for a cluster is for, and when it is to stop; immutable. */
public final class ExplorationRequest {
  final Goal goal;
  final double deadlineSeconds;
  final double budget;
  final double probability;
  final double costOfMissing;
  final double runsToCome;
  final double leastGain;
  final int trials;

  private ExplorationRequest(
      Goal goal,
      double deadlineSeconds,
      double budget,
      double probability,
      double costOfMissing,
      double runsToCome,
      double leastGain,
      int trials) {
    this.goal = goal;
    this.deadlineSeconds = deadlineSeconds;
    this.budget = budget;
    this.probability = probability;
    this.costOfMissing = costOfMissing;
    this.runsToCome = runsToCome;
    this.leastGain = leastGain;
    this.trials = trials;
  }

  /** A limit that the goal does not have must be 0. */
  private static ExplorationRequest of(Goal goal, double deadlineSeconds, double budget, double probability, double costOfMissing) {
    return new ExplorationRequest(goal, deadlineSeconds, budget, probability, costOfMissing, 100, 0, 1);
  }

  /** The smallest or cheapest that meets a deadline with a probability. */
  public static ExplorationRequest withinDeadline(Goal goal, double deadlineSeconds, double probability) {
    return of(Check.present(goal, "a goal"), deadlineSeconds, 0, probability, 0);
  }

  /** The fastest that meets a budget with a probability. */
  public static ExplorationRequest withinBudget(double budget, double probability) {
    return of(Goal.FASTEST_WITHIN_BUDGET, 0, budget, probability, 0);
  }

  /** The least expected cost, without a limit. */
  public static ExplorationRequest leastCost() {
    return of(Goal.LEAST_EXPECTED_COST, 0, 0, 0.9, 0);
  }

  /** The same where missing a deadline has a cost, above 0. */
  public static ExplorationRequest leastCost(double deadlineSeconds, double costOfMissing) {
    return of(Goal.LEAST_EXPECTED_COST, deadlineSeconds, 0, 0.9, costOfMissing);
  }

  /**
   * Runs of the job that the choice is made for, 100 unless said: each of them gains what a trial finds, and a trial that costs more is
   * not proposed. Without meaning for goals that do not compare money.
   */
  public ExplorationRequest withRunsToCome(double runs) {
    return new ExplorationRequest(goal, deadlineSeconds, budget, probability, costOfMissing, runs, leastGain, trials);
  }

  /** Stops where the expected gain is at most this share of the best run's value. */
  public ExplorationRequest withLeastGain(double share) {
    return new ExplorationRequest(goal, deadlineSeconds, budget, probability, costOfMissing, runsToCome, share, trials);
  }

  /** Trials to propose, which can run at the same time, 1 unless said; fewer where no other is worth its cost. */
  public ExplorationRequest withTrials(int count) {
    return new ExplorationRequest(goal, deadlineSeconds, budget, probability, costOfMissing, runsToCome, leastGain, count);
  }
}
