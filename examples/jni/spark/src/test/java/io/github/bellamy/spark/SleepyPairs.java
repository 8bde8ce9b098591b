package io.github.bellamy.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;

/**
 * One of two drivers, with the plugin and without, that make the same runs at the same time, each with executors of its own: what else
 * the machine does slows both. {@code SleepyPairs FOLDER NAME OTHER JOBS MILLIS HISTORY CASE...}: it begins a run when the other one
 * does, by files in the folder. First it makes so many runs on one executor and as many on two, from which the plugin learns. A case is
 * {@code STATE,EXECUTORS,MODE,DEADLINE,LOSES,UNKNOWN}, its deadline in times of the median run on one executor, jobs from 0 or -1.
 */
public final class SleepyPairs {
  private static final int TASKS = 6;

  /** Executors over time. */
  private static final class Executors extends SparkListener {
    private long since = System.nanoTime();
    private final Set<String> present = new HashSet<>();
    private double seconds;

    private synchronized double until(long now) {
      seconds += present.size() * (now - since) / 1e9;
      since = now;
      return seconds;
    }

    private synchronized void change(String executor, boolean comes) {
      until(System.nanoTime());
      if (comes) {
        present.add(executor);
      } else {
        present.remove(executor);
      }
    }

    @Override
    public void onExecutorAdded(SparkListenerExecutorAdded added) {
      change(added.executorId(), true);
    }

    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
      change(removed.executorId(), false);
    }
  }

  private final JavaSparkContext spark;
  private final SleepyApplication application;
  private final Path folder;
  private final String name;
  private final String other;
  private final int jobs;
  private final int millis;
  private final Executors executors = new Executors();
  private int runs;

  private SleepyPairs(JavaSparkContext spark, String[] arguments) {
    this.spark = spark;
    application = new SleepyApplication(spark);
    folder = Path.of(arguments[0]);
    name = arguments[1];
    other = arguments[2];
    jobs = Integer.parseInt(arguments[3]);
    millis = Integer.parseInt(arguments[4]);
  }

  public static void main(String[] arguments) throws InterruptedException, IOException {
    try (JavaSparkContext spark = new JavaSparkContext()) {
      SleepyPairs pairs = new SleepyPairs(spark, arguments);
      double alone = pairs.learn(Integer.parseInt(arguments[5]));
      for (int i = 6; i < arguments.length; i++) {
        pairs.runCase(arguments[i].split(","), alone);
      }
    }
  }

  /** Returns the median of the runs on one executor. */
  private double learn(int history) throws InterruptedException, IOException {
    application.awaitExecutors(2);
    spark.sc().addSparkListener(executors);
    application.ids().forEach(each -> executors.change(each, true));
    application.jobs(4, TASKS, millis, -1, Integer.MAX_VALUE); // of no run: the first ones of a driver are slow
    set("rescale", "advise");
    set("record", folder.resolve("history.jsonl").toString());
    set("history", folder.resolve("nothing.jsonl").toString());
    List<Double> alone = new ArrayList<>();
    for (int i = 0; i < 2 * history; i++) {
      double[] took = run("history", 1 + i % 2, -1, -1);
      if (i % 2 == 0) {
        alone.add(took[0]);
      }
    }
    set("record", folder.resolve("record.jsonl").toString());
    Collections.sort(alone);
    return alone.get(alone.size() / 2);
  }

  private void set(String key, String value) {
    spark.setLocalProperty(RescalerSettings.PREFIX + key, value);
  }

  private void runCase(String[] fields, double alone) throws InterruptedException, IOException {
    double deadline = Double.parseDouble(fields[3]) * alone;
    set("history", folder.resolve(fields[0].equals("learning") ? "nothing.jsonl" : "history.jsonl").toString());
    set("rescale", fields[2]);
    set("deadline", Double.toString(deadline));
    double[] took = run(fields[0], Integer.parseInt(fields[1]), Integer.parseInt(fields[4]), Integer.parseInt(fields[5]));
    System.out.printf(
        Locale.ROOT, "pair %s deadline %.3f took %.3f s and %.3f executor-seconds%n", String.join(",", fields), deadline, took[0], took[1]);
  }

  /** Returns seconds and executor-seconds. */
  private double[] run(String state, int count, int loses, int unknown) throws InterruptedException, IOException {
    application.begin(count);
    application.jobs(2, TASKS, millis, -1, Integer.MAX_VALUE); // of no run: the first ones of an executor are slow
    meet();
    spark.setJobGroup(RescalerSettings.RUN_START + " " + runs + " " + state, state);
    long begin = System.nanoTime();
    double before = executors.until(begin);
    application.jobs(jobs, TASKS, millis, loses, unknown < 0 ? Integer.MAX_VALUE : unknown);
    long end = System.nanoTime();
    double[] took = {(end - begin) / 1e9, executors.until(end) - before};
    spark.clearJobGroup();
    spark.parallelize(List.of(1)).count(); // of no run: ends this one
    return took;
  }

  /** Waits until both drivers are here. */
  private void meet() throws InterruptedException, IOException {
    Files.createFile(folder.resolve(name + "." + runs));
    while (!Files.exists(folder.resolve(other + "." + runs))) {
      Thread.sleep(20);
    }
    runs++;
  }
}
