package io.github.bellamy.spark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * A driver that lives long: runs of the same iterative application, each marked as one. Its tasks sleep, so that more cores help on
 * any machine. {@code SleepyRuns EXECUTORS learn} runs it at several numbers of executors and then by deadlines, {@code SleepyRuns 2
 * ask FOLDER} by deadlines alone, with histories that it makes up there, {@code SleepyRuns 2 slack FOLDER} only with a deadline that is
 * far off, {@code SleepyRuns EXECUTORS small JOBS} jobs that do next to nothing.
 */
public final class SleepyRuns {
  /** Of the runs of {@code learn}, which has time. */
  static final int LONG_JOBS = 10;
  /** Of those of {@code ask}. */
  static final int SHORT_JOBS = 8;
  static final int SLACK_JOBS = 3;
  static final int ADVISED_JOBS = 2;
  static final int TASKS = 6;
  static final int REDUCERS = 2;
  /** Of every stage, wherever its line is. */
  static final String STAGE = "sleep";

  private static final int SLEEP_MILLIS = 200;
  /** Of one task of the second stage, which no core makes shorter: on any machine fewer cores are cheaper for whoever has time. */
  static final int SERIAL_MILLIS = 300;
  private static final int READING_MILLIS = 800; // of a cached partition, which a lost executor takes along
  private static final int WARM_UPS = 4;
  static final int LOST_BEFORE = 2; // so early that another executor saves more in the jobs after it than it takes to come
  private static final int LOSS_SECONDS = 3; // of what the loss and one executor alone would take, so that another is needed

  private final JavaSparkContext spark;
  private final SparkCluster cluster;
  private int jobs = LONG_JOBS;
  private int millis = SLEEP_MILLIS;
  private long lossSeenNanos;

  private SleepyRuns(JavaSparkContext spark) {
    this.spark = spark;
    cluster = new SparkCluster(spark.sc());
    spark.setCallSite(STAGE);
  }

  public static void main(String[] arguments) throws InterruptedException, IOException {
    try (JavaSparkContext spark = new JavaSparkContext()) {
      SleepyRuns runs = new SleepyRuns(spark);
      int workers = Integer.parseInt(arguments[0]);
      runs.awaitExecutors(workers, workers);
      switch (arguments[1]) {
        case "small":
          runs.executors(1);
          runs.small(Integer.parseInt(arguments[2]));
          break;
        case "ask":
          runs.ask(Path.of(arguments[2]));
          break;
        case "slack":
          runs.learnHistory(Path.of(arguments[2]));
          runs.slack();
          break;
        default:
          runs.learn();
      }
    }
  }

  private void learn() throws InterruptedException {
    overhead(jobs);
    run("three", 3, "advise", 3600);
    double two = run("two", 2, "advise", 3600);
    double one = run("one", 1, "advise", 1.2 * two);
    run("acting", 1, "act", 0.9 * one);
    run("slack", 3, "act", 5 * one);
    run("loses", 2, "act", 1.2 * two + LOSS_SECONDS);
  }

  // Overheads and the time that an executor takes to come are measured before the deadlines are set: a busy machine is slow at both.
  private void ask(Path folder) throws InterruptedException, IOException {
    double overhead = learnHistory(folder);
    jobs = SHORT_JOBS;
    spark.setLocalProperty("spark.bellamy.minExecutors", "2");
    run("loses", 2, "act", 1.3 * SHORT_JOBS * seconds(2, overhead));
    spark.setLocalProperty("spark.bellamy.minExecutors", null);
    awaitExecutors(2, 2);
    double coming = (System.nanoTime() - lossSeenNanos) / 1e9;
    slack();
    jobs = ADVISED_JOBS;
    run("advised", 1, "advise", 0.6 * SHORT_JOBS * seconds(1, overhead));

    // Five times as long on one executor as another takes to come: it is there for most of the run.
    double job = 5 * coming / SHORT_JOBS;
    millis = Math.max(SLEEP_MILLIS, (int) ((1000 * (job - overhead) - SERIAL_MILLIS) / TASKS));
    expect(folder.resolve("long.jsonl"), overhead);
    run("acting", 1, "act", 0.9 * SHORT_JOBS * seconds(1, overhead));
  }

  /** Returns the overhead of a job. */
  private double learnHistory(Path folder) throws InterruptedException, IOException {
    double overhead = overhead(WARM_UPS);
    expect(folder.resolve("short.jsonl"), overhead);
    jobs = WARM_UPS; // while the plugin learns the history, beside which jobs are slow
    run("learns", 2, "advise", 3600);
    return overhead;
  }

