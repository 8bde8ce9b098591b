package io.github.bellamy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Calls every native method, with success and, where there is one, with failure; for a JVM that watches. */
final class Exercise {
  private Exercise() {}

  public static void main(String[] arguments) throws Exception {
    Path file = Files.createTempFile("bellamy", ".model");
    for (int i = 0; i < 20; i++) {
      try (RuntimeModel model = MadeUpJob.model();
          RuntimeModel cold = RuntimeModel.coldStart(MadeUpJob.context(1), "cold");
          RuntimeModel wiser = model.condition(List.of(MadeUpJob.run(35, 4)));
          RuntimeModel copy = RuntimeModel.fromBytes(model.toBytes());
          Curve curve = wiser.bind(MadeUpJob.context(35));
          SharedModel shared = new SharedModel(model)) {
        model.save(file);
        RuntimeModel.load(file).close();
        Prediction answer = curve.at(4);
        answer.quantileSeconds(0.9);
        answer.probabilityWithin(60);
        curve.medianSeconds(4);
        curve.quantilesSeconds(new int[] {1, 2, 3}, 0.9, new double[3]);
        curve.mediansSeconds(1, ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder()).asFloatBuffer());
        wiser.improbableRuns();
        copy.quantilesSeconds(List.of(MadeUpJob.context(1)), new int[] {4}, 0.5, new double[1]);
        Decision.withinDeadline(
            Goal.SMALLEST_WITHIN_DEADLINE, List.of(new Candidate(curve, 4, Price.FREE)), 60, 0.9);
        List<TrialCandidate> trials = List.of(new TrialCandidate(MadeUpJob.context(35), 4, Price.FREE));
        try (ExplorationPrior known = ExplorationPrior.learn(List.of(MadeUpJob.history()))) {
          Exploration.propose(trials, List.of(MadeUpJob.run(35, 2)), ExplorationRequest.leastCost(), known);
        }
        refused(() -> Exploration.propose(List.of(), List.of(), ExplorationRequest.leastCost()));
        refused(() -> ExplorationPrior.learn(List.of()));
        shared.condition(List.of(MadeUpJob.run(35, 4)));
        shared.snapshot().close();
        Native.nameOf(0, 1);

        refused(() -> RuntimeModel.fromBytes(new byte[40]));
        refused(() -> RuntimeModel.load(Path.of("absent")));
        refused(() -> model.save(Path.of("absent/file")));
        refused(() -> RuntimeModel.pretrain(List.of(), "", 0));
        refused(() -> RuntimeModel.coldStart(MadeUpJob.context(Long.MAX_VALUE), ""));
        refused(() -> cold.bind(MadeUpJob.context(Long.MAX_VALUE)));
        refused(() -> cold.condition(List.of(MadeUpJob.run(35, 0))));
        refused(() -> shared.condition(List.of(MadeUpJob.run(35, 0))));
        refused(() -> Decision.withinBudget(List.of(), 1, 0.9));
        refused(
            () ->
                model.quantilesSeconds(
                    List.of(MadeUpJob.context(Long.MAX_VALUE)), new int[] {4}, 0.5, new double[1]));
      }
    }
    applications(file);
    Files.delete(file);
    System.out.println("exercised");
  }

  private static void applications(Path file) {
    ApplicationTrace soFar = MadeUpApplication.run(4, 1000, 1, 2);
    RescaleRequest request = new RescaleRequest(60, soFar.runtimeSeconds(), 0.9, 4);
    try (ApplicationModel model = ApplicationModel.pretrain(MadeUpApplication.history(), 0, 1)) {
      for (int i = 0; i < 20; i++) {
        try (ApplicationModel copy = ApplicationModel.fromBytes(model.toBytes());
            Forecast whole = copy.bind(soFar.properties());
            Forecast rest = whole.observe(soFar)) {
          copy.save(file);
          ApplicationModel.load(file).close();
          rest.remaining(4);
          rest.run(4);
          rest.job(1, 4);
          rest.stage(1, 1, 4);
          rest.rescale(new int[] {2, 4}, Price.FREE, request);
          refused(() -> rest.rescale(new int[] {0}, Price.FREE, request));
          refused(() -> rest.remaining(-1));
          refused(() -> whole.observe(MadeUpApplication.run(4, 1000, Double.NEGATIVE_INFINITY, 1)));
          refused(() -> copy.save(Path.of("absent/file")));
          refused(() -> ApplicationModel.load(Path.of("absent")));
          refused(() -> ApplicationModel.fromBytes(new byte[40]));
          refused(() -> ApplicationModel.pretrain(List.of(), 0, 1));
        }
      }
    }
  }

  private static void refused(Runnable call) {
    try {
      call.run();
    } catch (BellamyException expected) {
      return;
    }
    throw new AssertionError("expected a refusal");
  }
}
