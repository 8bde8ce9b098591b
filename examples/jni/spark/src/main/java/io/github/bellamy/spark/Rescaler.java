package io.github.bellamy.spark;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.bellamy.ApplicationModel;
import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.BellamyException;
import io.github.bellamy.Forecast;
import io.github.bellamy.JobTrace;
import io.github.bellamy.Prediction;
import io.github.bellamy.Price;
import io.github.bellamy.Property;
import io.github.bellamy.RescaleRequest;
import io.github.bellamy.Rescaling;
import io.github.bellamy.ScaleOutUnit;
import io.github.bellamy.StageTrace;
import io.github.bellamy.TraceOutcome;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers on a thread of its own what the rest of a run takes, and by its settings asks for executors or gives some back. Of the
 * questions that wait the newest is answered, the others are dropped. Whatever fails is logged once for a run, and goes no further.
 */
final class Rescaler implements AutoCloseable {
  /** Up to so many sizes are all candidates; of more, each is about an eighth more than the one before. */
  private static final int MOST_SINGLE_STEPS = 33;

  /** The library's own limit, in cores. */
  private static final int LARGEST_SCALE_OUT = 1_000_000;

  private static final int LONGEST_WAIT_SECONDS = 1;
  private static final int WARM_UPS = 5;

  /** So many times the CPU time of a question must pass for the next, beyond what a run may ask at once: of small jobs not all are asked about. */
  private static final long PAUSE_FACTOR = 2_000;

  /** CPU time of the questions that a run may ask without a pause. */
  private static final long UNPAUSED_NANOS = 20_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(Rescaler.class);

  private final Cluster cluster;
  private final boolean mayAct;
  private final LongSupplier clockMillis;
  private final long pauseFactor;
  private final long unpausedNanos;
  private final Learned learned;
  private final ThreadPoolExecutor thread;
  private volatile boolean knowsNothing;
  private volatile int beginnings; // counted by the listener's thread
  private volatile long restedNanos = System.nanoTime(); // when all questions so far will have had their pauses

  // Of the thread alone.
  private final Set<String> said = new HashSet<>();
  private Forecast whole;
  private ApplicationModel boundOf;
  private List<Property> boundTo;
  private String run;
  private long lastChangeMillis;
  private boolean changed;
  private final Set<String> going = new HashSet<>(); // executors given back that are still there
  private final Times times = new Times();

  /** {@code mayAct} is false while Spark allocates dynamically. */
  Rescaler(String application, NameRule names, Cluster cluster, boolean mayAct) {
    this(application, names, cluster, mayAct, System::currentTimeMillis, PAUSE_FACTOR, UNPAUSED_NANOS);
  }

