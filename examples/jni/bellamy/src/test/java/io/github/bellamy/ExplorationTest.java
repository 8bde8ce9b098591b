package io.github.bellamy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The search for a job's cheapest cluster, which is that of the C++ program. */
class ExplorationTest {
  private static final int[] SCALE_OUTS = {2, 4, 8, 16};

  private static Context machine(String name, long cores, long memoryMb) {
    return new Context(
        List.of(
            Property.text("machine_type", name).withRole(PropertyRole.MACHINE_TYPE),
            Property.natural("executor_cores", cores).withRole(PropertyRole.CORES_PER_NODE),
            Property.natural("executor_memory_MB", memoryMb).withRole(PropertyRole.MEMORY_PER_NODE)),
        List.of(),
        ScaleOutUnit.EXECUTOR);
  }

  private static final Context LEAN = machine("lean", 4, 8192);
  private static final Context BIG = machine("big", 8, 32768);

  private static List<TrialCandidate> candidates() {
    List<TrialCandidate> all = new ArrayList<>();
    for (Context each : List.of(LEAN, BIG)) {
      for (int x : SCALE_OUTS) {
        all.add(new TrialCandidate(each, x, Price.perUnitAndHour(each == LEAN ? 0.2 : 0.4)));
      }
    }
    return all;
  }

  private static Run run(TrialCandidate on, double work) {
    long cores = (Long) on.context().essential().get(1).value();
    return new Run(on.context(), on.scaleOut(), 60 + work / (cores * on.scaleOut()));
  }

  private static void assertRefused(ErrorCode code, String words, Executable call) {
    BellamyException refused = assertThrows(BellamyException.class, call);
    assertEquals(code, refused.code(), refused.getMessage());
    assertTrue(refused.getMessage().contains(words), refused.getMessage());
  }

  @Test
  void aSearchGoesOnUntilATrialCostsMoreThanItGains() {
    ExplorationRequest request = ExplorationRequest.withinDeadline(Goal.CHEAPEST_WITHIN_DEADLINE, 600, 0.9);
    List<Run> runs = new ArrayList<>();
    Exploration found = Exploration.propose(candidates(), runs, request);
    assertEquals(OptionalDouble.empty(), found.next().get(0).expectedGain());
    assertFalse(found.bestRun().isPresent());
    while (!found.stops()) {
      runs.add(run(found.next().get(0).candidate(), 20000));
      found = Exploration.propose(candidates(), runs, request);
    }
    assertEquals(ExplorationVerdict.COSTS_MORE_THAN_IT_GAINS, found.verdict());
    assertTrue(runs.size() < candidates().size(), found::toString);
    assertTrue(found.meetsLimit() && found.probability() >= 0.9, found::toString);
    assertTrue(run(found.best(), 20000).runtimeSeconds() <= 600, found::toString);
    assertTrue(found.bestRun().isPresent() && found.next().get(0).expectedGain().isPresent());
    // Runs to come are what trials are paid for by.
    assertEquals(
        ExplorationVerdict.BELOW_LEAST_GAIN,
        Exploration.propose(candidates(), runs.subList(0, 2), ExplorationRequest.leastCost().withLeastGain(0.9)).verdict());
    assertEquals(
        ExplorationVerdict.COSTS_MORE_THAN_IT_GAINS,
        Exploration.propose(candidates(), runs.subList(0, 2), ExplorationRequest.leastCost().withRunsToCome(0.001)).verdict());
  }

  @Test
  void otherJobsMakeASearchSurerAndAPriorCanBeClosed() {
    List<List<Run>> jobs = new ArrayList<>();
    for (double work : new double[] {8000, 15000, 40000}) {
      List<Run> job = new ArrayList<>();
      candidates().forEach(each -> job.add(run(each, work)));
      jobs.add(job);
    }
    ExplorationRequest request = ExplorationRequest.leastCost().withTrials(3);
    List<Run> one = List.of(run(candidates().get(1), 20000));
    ExplorationPrior known = ExplorationPrior.learn(jobs);
    Exploration sure = Exploration.propose(candidates(), one, request, known);
    Exploration unsure = Exploration.propose(candidates(), one, request);
    assertTrue(sure.quantileSeconds() / sure.medianSeconds() < unsure.quantileSeconds() / unsure.medianSeconds());
    assertEquals(3, unsure.next().size());
    known.close();
    assertRefused(ErrorCode.CLOSED, "ExplorationPrior", () -> Exploration.propose(candidates(), one, request, known));
  }

