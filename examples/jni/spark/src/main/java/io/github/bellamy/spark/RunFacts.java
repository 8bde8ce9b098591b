package io.github.bellamy.spark;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.Success$;
import org.apache.spark.TaskEndReason;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * What stands beside the trace of a run, so that the run gives the row that its event log gives: sizes, memory, averages of executors
 * and cores, and marks. One thread writes. Times are milliseconds since the Unix epoch.
 */
final class RunFacts {
  private static final long MEGABYTE = 1 << 20;

  private static final List<String> OUT_OF_MEMORY =
      List.of(
          "OutOfMemory",
          "OOM",
          "exit code 137", // Kubernetes, and below
          "exit code: 137",
          "Exit status: 137", // YARN, and below
          "Exit code is 137",
          "exited with code 137", // a standalone worker
          "exceeding memory limits",
          "exceeding physical memory");

  /** By request, or to make room: the exit code tells nothing then. */
  private static final List<String> KILLED_OTHERWISE =
      List.of("killed by the ApplicationMaster", "killed by the ResourceManager", "preempted");

  /** Where more than so many times what was read is shuffled by first stages, what was read is not the data. */
  private static final long MOST_TIMES = 100;

  /** Records without bytes are at least of so many. */
  private static final long BYTES_OF_SMALL_RECORD = 100;

  private static final class Step {
    final long millis;
    final int executors;
    final int cores;

    Step(long millis, int executors, int cores) {
      this.millis = millis;
      this.executors = executors;
      this.cores = cores;
    }
  }

  /** Executors of one request come one by one within seconds: they count as if all came with the first. */
  private static final long SLOW_START_MILLIS = 15_000;

  /** By so much less, or more, than its executor says a task takes for a driver whose clock was set; one that is busy is late by seconds. */
  private static final long LEAST_SHORTFALL_MILLIS = 1_000;

  private static final long LEAST_EXCESS_MILLIS = 600_000;

  /** Some batch jobs wait for days between two events, none for a quarter of a year. */
  private static final long LEAST_JUMP_MILLIS = TimeUnit.DAYS.toMillis(90);

  private final List<Step> steps = new ArrayList<>();
  private final Set<String> sizes = new HashSet<>(); // of executors
  private final FileScans scans = new FileScans();
  private final Map<Integer, BitSet> partitionsRead = new HashMap<>(); // by stage
  private long bytes;
  private long records;
  private long recordsWithBytes; // of tasks that counted bytes
  private long recordsWithoutBytes; // of those that counted none, without rows that the program made itself
  private long firstShuffleBytes;
  private long peakTaskBytes;
  private long heapBytes;
  private boolean ranOutOfMemory;
  private boolean retriedStages;
  private boolean clockWasSet;
  private long lastMillis; // of the last event whose time was told

  /** Of the next event. */
  void time(long millis) {
    clockWasSet |= millis > 0 && lastMillis > 0 && Math.abs(millis - lastMillis) > LEAST_JUMP_MILLIS;
    lastMillis = millis > 0 ? millis : lastMillis;
  }

  /** One of the run, by its cores and its resource profile. */
  void executor(int cores, int profile) {
    sizes.add(cores + " of " + profile);
  }

  /** From this time on, so many. */
  void scaleOut(long millis, int executors, int cores) {
    time(millis);
    if (!steps.isEmpty() && steps.get(steps.size() - 1).millis >= millis) {
      millis = steps.remove(steps.size() - 1).millis;
    }
    steps.add(new Step(millis, executors, cores));
  }

  /** Events of Spark SQL, of all queries of the run. */
  FileScans scans() {
    return scans;
  }

  void stageSubmitted(int attempt) {
    retriedStages |= attempt > 0;
  }

  void taskEnded(SparkListenerTaskEnd task, StageRecord stage) {
    time(task.taskInfo().finishTime());
    ranOutOfMemory |= tellsOutOfMemory(task.reason());
    if (task.taskExecutorMetrics() != null) {
      heapBytes = Math.max(heapBytes, task.taskExecutorMetrics().getMetricValue("JVMHeapMemory"));
    }
    TaskMetrics metrics = task.taskMetrics();
    if (metrics == null) {
      return;
    }
    if (task.reason() == Success$.MODULE$ && metrics.executorRunTime() > 0 && task.taskInfo().finished()) {
      long beyond = task.taskInfo().finishTime() - task.taskInfo().launchTime() - metrics.executorRunTime();
      clockWasSet |= -beyond > LEAST_SHORTFALL_MILLIS || beyond > LEAST_EXCESS_MILLIS;
    }
    peakTaskBytes = Math.max(peakTaskBytes, metrics.peakExecutionMemory());
    int partition = task.taskInfo().partitionId() < 0 ? task.taskInfo().index() : task.taskInfo().partitionId();
    BitSet read = partitionsRead.computeIfAbsent(task.stageId(), id -> new BitSet());
    if (task.reason() == Success$.MODULE$ && !read.get(partition)) { // each partition once
      read.set(partition);
      long bytesOfTask = metrics.inputMetrics().bytesRead();
      long recordsOfTask = metrics.inputMetrics().recordsRead();
      bytes += bytesOfTask;
      records += recordsOfTask;
      recordsWithBytes += bytesOfTask > 0 ? recordsOfTask : 0;
      recordsWithoutBytes += bytesOfTask > 0 || stage.makesRows ? 0 : recordsOfTask;
      firstShuffleBytes += stage.parents.isEmpty() ? metrics.shuffleWriteMetrics().bytesWritten() : 0;
    }
  }

