package io.github.bellamy;

import java.util.ArrayList;
import java.util.List;

/**
 * What is assumed of a job's runtimes before its first run, learned from other jobs; any number of threads may share one. Holds native
 * memory until closed or garbage-collected.
 */
public final class ExplorationPrior extends NativeHandle {
  private ExplorationPrior(long address) {
    super(address, Native::explorationPriorFree);
  }

  /**
   * Learns from the runs of other jobs, a list for each, how runtimes depend on slots, cores, memory and data size, which the roles of
   * properties tell. Takes milliseconds for each hundred runs. Errors, with the number of the job and the run from 0: those of bad runs;
   * EMPTY_HISTORY where there is no job, or a job without runs.
   */
  public static ExplorationPrior learn(List<List<Run>> otherJobs) {
    List<List<Run>> jobs = new ArrayList<>();
    for (List<Run> each : Check.<List<Run>>list(otherJobs, "jobs")) {
      jobs.add(Check.list(each, "runs"));
    }
    Native.require();
    return new ExplorationPrior(Native.explorationPriorLearn(Wire.ofJobs(jobs)));
  }
}
