package io.github.bellamy.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * A driver that lives long: runs of the same iterative application, each marked as one. Its tasks sleep, so that more cores help on
 * any machine. {@code SleepyRuns EXECUTORS learn} runs it at several numbers of executors and then by deadlines, {@code SleepyRuns
 * EXECUTORS ask} by deadlines alone, with a history that is there, {@code SleepyRuns EXECUTORS small JOBS} jobs that do next to nothing.
 */
public final class SleepyRuns {
  /** Of the runs of {@code learn}, which has time. */
  static final int LONG_JOBS = 10;
  /** Of the runs of {@code ask}. */
  static final int SHORT_JOBS = 8;
  static final int TASKS = 6;
  static final int REDUCERS = 2;
  /** Of every stage, wherever its line is. */
  static final String STAGE = "sleep";

  private static final int LONG_MILLIS = 200;
  static final int SHORT_MILLIS = 100;
  private static final int LOST_AFTER = 3;
  private static final int LOSS_SECONDS = 9; // until Spark has ended the executor, and others have come

  private final JavaSparkContext spark;
  private final SparkCluster cluster;
  private int jobs = LONG_JOBS;
  private int millis = LONG_MILLIS;

  private SleepyRuns(JavaSparkContext spark) {
    this.spark = spark;
    cluster = new SparkCluster(spark.sc());
    spark.setCallSite(STAGE);
  }

  public static void main(String[] arguments) throws InterruptedException {
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
          runs.ask();
          break;
        default:
          runs.learn();
      }
    }
  }

  private void learn() throws InterruptedException {
    warmUp();
    run("three", 3, "advise", 3600);
    double two = run("two", 2, "advise", 3600);
    double one = run("one", 1, "advise", 1.2 * two);
    run("acting", 1, "act", 0.9 * one);
    run("slack", 3, "act", 5 * one);
    run("loses", 2, "act", 1.2 * two + LOSS_SECONDS);
  }

  // Deadlines by what a job sleeps: 0.4 s on two cores, 0.7 s on one.
  private void ask() throws InterruptedException {
    jobs = SHORT_JOBS;
    millis = SHORT_MILLIS;
    warmUp();
    run("advised", 2, "advise", 2.5);
    run("acting", 2, "act", 2.5);
    run("loses", 2, "act", 5);
    run("slack", 2, "act", 3600);
  }

  // Of no run: a driver and executors that have just started are slower than later.
  private void warmUp() {
    for (int i = 0; i < jobs; i++) {
      iteration();
    }
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
    spark.setLocalProperty("spark.bellamy.rescale", mode);
    spark.setLocalProperty("spark.bellamy.deadline", Double.toString(deadline));
    spark.setJobGroup("spark.bellamy.run.start " + name, name);
    long begin = System.nanoTime();
    for (int job = 0; job < jobs; job++) {
      if (name.equals("acting") && job == jobs - 1) {
        awaitExecutors(2, Integer.MAX_VALUE); // which a busy machine may take long to start
      }
      Thread loss = null;
      if (name.equals("loses") && job == LOST_AFTER) {
        loss = new Thread(this::loseAllButOne);
        loss.start();
      }
      iteration();
      if (loss != null) {
        loss.join();
        executors(1);
      }
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    spark.clearJobGroup();
    spark.parallelize(List.of(1)).count(); // of no run: ends this one
    return seconds;
  }

  // While tasks run on them.
  private void loseAllButOne() {
    try {
      Thread.sleep(millis / 2);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
    List<String> all = ids();
    if (all.size() > 1) {
      cluster.release(all.subList(1, all.size()), all.size());
    }
  }

  private void iteration() {
    int sleep = millis;
    List<Integer> parts = IntStream.range(0, TASKS).boxed().collect(Collectors.toList());
    spark
        .parallelize(parts, TASKS)
        .mapToPair(
            part -> {
              Thread.sleep(sleep);
              return new Tuple2<>(part % REDUCERS, part);
            })
        .reduceByKey(Integer::sum, REDUCERS)
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
