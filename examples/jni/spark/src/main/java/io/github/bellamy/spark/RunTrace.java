package io.github.bellamy.spark;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.JobTrace;
import io.github.bellamy.Property;
import io.github.bellamy.ScaleOutStep;
import io.github.bellamy.ScaleOutUnit;
import io.github.bellamy.StageTrace;
import io.github.bellamy.TraceOutcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The trace of the present run, as its listener is told of it; one thread writes. Times are milliseconds since the Unix epoch. */
final class RunTrace {
  private static final class Job {
    final int id;
    final long submitted;
    final List<Integer> listed;
    final List<StageRecord> stages = new ArrayList<>();
    long completed = -1;
    TraceOutcome outcome = TraceOutcome.UNFINISHED;
    String failure = "";
    JobTrace ended; // made for the first question after its end, for all that follow

    Job(int id, long submitted, List<Integer> listed) {
      this.id = id;
      this.submitted = submitted;
      this.listed = listed;
    }
  }

  private final String system;
  private final String fullName;
  private final String application;
  private String run;
  private long attempt = 1;
  private final Environment environment;
  private final List<Property> stated;
  private List<Property> properties; // null before the first question for them
  private final RunFacts facts = new RunFacts();
  private int coresOfExecutor;
  private final long start;
  private final List<ScaleOutStep> steps = new ArrayList<>();
  private final List<Job> jobs = new ArrayList<>();
  private final Map<Integer, Job> running = new LinkedHashMap<>(); // in the order of submission
  private final Map<Long, StageRecord> stages = new HashMap<>();
  private final Map<Integer, Integer> stagesOfShuffles = new HashMap<>(); // by which stage each was written first
  private long lastKnown;
  private int ended;
  private boolean concurrent;
  private boolean besideOthers;

  /** The settings tell what the application is called. A run of a group begins with executors that are there already. */
  RunTrace(
      String system, String fullName, String run, Environment environment, RescalerSettings settings, long start, int executors, int cores) {
    this.system = system;
    this.fullName = fullName;
    this.application = settings.application(fullName);
    this.run = run;
    this.environment = environment;
    this.stated = settings.properties;
    this.start = start;
    lastKnown = start;
    steps.add(new ScaleOutStep(0, cores));
    known(start, executors, cores);
  }

  void name(String words, long attempt) {
    run = words;
    this.attempt = attempt;
  }

  String name() {
    return run;
  }

  /** Of the environment, but for those that the user states otherwise, and what else he states. */
  List<Property> properties() {
    if (properties == null) {
      List<Property> all = environment.properties();
      stated.forEach(property -> all.removeIf(other -> other.name().equals(property.name())));
      all.addAll(stated);
      properties = all;
    }
    return properties;
  }

  RunFacts facts() {
    return facts;
  }

  int finishedJobs() {
    return ended;
  }

  int jobs() {
    return jobs.size();
  }

  int runningJobs() {
    return running.size();
  }

  /** Whether a job began before another one had ended: the jobs are then no chain, and what they leave to come is not known. */
  boolean concurrent() {
    return concurrent || besideOthers;
  }

  /** Jobs that are not of this run take a share of its executors, and where it begins and ends is not known: it counts as unfinished. */
  void besideOthers() {
    besideOthers = true;
  }

  private void known(long time, int executors, int cores) {
    facts.scaleOut(time, executors, cores);
    coresOfExecutor = executors > 0 ? Math.max(coresOfExecutor, cores / executors) : coresOfExecutor;
  }

  void scaleOut(long time, int executors, int cores) {
    known(time, executors, cores);
    double at = seconds(time);
    int last = steps.size() - 1;
    if (steps.get(last).atSeconds() >= at) {
      at = steps.get(last).atSeconds();
      steps.remove(last);
    }
    steps.add(new ScaleOutStep(at, cores));
  }

