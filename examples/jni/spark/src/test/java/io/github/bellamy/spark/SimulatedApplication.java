package io.github.bellamy.spark;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.spark.Success$;
import org.apache.spark.executor.ExecutorMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.rdd.DeterministicLevel;
import org.apache.spark.scheduler.JobFailed;
import org.apache.spark.scheduler.JobResult;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocality;
import org.apache.spark.scheduler.cluster.ExecutorInfo;
import org.apache.spark.storage.RDDInfo;
import org.apache.spark.storage.StorageLevel;
import scala.Option;
import scala.Some;
import scala.collection.immutable.List$;
import scala.collection.immutable.Map$;

/** Tells a listener what Spark would, at times of its own: jobs of two stages, whose tasks share the executors of two cores. */
final class SimulatedApplication {
  static final long START = 1_700_000_000_000L;
  static final int CORES = 2;
  private static final int TASKS = 12;

  private final SparkListener listener;
  private final List<String> executors = new ArrayList<>();
  private final Properties local = new Properties();
  private int nextExecutor;
  private int nextJob;
  private int nextStage;
  private long nextTask;
  volatile long now = START;

  SimulatedApplication(SparkListener listener) {
    this.listener = listener;
  }

  void start(String id, int count) {
    Option<scala.collection.Map<String, String>> none = Option.empty();
    listener.onApplicationStart(
        new SparkListenerApplicationStart("sim", new Some<>(id), now, "user", Option.empty(), none, none));
    now += 1000;
    addExecutors(count);
  }

  void addExecutors(int count) {
    for (int i = 0; i < count; i++) {
      addExecutor(CORES, 0);
    }
  }

  void addExecutor(int cores, int profile) {
    String id = Integer.toString(nextExecutor++);
    executors.add(id);
    ExecutorInfo info =
        new ExecutorInfo("host", cores, Map$.MODULE$.empty(), Map$.MODULE$.empty(), Map$.MODULE$.empty(), profile);
    listener.onExecutorAdded(new SparkListenerExecutorAdded(now, id, info));
  }

  void removeExecutor(String id) {
    executors.remove(id);
    listener.onExecutorRemoved(new SparkListenerExecutorRemoved(now, id, "gone"));
  }

  /** Of the jobs that start from now on. */
  void setLocal(String key, String value) {
    local.setProperty(key, value);
  }

  /** One after another; each task takes 600 ms times the slowness, so that a job takes its time over the cores. */
  void jobs(int count, double slowness) {
    for (int i = 0; i < count; i++) {
      int job = startJob(2);
      runStages(2, slowness);
      endJob(job, null);
    }
  }

  /** Of three stages. */
  void jobThatIsUnknown() {
    int job = startJob(3);
    runStages(3, 1);
    endJob(job, null);
  }

  /** As the others, but one of its stages writes again what a stage of an earlier job had written, and what was lost. */
  void jobThatRecomputes(int earlierStage) {
    StageInfo again = stage(nextStage, 0, List.of(), earlierStage);
    StageInfo map = stage(nextStage + 1, 0, List.of(nextStage), nextStage + 1);
    StageInfo result = stage(nextStage + 2, 0, List.of(nextStage + 1), -1);
    int job = startJob(List.of(again, map, result));
    nextStage += 3;
    for (StageInfo each : List.of(again, map, result)) {
      runStage(each, 1);
    }
    endJob(job, null);
  }

  /** As the others, but its second stage finds what the first one wrote lost, and both are tried again. */
  void jobThatRetries() {
    int job = startJob(2);
    runStages(1, 1);
    StageInfo lost = stage(nextStage, 0, List.of(nextStage - 1), -1);
    lost.submissionTime_$eq(new Some<>(now));
    listener.onStageSubmitted(new SparkListenerStageSubmitted(lost, local));
    lost.stageFailed("FetchFailed");
    listener.onStageCompleted(new SparkListenerStageCompleted(lost));
    runStage(stage(nextStage - 1, 1, List.of(), nextStage - 1), 1);
    runStage(stage(nextStage, 1, List.of(nextStage - 1), -1), 1);
    nextStage++;
    endJob(job, null);
  }

  int startJob(int stages) {
    List<StageInfo> all = new ArrayList<>();
    for (int i = 0; i < stages; i++) {
      all.add(stage(nextStage + i, i > 0));
    }
    return startJob(all);
  }

