package io.github.bellamy.spark;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * A run of its own, whose jobs read what the first one shuffled: without that, its stage runs again in a later job. Its tasks sleep, so
 * that more cores help on any machine. It is told what to do by {@code spark.test.} and
 *
 * <ul>
 *   <li>{@code workers}: for so many executors it waits at first
 *   <li>{@code executors}: it gives back all but so many before its first job; 0 takes those that there are
 *   <li>{@code jobs}, {@code tasks}, {@code millis}: how many, and how long a task sleeps
 *   <li>{@code loses}: before this job, counted from 0, an executor is lost, and Spark replaces it
 *   <li>{@code unknown}: from this job on each has another stage
 *   <li>{@code comes}: before its last two jobs it waits until it has so many executors
 * </ul>
 */
public final class SleepyApplication {
  static final String PREFIX = "spark.test.";

  private final JavaSparkContext spark;
  private final SparkConf conf;

  SleepyApplication(JavaSparkContext spark) {
    this.spark = spark;
    conf = spark.getConf();
  }

  public static void main(String[] arguments) throws InterruptedException, IOException {
    try (JavaSparkContext spark = new JavaSparkContext()) {
      new SleepyApplication(spark).run();
    }
  }

  private int number(String name, int otherwise) {
    return conf.getInt(PREFIX + name, otherwise);
  }

  private void run() throws InterruptedException, IOException {
    awaitExecutors(number("workers", 1));
    begin(number("executors", 0));
    jobs(number("jobs", 8), number("tasks", 6), number("millis", 200), number("loses", -1), number("unknown", Integer.MAX_VALUE));
    if (conf.getBoolean("spark.ui.enabled", true)) {
      printMetrics();
    }
  }

  void awaitExecutors(int least) throws InterruptedException {
    for (int waits = 0; ids().size() < least; waits++) {
      pause(waits);
    }
  }

  void jobs(int jobs, int tasks, int millis, int loses, int unknown) throws InterruptedException {
    spark.setCallSite("sleep");
    JavaPairRDD<Integer, Integer> shuffled =
        spark
            .parallelize(IntStream.range(0, tasks).boxed().collect(Collectors.toList()), tasks)
            .mapToPair(part -> slept(part, millis))
            .partitionBy(new HashPartitioner(tasks));
    for (int job = 0; job < jobs; job++) {
      if (job == loses) {
        loseOne();
      }
      if (job == jobs - 2) {
        awaitExecutors(number("comes", 1));
      }
      // The last task to begin sleeps three times as long, which no core makes shorter: fewer cores are cheaper for whoever has time.
      JavaPairRDD<Integer, Integer> result =
          shuffled.mapToPair(pair -> slept(pair._1(), pair._1() == tasks - 1 ? 3 * millis : millis));
      if (unknown <= job) {
        result = result.reduceByKey(Integer::sum, 2);
      }
      result.count();
    }
  }

  private static Tuple2<Integer, Integer> slept(int part, int millis) throws InterruptedException {
    Thread.sleep(millis);
    return new Tuple2<>(part, part);
  }

  /** So many, or with 0 those that there are. */
  void begin(int executors) throws InterruptedException {
    SparkCluster cluster = new SparkCluster(spark.sc());
    for (int waits = 0; executors > 0 && ids().size() != executors; waits++) {
      if (waits % 50 == 0) {
        List<String> now = ids();
        if (now.size() > executors) {
          cluster.release(now.subList(executors, now.size()), now.size());
        } else {
          cluster.request(executors);
        }
      }
      pause(waits);
    }
  }

  /** The first of them, which has a part of what was shuffled. */
  private void loseOne() throws InterruptedException {
    List<String> before = ids();
    spark.sc().killAndReplaceExecutor(before.get(0));
    for (int waits = 0; ids().contains(before.get(0)); waits++) {
      pause(waits);
    }
    awaitExecutors(1);
  }

  private void pause(int waits) throws InterruptedException {
    if (waits == 1200) {
      throw new IllegalStateException("expected other executors within two minutes, found " + ids());
    }
    Thread.sleep(100);
  }

  List<String> ids() {
    List<String> all = new ArrayList<>();
    for (Iterator<String> each = spark.sc().getExecutorIds().iterator(); each.hasNext(); ) {
      all.add(each.next());
    }
    all.sort((a, b) -> Integer.compare(Integer.parseInt(a), Integer.parseInt(b)));
    return all;
  }

  /** Those of the plugin, as Prometheus reads them. */
  private void printMetrics() throws IOException {
    try (InputStream page = new URL(spark.sc().uiWebUrl().get() + "/metrics/prometheus").openStream()) {
      new String(page.readAllBytes(), StandardCharsets.UTF_8).lines().filter(each -> each.contains("bellamy")).forEach(System.out::println);
    }
  }
}