  void jobStarted(int id, long time, List<Integer> stageIds) {
    concurrent |= !running.isEmpty();
    Job job = new Job(id, Math.max(time, lastKnown(jobs)), stageIds);
    jobs.add(job);
    running.put(id, job);
    known(time);
  }

  // Spark takes the times on several threads; the order of the events is that of submission.
  private static long lastKnown(List<Job> jobs) {
    return jobs.isEmpty() ? 0 : jobs.get(jobs.size() - 1).submitted;
  }

  /** Returns whether it is a job of this run. */
  boolean jobEnded(int id, long time, TraceOutcome outcome, String failure) {
    Job job = running.remove(id);
    if (job == null) {
      return false;
    }
    job.completed = Math.max(time, job.submitted);
    job.outcome = outcome;
    job.failure = failure;
    ended++;
    known(time);
    return true;
  }

  /** A stage belongs to the first job that lists it and runs now. */
  void stageSubmitted(StageRecord stage) {
    for (Job job : running.values()) {
      if (job.listed.contains(stage.id)) {
        job.stages.add(stage);
        stages.put(key(stage.id, stage.attempt), stage);
        return;
      }
    }
  }

  void stageCompleted(StageRecord stage) {
    if (stage.shuffle >= 0 && stage.outcome == TraceOutcome.SUCCEEDED) {
      stagesOfShuffles.putIfAbsent(stage.shuffle, stage.id);
    }
  }

  /** Whether a stage writes again what one of an earlier job had written, and what was lost with an executor. */
  private boolean recomputes(StageRecord stage) {
    return stagesOfShuffles.getOrDefault(stage.shuffle, stage.id) != stage.id;
  }

  /** Null where no job of this run has the stage. */
  StageRecord stage(int id, int attempt) {
    return stages.get(key(id, attempt));
  }

  private static long key(int id, int attempt) {
    return (long) id << 32 | attempt;
  }

  /**
   * Of the jobs that have ended, without durations of tasks, which a forecast of the rest does not look at. Nor does it have stages that
   * ran again in a later job: by their jobs it is known what is to come, and the time they took is a part of their job's.
   */
  ApplicationTrace soFar(long now) {
    List<JobTrace> done = new ArrayList<>();
    for (Job job : jobs) {
      if (job.completed < 0) {
        continue;
      }
      if (job.ended == null) {
        job.ended = new JobTrace(job.id, seconds(job.submitted), seconds(job.completed), job.outcome, stagesOf(job));
      }
      done.add(job.ended);
    }
    return new ApplicationTrace(
        application, run, ScaleOutUnit.CORE, properties(), new ArrayList<>(steps), done, seconds(now), TraceOutcome.UNFINISHED);
  }

  private List<StageTrace> stagesOf(Job job) {
    List<StageTrace> all = new ArrayList<>();
    List<StageRecord> stages = new ArrayList<>(job.stages);
    stages.removeIf(this::recomputes);
    for (StageRecord each : stages) {
      if (each.completed >= 0) {
        double submitted = seconds(each.submitted);
        double completed = seconds(each.completed);
        all.add(
            StageTrace.builder(each.id, submitted, completed)
                .attempt(each.attempt)
                .name(each.name)
                .parents(parents(stages, each))
                .tasks(each.tasks)
                .outcome(each.outcome)
                .scaleOut(coresAt(submitted), coresAt(completed))
                .build());
      }
    }
    return all;
  }

  // Parents that are not among the stages of its job were skipped.
  private static long[] parents(List<StageRecord> ofJob, StageRecord of) {
    long[] all = new long[of.parents.size()];
    int found = 0;
    for (int parent : of.parents) {
      for (StageRecord each : ofJob) {
        if (each.id == parent && parent < of.id) {
          all[found++] = parent;
          break;
        }
      }
    }
    return found == all.length ? all : Arrays.copyOf(all, found);
  }

  private int coresAt(double time) {
    for (int i = steps.size() - 1; i >= 0; i--) {
      if (steps.get(i).atSeconds() <= time) {
        return steps.get(i).scaleOut();
      }
    }
    return 0;
  }

