package io.github.bellamy.spark;

import io.github.bellamy.TraceOutcome;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.scheduler.JobFailed;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerEnvironmentUpdate;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerResourceProfileAdded;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Product;
import scala.Some;
import scala.collection.Iterator;

/**
 * Keeps the trace of the present run and appends it when the run ends. A run is the application, or in a driver that lives long the
 * jobs of a group whose name begins with {@value RescalerSettings#RUN_START}. Spark calls it from one thread, to which nothing is
 * thrown.
 */
class RunListener extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(RunListener.class);
  private static final String GROUP = "spark.jobGroup.id";
  private static final int MOST_KEPT = 64;

  /** A run of more is dropped, so that the memory of its trace is bounded. */
  static final int MOST_JOBS = 100_000;

  private static final int MOST_SHARED = 1000;
  private static final String SQL_END = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd";

  private final String system;
  private final String application; // as it calls itself, or Databricks its job
  private final int taskCpus;
  private final RescalerSettings ofApplication;
  private final Environment environment = new Environment();
  private final NotBatch notBatch = new NotBatch();
  private final Map<String, Integer> coresOfExecutors = new LinkedHashMap<>(); // in the order in which they came
  private final Map<String, Integer> profilesOfExecutors = new HashMap<>(); // their resource profiles
  private final List<Runnable> kept = new ArrayList<>(MOST_KEPT);
  private final Set<Integer> runningJobs = new HashSet<>(); // of all groups
  private final Set<String> shared = new LinkedHashSet<>(); // marked groups of which jobs ran beside others, the oldest first
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private long cpuNanos;
  private String applicationId = "";
  private String newestGroup = ""; // also of jobs that are only kept
  private String group = "";
  private RescalerSettings settings;
  private RunTrace run; // null between the marked runs, and where nothing needs it
  private boolean jobOfRunEnded; // the last job that ended was one of the run
  private boolean saidFailure;
  private String sqlFailure = ""; // of the last SQL execution that ended, if it failed
  private long sqlFailedAt;

  RunListener(String system, String application, long startMillis, int taskCpus, RescalerSettings settings) {
    this.system = system;
    this.application = application;
    this.taskCpus = Math.max(1, taskCpus);
    this.ofApplication = settings;
    this.settings = settings;
    run = trace("", startMillis);
  }

  /** Null where it would neither be recorded nor asked about. */
  private RunTrace trace(String name, long startMillis) {
    if (settings.record == null && settings.history == null) {
      return null;
    }
    RunTrace made = new RunTrace(system, application, name, environment, settings, startMillis, coresOfExecutors.size(), cores());
    coresOfExecutors.forEach((id, cores) -> made.facts().executor(cores, profilesOfExecutors.get(id)));
    return made;
  }

  /** streaming, server or interactive where the run is the application, and that is no batch job; else empty. */
  final String notBatch() {
    return group.isEmpty() ? notBatch.flag(environment, application) : "";
  }

  static RunListener of(SparkContext spark, RescalerSettings settings) {
    return new RunListener(systemOf(spark), nameOf(spark), spark.startTime(), taskCpusOf(spark), settings);
  }

  static String nameOf(SparkContext spark) {
    return Environment.nameOf(ListenerPlugin.values(spark.conf(), ""), spark.appName());
  }

  static String systemOf(SparkContext spark) {
    return "spark " + spark.version();
  }

  static int taskCpusOf(SparkContext spark) {
    return spark.conf().getInt("spark.task.cpus", 1);
  }

  /** A run that is marked as one begins; that of the application did when this was made. */
  void runBegan(RescalerSettings ofTheRun) {}

  /** A job has begun, of the run or beside it. */
  void jobBegan(RunTrace ofRun) {}

  /** Whether it wants to know when a job of the run ends. */
  boolean asks() {
    return false;
  }

  /** A job of the run has ended, the last that did, and it asks. */
  void jobEnded(RunTrace ofRun, RescalerSettings ofTheRun, long time) {}

  /** The application ends, and the trace of its last run is not written yet. */
  void applicationEnds() {}

  /** Something failed, the first time in this run. */
  void sayFailed(Throwable failed) {
    LOG.error("bellamy failed; the application goes on without it", failed);
  }

  /** Present executors in the order in which they came. */
  final List<String> executors() {
    return new ArrayList<>(coresOfExecutors.keySet());
  }

  /** CPU time of the callbacks so far. */
  final long cpuNanos() {
    return cpuNanos;
  }

  /**
   * Keeps what an event tells. Events are worked through many at a time: code that a driver of small jobs runs every few
   * milliseconds finds its caches cold, and takes several times as long.
   */
  private void keep(Runnable event) {
    long begin = threads.getCurrentThreadCpuTime();
    kept.add(event);
    cpuNanos += threads.getCurrentThreadCpuTime() - begin;
    if (kept.size() == MOST_KEPT) {
      workThrough(() -> {});
    }
  }

  /** All that is kept, and then this. */
  private void workThrough(Runnable last) {
    long begin = threads.getCurrentThreadCpuTime();
    kept.forEach(this::guarded);
    kept.clear();
    guarded(last);
    cpuNanos += threads.getCurrentThreadCpuTime() - begin;
  }

  // Whatever fails here, the application runs on.
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | LinkageError failed) {
      if (!saidFailure) {
        sayFailed(failed);
      }
      saidFailure = true;
    }
  }

  final int cores() {
    return coresOfExecutors.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Override
  public void onApplicationStart(SparkListenerApplicationStart start) {
    keep(
        () -> {
          applicationId = start.appId().isDefined() ? start.appId().get() : "";
          if (run != null) {
            String attempt = start.appAttemptId().getOrElse(() -> "");
            run.name(applicationId, attempt.matches("[1-9][0-9]{0,8}") ? Long.parseLong(attempt) : 1);
          }
        });
  }

  @Override
  public void onEnvironmentUpdate(SparkListenerEnvironmentUpdate update) {
    keep(() -> environment.take(update));
  }

  @Override
  public void onResourceProfileAdded(SparkListenerResourceProfileAdded added) {
    keep(
        () -> {
          ResourceProfile profile = added.resourceProfile();
          if (profile.id() == ResourceProfile.DEFAULT_RESOURCE_PROFILE_ID() && profile.executorResources().contains("memory")) {
            environment.defaultMemory(profile.executorResources().apply("memory").amount());
          }
        });
  }

  /** What streams, servers and SQL post. */
  @Override
  public void onOtherEvent(SparkListenerEvent event) {
    keep(
        () -> {
          notBatch.event(event.getClass().getName());
          if (run != null && group.isEmpty()) { // a query of a group's run is told of before the first job, by which the run is known
            run.facts().scans().event(event);
          }
          if (event.getClass().getName().equals(SQL_END) && event instanceof Product) {
            sqlEnded((Product) event);
          }
        });
  }

  // By its parts, since its class is not of Spark's core: number, time, and the error where there was one.
  private void sqlEnded(Product end) {
    Object error = end.productArity() > 2 ? end.productElement(2) : Option.empty();
    String failure = error instanceof Some ? StageRecord.firstLine(String.valueOf(((Some<?>) error).get())) : "";
    long time = (Long) end.productElement(1);
    if (time > sqlFailedAt || (time == sqlFailedAt && !failure.isEmpty())) {
      sqlFailedAt = time;
      sqlFailure = failure;
    }
  }

  @Override
  public void onExecutorAdded(SparkListenerExecutorAdded added) {
    keep(
        () -> {
          int cores = added.executorInfo().totalCores();
          coresOfExecutors.put(added.executorId(), cores);
          profilesOfExecutors.put(added.executorId(), added.executorInfo().resourceProfileId());
          if (run != null) {
            run.facts().executor(cores, added.executorInfo().resourceProfileId());
          }
          scaleOutChanged(added.time());
        });
  }

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    keep(
        () -> {
          profilesOfExecutors.remove(removed.executorId());
          if (coresOfExecutors.remove(removed.executorId()) != null) {
            scaleOutChanged(removed.time());
          }
        });
  }

  private void scaleOutChanged(long time) {
    if (run != null) {
      run.scaleOut(time, coresOfExecutors.size(), cores());
    }
  }

  @Override
  public void onJobStart(SparkListenerJobStart job) {
    Properties local = job.properties() == null ? new Properties() : job.properties();
    String ofJob = local.getProperty(GROUP, "");
    boolean ofStream = NotBatch.isOfStream(local);
    keep(
        () -> {
          if (ofStream) {
            notBatch.jobOfStream();
          }
          runningJobs.add(job.jobId());
          enterRun(ofJob, local, job.time());
          if (run != null) {
            jobStarted(job, ofJob);
          }
        });
    if (!ofJob.equals(newestGroup)) { // a run may begin
      newestGroup = ofJob;
      workThrough(() -> {});
    }
  }

  private void jobStarted(SparkListenerJobStart job, String ofJob) {
    boolean ofRun = group.isEmpty() || ofJob.equals(group);
    boolean othersRun = runningJobs.size() - 1 > run.runningJobs();
    if (!ofRun || othersRun || shared.contains(ofJob)) {
      share(ofJob);
    }
    if (ofRun && run.jobs() == MOST_JOBS) {
      LOG.warn("bellamy drops the run {}: it has more than {} jobs", run.name(), MOST_JOBS);
      run = null;
      return;
    }
    if (ofRun) {
      List<Integer> stages = new ArrayList<>();
      for (Iterator<Object> each = job.stageIds().iterator(); each.hasNext(); ) {
        stages.add((Integer) each.next());
      }
      run.jobStarted(job.jobId(), job.time(), stages);
    }
    jobBegan(run);
  }

  /** Jobs of the run and others are running at once. Whatever begins later in their groups may be a part of a run. */
  private void share(String ofJob) {
    run.besideOthers();
    for (String each : List.of(group, ofJob)) {
      if (isMarked(each)) {
        shared.add(each);
      }
    }
    while (shared.size() > MOST_SHARED) {
      shared.remove(shared.iterator().next());
    }
  }

  private static boolean isMarked(String group) {
    return group.startsWith(RescalerSettings.RUN_START);
  }

  private void enterRun(String ofJob, Properties local, long time) {
    boolean marked = isMarked(ofJob);
    if (!marked && group.isEmpty()) {
      return; // the application is the run
    }
    if (ofJob.equals(group)) {
      return;
    }
    if (!group.isEmpty() && run != null && run.runningJobs() > 0) {
      return; // a job beside the run
    }
    if (!group.isEmpty()) {
      finish(run == null ? 0 : run.lastKnownMillis(), 0);
    }
    run = null; // jobs before and between marked runs belong to none
    group = marked ? ofJob : "none";
    if (marked) {
      saidFailure = false;
      settings = ofApplication.with(ownValues(local));
      String name = applicationId + " " + ofJob.substring(RescalerSettings.RUN_START.length()).trim();
      run = trace(name.trim(), time);
      runBegan(settings);
    }
  }

  private static Map<String, String> ownValues(Properties local) {
    Map<String, String> own = new HashMap<>();
    for (String each : local.stringPropertyNames()) {
      if (each.startsWith(RescalerSettings.PREFIX)) {
        own.put(each.substring(RescalerSettings.PREFIX.length()), local.getProperty(each));
      }
    }
    return own;
  }

  @Override
  public void onStageSubmitted(SparkListenerStageSubmitted stage) {
    keep(
        () -> {
          if (run != null) {
            run.stageSubmitted(new StageRecord(stage.stageInfo(), run.lastKnownMillis()));
            run.facts().stageSubmitted(stage.stageInfo().attemptNumber());
          }
        });
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd task) {
    keep(
        () -> {
          StageRecord stage = run == null ? null : run.stage(task.stageId(), task.stageAttemptId());
          if (stage != null) {
            int cores = coresOfExecutors.getOrDefault(task.taskInfo().executorId(), taskCpus);
            stage.taskEnded(task.taskInfo(), task.taskMetrics(), cores / taskCpus);
            run.facts().taskEnded(task, stage);
          }
        });
  }

  @Override
  public void onStageCompleted(SparkListenerStageCompleted stage) {
    keep(
        () -> {
          StageRecord known =
              run == null ? null : run.stage(stage.stageInfo().stageId(), stage.stageInfo().attemptNumber());
          if (known != null) {
            known.completed(stage.stageInfo(), run.lastKnownMillis());
            run.stageCompleted(known);
          }
        });
  }

  @Override
  public void onJobEnd(SparkListenerJobEnd job) {
    keep(
        () -> {
          runningJobs.remove(job.jobId());
          String failure =
              job.jobResult() instanceof JobFailed
                  ? StageRecord.firstLine(((JobFailed) job.jobResult()).exception().getMessage())
                  : "";
          TraceOutcome outcome =
              !(job.jobResult() instanceof JobFailed)
                  ? TraceOutcome.SUCCEEDED
                  : StageRecord.outcomeOf(failure);
          jobOfRunEnded = run != null && run.jobEnded(job.jobId(), job.time(), outcome, failure);
        });
    if (asks()) {
      workThrough(
          () -> {
            if (jobOfRunEnded) {
              jobEnded(run, settings, job.time());
            }
          });
    }
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd end) {
    workThrough(
        () -> {
          applicationEnds();
          if (run != null) {
            finish(group.isEmpty() ? end.time() : run.lastKnownMillis(), group.isEmpty() ? exitCodeOf(end) : 0);
          }
        });
  }

  /** Spark 4 tells it; 0 where nothing does. */
  private static int exitCodeOf(SparkListenerApplicationEnd end) {
    Object code = end.productArity() > 1 ? end.productElement(1) : Option.empty();
    return code instanceof Some ? (Integer) ((Some<?>) code).get() : 0;
  }

  private void finish(long end, int exitCode) {
    if (run == null || settings.record == null || run.jobs() == 0) {
      return;
    }
    if (run.runtimeSeconds(end) <= 0) {
      LOG.info("bellamy does not record the run {}: it took no time", run.name()); // nothing could be learned from a history with it
      return;
    }
    try {
      String ofSql = group.isEmpty() && sqlFailedAt >= run.lastKnownMillis() ? sqlFailure : "";
      String mark = notBatch();
      TraceFile.append(settings.record, into -> run.writeTo(into, end, exitCode, ofSql, mark), true);
      LOG.info("bellamy recorded the run {} of {} in {}", run.name(), application, settings.record);
    } catch (IOException failed) {
      LOG.error("bellamy could not record this run", failed);
    }
  }
}