  /** For tests. */
  Rescaler(
      String application,
      NameRule names,
      Cluster cluster,
      boolean mayAct,
      LongSupplier clockMillis,
      long pauseFactor,
      long unpausedNanos) {
    this.cluster = cluster;
    this.mayAct = mayAct;
    this.clockMillis = clockMillis;
    this.pauseFactor = pauseFactor;
    this.unpausedNanos = unpausedNanos;
    learned = new Learned(application, names);
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(1),
            task -> {
              Thread made = new Thread(task, "bellamy-rescaler");
              made.setDaemon(true);
              return made;
            },
            new ThreadPoolExecutor.DiscardOldestPolicy());
  }

  /** A run begins: learns what its first question will need, and asks one in vain, since the first of a JVM takes long. */
  void begin(RescalerSettings settings) {
    int beginning = ++beginnings;
    knowsNothing = false; // until it has looked
    restedNanos = System.nanoTime();
    thread.execute(
        () ->
            guarded(
                "",
                () -> {
                  if (settings.acts && !mayAct) {
                    sayOnce("", "bellamy only advises: spark.dynamicAllocation.enabled already changes the executors", null);
                  }
                  try {
                    prepare(settings, settings.properties, "");
                  } finally {
                    knowsNothing = whole == null && beginning == beginnings;
                  }
                  if (whole == null) {
                    sayOnce("", "bellamy only records: there is no run to learn from", null);
                  } else if (times.questions() == 0) {
                    warmUp(settings);
                  }
                }));
  }

  /** What is done once for a run: to learn what was added to the history, and to bind the forecast to the run's properties. */
  private void prepare(RescalerSettings settings, List<Property> properties, String butForRun) throws IOException {
    long begin = cpuNanos();
    try {
      learned.refresh(settings.history, butForRun);
    } catch (IOException | RuntimeException | LinkageError failed) {
      forget(); // it may be of another history
      boundOf = null;
      throw failed;
    }
    if (learned.model() != boundOf || !properties.equals(boundTo)) {
      forget();
      boundOf = learned.model();
      boundTo = properties;
      whole = boundOf == null ? null : boundOf.bind(boundTo);
    }
    times.preparingCpuNanos += cpuNanos() - begin;
  }

  private void warmUp(RescalerSettings settings) {
    JobTrace job = new JobTrace(0, 0, 1, TraceOutcome.SUCCEEDED, List.of(StageTrace.of(0, 0, 1)));
    ApplicationTrace begun =
        new ApplicationTrace(
            learned.model().application(), "", ScaleOutUnit.CORE, settings.properties, List.of(), List.of(job), 1, TraceOutcome.UNFINISHED);
    Question of = new Question(settings, begun, List.of("0"), 1);
    for (int i = 0; i < WARM_UPS; i++) {
      try (Forecast rest = whole.observe(begun)) {
        words(of, rest, rest.remaining(1), 0, decide(of, rest, 0), "");
      }
    }
  }

  /** Whether a question may be answered now: there is a history, and the last ones had their pauses. Making one costs. */
  boolean ready() {
    return !knowsNothing && rested();
  }

  private boolean rested() {
    return restedNanos - System.nanoTime() <= pauseFactor * unpausedNanos;
  }

  void ask(Question question) {
    thread.execute(
        () -> {
          if (!rested()) {
            return; // it was asked while another was being answered
          }
          long begin = cpuNanos() - times.preparingCpuNanos;
          guarded(question.soFar.run(), () -> answer(question));
          long now = System.nanoTime();
          restedNanos = now + Math.max(0, restedNanos - now) + pauseFactor * (cpuNanos() - times.preparingCpuNanos - begin);
        });
  }

  /** Of the thread that asks. */
  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /** CPU time of its thread so far in nanoseconds, and how long the questions took. For when no question is under way. */
  Times times() {
    return times;
  }

  /** Waits for the question under way, but not for long: an application that ends must not wait for what is being learned. */
  @Override
  public void close() {
    thread.execute(
        () -> {
          times.threadCpuNanos = cpuNanos() - times.preparingCpuNanos;
          forget();
          learned.close();
        });
    thread.shutdown();
    try {
      thread.awaitTermination(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  // LinkageError: the native library is not there. Exception: Scala's methods declare none of those that they throw.
  private void guarded(String ofRun, Step step) {
    try {
      step.run();
    } catch (Exception | LinkageError failed) {
      sayOnce(ofRun, "bellamy gives no advice: " + failed.getMessage(), failed instanceof BellamyException ? null : failed);
    }
  }

  private void sayOnce(String ofRun, String sentence, Throwable why) {
    if (said.add(ofRun + '\n' + sentence)) {
      LOG.warn(sentence, why);
    }
  }

  private void forget() {
    if (whole != null) {
      whole.close();
      whole = null;
    }
  }

  private void answer(Question asked) throws IOException {
    going.retainAll(asked.executors);
    Question of = asked.without(going);
    if (!of.soFar.run().equals(run)) {
      run = of.soFar.run();
      prepare(of.settings, of.soFar.properties(), run);
    }
    if (whole == null) {
      return;
    }
    long begin = System.nanoTime();
    try (Forecast rest = whole.observe(of.soFar)) {
      if (!ofAKnownShape(rest, of.soFar.jobs())) {
        sayOnce(run, "bellamy gives no advice: the jobs of this run are not those of any run it learned from", null);
        return;
      }
      double elapsed = of.elapsedSeconds();
      Prediction remaining = rest.remaining(of.cores);
      Rescaling decision = decide(of, rest, elapsed);
      long took = System.nanoTime() - begin;
      times.question(took);
      String done = decision == null ? "" : act(of, decision);
      tell(of, rest, remaining, elapsed, decision, done, took);
    }
  }

  private static boolean ofAKnownShape(Forecast rest, List<JobTrace> jobs) {
    for (int i = 0; i < jobs.size(); i++) {
      long stages = jobs.get(i).stages().stream().map(each -> each.id()).distinct().count();
      if (i >= rest.jobs() || stages != rest.stages(i)) {
        return false;
      }
    }
    return true;
  }

  private Rescaling decide(Question of, Forecast rest, double elapsed) {
    if (Double.isNaN(of.settings.deadlineSeconds) || of.executors.isEmpty()) {
      return null;
    }
    // A price per unit makes the least time of cores the best; what it is in money does not change the choice.
    Price price = Price.perUnitAndHour(1).withStartUp(of.settings.delaySeconds);
    return rest.rescale(
        candidates(of),
        price,
        new RescaleRequest(of.settings.deadlineSeconds, elapsed, of.settings.probability, of.cores));
  }

  private int[] candidates(Question of) {
    int each = of.coresOfAnExecutor();
    int seen = (learned.model().largestSeenScaleOut() + each - 1) / each;
    int most = of.settings.maxExecutors > 0 ? of.settings.maxExecutors : Math.max(seen, of.executors.size());
    most = Math.min(most, LARGEST_SCALE_OUT / each);
    boolean few = most - of.settings.minExecutors < MOST_SINGLE_STEPS;
    Set<Integer> all = new TreeSet<>(Set.of(of.cores));
    for (int executors = of.settings.minExecutors; executors < most; executors += few ? 1 : 1 + executors / 8) {
      all.add(executors * each);
    }
    if (of.settings.minExecutors <= most) {
      all.add(most * each);
    }
    return all.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Returns in words what was done or left. */
  private String act(Question of, Rescaling decision) {
    int present = of.executors.size();
    int wanted = (decision.scaleOut() + of.coresOfAnExecutor() - 1) / of.coresOfAnExecutor();
    if (!decision.changes() || wanted == present) {
      return "stays";
    }
    String change =
        wanted > present ? counted(wanted - present, "more executor") : counted(present - wanted, "executor") + " less";
    if (!of.settings.acts || !mayAct) {
      return "advises " + change;
    }
    if (wanted < present && !of.settings.losesShuffles && !cluster.keepsShuffles()) {
      return "keeps " + counted(present - wanted, "executor") + ", with which shuffled data would go";
    }
    if (changed && clockMillis.getAsLong() - lastChangeMillis < of.settings.delaySeconds * 1e3) {
      return "waits for the last change";
    }
    changed = true;
    lastChangeMillis = clockMillis.getAsLong();
    return (takes(of, wanted, change) ? "asks for " : "was refused ") + change;
  }

  /** Whether Spark took the request. */
  private boolean takes(Question of, int wanted, String change) {
    int present = of.executors.size();
    List<String> less = of.executors.subList(Math.min(wanted, present), present);
    boolean taken = false;
    Exception why = null;
    try {
      taken = less.isEmpty() ? cluster.request(wanted) : cluster.release(less, present);
    } catch (Exception failed) { // also checked ones, which Scala's methods do not declare
      why = failed;
    }
    if (taken) {
      going.addAll(less);
    } else {
      sayOnce(run, "Spark refused bellamy's request for " + change + "; the application goes on as it is", why);
    }
    return taken;
  }

  private static String words(
      Question of, Forecast rest, Prediction remaining, double elapsed, Rescaling decision, String done) {
    String so =
        String.format(
            Locale.ROOT, "%s: %d of %d jobs ended after %.1f s", of.soFar.run(), rest.finishedJobs(), rest.jobs(), elapsed);
    if (!remaining.usable()) {
      return so;
    }
    so += String.format(Locale.ROOT, "; the rest takes %s at %s", remaining, counted(of.cores, "core"));
    if (!Double.isNaN(rest.runFactor())) {
      so +=
          String.format(
              Locale.ROOT, ", run factor %.2f (90%%: %.2f to %.2f)", rest.runFactor(), rest.runFactorP05(), rest.runFactorP95());
    }
    if (decision == null) {
      return so;
    }
    double deadline = of.settings.deadlineSeconds;
    so +=
        String.format(
            Locale.ROOT, "; deadline %.1f s: probability %.3f", deadline, remaining.probabilityWithin(Math.max(0, deadline - elapsed)));
    return decision.changes()
        ? so + String.format(Locale.ROOT, ", %.3f at %s: %s", decision.probability(), counted(decision.scaleOut(), "core"), done)
        : so + ": " + done;
  }

  private static String counted(int count, String of) {
    return count + " " + of + (count == 1 ? "" : "s");
  }

  private void tell(
      Question of, Forecast rest, Prediction remaining, double elapsed, Rescaling decision, String done, long took)
      throws IOException {
    LOG.info("bellamy: {}", words(of, rest, remaining, elapsed, decision, done));
    if (of.settings.decisions != null) {
      TraceFile.append(of.settings.decisions, into -> writeDecision(into, of, rest, remaining, elapsed, decision, done, took), false);
    }
  }

  private static void writeDecision(
      JsonGenerator into, Question of, Forecast rest, Prediction remaining, double elapsed, Rescaling decision, String done, long took)
      throws IOException {
    into.writeStringField("run", of.soFar.run());
    into.writeNumberField("ended_jobs", rest.finishedJobs());
    into.writeNumberField("jobs", rest.jobs());
    into.writeNumberField("elapsed_s", elapsed);
    into.writeNumberField("last_end_s", of.elapsedSeconds());
    into.writeNumberField("cores", of.cores);
    into.writeNumberField("executors", of.executors.size());
    into.writeNumberField("question_ms", took / 1e6);
    if (remaining.usable()) {
      into.writeNumberField("rest_s", remaining.medianSeconds());
      into.writeNumberField("rest_p05_s", remaining.quantileSeconds(0.05));
      into.writeNumberField("rest_p95_s", remaining.quantileSeconds(0.95));
    }
    if (!Double.isNaN(rest.runFactor())) {
      into.writeNumberField("run_factor", rest.runFactor());
      into.writeNumberField("run_factor_p05", rest.runFactorP05());
      into.writeNumberField("run_factor_p95", rest.runFactorP95());
    }
    if (decision != null) {
      into.writeNumberField("deadline_s", of.settings.deadlineSeconds);
      into.writeStringField("outcome", decision.outcome().toString());
      into.writeNumberField("chosen_cores", decision.scaleOut());
      into.writeNumberField("probability", decision.probability());
      into.writeStringField("done", done);
    }
  }
}