  private double rescalingShare(double from, double to) {
    double first = Double.NaN;
    double last = Double.NaN;
    for (ScaleOutStep each : steps.subList(1, steps.size())) {
      if (each.atSeconds() >= from && each.atSeconds() <= to) {
        first = Double.isNaN(first) ? each.atSeconds() : first;
        last = each.atSeconds();
      }
    }
    return last > first && to > from ? Math.round(1e4 * (last - first) / (to - from)) / 1e4 : 0;
  }

  private double seconds(long time) {
    return Math.max(0, time - start) / 1000.0;
  }

  void known(long time) {
    facts.time(time);
    lastKnown = Math.max(lastKnown, time);
  }

  /** When the last job ended, or what else was known last. */
  long lastKnownMillis() {
    return lastKnown;
  }

  double runtimeSeconds(long end) {
    return seconds(Math.max(end, lastKnown));
  }

  /**
   * The run as a line of a trace file. It ended as its last job did, but for a driver that failed; one beside others is unfinished.
   * {@code sqlFailure} is of an SQL execution that ended behind all jobs; {@code notBatch} tells why the run is no batch job.
   */
  void writeTo(JsonGenerator into, long end, int exitCode, String sqlFailure, String notBatch) throws IOException {
    inferEnds();
    End finish = ended(exitCode, sqlFailure);
    into.writeNumberField("format", 1);
    into.writeStringField("system", system);
    into.writeStringField("application", application);
    into.writeStringField("run", run);
    if (attempt != 1) {
      into.writeNumberField("attempt", attempt);
    }
    into.writeStringField("unit", "core");
    int cpus = environment.taskCpus();
    if (cpus > 1 && coresOfExecutor >= cpus) {
      into.writeNumberField("slots_per_unit", (double) (coresOfExecutor / cpus) / coresOfExecutor);
    }
    into.writeNumberField("started_at_s", start / 1000.0);
    into.writeNumberField("runtime_s", runtimeSeconds(end));
    into.writeStringField("outcome", words(finish.outcome));
    if (!finish.failure.isEmpty()) {
      into.writeStringField("failure", finish.failure);
    }
    if (!fullName.equals(application)) {
      into.writeStringField("name", fullName);
    }
    facts.time(Math.max(end, lastKnown));
    boolean failedJobs = jobs.stream().anyMatch(each -> each.outcome == TraceOutcome.FAILED);
    facts.writeTo(into, environment, statedMegabytes(), failedJobs, notBatch, working(end), end);
    into.writeObjectFieldStart("properties");
    for (Property each : properties()) {
      writeProperty(into, each);
    }
    into.writeEndObject();
    into.writeArrayFieldStart("scale_out");
    for (ScaleOutStep each : steps) {
      into.writeStartArray();
      into.writeNumber(each.atSeconds());
      into.writeNumber(each.scaleOut());
      into.writeEndArray();
    }
    into.writeEndArray();
    into.writeArrayFieldStart("jobs");
    for (Job each : jobs) {
      writeJob(into, each);
    }
    into.writeEndArray();
  }

  private long statedMegabytes() {
    for (Property each : stated) {
      if (each.name().equals("data_size_MB") && each.value() instanceof Long) {
        return (Long) each.value();
      }
    }
    return 0;
  }

  /** When the first job began, negative without any, and when the last one ended. */
  private long[] working(long end) {
    long first = -1;
    long last = start;
    for (Job each : jobs) {
      first = first < 0 ? each.submitted : Math.min(first, each.submitted);
      last = Math.max(last, each.completed < 0 ? end : each.completed);
    }
    return new long[] {first, last};
  }

