package io.github.bellamy.spark;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.bellamy.TraceOutcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.storage.RDDInfo;
import scala.collection.Iterator;

/** One attempt of a stage in the present run, and what its tasks measured; one thread writes. */
final class StageRecord {
  /** Beyond this many tasks a trace holds none of their durations, so that its size is bounded. */
  static final int MOST_TASKS = 10_000;

  private static final class Task {
    final long id;
    final long launched;
    final long finished;
    final String executor;
    final boolean counts; // its task's first attempt to succeed

    Task(TaskInfo info, boolean counts) {
      id = info.taskId();
      launched = info.launchTime();
      finished = info.finishTime();
      executor = info.executorId();
      this.counts = counts;
    }
  }

  final int id;
  final int attempt;
  final String name;
  final List<Integer> parents = new ArrayList<>();
  final int tasks;
  final int partitions;
  /** spark.range and the like: the program itself is its only source. */
  final boolean makesRows;
  final long submitted;
  /** The shuffle that it writes, by its number in the driver; -1 of a stage that ends a job. */
  final int shuffle;
  long completed = -1;
  TraceOutcome outcome = TraceOutcome.UNFINISHED;
  String failure = "";

  private final BitSet succeeded = new BitSet();
  private final Map<String, Integer> slots = new HashMap<>(); // of executors that ran a task
  private List<Task> ended = new ArrayList<>();
  private boolean measured;
  private long cpuNanos;
  private long runMillis;
  private long gcMillis;
  private long inputBytes;
  private long outputBytes;
  private long shuffleReadBytes;
  private long shuffleWriteBytes;
  private long memorySpilledBytes;
  private long diskSpilledBytes;
  private long peakMemoryBytes;

  StageRecord(StageInfo info, long now) {
    id = info.stageId();
    attempt = info.attemptNumber();
    name = info.name();
    tasks = info.numTasks();
    for (Iterator<Object> each = info.parentIds().iterator(); each.hasNext(); ) {
      parents.add((Integer) each.next());
    }
    int all = 0;
    int sources = 0;
    int madeByProgram = 0;
    for (Iterator<RDDInfo> each = info.rddInfos().iterator(); each.hasNext(); ) {
      RDDInfo rdd = each.next();
      all += rdd.numPartitions();
      if (rdd.parentIds().isEmpty()) {
        sources++;
        madeByProgram += rdd.name().equals("ParallelCollectionRDD") ? 1 : 0;
      }
    }
    partitions = all;
    makesRows = sources > 0 && sources == madeByProgram;
    shuffle = info.shuffleDepId().isDefined() ? (Integer) info.shuffleDepId().get() : -1;
    submitted = info.submissionTime().isDefined() ? (Long) info.submissionTime().get() : now;
  }

  void completed(StageInfo info, long now) {
    completed = Math.max(submitted, info.completionTime().isDefined() ? (Long) info.completionTime().get() : now);
    boolean failed = info.failureReason().isDefined();
    failure = failed ? firstLine(info.failureReason().get()) : "";
    outcome = failed ? outcomeOf(failure) : TraceOutcome.SUCCEEDED;
  }

  /** Of what did not succeed, for this reason. */
  static TraceOutcome outcomeOf(String reason) {
    String words = reason.toLowerCase(Locale.ROOT);
    return words.contains("cancelled") || words.contains("canceled") ? TraceOutcome.KILLED : TraceOutcome.FAILED;
  }

  static String firstLine(String words) {
    return words == null ? "" : words.lines().findFirst().orElse("");
  }

  /** A task attempt that has ended, on an executor with so many slots; metrics may be null. */
  void taskEnded(TaskInfo info, TaskMetrics metrics, int slotsOfExecutor) {
    if (metrics != null) {
      add(metrics);
    }
    if (ended == null || ended.size() == MOST_TASKS) {
      ended = null;
      return;
    }
    boolean counts = info.successful() && !succeeded.get(info.index());
    if (counts) {
      succeeded.set(info.index());
    }
    ended.add(new Task(info, counts));
    slots.put(info.executorId(), slotsOfExecutor);
  }

  private void add(TaskMetrics metrics) {
    measured = true;
    cpuNanos += metrics.executorCpuTime();
    runMillis += metrics.executorRunTime();
    gcMillis += metrics.jvmGCTime();
    inputBytes += metrics.inputMetrics().bytesRead();
    outputBytes += metrics.outputMetrics().bytesWritten();
    shuffleReadBytes += metrics.shuffleReadMetrics().totalBytesRead();
    shuffleWriteBytes += metrics.shuffleWriteMetrics().bytesWritten();
    memorySpilledBytes += metrics.memoryBytesSpilled();
    diskSpilledBytes += metrics.diskBytesSpilled();
    peakMemoryBytes = Math.max(peakMemoryBytes, metrics.peakExecutionMemory());
  }

  /** The fields of a stage of a trace file that its tasks fill. */
  void writeMeasured(JsonGenerator into) throws IOException {
    into.writeObjectFieldStart("metrics");
    if (measured) {
      into.writeNumberField("cpu_s", Math.round(cpuNanos / 1e6) / 1e3);
    }
    into.writeNumberField("run_s", runMillis / 1e3);
    into.writeNumberField("gc_s", gcMillis / 1e3);
    into.writeNumberField("input_bytes", inputBytes);
    into.writeNumberField("output_bytes", outputBytes);
    into.writeNumberField("shuffle_read_bytes", shuffleReadBytes);
    into.writeNumberField("shuffle_write_bytes", shuffleWriteBytes);
    into.writeNumberField("memory_spilled_bytes", memorySpilledBytes);
    into.writeNumberField("disk_spilled_bytes", diskSpilledBytes);
    into.writeNumberField("peak_execution_memory_bytes", peakMemoryBytes);
    into.writeEndObject();
    if (ended == null) {
      return;
    }
    List<Task> inOrder = new ArrayList<>(ended);
    inOrder.sort(Comparator.<Task>comparingLong(each -> each.launched).thenComparingLong(each -> each.id));
    into.writeArrayFieldStart("task_s");
    Map<String, Integer> launched = new HashMap<>();
    int firstWave = 0;
    for (Task each : inOrder) {
      int before = launched.merge(each.executor, 1, Integer::sum) - 1;
      if (each.counts) {
        into.writeNumber(Math.max(0, each.finished - each.launched) / 1e3);
        firstWave += before < slots.get(each.executor) ? 1 : 0;
      }
    }
    into.writeEndArray();
    into.writeNumberField("first_wave", firstWave);
  }
}
