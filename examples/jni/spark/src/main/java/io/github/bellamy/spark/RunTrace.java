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
  private final String application;
  private String run;
  private final List<Property> properties;
  private final long start;
  private final List<ScaleOutStep> steps = new ArrayList<>();
  private final List<Job> jobs = new ArrayList<>();
  private final Map<Integer, Job> running = new LinkedHashMap<>(); // in the order of submission
  private final Map<Long, StageRecord> stages = new HashMap<>();
  private long lastKnown;
  private int ended;
  private boolean concurrent;
  private boolean besideOthers;

  RunTrace(String system, String application, String run, List<Property> properties, long start, int cores) {
    this.system = system;
    this.application = application;
    this.run = run;
    this.properties = properties;
    this.start = start;
    lastKnown = start;
    steps.add(new ScaleOutStep(0, cores));
  }

  void name(String words) {
    run = words;
  }

  String name() {
    return run;
  }

  List<Property> properties() {
    return properties;
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

  void scaleOut(long time, int cores) {
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

  /** Null where no job of this run has the stage. */
  StageRecord stage(int id, int attempt) {
    return stages.get(key(id, attempt));
  }

  private static long key(int id, int attempt) {
    return (long) id << 32 | attempt;
  }

  /** Of the jobs that have ended, without durations of tasks, which a forecast of the rest does not look at. */
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
        application, run, ScaleOutUnit.CORE, properties, new ArrayList<>(steps), done, seconds(now), TraceOutcome.UNFINISHED);
  }

  private List<StageTrace> stagesOf(Job job) {
    List<StageTrace> all = new ArrayList<>();
    for (StageRecord each : job.stages) {
      if (each.completed >= 0) {
        double submitted = seconds(each.submitted);
        double completed = seconds(each.completed);
        all.add(
            StageTrace.builder(each.id, submitted, completed)
                .attempt(each.attempt)
                .name(each.name)
                .parents(parents(job, each))
                .tasks(each.tasks)
                .outcome(each.outcome)
                .scaleOut(coresAt(submitted), coresAt(completed))
                .build());
      }
    }
    return all;
  }

  // Parents that did not run in this job were skipped.
  private static long[] parents(Job job, StageRecord of) {
    long[] all = new long[of.parents.size()];
    int found = 0;
    for (int parent : of.parents) {
      for (StageRecord each : job.stages) {
        if (each.id == parent) {
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
    return last > first && to > from ? (last - first) / (to - from) : 0;
  }

  private double seconds(long time) {
    return Math.max(0, time - start) / 1000.0;
  }

  void known(long time) {
    lastKnown = Math.max(lastKnown, time);
  }

  /** When the last job ended, or what else was known last. */
  long lastKnownMillis() {
    return lastKnown;
  }

  double runtimeSeconds(long end) {
    return seconds(Math.max(end, lastKnown));
  }

  /** The run as a line of a trace file. It ended as its last job did; one beside others is unfinished. */
  void writeTo(JsonGenerator into, long end) throws IOException {
    into.writeNumberField("format", 1);
    into.writeStringField("system", system);
    into.writeStringField("application", application);
    into.writeStringField("run", run);
    into.writeStringField("unit", "core");
    into.writeNumberField("started_at_s", start / 1000.0);
    into.writeNumberField("runtime_s", runtimeSeconds(end));
    into.writeStringField("outcome", words(outcome()));
    into.writeObjectFieldStart("properties");
    for (Property each : properties) {
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

  private TraceOutcome outcome() {
    if (besideOthers) {
      return TraceOutcome.UNFINISHED;
    }
    Job last = null;
    for (Job job : jobs) {
      if (job.completed < 0) {
        return TraceOutcome.UNFINISHED;
      }
      last = last == null || job.completed >= last.completed ? job : last;
    }
    return last == null ? TraceOutcome.SUCCEEDED : last.outcome;
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
    writeEnd(into, job.completed, job.outcome, job.failure);
    if (!job.stages.isEmpty()) {
      into.writeArrayFieldStart("stages");
      for (StageRecord each : job.stages) {
        writeStage(into, job, each);
      }
      into.writeEndArray();
    }
    into.writeEndObject();
  }

  private void writeStage(JsonGenerator into, Job job, StageRecord stage) throws IOException {
    double submitted = seconds(stage.submitted);
    double completed = seconds(stage.completed < 0 ? lastKnown : stage.completed);
    into.writeStartObject();
    into.writeNumberField("id", stage.id);
    into.writeNumberField("attempt", stage.attempt);
    into.writeStringField("name", stage.name);
    into.writeFieldName("parents");
    long[] parents = parents(job, stage);
    into.writeArray(parents, 0, parents.length);
    into.writeNumberField("tasks", stage.tasks);
    into.writeNumberField("partitions", stage.partitions);
    into.writeNumberField("submitted_s", submitted);
    writeEnd(into, stage.completed, stage.outcome, stage.failure);
    into.writeFieldName("scale_out");
    into.writeArray(new int[] {coresAt(submitted), coresAt(completed)}, 0, 2);
    into.writeNumberField("rescaling_share", rescalingShare(submitted, completed));
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
