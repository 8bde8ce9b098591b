package io.github.bellamy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Which run of a job to make next, to find its cheapest cluster in a few; and the candidate to take if the search ended now, which need
 * not have run. It never executes anything.
 */
public final class Exploration {
  private static final int HEAD_NUMBERS = 10;

  private final double[] head;
  private final List<TrialCandidate> candidates;
  private final List<ProposedTrial> next;

  private Exploration(double[] answer, List<TrialCandidate> candidates) {
    this.head = answer;
    this.candidates = candidates;
    List<ProposedTrial> all = new ArrayList<>();
    for (int i = 0; i < (int) answer[9]; i++) {
      double[] numbers = new double[ProposedTrial.NUMBERS];
      System.arraycopy(answer, HEAD_NUMBERS + i * ProposedTrial.NUMBERS, numbers, 0, numbers.length);
      all.add(new ProposedTrial(candidates.get((int) numbers[0]), numbers));
    }
    next = Collections.unmodifiableList(all);
  }

  /** Without knowledge of other jobs. Errors: as the other one. */
  public static Exploration propose(List<TrialCandidate> candidates, List<Run> runs, ExplorationRequest request) {
    return propose(candidates, runs, request, 0);
  }

  /**
   * Proposes the next run. {@code runs} are those of the job so far, in any order; those outside the candidates count as evidence. Takes
   * milliseconds for 500 candidates and 20 runs. Errors, with the number of the candidate or run from 0: EMPTY_CANDIDATES,
   * INVALID_PRICE, INVALID_SCALE_OUT, INVALID_DEADLINE, INVALID_BUDGET, INVALID_PROBABILITY, INVALID_OPTION, CLOSED, those of bad runs
   * and properties.
   */
  public static Exploration propose(
      List<TrialCandidate> candidates, List<Run> runs, ExplorationRequest request, ExplorationPrior known) {
    return Check.present(known, "a prior").use(prior -> propose(candidates, runs, request, prior));
  }

  private static Exploration propose(List<TrialCandidate> candidates, List<Run> runs, ExplorationRequest request, long prior) {
    List<TrialCandidate> all = Check.list(candidates, "candidates");
    List<Run> observed = Check.list(runs, "runs");
    Check.present(request, "a request");
    if (request.trials < 0) {
      throw new BellamyException(ErrorCode.INVALID_OPTION, "expected a number of trials > 0, found " + request.trials);
    }
    Native.require();
    List<Context> contexts = new ArrayList<>();
    int[] scaleOuts = new int[all.size()];
    double[] prices = new double[all.size() * Price.NUMBERS];
    for (int i = 0; i < scaleOuts.length; i++) {
      contexts.add(all.get(i).context);
      scaleOuts[i] = all.get(i).scaleOut;
      all.get(i).price.write(prices, i * Price.NUMBERS);
    }
    double[] wanted = {
      request.deadlineSeconds,
      request.budget,
      request.probability,
      request.costOfMissing,
      request.runsToCome,
      request.leastGain
    };
    int trials = Math.min(request.trials, all.size() + 1); // no more than there are candidates can be proposed
    double[] answer = new double[HEAD_NUMBERS + trials * ProposedTrial.NUMBERS];
    Native.explore(
        Wire.ofContexts(contexts), scaleOuts, prices, Wire.ofRuns(observed), prior, request.goal.ordinal(), wanted, trials, answer);
    return new Exploration(answer, all);
  }

  public ExplorationVerdict verdict() {
    return ExplorationVerdict.values()[(int) head[0]];
  }

  public boolean stops() {
    return verdict() != ExplorationVerdict.GO_ON;
  }

  /** The best first. What would come next also where the verdict is to stop; empty where everything was tried. */
  public List<ProposedTrial> next() {
    return next;
  }

  /** The candidate of the best run in the limit so far. */
  public Optional<TrialCandidate> bestRun() {
    return head[1] < 0 ? Optional.empty() : Optional.of(candidates.get((int) head[1]));
  }

  /** The best with what is known now: of those that meet the limit or, where none does, the most likely to. */
  public TrialCandidate best() {
    return candidates.get((int) head[2]);
  }

  /** Of the best candidate, as the numbers below. */
  public double medianSeconds() {
    return head[3];
  }

  /** At the probability of the request. */
  public double quantileSeconds() {
    return head[4];
  }

  /** Of meeting the deadline or the budget; 1 where there is neither. */
  public double probability() {
    return head[5];
  }

  public double expectedCost() {
    return head[6];
  }

  /** Whether the best candidate meets the limit with the required probability. */
  public boolean meetsLimit() {
    return (int) head[7] == Verdict.CHOSEN.ordinal();
  }

  /** 1 where the best candidate has run. */
  public int observedRuns() {
    return (int) head[8];
  }

  @Override
  public String toString() {
    StringBuilder words = new StringBuilder(verdict().toString());
    next.forEach(each -> words.append("\n  next ").append(each));
    return words.append("\n  best ").append(best()).toString();
  }
}
