package io.github.bellamy.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A made-up history of {@link SleepyRuns}: runs that sleep for given times, with the overhead that was measured. */
final class SleepyHistory {
  private static final int MOST_CORES = 2;
  private static final double[] SLOWNESS = {0.8, 1, 1.25, 1.6};
  private static final double SERIAL_SECONDS = SleepyRuns.SERIAL_MILLIS / 1000.0;

  private SleepyHistory() {}

  /** What the sleeping tasks of a job take, stage after stage. */
  static double sleepSeconds(int millis, int cores) {
    return parallelSeconds(millis, cores) + SERIAL_SECONDS;
  }

  private static double parallelSeconds(int millis, int cores) {
    return Math.ceil((double) SleepyRuns.TASKS / cores) * millis / 1000.0;
  }

  /** {@code overhead} is what a job takes beyond its sleep. */
  static void write(Path file, int jobs, int millis, double overhead) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < SLOWNESS.length * MOST_CORES; i++) {
      lines.append(run(i, 1 + i % MOST_CORES, jobs, SLOWNESS[i / MOST_CORES], millis, overhead));
    }
    Files.writeString(file, lines.toString());
  }

  private static String run(int number, int cores, int jobs, double slowness, int millis, double overhead) {
    double at = 0;
    List<String> all = new ArrayList<>();
    for (int job = 0; job < jobs; job++) {
      double scatter = slowness * (1 + 0.03 * ((number + 3 * job) % 5 - 2)); // of no draw, so that every history is the same
      double middle = at + scatter * (0.7 * overhead + parallelSeconds(millis, cores));
      double end = middle + scatter * (0.3 * overhead + SERIAL_SECONDS);
      all.add(
          String.format(
              Locale.ROOT, "{\"id\":%d,\"submitted_s\":%f,\"completed_s\":%f,\"stages\":[%s,%s]}", job, at, end,
              stage(2 * job, "", SleepyRuns.TASKS, at, middle, cores),
              stage(2 * job + 1, Integer.toString(2 * job), SleepyRuns.REDUCERS, middle, end, cores)));
      at = end + 0.005;
    }
    return String.format(
        Locale.ROOT,
        "{\"format\":1,\"application\":\"sleepy\",\"run\":\"made up %d\",\"unit\":\"core\",\"runtime_s\":%f,\"properties\":{},"
            + "\"scale_out\":[[0,%d]],\"jobs\":[%s]}\n",
        number, at, cores, String.join(",", all));
  }

  private static String stage(int id, String parent, int tasks, double from, double to, int cores) {
    return String.format(
        Locale.ROOT,
        "{\"id\":%d,\"name\":\"%s\",\"parents\":[%s],\"tasks\":%d,\"submitted_s\":%f,\"completed_s\":%f,\"scale_out\":[%d,%d]}",
        id, SleepyRuns.STAGE, parent, tasks, from, to, cores, cores);
  }
}