  private int startJob(List<StageInfo> stages) {
    scala.collection.immutable.List<StageInfo> infos = List$.MODULE$.empty();
    for (int i = stages.size() - 1; i >= 0; i--) {
      infos = infos.$colon$colon(stages.get(i));
    }
    Properties properties = new Properties();
    properties.putAll(local);
    listener.onJobStart(new SparkListenerJobStart(nextJob, now, infos, properties));
    return nextJob++;
  }

  void runStages(int count, double slowness) {
    for (int i = 0; i < count; i++) {
      runStage(stage(nextStage++, i > 0), slowness);
    }
  }

  private void runStage(StageInfo info, double slowness) {
    runStage(info, slowness, new TaskMetrics());
  }

  private void runStage(StageInfo info, double slowness, TaskMetrics metrics) {
    info.submissionTime_$eq(new Some<>(now));
    listener.onStageSubmitted(new SparkListenerStageSubmitted(info, local));
    runTasks(info, slowness, metrics);
    info.completionTime_$eq(new Some<>(now));
    listener.onStageCompleted(new SparkListenerStageCompleted(info));
  }

  /** Of one stage that no other comes before, with these RDDs as its sources, and these metrics of each task. */
  void runStageOf(String[] sources, TaskMetrics metrics) {
    scala.collection.immutable.List<RDDInfo> rdds = List$.MODULE$.empty();
    for (String name : sources) {
      rdds = rdds.$colon$colon(rdd(rdds.size(), name, List$.MODULE$.empty()));
    }
    scala.collection.immutable.List<Object> first = List$.MODULE$.empty();
    rdds = rdds.$colon$colon(rdd(sources.length, "MapPartitionsRDD", first.$colon$colon(0)));
    runStage(stage(nextStage++, 0, List.of(), -1, rdds), 1, metrics);
  }

  private static RDDInfo rdd(int id, String name, scala.collection.immutable.List<Object> parents) {
    return new RDDInfo(
        id, name, TASKS, StorageLevel.NONE(), false, parents, "", Option.empty(), DeterministicLevel.DETERMINATE());
  }

  void endJob(int job, String failure) {
    now += 10;
    JobResult result = failure == null ? JobSucceeded$.MODULE$ : new JobFailed(new IllegalStateException(failure));
    listener.onJobEnd(new SparkListenerJobEnd(job, now, result));
    now += 10;
  }

  void end() {
    listener.onApplicationEnd(applicationEnd(now));
  }

  /** Spark 4 also tells an exit code. */
  static SparkListenerApplicationEnd applicationEnd(long time) {
    Constructor<?> make = SparkListenerApplicationEnd.class.getConstructors()[0];
    try {
      return (SparkListenerApplicationEnd)
          (make.getParameterCount() == 1 ? make.newInstance(time) : make.newInstance(time, Option.empty()));
    } catch (ReflectiveOperationException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private StageInfo stage(int id, boolean hasParent) {
    return stage(id, 0, hasParent ? List.of(id - 1) : List.of(), hasParent ? -1 : id);
  }

  /** {@code shuffle} is the one that it writes, -1 without. */
  private StageInfo stage(int id, int attempt, List<Integer> after, int shuffle) {
    return stage(id, attempt, after, shuffle, List$.MODULE$.empty());
  }

  private StageInfo stage(
      int id, int attempt, List<Integer> after, int shuffle, scala.collection.immutable.List<RDDInfo> rdds) {
    scala.collection.immutable.List<Object> parents = List$.MODULE$.empty();
    for (int parent : after) {
      parents = parents.$colon$colon(parent);
    }
    Option<Object> written = shuffle < 0 ? Option.empty() : new Some<>(shuffle);
    return new StageInfo(
        id, attempt, "stage at Simulated.java:" + (after.isEmpty() ? 1 : 2), TASKS, rdds, parents, "", new TaskMetrics(),
        List$.MODULE$.empty(), written, 0, false, 0);
  }

  private void runTasks(StageInfo stage, double slowness, TaskMetrics metrics) {
    int slots = executors.size() * CORES;
    long begin = now;
    long last = now;
    for (int i = 0; i < TASKS; i++) {
      String executor = executors.get(i % slots / CORES);
      long each = (long) (600 * slowness) + 10 * (nextJob % 3);
      TaskInfo info =
          new TaskInfo(
              nextTask++, i, 0, i, begin + i / slots * each, executor, "host", TaskLocality.PROCESS_LOCAL(), false);
      info.finishTime_$eq(info.launchTime() + each);
      listener.onTaskEnd(
          new SparkListenerTaskEnd(
              stage.stageId(), stage.attemptNumber(), "ResultTask", Success$.MODULE$, info, new ExecutorMetrics(), metrics));
      last = Math.max(last, info.finishTime());
    }
    now = last;
  }
}
