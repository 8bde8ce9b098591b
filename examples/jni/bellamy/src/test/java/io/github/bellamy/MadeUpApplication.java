package io.github.bellamy;

import java.util.ArrayList;
import java.util.List;

/** Runs of an application with jobs of two stages, whose work is shared by the cores and grows with the data. */
final class MadeUpApplication {
  static final int JOBS = 4;

  private MadeUpApplication() {}

  static ApplicationTrace run(int cores, long sizeMb, double slowness, int jobs) {
    List<JobTrace> list = new ArrayList<>();
    double at = 1;
    for (int i = 0; i < jobs; i++) {
      double scan = slowness * (0.5 + 0.004 * sizeMb / cores);
      double sum = slowness * (0.2 + 0.001 * sizeMb / cores);
      StageTrace first =
          StageTrace.builder(2L * i, at, at + scan).name("scan").tasks(2L * cores).scaleOut(cores, cores).build();
      StageTrace second =
          StageTrace.builder(2L * i + 1, at + scan, at + scan + sum).name("sum").parents(2L * i).scaleOut(cores, cores).build();
      list.add(new JobTrace(i, at, at + scan + sum, List.of(first, second)));
      at += scan + sum + 0.1;
    }
    return new ApplicationTrace(
        "etl",
        cores + " cores",
        ScaleOutUnit.CORE,
        List.of(Property.natural("data_size_MB", sizeMb).withRole(PropertyRole.DATA_SIZE)),
        List.of(new ScaleOutStep(0, cores)),
        list,
        at,
        jobs == JOBS ? TraceOutcome.SUCCEEDED : TraceOutcome.UNFINISHED);
  }

  /** Every third run has a slow day. */
  static List<ApplicationTrace> history() {
    List<ApplicationTrace> all = new ArrayList<>();
    for (int cores : new int[] {2, 4, 8}) {
      for (long size : new long[] {500, 1000, 2000, 4000}) {
        all.add(run(cores, size, all.size() % 3 == 2 ? 1.5 : 1, JOBS));
      }
    }
    return all;
  }
}
