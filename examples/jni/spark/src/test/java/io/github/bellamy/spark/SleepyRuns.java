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
 * A driver that lives long: runs of the same iterative application, each marked as one, at several numbers of executors. Its tasks
 * sleep, so that more cores help on any machine. {@code small JOBS} instead runs so many jobs that do next to nothing.
 */
public final class SleepyRuns {
  static final int JOBS = 10;
  private static final int TASKS = 6;
  private static final int SLEEP_MILLIS = 200;
  private static final int LOST_AFTER = 3;
  private static final int LOSS_SECONDS = 9; // until Spark has ended the executor, and others have come

  private final JavaSparkContext spark;
  private final SparkCluster cluster;

  private SleepyRuns(JavaSparkContext spark) {
    this.spark = spark;
    cluster = new SparkCluster(spark.sc());
  }

  public static void main(String[] arguments) throws InterruptedException {
    try (JavaSparkContext spark = new JavaSparkContext()) {
      SleepyRuns runs = new SleepyRuns(spark);
      int workers = Integer.parseInt(spark.sc().master().replaceAll("\\D*(\\d+).*", "$1"));
      runs.awaitExecutors(workers, workers);
      if (arguments.length == 2) {
        runs.executors(1);
        runs.small(Integer.parseInt(arguments[1]));
        return;
      }
      for (int i = 0; i < JOBS; i++) {
        runs.iteration(); // of no run: a driver and executors that have just started are slower than later
      }
      runs.run("three", 3, "advise", 3600);
      double two = runs.run("two", 2, "advise", 3600);
      double one = runs.run("one", 1, "advise", 1.2 * two);
      runs.run("acting", 1, "act", 0.9 * one);
      runs.run("slack", 3, "act", 5 * one);
      runs.run("loses", 2, "act", 1.2 * two + LOSS_SECONDS);
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
    for (int job = 0; job < JOBS; job++) {
      if (name.equals("acting") && job == JOBS - 1) {
        awaitExecutors(2, Integer.MAX_VALUE); // which a busy machine may take long to start
      }
      iteration();
      if (name.equals("loses") && job == LOST_AFTER - 1) {
        executors(executors - 1);
      }
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    spark.clearJobGroup();
    spark.parallelize(List.of(1)).count(); // of no run: ends this one
    return seconds;
  }

  private void iteration() {
    List<Integer> parts = IntStream.range(0, TASKS).boxed().collect(Collectors.toList());
    spark
        .parallelize(parts, TASKS)
        .mapToPair(
            part -> {
              Thread.sleep(SLEEP_MILLIS);
              return new Tuple2<>(part % 2, part);
            })
        .reduceByKey(Integer::sum, 2)
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

  /** Waits until there are so many, changing their number where it is another. */
  private void executors(int count) throws InterruptedException {
    List<String> now = ids();
    if (now.size() > count) {
      cluster.release(now.subList(count, now.size()), now.size());
    } else if (now.size() < count) {
      cluster.request(count);
    }
    awaitExecutors(count, count);
  }

  private void awaitExecutors(int count, int most) throws InterruptedException {
    for (int waits = 0; ids().size() < count || ids().size() > most; waits++) {
      if (waits == 600) {
        throw new IllegalStateException("expected " + count + " executors within a minute, found " + ids());
      }
      Thread.sleep(100);
    }
  }
}