  @Test
  void whatASearchCannotUseIsRefused() {
    ExplorationRequest request = ExplorationRequest.leastCost();
    assertRefused(ErrorCode.EMPTY_CANDIDATES, "at least one", () -> Exploration.propose(List.of(), List.of(), request));
    assertRefused(
        ErrorCode.INVALID_PRICE,
        "candidate 0",
        () -> Exploration.propose(List.of(new TrialCandidate(LEAN, 2, Price.perUnitAndHour(-1))), List.of(), request));
    assertRefused(
        ErrorCode.INVALID_SCALE_OUT,
        "candidate 0",
        () -> Exploration.propose(List.of(new TrialCandidate(LEAN, 0, Price.FREE)), List.of(), request));
    for (double bad : new double[] {0, -5, Double.NaN}) {
      assertRefused(
          ErrorCode.INVALID_OPTION, "runs to come", () -> Exploration.propose(candidates(), List.of(), request.withRunsToCome(bad)));
    }
    assertRefused(ErrorCode.INVALID_OPTION, "least gain", () -> Exploration.propose(candidates(), List.of(), request.withLeastGain(-1)));
    for (int bad : new int[] {0, -1}) {
      assertRefused(ErrorCode.INVALID_OPTION, "trial", () -> Exploration.propose(candidates(), List.of(), request.withTrials(bad)));
    }
    assertRefused(ErrorCode.INVALID_RUNTIME, "run 0", () -> Exploration.propose(candidates(), List.of(new Run(LEAN, 2, -3)), request));
    assertRefused(
        ErrorCode.INVALID_BUDGET, "budget", () -> Exploration.propose(candidates(), List.of(), ExplorationRequest.withinBudget(0, 0.9)));
    assertRefused(ErrorCode.INVALID_ARGUMENT, "found null", () -> Exploration.propose(candidates(), List.of(), request, null));
    assertRefused(ErrorCode.INVALID_ARGUMENT, "found null", () -> new TrialCandidate(null, 2, Price.FREE));
    assertRefused(ErrorCode.EMPTY_HISTORY, "one job", () -> ExplorationPrior.learn(List.of()));
    assertRefused(
        ErrorCode.EMPTY_HISTORY, "job 1", () -> ExplorationPrior.learn(List.of(List.of(run(candidates().get(0), 9)), List.of())));
    // Free machines are searched, and then nothing can be gained.
    List<TrialCandidate> free = List.of(new TrialCandidate(LEAN, 2, Price.FREE), new TrialCandidate(LEAN, 4, Price.FREE));
    assertEquals(
        ExplorationVerdict.COSTS_MORE_THAN_IT_GAINS, Exploration.propose(free, List.of(new Run(LEAN, 2, 100)), request).verdict());
  }

  private static double number(String name, String in) {
    Matcher found = Pattern.compile("\"" + name + "\": ?([-+.e0-9]+)").matcher(in);
    assertTrue(found.find(), name);
    return Double.parseDouble(found.group(1));
  }

  @Test
  void theNextRunIsThatOfTheCppProgram() throws Exception {
    String program = System.getenv("BELLAMY_PROGRAM");
    Assumptions.assumeTrue(program != null, "skipped: no program in BELLAMY_PROGRAM");
    Process asked =
        new ProcessBuilder(
                program, "explore", "--application", "new", "--machine", "lean=0.2,cores=4,memory=8GB", "--machine",
                "big=0.4,cores=8,memory=32GB", "--scale-outs", "2,4,8,16", "--deadline", "600s", "--json")
            .start();
    String told = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, asked.waitFor(), told);
    Exploration found =
        Exploration.propose(
            candidates(), List.of(), ExplorationRequest.withinDeadline(Goal.CHEAPEST_WITHIN_DEADLINE, 600, 0.9));
    String next = told.substring(told.indexOf("\"next\""));
    ProposedTrial trial = found.next().get(0);
    assertEquals(number("scale_out", next), trial.candidate().scaleOut());
    assertEquals(number("median_s", next), trial.medianSeconds());
    assertEquals(number("probability", next), trial.probability());
    assertEquals(number("expected_cost", next), trial.expectedCost());
    String choice = told.substring(told.indexOf("\"choice\""));
    assertEquals(number("scale_out", choice), found.best().scaleOut());
    assertEquals(number("median_s", choice), found.medianSeconds());
    assertEquals(number("expected_cost", choice), found.expectedCost());
  }
}