  private static boolean tellsOutOfMemory(TaskEndReason reason) {
    if (reason instanceof ExceptionFailure) {
      ExceptionFailure failure = (ExceptionFailure) reason;
      return tellsOutOfMemory(failure.className()) || tellsOutOfMemory(failure.description());
    }
    return reason instanceof ExecutorLostFailure && tellsOutOfMemory(((ExecutorLostFailure) reason).reason().getOrElse(() -> ""));
  }

  /** As the importer of event logs has it: by SIGKILL (exit code 137) the kernel, YARN and Kubernetes enforce limits of memory. */
  static boolean tellsOutOfMemory(String words) {
    return words != null
        && OUT_OF_MEMORY.stream().anyMatch(words::contains)
        && KILLED_OTHERWISE.stream().noneMatch(words::contains);
  }

  /**
   * Writes nothing where the run had no executor before its end. {@code jobs} is when the first job began, negative where none did, and
   * when the last one ended; {@code statedMegabytes} is what the user says of the data, 0 for nothing.
   */
  void writeTo(JsonGenerator into, Environment environment, long statedMegabytes, boolean failedJobs, String notBatch, long[] jobs, long end)
      throws IOException {
    int first = 0;
    while (first < steps.size() && steps.get(first).executors == 0) {
      first++;
    }
    if (first == steps.size() || steps.get(first).millis >= end) {
      return;
    }
    long from = Math.max(steps.get(first).millis, jobs[0]);
    long to = Math.min(end, jobs[1]);
    if (jobs[0] < 0 || to <= from) {
      from = steps.get(first).millis;
      to = end;
    }
    long[] since = withoutSlowStart(first, from);
    double executors = 0;
    double cores = 0;
    boolean changed = false;
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      double length = Math.min(to, i + 1 < steps.size() ? since[i + 1] : to) - Math.max(from, since[i]);
      if (length > 0) {
        executors += step.executors * length / (to - from);
        cores += step.cores * length / (to - from);
        changed |= since[i] > from;
      }
    }
    long statedCores = environment.count("spark.executor.cores");
    into.writeNumberField("executors", Math.max(1, Math.round(executors)));
    into.writeNumberField("cores", Math.max(1, Math.round(cores)));
    into.writeNumberField("executor_cores", statedCores > 0 ? statedCores : Math.round(cores / Math.max(1e-9, executors)));
    into.writeNumberField("executor_memory_MB", environment.executorMemoryMb());
    writeSize(into, statedMegabytes);
    into.writeStringField("data_measure", statedMegabytes > 0 ? "bytes" : measure());
    if (!environment.master().isEmpty()) {
      into.writeStringField("master", environment.master());
    }
    List<String> flags = new ArrayList<>();
    addIf(flags, changed, "rescaled");
    addIf(flags, environment.allocatesDynamically(), "dynamic_allocation");
    addIf(flags, ranOutOfMemory, "out_of_memory");
    addIf(flags, failedJobs, "failed_jobs");
    addIf(flags, retriedStages, "retried_stages");
    addIf(flags, clockWasSet, "wrong_clock");
    addIf(flags, sizes.size() > 1, "mixed_executors");
    addIf(flags, !notBatch.isEmpty(), notBatch);
    if (!flags.isEmpty()) {
      into.writeStringField("flags", String.join(",", flags));
    }
  }

  /** Since when each step counts. */
  private long[] withoutSlowStart(int first, long from) {
    long[] since = steps.stream().mapToLong(each -> each.millis).toArray();
    for (int i = first + 1; i < since.length; i++) {
      Step before = steps.get(i - 1);
      Step step = steps.get(i);
      if (step.executors < before.executors || step.cores < before.cores || step.millis > from + SLOW_START_MILLIS) {
        break;
      }
      since[i] = Math.min(step.millis, from);
    }
    return since;
  }

  private void writeSize(JsonGenerator into, long statedMegabytes) throws IOException {
    long read = measure().equals("bytes") ? megabytes(bytes) : 0;
    into.writeNumberField("data_size_MB", statedMegabytes > 0 ? statedMegabytes : read);
    into.writeNumberField("records_read", recordsOfData());
    into.writeNumberField("first_shuffle_MB", megabytes(firstShuffleBytes));
    into.writeNumberField("source_MB", megabytes(scans.bytes()));
    into.writeNumberField("peak_task_memory_MB", megabytes(peakTaskBytes));
    into.writeNumberField("peak_executor_heap_MB", megabytes(heapBytes));
  }

  /** Beside bytes, rows that the program made itself are none of the data; alone they are all there is. */
  private long recordsOfData() {
    return bytes > 0 ? recordsWithBytes + recordsWithoutBytes : records;
  }

  /** By what the size of the data is known: as the importer of event logs decides it. */
  private String measure() {
    boolean tellsPart =
        recordsWithBytes > 0
            && recordsWithoutBytes > 10 * recordsWithBytes
            && recordsWithoutBytes > bytes / BYTES_OF_SMALL_RECORD;
    if ((bytes <= 0 && records > 0) || bytes < recordsOfData() / 10 || tellsPart) {
      return "records";
    }
    return firstShuffleBytes <= MEGABYTE || firstShuffleBytes / MOST_TIMES <= bytes ? "bytes" : "shuffle";
  }

  private static long megabytes(long bytes) {
    return (bytes + MEGABYTE - 1) / MEGABYTE;
  }

  private static void addIf(List<String> flags, boolean holds, String flag) {
    if (holds) {
      flags.add(flag);
    }
  }
}
