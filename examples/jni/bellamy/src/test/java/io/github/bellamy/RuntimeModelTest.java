package io.github.bellamy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeModelTest {
  @Test
  void aModelLearnsTheRuntimesOfAJobAndSaysHowSureItIs() {
    try (RuntimeModel model = MadeUpJob.model();
        Curve curve = model.bind(MadeUpJob.context(35))) {
      Prediction answer = curve.at(6);
      // The history has no noise, and the size lies between those it knows.
      assertEquals(MadeUpJob.runtimeSeconds(35, 6), answer.medianSeconds(), 0.1 * answer.medianSeconds());
      assertTrue(answer.quantileSeconds(0.05) < answer.medianSeconds());
      assertTrue(answer.quantileSeconds(0.95) > answer.medianSeconds());
      assertEquals(0.9, answer.probabilityWithin(answer.quantileSeconds(0.9)), 1e-9);
      assertEquals(answer.quantileSeconds(0.9), curve.quantileSeconds(6, 0.9));
      assertEquals(answer.medianSeconds(), curve.medianSeconds(6));
      assertTrue(answer.usable());
      assertFalse(answer.isPoint());
      assertFalse(answer.outsideSeenScaleOuts());
      assertTrue(curve.at(13).outsideSeenScaleOuts());
      assertEquals(36, model.runs());
      assertEquals(6, model.contexts());
      assertEquals("made-up", model.algorithm());
      assertEquals(2, model.smallestSeenScaleOut());
      assertEquals(12, model.largestSeenScaleOut());
      assertEquals("best mode", model.kind());
    }
  }

  @Test
  void contextsAreEqualWhereTheLibraryTakesThemForTheSame() {
    Property text = Property.text("kind", "x");
    Property number = Property.natural("skew", 2);
    Context known = new Context(List.of(Property.natural("size_gb", 10)), List.of(text, number), ScaleOutUnit.NODE);
    Context reordered = new Context(known.essential(), List.of(number, text), ScaleOutUnit.NODE);
    Context fewer = new Context(known.essential(), List.of(text), ScaleOutUnit.NODE);
    Context other = new Context(known.essential(), List.of(text, Property.natural("skew", 3)), ScaleOutUnit.NODE);
    assertEquals(known, reordered);
    assertEquals(known.hashCode(), reordered.hashCode());
    try (RuntimeModel general = RuntimeModel.coldStart(known, "made-up");
        RuntimeModel model = general.condition(List.of(new Run(known, 4, 60)))) {
      for (Context each : List.of(known, reordered, fewer, other)) {
        try (Curve curve = model.bind(each)) {
          assertEquals(each.equals(known), curve.at(4).observedRuns() == 1, each.toString());
        }
      }
    }
  }

  @Test
  void manyScaleOutsAtOnceGetTheAnswersThatTheyGetOneByOne() {
    try (RuntimeModel model = MadeUpJob.model();
        Curve curve = model.bind(MadeUpJob.context(35))) {
      int[] scaleOuts = {12, 3, 7};
      double[] quantiles = new double[3];
      curve.quantilesSeconds(scaleOuts, 0.9, quantiles);
      FloatBuffer medians = ByteBuffer.allocateDirect(4 * 10).order(ByteOrder.nativeOrder()).asFloatBuffer();
      medians.position(2);
      curve.mediansSeconds(1, medians);
      assertEquals(2, medians.position());
      assertEquals(0, medians.get(1));
      double[] ofContexts = new double[2];
      List<Context> contexts = List.of(MadeUpJob.context(35), MadeUpJob.context(20));
      model.quantilesSeconds(contexts, new int[] {3, 7}, 0.9, ofContexts);
      for (int i = 0; i < 3; i++) {
        assertEquals(curve.quantileSeconds(scaleOuts[i], 0.9), quantiles[i]);
      }
      for (int i = 0; i < 8; i++) {
        assertEquals((float) curve.medianSeconds(1 + i), medians.get(2 + i));
      }
      try (Curve other = model.bind(contexts.get(1))) {
        assertArrayEquals(new double[] {quantiles[1], other.quantileSeconds(7, 0.9)}, ofContexts);
      }
    }
  }

  @Test
  void learningTakesInTheWholeHistory() {
    List<Run> history = new ArrayList<>(MadeUpJob.history());
    history.add(MadeUpJob.run(35, 4));
    try (RuntimeModel model = MadeUpJob.model();
        RuntimeModel learned = model.learn(history)) {
      assertEquals(model.contexts() + 1, learned.contexts());
      assertEquals(0, learned.observedRuns());
    }
  }

  @Test
  void conditioningReturnsAWiserModelAndLeavesTheOldOneAsItWas() {
    Context context = MadeUpJob.context(35);
    List<Run> slow = List.of(new Run(context, 4, 72), new Run(context, 8, 49), new Run(context, 12, 41));
    try (RuntimeModel model = MadeUpJob.model();
        RuntimeModel wiser = model.condition(slow);
        Curve before = model.bind(MadeUpJob.context(35));
        Curve after = wiser.bind(MadeUpJob.context(35))) {
      // A third slower than the history says.
      assertTrue(after.medianSeconds(4) > 1.15 * before.medianSeconds(4), () -> after.at(4) + " after " + before.at(4));
      assertEquals(0, before.at(4).observedRuns());
      assertEquals(3, after.at(4).observedRuns());
      assertEquals(3, wiser.observedRuns());
    }
  }

  @Test
  void runsThatTakeAThirdLongerThanPredictedShowDriftAndThoseAsPredictedDoNot() {
    Context context = MadeUpJob.context(35);
    try (RuntimeModel general = MadeUpJob.model();
        RuntimeModel model = general.condition(List.of(MadeUpJob.run(35, 2), MadeUpJob.run(35, 4), MadeUpJob.run(35, 8)));
        Curve curve = model.bind(context)) {
      List<Run> asPredicted = new ArrayList<>();
      List<Run> slower = new ArrayList<>();
      for (int scaleOut : new int[] {2, 4, 6, 8}) {
        asPredicted.add(new Run(context, scaleOut, curve.medianSeconds(scaleOut)));
        slower.add(new Run(context, scaleOut, 1.33 * curve.medianSeconds(scaleOut)));
      }
      Drift none = model.drift(asPredicted);
      Drift some = model.drift(slower);
      assertEquals(4, none.runs());
      assertEquals(0, none.meanDeviate(), 0.3);
      assertTrue(none.probability() > 0.5, none::toString);
      assertTrue(some.meanDeviate() > 0.5, some::toString);
      assertTrue(some.probability() < 0.05, some::toString);
      assertTrue(some.meanSquareDeviate() > none.meanSquareDeviate());
      assertEquals(0, model.drift(List.of()).runs());
    }
  }

  @Test
  void aRunInMillisecondsIsNamedByItsNumberInAHistoryAndAmongObservedRuns() {
    List<Run> history = new ArrayList<>(MadeUpJob.history());
    Run right = history.get(8);
    history.set(8, new Run(right.context(), right.scaleOut(), 1000 * right.runtimeSeconds()));
    Context context = MadeUpJob.context(35);
    List<Run> observed = List.of(MadeUpJob.run(35, 2), new Run(context, 4, 55_000), MadeUpJob.run(35, 8));
    try (RuntimeModel model = RuntimeModel.pretrain(history, "made-up", 1);
        RuntimeModel clean = MadeUpJob.model();
        RuntimeModel read = RuntimeModel.fromBytes(model.toBytes());
        RuntimeModel wiser = clean.condition(observed)) {
      assertEquals(List.of(), clean.improbableRuns());
      assertEquals(List.of(), read.improbableRuns());
      ImprobableRun named = only(model.improbableRuns());
      assertEquals(8, named.run());
      assertEquals(1000 * right.runtimeSeconds(), named.foundSeconds(), 1e-3);
      assertEquals(right.runtimeSeconds(), named.expectedSeconds(), 0.1 * right.runtimeSeconds());
      named = only(wiser.improbableRuns());
      assertEquals(1, named.run());
      assertEquals(55_000, named.foundSeconds());
      assertEquals(55, named.expectedSeconds(), 5.5);
      assertTrue(named.toString().startsWith("run 1: expected about 5"), named::toString);
    }
  }

  private static ImprobableRun only(List<ImprobableRun> runs) {
    assertEquals(1, runs.size(), runs::toString);
    return runs.get(0);
  }

  @Test
  void aColdStartWaitsForItsFirstRun() {
    Context context = MadeUpJob.context(35);
    try (RuntimeModel cold = RuntimeModel.coldStart(context, "new");
        RuntimeModel warm = cold.condition(List.of(new Run(context, 4, 100)));
        Curve curve = warm.bind(context)) {
      assertEquals(100, curve.medianSeconds(4), 5);
      assertEquals("new", warm.algorithm());
    }
  }

  @Test
  void aCurveOutlivesItsModel() {
    RuntimeModel model = MadeUpJob.model();
    try (Curve curve = model.bind(MadeUpJob.context(35))) {
      double before = curve.medianSeconds(4);
      model.close();
      assertEquals(before, curve.medianSeconds(4));
    }
  }

  @Test
  void aModelComesBackFromBytesAndFromAFileAsItWas(@TempDir Path folder) {
    Path file = folder.resolve("m\u00f6del.bellamy");
    try (RuntimeModel model = MadeUpJob.model();
        RuntimeModel copy = RuntimeModel.fromBytes(model.toBytes())) {
      model.save(file);
      try (RuntimeModel loaded = RuntimeModel.load(file)) {
        assertArrayEquals(model.toBytes(), copy.toBytes());
        assertArrayEquals(model.toBytes(), loaded.toBytes());
      }
    }
  }

  @Test
  void theSameRunsAndSeedGiveTheSameBytes() {
    try (RuntimeModel one = MadeUpJob.model();
        RuntimeModel other = MadeUpJob.model()) {
      assertArrayEquals(one.toBytes(), other.toBytes());
    }
  }

  @Test
  void aSchemaMakesContextsFromTexts() {
    try (RuntimeModel model = MadeUpJob.model()) {
      Map<String, String> values = Map.of("machine", "m5.large", "size_gb", "35", "skew", "0.5", "memory_gb", "8");
      assertEquals(MadeUpJob.context(35), model.schema().context(values));
    }
  }

  @Test
  void aDecisionTellsWhyEachCandidateWasTakenOrLeft() {
    try (RuntimeModel model = MadeUpJob.model();
        Curve curve = model.bind(MadeUpJob.context(60))) {
      Price price = Price.perUnitAndHour(1).withStartUp(10).billedPer(60);
      List<Candidate> candidates = new ArrayList<>();
      for (int x : new int[] {2, 6, 8, 12}) {
        candidates.add(new Candidate(curve, x, price));
      }
      Decision smallest = Decision.withinDeadline(Goal.SMALLEST_WITHIN_DEADLINE, candidates, 80, 0.9);
      assertTrue(smallest.feasible(), smallest::toString);
      assertEquals(6, smallest.best().orElseThrow().scaleOut(), smallest::toString);
      assertEquals(Verdict.MISSES_DEADLINE, smallest.table().get(0).verdict());
      assertEquals(Verdict.CHOSEN, smallest.table().get(1).verdict());
      assertEquals(Verdict.LARGER_THAN_NEEDED, smallest.table().get(2).verdict());
      assertTrue(smallest.table().get(1).probability() >= 0.9);
      // 10 s and about 60 s at 6 nodes, two started minutes.
      assertEquals(6 * 120 / 3600.0, smallest.table().get(1).expectedCost(), 0.1);

      Decision cheapest = Decision.choose(Goal.LEAST_EXPECTED_COST, candidates, 0, 0, 0.5);
      assertEquals(2, cheapest.best().orElseThrow().scaleOut(), cheapest::toString);
      Decision ofLittleHarm = Decision.leastCost(candidates, 80, 1e-6, 0.9);
      assertEquals(2, ofLittleHarm.best().orElseThrow().scaleOut(), ofLittleHarm::toString);
      assertEquals(Outcome.COSTS_LEAST, ofLittleHarm.outcome());
      assertTrue(ofLittleHarm.feasible());
      assertTrue(Decision.leastCost(candidates, 80, 1e6, 0.9).best().orElseThrow().scaleOut() >= 6);
      Decision fastest = Decision.withinBudget(candidates, 1e6, 0.9);
      assertEquals(12, fastest.best().orElseThrow().scaleOut(), fastest::toString);
      Decision hopeless = Decision.withinDeadline(Goal.CHEAPEST_WITHIN_DEADLINE, candidates, 11, 0.9);
      assertEquals(Outcome.INFEASIBLE, hopeless.outcome());
    }
  }

  @Test
  void aMachineNeverSeenIsNotFeasibleWhateverTheGoal() {
    try (RuntimeModel model = MadeUpJob.model();
        Curve strange = model.bind(MadeUpJob.context(60, "m5.lrage"))) {
      List<Candidate> one = List.of(new Candidate(strange, 8, Price.perUnitAndHour(1)));
      double medianSeconds = strange.medianSeconds(8);
      Decision cheapest = Decision.leastCost(one, medianSeconds, 1e-6, 0.9);
      assertEquals(Outcome.COSTS_LEAST_UNLIKE_ANY_SEEN, cheapest.outcome());
      assertTrue(cheapest.meetsLimit());
      assertFalse(cheapest.feasible());
      Decision kept = Decision.withinDeadline(Goal.SMALLEST_WITHIN_DEADLINE, one, 100 * medianSeconds, 0.9);
      assertEquals(Outcome.MEETS_DEADLINE_UNLIKE_ANY_SEEN, kept.outcome());
      assertFalse(kept.feasible());
    }
  }

  @Test
  void aSharedModelLearnsWhileOthersAsk() throws Exception {
    try (RuntimeModel first = MadeUpJob.model();
        SharedModel shared = new SharedModel(first);
        RuntimeModel before = shared.snapshot()) {
      List<Thread> learners = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Thread learner = new Thread(() -> shared.condition(List.of(MadeUpJob.run(35, 4))));
        learner.start();
        learners.add(learner);
      }
      for (Thread each : learners) {
        each.join();
      }
      try (RuntimeModel after = shared.snapshot()) {
        assertEquals(0, before.observedRuns());
        assertEquals(4, after.observedRuns());
      }
    }
  }
}
