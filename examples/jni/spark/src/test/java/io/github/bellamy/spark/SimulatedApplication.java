package io.github.bellamy.spark;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.spark.Success$;
import org.apache.spark.executor.ExecutorMetrics;
import org.apache.spark.executor.TaskMetrics;
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
      String id = Integer.toString(nextExecutor++);
      executors.add(id);
      listener.onExecutorAdded(new SparkListenerExecutorAdded(now, id, new ExecutorInfo("host", CORES, Map$.MODULE$.empty())));
    }
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

  int startJob(int stages) {
    scala.collection.immutable.List<StageInfo> infos = List$.MODULE$.empty();
    for (int i = stages - 1; i >= 0; i--) {
      infos = infos.$colon$colon(stage(nextStage + i, i > 0));
    }
    Properties properties = new Properties();
    properties.putAll(local);
    listener.onJobStart(new SparkListenerJobStart(nextJob, now, infos, properties));
    return nextJob++;
  }

  void runStages(int count, double slowness) {
    for (int i = 0; i < count; i++) {
      StageInfo info = stage(nextStage++, i > 0);
      info.submissionTime_$eq(new Some<>(now));
      listener.onStageSubmitted(new SparkListenerStageSubmitted(info, local));
      runTasks(info, slowness);
      info.completionTime_$eq(new Some<>(now));
      listener.onStageCompleted(new SparkListenerStageCompleted(info));
    }
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
    scala.collection.immutable.List<Object> parents = List$.MODULE$.empty();
    if (hasParent) {
      parents = parents.$colon$colon(id - 1);
    }
    return new StageInfo(
        id, 0, "stage at Simulated.java:" + (hasParent ? 2 : 1), TASKS, List$.MODULE$.empty(), parents, "", new TaskMetrics(),
        List$.MODULE$.empty(), Option.empty(), 0, false, 0);
  }

  private void runTasks(StageInfo stage, double slowness) {
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
      TaskMetrics metrics = new TaskMetrics();
      listener.onTaskEnd(
          new SparkListenerTaskEnd(
              stage.stageId(), 0, "ResultTask", Success$.MODULE$, info, new ExecutorMetrics(), metrics));
      last = Math.max(last, info.finishTime());
    }
    now = last;
  }
}