  private void slack() throws InterruptedException {
    jobs = SLACK_JOBS;
    run("slack", 2, "act", 3600);
  }

  private double seconds(int cores, double overhead) {
    return overhead + SleepyHistory.sleepSeconds(millis, cores);
  }

  /** The runs from here on are predicted by a history of such. */
  private void expect(Path history, double overhead) throws IOException {
    jobs = SHORT_JOBS;
    SleepyHistory.write(history, SHORT_JOBS, millis, overhead);
    spark.setLocalProperty("spark.bellamy.history", history.toString());
  }

  /** What a job takes beyond its sleep: the least of so many, since a driver and executors that have just started are slow. Of no run. */
  private double overhead(int warmUps) {
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < warmUps; i++) {
      long begin = System.nanoTime();
      iteration(parts());
      least = Math.min(least, (System.nanoTime() - begin) / 1e9);
    }
    return Math.max(0.02, least - SleepyHistory.sleepSeconds(millis, ids().size()));
  }

  private void small(int jobs) {
    List<Integer> numbers = List.of(1, 2);
    for (int i = 0; i < jobs; i++) {
      spark.parallelize(numbers, 2).map(each -> each + 1).count();
    }
  }

  /** Returns how many seconds it took. */
  private double run(String name, int executors, String mode, double deadline) throws InterruptedException {
    executors(executors);
    boolean loses = name.equals("loses");
    JavaRDD<Integer> parts = loses ? cachedParts() : parts();
    spark.setLocalProperty("spark.bellamy.rescale", mode);
    spark.setLocalProperty("spark.bellamy.deadline", Double.toString(deadline));
    spark.setJobGroup("spark.bellamy.run.start " + name, name);
    long begin = System.nanoTime();
    for (int job = 0; job < jobs; job++) {
      if (loses && job == LOST_BEFORE) {
        loseAllButOne();
      }
      iteration(parts);
      if (loses && job == LOST_BEFORE) {
        lossSeenNanos = System.nanoTime();
      }
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    spark.clearJobGroup();
    spark.parallelize(List.of(1)).count(); // of no run: ends this one
    parts.unpersist();
    return seconds;
  }

  // The next job finds it gone, and with it the partitions that it had cached.
  private void loseAllButOne() throws InterruptedException {
    List<String> all = ids();
    cluster.release(all.subList(1, all.size()), all.size());
    awaitExecutors(1, 1);
  }

  private JavaRDD<Integer> parts() {
    return spark.parallelize(IntStream.range(0, TASKS).boxed().collect(Collectors.toList()), TASKS);
  }

  private JavaRDD<Integer> cachedParts() {
    JavaRDD<Integer> made =
        parts()
            .map(
                part -> {
                  Thread.sleep(READING_MILLIS);
                  return part;
                })
            .cache();
    made.count(); // of no run, as the next, since the first iteration over them is slow
    iteration(made);
    return made;
  }

  private void iteration(JavaRDD<Integer> parts) {
    int sleep = millis;
    parts
        .mapToPair(
            part -> {
              Thread.sleep(sleep);
              return new Tuple2<>(part % REDUCERS, part);
            })
        .reduceByKey(Integer::sum, REDUCERS)
        .map(
            sum -> {
              Thread.sleep(sum._1() == 0 ? SERIAL_MILLIS : 0);
              return sum;
            })
        .count();
  }

  private List<String> ids() {
    List<String> all = new ArrayList<>();
    for (Iterator<String> each = spark.sc().getExecutorIds().iterator(); each.hasNext(); ) {
      all.add(each.next());
    }
    Collections.sort(all, (a, b) -> Integer.compare(Integer.parseInt(a), Integer.parseInt(b)));
    return all;
  }

  /** Waits until there are so many, changing their number as often as Spark brings or takes others. */
  private void executors(int count) throws InterruptedException {
    for (int waits = 0; ids().size() != count; waits++) {
      if (waits % 50 == 0) {
        List<String> now = ids();
        if (now.size() > count) {
          cluster.release(now.subList(count, now.size()), now.size());
        } else {
          cluster.request(count);
        }
      }
      pause(waits, count);
    }
  }

  private void awaitExecutors(int count, int most) throws InterruptedException {
    for (int waits = 0; ids().size() < count || ids().size() > most; waits++) {
      pause(waits, count);
    }
  }

  private void pause(int waits, int count) throws InterruptedException {
    if (waits == 600) {
      throw new IllegalStateException("expected " + count + " executors within a minute, found " + ids());
    }
    Thread.sleep(100);
  }
}