  /** The last stage of a job, which has the highest number, ends with it: it succeeds only together with the job. */
  private void inferEnds() {
    for (Job job : running.values()) {
      int last = job.listed.stream().mapToInt(Integer::intValue).max().orElse(-1);
      for (StageRecord stage : job.stages) {
        if (stage.id == last && stage.completed >= 0 && stage.outcome == TraceOutcome.SUCCEEDED) {
          job.completed = stage.completed;
          job.outcome = TraceOutcome.SUCCEEDED;
        }
      }
    }
  }

  private static final class End {
    final TraceOutcome outcome;
    final String failure;

    End(TraceOutcome outcome, String failure) {
      this.outcome = outcome;
      this.failure = failure;
    }
  }

  private End ended(int exitCode, String sqlFailure) {
    if (besideOthers) {
      return new End(TraceOutcome.UNFINISHED, "");
    }
    if (exitCode != 0) {
      return new End(TraceOutcome.FAILED, "exit code " + exitCode);
    }
    Job last = null;
    for (Job job : jobs) {
      if (job.completed < 0) {
        return new End(TraceOutcome.UNFINISHED, "job " + job.id + " has no end");
      }
      last = last == null || job.completed >= last.completed ? job : last;
    }
    if (!sqlFailure.isEmpty()) {
      return new End(StageRecord.outcomeOf(sqlFailure), sqlFailure);
    }
    return last == null ? new End(TraceOutcome.SUCCEEDED, "") : new End(last.outcome, last.failure);
  }

  private static void writeProperty(JsonGenerator into, Property each) throws IOException {
    switch (each.kind()) {
      case TEXT:
        into.writeStringField(each.name(), (String) each.value());
        break;
      case NATURAL:
        into.writeNumberField(each.name(), (Long) each.value());
        break;
      case QUANTITY:
        into.writeNumberField(each.name(), (Double) each.value());
        break;
      default:
        into.writeNullField(each.name());
    }
  }

  private void writeJob(JsonGenerator into, Job job) throws IOException {
    into.writeStartObject();
    into.writeNumberField("id", job.id);
    into.writeNumberField("submitted_s", seconds(job.submitted));
    writeEnd(into, job.completed, job.outcome, "");
    if (!job.stages.isEmpty()) {
      into.writeArrayFieldStart("stages");
      List<StageRecord> inOrder = new ArrayList<>(job.stages);
      inOrder.sort(Comparator.<StageRecord>comparingInt(each -> each.id).thenComparingInt(each -> each.attempt));
      for (StageRecord each : inOrder) {
        writeStage(into, job, each);
      }
      into.writeEndArray();
    }
    into.writeEndObject();
  }

  private void writeStage(JsonGenerator into, Job job, StageRecord stage) throws IOException {
    into.writeStartObject();
    into.writeNumberField("id", stage.id);
    into.writeNumberField("attempt", stage.attempt);
    into.writeStringField("name", stage.name);
    into.writeFieldName("parents");
    long[] parents = parents(job.stages, stage);
    into.writeArray(parents, 0, parents.length);
    into.writeNumberField("tasks", stage.tasks);
    into.writeNumberField("partitions", stage.partitions);
    double submitted = seconds(stage.submitted);
    into.writeNumberField("submitted_s", submitted);
    writeEnd(into, stage.completed, stage.outcome, stage.failure);
    if (stage.completed >= 0) {
      double completed = seconds(stage.completed);
      into.writeFieldName("scale_out");
      into.writeArray(new int[] {coresAt(submitted), coresAt(completed)}, 0, 2);
      into.writeNumberField("rescaling_share", rescalingShare(submitted, completed));
    }
    stage.writeMeasured(into);
    into.writeEndObject();
  }

  private void writeEnd(JsonGenerator into, long completed, TraceOutcome outcome, String failure) throws IOException {
    if (completed >= 0) {
      into.writeNumberField("completed_s", seconds(completed));
    }
    if (outcome != TraceOutcome.SUCCEEDED) {
      into.writeStringField("outcome", words(outcome));
    }
    if (!failure.isEmpty()) {
      into.writeStringField("failure", failure);
    }
  }

  private static String words(TraceOutcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }
}
