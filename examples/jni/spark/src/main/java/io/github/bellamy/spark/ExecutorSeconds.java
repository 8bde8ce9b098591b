package io.github.bellamy.spark;

import java.util.ArrayList;
import java.util.List;

/** Executors and cores that an application had on average while its jobs ran. Times are milliseconds; one thread uses it. */
final class ExecutorSeconds {
  private static final class Step {
    final long at;
    final int executors;
    final int cores;

    Step(long at, int executors, int cores) {
      this.at = at;
      this.executors = executors;
      this.cores = cores;
    }
  }

  private final List<Step> steps = new ArrayList<>();
  private long from = -1;
  private long to = -1;

  /** So many from now on. */
  void changed(long time, int executors, int cores) {
    steps.add(new Step(time, executors, cores));
  }

  void jobStarted(long time) {
    from = from < 0 ? time : from;
    to = Math.max(to, time);
  }

  void jobEnded(long time) {
    to = Math.max(to, time);
  }

  /** From the first job, or the first executor where that came later, to the end of the last job; the last number where no time passed. */
  double average(boolean ofCores) {
    long begin = steps.isEmpty() ? from : Math.max(from, steps.get(0).at);
    double sum = 0;
    int last = 0;
    for (int i = 0; i < steps.size(); i++) {
      long until = i + 1 < steps.size() ? steps.get(i + 1).at : to;
      last = ofCores ? steps.get(i).cores : steps.get(i).executors;
      sum += (double) last * Math.max(0, Math.min(until, to) - Math.max(steps.get(i).at, begin));
    }
    return to > begin ? sum / (to - begin) : last;
  }
}
